"""Associations as subset searches see them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.inference.api import CodedColumns
from featsieve.measures import pairwise_uncertainty, symmetrical_uncertainty
from featsieve.selectors.associations._associations import (
    GivenAssociations,
    UncertaintyAssociations,
    on_grid,
    weka_rounding,
)

SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@given(SHARES, st.randoms())
def test_sums_on_the_grid_know_no_order(values, random):
    rounded = on_grid(np.array(values), False)
    assert abs(rounded - values).max() <= 2.0**-41
    np.testing.assert_array_equal(rounded * 2**40, np.rint(rounded * 2**40))
    shuffled = rounded.tolist()
    random.shuffle(shuffled)
    assert sum(shuffled) == sum(rounded.tolist())
    np.testing.assert_array_equal(on_grid(rounded, True), rounded)


def test_weka_rounds_to_32_bits_and_takes_nothing_for_all():
    values = np.array([0.1, 0.0, 9e-7, 1e-6, -0.5])
    between = weka_rounding(values, False)
    assert between.tolist() == [np.float32(0.1), 1, 1, np.float32(1e-6), -0.5]
    with_class = weka_rounding(values, True)
    assert with_class.tolist()[1:3] == [0, 0]


def test_given_ones_are_passed_on():
    given_ = GivenAssociations([0.5, 0.25], [[1, 0.75], [0.75, 1]])
    assert given_.with_class.tolist() == [0.5, 0.25]
    assert given_.row(1).tolist() == [0.75, 1]
    assert given_.matrix()[0].tolist() == [1, 0.75]


@pytest.mark.parametrize("missing", ["level", "ignore"])
def test_uncertainties_are_those_of_the_measures(missing):
    random = np.random.default_rng(0)
    codes = np.asfortranarray(random.integers(-1, 3, (60, 4)).astype(np.int32))
    classes = random.integers(0, 2, 60).astype(np.int32)
    columns = CodedColumns(codes, np.full(4, 3, np.int32), {}, classes, 2, None)
    found = UncertaintyAssociations(columns, missing, rounding=on_grid)
    expected = on_grid(pairwise_uncertainty(codes, missing=missing), False)
    np.testing.assert_allclose(found.matrix(), expected, atol=1e-11)
    for j in range(4):
        np.testing.assert_array_equal(found.row(j), found.matrix()[j])
    plain = symmetrical_uncertainty(codes, classes, missing=missing)
    np.testing.assert_allclose(found.raw_with_class, plain, atol=1e-12)
    np.testing.assert_array_equal(found.with_class, on_grid(found.raw_with_class, True))
    assert found.row(2) is found.row(2)  # counted once
