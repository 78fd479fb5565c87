"""Could any test find what `featsieve.select` misses? The evidence, told the truth.

Run with ``python -m benchmarks.recovery.evidence [--problems monks-2,monks-3]
[--seeds 10] [--first 100] [--draws 999]``. For each seed of a problem of the recovery
board the true columns are taken as one set, which no search has to find, and three
likelihood ratios are held against the same of permuted classes:

- of the whole set: the table of its joint levels and the classes;
- of each member once the others are known, classes permuted within their joint levels;
- of the number of members at their first level: the form of monks-2 itself.

The p-values need no correction for searching, so a member that is not below 0.05 here
cannot be told from noise by any test of tables, whatever the search. A search has to
correct: for the weakest member the p-value that the sieve computes is printed beside
the one it needs for all the sets the member could have been in, and beside the least
that a column of noise gets in its place.
"""

from __future__ import annotations

import argparse
import math

import numpy as np
from numpy.typing import NDArray

from benchmarks.recovery.board import chosen
from benchmarks.recovery.problems import PROBLEMS
from featsieve.datasets import Problem
from featsieve.inference._false_discovery import STAGE_WEIGHTS
from featsieve.inference._independence import measure
from featsieve.measures import joint_codes
from featsieve.selection._alone import BINS
from featsieve.selection._material import from_zero, prepare
from featsieve.selection._together import ORDER_SHARES

Codes = NDArray[np.int32]


def likelihood_ratio(x: Codes, classes: Codes, strata: Codes) -> float:
    """Return twice the log-likelihood of classes by `x` in strata, above strata's."""
    n_classes = int(classes.max()) + 1

    def log_likelihood(cells: Codes) -> float:
        table = np.bincount(cells * n_classes + classes, minlength=n_classes)
        table = np.pad(table, (0, -len(table) % n_classes)).reshape(-1, n_classes)
        total = table.sum(axis=1, keepdims=True)
        share = np.divide(table, total, where=total > 0, out=np.ones(table.shape))
        return float((table * np.log(np.where(table > 0, share, 1.0))).sum())

    return 2 * (log_likelihood(joint_codes(strata, x)) - log_likelihood(strata))


def p_value(
    x: Codes, classes: Codes, strata: Codes, draws: int, seed: int
) -> tuple[float, float, float]:
    """Return the likelihood ratio, its mean under permutation, and the p-value."""
    random = np.random.default_rng(seed)
    seen = likelihood_ratio(x, classes, strata)
    order = np.argsort(strata, kind="stable")
    null = np.empty(draws)
    permuted = classes.copy()
    for draw in null[:, np.newaxis]:
        # Rows of a stratum are neighbours in either order, so classes stay within it.
        other = np.lexsort((random.random(len(classes)), strata))
        permuted[order] = classes[other]
        draw[0] = likelihood_ratio(x, permuted, strata)
    beyond = int(np.count_nonzero(null >= seen - 1e-9))
    return seen, float(null.mean()), (beyond + 1) / (draws + 1)


def true_codes(problem: Problem) -> tuple[list[str], list[Codes], Codes]:
    """Return the true columns, one of each group, as the sieve codes them."""
    names = [group[0] for group in problem.truth.groups]
    material = prepare(problem.table, 0, 1)
    places = [material.table.names.index(name) for name in names]
    bins = BINS if len(names) == 1 else material.bins_for(min(len(names), 3))
    codes = material.codes_of(places, bins)
    return names, [from_zero(codes[:, k]) for k in range(len(names))], material.classes


def weakest_member(problem: Problem) -> str:
    """Return the weakest member given the others, what it needs, and noise's best."""
    names, codes, classes = true_codes(problem)
    others = [
        joint_codes(*(c for i, c in enumerate(codes) if i != k)).astype(np.int32)
        if len(codes) > 1
        else np.zeros(len(classes), dtype=np.int32)
        for k in range(len(codes))
    ]
    own = [
        measure(x, classes, given).p_value
        for x, given in zip(codes, others, strict=True)
    ]
    k = int(np.argmax(own))
    material = prepare(problem.table, 0, 1)
    noise = [material.table.names.index(name) for name in problem.truth.irrelevant]
    bins = material.bins_for(min(len(names), 3))
    least = min(
        measure(from_zero(column), classes, others[k]).p_value
        for column in material.codes_of(noise, bins).T
    )
    size, n_columns = len(names), problem.table.n_columns
    sets = math.comb(n_columns - 1, size - 1)
    share = STAGE_WEIGHTS["together"] * ORDER_SHARES.get(size, 0.0)
    needed = 0.05 * size / n_columns * share / sets
    wanted = f"needs {needed:.1g}" if needed else "no set of that size is tried"
    return f"weakest {names[k]} p {own[k]:.2g}, {wanted}, best of noise {least:.2g}"


def study(name: str, seeds: range, draws: int) -> None:
    """Print the evidence of every seed, and how often it is below 0.05."""
    print(f"\n{name}")
    low: dict[str, int] = {}
    for seed in seeds:
        problem = PROBLEMS[name](seed)
        names, codes, classes = true_codes(problem)
        nothing = np.zeros(len(classes), dtype=np.int32)
        whole = joint_codes(*codes).astype(np.int32)
        largest = int(np.bincount(whole).max())
        found = {"the set": p_value(whole, classes, nothing, draws, seed)}
        for k, member in enumerate(names):
            others = [c for i, c in enumerate(codes) if i != k]
            given = joint_codes(*others).astype(np.int32) if others else nothing
            found[member] = p_value(codes[k], classes, given, draws, seed)
        count = np.sum([c == 0 for c in codes], axis=0).astype(np.int32)
        found["count of firsts"] = p_value(count, classes, nothing, draws, seed)
        told = ", ".join(
            f"{what} {ratio:.0f} ({mean:.0f}) p {p:.3f}"
            for what, (ratio, mean, p) in found.items()
        )
        print(f"  seed {seed}: {len(classes)} rows, at most {largest} alike; {told}")
        print(f"    {weakest_member(problem)}", flush=True)
        for what, (_, _, p) in found.items():
            low[what] = low.get(what, 0) + (p < 0.05)
    counts = ", ".join(f"{what} {count}" for what, count in low.items())
    print(f"  below 0.05 in {len(seeds)} seeds: {counts}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problems", default="monks-2,monks-3")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=100)
    parser.add_argument("--draws", type=int, default=999)
    options = parser.parse_args()
    print("likelihood ratio (its mean when classes are permuted) and p-value")
    for name in chosen(list(PROBLEMS), options.problems):
        study(name, range(options.first, options.first + options.seeds), options.draws)


if __name__ == "__main__":
    main()
