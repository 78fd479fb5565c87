"""From findings to the plain dictionary that reports, files and people read."""

from __future__ import annotations

import importlib.metadata
import math
import platform
from typing import Any

import numpy as np

from featsieve.data import Column, Table
from featsieve.measures import joint_codes
from featsieve.selection._alone import Probed, gain_of
from featsieve.selection._ledger import ledger_rows, listed, plain
from featsieve.selection._material import shown_note
from featsieve.selection._settings import Question
from featsieve.selection._verdicts import Findings

FORMAT, VERSION = "featsieve-selection", 1

MOST_INTERACTIONS = 200
MOST_REDUNDANCIES = 50

#: Of the heat map: features and bins.
MOST_LOCAL = 12
LOCAL_BINS = 20

#: Columns that a note names.
MOST_NAMED = 12

#: With fewer rows nothing can be shown.
FEW_ROWS = 30


def summarise_findings(findings: Findings, question: Question) -> dict[str, Any]:
    """Return all that is known of a selection, in JSON's own types."""
    table, settings = findings.table, findings.settings
    assert table.target is not None  # the caller has checked
    ledger = ledger_rows(findings)
    numeric = findings.material.is_numeric_target
    name = table.target.name
    for row in ledger:
        row["probe"] = _best_probe(findings.probes, row)
    probes = [
        {"kind": probe.kind, "n_levels": probe.n_levels, "score": plain(probe.score)}
        for probe in findings.probes
    ]
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": f"{question.source or 'table'} → {name}",
        "target": describe_target(table),
        "table": {
            "n_rows": table.n_rows,
            "n_columns": table.n_columns,
            "source": question.source,
        },
        "features": [findings.names[j] for j in findings.kept],
        "ledger": ledger,
        "measure": (
            {"name": "share of variance (of ranks)", "unit": "share"}
            if numeric
            else {"name": "information gain", "unit": "bits"}
        ),
        "probes": probes,
        "probe_line": max((p.score for p in findings.probes), default=None),
        "interactions": _interactions(findings),
        "redundancy": _redundancy(findings, ledger),
        "local_relevance": _local_relevance(findings),
        "notes": _notes(findings),
        "computation": {
            "method": "auto",
            "parameters": question.parameters,
            "random_state": settings.seed,
            "versions": versions(),
            "n_rows_used": findings.material.n_rows,
            "sampling": _sampling(findings),
            "seconds": findings.seconds,
            "code": question.code,
        },
    }


def _best_probe(probes: list[Probed], row: dict[str, Any]) -> float | None:
    """Return what the best probe of a column's kind reached, if it was scored.

    Noise of many levels seems to tell much, so a column is held against probes of about
    as many levels.
    """
    levels = row["n_levels"]
    own = [probe for probe in probes if (probe.n_levels is None) == (levels is None)]
    if not own or row["score"] is None:
        return None
    if levels is not None:
        apart = [abs(math.log((p.n_levels or 1) / max(levels, 1))) for p in own]
        own = [p for p, d in zip(own, apart, strict=True) if d == min(apart)]
    return plain(max(probe.score for probe in own))


def versions() -> dict[str, str]:
    """Return the versions of what the answer depends on."""
    packages = ("featsieve", "numpy", "scipy", "scikit-learn")
    found = {name: importlib.metadata.version(name) for name in packages}
    return {**found, "python": platform.python_version()}


def describe_target(table: Table) -> dict[str, Any]:
    """Return name, kind and classes of the target."""
    target = table.target
    assert target is not None  # the caller has checked
    dropped = [note for note in table.source_notes if note.code == "missing_target"]
    n_missing = int(dropped[0].message.split()[0]) if dropped else 0
    classes = []
    if target.is_nominal:
        counts = np.bincount(target.values, minlength=target.n_levels)
        classes = [
            {"name": str(level), "count": int(count)}
            for level, count in zip(target.levels, counts, strict=True)
        ]
    return {
        "name": target.name,
        "kind": target.kind.value,
        "classes": classes,
        "n_missing": n_missing,
    }


def _interactions(findings: Findings) -> list[dict[str, Any]]:
    kept = set(findings.kept)
    rows = [
        {
            "members": [findings.names[j] for j in findings.as_in_table(found.members)],
            "joint_gain": plain(max(found.joint_gain, 0.0)),
            "synergy": plain(found.synergy),
            "p_value": plain(found.p_value),
            "kept": set(found.members) <= kept,
            "kind": "synergy",
        }
        for found in findings.interactions[:MOST_INTERACTIONS]
    ]
    for j, displaced in list(findings.redundancy.displaced.items())[:MOST_REDUNDANCIES]:
        members = (j, displaced.by[0])
        codes = findings.alone.codes[:, list(members)]
        joint = gain_of(findings.material, joint_codes(*codes.T)).gain
        alone = sum(max(0.0, findings.alone.scores[m].gain) for m in members)
        if joint < alone:
            rows.append(
                {
                    "members": [findings.names[m] for m in members],
                    "joint_gain": plain(max(joint, 0.0)),
                    "synergy": plain(joint - alone),
                    "p_value": None,
                    "kept": False,
                    "kind": "redundancy",
                }
            )
    return rows


