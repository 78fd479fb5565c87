"""The only room that meets foreign frames and files."""

from featsieve.data._copy_columns import copy_columns
from featsieve.data._discretize import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
)
from featsieve.data._note import Effect, Note
from featsieve.data._table import Column, ColumnKind, Table
from featsieve.data._table_encoder import TableEncoder
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
    "TableEncoder",
    "TableStream",
    "copy_columns",
    "open_stream",
    "read_table",
]
