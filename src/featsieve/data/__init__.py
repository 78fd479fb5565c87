"""The only room that meets foreign frames and files."""

from featsieve.data._class_sample import read_class_sample
from featsieve.data._coding import TableEncoder
from featsieve.data._discretize import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
)
from featsieve.data._read import read_table
from featsieve.data._stream import TableStream, open_stream
from featsieve.data._table import Column, ColumnKind, Note, Table

__all__ = [
    "Column",
    "ColumnKind",
    "EqualFrequencyDiscretizer",
    "EqualWidthDiscretizer",
    "MDLDiscretizer",
    "Note",
    "Table",
    "TableEncoder",
    "TableStream",
    "open_stream",
    "read_class_sample",
    "read_table",
]
