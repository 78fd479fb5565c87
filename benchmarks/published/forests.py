"""Ours beside the printed tables of random forests as instruments of relevance.

Run with `python -m benchmarks.published.forests [folder] [--splits 20] [--sets ...]`;
the folder holds the data sets (FEATSIEVE_SHARED/data, or ../shared/data). Printed are
tables 8.2 to 8.4 and 8.8 to 8.10 of the PhD thesis "Ensemble algorithms and feature
selection", 2007: means of 100 splits of nine to one and their variances. Ours are folds
of repeated ten-fold cross-validation (five folds of each fresh draw of the generated
sets). z is the difference in joint standard errors. Read as the published forests were,
by all we know: 20 thresholds per node, a leaf where the drawn feature is constant, ties
count as half an error.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold

from featsieve.data import read_table
from featsieve.datasets import make_friedman, make_simple
from featsieve.ensembles import RandomForestEnsemble
from featsieve.filters import CFSFilter
from featsieve.trees import MDLTree

FILES = {
    "wbc": "breast-cancer-wisconsin",
    "sonar": "sonar",
    "votes": "house-votes-84",
    "pima": "pima-diabetes",
    "ionosphere": "ionosphere",
}
GENERATED = {"friedman": make_friedman, "simple": make_simple}
SETS = (*FILES, *GENERATED)
PUBLISHED = {"thresholds": 20, "failed_draw": "leaf"}
#: Standard deviation between draws of a generated set, by a binomial estimate: the
#: printed numbers are of one draw.
DRAW_DEVIATION = {"friedman": 0.027, "simple": 0.015}

# Table: column: by data set, mean and variance of the test error over 100 splits.
ERRORS: dict[str, dict[str, dict[str, tuple[float, float]]]] = {
    "8.2, 8.3, 8.8": {
        "RF": {
            "wbc": (0.0293, 0.0004),
            "sonar": (0.1671, 0.0066),
            "votes": (0.0586, 0.0012),
            "pima": (0.2525, 0.0022),
            "ionosphere": (0.0756, 0.0016),
            "friedman": (0.1670, 0.0070),
            "simple": (0.0870, 0.0028),
        },
    },
    "8.2": {
        "RF, 30 noise features": {
            "wbc": (0.0370, 0.0004),
            "sonar": (0.2190, 0.0071),
            "votes": (0.0982, 0.0021),
            "pima": (0.2999, 0.0025),
            "ionosphere": (0.0975, 0.0021),
        },
    },
    "8.3": {
        "DT1": {
            "wbc": (0.0310, 0.0005),
            "sonar": (0.2567, 0.0077),
            "votes": (0.0418, 0.0008),
            "pima": (0.2674, 0.0024),
            "ionosphere": (0.0892, 0.0019),
            "friedman": (0.1975, 0.0077),
            "simple": (0.0147, 0.0005),
        },
        "DT2": {
            "wbc": (0.0251, 0.0003),
            "sonar": (0.2043, 0.0056),
            "votes": (0.0625, 0.0015),
            "pima": (0.2381, 0.0018),
            "ionosphere": (0.0614, 0.0017),
            "friedman": (0.1910, 0.0068),
            "simple": (0.0147, 0.0005),
        },
    },
    "8.4": {
        "CFS": {
            "wbc": (0.0245, 0.0004),
            "sonar": (0.2329, 0.0070),
            "votes": (0.0452, 0.0010),
            "pima": (0.2560, 0.0020),
            "ionosphere": (0.0625, 0.0015),
            "friedman": (0.1785, 0.0056),
            "simple": (0.1693, 0.0037),
        },
        "CI WS": {
            "wbc": (0.0241, 0.0003),
            "sonar": (0.1624, 0.0066),
            "votes": (0.0491, 0.0011),
            "pima": (0.2461, 0.0021),
            "ionosphere": (0.0614, 0.0015),
            "friedman": (0.1630, 0.0062),
            "simple": (0.0387, 0.0010),
        },
        "TREE WS": {
            "wbc": (0.0288, 0.0004),
            "sonar": (0.2276, 0.0068),
            "votes": (0.0455, 0.0008),
            "pima": (0.2634, 0.0019),
            "ionosphere": (0.0592, 0.0015),
            "friedman": (0.1720, 0.0081),
            "simple": (0.0217, 0.0007),
        },
    },
    "8.8": {
        "DYN INT": {
            "wbc": (0.0301, 0.0004),
            "sonar": (0.1333, 0.0060),
            "votes": (0.0516, 0.0011),
            "pima": (0.2648, 0.0024),
            "ionosphere": (0.0703, 0.0015),
            "friedman": (0.1745, 0.0070),
            "simple": (0.0610, 0.0020),
        },
        "LOCAL": {
            "wbc": (0.0278, 0.0004),
            "sonar": (0.1552, 0.0065),
            "votes": (0.0477, 0.0008),
            "pima": (0.2283, 0.0020),
            "ionosphere": (0.0683, 0.0018),
            "friedman": (0.1620, 0.0066),
            "simple": (0.0403, 0.0015),
        },
    },
}
# Printed without variances.
TREE_SIZES = {
    "RF": {"wbc": 55.7, "sonar": 81.9, "votes": 51.1, "pima": 265.3, "ionosphere": 61},
    "RF, 30 noise features": {
        "wbc": 148.7,
        "sonar": 89.4,
        "votes": 123.7,
        "pima": 334.1,
        "ionosphere": 97.2,
    },
}
Q_STATISTICS = {
    "RF": dict(
        zip(SETS, (0.6051, 0.1267, 0.4728, 0.4466, 0.4326, 0.1120, 0.1928), strict=True)
    ),
    "LOCAL": dict(
        zip(SETS, (0.5882, 0.1772, 0.6475, 0.5351, 0.4671, 0.2067, 0.2395), strict=True)
    ),
}
BASE_ERRORS = {
    "RF": dict(
        zip(SETS, (0.0645, 0.3518, 0.1226, 0.3405, 0.1708, 0.3646, 0.2669), strict=True)
    ),
    "LOCAL": dict(
        zip(SETS, (0.0529, 0.3244, 0.0762, 0.3099, 0.1392, 0.3184, 0.1291), strict=True)
    ),
}


def load(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and classes; votes are -1, 0 (not recorded) and 1."""
    table = read_table(folder / FILES[name] / "train.csv", target="class")
    assert table.target is not None
    X = np.empty((table.n_rows, table.n_columns))
    for j, column in enumerate(table):
        if column.is_nominal:
            votes = {"n": -1.0, "y": 1.0}
            codes = [votes[str(level)] for level in column.levels]
            X[:, j] = np.array([*codes, 0.0])[column.values]
        else:
            X[:, j] = column.values
    complete = ~np.isnan(X).any(axis=1)
    return X[complete], table.target.values[complete]


