"""Measures are functions of tallies: named ones and one's own."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.reference import tallies as reference

from featsieve.exceptions import DataError
from featsieve.measures import gini_gain, information_gain
from featsieve.measures.api import MEASURES, check_measure, measure_name, score_tallies
from featsieve.tallies import Tally

NAMED = ("gain_ratio", "information_gain", "symmetrical_uncertainty")


@settings(max_examples=120, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(-1, 4), st.integers(0, 2), st.floats(0.125, 8)),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from(NAMED),
    st.sampled_from(["level", "ignore", "spread"]),
    st.booleans(),
)
def test_the_same_bits_as_from_codes(rows, measure, missing, weighted):
    codes = np.array([code for code, _, _ in rows], dtype=np.int32)
    classes = np.array([label for _, label, _ in rows], dtype=np.int32)
    weights = np.array([weight for _, _, weight in rows]) if weighted else None
    tally = Tally.from_codes(codes, classes, weights)
    function = MEASURES[measure]
    expected = function(codes, classes, weights=weights, missing=missing)
    assert function(tally, missing=missing) == expected
    assert score_tallies([tally], measure, missing).tolist() == [expected]
    assert score_tallies([tally], function, missing).tolist() == [expected]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 2)), min_size=1, max_size=60),
    st.sampled_from(["level", "ignore"]),
    st.sampled_from(["miller_madow", "permutation"]),
)
def test_corrections_need_no_more_than_a_tally(rows, missing, correction):
    codes = np.array([code for code, _ in rows], dtype=np.int32)
    classes = np.array([label for _, label in rows], dtype=np.int32)
    settings_ = {"missing": missing, "correction": correction}
    expected = information_gain(codes, classes, **settings_)
    found = information_gain(Tally.from_codes(codes, classes), **settings_)
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_tally_has_its_target_already():
    tally = Tally([[1, 2], [0, 0]])
    with pytest.raises(TypeError, match="has counted target and weights"):
        information_gain(tally, [0, 1])
    with pytest.raises(TypeError, match="needs a target"):
        information_gain([0, 1])
    with pytest.raises(ValueError, match="needs whole counts"):
        information_gain(Tally([[0.5, 1.0], [0.0, 0.0]]), correction="permutation")


def test_own_functions_see_no_missing_values():
    seen = []

    def levels(tally):
        seen.append(tally.n_missing)
        return tally.n_levels

    gaps = Tally([[2, 1], [1, 1], [3, 0]])
    assert score_tallies([gaps], levels, "level").tolist() == [3]
    assert score_tallies([gaps], levels, "ignore").tolist() == [2]
    assert seen == [0, 0]


def test_a_column_without_rows_tells_nothing():
    def divides(tally):
        return 1 / tally.total

    nothing = Tally([[0, 0], [4, 4]])
    assert score_tallies([nothing], divides, "ignore").tolist() == [0.0]
    assert score_tallies([nothing], divides, "level").tolist() == [1 / 8]


@pytest.mark.parametrize("answer", [float("nan"), float("inf"), None, "much", [1, 2]])
def test_what_is_no_number_is_said(answer):
    def odd(_):
        return answer

    with pytest.raises(DataError, match=r"odd must return a finite.*column 'age'.*"):
        score_tallies([Tally([[1, 2], [0, 0]])], odd, "level", ["age"])


def test_errors_name_measure_and_column():
    def broken(tally):
        return tally.counts[99]

    with pytest.raises(DataError, match=r"broken failed on column 'age': IndexError"):
        score_tallies([Tally([[1, 2], [0, 0]])], broken, "level", ["age"])
    with pytest.raises(DataError, match="failed on column 0"):
        score_tallies([Tally([[1, 2], [0, 0]])], broken, "level")


def test_names_of_measures():
    assert measure_name("gain_ratio") == "gain_ratio"
    assert measure_name(information_gain) == "information_gain"
    assert measure_name(max) == "builtins:max"
    assert measure_name(partial(max, key=len)) == "builtins:max"


def test_measures_are_checked():
    check_measure(len, "MeasureFilter")
    with pytest.raises(ValueError, match=r"'measure' parameter.*a function of a tally"):
        check_measure("gini", "MeasureFilter")


@settings(max_examples=150, deadline=None)
@given(
    hnp.arrays(
        np.int64, st.tuples(st.integers(1, 6), st.just(3)), elements=st.integers(0, 40)
    ),
    st.sampled_from(["level", "ignore", "spread"]),
)
def test_gini_gain_by_definition(table, missing):
    expected = float(reference.gini_gain(table.tolist(), missing))
    assert gini_gain(Tally(table), missing=missing) == pytest.approx(
        expected, abs=1e-12
    )
    scores = score_tallies([Tally(table)], "gini_gain", missing)
    assert scores[0] == pytest.approx(expected, abs=1e-12)


def test_gini_gain_of_what_tells_all_and_nothing():
    assert gini_gain(Tally([[5, 0], [0, 5], [0, 0]])) == 0.5
    assert gini_gain(Tally([[3, 6], [1, 2], [0, 0]])) == 0.0
    assert gini_gain(Tally([[0.5, 0.0], [0.0, 0.5], [0.0, 0.0]])) == 0.5