def _redundancy(
    findings: Findings, ledger: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for j, displaced in findings.redundancy.displaced.items():
        groups.setdefault(findings.names[displaced.by[0]], []).append(
            {
                "feature": findings.names[j],
                "association": plain(displaced.association),
                "p_value": plain(displaced.p_value),
                "reason": displaced.reason,
            }
        )
    for row in ledger:
        if row["stage"] == "screen" and row["displaced_by"]:
            groups.setdefault(row["displaced_by"][0], []).append(
                {
                    "feature": row["feature"],
                    "association": 1.0,
                    "p_value": None,
                    "reason": "identical",
                }
            )
    return [{"kept": name, "set_aside": gone} for name, gone in groups.items()]


def _local_relevance(findings: Findings) -> dict[str, Any] | None:
    """Return what features tell among rows that are alike in the strongest of them."""
    material, alone = findings.material, findings.alone
    kept = findings.kept
    guide = next((j for j in kept if not material.table.columns[j].is_nominal), None)
    if guide is None:
        guide = next(iter(kept), None)
    others = [j for j in kept if j != guide][:MOST_LOCAL]
    if guide is None or not others or material.n_rows < 4 * FEW_ROWS:
        return None
    column = material.table.columns[guide]
    n_bins = int(np.clip(material.n_rows // (2 * FEW_ROWS), 2, LOCAL_BINS))
    parts = material.levels_of(guide, n_bins)
    positions: list[Any] = []
    rows_of = []
    for part in np.unique(parts).tolist():
        rows = np.flatnonzero(parts == part)
        if len(rows) < FEW_ROWS // 2:
            continue
        rows_of.append(rows)
        positions.append(_position(column, rows))
    values = [
        [
            round(max(0.0, gain_of_rows(findings, alone.codes[rows, j], rows)), 6)
            for rows in rows_of
        ]
        for j in others
    ]
    return {
        "features": [findings.names[j] for j in others],
        "ordered_by": column.name,
        "positions": positions,
        "values": values,
    }


def gain_of_rows(findings: Findings, x: Any, rows: Any) -> float:
    """Return what a code tells about the target among some rows."""
    material = findings.material
    part = type(material)(
        material.table,
        material.classes[rows],
        material.n_classes,
        None if material.quantity is None else material.quantity[rows],
        material.seed,
        material.n_jobs,
    )
    return gain_of(part, x).gain


def _position(column: Column, rows: Any) -> float | str:
    values = column.values[rows]
    if column.is_nominal:
        codes = np.bincount(values[values >= 0]) if (values >= 0).any() else None
        return "missing" if codes is None else str(column.levels[int(codes.argmax())])
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else "missing"


def _notes(findings: Findings) -> list[dict[str, Any]]:
    notes = [shown_note(note) for note in findings.screening.notes]
    told = list(findings.together.notes)
    if findings.possible:
        told.append(_tell_possible(findings))
    n_rows = findings.table.n_rows
    if n_rows < FEW_ROWS:
        rows = "1 row" if n_rows == 1 else f"{n_rows} rows"
        told.append(f"{rows} can show very little; take this as a first look.")
    if findings.plan.told:
        limit = findings.settings.time_budget
        told.append(
            f"To keep to {limit:g} seconds, {'; '.join(findings.plan.told)}. The error "
            "rate is the same; less may have been found."
        )
    found = [{"feature": None, "text": t, "severity": "note"} for t in told]
    if findings.filled:
        names = listed([findings.names[j] for j in findings.filled], MOST_NAMED)
        text = (
            f"Kept only to reach min_features={findings.settings.min_features}: "
            f"{names}. The error rate does not hold for them."
        )
        found.append({"feature": None, "text": text, "severity": "warning"})
    return notes + found


def _tell_possible(findings: Findings) -> str:
    """Say that something is there, that rows do not show where, and what to do."""
    assert findings.group is not None  # or none would be possible
    names = listed([findings.names[j] for j in findings.possible], MOST_NAMED)
    beside = " beside what is kept" if findings.redundancy.kept else ""
    fate = (
        "They are kept, as was asked, and the error rate does not hold for them."
        if findings.settings.include_possible
        else "They are not kept; include_possible=True keeps them."
    )
    return (
        f"Something matters{beside} (p = {findings.group.p_value:.2g}), but rows are "
        f"too few to say which columns; possible are {names}. {fate}"
    )


def _sampling(findings: Findings) -> str | None:
    used, n_rows = findings.material.n_rows, findings.table.n_rows
    drawn = findings.drawing
    parts = [] if drawn is None else [drawn.text.rstrip(".")]
    alone = findings.whole.n_rows
    if alone < n_rows:
        parts.append(f"tests on {alone:,} of {n_rows:,} rows")
    if used < alone:
        parts.append(f"sets of columns in a sample of {used:,} of {alone:,} rows")
    if findings.race is not None:
        parts.append(findings.race.told)
    elif findings.plan.forest_rows < used:
        parts.append(f"the forest on {findings.plan.forest_rows:,} of them")
    return "; ".join(parts) or None


def finite(value: Any) -> Any:
    """Return JSON-ready data with None for what is not a finite number."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    if isinstance(value, np.generic):
        return finite(value.item())
    if value is None or isinstance(value, (str, int, bool)):
        return value
    return str(value)
