"""Selectors that listen to a learner while it is built.

Nothing lives here yet; ARCHITECTURE.md says what will.
"""

__all__: list[str] = []
