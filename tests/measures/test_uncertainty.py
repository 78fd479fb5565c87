"""Pairwise uncertainties against their definition, on every path of the kernel."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from featsieve._kernels import (
    Instructions,
    Measure,
    Missing,
    UncertaintyScanner,
    has_instructions,
)
from featsieve.measures import (
    information_gain,
    pairwise_uncertainty,
    symmetrical_uncertainty,
)
from reference.subsets import uncertainty

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
        scanner = UncertaintyScanner(
            codes,
            np.zeros(len(codes), dtype=np.int32),
            getattr(Missing, missing.upper()),
            instructions,
            weights,
        )
        for j in range(codes.shape[1]):
            row = scanner.row(j, Measure.SYMMETRICAL_UNCERTAINTY)
            assert_array_equal(row, expected[j])


def make(n_rows=500, n_columns=90, seed=0):
    random = np.random.default_rng(seed)
    levels = random.integers(2, 8, n_columns)
    return (random.random((n_rows, n_columns)) * levels).astype(np.uint8)


def test_tells_of_a_class_what_the_measures_tell():
    codes = make()
    classes = make(seed=1)[:, 0].astype(np.int32)
    scanner = UncertaintyScanner(codes, classes, Missing.LEVEL)
    ours = scanner.row(scanner.n_features, Measure.SYMMETRICAL_UNCERTAINTY)
    assert_allclose(ours, symmetrical_uncertainty(codes, classes), atol=1e-12)
    ours = scanner.row(scanner.n_features, Measure.INFORMATION_GAIN)
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
