"""Could a search over counts find monks-2? And what do permuted classes give?

Run with ``python -m benchmarks.recovery.counts [--seeds 6] [--first 0] [--draws 20]``.
Monks-2 asks whether exactly two of six columns are at one of their levels: no two rows
of its table are alike, so tables of joint levels say nothing, but the number of columns
at their level does. The search adds one pair of column and level at a time, as the
likelihood ratio of that number and the class rises, and keeps the best sets of a size;
which level of a column counts is searched as well.

The bound of the p-value is exact for any number of rows: under permuted classes a table
of likelihood ratio g has at most the chance exp(-g/2), there are no more than the
product of (rows + 1) over the counts, times the rows + 1 totals, of them; and it is
multiplied by all the sets of that size that could have been looked at.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
from numpy.typing import NDArray

from benchmarks.recovery.problems import PROBLEMS
from featsieve.data import Table

#: Sets of one size that are kept, and the largest.
BEAM, LARGEST = 30, 7

Numbers = NDArray[np.float64]
Members = tuple[int, ...]


def indicators(table: Table) -> tuple[Numbers, NDArray[np.intp]]:
    """Return a column of ones and zeros per level, and whose it is."""
    levels = [
        (column.values == level, j)
        for j, column in enumerate(table)
        for level in range(column.n_levels)
    ]
    own = np.array([j for _, j in levels], dtype=np.intp)
    return np.column_stack([x for x, _ in levels]).astype(float), own


def log_likelihood(table: Numbers) -> Numbers:
    """Return that of classes (first axis) by cells, summed over all but the last."""
    total = table.sum(axis=0)
    share = np.divide(table, total, where=total > 0, out=np.ones_like(table))
    logs = np.log(share, where=table > 0, out=np.zeros_like(table))
    summed: Numbers = (table * logs).sum(axis=(0, 1))
    return summed


def ratios(count: NDArray[np.int64], X: Numbers, classes: Numbers) -> Numbers:
    """Return the likelihood ratio of a count with each further indicator added."""
    cells = np.eye(int(count.max()) + 2)[count]  # rows by counts
    tables = []
    for own in classes.T:
        with_it = (cells * own[:, np.newaxis]).T @ X  # by count before, indicator
        without = cells.T @ own
        tables.append(np.roll(with_it, 1, axis=0) + without[:, np.newaxis] - with_it)
    table = np.stack(tables)
    whole = table.sum(axis=1, keepdims=True)
    ratio: Numbers = 2 * (log_likelihood(table) - log_likelihood(whole))
    return ratio


def search(
    X: Numbers, owners: NDArray[np.intp], classes: Numbers
) -> list[tuple[Members, float]]:
    """Return the best set of each size with its likelihood ratio."""
    found = []
    kept: list[Members] = [()]
    for _ in range(LARGEST):
        tried: dict[Members, float] = {}
        for members in kept:
            count = X[:, list(members)].sum(axis=1).astype(np.int64)
            ratio = ratios(count, X, classes)
            ratio[np.isin(owners, owners[list(members)])] = -1.0
            for k in np.argsort(-ratio, kind="stable")[:BEAM].tolist():
                if ratio[k] >= 0:
                    tried[tuple(sorted((*members, k)))] = float(ratio[k])
        best = sorted(tried.items(), key=lambda item: (-item[1], item[0]))[:BEAM]
        if not best:
            break
        found.append(best[0])
        kept = [members for members, _ in best]
    return found


def log10_bound(
    members: Members, ratio: float, X: Numbers, owners: NDArray[np.intp]
) -> float:
    """Return the decimal logarithm of the bound of p, all sets allowed for."""
    rows = np.bincount(X[:, list(members)].sum(axis=1).astype(np.int64))
    levels = np.bincount(owners)
    size = len(members)
    # Sets of so many columns times choices of a level: elementary symmetric sums.
    sums = np.zeros(size + 1)
    sums[0] = 1.0
    for n_levels in levels:
        sums[1:] += n_levels * sums[:-1].copy()
    tables = float(np.log(rows + 1.0).sum()) + math.log(len(X) + 1)
    return min(0.0, (tables - ratio / 2 + math.log(sums[size])) / math.log(10))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problem", default="monks-2 + 10 noise")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--draws", type=int, default=20)
    options = parser.parse_args()
    exact = below = 0
    for seed in range(options.first, options.first + options.seeds):
        table, truth = PROBLEMS[options.problem](seed)
        target = table.target
        assert target is not None  # generated problems have one
        classes = np.eye(target.n_levels)[target.values]
        X, owners = indicators(table)
        begin = time.process_time()
        found = search(X, owners, classes)
        seconds = time.process_time() - begin
        members, ratio = min(found, key=lambda each: log10_bound(*each, X, owners))
        names = sorted(table.names[owners[k]] for k in members)
        exact += names == sorted(group[0] for group in truth.groups)
        bound = log10_bound(members, ratio, X, owners)
        random = np.random.default_rng(seed)
        null = []
        for _ in range(options.draws):
            drawn = search(X, owners, random.permutation(classes))
            null.append(min(log10_bound(*each, X, owners) for each in drawn))
        below += sum(each < math.log10(0.05) for each in null)
        print(
            f"seed {seed}: {', '.join(names)}; likelihood ratio {ratio:.0f}, p below "
            f"1e{bound:.0f} over all sets, {seconds:.2f} CPU s; least of permuted "
            f"classes 1e{min(null, default=0.0):.0f}",
            flush=True,
        )
    print(
        f"the true set in {exact} of {options.seeds} seeds; permuted classes below "
        f"0.05 in {below} of {options.seeds * options.draws} draws"
    )


if __name__ == "__main__":
    main()
