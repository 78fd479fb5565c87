"""What a comparison found: tables, tests, ranks, a page."""

from __future__ import annotations

import html
import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

from featsieve._text import visible, write_whole
from featsieve._types import Floats, Mask
from featsieve.data.api import make_frame
from featsieve.evaluation import (
    corrected_resampled_t_test,
    critical_difference,
    friedman_test,
    holm_adjusted,
    not_different_groups,
    selection_stability,
)
from featsieve.report import critical_difference_svg
from featsieve.report.api import comparison_page

Row = dict[str, Any]


def standings(setup: Row, records: Sequence[Row]) -> Row:
    """Return the setup with the table, the tests, the ranks and all failures."""
    by_place = {(each["split"], each["selector"]): each for each in records}
    rounds = {
        name: [by_place[split, name] for split in range(setup["n_splits"])]
        for name in setup["selectors"]
    }
    scores = {
        (name, estimator): _scores(played, estimator)
        for name, played in rounds.items()
        for estimator in setup["estimators"]
    }
    table = _table(setup, rounds, scores)
    tests = _tests(setup, scores)
    return setup | {
        "table": table,
        "tests": tests,
        "ranks": _ranks(setup, scores),
        "summary": _summary(setup, table, tests),
        "selected": {name: _shares(setup, played) for name, played in rounds.items()},
        "failures": _failures(rounds),
        "folds": _folds(rounds),
    }


def _scores(played: Sequence[Row], estimator: str) -> Floats:
    """Return the score on each split, NaN where there is none."""
    found = [each["scores"].get(estimator, {}).get("score") for each in played]
    return np.array([math.nan if score is None else score for score in found])


def _table(
    setup: Row, rounds: dict[str, list[Row]], scores: dict[tuple[str, str], Floats]
) -> list[Row]:
    about = {name: _selection_numbers(setup, played) for name, played in rounds.items()}
    rows = []
    for estimator in setup["estimators"]:
        for name, played in rounds.items():
            values = scores[name, estimator]
            took = [each["scores"][estimator] for each in played if each["scores"]]
            rows.append(
                {"selector": name, "estimator": estimator}
                | _score_numbers(values[~np.isnan(values)], setup)
                | about[name]
                | {
                    "fit_seconds": _mean([each["seconds"] for each in took]),
                    "n_splits": len(values),
                    "n_failed": int(np.isnan(values).sum()),
                }
            )
    return rows


def _score_numbers(values: Floats, setup: Row) -> Row:
    """Return mean, spread, and an interval that knows of overlapping training rows."""
    n = len(values)
    if not n:
        return dict.fromkeys(("score", "score_std", "score_low", "score_high"))
    mean = float(values.mean())
    if n == 1:
        return {"score": mean} | dict.fromkeys(("score_std", "score_low", "score_high"))
    spread = float(values.std(ddof=1))
    error = spread * math.sqrt(1 / n + setup["test_ratio"])
    half = float(stats.t.ppf(1 - setup["alpha"] / 2, n - 1)) * error
    return {
        "score": mean,
        "score_std": spread,
        "score_low": mean - half,
        "score_high": mean + half,
    }


def _selection_numbers(setup: Row, played: Sequence[Row]) -> Row:
    counts = [each["n_features"] for each in played if each["n_features"] is not None]
    masks = _masks(setup, played)
    row: Row = {
        "n_features": _mean(counts),
        "n_features_std": float(np.std(counts, ddof=1)) if len(counts) > 1 else None,
        "stability": None,
        "stability_low": None,
        "stability_high": None,
        "select_seconds": _mean([each["select_seconds"] for each in played]),
    }
    if len(masks) > 1:
        stability = selection_stability(masks, confidence=1 - setup["alpha"])
        if not math.isnan(stability.value):
            row["stability"] = stability.value
            row["stability_low"] = stability.low
            row["stability_high"] = stability.high
    return row


def _masks(setup: Row, played: Sequence[Row]) -> Mask:
    chosen = [each["features"] for each in played if each["features"] is not None]
    masks = np.zeros((len(chosen), setup["n_features"]), dtype=bool)
    for mask, features in zip(masks, chosen, strict=True):
        mask[features] = True
    return masks


def _shares(setup: Row, played: Sequence[Row]) -> list[float] | None:
    """Return the share of splits in which each feature was selected."""
    masks = _masks(setup, played)
    return masks.mean(axis=0).tolist() if len(masks) else None


def _tests(setup: Row, scores: dict[tuple[str, str], Floats]) -> list[Row]:
    """Return all pairs of selectors with each learner; Holm within each learner."""
    rows: list[Row] = []
    for estimator in setup["estimators"]:
        family: list[Row] = []
        for first, second in itertools.combinations(setup["selectors"], 2):
            a, b = scores[first, estimator], scores[second, estimator]
            both = ~np.isnan(a) & ~np.isnan(b)
            if np.count_nonzero(both) < 2:
                continue
            verdict = corrected_resampled_t_test(
                a[both], b[both], setup["test_ratio"], confidence=1 - setup["alpha"]
            )
            family.append(
                {
                    "estimator": estimator,
                    "first": first,
                    "second": second,
                    "difference": verdict.estimate,
                    "low": verdict.low,
                    "high": verdict.high,
                    "p_value": verdict.p_value,
                    "n_splits": int(np.count_nonzero(both)),
                }
            )
        adjusted = holm_adjusted([row["p_value"] for row in family])
        for row, p in zip(family, adjusted.tolist(), strict=True):
            row["adjusted_p_value"] = p
            row["different"] = p < setup["alpha"]
        rows += family
    return rows


