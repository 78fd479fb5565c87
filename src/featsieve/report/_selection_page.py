"""The page of a selection, and the check of the plain dictionary it is made of."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from featsieve.exceptions import DataError
from featsieve.report._selection_view import card_view, page_view
from featsieve.report._style import (
    DARK,
    LIGHT,
    STAGES,
    TEMPLATES,
    VERDICTS,
    count_of,
    declarations,
    json_for_script,
    new_environment,
)

if TYPE_CHECKING:
    from jinja2 import Environment


FORMAT, VERSION = "featsieve-selection", 1

Check = Callable[[Any, str], Any]


def checked(summary: Any) -> dict[str, Any]:
    """Return the selection with all its parts, or say which part cannot be shown."""
    if not isinstance(summary, Mapping) or summary.get("format") != FORMAT:
        got = summary.get("format") if isinstance(summary, Mapping) else summary
        message = (
            f"The selection must be a dictionary with format {FORMAT!r}, as "
            f"Selection.to_json writes it. Got {_brief(got)} instead."
        )
        raise DataError(message)
    version = summary.get("version")
    if version != VERSION:
        message = (
            f"The selection has version {_brief(version)}, this featsieve reads "
            f"version {VERSION}. Select again, or read it with the featsieve that "
            f"wrote it."
        )
        raise DataError(message)
    answer: dict[str, Any] = _SELECTION(summary, "selection")
    _check_matrix(answer["local_relevance"])
    return answer


def _check_matrix(local: dict[str, Any] | None) -> None:
    """Demand one row of values for each feature, one value for each position."""
    if local is None:
        return
    wanted = (len(local["features"]), len(local["positions"]))
    lengths = {len(row) for row in local["values"]}
    if len(local["values"]) != wanted[0] or lengths - {wanted[1]}:
        message = (
            f"The 'local_relevance.values' of the selection must be {wanted[0]} lists "
            f"of {wanted[1]} numbers, one list for each feature."
        )
        raise DataError(message)


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _fail(where: str, must_be: str, value: Any) -> DataError:
    return DataError(
        f"The {where!r} of the selection must be {must_be}. Got {_brief(value)} "
        f"instead."
    )


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise _fail(where, "text", value)
    return value


def _flag(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise _fail(where, "true or false", value)
    return value


def _number(value: Any, where: str) -> float:
    # Most are plain floats; asking that first spares them the slow question.
    good = type(value) is float or (
        isinstance(value, numbers.Real) and not isinstance(value, bool)
    )
    if not good or not math.isfinite(value):
        raise _fail(where, "a finite number", value)
    return float(value)


def _count(value: Any, where: str) -> int:
    good = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not good or value < 0:
        raise _fail(where, "an int >= 0", value)
    return int(value)


def _seed(value: Any, where: str) -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise _fail(where, "an int", value)
    return int(value)


def _position(value: Any, where: str) -> float | str:
    return value if isinstance(value, str) else _number(value, where)


def _anything(value: Any, where: str) -> Any:  # noqa: ARG001  (a Check like others)
    return value


def _one_of(*choices: str) -> Check:
    def check(value: Any, where: str) -> str:
        if not isinstance(value, str) or value not in choices:
            raise _fail(where, f"one of {', '.join(map(repr, choices))}", value)
        return value

    return check


def _maybe(check: Check, default: Any = None) -> Check:
    """Return a check that takes None, or nothing at all, for `default`."""

    def check_or_default(value: Any, where: str) -> Any:
        if value is None:
            return default() if callable(default) else default
        return check(value, where)

    return check_or_default


def _list_of(check: Check, name: str | None = None) -> Check:
    """Return a check of every item; in errors an item is told by its own `name`."""

    def check_items(value: Any, where: str) -> list[Any]:
        if not isinstance(value, (list, tuple)):
            raise _fail(where, "a list", value)
        items = []
        for k, item in enumerate(value):
            own = item.get(name) if name and isinstance(item, Mapping) else None
            label = f"[{k}]" if own is None else f"[{k}: {_brief(own)}]"
            items.append(check(item, f"{where}{label}"))
        return items

    return _maybe(check_items, list)


def _mapping_to(check: Check) -> Check:
    def check_values(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _fail(where, "a dictionary", value)
        return {str(k): check(v, f"{where}.{k}") for k, v in value.items()}

    return _maybe(check_values, dict)


def _parts(**checks: Check) -> Check:
    """Return a check of a dictionary's known keys; unknown ones are left alone."""

    def check_parts(value: Any, where: str) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise _fail(where, "a dictionary", value)
        prefix = "" if where == "selection" else f"{where}."
        return {
            key: check(value.get(key), f"{prefix}{key}")
            for key, check in checks.items()
        }

    return check_parts


def _or_empty(check: Check) -> Check:
    """Return a check that takes None for a dictionary of nothing but defaults."""
    return lambda value, where: check({} if value is None else value, where)


_real = _maybe(_number)
_words = _maybe(_text, "")
_names = _list_of(_text)

_ROW = _parts(
    feature=_text,
    kind=_maybe(_one_of("numeric", "nominal")),
    verdict=_one_of(*VERDICTS),
    kept=_flag,
    stage=_maybe(_one_of(*STAGES)),
    score=_real,
    low=_real,
    high=_real,
    p_value=_real,
    threshold=_real,
    probe=_real,
    displaced_by=_names,
    interchangeable_with=_names,
    partners=_names,
    where=_maybe(_text),
    note=_words,
    missing_share=_real,
    n_levels=_maybe(_count),
    alone=_or_empty(
        _parts(score=_real, p_value=_real, rank_association=_real, rank_p_value=_real)
    ),
    context=_or_empty(_parts(score=_real, p_value=_real)),
)
_INTERACTION = _parts(
    members=_names,
    joint_gain=_number,
    synergy=_number,
    p_value=_real,
    kept=_flag,
    kind=_one_of("synergy", "redundancy"),
)
_SET_ASIDE = _parts(feature=_text, association=_real, p_value=_real, reason=_words)
_COMPUTATION = _parts(
    method=_words,
    parameters=_mapping_to(_anything),
    random_state=_maybe(_seed),
    versions=_mapping_to(_text),
    n_rows_used=_maybe(_count),
    sampling=_maybe(_text),
    seconds=_mapping_to(_number),
    code=_words,
)
_SELECTION = _parts(
    title=_text,
    target=_parts(
        name=_text,
        kind=_one_of("nominal", "numeric"),
        classes=_list_of(_parts(name=_text, count=_count)),
        n_missing=_maybe(_count, 0),
    ),
    table=_parts(n_rows=_count, n_columns=_count, source=_maybe(_text)),
    features=_names,
    ledger=_list_of(_ROW, "feature"),
    measure=_parts(name=_text, unit=_text),
    probes=_list_of(_parts(kind=_text, n_levels=_maybe(_count), score=_number)),
    probe_line=_real,
    interactions=_list_of(_INTERACTION),
    redundancy=_list_of(
        _parts(kept=_text, set_aside=_list_of(_SET_ASIDE, "feature")), "kept"
    ),
    local_relevance=_maybe(
        _parts(
            features=_names,
            ordered_by=_text,
            positions=_list_of(_position),
            values=_list_of(_list_of(_number)),
        )
    ),
    notes=_list_of(
        _parts(
            feature=_maybe(_text),
            code=_maybe(_text),
            text=_text,
            severity=_one_of("warning", "note"),
        )
    ),
    computation=_or_empty(_COMPUTATION),
)


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
