"""How differently the members of an ensemble decide.

Nothing lives here yet; ARCHITECTURE.md says what will.
"""

__all__: list[str] = []
