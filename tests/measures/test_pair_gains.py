from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from featsieve._kernels import (
    AssociationScanner,
    Instructions,
    Missing,
    PairMeasure,
    PairScanner,
    PairScore,
    has_instructions,
)
from featsieve.measures import (
    information_gain,
    pairwise_gain,
    pairwise_gain_blocks,
    pairwise_uncertainty,
    symmetrical_uncertainty,
)
from reference import pairs as reference
from reference.subsets import uncertainty

AVAILABLE = [
    each
    for each in (Instructions.PORTABLE, Instructions.AVX2, Instructions.AVX512)
    if has_instructions(each)
]


def make_codes(rng, n_rows, levels, missing_share=0.0):
    columns = [rng.integers(0, n, n_rows) for n in levels]
    codes = np.array(columns, dtype=np.int32).reshape(len(levels), n_rows).T
    codes[rng.random(codes.shape) < missing_share] = -1
    return codes


def assert_as_reference(codes, target, missing="level", weights=None):
    got = pairwise_gain(codes, target, missing=missing, weights=weights)
    pairs, single = reference.pairwise_gain(codes, target, missing, weights)
    assert list(zip(got.first, got.second, strict=True)) == [p[:2] for p in pairs]
    np.testing.assert_allclose(got.joint_gain, [p[2] for p in pairs], atol=1e-12)
    np.testing.assert_allclose(got.synergy, [p[3] for p in pairs], atol=1e-12)
    np.testing.assert_allclose(got.gain, single, atol=1e-12)
    assert (got.joint_gain >= 0).all()
    assert (got.gain >= 0).all()


def all_bits(gains):
    return [
        getattr(gains, name).tobytes()
        for name in ("first", "second", "joint_gain", "synergy", "gain")
    ]


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(0, 60),
    levels=st.lists(st.sampled_from([1, 2, 3, 4, 5, 9, 30, 70, 300]), max_size=6),
    n_classes=st.integers(1, 4),
    missing_share=st.sampled_from([0.0, 0.2, 0.9]),
    missing=st.sampled_from(["level", "ignore"]),
    weighted=st.booleans(),
)
@settings(deadline=None, max_examples=300)
def test_agrees_with_the_plain_version(
    *, seed, n_rows, levels, n_classes, missing_share, missing, weighted
):
    rng = np.random.default_rng(seed)
    codes = make_codes(rng, n_rows, levels, missing_share)
    target = rng.integers(0, n_classes, n_rows)
    weights = np.round(rng.random(n_rows) * 4, 1) if weighted else None
    assert_as_reference(codes, target, missing, weights)


@pytest.mark.parametrize("missing", ["level", "ignore"])
@pytest.mark.parametrize("n_classes", [2, 100])
def test_agrees_with_many_rows_and_features(missing, n_classes):
    rng = np.random.default_rng(1)
    levels = [2, 3, 5, 6, 17, 40, 64, 65, 300, 400, 1, 2, 3, 16]
    codes = make_codes(rng, 1500, levels, 0.1)
    codes[:, ::2] = np.maximum(codes[:, ::2], 0)
    assert_as_reference(codes, rng.integers(0, n_classes, 1500), missing)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(1, 700),
    levels=st.lists(st.sampled_from([1, 2, 3, 4, 6, 20, 70]), min_size=2, max_size=80),
    n_classes=st.integers(1, 3),
    missing=st.sampled_from(["level", "ignore"]),
    block_size=st.integers(1, 500),
)
@settings(deadline=None, max_examples=60)
def test_every_path_gives_the_same_bits(
    *, seed, n_rows, levels, n_classes, missing, block_size
):
    rng = np.random.default_rng(seed)
    codes = make_codes(rng, n_rows, levels, 0.1)
    target = rng.integers(0, n_classes, n_rows).astype(np.int32)
    expected = pairwise_gain(codes, target, missing=missing)

    for other in (
        np.asfortranarray(codes),
        codes.astype(np.int64),
        codes.astype(np.int8),
        np.repeat(codes, 2, axis=1)[:, ::2],
        codes[::-1][::-1],
    ):
        assert all_bits(pairwise_gain(other, target, missing=missing)) == all_bits(
            expected
        )
    assert all_bits(pairwise_gain(codes, target, missing=missing, n_jobs=2)) == (
        all_bits(expected)
    )
    blocks = list(
        pairwise_gain_blocks(codes, target, missing=missing, block_size=block_size)
    )
    for name in ("first", "second", "joint_gain", "synergy"):
        parts = np.concatenate([getattr(block, name) for block in blocks])
        assert parts.tobytes() == getattr(expected, name).tobytes()
    rule = Missing.LEVEL if missing == "level" else Missing.IGNORE
    for instructions in AVAILABLE:
        scanner = PairScanner(codes, target, n_classes, rule, instructions)
        joint_gain, synergy = (np.empty(len(expected)) for _ in range(2))
        scanner.scan(0, scanner.n_features, joint_gain, synergy)
        assert joint_gain.tobytes() == expected.joint_gain.tobytes()
        assert synergy.tobytes() == expected.synergy.tobytes()
    # Weights of 1 take the slow path, whose sums are doubles.
    slow = pairwise_gain(codes, target, missing=missing, weights=np.ones(n_rows))
    np.testing.assert_allclose(slow.synergy, expected.synergy, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint64, np.int16, bool])
