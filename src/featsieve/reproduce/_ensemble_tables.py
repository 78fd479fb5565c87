"""Errors, base errors and Q of ensembles of MDL trees, of J. D. Rogers' thesis.

As there: 100 members, random splits of 90 and 10 %, a tied vote is half an error, Q is
the mean over pairs of members on the test rows. Trees try 20 thresholds per feature and
node and pay no log2 F for a new feature, which is what reproduces the printed sizes.
Friedman's table was one draw there. A run of ours is a draw with five splits, so that
the spread of our runs is that between draws.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from featsieve import ensembles
from featsieve._types import Array, Floats
from featsieve.data import read_table
from featsieve.datasets import make_friedman, make_simple
from featsieve.diversity.api import report_of
from featsieve.reproduce._data import DataFolder, class_codes, numbers
from featsieve.reproduce._tables import (
    Cell,
    Listed,
    PublishedTable,
    Trial,
    Values,
    mean_values,
    printed_rows,
    tables_of,
)
from featsieve.trees import MDLTreeClassifier

SOURCE = "J. D. Rogers, Ensemble Algorithms and Feature Selection, 2007"
FILES = {
    "wbc": "breast-cancer-wisconsin",
    "sonar": "sonar",
    "votes": "house-votes-84",
    "pima": "pima-diabetes",
    "ionosphere": "ionosphere",
}
GENERATED = {"friedman": make_friedman, "simple": make_simple}
SPLITS_PER_DRAW = 5
#: Words of relevant and of irrelevant titles in the printed set.
EYE_WORDS = (1594, 2150)
NOT_MEASURED = {"lineNo", "assgNo", "nWordsInTitle", "titleNo", "wordNo"}
Numbers = tuple[Floats, Array]

# Error, its variance, base error and Q of every method on wbc, sonar, votes, pima,
# ionosphere and friedman.
PRINTED_TEXT = """
Bagging: 0.0345 0.0005 0.0512 0.6858 0.1890 0.0072 0.2816 0.3904 0.0450 0.0009
    0.0543 0.7464 0.2586 0.0025 0.2817 0.7797 0.0606 0.0016 0.0981 0.6970 0.1885
    0.0068 0.2458 0.5276
AdaBoost: 0.0284 0.0003 0.1157 0.3977 0.1324 0.0045 0.3692 0.0723 0.0498 0.0010
    0.2337 0.1748 0.2570 0.0017 0.4047 0.0217 0.0686 0.0015 0.2532 0.1595 0.1485
    0.0059 0.3839 0.0460
DivBoost W1: 0.0319 0.0004 0.1775 0.3185 0.1295 0.0060 0.3514 0.0958 0.0416 0.0007
    0.2644 0.1365 0.2383 0.0023 0.4416 0.0269 0.0617 0.0016 0.2258 0.2288 0.1505
    0.0063 0.4079 0.0310
DivBoost W2: 0.0325 0.0005 0.1672 0.3381 0.1329 0.0056 0.3552 0.0939 0.0395 0.0007
    0.2618 0.1325 0.2458 0.0021 0.4336 0.0409 0.0614 0.0015 0.2165 0.2368 0.1445
    0.0057 0.4093 0.0228
Subspace: 0.0290 0.0003 0.0632 0.6339 0.2033 0.0082 0.2985 0.3323 0.0457 0.0009
    0.0920 0.4747 0.2683 0.0024 0.3099 0.6255 0.0633 0.0015 0.1216 0.6243 0.1895
    0.0066 0.3343 0.1586
Forest: 0.0293 0.0004 0.0645 0.6051 0.1671 0.0066 0.3518 0.1267 0.0586 0.0012 0.1226
    0.4728 0.2525 0.0022 0.3405 0.4466 0.0756 0.0016 0.1708 0.4326 0.1670 0.0070
    0.3646 0.1120
Rotation: 0.0278 0.0004 0.0420 0.6908 0.1705 0.0068 0.3094 0.2653 0.0486 0.0008
    0.0944 0.4993 0.2414 0.0020 0.2868 0.7471 0.0486 0.0011 0.1389 0.4110 0.1650
    0.0069 0.3082 0.2365
