"""The ledger: one row per column, with what decided about it, and in plain words."""

from __future__ import annotations

import importlib.util
import math
from typing import Any

from featsieve.data import Column
from featsieve.selection._verdicts import Findings

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
    "interchangeable_with",
    "partners",
    "where",
    "note",
    "missing_share",
    "n_levels",
)
TEXTS = {"feature", "kind", "verdict", "stage", "where", "note"}
LISTS = {"displaced_by", "interchangeable_with", "partners"}
NUMBERS = {"score", "low", "high", "p_value", "threshold", "missing_share"}

#: Interchangeable columns that a sentence names.
MOST_NAMED = 6

VERDICTS = {
    "alone": "strongly relevant",
    "together": "relevant together",
    "context": "relevant locally",
    "beside": "relevant together",
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
        "interchangeable_with": [],
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
        else:
            row["verdict"], row["stage"] = "unusable", "screen"
            row["note"] = findings.screening.dropped[name].reason
        rows[name] = row
    for j, others in findings.interchangeable.items():
        name = findings.names[j]
        for other in findings.as_in_table(others):
            _tell_interchangeable(rows[name], rows[findings.names[other]])
    for name, twin in findings.screening.copies.items():
        _tell_copy(rows[name], rows[twin])
        stay = [twin, *rows[twin]["interchangeable_with"]]
        for kept in (other for other in stay if rows[other]["kept"]):
            _tell_interchangeable(rows[kept], rows[name])
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
    _tell_own_verdict(findings, j, row)
    if j in findings.filled:
        row["kept"] = True
        row["note"] = f"by itself it would be {row['verdict']}: {row['note']}"
        row["verdict"], row["stage"] = "filled in", "limit"


def _tell_own_verdict(findings: Findings, j: int, row: dict[str, Any]) -> None:
    stage = findings.judgement.stages[j]
    if j in findings.possible:
        _tell_possible(findings, j, row)
        return
    if stage is None:
        row["note"] = "no more than chance gives, alone, together or in a forest"
        return
    displaced = findings.redundancy.displaced.get(j)
    if displaced is not None:
        row["verdict"] = "redundant" if displaced.is_shown else "not told apart"
        row["stage"] = "redundancy"
        row["displaced_by"] = [findings.names[d] for d in displaced.by]
        row["note"] = displaced.reason
        return
    refuted = findings.redundancy.refuted.get(j)
    if refuted is not None:
        row["stage"] = "beside"
        row["note"] = f"not significant beside what is kept (p = {refuted:.2g})"
        return
    row["verdict"], row["stage"] = VERDICTS[stage], stage
    if stage == "beside":
        row["note"] = "adds more to what is kept than chance gives"
    elif stage == "together":
        row["note"] = "tells more beside its partners than chance gives"
    elif stage == "alone":
        row["note"] = "tells more by itself than chance gives"
    else:
        found = findings.places.get(j)
        row["where"] = "behind other features in a forest"
        if found is not None:
            row["where"] = found.words
        row["note"] = "gains more in a forest than its shadows do"
    if j in findings.returned.members:
        row["stage"] = "returned"
        row["note"] = (
            "not shown to add anything by itself, but with others that were set aside "
            f"it adds to what is kept (p = {findings.returned.p_value:.2g})"
        )
    _hold_to_limit(findings, j, row)


def _tell_possible(findings: Findings, j: int, row: dict[str, Any]) -> None:
    """Say that a column is one of several, and how certain it is that one matters."""
    assert findings.group is not None  # or none would be possible
    row["verdict"], row["stage"] = "possible", "together"
    row["note"] = (
        "all columns that were undecided tell more than chance gives "
        f"(p = {findings.group.p_value:.2g}); rows are too few to say which of them do"
    )
    if findings.settings.include_possible:
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
    row["verdict"] = "irrelevant"
    if twin["verdict"] != "irrelevant":
        row["verdict"], row["displaced_by"] = "redundant", [twin["feature"]]


def _tell_interchangeable(kept: dict[str, Any], other: dict[str, Any]) -> None:
    """Say of both that either could be kept, unless none is, for lack of room."""
    if kept["kept"]:
        kept["interchangeable_with"].append(other["feature"])
        other["interchangeable_with"].append(kept["feature"])


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


def listed(names: list[str], most: int | None = None) -> str:
    """Return names as people list them; at most so many and the number of the rest."""
    quoted = [repr(name) for name in names[:most]]
    if len(quoted) < len(names):
        quoted.append(f"{len(names) - len(quoted):,} more")
    if len(quoted) < 2:
        return "".join(quoted)
    return f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def verdict_words(row: dict[str, Any]) -> str:
    """Return the verdict with whom, where or why."""
    verdict = str(row["verdict"])
    if verdict == "relevant together" and row["partners"]:
        return f"relevant together with {listed(row['partners'])}"
    if verdict == "relevant locally" and row["where"]:
        return f"relevant locally ({row['where']})"
    if verdict == "redundant" and row["displaced_by"]:
        return f"redundant with {listed(row['displaced_by'])}"
    if verdict == "not told apart":
        return f"not told apart from {listed(row['displaced_by'])}"
    why = {"unusable": row["note"], "filled in": "kept to reach min_features"}
    return f"{verdict} ({why[verdict]})" if verdict in why else verdict


def explain_row(row: dict[str, Any], summary: dict[str, Any]) -> str:
    """Return one paragraph on one column."""
    fate = "is kept" if row["kept"] else "is not kept"
    parts = [f"{row['feature']!r} {fate}: {verdict_words(row)}."]
    target = repr(summary["target"]["name"])
    unit = summary["measure"]["unit"]
    verdict = row["verdict"]
    if summary["computation"]["method"] != "auto":
        parts.append(f"It was {row['note']}.")
    elif verdict != "unusable" and row["alone"]["score"] is not None:
        parts += _evidence(row, target, unit)
    if row["stage"] == "screen" and verdict != "unusable":
        parts.append(f"It {row['note']}.")
    own = [note for note in summary["notes"] if note["feature"] == row["feature"]]
    told = any(note.get("code") == "mostly_missing" for note in own)
    if row["missing_share"] > 0 and verdict != "unusable" and not told:
        parts.append(f"{100 * row['missing_share']:.1f} % of its values are missing.")
    for note in own:
        text = note["text"]
        parts.append(text if text.endswith((".", "?", "!")) else f"{text}.")
    return " ".join(parts)


def _evidence(row: dict[str, Any], target: str, unit: str) -> list[str]:
    alone = row["alone"]
    tells = _tells(alone["score"], unit, target)
    sentences = [f"By itself it {tells} (p {_p_is(alone['p_value'])})."]
    if row["verdict"] == "possible":
        sentences.append(f"It is one of those that may matter: {row['note']}.")
    elif row["verdict"] == "filled in":
        sentences.append(
            "It is kept to reach min_features, and the error rate does not hold for it;"
            f" {row['note']}."
        )
    elif row["verdict"] == "relevant together":
        sentences.append(
            f"Beside {listed(row['partners'])} it "
            f"{_tells(row['score'], unit)}, far more than chance gives."
        )
    elif row["partners"] and row["kept"]:
        sentences.append(
            f"It tells more beside {listed(row['partners'])} than by itself."
        )
    if row["verdict"] == "relevant locally":
        sentences.append(
            "In a forest it gains more than shuffled copies of itself do "
            f"(p {_p_is(row['context']['p_value'])}), most of all for rows with "
            f"{row['where']}."
        )
    if row["stage"] == "redundancy":
        told, others = row["note"], listed(row["displaced_by"])
        known = "are known" if len(row["displaced_by"]) > 1 else "is known"
        sentences.append(
            f"It is {told} to {others}."
            if told.startswith("all but")
            else f"Once {others} {known}, it {told}."
        )
    if row["stage"] == "returned":
        sentences.append(f"It is {row['note']}.")
    if row["interchangeable_with"]:
        others = listed(row["interchangeable_with"], MOST_NAMED)
        sentences.append(
            f"{others} could be kept in its place: these rows show no difference."
            if row["kept"]
            else f"It could be kept in the place of {others}: these rows show no "
            "difference."
        )
    if row["verdict"] == "over the limit":
        sentences.append(f"It is {row['note']}.")
    if row["p_value"] is not None and row["threshold"] is not None:
        relation = "at most" if row["p_value"] <= row["threshold"] else "above"
        sentences.append(
            f"Its p-value over all stages is {_p(row['p_value'])}, {relation} the "
            f"{row['threshold']:.2g} that the false discovery rate allows."
        )
    if row["verdict"] == "irrelevant" and row["stage"] == "beside":
        sentences.append(f"But it is {row['note']}, so this is put down to chance.")
    return sentences


def _tells(score: float | None, unit: str, target: str | None = None) -> str:
    """Return how much a column tells, and about what if that is given."""
    if score is not None and unit == "share":
        of_target = "" if target is None else f" of {target}"
        return f"explains {score:.1%} of the variance{of_target}"
    amount = "an unknown amount" if score is None else f"{score:.3f} {unit}"
    return f"tells {amount}" + ("" if target is None else f" about {target}")


def _p(value: float | None) -> str:
    if value is None:
        return "unknown"
    return "below 0.0001" if value < 0.0001 else f"{value:.2g}"


def _p_is(value: float | None) -> str:
    told = _p(value)
    return f"= {told}" if told[0].isdigit() else told
