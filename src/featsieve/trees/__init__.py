"""Decision trees: one grower, several ways to set it.

Nothing lives here yet; ARCHITECTURE.md says what will.
"""

__all__: list[str] = []
