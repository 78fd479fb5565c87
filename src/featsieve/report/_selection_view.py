"""Turn a checked selection into what the templates show: words, numbers, places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from featsieve.report._selection_figures import (
    graph_for_page,
    heat_map,
    interaction_matrix,
    relevance_plot,
)
from featsieve.report._style import (
    KEPT_VERDICTS,
    STAGES,
    VERDICT_COLOURS,
    VERDICTS,
    count_of,
    format_number,
    format_p_value,
    format_seconds,
    format_share,
    listed,
    plain_value,
    shown_name,
    shown_text,
)

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
    "possible": "One of several of which some tell something; rows are too few to say "
    "which.",
    "filled in": "Not shown to matter: kept only to reach min_features.",
    "over the limit": "Relevant, but more features than were asked for come before it.",
    "not told apart": "Relevant, but these rows do not show whether it adds to what is "
    "kept.",
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
        "headline": headline(counts, len(features) - counts.get("filled in", 0)),
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


#: Rows that stand in the page itself; the script builds all others when scrolled to.
ROWS_IN_PAGE = 100
KINDS = ("numeric", "nominal")
#: Other features that a reason names; the rest are told when the feature is opened.
MOST_NAMED = 3
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Axis:
    """Where a score stands between the least and the greatest, in per cent."""

    low: float
    high: float

    @classmethod
    def of(cls, summary: dict[str, Any]) -> Axis:
        """Return the axis that every score, interval and the probe line fits on."""
        scores = [
            summary["probe_line"],
            *(probe["score"] for probe in summary["probes"]),
        ]
        for row in summary["ledger"]:
            scores += [row["score"], row["low"], row["high"], row["probe"]]
        known = [score for score in scores if score is not None]
        low, high = min([0.0, *known]), max([0.0, *known])
        room = 0.02 * (high - low) or 1.0
        return cls(low if low == 0 else low - room, high + room)

    def place(self, score: float) -> float:
        """Return the place of a score in per cent from the left."""
        share = (score - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def bar(self, row: Row) -> dict[str, float]:
        """Return the places of a score, its interval and its probe, where known."""
        known = ("score", "low", "high", "probe")
        places = {key: self.place(row[key]) for key in known if row[key] is not None}
        return places | {"zero": self.place(0.0)}


class Ledger:
    """Rows in order of strength: what is kept first, then by score."""

    def __init__(self, summary: dict[str, Any]) -> None:
        self.axis = Axis.of(summary)
        self.unit = shown_name(summary["measure"]["unit"])
        place = {name: k for k, name in enumerate(summary["features"])}
        self.rows: list[Row] = sorted(
            (_with_probe(row, summary["probe_line"]) for row in summary["ledger"]),
            key=lambda row: _strength(row, place),
        )
        self._number: dict[str, int] = {}
        for k, row in enumerate(self.rows):
            self._number.setdefault(row["feature"], k)

    def row(self, name: str) -> Row | None:
        """Return the row of a feature, or None for a name that is not in the table."""
        number = self._number.get(name)
        return None if number is None else self.rows[number]

    def link(self, name: str) -> dict[str, Any]:
        """Return a feature's name to show, and its number if it can be opened."""
        row = self.row(name)
        colour = None if row is None else VERDICT_COLOURS[row["verdict"]]
        return {
            "name": shown_name(name),
            "number": self._number.get(name),
            "colour": colour,
        }

    def counts(self) -> dict[str, int]:
        """Return how many features have each verdict, in the order of telling."""
        counts = dict.fromkeys(VERDICTS, 0)
        for row in self.rows:
            counts[row["verdict"]] += 1
        return counts

    def page_rows(self) -> list[dict[str, Any]]:
        """Return the first rows as the template shows them."""
        return [
            {
                "rank": k + 1,
                "feature": {
                    "name": shown_name(row["feature"]),
                    "number": k,
                },
                "detail": _detail(row),
                "kept": row["kept"],
                "verdict": row["verdict"],
                "colour": VERDICT_COLOURS[row["verdict"]],
                "score": format_number(row["score"]),
                "bar": self.axis.bar(row),
                "p_value": format_p_value(row["p_value"]),
                "missing": format_share(row["missing_share"]),
                "why": self._why(row),
            }
            for k, row in enumerate(self.rows[:ROWS_IN_PAGE])
        ]

    def data(self) -> dict[str, Any]:
        """Return all rows as lists of numbers; what repeats is told once."""
        texts: dict[str, int] = {}

        def text(words: str | None) -> int | None:
            return texts.setdefault(words, len(texts)) if words else None

        names = [shown_name(row["feature"]) for row in self.rows]
        rows = [
            _without_tail(
                [
                    VERDICTS.index(row["verdict"]),
                    int(row["kept"]),
                    _index(KINDS, row["kind"]),
                    _index(STAGES, row["stage"]),
                    *_short(row, "score", "low", "high", "p_value", "probe"),
                    *_short(row, "missing_share", "n_levels"),
                    text(row["note"]),
                    text(row["where"]),
                    *_short(row["alone"], "score", "p_value"),
                    *_short(row["alone"], "rank_association", "rank_p_value"),
                    *_short(row["context"], "score", "p_value"),
                    self._references(row["partners"]),
                    self._references(row["displaced_by"]),
                    self._references(row["interchangeable_with"]),
                ]
            )
            for row in self.rows
        ]
        return {
            "unit": self.unit,
            "low": self.axis.low,
            "high": self.axis.high,
            "verdicts": list(VERDICTS),
            "colours": [VERDICT_COLOURS[verdict] for verdict in VERDICTS],
            "kinds": list(KINDS),
            "stages": list(STAGES),
            "names": names,
            "texts": [shown_text(words) for words in texts],
            "rows": rows,
        }

    def _why(self, row: Row) -> str:
        """Return the reason, after the names of the features that it is about."""
        others = row["displaced_by"] or row["partners"]
        words = "beside" if row["displaced_by"] else "with"
        names = ", ".join(shown_name(name) for name in others[:MOST_NAMED])
        if len(others) > MOST_NAMED:
            names += ", …"
        note = shown_text(row["note"])
        named = not others or shown_name(others[0]) in note
        return note if named else f"{words} {names}: {note}"

    def _references(self, names: list[str]) -> list[int | str] | None:
        return [self._number.get(name, shown_name(name)) for name in names] or None


