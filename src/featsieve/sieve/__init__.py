"""The whole job: from a table to a selection with its evidence.

Nothing lives here yet; ARCHITECTURE.md says what will.
"""

__all__: list[str] = []
