"""The whole job: from a table to a selection with its evidence, and a fair race."""

from featsieve.sieve._compare import compare
from featsieve.sieve._comparison import Comparison
from featsieve.sieve._progress import Progress

__all__ = ["Comparison", "Progress", "compare"]
