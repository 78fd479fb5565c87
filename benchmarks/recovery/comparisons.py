"""How often comparisons find a difference where there is none.

Run with `python -m benchmarks.recovery.comparisons [--tables 300]`. Two features tell
the class equally well, and each selector takes one of them, so that no selector is
better. Counted is how often a test at the level 0.05 says otherwise: the paired t-test
that takes folds for independent, the corrected one that `featsieve.compare` uses, and
the critical difference of its ranks with all folds as blocks and with the effective
number of blocks.
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.naive_bayes import GaussianNB

import featsieve
from featsieve.evaluation import critical_difference, paired_t_test

FOLDS = ("10x1", "10x3", "5x2")


class Takes(BaseEstimator):
    """A selector that has made up its mind."""

    def __init__(self, feature: int = 0) -> None:
        self.feature = feature

    def fit(self, X, y):  # noqa: ARG002  (it guesses)
        self.support_ = np.arange(X.shape[1]) == self.feature
        return self


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=300)
    n_tables = parser.parse_args().tables
    print("Share of differences found at 0.05 where there is none")
    print(f"{n_tables} tables of 120 rows, naive Bayes on one of two equal features\n")
    print("  cv     paired t  corrected t  ranks, all folds  ranks, effective")
    for cv in FOLDS:
        found = np.zeros(4)
        for seed in range(n_tables):
            random = np.random.default_rng(seed)
            y = np.repeat([0, 1], 60)
            X = random.normal(size=(120, 2)) + 0.8 * y[:, None]
            comparison = featsieve.compare(
                X,
                y,
                selectors={"first": Takes(0), "second": Takes(1)},
                estimators=[GaussianNB()],
                cv=cv,
                random_state=seed,
            )
            rows = comparison.to_dict()["folds"]
            scores = [
                [row["score"] for row in rows if row["selector"] == name]
                for name in ("first", "second")
            ]
            ranks = comparison.ranks
            assert ranks is not None
            gap = abs(np.diff(ranks["mean_ranks"])[0])
            found += (
                paired_t_test(*scores).p_value < 0.05,
                comparison.to_dict()["tests"][0]["p_value"] < 0.05,
                gap > critical_difference(2, len(scores[0])),
                gap > ranks["critical_difference"],
            )
        told = zip(found / n_tables, (8, 12, 17, 17), strict=True)
        print(f"  {cv:6} " + " ".join(f"{share:{width}.3f}" for share, width in told))


if __name__ == "__main__":
    main()
