"""Measures are functions of tallies: named ones and one's own."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_mutual_info_score
from tests.reference import tallies as reference

from featsieve import measures
from featsieve.exceptions import DataError
from featsieve.measures import gini_gain, information_gain
from featsieve.measures.api import MEASURES, check_measure, measure_name, score_tallies
from featsieve.tallies import Tally
from reference import measures as plain

PLAIN = {
    "information_gain": plain.information_gain,
    "gain_ratio": plain.gain_ratio,
    "symmetrical_uncertainty": plain.symmetrical_uncertainty,
}


def with_none(codes):
    return [None if code < 0 else int(code) for code in codes]


@st.composite
def coded_columns(draw, most_rows=40):
    n = draw(st.integers(1, most_rows))
    levels = draw(st.sampled_from([1, 2, 3, 7, 300]))
    classes = draw(st.sampled_from([1, 2, 3, 8]))
    rows = st.lists(st.integers(-1, levels - 1), min_size=n, max_size=n)
    x = np.array(draw(rows), dtype=np.int32)
    y = np.array(
        draw(st.lists(st.integers(0, classes - 1), min_size=n, max_size=n)),
        dtype=np.int32,
    )
    return x, y


@pytest.mark.parametrize("missing", ["level", "ignore", "spread"])
@pytest.mark.parametrize("name", list(PLAIN))
@given(columns=coded_columns())
@settings(max_examples=150)
def test_measures_equal_their_definitions(name, missing, columns):
    x, y = columns
    fast = getattr(measures, name)(x, y, missing=missing)
    slow = PLAIN[name](with_none(x), y.tolist(), missing=missing)
    assert fast == pytest.approx(slow, abs=1e-9)


@pytest.mark.parametrize("missing", ["level", "ignore", "spread"])
@pytest.mark.parametrize("name", list(PLAIN))
@given(columns=coded_columns(), data=st.data())
@settings(max_examples=60)
def test_weighted_measures_equal_their_definitions(name, missing, columns, data):
    x, y = columns
    weights = data.draw(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.25]), min_size=len(x),
                 max_size=len(x))
    )  # fmt: skip
    fast = getattr(measures, name)(x, y, weights=weights, missing=missing)
    slow = PLAIN[name](with_none(x), y.tolist(), weights, missing=missing)
    assert fast == pytest.approx(slow, abs=1e-9)


@given(columns=coded_columns(), data=st.data())
@settings(max_examples=100)
def test_whole_weights_are_repeated_rows(columns, data):
    x, y = columns
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(x), max_size=len(x)))
    if sum(times) == 0:
        return
    weighted = measures.information_gain(x, y, weights=times)
    repeated = measures.information_gain(np.repeat(x, times), np.repeat(y, times))
    assert weighted == pytest.approx(repeated, abs=1e-12)


@pytest.mark.parametrize("n_rows", [1, 31, 32, 33, 8159, 8160, 8161, 20_000])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 6, 7])
@pytest.mark.parametrize("n_levels", [1, 2, 3, 17, 18, 200, 255, 256, 700])
def test_every_way_of_counting_gives_the_same_bits(n_rows, n_classes, n_levels):
    random = np.random.default_rng(n_rows * 1000 + n_levels)
    x = random.integers(0, n_levels, (n_rows, 3))
    y = random.integers(0, n_classes, n_rows)
    expected = measures.information_gain(x.astype(np.int32), y)
    one_by_one = [
        measures.information_gain(np.ascontiguousarray(x[:, j]), y) for j in range(3)
    ]
    assert_array_equal(one_by_one, expected)
    dtypes = [np.int64, np.uint16, np.float64] + [np.uint8] * (n_levels <= 256)
    for dtype in dtypes:
        for order in "CF":
            gains = measures.information_gain(x.astype(dtype, order=order), y)
            assert_array_equal(gains, expected)
    shuffled = random.permutation(n_rows)
    assert_array_equal(measures.information_gain(x[shuffled], y[shuffled]), expected)
    table = np.zeros((n_levels, n_classes))
    np.add.at(table, (x[:, 0], y), 1)
    p = table[table > 0] / n_rows
    rows, columns = table.sum(axis=1) / n_rows, table.sum(axis=0) / n_rows
    by_hand = np.sum(p * np.log2(p))
    by_hand -= np.sum(rows[rows > 0] * np.log2(rows[rows > 0]))
    by_hand -= np.sum(columns[columns > 0] * np.log2(columns[columns > 0]))
    assert expected[0] == pytest.approx(by_hand, abs=1e-10)


def test_missing_codes_are_counted_in_every_width():
    random = np.random.default_rng(3)
    x = random.integers(-1, 4, (9000, 5))
    y = random.integers(0, 3, 9000)
    expected = [
        plain.information_gain(with_none(x[:, j]), y.tolist(), missing="ignore")
        for j in range(5)
    ]
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        gains = measures.information_gain(x.astype(dtype), y, missing="ignore")
        assert_allclose(gains, expected, atol=1e-12)
    as_floats = np.where(x < 0, np.nan, x)
    gains = measures.information_gain(as_floats, y, missing="ignore")
    assert_allclose(gains, expected, atol=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=6)
)
@settings(max_examples=25)
def test_permutation_correction_is_the_exact_mean(rows):
    x, y = (np.array(column) for column in zip(*rows, strict=True))
    corrected = measures.information_gain(x, y, correction="permutation")
    gain = measures.information_gain(x, y)
    mean = plain.permutation_mean(x.tolist(), y.tolist())
    assert gain - corrected == pytest.approx(mean, abs=1e-12)


def test_corrections_remove_the_bias_of_many_levels():
    random = np.random.default_rng(0)
    x = random.integers(0, 40, (500, 200))
    y = random.integers(0, 2, 500)
    plug_in = measures.information_gain(x, y).mean()
    assert plug_in > 0.05
    exact = measures.information_gain(x, y, correction="permutation").mean()
    assert abs(exact) < 0.003
    madow = measures.information_gain(x, y, correction="miller_madow").mean()
    assert abs(madow) < plug_in / 10


def test_miller_madow_adds_first_order_terms():
    x, y = [0, 1, 2, 0, 1, 2], [0, 0, 1, 1, 0, 1]
    table = measures.contingency_table(x, y)
    excess = 3 + 2 - np.count_nonzero(table) - 1
    expected = measures.information_gain(x, y) + excess / (2 * 6 * np.log(2))
    got = measures.information_gain(x, y, correction="miller_madow")
    assert got == pytest.approx(expected)
    assert measures.entropy([0, 1], correction="miller_madow") == pytest.approx(
        1 + 1 / (4 * np.log(2))
    )


def test_missing_on_both_sides():
    x = np.array([0, 0, 1, 1, -1, -1, 0], dtype=np.int32)
    y = np.array([0, 1, 1, 1, 0, -1, -1], dtype=np.int32)
    known = (x >= 0) & (y >= 0)
    ignored = measures.symmetrical_uncertainty(x, y, missing="ignore")
    assert ignored == pytest.approx(
        measures.symmetrical_uncertainty(x[known], y[known])
    )
    level = measures.symmetrical_uncertainty(x, y, missing="level")
    assert level == pytest.approx(
        measures.symmetrical_uncertainty(np.where(x < 0, 2, x), np.where(y < 0, 2, y))
    )
    # By hand: cells (0,0)=1 (0,1)=1 (1,1)=2; one row lacks x and has y=0, one lacks y
    # and has x=0, one lacks both.
    table = measures.contingency_table(x, y, missing="spread")
    expected = np.array([[1, 1], [0, 2]], dtype=float)
    expected[:, 0] += np.array([3, 2]) / 5
    expected[0] += np.array([2, 3]) / 5
    expected += np.array([[1, 1], [0, 2]]) / 4
    assert_allclose(table, expected)
    swapped = measures.symmetrical_uncertainty(y, x, missing="spread")
    assert swapped == pytest.approx(
        measures.symmetrical_uncertainty(x, y, missing="spread")
    )


def test_gain_scaled_by_known_share():
    x, y = [0, 0, 1, 1, -1], [0, 0, 1, 1, 1]
    gain = measures.information_gain(x, y, missing="ignore", scale_by_known=True)
    assert gain == pytest.approx(0.8 * 1.0)


def test_degenerate_columns_tell_nothing():
    assert measures.information_gain([0, 0, 0], [0, 1, 2]) == 0
    assert measures.gain_ratio([0, 0, 0], [0, 1, 2]) == 0
    assert measures.symmetrical_uncertainty([0, 0], [0, 0]) == 0
    assert measures.information_gain([-1, -1], [0, 1], missing="spread") == 0
    assert measures.information_gain([-1, -1], [0, 1], missing="ignore") == 0
    assert measures.information_gain(np.empty((0, 2), np.uint8), []).tolist() == [0, 0]
    assert measures.information_gain(np.empty((3, 0), np.uint8), [0, 1, 0]).size == 0
    assert measures.joint_information_gain(np.empty((3, 0), np.uint8), [0, 1, 0]) == 0
    assert measures.entropy([]) == 0


def test_a_million_levels():
    x = np.arange(1_000_000)
    y = x % 2
    assert measures.information_gain(x, y) == pytest.approx(1.0)
    assert measures.gain_ratio(x, y) == pytest.approx(1 / np.log2(1e6))


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: measures.information_gain(["a"], [0]), TypeError, "integer codes"),
        (lambda: measures.information_gain([0.5], [0]), ValueError, "whole numbers"),
        (lambda: measures.information_gain([0, 1], [0]), ValueError, "one class per"),
        (lambda: measures.information_gain([0], [0], missing="x"), ValueError, "level"),
        (lambda: measures.information_gain([2**40], [0]), ValueError, "codes up to"),
        (lambda: measures.information_gain([[[0]]], [0]), ValueError, "axes"),
        (
            lambda: measures.information_gain([0, -np.inf], [0, 1]),
            ValueError,
            "whole numbers",
        ),
        (
            lambda: measures.information_gain([0], [0], weights=[1e308]),
            ValueError,
            "Scale",
        ),
        (lambda: measures.information_gain([0], [[0]]), ValueError, "one-dimensional"),
        (
            lambda: measures.information_gain([0], [0], weights=[1, 2]),
            ValueError,
            "one number per row",
        ),
        (
            lambda: measures.information_gain([0], [0], weights=[-1.0]),
            ValueError,
            "not negative",
        ),
        (
            lambda: measures.information_gain(
                [0], [0], weights=[1.0], correction="permutation"
            ),
            ValueError,
            "miller_madow",
        ),
        (lambda: measures.joint_information_gain([0], [0]), ValueError, "matrix"),
        (measures.contingency_table, ValueError, "at least one"),
        (measures.joint_codes, ValueError, "at least one"),
        (lambda: measures.joint_codes([0], [0, 1]), ValueError, "1 rows"),
        (lambda: measures.contingency_table([0], [0, 1]), ValueError, "same number"),
        (
            lambda: measures.contingency_table([0], [0], [0], missing="spread"),
            ValueError,
            "two columns",
        ),
        (
            lambda: measures.contingency_table([2**20], [2**20]),
            ValueError,
            "joint_codes",
        ),
    ],
)
def test_wrong_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_int64_minimum_is_missing_not_wrapped():
    x = np.array([np.iinfo(np.int64).min, 0, 1], dtype=np.int64)
    assert measures.information_gain(x, [0, 0, 1], missing="ignore") == 1.0


def test_negative_target_without_a_pair_is_refused():
    from featsieve.measures._codes import as_target

    with pytest.raises(ValueError, match="must not be missing"):
        as_target([0, -1], 2)


def test_unsigned_codes_of_eight_bytes_are_read():
    x = np.array([0, 1, 1], dtype=np.uint64)
    assert measures.information_gain(x, [0, 1, 1]) == measures.entropy([0, 1, 1])


@pytest.mark.parametrize("n_levels", [2, 7, 60, 300])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_uncertainty_less_chance_is_that_of_scikit_learn(n_levels, n_classes):
    rng = np.random.default_rng(n_levels)
    y = rng.integers(n_classes, size=300)
    x = np.where(rng.random(300) < 0.3, y, rng.integers(n_levels, size=300))
    got = measures.symmetrical_uncertainty(x, y, correction="permutation")
    assert got == pytest.approx(adjusted_mutual_info_score(x, y), abs=1e-9)
    one = measures.class_association(
        x.astype(np.int32), y, nominal="all", correct_chance=True
    )
    assert one == got
    # Equal weights change nothing; gaps are left out or are a level.
    weighted = measures.class_association(
        *(x.astype(np.int32), y),
        nominal="all",
        correct_chance=True,
        weights=np.ones(300),
    )
    assert weighted == pytest.approx(got)
    gaps = np.where(rng.random(300) < 0.4, -1, x)
    known = gaps >= 0
    for missing, a, b in (("ignore", x[known], y[known]), ("level", gaps + 1, y)):
        got = measures.symmetrical_uncertainty(
            gaps, y, missing=missing, correction="permutation"
        )
        assert got == pytest.approx(adjusted_mutual_info_score(a, b), abs=1e-9)


def test_uncertainty_less_chance_at_its_ends():
    names, y = np.arange(40), np.arange(40) % 3
    correction = {"correction": "permutation"}
    assert measures.symmetrical_uncertainty(names, y, **correction) == 0
    assert measures.symmetrical_uncertainty(y, y, **correction) == pytest.approx(1)
    assert measures.symmetrical_uncertainty(0 * y, y, **correction) == 0
    great = np.where(y == 0, 100_000, y)
    assert measures.symmetrical_uncertainty(great, y, **correction) == pytest.approx(1)


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