def _ranks(setup: Row, scores: dict[tuple[str, str], Floats]) -> Row | None:
    """Return mean ranks over splits and learners with a critical difference.

    Folds of one table overlap, so they count for less than as many data sets would:
    the number of blocks is 1 / (1 / J + n_test / n_train), by the correction of Nadeau
    and Bengio. Learners on the same fold are not counted as further blocks.
    """
    names = setup["selectors"]
    n_splits = setup["n_splits"]
    if len(names) < 2 or n_splits < 2:
        return None
    blocks = np.stack(
        [
            [scores[name, estimator] for name in names]
            for estimator in setup["estimators"]
        ]
    )
    # A failure is worse than any score.
    blocks = np.where(np.isnan(blocks), -np.inf, blocks)
    ranks = friedman_test(blocks.transpose(0, 2, 1).reshape(-1, len(names))).mean_ranks
    effective = 1 / (1 / n_splits + setup["test_ratio"])
    difference = critical_difference(len(names), effective, alpha=setup["alpha"])
    k = len(names)
    statistic = (
        12 * effective / (k * (k + 1)) * float(((ranks - (k + 1) / 2) ** 2).sum())
    )
    return {
        "selectors": list(names),
        "mean_ranks": ranks.tolist(),
        "effective_blocks": effective,
        "critical_difference": difference,
        "groups": not_different_groups(ranks, difference),
        "statistic": statistic,
        "p_value": float(stats.chi2.sf(statistic, k - 1)),
    }


def _summary(setup: Row, table: Sequence[Row], tests: Sequence[Row]) -> list[str]:
    """Say for each learner who is best, and who cannot be told from it."""
    sentences = []
    for estimator in setup["estimators"]:
        rows = [
            row
            for row in table
            if row["estimator"] == estimator and row["score"] is not None
        ]
        if not rows:
            sentences.append(f"With {estimator} nothing could be scored.")
            continue
        best = max(rows, key=lambda row: (row["score"], -row["n_features"]))
        name = best["selector"]
        worse = {
            test["second"] if test["first"] == name else test["first"]
            for test in tests
            if test["estimator"] == estimator
            and name in (test["first"], test["second"])
            and test["different"]
        }
        near = [
            row["selector"] for row in rows if row["selector"] not in worse | {name}
        ]
        text = (
            f"With {estimator}, {name} scores best: {best['score']:.3f} with "
            f"{best['n_features']:.1f} of {setup['n_features']} features"
        )
        if len(rows) > 1:
            text += (
                f"; not told apart from it: {', '.join(near)}."
                if near
                else "; all others are worse."
            )
        else:
            text += "."
        sentences.append(text)
    return sentences


def _failures(rounds: dict[str, list[Row]]) -> list[Row]:
    rows = []
    for name, played in rounds.items():
        for each in played:
            place = {"selector": name, "split": each["split"]}
            if each["error"] is not None:
                rows.append(place | {"estimator": None, "error": each["error"]})
            rows += [
                place | {"estimator": estimator, "error": score["error"]}
                for estimator, score in each["scores"].items()
                if score["error"] is not None
            ]
    return rows


def _folds(rounds: dict[str, list[Row]]) -> list[Row]:
    return [
        {
            "split": each["split"],
            "selector": name,
            "estimator": estimator,
            "score": score["score"],
            "n_features": each["n_features"],
            "select_seconds": each["select_seconds"],
            "fit_seconds": score["seconds"],
        }
        for name, played in rounds.items()
        for each in played
        for estimator, score in each["scores"].items()
    ]


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None


#: What is shown of the table where room is short, and how.
SHOWN = {
    "estimator": "{}",
    "selector": "{}",
    "score": "{:.4f}",
    "score_low": "{:.4f}",
    "score_high": "{:.4f}",
    "n_features": "{:.1f}",
    "stability": "{:.2f}",
    "select_seconds": "{:.3f}",
    "fit_seconds": "{:.3f}",
    "n_failed": "{}",
}


