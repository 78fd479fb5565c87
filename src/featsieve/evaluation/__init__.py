"""Honest numbers about any estimator.

Nothing lives here yet; ARCHITECTURE.md says what will.
"""

__all__: list[str] = []