PCA rotation: 0.0278 0.0004 0.0421 0.6842 0.1876 0.0086 0.2910 0.3172 0.0418 0.0007
    0.0585 0.5875 0.2458 0.0030 0.2744 0.7726 0.0561 0.0013 0.1247 0.4801 0.1905
    0.0092 0.3081 0.2643
"""
# Table 9.1. What it calls Divboost does not say which; it is shown beside both.
PRINTED_EYES = {
    "Forest": (0.3853, 0.0006, 0.4369, 0.4174),
    "Local forest": (0.3650, 0.0005, 0.4424, 0.2302),
    "AdaBoost": (0.3896, 0.0006, 0.4712, -0.0493),
    "DivBoost W1": (0.3671, 0.0005, 0.4743, 0.0332),
    "DivBoost W2": (0.3671, 0.0005, 0.4743, 0.0332),
    "Bagging": (0.3860, 0.0005, 0.3947, 0.9439),
    "Rotation": (0.4088, 0.0006, 0.4161, 0.8925),
    "PCA rotation": (0.3823, 0.0006, 0.3933, 0.9259),
}


def _by_set(numbers: list[float]) -> dict[str, list[float]]:
    """Return four numbers for each of the sets, in the order of print."""
    sets = ("wbc", "sonar", "votes", "pima", "ionosphere", "friedman")
    return {name: numbers[4 * k : 4 * k + 4] for k, name in enumerate(sets)}


PRINTED = {
    name: _by_set(numbers) for name, numbers in printed_rows(PRINTED_TEXT).items()
}


def methods() -> dict[str, Callable[[int], Any]]:
    """Return how to make every ensemble from a seed, as the thesis had it."""
    tree = MDLTreeClassifier(n_thresholds=20, feature_cost="without_key")
    as_printed: dict[str, Any] = {"n_thresholds": 20, "failed_draw": "leaf"}
    forest = ensembles.RandomForestEnsembleClassifier

    def of(kind: Any, **parameters: Any) -> Callable[[int], Any]:
        return lambda seed: kind(tree, random_state=seed, **parameters)

    return {
        "Bagging": of(ensembles.BaggingEnsembleClassifier),
        "AdaBoost": of(ensembles.AdaBoostEnsembleClassifier),
        "DivBoost W1": of(ensembles.DivBoostEnsembleClassifier),
        "DivBoost W2": of(ensembles.DivBoostEnsembleClassifier, weighting="binomial"),
        "Subspace": of(ensembles.RandomSubspaceEnsembleClassifier),
        "Rotation": of(ensembles.RandomRotationEnsembleClassifier, scaling=None),
        "PCA rotation": of(ensembles.PCARotationEnsembleClassifier, scaling=None),
        "Forest": lambda seed: forest(random_state=seed, **as_printed),
        "Local forest": lambda seed: forest(
            random_state=seed, feature_sampling="local", **as_printed
        ),
    }


def draw_numbers(name: str, draw: int) -> Numbers:
    """Return a draw of a generated data set."""
    table = GENERATED[name](random_state=draw).table
    return np.column_stack([column.values for column in table]), class_codes(table)


def eye_words(data: DataFolder) -> Numbers:
    """Return measured features of words, and whether their title was relevant.

    Of the words of the 2005 eye-movement challenge as many of either kind as printed.
    """
    table = read_table(data.file("eye_movements"), target="class")
    kept = [c for c in table if c.name not in NOT_MEASURED]
    columns = [
        np.array(c.levels, dtype=float)[c.values] if c.is_nominal else c.values
        for c in kept
    ]
    codes = class_codes(table)
    assert table.target is not None
    relevant = np.array([str(level) for level in table.target.levels])[codes] != "0"
    random = np.random.default_rng(0)
    parts = zip((relevant, ~relevant), EYE_WORDS, strict=True)
    drawn = [random.choice(np.flatnonzero(m), n, replace=False) for m, n in parts]
    rows = np.concatenate(drawn)
    return np.column_stack(columns)[rows], relevant[rows].astype(int)


def try_once(ensemble: Any, X: Floats, y: Array, split: int) -> dict[str, float]:
    """Return error (ties count half), base error and Q of one split."""
    order = np.random.default_rng([split, 90]).permutation(len(y))
    n_test = max(1, round(len(y) / 10))
    test, train = order[:n_test], order[n_test:]
    ensemble.fit(X[train], y[train])
    shares = ensemble.predict_proba(X[test])
    tied = np.isclose(shares[:, 0], shares[:, 1], atol=1e-12)
    wrong = np.where(tied, 0.5, shares.argmax(axis=1) != y[test])
    said = ensemble.member_predict(X[test])
    report = report_of(said, y[test], shares.argmax(axis=1))
    return {
        "error": float(wrong.mean()),
        "base error": report.member_error,
        "Q": report.q_statistic,
    }


def _run(name: str, method: str, data: DataFolder, run: int) -> Values:
    make = methods()[method]
    if name in GENERATED:
        X, y = draw_numbers(name, run)
        splits = range(run * SPLITS_PER_DRAW, (run + 1) * SPLITS_PER_DRAW)
        return mean_values([try_once(make(split), X, y, split) for split in splits])
    if name == "eye words":
        X, y = data.once(("eye words",), lambda: eye_words(data))
    else:
        X, y = numbers(data, FILES[name])
    return try_once(make(run), X, y, run)


def trial_on(name: str, label: str, run: Callable[[DataFolder, int], Values]) -> Trial:
    """Return what is run on draws, or on splits of a data set."""
    if name in GENERATED:
        return Trial(label, run, None, per_repeat=2, most=20)
    if name == "eye words":
        return Trial(label, run, "eye_movements", per_repeat=1, most=100)
    return Trial(label, run, FILES[name], per_repeat=10, most=100)


def trial_of(name: str, method: str) -> Trial:
    """Return what gives error, base error and Q of a method on a data set."""
    return trial_on(name, f"ensembles/{name}/{method}", partial(_run, name, method))


def cells_of(measure: str, columns: tuple[str, ...], title: str = "") -> Iterator[Cell]:
    """Yield one measure of some methods on all data sets."""
    for name in PRINTED["Bagging"]:
        for method in columns:
            error, variance, base, q = PRINTED[method][name]
            published = {"error": error, "base error": base, "Q": q}[measure]
            drawn = name in GENERATED
            known = measure == "error" and not drawn
            yield Cell(
                name,
                title.format(method) or method,
                published,
                trial_of(name, method),
                measure,
                n_published=1 if drawn else 100,
                deviation=variance**0.5 if known else None,
            )


def _eye_cells() -> Iterator[Cell]:
    for method, (error, _, base, q) in PRINTED_EYES.items():
        trial = trial_of("eye words", method)
        for measure, value in (("error", error), ("base error", base), ("Q", q)):
            yield Cell(method, measure, value, trial, measure, comparable=False)


BOOSTED = ("Bagging", "AdaBoost", "DivBoost W1", "DivBoost W2")
MANIPULATED = ("Bagging", "Subspace", "Forest", "Rotation")
ROTATED = ("PCA rotation", "Rotation")
TITLES = (
    ("5.2", "Errors of boosted trees", "error", BOOSTED),
    ("5.3", "Q statistics of boosted trees", "Q", BOOSTED),
    ("5.4", "Base errors of boosted trees", "base error", BOOSTED),
    ("5.5", "Errors with changed features", "error", MANIPULATED),
    ("5.6", "Q statistics with changed features", "Q", MANIPULATED),
    ("5.7", "Base errors with changed features", "base error", MANIPULATED),
)
DRAWN = (
    "Friedman's data were one draw there, so its z counts the spread between our draws."
)


def tables() -> list[PublishedTable]:
    """Return the tables of this work that are about ensembles."""
    rotated = (
        cell
        for measure in ("error", "base error", "Q")
        for cell in cells_of(measure, ROTATED, "{}, " + measure)
    )
    listed: list[Listed] = [
        (n, of, cells_of(what, some)) for n, of, what, some in TITLES
    ]
    listed.append(("5.8", "PCA rotation beside random rotation", rotated))
    eyes: Listed = (
        "9.1",
        "Relevance of titles from eye movements",
        _eye_cells(),
        "The printed words are not public. Ours are as many words of the 2005 "
        "eye-movement challenge, so only the order of methods can be compared; "
        "there are no standard errors.",
        "The print says Divboost without saying which; it is beside both.",
    )
    found = tables_of("ensembles", SOURCE, listed, DRAWN)
    return found + tables_of("ensembles", SOURCE, [eyes])
