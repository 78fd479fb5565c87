"""From a table to a selection with its evidence: the whole job."""

from featsieve.selection._select import select
from featsieve.selection._selection import Selection
from featsieve.selection._sieve_selector import SieveSelector

__all__ = ["Selection", "SieveSelector", "select"]
