"""The whole job: from a table to a selection with its evidence."""

from featsieve.sieve._select import select
from featsieve.sieve._selection import Selection
from featsieve.sieve._selector import SieveSelector

__all__ = ["Selection", "SieveSelector", "select"]
