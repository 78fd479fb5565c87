"""Which features a forest should draw: what shallow random trees learn about them.

Chances by gains are from Ensemble algorithms and feature selection, PhD thesis, 2007,
chapter 7. There the mean gain counts, and what matters only together hardly shows in
it: the nodes where partners have met are too few. Here rare clear gains count.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._kernels import Exploration
from featsieve.data import Column, Table
from featsieve.engine import derive_seed, run_tasks
from featsieve.tallies.api import equal_frequency_cuts

Vector = NDArray[np.float64]

#: Numeric columns are cut into so many levels, nominal ones keep their most frequent.
N_BINS, MOST_LEVELS = 4, 8
#: Quantities are cut into so many classes; of more classes the rare ones are joined.
N_PARTS, MOST_CLASSES = 3, 8
#: So many rows are enough to learn from.
MOST_ROWS = 2048
#: Features that are drawn at all in the end, and at most this share of them.
MOST_LEARNT, MOST_SHARE = 20, 0.5
#: Rounds in which trees draw by what the rounds before have learnt.
ROUNDS = 3
#: Rows of the smallest nodes that are asked, and the greatest depth.
LEAST_ROWS, MOST_DEPTH = 12, 4
#: How often features are asked in a round: per value in the table, and bounds. With
#: half as many at the least, five bits of a parity were missed.
ASKED_PER_VALUE, LEAST_ASKED, MOST_ASKED = 5, 200_000, 2_000_000
#: Trees per task; no answer depends on it, but for rounding.
BLOCK = 64


def learn_chances(
    table: Table,
    target: dict[str, Any],
    *,
    chances: Vector | None = None,
    effort: float = 1.0,
    seed: int,
    n_jobs: int | None = None,
) -> Vector:
    """Return chances for drawing features, 0 for all but the most promising.

    Shallow trees split at random and ask every feature at every node. In the first
    round each feature is the root about as often as any other; later on half of the
    draws go to what is promising. Features of chance 0 take no part. With more `effort`
    there are as many times the trees, within bounds: sets of three or more among many
    columns need them.
    """
    base = np.ones(table.n_columns) if chances is None else chances
    base = base / base.sum()
    rows = _some_rows(table.n_rows, seed)
    explore = _exploration(table, target, rows)
    plan = plan_trees(len(rows), int(np.count_nonzero(base)), effort)
    learnt, score = base, np.zeros(table.n_columns)
    for turn in range(ROUNDS):
        drawn = (base + learnt) / 2
        own = derive_seed(seed, "explore", turn)
        score += _explore(explore, drawn, plan, own, n_jobs)
        learnt = chances_of(np.where(base > 0, score, 0.0))
        if not learnt.any():
            break
    return learnt


def chances_of(score: Vector) -> Vector:
    """Return chances by how far features are ahead of the first that is left out.

    On a scale of logarithms, since what matters alone is so much clearer than what
    matters only together. All 0 if none is ahead.
    """
    n_kept = min(MOST_LEARNT, math.floor(MOST_SHARE * np.count_nonzero(score)))
    if n_kept == 0:
        return np.zeros(len(score))
    logs = np.log(np.maximum(score, np.finfo(float).tiny))
    limit = np.sort(logs)[-n_kept - 1]
    ahead = np.maximum(logs - limit, 0.0)
    total = float(ahead.sum())
    return ahead / total if total > 0 else ahead


def plan_trees(n_rows: int, n_features: int, effort: float = 1.0) -> tuple[int, int]:
    """Return how deep trees are, and how many a round has.

    As deep as rows allow, unless every feature could no longer be the root of a tree.
    """
    deepest = int(np.clip(math.log2(max(n_rows, 2) / LEAST_ROWS), 1, MOST_DEPTH))
    asked = max(ASKED_PER_VALUE * n_rows * n_features, LEAST_ASKED)
    asked = int(min(effort * asked, MOST_ASKED))
    for depth in range(deepest, 0, -1):
        n_trees = asked // (max(n_features, 1) * (2 ** (depth + 1) - 2))
        if n_trees >= n_features:
            break
    return depth, max(n_trees, 1)


def _explore(
    explore: Exploration,
    chances: Vector,
    plan: tuple[int, int],
    seed: int,
    n_jobs: int | None,
) -> Vector:
    """Return the mean surprise of features per node, levels counting alike."""
    depth, n_trees = plan
    ends = np.cumsum(chances)
    points = (np.arange(n_trees) + 0.5) / n_trees * ends[-1]
    roots = np.searchsorted(ends, points, side="right").astype(np.uint32)
    random = np.random.default_rng(seed)
    seeds = random.integers(2**64, size=n_trees, dtype=np.uint64)

    def grow(begin: int) -> dict[str, Any]:
        block = slice(begin, begin + BLOCK)
        return explore.grow(roots[block], seeds[block], chances, depth, LEAST_ROWS)

    tasks = [(begin,) for begin in range(0, n_trees, BLOCK)]
    blocks = run_tasks(grow, tasks, n_jobs=n_jobs, shared_memory=True)
    surprise = sum(block["surprise"] for block in blocks)
    n_nodes = np.sum([block["n_nodes"] for block in blocks], axis=0)
    grown = n_nodes > 0
    if not grown.any():
        return np.ones(len(chances))
    means: Vector = np.mean(surprise[grown] / n_nodes[grown, None], axis=0)
    return means


def _some_rows(n_rows: int, seed: int) -> NDArray[np.intp]:
    if n_rows <= MOST_ROWS:
        return np.arange(n_rows)
    random = np.random.default_rng(derive_seed(seed, "rows"))
    return np.sort(random.choice(n_rows, MOST_ROWS, replace=False))


def _exploration(
    table: Table, target: dict[str, Any], rows: NDArray[np.intp]
) -> Exploration:
    codes = np.empty((len(rows), table.n_columns), dtype=np.int32, order="F")
    for j, column in enumerate(table):
        codes[:, j] = level_codes(column.take(rows))
    classes = target_codes(target)[rows]
    nominal = np.array([column.is_nominal for column in table], dtype=np.uint8)
    return Exploration(codes, classes, int(classes.max(initial=0)) + 1, nominal)


def level_codes(column: Column) -> NDArray[np.int32]:
    """Return few levels of a column; -1 is missing."""
    if column.is_nominal:
        return frequent_codes(column.values, MOST_LEVELS)
    known = np.unique(column.values[~column.missing])
    if len(known) <= N_BINS:
        codes = np.searchsorted(known, column.values)
    else:
        cuts = equal_frequency_cuts(column.values, N_BINS, None)
        codes = np.searchsorted(cuts, column.values, side="left")
    return np.where(column.missing, -1, codes).astype(np.int32)


def frequent_codes(codes: NDArray[Any], most: int) -> NDArray[np.int32]:
    """Return the most frequent codes numbered anew, all others as one; -1 stays."""
    values, counts = np.unique(codes[codes >= 0], return_counts=True)
    order = np.argsort(-counts, kind="stable")
    numbers = np.full(int(codes.max(initial=0)) + 1, most - 1, dtype=np.int32)
    numbers[values[order[: most - 1]]] = np.arange(min(most - 1, len(values)))
    return np.where(codes >= 0, numbers[np.maximum(codes, 0)], -1).astype(np.int32)


def target_codes(target: dict[str, Any]) -> NDArray[np.int32]:
    """Return few classes: those of the target, or equal parts of a quantity."""
    if "classes" in target:
        return frequent_codes(target["classes"], MOST_CLASSES)
    cuts = equal_frequency_cuts(target["numbers"], N_PARTS, None)
    return np.searchsorted(cuts, target["numbers"], side="left").astype(np.int32)
