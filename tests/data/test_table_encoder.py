"""A table as one matrix of codes."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve._kernels import GrowthRules, grow_tree
from featsieve.data import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
    TableEncoder,
    read_table,
)
from featsieve.data._table_encoder import tree_columns


def test_codes_are_levels_and_bins():
    table = read_table({"word": ["b", "a", "c", "b"], "x": [0.0, 1.0, 7.0, 8.0]})
    encoder = TableEncoder(EqualWidthDiscretizer(4)).fit(table)
    assert encoder.n_levels_.tolist() == [3, 4]
    codes = encoder.transform(table)
    assert codes.tolist() == [[1, 0], [0, 0], [2, 3], [1, 3]]
    assert codes.dtype == np.uint8
    assert codes.flags.f_contiguous


def test_missing_values_need_a_wider_type():
    table = read_table({"word": ["b", None, "a"], "x": [1.5, 2.5, np.nan]})
    codes = TableEncoder(EqualWidthDiscretizer(2)).fit(table).transform(table)
    assert codes.dtype == np.int32
    assert codes.tolist() == [[1, 0], [-1, 1], [0, -1]]


@pytest.mark.parametrize(("n_levels", "kind"), [(256, np.uint8), (257, np.int32)])
def test_bytes_hold_256_levels(n_levels, kind):
    table = read_table({"w": [f"{k:03d}" for k in range(n_levels)] * 2})
    codes = TableEncoder(EqualWidthDiscretizer(2)).fit(table).transform(table)
    assert codes.dtype == kind
    assert codes[:, 0].tolist() == list(range(n_levels)) * 2


def test_cuts_are_learnt_in_fit_only():
    rows = read_table({"x": np.arange(8.0)})
    encoder = TableEncoder(EqualFrequencyDiscretizer(2)).fit(rows)
    later = read_table({"x": [-50.0, 3.0, 4.0, 900.0, np.nan]})
    assert encoder.transform(later)[:, 0].tolist() == [0, 0, 1, 1, -1]


def test_classes_and_weights_reach_the_discretizer():
    table = read_table({"x": np.arange(20.0), "z": np.arange(20.0) % 2})
    classes = (np.arange(20) >= 5).astype(np.int32)
    encoder = TableEncoder(MDLDiscretizer()).fit(table, classes, 2)
    assert encoder.n_levels_.tolist() == [2, 1]
    assert np.bincount(encoder.transform(table)[:, 0]).tolist() == [5, 15]
    # Without weight the first five rows suggest no cut.
    weights = (np.arange(20) >= 5).astype(float)
    encoder = TableEncoder(MDLDiscretizer()).fit(table, classes, 2, weights)
    assert encoder.n_levels_.tolist() == [1, 1]


def test_kinds_and_missing_values_are_kept():
    table = read_table(
        {"size": [1.0, 2.0, np.nan, 8.0], "colour": ["red", None, "blue", "red"]}
    )
    columns = tree_columns(table)
    assert (columns.n_rows, columns.n_columns) == (4, 2)
    classes = np.array([0, 0, 1, 1], dtype=np.int32)
    rules = GrowthRules()
    rules.max_depth = 1
    _, tried = grow_tree(columns, rules, classes=classes, n_classes=2, observe=True)
    # Of three known sizes one cut tells all; of three known colours blue is pure.
    known = -(2 / 3 * np.log2(2 / 3) + 1 / 3 * np.log2(1 / 3))
    np.testing.assert_allclose(tried["gain"], [3 / 4 * known, 3 / 4 * (known - 2 / 3)])
