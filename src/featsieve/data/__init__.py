"""The only room that meets foreign frames and files."""

from featsieve.data._copy_columns import copy_columns
from featsieve.data._discretize import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
)
from featsieve.data._table import Column, ColumnKind, Effect, Note, Table
from featsieve.data.read._read_table import read_table
from featsieve.data.stream._table_stream import TableStream, open_stream

__all__ = [
    "Column",
    "ColumnKind",
    "Effect",
    "EqualFrequencyDiscretizer",
    "EqualWidthDiscretizer",
    "MDLDiscretizer",
    "Note",
    "Table",
    "TableStream",
    "copy_columns",
    "open_stream",
    "read_table",
]
