import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import read_table
from featsieve.ensembles._experts import (
    LEAST_DISTANCE,
    NearestRows,
    neighbour_votes,
)


def plain_distance(a, b, widths):
    """Range-scaled numbers, 0/1 for names, 1 where either is missing."""
    total = 0.0
    for x, y, width in zip(a, b, widths, strict=True):
        if x is None or y is None:
            total += 1
        elif isinstance(x, str):
            total += x != y
        else:
            total += ((x - y) / width) ** 2 if width else 0.0
    return math.sqrt(total)


@given(st.integers(0, 10_000), st.booleans())
def test_neighbours_are_those_of_the_plain_distance(seed, gaps):
    random = np.random.default_rng(seed)
    rows = [
        [
            float(random.integers(0, 5)),
            random.choice(["a", "b", "c"]).item(),
            float(random.normal()),
        ]
        for _ in range(24)
    ]
    if gaps:
        for row in rows:
            row[random.integers(0, 3)] = None
    columns = list(zip(*rows, strict=True))
    table = read_table(
        {f"x{j}": list(c) for j, c in enumerate(columns)}, nominal=["x1"]
    )
    train, test = table.take(np.arange(16)), table.take(np.arange(16, 24))
    widths = []
    for j in range(3):
        known = [row[j] for row in rows[:16] if row[j] is not None]
        numbers = known and not isinstance(known[0], str)
        widths.append(max(known) - min(known) if numbers else 1.0)
    distances, nearest = NearestRows(4).fit(train, np.zeros(16)).kneighbors(test)
    for i in range(8):
        plain = [plain_distance(rows[16 + i], row, widths) for row in rows[:16]]
        assert sorted(plain)[:4] == pytest.approx(distances[i].tolist(), abs=1e-6)
        got = [plain[j] for j in nearest[i]]
        assert got == pytest.approx(distances[i].tolist(), abs=1e-6)


def test_of_equally_near_rows_the_first_are_taken():
    table = read_table({"x": [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]})
    _, nearest = NearestRows(2).fit(table, np.zeros(6)).kneighbors(table)
    assert nearest.tolist() == [[0, 2], [1, 3]] * 3


def test_fewer_rows_than_neighbours():
    table = read_table({"x": [1.0, 2.0]})
    distances, nearest = NearestRows(5).fit(table, np.zeros(2)).kneighbors(table)
    assert nearest.shape == (2, 2)
    assert distances[:, 0].tolist() == [0, 0]


def test_votes_by_hand():
    distances = np.array([[0.5, 1.0, 2.0, 4.0, 0.0]])
    codes = np.array([[0, 1, 1, 0, 2]])
    shares, near = neighbour_votes(distances, codes, 3)
    assert shares.tolist() == [[0.4, 0.4, 0.2]]
    assert near[0].tolist() == [2.25, 1.5, 1 / LEAST_DISTANCE]


def test_equal_counts_have_exactly_equal_scores():
    """Ties are told by equality, so shares must not carry the order of a sum."""
    random = np.random.default_rng(0)
    codes = random.integers(0, 3, (200, 5))
    shares, _ = neighbour_votes(np.ones((200, 5)), codes, 3)
    assert set(shares.ravel().tolist()) <= {0.0, 0.2, 0.4, 0.6, 0.8, 1.0}
