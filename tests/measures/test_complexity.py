"""Node complexity: by counting arrangements, and for many nodes at once."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.exceptions import DataError
from featsieve.measures import node_complexity


def counted(counts):
    """The definition, by writing down every arrangement."""
    rows = [label for label, count in enumerate(counts) for _ in range(count)]
    ways = set(itertools.permutations(rows))
    same = sum(way == way[::-1] for way in ways)
    return math.log2(len(ways)) - (1 - same / len(ways))


@given(st.lists(st.integers(0, 4), min_size=1, max_size=3).filter(lambda c: sum(c) < 8))
def test_counting_arrangements(counts):
    assert node_complexity(counts) == pytest.approx(max(counted(counts), 0), abs=1e-12)


def test_many_nodes_and_large_counts():
    found = node_complexity(np.array([[[5, 3], [0, 7]], [[0, 0], [10**6, 10**6]]]))
    assert found.shape == (2, 2)
    assert found[0, 1] == 0
    assert found[1, 0] == 0
    # log2 C(2n, n) is 2n - log2(pi n) / 2, up to 1 / n.
    expected = 2e6 - math.log2(math.pi * 1e6) / 2 - 1
    assert found[1, 1] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("counts", [[-1, 2], [0.5, 1], [np.nan, 1], 3, [np.inf, 1]])
def test_bad_counts(counts):
    with pytest.raises(DataError, match=r"'counts' .* whole numbers.*bincount"):
        node_complexity(counts)
