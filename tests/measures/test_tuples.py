import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.measures import gains_of_tuples, pairwise_gain
from reference import pairs as reference


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(0, 80),
    levels=st.lists(st.sampled_from([1, 2, 3, 9, 300, 10**9]), min_size=1, max_size=5),
    missing_share=st.sampled_from([0.0, 0.2]),
    missing=st.sampled_from(["level", "ignore"]),
    weighted=st.booleans(),
)
@settings(deadline=None, max_examples=150)
def test_agrees_with_the_plain_version(
    *, seed, n_rows, levels, missing_share, missing, weighted
):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, n_rows) for n in levels]
    codes = np.array(columns).reshape(len(levels), n_rows).T.copy()
    codes[rng.random(codes.shape) < missing_share] = -1
    target = rng.integers(0, 3, n_rows)
    weights = rng.random(n_rows) if weighted else None
    sets = [
        each
        for size in range(len(levels) + 1)
        for each in itertools.permutations(range(len(levels)), size)
    ][:40]
    got = gains_of_tuples(codes, target, sets, missing=missing, weights=weights)
    expected = [
        reference.set_gain([codes[:, j] for j in each], target, missing, weights)
        for each in sets
    ]
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_pairs_have_the_bits_of_the_pair_scan():
    rng = np.random.default_rng(1)
    codes = np.column_stack([rng.integers(0, n, 500) for n in [2, 3, 5, 40, 300]])
    target = rng.integers(0, 3, 500)
    pairs = pairwise_gain(codes, target)
    sets = list(zip(pairs.first, pairs.second, strict=True))
    for n_jobs in (None, 2):
        got = gains_of_tuples(codes, target, sets, n_jobs=n_jobs)
        np.testing.assert_array_equal(got, pairs.joint_gain)


def test_many_cells_of_many_levels():
    # More cells times levels than a table may have.
    rng = np.random.default_rng(2)
    codes = rng.permutation(np.repeat(np.arange(1500), 2)).reshape(-1, 1)
    codes = np.column_stack([codes, rng.permutation(codes), codes % 7])
    target = rng.integers(0, 2, 3000)
    sets = [(0, 1), (1, 0), (0, 1, 2), (2, 1, 0)]
    got = gains_of_tuples(codes, target, sets)
    expected = [
        reference.set_gain([codes[:, j] for j in each], target.tolist())
        for each in sets
    ]
    np.testing.assert_allclose(got, expected, atol=1e-12)
    assert got[0] == got[1]
    assert got[2] == got[3]


def test_parity_of_three_is_seen_only_together():
    codes = np.array(list(itertools.product([0, 1], repeat=3)))
    sets = [(), (0,), (0, 1), (0, 1, 2)]
    got = gains_of_tuples(codes, codes.sum(axis=1) % 2, sets)
    assert got.tolist() == [0, 0, 0, 1]


def test_no_sets_give_no_gains():
    assert gains_of_tuples(np.zeros((2, 2), dtype=int), [0, 1], []).shape == (0,)


def test_more_sets_than_a_task_takes():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (40, 25))
    target = rng.integers(0, 2, 40)
    sets = list(itertools.combinations(range(25), 3))
    together = gains_of_tuples(codes, target, sets, n_jobs=2)
    one_by_one = [gains_of_tuples(codes, target, [each])[0] for each in sets[::97]]
    np.testing.assert_array_equal(together[::97], one_by_one)


def test_a_feature_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="Got 2 in tuple 1"):
        gains_of_tuples(np.zeros((2, 2), dtype=int), [0, 1], [(0,), (1, 2)])


@pytest.mark.parametrize(
    ("tuples", "message"),
    [
        ([0, 1], r"such as \[\(0,\), \(0, 1\)\]\. Got 0"),
        ([(0, 1.5)], r"Got \(0, 1\.5\)"),
        ([("a",)], r"Got \('a',\)"),
        (3, "'tuples' parameter of gains_of_tuples must be a list"),
        ("ab", "'tuples' parameter of gains_of_tuples must be a list"),
    ],
)
def test_what_is_no_tuple_of_columns_is_told(tuples, message):
    with pytest.raises(ValueError, match=message):
        gains_of_tuples(np.zeros((2, 2), dtype=int), [0, 1], tuples)
