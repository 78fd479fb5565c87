"""Single models against aggregates of experts, with the measures of the thesis.

Run with `python -m benchmarks.published.aggregates [folder] [--sample 6000]`; the
folder holds covertype and kddcup99-10pct (FEATSIEVE_SHARED/data, or ../shared/data). As
in P. E. N. Lutu's chapter 6: rows are parted by class, each part into rows for training
and for testing (30 %); ten test sets have as many rows of every class; Diff(A, S) and
Ratio(A, S) compare an aggregate A with a single model S by a paired t-test.

Two single models are shown, since an aggregate sees more rows: one with as many
rows as each expert, one with as many as all experts of OVA together. A gain over the
first only is a gain of rows, not of experts. The proportions of the printed experiments
are in chapters that we do not have, so no printed number is beside.

The test sets are ten, the models are one each: the tests tell whether these very models
differ, not whether others trained on other rows would. The rarest class of KDD Cup 99
has 16 rows for testing, which all ten test sets draw from, and many of its rows occur
both in training and in testing, as at the origin.

Seconds are CPU seconds.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np

from featsieve.data import Table
from featsieve.ensembles import OneVersusAllClassifier, PositiveVersusNegativeClassifier
from featsieve.ensembles._experts import fit_expert, sample_rows, split_classes
from featsieve.evaluation import class_rates, equal_class_samples, score_gain
from featsieve.reproduce._data import DataFolder
from featsieve.reproduce._largedata_tables import load

TEST_SHARE = 0.3
TEST_ROWS = {"covertype": 100, "kddcup99-10pct": 50}


class Single:
    """One model of all classes, on a sample with as many rows of each."""

    def __init__(self, estimator: str, sample_size: int) -> None:
        self.estimator, self.sample_size = estimator, sample_size

    def fit(self, table: Table, codes: np.ndarray) -> Single:
        k = int(codes.max()) + 1
        each = dict.fromkeys(range(k), self.sample_size // k)
        rows = sample_rows(codes, each, 0, cap=10)
        self.n_rows = len(rows)
        settings = (self.estimator, None, 0)
        self.expert = fit_expert(table, codes, rows, np.arange(k), k, *settings)
        return self

    def predict(self, table: Table) -> np.ndarray:
        return self.expert.answer(table).winners()


def models(estimator: str, sample_size: int, k: int) -> dict[str, Any]:
    """The experts of both aggregates have samples of the same size."""
    settings = {
        "estimator": estimator,
        "sample_size": sample_size,
        "random_state": 0,
    }
    return {
        "single": Single(estimator, sample_size),
        f"single, {k} x rows": Single(estimator, k * sample_size),
        "OVA": OneVersusAllClassifier(**settings),
        "pVn": PositiveVersusNegativeClassifier(**settings),
    }


def rows_seen(model: Any) -> int:
    if isinstance(model, Single):
        return model.n_rows
    return sum(expert.n_rows for expert in model.experts_)


def run(name: str, table: Table, sample_size: int) -> None:
    assert table.target is not None
    codes = np.ascontiguousarray(table.target.values)
    classes = [str(level) for level in table.target.levels]
    features = Table(table.columns, None, (), table.n_rows)
    test = split_classes(codes, TEST_SHARE, 0)
    train_rows, test_rows = np.flatnonzero(~test), np.flatnonzero(test)
    train, train_codes = features.take(train_rows), codes[train_rows]
    sets = equal_class_samples(
        codes[test_rows], TEST_ROWS[name], most_repeats=10, random_state=0
    )
    sizes = np.bincount(codes[test_rows], minlength=len(classes))
    print(f"\n{name}: {table.n_rows} rows, {table.n_columns} features")
    counts = zip(classes, sizes, strict=True)
    print("  rows for testing: " + ", ".join(f"{c} {n}" for c, n in counts))
    for estimator in ("5-nn", "c4.5"):
        print(f"\n  {estimator}: mean of {len(sets)} test sets of {len(sets[0])} rows")
        accuracies: dict[str, list[float]] = {}
        rates: dict[str, np.ndarray] = {}
        for label, model in models(estimator, sample_size, len(classes)).items():
            started = time.process_time()
            model.fit(train, train_codes)
            fitted = time.process_time() - started
            scores, by_class = [], []
            started = time.process_time()
            for drawn in sets:
                rows = test_rows[drawn]
                said = model.predict(features.take(rows))
                scores.append(float(np.mean(said == codes[rows])))
                found = class_rates(codes[rows], said)
                by_class.append([rate.value for rate in found.values()])
            took = time.process_time() - started
            accuracies[label], rates[label] = scores, np.mean(by_class, axis=0)
            spread = np.std(scores, ddof=1)
            print(
                f"    {label:16} accuracy {np.mean(scores):.3f} ± {spread:.3f}  "
                f"{rows_seen(model):6} rows, fit {fitted:5.1f} s, predict {took:4.1f} s"
            )
            told = zip(classes, rates[label], strict=True)
            print("      recognised: " + "  ".join(f"{c} {r:.2f}" for c, r in told))
            if label == "pVn":
                named = [[classes[c] for c in group] for group in model.groups_]
                print("      groups: " + "  ".join("+".join(group) for group in named))
        gains(accuracies, len(classes))


def gains(accuracies: dict[str, list[float]], k: int) -> None:
    for label in ("OVA", "pVn"):
        for single in ("single", f"single, {k} x rows"):
            gain = score_gain(accuracies[label], accuracies[single])
            verdict = "no difference told"
            if gain.p_value < 0.05:
                verdict = f"{label if gain.difference > 0 else single} wins"
            print(
                f"    {label} - {single:16} Diff {gain.difference:+.3f} "
                f"[{gain.low:+.3f}, {gain.high:+.3f}] Ratio {gain.ratio:+.3f} "
                f"p {gain.p_value:.4f}: {verdict}"
            )


def whole(table: Table) -> None:
    """Time and memory for all rows at once: trees, samples of 10,000."""
    assert table.target is not None
    features = Table(table.columns, None, (), table.n_rows)
    codes = np.ascontiguousarray(table.target.values)
    print(f"\n  all {table.n_rows} x {table.n_columns}, c4.5, experts of 10,000 rows")
    for kind in (OneVersusAllClassifier, PositiveVersusNegativeClassifier):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        started = time.process_time()
        model = kind(random_state=0).fit(features, codes)
        fitted = time.process_time() - started
        started = time.process_time()
        model.predict(features)
        took = time.process_time() - started
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before
        print(
            f"    {kind.__name__:32} fit {fitted:5.1f} s, predict all {took:5.1f} s, "
            f"peak of memory grew by {grown:.0f} MB"
        )


def main() -> None:
    beside = Path(__file__).resolve().parents[3] / "shared"
    shared = Path(os.environ.get("FEATSIEVE_SHARED", beside))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=shared / "data")
    parser.add_argument("--sample", type=int, default=6000)
    parser.add_argument("--data", nargs="*", default=list(TEST_ROWS))
    options = parser.parse_args()
    for name in options.data:
        table = load(DataFolder(options.folder), name)
        if name == "covertype":
            whole(table)
        run(name, table, options.sample)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  peak of memory so far: {peak:.0f} MB")


if __name__ == "__main__":
    main()