def test_every_type_of_code_gives_the_same_bits(dtype):
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 2, (100, 9)).astype(dtype)
    target = rng.integers(0, 2, 100)
    expected = pairwise_gain(codes.astype(np.int32), target)
    assert all_bits(pairwise_gain(codes, target)) == all_bits(expected)


@given(
    seed=st.integers(0, 2**32 - 1),
    top=st.integers(1, 200),
    by=st.sampled_from(["synergy", "joint_gain"]),
    n_jobs=st.sampled_from([None, 2]),
)
@settings(deadline=None, max_examples=60)
def test_top_is_the_head_of_the_sorted_list(seed, top, by, n_jobs):
    rng = np.random.default_rng(seed)
    # Copies of columns make exact ties.
    codes = make_codes(rng, 30, [2, 3, 2, 9])[:, rng.integers(0, 4, 12)]
    target = rng.integers(0, 2, 30)
    everything = pairwise_gain(codes, target)
    order = np.argsort(-getattr(everything, by), kind="stable")[:top]
    best = pairwise_gain(codes, target, top=top, by=by, n_jobs=n_jobs)
    for name in ("first", "second", "joint_gain", "synergy"):
        np.testing.assert_array_equal(
            getattr(best, name), getattr(everything, name)[order]
        )


def test_many_tasks_give_the_best_of_all():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (64, 600), dtype=np.uint8)
    target = rng.integers(0, 2, 64)
    everything = pairwise_gain(codes, target, n_jobs=2)
    assert all_bits(everything) == all_bits(pairwise_gain(codes, target))
    best = pairwise_gain(codes, target, top=50, n_jobs=2)
    order = np.argsort(-everything.synergy, kind="stable")[:50]
    np.testing.assert_array_equal(best.synergy, everything.synergy[order])
    np.testing.assert_array_equal(best.first, everything.first[order])
    np.testing.assert_array_equal(best.second, everything.second[order])


@pytest.mark.parametrize("missing", ["level", "ignore"])
def test_shuffling_changes_no_bit(missing):
    rng = np.random.default_rng(4)
    codes = make_codes(rng, 333, [2, 3, 5, 4, 20, 70, 2, 1], 0.05)
    target = rng.integers(0, 3, 333)
    expected = pairwise_gain(codes, target, missing=missing)

    rows = rng.permutation(333)
    shuffled = pairwise_gain(codes[rows], target[rows], missing=missing)
    assert all_bits(shuffled) == all_bits(expected)
    renamed = pairwise_gain(codes, np.array([2, 0, 1])[target], missing=missing)
    assert all_bits(renamed) == all_bits(expected)
    levels = np.array([*rng.permutation(200), -1])[codes]
    assert all_bits(pairwise_gain(levels, target, missing=missing)) == (
        all_bits(expected)
    )
    columns = rng.permutation(8)
    moved = pairwise_gain(codes[:, columns], target, missing=missing).as_matrix()
    np.testing.assert_array_equal(moved, expected.as_matrix()[np.ix_(columns, columns)])


def test_exclusive_or_is_pure_synergy():
    codes = np.array(list(itertools.product([0, 1], repeat=3)))
    pairs = pairwise_gain(codes, codes[:, 0] ^ codes[:, 2])
    assert pairs.synergy.tolist() == [0, 1, 0]
    assert pairs.gain.tolist() == [0, 0, 0]


def test_constants_and_one_class_tell_nothing():
    rng = np.random.default_rng(5)
    codes = make_codes(rng, 50, [1, 3, 1])
    target = rng.integers(0, 2, 50)
    pairs = pairwise_gain(codes, target)
    assert pairs.synergy[[0, 1, 2]].tolist() == [0, 0, 0]
    assert pairs.joint_gain.tolist() == [pairs.gain[1], 0, pairs.gain[1]]
    assert not pairwise_gain(codes, np.zeros(50, dtype=int)).joint_gain.any()


