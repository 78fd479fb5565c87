"""The same record for a selector of the caller's own choice."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags

from featsieve._types import Floats, Mask
from featsieve.data import Column, Table
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.selection._ledger import empty_row, plain
from featsieve.selection._material import Screening, screen, shown_note
from featsieve.selection._opening import Drawing
from featsieve.selection._settings import Question, Settings
from featsieve.selection._summary import FORMAT, VERSION, describe_target, versions
from featsieve.selectors.api import BaseSelector


def select_with(
    table: Table, settings: Settings, question: Question, drawing: Drawing | None
) -> dict[str, Any]:
    """Fit a copy of the selector and tell what it did, in the words of a selection.

    Columns that cannot help are screened out first. Selectors that are not ours see
    nominal columns as the numbers of their levels and, unless they take them, missing
    values as the median of the others or as one more level.
    """
    begin = time.perf_counter()
    assert table.target is not None  # the caller has checked
    screening = screen(table.notes, dict(settings.costs))
    names = screening.usable(table)
    selector, told = _fit(settings.method, table.select(names), table.target)
    fitted = _Fitted(
        type(selector).__name__,
        names,
        np.asarray(selector.get_support(), dtype=bool),
        _numbers(selector, ("scores_", "importances_"), len(names)),
        _numbers(selector, ("ranking_",), len(names)),
        _numbers(selector, ("p_values_", "pvalues_"), len(names)),
    )
    chosen = [names[j] for j in fitted.order()][: settings.max_selected]
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": f"{question.source or 'table'} → {table.target.name}",
        "target": describe_target(table),
        "table": {
            "n_rows": table.n_rows,
            "n_columns": table.n_columns,
            "source": question.source,
        },
        "features": chosen,
        "ledger": [_row(column, table, screening, fitted, chosen) for column in table],
        "measure": {"name": f"score of {fitted.name}", "unit": ""},
        "probes": [],
        "probe_line": None,
        "interactions": _interactions(selector),
        "redundancy": [],
        "local_relevance": None,
        "notes": [
            *(shown_note(note) for note in screening.notes),
            *({"feature": None, "text": text, "severity": "note"} for text in told),
        ],
        "computation": {
            "method": fitted.name,
            "parameters": question.parameters,
            "random_state": settings.seed,
            "versions": versions(),
            "n_rows_used": table.n_rows,
            "sampling": None if drawing is None else drawing.text,
            "seconds": {"alone": round(time.perf_counter() - begin, 3)},
            "code": question.code,
        },
    }


def _fit(method: Any, table: Table, target: Column) -> tuple[Any, list[str]]:
    """Return a fitted copy of the selector, and what was changed for it to see."""
    selector = clone(method)
    told: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        if isinstance(selector, BaseSelector):
            selector.fit(table, target)
        else:
            X, told = as_numbers(table, _takes_gaps(selector))
            selector.fit(X, np.asarray(target.values))
    return selector, told


@dataclass(frozen=True, slots=True, eq=False)
class _Fitted:
    """What a fitted selector says of the usable columns."""

    name: str
    names: list[str]
    support: Mask
    scores: Floats | None
    ranks: Floats | None
    p_values: Floats | None

    def order(self) -> list[int]:
        """Return the kept columns, best first where the selector says what is."""
        kept = np.flatnonzero(self.support)
        if self.scores is not None:
            kept = kept[np.argsort(-np.nan_to_num(self.scores[kept]), kind="stable")]
        elif self.ranks is not None:
            kept = kept[np.argsort(self.ranks[kept], kind="stable")]
        return [int(j) for j in kept]


def _row(
    column: Column,
    table: Table,
    screening: Screening,
    fitted: _Fitted,
    chosen: list[str],
) -> dict[str, Any]:
    """Return the row of the ledger for one column."""
    row = empty_row(column, table.n_rows)
    row["stage"] = "screen"
    name = column.name
    fact = screening.dropped.get(name)
    if fact is not None:
        row["verdict"], row["note"] = "unusable", fact.reason
        if fact.other is not None:
            row["verdict"], row["displaced_by"] = "redundant", [fact.other]
        return row
    j = fitted.names.index(name)
    kept = bool(fitted.support[j])
    row["stage"] = "alone"
    row["score"] = _number(fitted.scores, j)
    row["p_value"] = _number(fitted.p_values, j)
    row["kept"] = name in chosen
    row["verdict"] = "strongly relevant" if kept else "irrelevant"
    row["note"] = f"{'kept' if kept else 'not kept'} by {fitted.name}"
    if fitted.ranks is not None:
        row["note"] += f", rank {fitted.ranks[j]:g}"
    if kept and not row["kept"]:
        row["verdict"], row["stage"] = "over the limit", "limit"
    return row


def _number(values: Floats | None, j: int) -> float | None:
    return None if values is None else plain(float(values[j]))


def as_numbers(table: Table, takes_gaps: bool) -> tuple[Floats, list[str]]:
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


def _numbers(
    selector: Any, attributes: tuple[str, ...], n_features: int
) -> Floats | None:
    for attribute in attributes:
        values = getattr(selector, attribute, None)
        if values is not None and np.shape(values) == (n_features,):
            return np.asarray(values, dtype=np.float64)
    return None


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
