"""Turn a checked selection into what the templates show: words, numbers, places."""

from __future__ import annotations

from typing import Any

from featsieve.report._page_text import (
    count_of,
    format_number,
    format_p_value,
    format_seconds,
    listed,
    plain_value,
    shown_name,
    shown_text,
)
from featsieve.report._palette import VERDICT_COLOURS
from featsieve.report._selection_figures import (
    heat_map,
    interaction_matrix,
    relevance_plot,
)
from featsieve.report._selection_graph import graph_for_page
from featsieve.report._selection_ledger import Ledger
from featsieve.report._selection_summary import KEPT_VERDICTS, VERDICTS

__all__ = ["card_view", "headline", "page_view"]

MOST_CLASSES = 12
MOST_INTERACTIONS = 100
MOST_GROUPS, MOST_SET_ASIDE = 60, 50
MOST_NOTES = 200
MOST_CHIPS = 60
MOST_ON_CARD = 12

MEANINGS = {
    "strongly relevant": "Tells something about the target by itself that no other "
    "kept feature tells.",
    "relevant together": "Tells little alone, but something with its partners.",
    "relevant locally": "Tells something in a part of the rows, or in the company of "
    "others.",
    "over the limit": "Relevant, but more features than were asked for come before it.",
    "redundant": "Relevant, but kept features tell the same.",
    "irrelevant": "Tells no more than chance would.",
    "unusable": "Cannot be judged: constant, empty, a copy or a row number.",
}


def page_view(summary: dict[str, Any]) -> dict[str, Any]:
    """Return everything that the page shows."""
    ledger = Ledger(summary)
    return {
        **_overview(summary, ledger),
        "ledger_rows": ledger.page_rows(),
        "ledger_data": ledger.data(),
        "n_features": len(ledger.rows),
        "relevance": relevance_plot(summary, ledger),
        "graph": graph_for_page(summary, ledger),
        "matrix": interaction_matrix(summary, ledger),
        "interactions": _interactions(summary, ledger),
        "redundancy": _redundancy(summary, ledger),
        "heat": heat_map(summary, ledger),
        "notes": _notes(summary, ledger),
        "computation": _computation(summary),
    }


def card_view(summary: dict[str, Any]) -> dict[str, Any]:
    """Return what the small card of a notebook shows."""
    ledger = Ledger(summary)
    view = _overview(summary, ledger)
    kept = [row for row in ledger.page_rows() if row["kept"]]
    n_kept = len(summary["features"])
    return view | {
        "rows": kept[:MOST_ON_CARD],
        "n_more": n_kept - min(len(kept), MOST_ON_CARD),
    }


def headline(counts: dict[str, int], n_kept: int) -> str:
    """Return the outcome in a sentence or two.

    Examples
    --------
    >>> headline({"strongly relevant": 2, "relevant together": 2, "irrelevant": 9}, 4)
    '4 of 13 features are worth keeping: 2 strongly relevant and 2 relevant together.
    9 are irrelevant.'
    """
    total = sum(counts.values())
    kept = [verdict for verdict in KEPT_VERDICTS if counts.get(verdict)]
    rest = [v for v in VERDICTS if v not in KEPT_VERDICTS and counts.get(v)]
    if n_kept:
        verb = "is" if n_kept == 1 else "are"
        first = f"{n_kept:,} of {count_of(total, 'feature')} {verb} worth keeping"
        first += f": {listed([f'{counts[v]:,} {v}' for v in kept])}." if kept else "."
    elif total and len(rest) == 1:
        only = f"None of the {count_of(total, 'feature')} is worth keeping"
        return f"{only}: all are {rest[0]}."
    elif total:
        first = f"None of the {count_of(total, 'feature')} is worth keeping."
    else:
        first = "There was no feature to judge."
    if not rest:
        return first
    parts = [f"{counts[verdict]:,} {verdict}" for verdict in rest]
    verb = "is" if counts[rest[0]] == 1 else "are"
    number, _, word = parts[0].partition(" ")
    return f"{first} {listed([f'{number} {verb} {word}', *parts[1:]])}."


