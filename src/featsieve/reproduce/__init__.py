"""Tables of the works that featsieve is built on, run again beside what they print."""

from featsieve.reproduce._reproduce import published_tables, reproduce
from featsieve.reproduce._tables import Cell, PublishedTable, Reproduction, Trial

__all__ = [
    "Cell",
    "PublishedTable",
    "Reproduction",
    "Trial",
    "published_tables",
    "reproduce",
]
