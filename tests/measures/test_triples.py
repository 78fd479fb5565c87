from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve._kernels import (
    Instructions,
    Missing,
    TripleScanner,
    TripleScore,
    has_instructions,
)
from featsieve.measures import (
    gains_of_tuples,
    pairwise_gain,
    triple_gain,
    triple_gain_blocks,
)
from reference import pairs as pair_reference
from reference import triples as reference

NAMES = ("members", "joint_gain", "third_order", "synergy")


def make_codes(rng, n_rows, levels, missing_share=0.0):
    columns = [rng.integers(0, n, n_rows) for n in levels]
    codes = np.array(columns, dtype=np.int32).reshape(len(levels), n_rows).T
    codes[rng.random(codes.shape) < missing_share] = -1
    return codes


def all_bits(triples):
    return [getattr(triples, name).tobytes() for name in NAMES]


def assert_as_reference(codes, target, missing="level", weights=None):
    got = triple_gain(codes, target, missing=missing, weights=weights)
    expected = reference.triple_gain(codes, target, missing, weights)
    assert [tuple(m) for m in got.members.tolist()] == [e[0] for e in expected]
    for position, name in enumerate(NAMES[1:], start=1):
        values = [each[position] for each in expected]
        np.testing.assert_allclose(getattr(got, name), values, atol=1e-12)
    assert (got.joint_gain >= 0).all()


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(0, 60),
    levels=st.lists(st.sampled_from([1, 2, 3, 4, 5, 9, 30, 70, 300]), max_size=6),
    n_classes=st.integers(1, 4),
    missing_share=st.sampled_from([0.0, 0.2, 0.9]),
    missing=st.sampled_from(["level", "ignore"]),
    weighted=st.booleans(),
)
@settings(deadline=None, max_examples=200)
def test_agrees_with_the_plain_version(
    *, seed, n_rows, levels, n_classes, missing_share, missing, weighted
):
    rng = np.random.default_rng(seed)
    codes = make_codes(rng, n_rows, levels, missing_share)
    target = rng.integers(0, n_classes, n_rows)
    weights = np.round(rng.random(n_rows) * 4, 1) if weighted else None
    assert_as_reference(codes, target, missing, weights)


@pytest.mark.parametrize("missing", ["level", "ignore"])
@pytest.mark.parametrize("n_classes", [2, 30, 100])
def test_agrees_with_many_rows(missing, n_classes):
    rng = np.random.default_rng(1)
    codes = make_codes(rng, 1500, [2, 3, 5, 6, 9, 17, 65, 1], 0.1)
    codes[:, ::2] = np.maximum(codes[:, ::2], 0)
    assert_as_reference(codes, rng.integers(0, n_classes, 1500), missing)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 500),
    levels=st.lists(st.sampled_from([1, 2, 3, 4, 6, 20, 70]), min_size=3, max_size=20),
    n_classes=st.integers(1, 3),
    missing_share=st.sampled_from([0.0, 0.1]),
)
@settings(deadline=None, max_examples=40)
def test_joint_gains_have_the_bits_of_the_row_walk(
    *, seed, n_rows, levels, n_classes, missing_share
):
    rng = np.random.default_rng(seed)
    codes = make_codes(rng, n_rows, levels, missing_share)
    target = rng.integers(0, n_classes, n_rows)
    for missing in ("level", "ignore"):
        got = triple_gain(codes, target, missing=missing)
        expected = gains_of_tuples(codes, target, got.members, missing=missing)
        np.testing.assert_array_equal(got.joint_gain, expected)


