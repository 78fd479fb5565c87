"""All published tables by name, work by work."""

from __future__ import annotations

from featsieve.reproduce import (
    _bifs,
    _ensembles,
    _forests,
    _fs2boost,
    _largedata,
    _largedata_search,
    _subsets,
)
from featsieve.reproduce._tables import PublishedTable

__all__ = ["published_tables"]


def published_tables() -> dict[str, PublishedTable]:
    """Return all tables that can be run, and those of which we know why not.

    Returns
    -------
    dict of str to PublishedTable
        By name: the work and the number of the table.

    Examples
    --------
    >>> from featsieve.reproduce import published_tables
    >>> [name for name in published_tables() if name.startswith("subsets")]
    ['subsets-5', 'subsets-6', 'subsets-7']
    """
    works = (
        _bifs,
        _ensembles,
        _forests,
        _subsets,
        _fs2boost,
        _largedata,
        _largedata_search,
    )
    return {table.name: table for work in works for table in work.tables()}