def test_codes_and_classes_may_be_sparse():
    rng = np.random.default_rng(6)
    codes = make_codes(rng, 40, [3, 30, 2])
    target = rng.integers(0, 3, 40)
    expected = pairwise_gain(codes, target)
    far = pairwise_gain(codes.astype(np.int64) * 70_000_000 + 5, target * 10**12)
    assert all_bits(far) == all_bits(expected)


@pytest.mark.parametrize("n_features", [0, 1])
def test_fewer_than_two_features_have_no_pairs(n_features):
    codes = np.zeros((3, n_features), dtype=np.uint8)
    assert len(pairwise_gain(codes, [0, 1, 0])) == 0
    assert len(pairwise_gain(codes, [0, 1, 0], top=3)) == 0
    assert list(pairwise_gain_blocks(codes, [0, 1, 0])) == []


@pytest.mark.parametrize("n_features", [3, 70])
def test_no_rows_tell_nothing(n_features):
    pairs = pairwise_gain(np.zeros((0, n_features), dtype=np.int32), [])
    assert len(pairs) == n_features * (n_features - 1) // 2
    assert not pairs.joint_gain.any()
    assert not pairs.synergy.any()


def test_all_missing_and_ignored_tells_nothing():
    codes = np.array([[-1, 0], [-1, 1]])
    pairs = pairwise_gain(codes, [0, 1], missing="ignore")
    assert pairs.joint_gain.tolist() == [0]
    assert pairs.gain.tolist() == [0, 1]


def test_matrix_is_symmetric_and_marks_what_is_not_there():
    rng = np.random.default_rng(7)
    codes = make_codes(rng, 50, [2, 2, 3])
    target = rng.integers(0, 2, 50)
    pairs = pairwise_gain(codes, target)
    matrix = pairs.as_matrix("joint_gain")
    np.testing.assert_array_equal(matrix, matrix.T)
    np.testing.assert_array_equal(np.diag(matrix), pairs.gain)
    assert np.isnan(pairwise_gain(codes, target, top=1).as_matrix()).sum() == 4


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"codes": np.full((2, 2), 0.5)}, ValueError, "cut numeric columns first"),
        ({"codes": np.full((2, 2), "a")}, TypeError, "codes must hold integer codes"),
        ({"codes": np.zeros(2, dtype=int)}, ValueError, "two dimensions"),
        ({"codes": np.full((2, 2), 2**31)}, ValueError, "number the levels from 0"),
        ({"target": [0, 1, 1]}, ValueError, r"shape \(2,\)"),
        ({"target": ["a", "b"]}, TypeError, "target must hold integer codes"),
        ({"target": [0, -1]}, ValueError, "the first in row 1"),
        ({"top": 0}, ValueError, "must be an int >= 1. Got 0 instead"),
        ({"by": "gain"}, ValueError, "The 'by' parameter of pairwise_gain"),
        ({"missing": "drop"}, ValueError, "one of 'level', 'ignore'"),
        ({"missing": "spread"}, ValueError, "one of 'level', 'ignore'"),
        ({"weights": [1.0]}, ValueError, "one number per row"),
        ({"weights": [1.0, -1.0]}, ValueError, "Got -1.0 in row 1"),
        ({"weights": [np.nan, 1.0]}, ValueError, "Got nan in row 0"),
    ],
)
def test_wrong_input_is_explained(arguments, error, message):
    given_arguments = {"codes": np.zeros((2, 2), dtype=int), "target": [0, 1]}
    given_arguments |= arguments
    with pytest.raises(error, match=message):
        pairwise_gain(
            given_arguments.pop("codes"),
            given_arguments.pop("target"),
            **given_arguments,
        )


def test_scanner_refuses_ranges_it_does_not_have():
    scanner = PairScanner(
        np.zeros((2, 3), dtype=np.uint8),
        np.zeros(2, dtype=np.int32),
        1,
        Missing.LEVEL,
    )
    with pytest.raises(IndexError):
        scanner.scan_top(0, 4, 1, PairScore.SYNERGY)
    with pytest.raises(ValueError, match="one value per pair"):
        scanner.scan(0, 3, np.empty(2), np.empty(3))


def test_scanner_does_not_spread_missing_values():
    codes, classes = np.zeros((2, 3), dtype=np.uint8), np.zeros(2, dtype=np.int32)
    with pytest.raises(ValueError, match="cannot be spread"):
        PairScanner(codes, classes, 1, Missing.SPREAD)


TREATMENTS = ("level", "ignore", "spread")


@st.composite
def tables(draw):
    n_rows = draw(st.integers(1, 40))
    n_columns = draw(st.integers(1, 6))
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    codes = np.empty((n_rows, n_columns), dtype=np.int32)
    for j in range(n_columns):
        # Few levels have planes, many are counted in tables or walked.
        levels = random.choice([1, 2, 3, 5, 8, 100, 3000])
        codes[:, j] = random.integers(0, levels, n_rows)
    if draw(st.booleans()):
        codes[random.random(codes.shape) < 0.3] = -1
    weights = None
    if draw(st.booleans()):
        weights = random.choice([0.0, 0.5, 1.0, 2.25], n_rows)
    return codes, weights