class Comparison:
    """Selectors and learners compared on rows that neither had seen.

    `featsieve.compare` makes it.

    Parameters
    ----------
    document : dict
        Everything, as plain data; `to_json` writes it.
    library : {"pandas", "polars", "pyarrow"}
        Library of the frames that the attributes below are.

    Attributes
    ----------
    table : frame
        One row per learner and selector: mean score with its spread and corrected
        interval, number of features, stability with interval, seconds, failures.
    tests : frame
        One row per learner and pair of selectors: the corrected resampled t-test,
        with p-values by Holm for all pairs of the learner together.
    folds : frame
        One row per split, selector and learner, as scored.
    ranks : dict or None
        Mean ranks of the selectors and their critical difference.
    failures : list of dict
        Which contestant failed on which split, and what it said.
    summary : list of str
        For each learner in words: who is best, who cannot be told from it.
    notes : list of str
        How rows belong together, if that was found, and who does not heed it.

    See Also
    --------
    featsieve.compare : Do the comparison.

    Examples
    --------
    >>> import featsieve
    >>> from featsieve.datasets import make_corral
    >>> problem = make_corral(random_state=0)
    >>> comparison = featsieve.compare(
    ...     problem.table, selectors=["all", "cfs"], estimators=["c4.5"], cv="4x2"
    ... )
    >>> comparison.table["selector"].tolist(), comparison.tests["first"].tolist()
    (['all', 'cfs'], ['all'])
    """

    def __init__(self, document: dict[str, Any], library: str = "pandas") -> None:
        self._document = document
        self._library = library

    @property
    def table(self) -> Any:
        """One row per learner and selector."""
        return self._frame("table")

    @property
    def tests(self) -> Any:
        """One row per learner and pair of selectors."""
        return self._frame("tests")

    @property
    def folds(self) -> Any:
        """One row per split, selector and learner."""
        return self._frame("folds")

    @property
    def ranks(self) -> dict[str, Any] | None:
        """Mean ranks of the selectors, and their critical difference."""
        return self._document["ranks"]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Which contestant failed where, and what it said."""
        return self._document["failures"]

    @property
    def summary(self) -> list[str]:
        """For each learner in words: who is best, who cannot be told from it."""
        return self._document["summary"]

    @property
    def notes(self) -> list[str]:
        """How rows belong together, if that was found, and who does not heed it."""
        return self._document["notes"]

    def _frame(self, part: str) -> Any:
        rows: list[dict[str, Any]] = self._document[part]
        names = COLUMNS[part]
        columns = {name: [row[name] for row in rows] for name in names}
        return make_frame(
            columns, {name: KINDS.get(name, float) for name in names}, self._library
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as lists, dictionaries, texts and numbers, or None."""
        return self._document

    def to_json(self) -> str:
        """Return everything as JSON, which `from_json` reads."""
        return json.dumps(self._document, indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str, library: str = "pandas") -> Comparison:
        """Return the comparison that `to_json` wrote, with frames of a library."""
        return cls(json.loads(text), library)

    def critical_difference_svg(self) -> str:
        """Return the critical-difference picture of the selectors as SVG.

        It is empty if there are fewer than two selectors or splits.
        """
        ranks = self.ranks
        if ranks is None:
            return ""
        return critical_difference_svg(
            ranks["selectors"],
            ranks["mean_ranks"],
            ranks["critical_difference"],
            not_different=ranks["groups"],
        )

    def report(self, path: str | Path) -> Path:
        """Write an .html page that needs no network and no other files."""
        path = Path(path)
        write_whole(path, comparison_page(self._document))
        return path

    def __repr__(self) -> str:
        rows = [list(SHOWN), *self._shown()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if number < 2 else cell.rjust(width)
                for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        said = map(visible, (*self.summary, *self.notes))
        return "\n".join([self._heading(), *lines, *said])

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            inner = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
            return f"<tr>{inner}</tr>"

        body = "".join(line(row, "td") for row in self._shown())
        said = "".join(
            f"<li>{html.escape(visible(text))}</li>"
            for text in (*self.summary, *self.notes)
        )
        return (
            f"<p>{html.escape(self._heading())}</p><table><thead>"
            f"{line(list(SHOWN), 'th')}</thead><tbody>{body}</tbody></table><ul>{said}"
            "</ul>"
        )

    def _heading(self) -> str:
        known = self._document
        return visible(
            f"Comparison on {known['n_rows']} rows, {known['n_features']} features, "
            f"target {known['target']!r}: {known['scoring']}, {known['cv']}"
        )

    def _shown(self) -> list[list[str]]:
        return [
            [
                "-" if row[name] is None else visible(form.format(row[name]))
                for name, form in SHOWN.items()
            ]
            for row in self._document["table"]
        ]


#: Kinds of the columns that are not numbers with decimals.
KINDS: dict[str, type] = {
    **dict.fromkeys(("selector", "estimator", "first", "second"), str),
    **dict.fromkeys(("split", "n_splits", "n_failed"), int),
    "different": bool,
}
#: Columns of the frames, also where they have no rows.
COLUMNS = {
    "table": (
        *("selector", "estimator", "score", "score_std", "score_low", "score_high"),
        *("n_features", "n_features_std", "stability", "stability_low"),
        *("stability_high", "select_seconds", "fit_seconds", "n_splits", "n_failed"),
    ),
    "tests": (
        *("estimator", "first", "second", "difference", "low", "high", "p_value"),
        *("adjusted_p_value", "different", "n_splits"),
    ),
    "folds": (
        *("split", "selector", "estimator", "score", "n_features", "select_seconds"),
        "fit_seconds",
    ),
}
