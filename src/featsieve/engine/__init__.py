"""Run many independent tasks, and give each its own seed; knows nothing of features."""

__all__: list[str] = []
