"""From the records of all rounds to a table, tests and ranks: plain dictionaries."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from featsieve._types import Floats, Mask
from featsieve.evaluation import (
    corrected_resampled_t_test,
    critical_difference,
    friedman_test,
    holm_adjusted,
    not_different_groups,
    selection_stability,
)

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