def splits(folder: Path, name: str, count: int) -> Iterator[tuple[np.ndarray, ...]]:
    """Yield training rows and classes, test rows and classes."""
    if name in FILES:
        X, y = load(folder, name)
        folds = RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
        for _, (train, test) in zip(range(count), folds.split(X, y), strict=False):
            yield X[train], y[train], X[test], y[test]
        return
    for draw in range(-(-count // 5)):
        table = GENERATED[name](random_state=draw).table
        X = np.column_stack([column.values for column in table])
        y = table.target.values
        folds = StratifiedKFold(10, shuffle=True, random_state=draw)
        for _, (train, test) in zip(range(5), folds.split(X, y), strict=False):
            yield X[train], y[train], X[test], y[test]


def error_of(shares: np.ndarray, y: np.ndarray) -> float:
    """Return the share of wrong predictions, a tie counted as half of one."""
    best = np.isclose(shares, shares.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    right = best[np.arange(len(y)), y] / best.sum(axis=1)
    return float(1 - right.mean())


def mean_q(labels: np.ndarray, y: np.ndarray) -> float:
    """Return the mean Q statistic of all pairs of members; 0 where it is 0 / 0."""
    right = (labels == y).astype(float)
    wrong = 1 - right
    agree = (right @ right.T) * (wrong @ wrong.T)
    differ = (right @ wrong.T) * (wrong @ right.T)
    total = agree + differ
    q = np.where(total > 0, (agree - differ) / np.where(total > 0, total, 1), 0)
    return float(q[np.triu_indices(len(labels), 1)].mean())


def chosen(kind: str) -> Callable[..., np.ndarray]:
    """Return how features are chosen before the forest is grown."""

    def choose(X: np.ndarray, y: np.ndarray) -> np.ndarray:
        if kind == "CFS":
            return CFSFilter().fit(X, y).get_support(indices=True)
        tree = MDLTree(observe=True, thresholds=20, feature_cost="without_key")
        tree.fit(X, y)
        used = tree.tree_.feature[tree.tree_.feature >= 0]
        feasible = tree.tried_.feature[tree.tried_.passes]
        return np.unique(used if kind == "DT1" else feasible)

    return choose


def run(method: str, split: tuple[np.ndarray, ...], seed: int) -> dict[str, float]:
    """Return what one forest scores on one split."""
    X, y, X_test, y_test = split
    options: dict[str, Any] = {**PUBLISHED, "random_state": seed}
    if method == "RF, 30 noise features":
        noise = np.random.default_rng([seed, 30])
        X = np.hstack([X, noise.random((len(X), 30))])
        X_test = np.hstack([X_test, noise.random((len(X_test), 30))])
    elif method in {"DT1", "DT2", "CFS"}:
        kept = chosen(method)(X, y)
        if len(kept):
            X, X_test = X[:, kept], X_test[:, kept]
    sampling = {"CI WS": "confidence", "TREE WS": "tree", "LOCAL": "local"}
    options["feature_sampling"] = sampling.get(method, "uniform")
    options["integration"] = "dynamic" if method == "DYN INT" else "vote"
    forest = RandomForestEnsemble(**options).fit(X, y)
    scores = {
        "error": error_of(forest.predict_proba(X_test), y_test),
        "nodes": float(forest.node_counts_.mean()),
    }
    if method in {"RF", "LOCAL"}:
        labels = forest.member_predict(X_test)
        scores["Q"] = mean_q(labels, y_test)
        scores["base error"] = float((labels != y_test).mean())
    return scores


def report(
    title: str, ours: dict[str, Any], printed: dict[str, Any], names: list[str]
) -> None:
    """Print one column of a table: ours, printed, and z where a variance is printed."""
    print(f"\n{title}\n{'set':12s}{'ours':>18s}{'printed':>10s}{'z':>7s}")
    for name in names:
        if name not in printed or name not in ours:
            continue
        values = np.array(ours[name])
        own = values.std(ddof=1) / len(values) ** 0.5 if len(values) > 1 else np.nan
        line = f"{name:12s}{values.mean():10.4f} ±{own:6.4f}"
        theirs = printed[name]
        if isinstance(theirs, tuple):
            mean, variance = theirs
            spread = np.hypot(own, (variance / 100) ** 0.5)
            spread = np.hypot(spread, DRAW_DEVIATION.get(name, 0))
            z = (values.mean() - mean) / spread
            print(f"{line}{mean:10.4f}{z:+7.1f}")
        else:
            print(f"{line}{theirs:10.4f}")


def main() -> None:
    beside = Path(__file__).resolve().parents[3] / "shared"
    shared = Path(os.environ.get("FEATSIEVE_SHARED", beside))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=shared / "data")
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    options = parser.parse_args()
    columns = {c: printed for table in ERRORS.values() for c, printed in table.items()}
    scores: Any = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for name in options.sets:
        for seed, split in enumerate(splits(options.folder, name, options.splits)):
            for method, printed in columns.items():
                if name in printed:
                    for score, value in run(method, split, seed).items():
                        scores[score][method][name].append(value)
    for table, methods in ERRORS.items():
        for method, printed in methods.items():
            title = f"Table {table}, {method}: error"
            report(title, scores["error"][method], printed, options.sets)
    for number, score, printed_by_method in (
        ("8.2", "nodes", TREE_SIZES),
        ("8.9", "Q", Q_STATISTICS),
        ("8.10", "base error", BASE_ERRORS),
    ):
        for method, printed in printed_by_method.items():
            title = f"Table {number}, {method}: {score}"
            report(title, scores[score][method], printed, options.sets)


if __name__ == "__main__":
    main()
