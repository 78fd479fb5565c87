"""X, y and weights in every form: no mask, type, name or level gets lost on the way."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from featsieve.data import Column, ColumnKind, MDLDiscretizer, read_table
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.inference._association_tests import n_known
from featsieve.selectors import AssociationFilter, DecisionRuleFilter, MeasureFilter
from featsieve.trees import RandomTreeRegressor

Y = [0, 1] * 10
FLAG = ["u", "v"] * 10
SIZE = [1.0, 2.0] * 10


def fitted(X, y=Y, **options):
    return MeasureFilter(**options).fit(X, y)


def test_masked_values_are_missing():
    mask = np.tile([[False, False], [True, False]], (10, 1))
    X = np.ma.array(np.tile([[0.0, 5.0], [0.0, 6.0]], (10, 1)), mask=mask)
    assert fitted(X).scores_.tolist() == [1, 1]
    filled = fitted(X).transform(X)
    assert np.isnan(filled[1, 0])


def test_masked_truth_values_and_integers_keep_their_kind():
    mask = [[False], [True]] * 10
    truth = np.ma.array([[True], [False]] * 10, mask=mask)
    assert fitted(truth).discretizer_.cut_points_ == [None]
    numbers = np.ma.array([[1], [2]] * 10, mask=mask)
    assert len(fitted(numbers).discretizer_.cut_points_[0]) == 0


def test_masked_classes_are_left_out():
    y = np.ma.array(Y, mask=[True] + [False] * 19)
    with pytest.warns(DroppedRowsWarning, match="1 of 20"):
        selector = fitted([[value] for value in FLAG], y)
    assert selector.classes_.tolist() == [0, 1]


def test_numbers_beside_text_in_lists_stay_numbers():
    X = [[1.0, "u"], [float("nan"), "v"], [2.0, "u"], [9.0, "v"]] * 10
    selector = fitted(X, [0, 1] * 20)
    assert selector.discretizer_.cut_points_[0].tolist() == [5.5]
    assert selector.discretizer_.levels_[1] == ("u", "v")


def test_nan_in_a_list_of_text_classes_is_missing():
    with pytest.warns(DroppedRowsWarning, match="10 of 30"):
        selector = fitted([[1], [2], [3]] * 10, [float("nan"), "a", "b"] * 10)
    assert selector.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "y",
    [
        pd.Categorical(FLAG, ["v", "u", "unused"]),
        pd.Series(pd.Categorical(FLAG, ["v", "u", "unused"])),
        pa.DictionaryArray.from_arrays([1, 0] * 10, ["v", "u", "unused"], ordered=True),
        pl.Series(FLAG, dtype=pl.Enum(["v", "u", "unused"])),
    ],
    ids=["categorical", "series", "arrow", "polars"],
)
def test_declared_classes_keep_their_order(y):
    assert fitted([[v] for v in Y], y).classes_.tolist() == ["v", "u", "unused"]


def test_classes_that_are_tuples_stay_one_dimensional():
    y = pd.Series(pd.Categorical([(1, 2), (3, 4)] * 10))
    assert fitted([[v] for v in Y], y).classes_.tolist() == [(1, 2), (3, 4)]


@pytest.mark.parametrize("dtype", [">i4", ">i8", ">u2", ">f8"])
def test_foreign_byte_order(dtype):
    y = np.array(Y, dtype=dtype)
    assert fitted(y[:, np.newaxis], y, nominal="all").scores_.tolist() == [1]


RECORDS = {
    "mapping": {"flag": FLAG, "size": SIZE},
    "rows": [{"flag": f, "size": s} for f, s in zip(FLAG, SIZE, strict=True)],
    "structured": np.array(
        list(zip(FLAG, SIZE, strict=True)), dtype=[("flag", "U1"), ("size", float)]
    ),
    "lazy": pl.LazyFrame({"flag": FLAG, "size": SIZE}),
    "batch": pa.record_batch({"flag": FLAG, "size": SIZE}),
    "table": read_table({"flag": FLAG, "size": SIZE}),
}


@pytest.mark.parametrize("X", RECORDS.values(), ids=RECORDS)
def test_whatever_has_names_can_be_fitted_and_transformed(X):
    selector = MeasureFilter(n_features_to_select=1, nominal=["size"])
    selector.fit(X, Y)
    assert selector.feature_names_in_.tolist() == ["flag", "size"]
    assert selector.discretizer_.cut_points_ == [None, None]
    plain = selector.transform(X)
    if isinstance(plain, pa.Table):
        plain = plain.to_pandas().to_numpy()
    assert plain.tolist() == [[value] for value in FLAG]
    for library, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        chosen = selector.set_output(transform=library).transform(X)
        assert isinstance(chosen, kind)
        assert list(chosen.columns) == ["flag"]
        assert chosen["flag"].to_list() == FLAG


WIDE = [2**100 + i for i in range(len(Y))]
DAYS = [datetime.date(2020, 1, 1 + i % 28) for i in range(len(Y))]
ODD_COLUMNS = {
    "dates": pl.Series(DAYS),
    "durations": pl.Series([day - DAYS[0] for day in DAYS]),
    "zones": pl.Series(DAYS).cast(pl.Datetime).dt.replace_time_zone("Asia/Tokyo"),
    "wide": pl.Series(WIDE, dtype=pl.Int128),
}


@pytest.mark.parametrize("odd", ODD_COLUMNS.values(), ids=ODD_COLUMNS)
def test_what_polars_puts_into_no_array_is_transformed_all_the_same(odd):
    X = pl.DataFrame({"flag": FLAG, "size": [*SIZE[:-1], None], "odd": odd})
    selector = MeasureFilter(threshold=-1).fit(X, Y)
    chosen = selector.transform(X)
    assert chosen[:, 2].tolist() == odd.to_list()
    assert chosen[:, 0].tolist() == FLAG
    assert np.isnan(chosen[-1, 1])  # as in pandas
    with pytest.raises(ValueError, match="feature names should match"):
        selector.transform(X.select("odd", "flag", "size"))


def test_a_table_of_other_columns_is_refused_after_fit():
    table, other = read_table({"a": Y, "b": FLAG}), read_table({"a": Y})
    for estimator in (MeasureFilter(), MDLDiscretizer()):
        estimator.fit(table, Y)
        with pytest.raises(ValueError, match="feature names should match"):
            estimator.transform(other)


def test_names_that_occur_twice_are_refused_in_one_sentence():
    frame = pd.DataFrame([[0, 1]] * 20, columns=["a", "a"])
    arrow = pa.Table.from_arrays([pa.array(Y), pa.array(Y)], names=["a", "a"])
    for X in (frame, arrow):
        with pytest.raises(DataError, match="'a' occurs twice") as caught:
            fitted(X)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (["a"] * 20, "array of numbers"),
        ([1j] * 20, "array of numbers"),
        ((1.0 for _ in range(20)), "array of numbers"),
        ([1e308] * 20, "add up"),
        ([5e-324] * 20, "add up"),
        ([1.0] * 5, "one number per row"),
    ],
    ids=["text", "complex", "generator", "huge", "tiny", "short"],
)
@pytest.mark.parametrize("estimator", [MeasureFilter(), MDLDiscretizer()])
def test_weights_that_are_none(estimator, weights, words):
    y = [None, *Y[1:]]
    with pytest.raises(DataError, match=rf"^sample_weight must .*{words}"):
        estimator.fit([[value] for value in Y], y, sample_weight=weights)


@pytest.mark.parametrize("scale", [-60, 50])
def test_the_unit_of_weights_does_not_matter_where_they_are_no_counts(scale):
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.normal(size=60), "b": random.integers(0, 3, 60)})
    X["c"] = random.choice(["x", "y", "z"], 60)
    y = np.where(X["a"] + X["b"] > 1, "p", "q")
    size = np.ldexp(X["a"].to_numpy(), 450)  # whose squares are near the largest
    weights = random.random(60) + 0.1
    for estimator, target in (
        (AssociationFilter(random_state=0), y),
        (DecisionRuleFilter(), y),
        (RandomTreeRegressor(random_state=0), size),
    ):
        answers = []
        for given in (weights, np.ldexp(weights, scale)):
            fitted = estimator.fit(X, target, sample_weight=given)
            tree = isinstance(estimator, RandomTreeRegressor)
            answers.append(fitted.predict(X) if tree else fitted.scores_)
        assert len(np.unique(answers[0])) > 1
        np.testing.assert_allclose(*answers, rtol=1e-9)


def test_no_known_row_of_any_weight_is_no_row():
    column = Column("a", ColumnKind.NUMERIC, np.array([1.0, np.nan, 2.0, np.nan]))
    for weights, rows in (([0, 1, 0, 1], 0), ([5e-324, 1, 5e-324, 1], 2)):
        assert n_known(column, np.array(weights, dtype=float), "ignore") == rows
