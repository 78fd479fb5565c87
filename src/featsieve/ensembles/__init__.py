"""Make members differ, then let them vote.

Nothing lives here yet; ARCHITECTURE.md says what will.
"""

__all__: list[str] = []
