"""Typed columns as Relief reads them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from featsieve.data import Column, ColumnKind, Table
from featsieve.selectors.relief._relief_rows import lay_out_rows, scale_to_unit
from reference.relief import differences
from relief_tables import as_table, mixed_columns


def is_known(column):
    return column >= 0 if column.dtype.kind == "i" else ~np.isnan(column)


@settings(max_examples=40)
@given(mixed_columns())
def test_rows_hold_what_the_definition_asks_for(drawn):
    columns, random = drawn
    n = len(columns[0])
    weights = random.integers(1, 4, n).astype(float)
    order = random.permutation(n)
    found = lay_out_rows(as_table(columns), order, weights, weka=False)
    a, b, c, d = found.groups
    assert a + b + c + d == len(columns)
    assert sorted(found.positions.tolist()) == list(range(len(columns)))
    for j, column in enumerate(columns):
        place = int(found.positions[j])
        known = is_known(column)
        apart = differences(column, weights)
        values = found.values[:, place]
        is_nominal = column.dtype.kind == "i"
        if known.any() and not known.all():
            assert place >= a + b
            assert (place >= a + b + c) == is_nominal
            # What a row differs by from one whose value is missing.
            gap = int(np.flatnonzero(~known)[0])
            line = found.expected[:, place - a - b]
            np.testing.assert_allclose(line, apart[order, gap], atol=1e-12)
        else:
            assert (place >= a) == is_nominal
            assert not np.isnan(values).any()
        for i in range(n):
            for k in range(n):
                if known[order[i]] and known[order[k]]:
                    own = (
                        float(values[i] != values[k])
                        if is_nominal
                        else abs(values[i] - values[k])
                    )
                    assert own == pytest.approx(apart[order[i], order[k]], abs=1e-12)


@pytest.mark.parametrize(
    ("values", "least", "scaled"),
    [
        ([2.0, 4.0, 3.0], 0.0, [0, 1, 0.5]),
        ([5.0, 5.0, np.nan], 0.0, [0, 0, np.nan]),
        ([np.nan, np.nan], 0.0, [np.nan, np.nan]),
        ([-1.7e308, 1.7e308, 0.0], 0.0, [0, 1, 0.5]),
        ([0.0, 9e-7], 1e-6, [0, 0]),
        ([0.0, 1e-6], 1e-6, [0, 1]),
        ([0.0, 5e-324], 0.0, [0, 1]),
    ],
)
def test_numbers_are_scaled_by_their_range(values, least, scaled):
    np.testing.assert_array_equal(scale_to_unit(np.array(values), least), scaled)


def test_many_columns_are_scaled_as_one_is():
    random = np.random.default_rng(0)
    columns = list(random.normal(size=(70, 9)))
    columns[40] = np.full(9, 3.0)  # constant, among others that are not
    found = lay_out_rows(as_table(columns), np.arange(9), None, weka=False)
    assert found.groups == (70, 0, 0, 0)
    for j, column in enumerate(columns):
        np.testing.assert_allclose(found.values[:, j], scale_to_unit(column))


def test_missing_values_in_the_eyes_of_weka():
    codes = np.array([0, -1, 2], dtype=np.int32)
    table = Table(
        (
            Column("w", ColumnKind.NOMINAL, codes, tuple("abcd")),
            Column("x", ColumnKind.NUMERIC, np.array([0.0, np.nan, 4.0])),
            Column("y", ColumnKind.NUMERIC, np.array([0.0, 1.0, 4.0])),
            Column("empty", ColumnKind.NUMERIC, np.full(3, np.nan)),
        )
    )
    found = lay_out_rows(table, np.arange(3), None, weka=True)
    assert found.groups == (1, 0, 2, 1)  # an empty column has missing values
    word, number = (found.expected[:, found.positions[j] - 1] for j in (0, 1))
    assert word.tolist() == [0.75] * 3  # one level of four is the same
    assert number.tolist() == [1, 1, 1]
    ours = lay_out_rows(table, np.arange(3), None, weka=False)
    assert ours.groups == (2, 0, 1, 1)  # and to us is constant
