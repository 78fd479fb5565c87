"""Tables of few rows: what `featsieve.select` keeps there, and what it is good for.

Run with ``python -m benchmarks.recovery.small_tables [folder] [--seeds 2]``; the folder
holds tables with a meta.json each (FEATSIEVE_SHARED/data, or ../shared/data), and
without `colon-alon` and `yale` in it nothing is done. Folds are stratified, and all
selectors see the training rows of a fold only.

- `colon-alon`, three folds per seed: how many columns are kept, and how many an F-test
  with Benjamini and Hochberg's procedure finds at the same rate. No fold should be
  empty where the F-test finds something.
- The same folds: balanced accuracy of a logistic regression on at least five features,
  on those of CFS, and on all.
- `yale`, five folds: how many columns are kept, and the accuracy of the nearest
  neighbour and of a logistic regression on all and on those.

About three CPU minutes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_selection import SelectFdr, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.recovery.real_tables import default_folder, load
from featsieve.data import Table
from featsieve.selection import SieveSelector
from featsieve.selectors import CFSFilter

RATE = 0.05
LEAST = 5
ALL_ROWS = 1_000_000


def matrix(table: Table) -> tuple[Any, Any]:
    """Return the columns as a matrix of numbers, and the classes."""
    assert table.target is not None
    return np.column_stack([c.values for c in table.columns]), table.target.values


def folds(y: Any, n_folds: int, seed: int) -> Iterator[tuple[Any, Any]]:
    split = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    yield from split.split(np.zeros((len(y), 1)), y)


def learner(name: str) -> Any:
    """Return a learner that sees columns of equal spread."""
    if name == "1-nn":
        return make_pipeline(StandardScaler(), KNeighborsClassifier(1))
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))


def colon(table: Table, seeds: int) -> None:
    """Print what is kept of every fold, and what it is good for."""
    X, y = matrix(table)
    scores: dict[str, list[float]] = {"at least five": [], "CFS": [], "all": []}
    print(f"colon-alon, {X.shape[0]} rows, {X.shape[1]} columns")
    print("seed fold  F-test  kept  possible")
    empty = 0
    for seed in range(seeds):
        for k, (train, test) in enumerate(folds(y, 3, seed)):
            found = SelectFdr(f_classif, alpha=RATE).fit(X[train], y[train])
            n_found = int(found.get_support().sum())
            chosen = SieveSelector(fdr=RATE, n_jobs=1).fit(X[train], y[train])
            n_kept = int(chosen.get_support().sum())
            n_possible = len(chosen.selection_.possible)
            empty += n_found > 0 and n_kept == 0
            print(f"{seed:4} {k:4} {n_found:7} {n_kept:5} {n_possible:9}", flush=True)
            selectors = {
                "at least five": SieveSelector(min_features=LEAST, n_jobs=1),
                "CFS": CFSFilter(),
                "all": None,
            }
            for name, selector in selectors.items():
                steps = [selector] * (selector is not None) + [learner("logistic")]
                model = make_pipeline(*steps).fit(X[train], y[train])
                told = model.predict(X[test])
                scores[name].append(balanced_accuracy_score(y[test], told))
    print(f"empty where the F-test finds something: {empty}")
    for name, own in scores.items():
        print(f"logistic regression, {name}: {np.mean(own):.3f}")
    apart = np.subtract(scores["at least five"], scores["CFS"])
    error = np.std(apart, ddof=1) / np.sqrt(len(apart))
    print(f"at least five less CFS: {apart.mean():+.3f}, standard error {error:.3f}")


def yale(table: Table) -> None:
    """Print how many columns are kept, and the accuracy on all and on those."""
    X, y = matrix(table)
    print(f"\nyale, {X.shape[0]} rows, {X.shape[1]} columns")
    kept: list[int] = []
    scores: dict[tuple[str, str], list[float]] = {}
    for train, test in folds(y, 5, 0):
        selector = SieveSelector(fdr=RATE, n_jobs=1).fit(X[train], y[train])
        support = selector.get_support()
        kept.append(int(support.sum()))
        for name in ("1-nn", "logistic"):
            for columns, some in (("all", slice(None)), ("selected", support)):
                model = learner(name).fit(X[train][:, some], y[train])
                told = model.predict(X[test][:, some])
                own = scores.setdefault((name, columns), [])
                own.append(accuracy_score(y[test], told))
    shares = np.array(kept) / X.shape[1]
    print(f"kept: {kept}, {shares.mean():.1%} on average, at most {shares.max():.1%}")
    for name in ("1-nn", "logistic"):
        every, some = np.array(scores[name, "all"]), np.array(scores[name, "selected"])
        error = np.std(some - every, ddof=1) / np.sqrt(len(some))
        print(
            f"{name}: all {every.mean():.3f}, selected {some.mean():.3f}, "
            f"difference {np.mean(some - every):+.3f}, standard error {error:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--seeds", type=int, default=2, help="of the folds of colon")
    options = parser.parse_args()
    absent = [n for n in ("colon-alon", "yale") if not (options.folder / n).is_dir()]
    if absent:
        print(f"{options.folder} has no {' and no '.join(absent)}; nothing to do.")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        colon(load(options.folder / "colon-alon", ALL_ROWS), options.seeds)
        yale(load(options.folder / "yale", ALL_ROWS))


if __name__ == "__main__":
    main()
