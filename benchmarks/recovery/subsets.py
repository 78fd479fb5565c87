"""What subset ensembles do beyond their tables: sizes, pairs, and against a wrapper.

Run with `python -m benchmarks.recovery.subsets [sizes] [pairs] [wrapper]
[--folder shared/data] [--repeats 1] [--only glass labor]`. Errors in percent.

- sizes: subset sizes chosen by rows out of bag, against bagging on all columns.
- pairs: features that matter only together among 20 bits, 400 rows, 5 % noise.
- wrapper: forward selection by five-fold accuracy of C4.5 inside the training rows,
  against ensembles on as many columns.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from featsieve.data import Table
from featsieve.ensembles import SubsetEnsembleClassifier
from featsieve.reproduce._data import DataFolder, typed_table
from featsieve.reproduce._subset_tables import FOLDERS, errors, folds, tree
from featsieve.selectors import FeatureBoostingSelector
from featsieve.trees import C45Classifier
from featsieve.trees._tree_members import TreeGrower

SETS = (
    "hepatitis",
    "house-votes-84",
    "cleveland",
    "labor",
    "glass",
    "credit-a",
    "ionosphere",
    "pima",
)
#: The class of rows of bits, before noise.
PROBLEMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "x3 xor x11": lambda x: x[:, 3] ^ x[:, 11],
    "two parts": lambda x: (x[:, 0] ^ x[:, 1]) | (x[:, 2] & x[:, 3] & (1 - x[:, 4])),
    "nine of xd6": lambda x: (
        (x[:, 0] & x[:, 1] & x[:, 2])
        | (x[:, 3] & x[:, 4] & x[:, 5])
        | (x[:, 6] & x[:, 7] & x[:, 8])
    ),
    "parity of five": lambda x: x[:, :5].sum(axis=1) % 2,
}


def sizes(data: DataFolder, names: list[str], repeats: int) -> None:
    """Print errors and mean sizes of automatic subset sizes."""
    columns = [
        (strategy, rule)
        for strategy in ("random", "feature_boosting")
        for rule in ("minimum", "one_standard_error")
    ]
    told = [f"{s}, {r}"[:30] for s, r in columns]
    print(
        f"\n{'error, mean size':16} {'bagging':>8} "
        + " ".join(f"{t:>30}" for t in told)
    )
    for name in names:
        table = typed_table(data, FOLDERS.get(name, name))
        every = SubsetEnsembleClassifier(subset_size=1.0, estimator=tree())
        line = f"{name:16} {np.mean(errors(table, every, repeats)):8.2f} "
        for strategy, rule in columns:
            model = Remembering(
                strategy, subset_size="auto", size_rule=rule, estimator=tree()
            )
            sizes_kept: list[int] = []
            model.sizes_kept = sizes_kept
            error = np.mean(errors(table, model, repeats))
            line += f"{error:24.2f}, {np.mean(sizes_kept):4.1f} "
        print(line, flush=True)


class Remembering(SubsetEnsembleClassifier):
    """Writes down the sizes that it chose."""

    sizes_kept: list[int]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Remembering:
        super().fit(X, y, sample_weight)
        self.sizes_kept.append(self.subset_size_)
        return self


def pairs(repeats: int) -> None:
    """Print errors where features matter only together."""
    leaf = C45Classifier(prune=False, collapse=False)
    boosting = {"n_iterations": 200, "accuracy": "out_of_bag", "estimator": leaf}
    strategies = {
        "random": "random",
        "F. boost": "feature_boosting",
        "F. boost 200": FeatureBoostingSelector(**boosting),
        "scanned groups": FeatureBoostingSelector(feature_groups="scan", **boosting),
        "pair gain": "pair_gain",
    }
    print(
        f"\n{'':16} {'k':>2} {'bagging':>8} " + " ".join(f"{s:>15}" for s in strategies)
    )
    for name, rule in PROBLEMS.items():
        for size in (2, 3, 5):
            models: dict[str, Any] = {
                "bagging": SubsetEnsembleClassifier(subset_size=1.0)
            }
            for label, strategy in strategies.items():
                models[label] = SubsetEnsembleClassifier(strategy, subset_size=size)
            found: dict[str, list[float]] = {label: [] for label in models}
            for seed in range(repeats):
                random = np.random.default_rng(seed)
                X = random.integers(0, 2, (1400, 20))
                y = rule(X) ^ (random.random(1400) < 0.05)
                for label, model in models.items():
                    model.set_params(estimator=leaf, random_state=seed)
                    score = model.fit(X[:400], y[:400]).score(X[400:], y[400:])
                    found[label].append(100 * (1 - score))
            bagging, *others = (np.mean(found[label]) for label in models)
            cells = " ".join(f"{error:15.1f}" for error in others)
            print(f"{name:16} {size:2} {bagging:8.1f} {cells}", flush=True)


def forward(table: Table, seed: int) -> tuple[list[int], int]:
    """Return the columns that forward selection finds, and how many trees it grew."""
    assert table.target is not None
    codes, n_classes = table.target.values, table.target.n_levels
    grower = TreeGrower(tree(), table, np.arange(n_classes), named=True)
    parts = np.array_split(np.random.default_rng(seed).permutation(table.n_rows), 5)
    counts = [0]

    def accuracy(columns: list[int]) -> float:
        own = grower.select(np.array(columns, dtype=np.uint32))
        kept = table.select([table.names[j] for j in columns])
        right = 0
        for part in parts:
            weights = np.ones(table.n_rows)
            weights[part] = 0
            said = own.grow(codes, weights).predict(kept.take(part))
            right += int(np.sum(said == codes[part]))
            counts[0] += 1
        return right / table.n_rows

    chosen: list[int] = []
    best = -1.0
    while len(chosen) < table.n_columns:
        tried = {
            j: accuracy([*chosen, j]) for j in range(table.n_columns) if j not in chosen
        }
        feature = max(tried, key=lambda j: (tried[j], -j))
        if tried[feature] <= best:
            break
        best = tried[feature]
        chosen.append(feature)
    return chosen, counts[0]


def wrapper(data: DataFolder, names: list[str]) -> None:
    """Print one cross-validation of the wrapper and of ensembles of its size."""
    labels = ("tree", "wrapper", "bagging", "its subset", "I. gain", "F. boost", "auto")
    head = " ".join(f"{label:>10}" for label in labels)
    print(f"\n{'':16} {head} {'mean k':>7} {'trees':>6} {'CPU s':>6}")
    for name in names:
        table = typed_table(data, FOLDERS.get(name, name))
        assert table.target is not None
        wrong = dict.fromkeys(labels, 0)
        sizes_kept, trees, seconds = [], 0, 0.0
        for number, test in enumerate(folds(table.n_rows, 0)):
            mask = np.ones(table.n_rows, dtype=bool)
            mask[test] = False
            train, rest = table.take(mask), table.take(test)
            begin = time.process_time()
            chosen, grown = forward(train, number)
            seconds += time.process_time() - begin
            trees += grown
            sizes_kept.append(len(chosen))
            weights = np.zeros(table.n_columns)
            weights[chosen] = 1
            size: dict[str, Any] = {"subset_size": len(chosen), "estimator": tree()}
            own = C45Classifier(release8_penalty=False)
            columns = [table.names[j] for j in chosen]
            models: dict[str, Any] = {
                "tree": tree(),
                "bagging": SubsetEnsembleClassifier(subset_size=1.0, estimator=tree()),
                "its subset": SubsetEnsembleClassifier(weights, **size),
                "I. gain": SubsetEnsembleClassifier("information_gain", **size),
                "F. boost": SubsetEnsembleClassifier("feature_boosting", **size),
                "auto": SubsetEnsembleClassifier(subset_size="auto", estimator=tree()),
            }
            truth = np.array(table.target.levels)[rest.target.values]
            said = own.fit(train.select(columns), train.target).predict(
                rest.select(columns)
            )
            wrong["wrapper"] += int(np.sum(said != truth))
            for label, model in models.items():
                if label != "tree":
                    model.set_params(random_state=number)
                wrong[label] += int(
                    np.sum(model.fit(train, None).predict(rest) != truth)
                )
        cells = " ".join(f"{100 * wrong[k] / table.n_rows:10.2f}" for k in labels)
        print(
            f"{name:16} {cells} {np.mean(sizes_kept):7.1f} {trees / 10:6.0f} "
            f"{seconds:6.1f}",
            flush=True,
        )


def main() -> None:
    beside = Path(__file__).resolve().parents[3] / "shared"
    shared = Path(os.environ.get("FEATSIEVE_SHARED", beside))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=["sizes", "pairs", "wrapper"])
    parser.add_argument("--folder", type=Path, default=shared / "data")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="names of data sets")
    options = parser.parse_args()
    names = options.only or list(SETS)
    if "sizes" in options.parts:
        sizes(DataFolder(options.folder), names, options.repeats)
    if "pairs" in options.parts:
        pairs(options.repeats)
    if "wrapper" in options.parts:
        wrapper(DataFolder(options.folder), names)


if __name__ == "__main__":
    main()