def _overview(summary: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    counts = ledger.counts()
    total = max(sum(counts.values()), 1)
    features = summary["features"]
    return {
        "title": shown_name(summary["title"]),
        "headline": headline(counts, len(features)),
        "verdicts": [
            {
                "verdict": verdict,
                "colour": VERDICT_COLOURS[verdict],
                "count": count,
                "share": round(100 * count / total, 3),
                "meaning": MEANINGS[verdict],
            }
            for verdict, count in counts.items()
        ],
        "n_kept": len(features),
        "kept": [_chip(name, ledger) for name in features[:MOST_CHIPS]],
        "n_kept_left_out": max(len(features) - MOST_CHIPS, 0),
        "kept_code": repr(features),
        "target": _target(summary["target"]),
        "table": summary["table"]
        | {
            "source": summary["table"]["source"]
            and shown_name(summary["table"]["source"])
        },
        "measure": {key: shown_name(text) for key, text in summary["measure"].items()},
        "counts": counts,
        "n_warnings": sum(n["severity"] == "warning" for n in summary["notes"]),
    }


def _chip(name: str, ledger: Ledger) -> dict[str, Any]:
    row = ledger.row(name)
    return ledger.link(name) | {
        "verdict": "" if row is None else row["verdict"],
        "score": format_number(None if row is None else row["score"]),
    }


def _target(target: dict[str, Any]) -> dict[str, Any]:
    classes = target["classes"]
    total = max(sum(each["count"] for each in classes), 1)
    return {
        "name": shown_name(target["name"]),
        "kind": target["kind"],
        "n_missing": target["n_missing"],
        "n_classes": len(classes),
        "classes": [
            {
                "name": shown_name(each["name"]),
                "count": each["count"],
                "share": round(100 * each["count"] / total, 2),
            }
            for each in classes[:MOST_CLASSES]
        ],
        "n_left_out": max(len(classes) - MOST_CLASSES, 0),
    }


def _interactions(summary: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    found = sorted(summary["interactions"], key=lambda each: -abs(each["synergy"]))
    return {
        "total": len(found),
        "lead": _interactions_in_words(found),
        "rows": [
            {
                "members": [ledger.link(name) for name in each["members"]],
                "joint_gain": format_number(each["joint_gain"]),
                "synergy": format_number(each["synergy"]),
                "p_value": format_p_value(each["p_value"]),
                "kept": each["kept"],
                "kind": each["kind"],
            }
            for each in found[:MOST_INTERACTIONS]
        ],
    }


def _interactions_in_words(found: list[dict[str, Any]]) -> str:
    more = sum(each["kind"] == "synergy" for each in found)
    same = len(found) - more
    parts = [
        f"{count_of(n, 'group')} of features {'tells' if n == 1 else 'tell'} {how}"
        for n, how in ((more, "more together than apart"), (same, "the same"))
        if n
    ]
    return f"{listed(parts)}."


def _redundancy(summary: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    groups = [group for group in summary["redundancy"] if group["set_aside"]]
    groups.sort(key=lambda group: -len(group["set_aside"]))
    return {
        "total": len(groups),
        "n_set_aside": sum(len(group["set_aside"]) for group in groups),
        "groups": [
            {
                "kept": ledger.link(group["kept"]),
                "set_aside": [
                    {
                        "feature": ledger.link(each["feature"]),
                        "association": format_number(each["association"]),
                        "width": round(100 * min(abs(each["association"] or 0), 1), 1),
                        "p_value": format_p_value(each["p_value"]),
                        "reason": shown_text(each["reason"]),
                    }
                    for each in group["set_aside"][:MOST_SET_ASIDE]
                ],
                "n_left_out": max(len(group["set_aside"]) - MOST_SET_ASIDE, 0),
            }
            for group in groups[:MOST_GROUPS]
        ],
    }


def _notes(summary: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    notes = sorted(summary["notes"], key=lambda note: note["severity"] != "warning")
    return {
        "total": len(notes),
        "rows": [
            {
                "feature": note["feature"] is not None and ledger.link(note["feature"]),
                "text": shown_text(note["text"]),
                "severity": note["severity"],
            }
            for note in notes[:MOST_NOTES]
        ],
    }


def _computation(summary: dict[str, Any]) -> dict[str, Any]:
    computation = summary["computation"]
    seconds = computation["seconds"]
    longest = max(seconds.values(), default=0.0) or 1.0
    return {
        "method": shown_name(computation["method"]) if computation["method"] else None,
        "parameters": [
            (shown_name(key), plain_value(value))
            for key, value in computation["parameters"].items()
            if key not in ("method", "random_state")  # told above
        ],
        "random_state": computation["random_state"],
        "versions": [
            (shown_name(key), shown_name(version))
            for key, version in computation["versions"].items()
        ],
        "n_rows_used": computation["n_rows_used"],
        "sampling": computation["sampling"] and shown_text(computation["sampling"]),
        "seconds": [
            {
                "stage": shown_name(stage),
                "told": format_seconds(spent),
                "width": round(100 * max(spent, 0.0) / longest, 2),
            }
            for stage, spent in seconds.items()
        ],
        "total_seconds": format_seconds(sum(seconds.values())) if seconds else None,
        "code": shown_text(computation["code"]),
    }