def plain(column):
    return [None if code < 0 else int(code) for code in column]


@given(tables(), st.sampled_from(TREATMENTS))
def test_equals_the_definition(table, missing):
    codes, weights = table
    for measure, part in (("symmetrical_uncertainty", 0), ("mutual_information", 1)):
        found = pairwise_uncertainty(
            codes, measure=measure, missing=missing, weights=weights
        )
        for i in range(codes.shape[1]):
            for j in range(codes.shape[1]):
                x, y = plain(codes[:, i]), plain(codes[:, j])
                expected = uncertainty(x, y, weights, missing)[part]
                assert found[i, j] == pytest.approx(expected, abs=1e-9)


@given(tables(), st.sampled_from(TREATMENTS))
@settings(max_examples=30)
def test_rows_and_matrix_agree_whatever_counts(table, missing):
    codes, weights = table
    expected = pairwise_uncertainty(codes, missing=missing, weights=weights)
    for instructions in (
        Instructions.PORTABLE,
        Instructions.AVX2,
        Instructions.AVX512,
    ):
        if not has_instructions(instructions):
            continue
        scanner = AssociationScanner(
            codes,
            None,
            getattr(Missing, missing.upper()),
            instructions,
            weights,
        )
        for j in range(codes.shape[1]):
            row = scanner.row(j, PairMeasure.SYMMETRICAL_UNCERTAINTY)
            assert_array_equal(row, expected[j])


def make(n_rows=500, n_columns=90, seed=0):
    random = np.random.default_rng(seed)
    levels = random.integers(2, 8, n_columns)
    return (random.random((n_rows, n_columns)) * levels).astype(np.uint8)


def test_tells_of_a_class_what_the_measures_tell():
    codes = make()
    classes = make(seed=1)[:, 0].astype(np.int32)
    scanner = AssociationScanner(codes, classes, Missing.LEVEL)
    ours = scanner.row(scanner.n_features, PairMeasure.SYMMETRICAL_UNCERTAINTY)
    assert_allclose(ours, symmetrical_uncertainty(codes, classes), atol=1e-12)
    ours = scanner.row(scanner.n_features, PairMeasure.MUTUAL_INFORMATION)
    assert_allclose(ours, information_gain(codes, classes), atol=1e-12)


def test_no_bit_depends_on_order_layout_or_threads():
    codes = make()
    expected = pairwise_uncertainty(codes)
    rows = np.random.default_rng(2).permutation(len(codes))
    columns = np.random.default_rng(3).permutation(codes.shape[1])
    assert_array_equal(pairwise_uncertainty(codes[rows]), expected)
    moved = pairwise_uncertainty(codes[:, columns])
    assert_array_equal(moved, expected[np.ix_(columns, columns)])
    for other in (np.asfortranarray(codes), codes.astype(np.int32), codes[::-1]):
        assert_array_equal(pairwise_uncertainty(other), expected)
    many = make(50, 400)
    assert_array_equal(
        pairwise_uncertainty(many, n_jobs=3), pairwise_uncertainty(many, n_jobs=1)
    )


def test_edges():
    assert pairwise_uncertainty(np.empty((0, 2), dtype=np.int32)).tolist() == [
        [0.0, 0.0],
        [0.0, 0.0],
    ]
    assert pairwise_uncertainty(np.empty((3, 0), dtype=np.int32)).shape == (0, 0)
    unknown = np.full((4, 2), -1, dtype=np.int32)
    for missing in TREATMENTS:
        assert not pairwise_uncertainty(unknown, missing=missing).any()
    assert not pairwise_uncertainty(make(), weights=np.zeros(500)).any()


def test_says_what_is_wrong():
    with pytest.raises(ValueError, match="matrix"):
        pairwise_uncertainty([0, 1, 2])
    with pytest.raises(ValueError, match="'measure' parameter of pairwise_uncertainty"):
        pairwise_uncertainty([[0]], measure="gain_ratio")
    with pytest.raises(ValueError, match="'missing' parameter"):
        pairwise_uncertainty([[0]], missing="drop")


def test_columns_that_are_never_known_together():
    # 2/3 is what Weka's CFS finds for two such columns of eight rows.
    codes = np.full((8, 2), -1)
    codes[:4] = [[0, -1], [1, -1], [-1, 0], [-1, 1]]
    assert pairwise_uncertainty(codes, missing="spread")[0, 1] == pytest.approx(2 / 3)
