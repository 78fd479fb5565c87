"""Groups of features, told: what they tell, and whether it is theirs as a whole."""

from __future__ import annotations

import math

import numpy as np
import pytest

from featsieve.datasets import make_parity
from featsieve.inference.api import TupleGains
from featsieve.selectors import BIFSFilter
from featsieve.selectors.interactions._bifs_search import Group
from featsieve.selectors.interactions._interaction import describe_groups

ROWS = np.arange(256)
BITS = [ROWS >> k & 1 for k in range(9)]
NAMES = tuple("abcdefghi")


def describe(groups, y, *, verify=True, p_values=None, kept=None):
    codes = np.asfortranarray(np.column_stack(BITS).astype(np.int32))
    gains = TupleGains(codes, np.asarray(y, dtype=np.int32), "level", None)
    made = [Group(members, gains(members)) for members in groups]
    kept = [True] * len(made) if kept is None else kept
    return describe_groups(
        made, kept, gains, NAMES, p_values or {}, verify=verify, seed=0
    )


def test_a_whole_tells_more_than_its_best_split():
    (found,) = describe([(0, 1)], BITS[0] ^ BITS[1])
    assert found.members == ("a", "b")
    assert found.joint_gain == pytest.approx(1)
    assert found.synergy == pytest.approx(1)
    assert found.gain_per_feature == pytest.approx(0.5)
    assert sorted(found.best_split) == [("a",), ("b",)]
    assert found.p_value == pytest.approx(1 / 200)
    assert found.is_real is True
    assert found.kept is True


def test_a_chain_is_no_whole():
    # Two pairs, each of them a whole: together no more than the two.
    y = (BITS[0] ^ BITS[1]) + 2 * (BITS[2] ^ BITS[3])
    (found,) = describe([(0, 1, 2, 3)], y)
    assert found.synergy == pytest.approx(0, abs=1e-9)
    assert sorted(found.best_split) == [("a", "b"), ("c", "d")]
    assert found.is_real is False


def test_the_strongest_come_first_and_single_features_not_at_all():
    found = describe(
        [(4,), (2, 3), (0, 1)],
        BITS[0] ^ BITS[1],
        verify=False,
        kept=[True, False, True],
    )
    assert [one.members for one in found] == [("a", "b"), ("c", "d")]
    assert [one.kept for one in found] == [True, False]
    assert [one.is_real for one in found] == [None, None]
    assert [one.p_value for one in found] == [None, None]


def test_p_values_of_a_scan_are_taken():
    (found,) = describe([(0, 1)], BITS[0] ^ BITS[1], p_values={(0, 1): 0.04})
    assert (found.p_value, found.is_real) == (0.04, True)
    (found,) = describe([(0, 1)], BITS[0] ^ BITS[1], p_values={(0, 1): 0.06})
    assert (found.p_value, found.is_real) == (0.06, False)


def test_large_groups_are_not_split():
    (found,) = describe([tuple(range(9))], BITS[0])
    assert math.isnan(found.synergy)
    assert (found.best_split, found.is_real, found.p_value) == ((), None, None)
    (found,) = describe([tuple(range(8))], BITS[0], verify=False)
    assert not math.isnan(found.synergy)


def test_noise_is_not_verified():
    random = np.random.default_rng(0)
    (found,) = describe([(0, 1)], random.integers(0, 2, 256))
    assert found.p_value > 0.05
    assert found.is_real is False


def test_a_filter_tells_them():
    table, _ = make_parity(400, n_bits=2, n_noise=2, random_state=0)
    (found,) = BIFSFilter().fit(table, None).interactions_
    assert (found.members, found.is_real, found.kept) == (("x1", "x2"), True, True)
