"""The ledger as a page needs it: in order of strength, and small as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from featsieve.report._page_text import (
    format_number,
    format_p_value,
    format_share,
    shown_name,
    shown_text,
)
from featsieve.report._palette import VERDICT_COLOURS
from featsieve.report._selection_summary import STAGES, VERDICTS

__all__ = ["Axis", "Ledger"]

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
                    [self._reference(name) for name in row["partners"]] or None,
                    [self._reference(name) for name in row["displaced_by"]] or None,
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

    def _reference(self, name: str) -> int | str:
        number = self._number.get(name)
        return shown_name(name) if number is None else number


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
