"""Plain dictionaries in, pictures and pages out.

Nothing lives here yet; ARCHITECTURE.md says what will.
"""

__all__: list[str] = []
