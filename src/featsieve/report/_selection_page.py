"""One file that shows a selection: a page for a browser, a card for a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from featsieve.report._selection_summary import checked
from featsieve.report._selection_view import card_view, page_view
from featsieve.report._style import (
    DARK,
    LIGHT,
    TEMPLATES,
    count_of,
    declarations,
    json_for_script,
    new_environment,
)

if TYPE_CHECKING:
    from jinja2 import Environment


def selection_page(summary: Mapping[str, Any]) -> str:
    """Return a whole page that shows what was selected, and why.

    The page needs nothing else: no network, no further file. It has the verdicts, a
    ledger to sort and search, relevance with intervals, interactions, redundancy, where
    features tell locally, notes on the data, and how it all was computed. Parts with
    nothing to show say so.

    Parameters
    ----------
    summary : mapping
        The plain dictionary of a selection, of format ``"featsieve-selection"``.

    Returns
    -------
    str
        An HTML document.

    See Also
    --------
    selection_card : A small part of it, for a notebook.

    Notes
    -----
    The same dictionary gives the same page, byte for byte. Whatever columns are called,
    their names are text.

    Examples
    --------
    >>> from featsieve.report import selection_page
    >>> summary = {
    ...     "format": "featsieve-selection", "version": 1, "title": "loans → repaid",
    ...     "target": {"name": "repaid", "kind": "nominal"},
    ...     "table": {"n_rows": 120, "n_columns": 2},
    ...     "features": ["income"],
    ...     "ledger": [
    ...         {"feature": "income", "verdict": "strongly relevant", "kept": True},
    ...         {"feature": "shoe <size>", "verdict": "irrelevant", "kept": False},
    ...     ],
    ...     "measure": {"name": "information gain", "unit": "bits"},
    ... }
    >>> page = selection_page(summary)
    >>> "1 of 2 features is worth keeping: 1 strongly relevant." in page
    True
    >>> "shoe &lt;size&gt;" in page
    True
    """
    environment = _environment()
    view = page_view(checked(summary))
    data = {"ledger": view.pop("ledger_data"), "heat": None}
    if view["heat"] is not None:
        data["heat"] = view["heat"].pop("data")
    return environment.get_template("page.html").render(
        **view,
        data=json_for_script(data),
        light=declarations(LIGHT),
        dark=declarations(DARK),
    )


def selection_card(summary: Mapping[str, Any]) -> str:
    """Return a small card that shows what was selected, for a notebook.

    It has no script, and its style touches nothing else on the notebook's page.

    Parameters
    ----------
    summary : mapping
        The plain dictionary of a selection, of format ``"featsieve-selection"``.

    Returns
    -------
    str
        A piece of HTML.

    See Also
    --------
    selection_page : A whole page, with everything.

    Examples
    --------
    >>> from featsieve.report import selection_card
    >>> card = selection_card({
    ...     "format": "featsieve-selection", "version": 1, "title": "loans → repaid",
    ...     "target": {"name": "repaid", "kind": "nominal"},
    ...     "table": {"n_rows": 120, "n_columns": 1},
    ...     "features": [],
    ...     "ledger": [{"feature": "age", "verdict": "irrelevant", "kept": False}],
    ...     "measure": {"name": "information gain", "unit": "bits"},
    ... })
    >>> "None of the 1 feature is worth keeping: all are irrelevant." in card
    True
    """
    return (
        _environment()
        .get_template("card.html")
        .render(
            **card_view(checked(summary)),
            light=declarations(LIGHT, "fs-"),
            dark=declarations(DARK, "fs-"),
        )
    )


@cache
def _environment() -> Environment:
    environment = new_environment()
    from markupsafe import Markup  # comes with jinja2

    def source(name: str) -> Markup:
        """Return a file of our own, which holds nothing foreign, as it is."""
        return Markup((TEMPLATES / name).read_text(encoding="utf-8"))

    environment.globals["source"] = source
    environment.filters["count_of"] = count_of
    environment.filters["thousands"] = lambda n: f"{n:,}"
    return environment
