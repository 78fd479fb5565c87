from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.datasets import make_parity
from featsieve.inference.api import TupleGains
from featsieve.selectors import BIFSFilter
from featsieve.selectors.interactions._groups import (
    Group,
    TooManyCliquesError,
    describe_groups,
    eliminate,
    eliminate_by_test,
    group_features,
    maximal_cliques,
    rank_groups,
)


def plain_cliques(n, edges):
    """Every subset that is a clique and has no larger one around it."""
    linked = {frozenset(edge) for edge in edges}

    def is_clique(nodes):
        return all(
            frozenset(pair) in linked for pair in itertools.combinations(nodes, 2)
        )

    cliques = [
        set(nodes)
        for size in range(1, n + 1)
        for nodes in itertools.combinations(range(n), size)
        if is_clique(nodes)
    ]
    return sorted(
        tuple(sorted(clique))
        for clique in cliques
        if not any(clique < other for other in cliques)
    )


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 8))
    pairs = list(itertools.combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return n, edges


@given(graphs())
@settings(max_examples=300)
def test_equals_the_definition(graph):
    assert maximal_cliques(*graph) == plain_cliques(*graph)


def test_known_graphs():
    assert maximal_cliques(3, []) == [(0,), (1,), (2,)]
    complete = list(itertools.combinations(range(200), 2))
    assert maximal_cliques(200, complete) == [tuple(range(200))]
    ring = [(i, (i + 1) % 500) for i in range(500)]
    assert len(maximal_cliques(500, ring)) == 500


def test_too_many_are_refused_soon():
    # Moon and Moser: the complement of disjoint triangles has 3^(n/3) cliques.
    n = 60
    edges = [(i, j) for i, j in itertools.combinations(range(n), 2) if i // 3 != j // 3]
    with pytest.raises(TooManyCliquesError, match="1000"):
        maximal_cliques(n, edges, most=1000)


def test_a_long_path_does_not_overflow_the_stack():
    path = [(i, i + 1) for i in range(3000)]
    assert len(maximal_cliques(3001, path)) == 3000


def gains_of(columns, classes):
    codes = np.asfortranarray(np.column_stack(columns).astype(np.int32))
    return TupleGains(codes, np.asarray(classes, dtype=np.int32), "level", None)


ROWS = np.arange(256)
BITS = [ROWS >> k & 1 for k in range(9)]


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
