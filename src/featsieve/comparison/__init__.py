"""Which selector is really better: all against all, on rows that none has seen."""

from featsieve.comparison._compare import compare
from featsieve.comparison._comparison import Comparison
from featsieve.comparison._contestants import (
    available_estimators,
    available_selectors,
)
from featsieve.comparison._rounds import Progress

__all__ = [
    "Comparison",
    "Progress",
    "available_estimators",
    "available_selectors",
    "compare",
]
