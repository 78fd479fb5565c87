"""Cuts against their definitions, codes of tables, what every discretizer promises."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone

from featsieve._kernels import CutPrice, GrowthRules, apply_cuts, grow_tree, mdl_cuts
from featsieve.data import (
    EqualFrequencyDiscretizer,
    EqualWidthDiscretizer,
    MDLDiscretizer,
    read_table,
)
from featsieve.data._discretize import (
    MatrixEncoder,
    aligned_table,
    reads_typed_tables,
    tree_columns,
)
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.selectors import CFSFilter
from reference import measures as reference

PRICES = {"fayyad_irani": CutPrice.FAYYAD_IRANI, "better": CutPrice.BETTER}
ALL = [MDLDiscretizer(), EqualFrequencyDiscretizer(), EqualWidthDiscretizer()]


@st.composite
def numeric_columns(draw, classes=4, most_rows=60):
    """A column with ties and missing values, classes that may follow it, weights."""
    n_classes = draw(st.integers(2, classes))
    n_rows = draw(st.integers(2, most_rows))
    distinct = draw(st.integers(1, 30))
    seed = draw(st.integers(0, 2**32 - 1))
    strength = draw(st.sampled_from([0.0, 0.5, 0.9, 1.0]))
    missing = draw(st.sampled_from([0.0, 0.2]))
    random = np.random.default_rng(seed)
    values = random.integers(0, distinct, n_rows) / 4
    follows = (values * 4 * n_classes // distinct).astype(np.int32)
    noise = random.integers(0, n_classes, n_rows, dtype=np.int32)
    y = np.where(random.random(n_rows) < strength, follows, noise).astype(np.int32)
    values[random.random(n_rows) < missing] = np.nan
    return values, y, n_classes


def cuts_of(values, y, n_classes, price=CutPrice.FAYYAD_IRANI, weights=None):
    return mdl_cuts(values, y, n_classes, weights, price)


@pytest.mark.parametrize("encoding", PRICES)
@given(column=numeric_columns())
def test_mdl_cuts_equal_the_definition(encoding, column):
    values, y, n_classes = column
    got = cuts_of(values, y, n_classes, PRICES[encoding])
    expected = reference.mdl_cuts(values.tolist(), y.tolist(), encoding)
    np.testing.assert_allclose(got, expected)


@given(column=numeric_columns())
def test_kononenko_cuts_equal_the_definition(column):
    values, y, n_classes = column
    try:
        expected = reference.mdl_cuts(values.tolist(), y.tolist(), "kononenko")
    except reference.TiedError:
        assume(False)
    got = cuts_of(values, y, n_classes, CutPrice.KONONENKO)
    np.testing.assert_allclose(got, expected)


# Descriptions of equal length: what rounding makes of them in Weka 3.9.7.
@pytest.mark.parametrize(
    ("classes", "n_left", "cut"),
    [
        ([0, 0, 1], 2, True),
        ([0, 2, 2, 2, 2, 1, 1], 5, False),
        ([0, 1, 2, 2, 3, 3, 3], 4, False),
    ],
)
def test_kononenko_ties_are_decided_as_in_weka(classes, n_left, cut):
    values = (np.arange(len(classes)) >= n_left).astype(float)
    y = np.array(classes, dtype=np.int32)
    got = cuts_of(values, y, 4, CutPrice.KONONENKO)
    assert got.tolist() == ([0.5] if cut else [])


@pytest.mark.parametrize("rows", [600, 3000])
@pytest.mark.parametrize("digits", [0, 1, 12])
def test_mdl_cuts_of_long_columns_equal_the_definition(rows, digits):
    # Long enough to be sorted by digits, with values that share many high bits.
    random = np.random.default_rng(rows + digits)
    y = random.integers(0, 3, rows, dtype=np.int32)
    values = 1000 + np.round(random.normal(size=rows) + y, digits)
    subset = slice(None, 600)  # the definition is quadratic
    got = cuts_of(values[subset].copy(), y[subset].copy(), 3)
    expected = reference.mdl_cuts(values[subset].tolist(), y[subset].tolist())
    np.testing.assert_allclose(got, expected)
    # Order of rows is no matter, whatever their number.
    order = random.permutation(rows)
    whole = cuts_of(values, y, 3)
    np.testing.assert_array_equal(cuts_of(values[order], y[order], 3), whole)


@given(column=numeric_columns(), data=st.data())
def test_whole_weights_are_repeats(column, data):
    values, y, n_classes = column
    repeats = np.array(
        data.draw(st.lists(st.integers(1, 4), min_size=len(y), max_size=len(y)))
    )
    for price in (*PRICES.values(), CutPrice.KONONENKO):
        weighted = cuts_of(values, y, n_classes, price, repeats.astype(float))
        repeated = cuts_of(
            np.repeat(values, repeats), np.repeat(y, repeats), n_classes, price
        )
        np.testing.assert_allclose(weighted, repeated)


@given(column=numeric_columns())
def test_names_of_classes_are_no_matter(column):
    values, y, n_classes = column
    renamed = (n_classes - 1 - y).astype(np.int32)
    np.testing.assert_array_equal(
        cuts_of(values, y, n_classes), cuts_of(values, renamed, n_classes)
    )


def test_kernel_refuses_wrong_arguments():
    values, y = np.array([1.0, 2.0]), np.array([0, 1], dtype=np.int32)
    for wrong in (
        (values, y[:1], 2, None),
        (values, y, 1, None),
        (values, y, 0, None),
        (values, y, 2, np.ones(1)),
    ):
        with pytest.raises(ValueError, match=r"class|weight"):
            mdl_cuts(*wrong, CutPrice.BETTER)


@given(column=numeric_columns())
def test_a_value_equal_to_a_cut_lies_left_of_it(column):
    values, _, _ = column
    cuts = np.unique(values[~np.isnan(values)])[:20]
    codes = apply_cuts(values, cuts)
    for value, code in zip(values, codes, strict=True):
        expected = -1 if math.isnan(value) else int(np.sum(cuts < value))
        assert code == expected


@given(column=numeric_columns(), n_bins=st.integers(2, 8))
def test_equal_frequency_bins_are_balanced_and_tear_no_ties(column, n_bins):
    values, _, _ = column
    discretizer = EqualFrequencyDiscretizer(n_bins=n_bins).fit(values[:, np.newaxis])
    (cuts,) = discretizer.cut_points_
    known = values[~np.isnan(values)]
    assert np.all(np.diff(cuts) > 0)
    assert len(cuts) < n_bins
    codes = discretizer.transform(values[:, np.newaxis]).ravel()
    for value in np.unique(known):
        assert len(np.unique(codes[values == value])) == 1
    if len(known) == 0:
        return
    # No boundary between distinct values is nearer to a wanted quantile than the cut
    # chosen for it.
    distinct, counts = np.unique(known, return_counts=True)
    after = counts.cumsum()[:-1]
    chosen = np.array([np.sum(known <= cut) for cut in cuts])
    for wanted in len(known) * np.arange(1, n_bins) / n_bins:
        if len(distinct) > 1:
            nearest = np.abs(after - wanted).min()
            assert np.abs(chosen - wanted).min() == pytest.approx(nearest)


def test_equal_frequency_without_ties_is_exact():
    values = np.random.default_rng(0).permutation(100).astype(float)
    discretizer = EqualFrequencyDiscretizer(n_bins=4)
    codes = discretizer.fit_transform(values[:, np.newaxis]).ravel()
    assert np.bincount(codes).tolist() == [25, 25, 25, 25]
    weights = np.where(values < 50, 3.0, 1.0)
    heavy = discretizer.fit(values[:, np.newaxis], sample_weight=weights)
    codes = heavy.transform(values[:, np.newaxis]).ravel()
    np.testing.assert_allclose(
        np.bincount(codes, weights=weights), [50, 50, 50, 50], atol=3
    )


@given(column=numeric_columns(), n_bins=st.integers(2, 8))
def test_equal_width_cuts_divide_the_range(column, n_bins):
    values, _, _ = column
    (cuts,) = (
        EqualWidthDiscretizer(n_bins=n_bins).fit(values[:, np.newaxis]).cut_points_
    )
    known = values[~np.isnan(values)]
    if len(np.unique(known)) < 2:
        assert len(cuts) == 0
        return
    edges = np.concatenate(([known.min()], cuts, [known.max()]))
    np.testing.assert_allclose(np.diff(edges), np.ptp(known) / n_bins)


@pytest.mark.parametrize("discretizer", ALL, ids=lambda d: type(d).__name__)
def test_missing_and_unseen_values_get_no_level(discretizer):
    frame = pd.DataFrame(
        {"size": [1.0, 2.0, 3.0, 4.0] * 10, "colour": ["red", "blue"] * 20}
    )
    y = (frame["size"] > 2).astype(int)
    fitted = clone(discretizer).fit(frame, y)
    assert fitted.cut_points_[1] is None
    assert fitted.levels_[1] == ("blue", "red")
    later = pd.DataFrame({"size": [np.nan, 9.0], "colour": ["red", "green"]})
    codes = fitted.transform(later)
    assert codes.dtype == np.int32
    assert codes[:, 0].tolist() == [-1, len(fitted.cut_points_[0])]
    assert codes[:, 1].tolist() == [1, -1]


def test_mdl_leaves_out_rows_without_a_class():
    values = np.array([[1.0], [2.0], [3.0], [4.0], [5.0]] * 8)
    y = np.array([0.0, 0.0, np.nan, 1.0, 1.0] * 8)
    with pytest.warns(DroppedRowsWarning, match="8 of 40 rows have no target") as told:
        cuts = MDLDiscretizer().fit(values, y).cut_points_
    assert told[0].filename == __file__
    assert [cut.tolist() for cut in cuts] == [[3.0]]
    weights = np.array([1.0, 1.0, 5.0, 1.0, 1.0] * 8)
    with pytest.warns(DroppedRowsWarning):
        weighted = MDLDiscretizer().fit(values, y, sample_weight=weights).cut_points_
    assert [cut.tolist() for cut in weighted] == [[3.0]]


def test_rows_of_no_weight_suggest_no_cut():
    values = np.array([[1.0], [2.0], [9.0]] * 10)
    weights = np.array([1.0, 1.0, 0.0] * 10)
    cuts = EqualWidthDiscretizer(n_bins=2).fit(values, sample_weight=weights)
    assert cuts.cut_points_[0].tolist() == [1.5]


@pytest.mark.parametrize("discretizer", ALL, ids=lambda d: type(d).__name__)
@pytest.mark.parametrize("output", ["pandas", "polars"])
def test_output_keeps_names_in_the_frame_asked_for(discretizer, output):
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0] * 9, "b": [0.0, 5.0] * 18})
    y = (frame["a"] > 2).astype(int)
    fitted = clone(discretizer).set_output(transform=output).fit(frame, y)
    result = fitted.transform(frame)
    assert isinstance(result, pd.DataFrame if output == "pandas" else pl.DataFrame)
    assert list(result.columns) == ["a", "b"]
    plain = clone(discretizer).fit(frame, y).transform(frame)
    np.testing.assert_array_equal(np.asarray(result), plain)


@pytest.mark.parametrize(
    ("discretizer", "message"),
    [
        (MDLDiscretizer(cut_cost="none"), "cut_cost"),
        (EqualFrequencyDiscretizer(n_bins=1), "n_bins"),
        (EqualWidthDiscretizer(n_bins=1), "n_bins"),
        (EqualFrequencyDiscretizer(n_bins=10**12), "n_bins.* <= 65536"),
        (EqualWidthDiscretizer(n_bins=10**12), "n_bins.* <= 65536"),
    ],
)
def test_wrong_parameters_are_named(discretizer, message):
    with pytest.raises(ValueError, match=message):
        discretizer.fit([[1.0], [2.0]], [0, 1])


def test_clones_and_copies_of_settings():
    assert clone(MDLDiscretizer(cut_cost="better")).cut_cost == "better"
    assert clone(EqualWidthDiscretizer(n_bins=7)).get_params() == {"n_bins": 7}


def test_a_numeric_column_must_stay_numeric():
    fitted = EqualWidthDiscretizer().fit(pd.DataFrame({"a": [1.0, 2.0, 5.0]}))
    with pytest.raises(ValueError, match="'a' was numeric"):
        fitted.transform(pd.DataFrame({"a": ["x", "y", "z"]}))


def test_codes_are_levels_and_bins():
    table = read_table({"word": ["b", "a", "c", "b"], "x": [0.0, 1.0, 7.0, 8.0]})
    encoder = EqualWidthDiscretizer(4).fit_table(table, None, 0, None)
    assert encoder.n_levels_.tolist() == [3, 4]
    codes = encoder.encode(table)
    assert codes.tolist() == [[1, 0], [0, 0], [2, 3], [1, 3]]
    assert codes.dtype == np.uint8
    assert codes.flags.f_contiguous


def test_missing_values_need_a_wider_type():
    table = read_table({"word": ["b", None, "a"], "x": [1.5, 2.5, np.nan]})
    codes = EqualWidthDiscretizer(2).fit_table(table, None, 0, None).encode(table)
    assert codes.dtype == np.int32
    assert codes.tolist() == [[1, 0], [-1, 1], [0, -1]]


@pytest.mark.parametrize(("n_levels", "kind"), [(256, np.uint8), (257, np.int32)])
def test_bytes_hold_256_levels(n_levels, kind):
    table = read_table({"w": [f"{k:03d}" for k in range(n_levels)] * 2})
    codes = EqualWidthDiscretizer(2).fit_table(table, None, 0, None).encode(table)
    assert codes.dtype == kind
    assert codes[:, 0].tolist() == list(range(n_levels)) * 2


def test_cuts_are_learnt_in_fit_only():
    rows = read_table({"x": np.arange(8.0)})
    encoder = EqualFrequencyDiscretizer(2).fit_table(rows, None, 0, None)
    later = read_table({"x": [-50.0, 3.0, 4.0, 900.0, np.nan]})
    assert encoder.encode(later)[:, 0].tolist() == [0, 0, 1, 1, -1]


def test_classes_and_weights_reach_the_discretizer():
    table = read_table({"x": np.arange(20.0), "z": np.arange(20.0) % 2})
    classes = (np.arange(20) >= 5).astype(np.int32)
    encoder = MDLDiscretizer().fit_table(table, classes, 2, None)
    assert encoder.n_levels_.tolist() == [2, 1]
    assert np.bincount(encoder.encode(table)[:, 0]).tolist() == [5, 15]
    # Without weight the first five rows suggest no cut.
    weights = (np.arange(20) >= 5).astype(float)
    encoder = MDLDiscretizer().fit_table(table, classes, 2, weights)
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


TRAIN = read_table(
    {
        "x": [1.0, None, 3.0, 8.0],
        "colour": ["red", "blue", None, "red"],
        "void": [None, None, None, None],
    },
    numeric=["void"],
)


def test_codes_keep_one_column_per_feature():
    matrix = MatrixEncoder(one_hot=False).fit(TRAIN).transform(TRAIN)
    assert matrix.tolist() == [[1, 1, 0], [3, 0, 0], [3, -1, 0], [8, 1, 0]]


def test_levels_get_a_column_each_and_missing_is_one_of_them():
    encoder = MatrixEncoder(one_hot=True).fit(TRAIN)
    matrix = encoder.transform(TRAIN)
    # x, void, then missing, blue, red
    assert matrix[:, 0].tolist() == [1, 3, 3, 8]
    assert matrix[:, 2:].tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 0], [0, 0, 1]]


def test_medians_and_levels_are_those_of_training_rows():
    encoder = MatrixEncoder(one_hot=True).fit(TRAIN.take(np.array([0, 3])))
    later = encoder.transform(TRAIN.take(np.array([1, 2])))
    assert later[:, 0].tolist() == [4.5, 3.0]
    assert later[:, 2:].tolist() == [[0], [0]]  # neither blue nor missing were seen


def test_codes_are_aligned_by_level():
    later = read_table({"x": [1.0, 2.0, 3.0], "colour": ["violet", "red", "blue"]})
    aligned = aligned_table(later, TRAIN.select(["x", "colour"]))
    assert aligned["colour"].values.tolist() == [-1, 1, 0]
    assert aligned["colour"].levels == ("blue", "red")


def test_kinds_must_be_the_same_unless_nothing_is_known():
    reference = TRAIN.select(["x"])
    with pytest.raises(DataError, match="'x' was numeric in fit and is nominal now"):
        aligned_table(read_table({"x": ["a", "b"]}), reference)
    empty = aligned_table(read_table({"x": [None, None]}, nominal=["x"]), reference)
    assert np.isnan(empty["x"].values).all()


def test_ours_read_tables_and_so_do_their_heirs():
    class Heir(CFSFilter):
        pass

    assert reads_typed_tables(Heir())
    assert not reads_typed_tables(BaseEstimator())
