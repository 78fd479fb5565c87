"""Joint gains of sets, against counting and against every partition."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.inference._tuple_gains import TupleGains


def entropy(values, weights):
    totals = Counter()
    for value, weight in zip(values, weights, strict=True):
        totals[value] += weight
    whole = sum(totals.values())
    return -sum(t / whole * math.log2(t / whole) for t in totals.values() if t > 0)


def plain_gain(codes, classes, features, missing, weights):
    """H(class) + H(cells) - H(both), by counting rows."""
    rows = range(len(classes))
    if missing == "ignore":
        rows = [i for i in rows if all(codes[i, j] >= 0 for j in features)]
    if not rows:
        return 0.0
    cells = [tuple(codes[i, list(features)].tolist()) for i in rows]
    known = [int(classes[i]) for i in rows]
    own = [1.0 if weights is None else float(weights[i]) for i in rows]
    if sum(own) == 0:
        return 0.0
    both = list(zip(cells, known, strict=True))
    return entropy(known, own) + entropy(cells, own) - entropy(both, own)


def partitions(members):
    if not members:
        yield []
        return
    first, *rest = members
    for smaller in partitions(rest):
        yield [(first,), *smaller]
        for k, part in enumerate(smaller):
            yield [*smaller[:k], (first, *part), *smaller[k + 1 :]]


def table(seed, n_rows, n_features=4):
    rng = np.random.default_rng(seed)
    codes = rng.integers(-1, 3, (n_rows, n_features)).astype(np.int32)
    classes = rng.integers(0, 3, n_rows).astype(np.int32)
    return rng, codes, classes


@given(
    st.integers(0, 10**6),
    st.integers(2, 40),
    st.sampled_from(["level", "ignore"]),
    st.booleans(),
)
def test_gain_is_that_of_counting(seed, n_rows, missing, weighted):
    rng, codes, classes = table(seed, n_rows)
    weights = rng.integers(1, 4, n_rows).astype(float) if weighted else None
    gains = TupleGains(codes, classes, missing, weights)
    for features in ((0,), (2, 1), (0, 1, 2), (3, 3, 0), (0, 1, 2, 3)):
        own = sorted(set(features))
        expected = plain_gain(codes, classes, own, missing, weights)
        assert gains(features) == pytest.approx(expected, abs=1e-9)
    assert gains(()) == 0.0


@given(st.integers(0, 10**6), st.sampled_from(["level", "ignore"]))
def test_cells_part_rows_as_joint_values_do(seed, missing):
    _, codes, classes = table(seed, 25)
    gains = TupleGains(codes, classes, missing, None)
    cells = gains.cells([2, 0])
    unknown = (codes[:, [0, 2]] < 0).any(axis=1)
    if missing == "ignore":
        assert ((cells == -1) == unknown).all()
    else:
        assert (cells >= 0).all()
    known = ~unknown if missing == "ignore" else np.ones(25, dtype=bool)
    for i in np.flatnonzero(known):
        for k in np.flatnonzero(known):
            same = (codes[i, [0, 2]] == codes[k, [0, 2]]).all()
            assert (cells[i] == cells[k]) == same


def test_a_cell_per_row_is_not_divided_further():
    codes = np.column_stack([np.arange(6), np.array([0, 0, 0, 1, 1, -1])])
    gains = TupleGains(
        codes.astype(np.int32), np.arange(6, dtype=np.int32), "ignore", None
    )
    assert gains.cells((0, 1)).tolist() == [0, 1, 2, 3, 4, -1]


@given(st.integers(0, 10**6), st.integers(2, 5))
def test_best_partition_is_the_best_of_all(seed, size):
    _, codes, classes = table(seed, 30, 5)
    gains = TupleGains(codes, classes, "level", None)
    members = tuple(range(size))
    value, parts = gains.best_partition(members)
    everything = [p for p in partitions(list(members)) if len(p) > 1]
    best = max(sum(gains(part) for part in p) for p in everything)
    assert value == pytest.approx(best, abs=1e-9)
    assert sorted(m for part in parts for m in part) == list(members)
    assert value == pytest.approx(sum(gains(part) for part in parts), abs=1e-9)
    assert len(parts) > 1


def test_of_equal_partitions_the_first_wins():
    codes = np.zeros((8, 3), dtype=np.int32)
    gains = TupleGains(codes, np.repeat([0, 1], 4).astype(np.int32), "level", None)
    assert gains.best_partition((2, 0, 1)) == (0.0, ((0,), (1, 2)))
    assert gains.best_partition((1,)) == (0.0, ())
