"""The same record for a selector of the caller's own choice."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags

from featsieve.data import Column, Table
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.filters._base import BaseFilter
from featsieve.sieve._ledger import empty_row, plain
from featsieve.sieve._screen import screen
from featsieve.sieve._settings import Settings
from featsieve.sieve._summary import FORMAT, VERSION, describe_target, versions

__all__ = ["select_with"]


def select_with(
    table: Table,
    settings: Settings,
    source: str | None,
    parameters: dict[str, Any],
    code: str,
) -> dict[str, Any]:
    """Fit a copy of the selector and tell what it did, in the words of a selection.

    Columns that cannot help are screened out first. Selectors that are not ours see
    nominal columns as the numbers of their levels and, unless they take them, missing
    values as the median of the others or as one more level.
    """
    begin = time.perf_counter()
    screening = screen(table, dict(settings.costs))
    names = screening.usable(table)
    usable = table.select(names)
    selector = clone(settings.method)
    assert table.target is not None  # the caller has checked
    told = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        if isinstance(selector, BaseFilter):
            selector.fit(usable, table.target)
        else:
            X, changed = as_numbers(usable, _takes_gaps(selector))
            told = changed
            selector.fit(X, _plain_target(table.target))
    support = np.asarray(selector.get_support(), dtype=bool)
    scores = _numbers(selector, ("scores_", "importances_"), len(names))
    ranks = _numbers(selector, ("ranking_",), len(names))
    p_values = _numbers(selector, ("p_values_", "pvalues_"), len(names))
    name = type(selector).__name__
    order = _order(support, scores, ranks)
    chosen = [names[j] for j in order][: settings.max_features]
    place = {column: j for j, column in enumerate(names)}
    ledger = []
    for column in table:
        row = empty_row(column, table.n_rows)
        row["stage"] = "alone"
        j = place.get(column.name)
        if j is not None:
            row["score"] = plain(None if scores is None else float(scores[j]))
            row["p_value"] = plain(None if p_values is None else float(p_values[j]))
            row["kept"] = column.name in chosen
            row["verdict"] = "strongly relevant" if support[j] else "irrelevant"
            row["note"] = f"{'kept' if support[j] else 'not kept'} by {name}"
            if ranks is not None:
                row["note"] += f", rank {ranks[j]:g}"
            if support[j] and not row["kept"]:
                row["verdict"], row["stage"] = "over the limit", "limit"
        elif column.name in screening.unusable:
            row["verdict"], row["stage"] = "unusable", "screen"
            row["note"] = screening.unusable[column.name]
        else:
            twin = screening.copies[column.name]
            row["verdict"], row["stage"] = "redundant", "screen"
            row["displaced_by"], row["note"] = [twin], f"identical to {twin!r}"
        ledger.append(row)
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": f"{source or 'table'} → {table.target.name}",
        "target": describe_target(table),
        "table": {
            "n_rows": table.n_rows,
            "n_columns": table.n_columns,
            "source": source,
        },
        "features": chosen,
        "ledger": ledger,
        "measure": {"name": f"score of {name}", "unit": ""},
        "probes": [],
        "probe_line": None,
        "interactions": _interactions(selector),
        "redundancy": [],
        "local_relevance": None,
        "notes": [
            {"feature": name, "text": text, "severity": "warning" if bad else "note"}
            for name, text, bad in screening.flags
        ]
        + [{"feature": None, "text": text, "severity": "note"} for text in told],
        "computation": {
            "method": name,
            "parameters": parameters,
            "random_state": settings.seed,
            "versions": versions(),
            "n_rows_used": table.n_rows,
            "sampling": None,
            "seconds": {"alone": round(time.perf_counter() - begin, 3)},
            "code": code,
        },
    }


def as_numbers(table: Table, takes_gaps: bool) -> tuple[NDArray[np.float64], list[str]]:
    """Return the columns as a matrix of numbers, and what had to be changed."""
    X = np.empty((table.n_rows, table.n_columns))
    nominal = gaps = 0
    for j, column in enumerate(table):
        X[:, j] = column.values
        missing = column.missing
        if column.is_nominal:
            nominal += 1
            X[missing, j] = np.nan
        if missing.any() and not takes_gaps:
            gaps += 1
            known = column.values[~missing]
            middle = column.n_levels if column.is_nominal else np.median(known)
            X[missing, j] = middle
    told = []
    if nominal:
        told.append(f"{nominal} nominal columns were given as numbers of levels.")
    if gaps:
        told.append(f"Missing values of {gaps} columns were filled in.")
    return X, told


def _takes_gaps(selector: Any) -> bool:
    try:
        return bool(get_tags(selector).input_tags.allow_nan)
    except (AttributeError, TypeError):
        return False


def _plain_target(target: Column) -> NDArray[Any]:
    return np.asarray(target.values)


def _numbers(
    selector: Any, attributes: tuple[str, ...], n_features: int
) -> NDArray[np.float64] | None:
    for attribute in attributes:
        values = getattr(selector, attribute, None)
        if values is not None and np.shape(values) == (n_features,):
            return np.asarray(values, dtype=np.float64)
    return None


def _order(
    support: NDArray[np.bool_],
    scores: NDArray[np.float64] | None,
    ranks: NDArray[np.float64] | None,
) -> list[int]:
    """Return the kept features, best first where the selector says what is better."""
    kept = np.flatnonzero(support)
    if scores is not None:
        kept = kept[np.argsort(-np.nan_to_num(scores[kept]), kind="stable")]
    elif ranks is not None:
        kept = kept[np.argsort(ranks[kept], kind="stable")]
    return [int(j) for j in kept]


def _interactions(selector: Any) -> list[dict[str, Any]]:
    return [
        {
            "members": list(found.members),
            "joint_gain": plain(found.joint_gain),
            "synergy": plain(found.synergy),
            "p_value": plain(found.p_value),
            "kept": bool(found.kept),
            "kind": "synergy",
        }
        for found in getattr(selector, "interactions_", [])
    ]