def _with_probe(row: Row, line: float | None) -> Row:
    """Return a row with a probe: older files know the best of all probes only."""
    if row["probe"] is not None or row["score"] is None:
        return row
    return {**row, "probe": line}


def _strength(row: Row, place: dict[str, int]) -> tuple[bool, float, float]:
    score = row["score"]
    rank = place.get(row["feature"], len(place)) if row["kept"] else 0
    return not row["kept"], rank, float("inf") if score is None else -score


def _detail(row: Row) -> str:
    """Return the kind of a column in a word or two."""
    levels = "" if row["n_levels"] is None else f", {row['n_levels']:,} levels"
    return f"{row['kind']}{levels}" if row["kind"] else ""


def _index(choices: tuple[str, ...], value: str | None) -> int | None:
    return None if value is None else choices.index(value)


def _short(values: Row, *keys: str) -> list[float | None]:
    """Return numbers with six significant digits, whole ones without a point."""
    numbers = []
    for key in keys:
        value = values[key]
        short = None if value is None else float(f"{value:.6g}")
        whole = short is not None and short.is_integer()
        numbers.append(int(short) if whole and short is not None else short)
    return numbers


def _without_tail(values: list[Any]) -> list[Any]:
    """Return the list without the None at its end."""
    end = len(values)
    while end and values[end - 1] is None:
        end -= 1
    return values[:end]
