"""The ledger: one row per column, with everything that decided about it."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

from featsieve.data import Column
from featsieve.sieve._auto import Findings
from featsieve.sieve._explain import listed
from featsieve.sieve._group import Group

__all__ = ["COLUMNS", "ledger_frame", "ledger_rows", "library_of", "plain"]

#: Columns of the ledger as a frame, in this order.
COLUMNS = (
    "feature",
    "kind",
    "verdict",
    "kept",
    "stage",
    "score",
    "low",
    "high",
    "p_value",
    "threshold",
    "displaced_by",
    "partners",
    "where",
    "note",
    "missing_share",
    "n_levels",
)
TEXTS = {"feature", "kind", "verdict", "stage", "where", "note"}
LISTS = {"displaced_by", "partners"}
NUMBERS = {"score", "low", "high", "p_value", "threshold", "missing_share"}

VERDICTS = {
    "alone": "strongly relevant",
    "together": "relevant together",
    "context": "relevant locally",
}


def plain(value: float | None) -> float | None:
    """Return a number that JSON knows, or None."""
    if value is None or not math.isfinite(value):
        return None
    return float(value)


def empty_row(column: Column, n_rows: int) -> dict[str, Any]:
    """Return the row of a column of which nothing is known but what it looks like."""
    return {
        "feature": column.name,
        "kind": column.kind.value,
        "verdict": "irrelevant",
        "kept": False,
        "stage": "context",
        "score": None,
        "low": None,
        "high": None,
        "p_value": None,
        "threshold": None,
        "displaced_by": [],
        "partners": [],
        "where": None,
        "note": "",
        "missing_share": column.n_missing / n_rows if n_rows else 0.0,
        "n_levels": column.n_levels if column.is_nominal else None,
        "alone": {
            "score": None,
            "p_value": None,
            "rank_association": None,
            "rank_p_value": None,
        },
        "context": {"score": None, "p_value": None},
    }


def ledger_rows(findings: Findings) -> list[dict[str, Any]]:
    """Return one row per column of the table, in its order."""
    place = {name: j for j, name in enumerate(findings.names)}
    rows = {}
    for column in findings.table:
        row = empty_row(column, findings.table.n_rows)
        name = column.name
        if name in place:
            _tell_evidence(findings, place[name], row)
            _tell_verdict(findings, place[name], row)
        elif name in findings.screening.unusable:
            row["verdict"], row["stage"] = "unusable", "screen"
            row["note"] = findings.screening.unusable[name]
        rows[name] = row
    for name, twin in findings.screening.copies.items():
        _tell_copy(rows[name], rows[twin])
    return list(rows.values())


def _tell_evidence(findings: Findings, j: int, row: dict[str, Any]) -> None:
    alone, context = findings.alone, findings.context
    score = findings.own_gain.get(j, alone.scores[j])
    row["score"] = plain(max(0.0, score.gain))
    row["low"], row["high"] = plain(score.low), plain(score.high)
    row["p_value"] = plain(float(findings.judgement.p_values[j]))
    row["threshold"] = plain(findings.judgement.threshold)
    row["alone"] = {
        "score": plain(max(0.0, alone.scores[j].gain)),
        "p_value": plain(float(alone.p_values[j])),
        "rank_association": plain(float(alone.rank_associations[j])),
        "rank_p_value": (
            plain(float(alone.rank_p_values[j])) if row["kind"] == "numeric" else None
        ),
    }
    row["context"] = {
        "score": plain(float(context.scores[j])),
        "p_value": plain(float(context.p_values[j])),
    }
    row["partners"] = [findings.names[p] for p in findings.partners.get(j, ())]


def _tell_verdict(findings: Findings, j: int, row: dict[str, Any]) -> None:
    stage = findings.judgement.stages[j]
    group = findings.group
    if group is not None and j in group.members:
        _tell_group(findings, j, group, row)
        return
    if stage is None:
        row["note"] = "no more than chance gives, alone, together or in a forest"
        return
    displaced = findings.redundancy.displaced.get(j)
    if displaced is not None:
        row["verdict"], row["stage"] = "redundant", "redundancy"
        row["displaced_by"] = [findings.names[d] for d in displaced.by]
        row["note"] = displaced.reason
        return
    row["verdict"], row["stage"] = VERDICTS[stage], stage
    if stage == "together":
        row["note"] = "tells more beside its partners than chance gives"
    elif stage == "alone":
        row["note"] = "tells more by itself than chance gives"
    else:
        found = findings.places.get(j)
        row["where"] = "behind other features in a forest"
        if found is not None:
            row["where"] = found.words
        row["note"] = "gains more in a forest than its shadows do"
    if j in findings.redundancy.returned:
        carriers = findings.redundancy.returned[j].by
        names = listed([findings.names[d] for d in carriers])
        row["note"] += f"; little of it is beyond {names}, but a forest misses it"
    _hold_to_limit(findings, j, row)


def _tell_group(findings: Findings, j: int, group: Group, row: dict[str, Any]) -> None:
    """Say that a column is kept for the sake of a group, and how certain that is."""
    row["verdict"], row["stage"] = VERDICTS["together"], "together"
    row["partners"] = [findings.names[other] for other in group.members if other != j]
    row["note"] = (
        f"all that were undecided tell more than chance gives (p = {group.p_value:.2g})"
        "; rows are too few to say which of them do"
    )
    _hold_to_limit(findings, j, row)


def _hold_to_limit(findings: Findings, j: int, row: dict[str, Any]) -> None:
    row["kept"] = j not in findings.over_limit
    if not row["kept"]:
        row["note"] = f"{row['verdict']}, and there was no room for it"
        row["verdict"], row["stage"] = "over the limit", "limit"


def _tell_copy(row: dict[str, Any], twin: dict[str, Any]) -> None:
    """Say of a column what was found of the one it is identical to."""
    for name in ("score", "low", "high", "p_value", "threshold", "alone", "context"):
        row[name] = twin[name]
    row["stage"] = "screen"
    row["note"] = f"identical to {twin['feature']!r}"
    row["verdict"] = "irrelevant"
    if twin["verdict"] != "irrelevant":
        row["verdict"], row["displaced_by"] = "redundant", [twin["feature"]]


def library_of(data: Any) -> str | None:
    """Return the library a frame comes from: pandas, polars, pyarrow or None."""
    module = type(data).__module__.partition(".")[0]
    return module if module in ("pandas", "polars", "pyarrow") else None


def ledger_frame(rows: list[dict[str, Any]], library: str | None) -> Any:
    """Return the ledger as a frame of a library, or of the first that is installed."""
    if library is None:
        installed = (
            name for name in ("pandas", "polars") if importlib.util.find_spec(name)
        )
        library = next(installed, "pyarrow")
    columns = {name: [row[name] for row in rows] for name in COLUMNS}
    if library == "pandas":
        import pandas as pd  # noqa: PLC0415  (optional)

        frame = pd.DataFrame(columns)
        for name in NUMBERS:
            frame[name] = frame[name].astype("float64")
        return frame.astype({"n_levels": "Int64"})
    import pyarrow as pa  # noqa: PLC0415  (keeps this beside the others)

    kinds = {
        name: pa.string()
        if name in TEXTS
        else pa.list_(pa.string())
        if name in LISTS
        else pa.float64()
        if name in NUMBERS
        else pa.bool_()
        if name == "kept"
        else pa.int64()
        for name in COLUMNS
    }
    table = pa.table(
        [pa.array(columns[name], kinds[name]) for name in COLUMNS], list(COLUMNS)
    )
    if library == "polars":
        import polars as pl  # noqa: PLC0415  (optional)

        return pl.from_arrow(table)
    return table
