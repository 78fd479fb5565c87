"""The only room that meets foreign frames and files."""

from featsieve.data._read import read_table
from featsieve.data._table import Column, ColumnKind, Note, Table

__all__ = ["Column", "ColumnKind", "Note", "Table", "read_table"]
