"""Groups of features that interact, and which of them are needed."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.inference.api import TupleGains
from featsieve.selectors.interactions._bifs_search import (
    Group,
    eliminate,
    eliminate_by_test,
    group_features,
    rank_groups,
)
from featsieve.selectors.interactions._cliques import maximal_cliques


def gains_of(columns, classes):
    codes = np.asfortranarray(np.column_stack(columns).astype(np.int32))
    return TupleGains(codes, np.asarray(classes, dtype=np.int32), "level", None)


ROWS = np.arange(256)
BITS = [ROWS >> k & 1 for k in range(6)]


def test_groups_are_maximal_cliques():
    edges = [(0, 1, 0.5), (1, 2, 0.4), (0, 2, 0.3), (2, 3, 0.2)]
    groups, least = group_features(5, edges, most=99, max_degree=None)
    assert sorted(groups) == [(0, 1, 2), (2, 3), (4,)]
    assert least is None
    cut, _ = group_features(5, edges, most=99, max_degree=2)
    assert cut == [(0, 1), (0, 2), (1, 2), (2, 3), (4,)]


def test_weak_edges_go_until_groups_are_few():
    # Every two of eight but for four pairs: of each pair one is in a group, 16 in all.
    apart = {(0, 1), (2, 3), (4, 5), (6, 7)}
    edges = [
        (i, j, 1.0 / (1 + i + 8 * j))
        for i in range(8)
        for j in range(i + 1, 8)
        if (i, j) not in apart
    ]
    groups, least = group_features(8, edges, most=16, max_degree=None)
    assert (len(groups), least) == (16, None)
    groups, least = group_features(8, edges, most=15, max_degree=None)
    assert len(groups) <= 15
    kept = [(i, j) for i, j, strength in edges if strength >= least]
    assert sorted(groups) == sorted(maximal_cliques(8, kept))
    # One edge more, the strongest of those left out, would have made too many.
    next_one = max(strength for *_, strength in edges if strength < least)
    more = [(i, j) for i, j, strength in edges if strength >= next_one]
    assert len(maximal_cliques(8, more)) > 15


def test_there_may_be_as_many_groups_as_features():
    groups, least = group_features(3, [], most=1, max_degree=None)
    assert (groups, least) == ([(0,), (1,), (2,)], None)
    groups, least = group_features(3, [(0, 1, 0.5)], most=1, max_degree=None)
    assert (groups, least) == ([(0, 1), (2,)], None)


def test_groups_from_the_least_gain_per_feature():
    gains = gains_of(BITS[:3], BITS[0] ^ BITS[1])
    ranked = rank_groups([(0, 1), (2,), (0,)], gains)
    assert [group.members for group in ranked] == [(0,), (2,), (0, 1)]
    assert ranked[-1].joint_gain == pytest.approx(1)
    assert ranked[-1].gain_per_feature == pytest.approx(0.5)


def three_groups():
    """Return groups of noise, of a weak and of a strong feature, and their gains."""
    weak = (BITS[1] & BITS[3] & BITS[4]).astype(int)
    gains = gains_of(BITS[:3], BITS[0] * 2 + weak)
    groups = [Group((k,), gains((k,))) for k in (2, 1, 0)]
    assert groups[0].joint_gain == pytest.approx(0)
    assert 0.1 < groups[1].joint_gain < 0.2
    return groups, gains


@pytest.mark.parametrize("mode", ["stop", "full", "budget"])
def test_groups_that_are_not_needed_go(mode):
    groups, gains = three_groups()
    kept, steps = eliminate(groups, gains, 0.0, mode)
    assert kept == [False, True, True]
    assert [step["group"] for step in steps][:2] == [(2,), (1,)]
    assert len(steps) == (2 if mode == "stop" else 3)
    assert steps[0]["loss"] == pytest.approx(0)
    assert steps[1]["loss"] == pytest.approx(groups[1].joint_gain)
    assert eliminate(groups, gains, 0.5, mode)[0] == [False, False, True]


def test_a_budget_is_for_all_together():
    third = gains_of(BITS[:3], (BITS[0] + 2 * BITS[1] + 4 * BITS[2]))
    groups = [Group((k,), 1.0) for k in range(3)]
    # Each is worth one bit; what is lost in all may be one bit.
    assert eliminate(groups, third, 1.0, "full")[0] == [False, False, False]
    assert eliminate(groups, third, 1.0, "budget")[0] == [False, True, True]
    assert eliminate(groups, third, 1.0 - 1e-6, "budget")[0] == [True, True, True]


def test_shared_features_stay_with_the_others():
    gains = gains_of(BITS[:3], BITS[0] ^ BITS[1])
    groups = [Group((0, 2), 0.0), Group((0, 1), 1.0)]
    kept, steps = eliminate(groups, gains, 0.0, "full")
    assert kept == [False, True]  # `0` is in the second, too
    assert steps[1]["loss"] == pytest.approx(1)


def test_tests_ask_what_a_group_tells_beyond_the_others():
    random = np.random.default_rng(0)
    copy = np.where(random.random(256) < 0.05, 1 - BITS[0], BITS[0])
    y = np.where(random.random(256) < 0.2, random.integers(0, 2, 256), BITS[0])
    gains = gains_of([BITS[0], copy, BITS[2]], y)
    groups = rank_groups([(0,), (1,), (2,)], gains)
    kept, steps = eliminate_by_test(groups, gains, 0.05, 0)
    assert [g.members for g, stays in zip(groups, kept, strict=True) if stays] == [(0,)]
    by_group = {step["group"]: step for step in steps}
    assert by_group[1,]["given"] == (0,)
    assert by_group[1,]["p_value"] > 0.05 / 3
    assert by_group[0,]["p_value"] <= 0.05 / 3
    assert eliminate_by_test(groups, gains, 0.05, 0) == (kept, steps)


def test_a_group_without_features_of_its_own_is_not_tested():
    gains = gains_of(BITS[:2], BITS[0] ^ BITS[1])
    groups = [Group((0,), 0.0), Group((0, 1), 1.0)]
    kept, steps = eliminate_by_test(groups, gains, 0.05, 0)
    assert kept == [False, True]
    assert (steps[0]["p_value"], steps[0]["given"]) == (1.0, ())