@pytest.mark.parametrize(
    "instructions",
    [i for i in (Instructions.AVX2, Instructions.AVX512) if has_instructions(i)],
)
@pytest.mark.parametrize("missing", [Missing.LEVEL, Missing.IGNORE])
def test_instructions_give_the_same_bits(instructions, missing):
    rng = np.random.default_rng(2)
    codes = make_codes(rng, 700, [2, 3, 4, 2, 5] * 5, 0.02)
    target = rng.integers(0, 3, 700).astype(np.int32)
    results = []
    for each in (Instructions.PORTABLE, instructions):
        scanner = TripleScanner(codes, target, 3, missing, each)
        scanner.prepare(np.arange(25, dtype=np.int32))
        gains = np.empty((2300, 3))
        scanner.scan(0, 25, gains)
        results.append(gains.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("by", NAMES[1:])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_best_are_the_first_of_all(by, n_jobs):
    rng = np.random.default_rng(3)
    codes = make_codes(rng, 300, [2, 3] * 40)
    codes[:, 40:60] = codes[:, :20]  # ties
    target = rng.integers(0, 2, 300)
    everything = triple_gain(codes, target, n_jobs=n_jobs)
    order = np.lexsort((*everything.members.T[::-1], -getattr(everything, by)))[:500]
    best = triple_gain(codes, target, top=500, by=by, n_jobs=n_jobs)
    for name in NAMES:
        np.testing.assert_array_equal(
            getattr(best, name), getattr(everything, name)[order]
        )


@pytest.mark.parametrize("missing", ["level", "ignore"])
def test_shuffling_changes_no_bit(missing):
    rng = np.random.default_rng(4)
    codes = make_codes(rng, 333, [2, 3, 5, 4, 20, 70, 2, 1], 0.05)
    target = rng.integers(0, 3, 333)
    expected = triple_gain(codes, target, missing=missing)
    rows = rng.permutation(333)
    shuffled = triple_gain(codes[rows], target[rows], missing=missing)
    assert all_bits(shuffled) == all_bits(expected)
    renamed = triple_gain(codes, np.array([2, 0, 1])[target], missing=missing)
    assert all_bits(renamed) == all_bits(expected)
    levels = np.array([*rng.permutation(200), -1])[codes]
    relabelled = triple_gain(levels, target, missing=missing)
    assert all_bits(relabelled) == all_bits(expected)
    columns = rng.permutation(8)
    moved = triple_gain(codes[:, columns], target, missing=missing)
    found = {
        tuple(sorted(columns[list(m)].tolist())): third
        for m, third in zip(moved.members, moved.third_order, strict=True)
    }
    assert [found[tuple(m)] for m in expected.members.tolist()] == (
        expected.third_order.tolist()
    )


def test_blocks_are_the_parts_of_the_whole():
    rng = np.random.default_rng(5)
    codes = make_codes(rng, 100, [2, 3, 4] * 8)
    target = rng.integers(0, 2, 100)
    blocks = list(triple_gain_blocks(codes, target, block_size=300))
    assert len(blocks) > 3
    everything = triple_gain(codes, target)
    for name in NAMES:
        together = np.concatenate([getattr(block, name) for block in blocks])
        np.testing.assert_array_equal(together, getattr(everything, name))


@pytest.mark.parametrize("missing", ["level", "ignore"])
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_grown_triples_contain_a_pair(missing, n_jobs):
    rng = np.random.default_rng(6)
    codes = make_codes(rng, 200, [2, 3, 4, 30] * 5, 0.05)
    target = rng.integers(0, 2, 200)
    pairs = [(3, 1), (0, 19), (1, 3), (1, 2), (7, 11)]
    everything = triple_gain(codes, target, missing=missing)
    grown = triple_gain(codes, target, pairs=pairs, missing=missing, n_jobs=n_jobs)
    chosen = [any({*p} <= {*m} for p in pairs) for m in everything.members.tolist()]
    for name in NAMES:
        np.testing.assert_array_equal(
            getattr(grown, name), getattr(everything, name)[chosen]
        )
    best = triple_gain(codes, target, pairs=pairs, missing=missing, top=1)
    assert best.third_order[0] == grown.third_order.max()


def test_parity_of_three_is_pure_third_order():
    codes = np.array(list(itertools.product([0, 1], repeat=4)))
    triples = triple_gain(codes, codes[:, :3].sum(axis=1) % 2)
    assert triples.third_order.tolist() == [1, 0, 0, 0]
    assert triples.joint_gain.tolist() == [1, 0, 0, 0]
    assert triples.synergy.tolist() == [1, 0, 0, 0]


def test_a_pair_and_a_bystander_have_no_third_order():
    codes = np.array(list(itertools.product([0, 1], repeat=3)))
    triples = triple_gain(codes, codes[:, 0] ^ codes[:, 2])
    assert triples.joint_gain.tolist() == [1]
    assert triples.third_order.tolist() == [0]
    assert triples.synergy.tolist() == [0]


def test_constants_and_one_class_tell_nothing():
    rng = np.random.default_rng(7)
    codes = make_codes(rng, 50, [1, 3, 1, 2])
    triples = triple_gain(codes, rng.integers(0, 2, 50))
    assert not triples.third_order.any()
    assert not triple_gain(codes, np.zeros(50, dtype=int)).joint_gain.any()


@pytest.mark.parametrize("n_features", [0, 1, 2])
def test_fewer_than_three_features_have_no_triples(n_features):
    codes = np.zeros((3, n_features), dtype=np.uint8)
    assert len(triple_gain(codes, [0, 1, 0])) == 0
    assert len(triple_gain(codes, [0, 1, 0], top=3)) == 0
    assert len(triple_gain(codes, [0, 1, 0], pairs=[])) == 0
    assert list(triple_gain_blocks(codes, [0, 1, 0])) == []


def test_no_rows_tell_nothing():
    triples = triple_gain(np.zeros((0, 70), dtype=np.int32), [])
    assert len(triples) == 70 * 69 * 68 // 6
    assert not triples.third_order.any()


def test_all_missing_and_ignored_tells_nothing():
    codes = np.array([[-1, 0, 0], [-1, 1, 0]])
    assert triple_gain(codes, [0, 1], missing="ignore").joint_gain.tolist() == [0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"top": 0}, "must be an int >= 1. Got 0 instead"),
        ({"by": "gain"}, "The 'by' parameter of triple_gain"),
        ({"missing": "spread"}, "one of 'level', 'ignore'"),
        ({"pairs": [0, 1]}, r"shape \(n_pairs, 2\)"),
        ({"pairs": [[0, 1], [2, 2]]}, r"Got \[2, 2\] in row 1"),
        ({"pairs": [[0, 3]]}, "from 0 to 2"),
    ],
)
def test_wrong_input_is_explained(arguments, message):
    with pytest.raises(ValueError, match=message):
        triple_gain(np.zeros((2, 3), dtype=int), [0, 1], **arguments)


