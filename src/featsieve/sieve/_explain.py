"""A verdict in plain words."""

from __future__ import annotations

from typing import Any

__all__ = ["explain_row", "listed", "verdict_words"]


def listed(names: list[str]) -> str:
    """Return names as people list them."""
    quoted = [repr(name) for name in names]
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
    if verdict == "unusable":
        return f"unusable ({row['note']})"
    return verdict


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
        parts.append(f"Its values are {row['note']}.")
    own = [note for note in summary["notes"] if note["feature"] == row["feature"]]
    told = any("values are missing" in note["text"] for note in own)
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
    if _as_a_group(row):
        told, _, _ = row["note"].partition("; ")
        sentences.append(f"It is kept as one of a group: {told}.")
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
    _, _, more = row["note"].partition("; ")
    if row["kept"] and more:
        sentences.append(f"{more[0].upper()}{more[1:]}.")
    if row["verdict"] == "redundant" and row["stage"] == "redundancy":
        told = row["note"]
        sentences.append(
            f"Once {listed(row['displaced_by'])} is known, it {told} {unit}."
            if told.startswith("adds")
            else f"It is {told} to {listed(row['displaced_by'])}."
        )
    if row["verdict"] == "over the limit":
        sentences.append(f"It is {row['note']}.")
    if row["p_value"] is not None and row["threshold"] is not None:
        relation = "at most" if row["p_value"] <= row["threshold"] else "above"
        sentences.append(
            f"Its p-value over all stages is {_p(row['p_value'])}, {relation} the "
            f"{row['threshold']:.2g} that the false discovery rate allows."
        )
    return sentences


def _as_a_group(row: dict[str, Any]) -> bool:
    """Whether a column is kept although its own p-value is too large."""
    known = row["p_value"] is not None and row["threshold"] is not None
    return bool(row["kept"] and known and row["p_value"] > row["threshold"])


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
