"""The page of published tables that were run again: plain data in, HTML out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featsieve.report._comparison_page import plain_environment

__all__ = ["reproduction_page"]


def reproduction_page(document: Mapping[str, Any]) -> str:
    """Return the page of published tables beside ours.

    Parameters
    ----------
    document : mapping
        What ``Reproduction.to_dict()`` gives.

    Returns
    -------
    str
        HTML with its styles in it; every foreign text is escaped.

    Examples
    --------
    >>> from featsieve.report import reproduction_page
    >>> from featsieve.reproduce import reproduce
    >>> page = reproduction_page(reproduce(["bifs-5.2"]).to_dict())
    >>> page.startswith("<!DOCTYPE html>"), "<script" in page
    (True, False)
    """
    tables = [
        dict(table) | {"cells": [_with_digits(cell) for cell in table["cells"]]}
        for table in document["tables"]
    ]
    template = plain_environment().get_template("reproduction.html")
    page: str = template.render(known=dict(document) | {"tables": tables})
    return page


def _with_digits(cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return a cell with as many decimals for ours as a mean of several runs needs."""
    more = isinstance(cell["ours"], float) and cell["n_runs"] > 1 and cell["digits"] < 3
    return dict(cell) | {"shown_digits": cell["digits"] + more}