def test_scanner_refuses_what_it_does_not_have():
    codes, classes = np.zeros((2, 3), dtype=np.uint8), np.zeros(2, dtype=np.int32)
    scanner = TripleScanner(codes, classes, 1, Missing.LEVEL)
    with pytest.raises(ValueError, match="prepared"):
        scanner.scan_top(0, 3, 1, TripleScore.SYNERGY)
    with pytest.raises(IndexError):
        scanner.prepare(np.array([3], dtype=np.int32))
    scanner.prepare(np.arange(3, dtype=np.int32))
    with pytest.raises(IndexError):
        scanner.scan_top(0, 4, 1, TripleScore.SYNERGY)
    with pytest.raises(ValueError, match="three values per triple"):
        scanner.scan(0, 3, np.empty((2, 3)))
    with pytest.raises(ValueError, match="cannot be spread"):
        TripleScanner(codes, classes, 1, Missing.SPREAD)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(0, 80),
    levels=st.lists(st.sampled_from([1, 2, 3, 9, 300, 10**9]), min_size=1, max_size=5),
    missing_share=st.sampled_from([0.0, 0.2]),
    missing=st.sampled_from(["level", "ignore"]),
    weighted=st.booleans(),
)
@settings(deadline=None, max_examples=150)
def test_sets_agree_with_the_plain_version(
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
        pair_reference.set_gain([codes[:, j] for j in each], target, missing, weights)
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
        pair_reference.set_gain([codes[:, j] for j in each], target.tolist())
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
