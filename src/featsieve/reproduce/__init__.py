"""Tables of the works that featsieve is built on, run again beside what they print."""

from featsieve.reproduce._catalogue import published_tables
from featsieve.reproduce._reproduction import Reproduction
from featsieve.reproduce._run import reproduce
from featsieve.reproduce._tables import Cell, PublishedTable, Trial

__all__ = [
    "Cell",
    "PublishedTable",
    "Reproduction",
    "Trial",
    "published_tables",
    "reproduce",
]
