"""Search subsets of features by asking an estimator.

Nothing lives here yet; ARCHITECTURE.md says what will.
"""

__all__: list[str] = []
