"""Tallies add up, forget nothing, and settle missing values as they say."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tests.reference import tallies as reference

from featsieve._kernels import CutPrice, ValueCounts
from featsieve.tallies import Tally
from featsieve.tallies._tally import frequency_cuts
from featsieve.tallies.api import MOST_VALUES, equal_frequency_cuts, equal_width_cuts

tables = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 6), st.just(3)), elements=st.integers(0, 50)
)


def of_values(values, classes, n_classes):
    """The tally of a numeric column as a stream counts it."""
    counted = ValueCounts(n_classes, MOST_VALUES)
    counted.add(np.array(values, dtype=np.float64), np.array(classes, dtype=np.int32))
    keys, counts, missing, dropped, least, greatest = counted.table()
    return Tally(np.vstack([counts, missing]), (), keys, dropped, (least, greatest))


@settings(max_examples=100, deadline=None)
@given(tables, tables, tables)
def test_addition_is_that_of_rows_in_any_order(a, b, c):
    one, two, three = Tally(a), Tally(b), Tally(c)
    left, right = (one + two) + three, three + (two + one)
    assert np.array_equal(left.table, right.table)
    n_levels = max(len(a), len(b), len(c)) - 1
    expected = np.zeros((n_levels + 1, 3), dtype=np.int64)
    for table in (a, b, c):
        for level, row in enumerate(table[:-1]):
            expected[level] += row
        expected[-1] += table[-1]
    assert np.array_equal(left.table, expected)
    assert left.total == a.sum() + b.sum() + c.sum()


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from("uvwxyz"), st.integers(0, 2)), max_size=40),
    st.integers(0, 40),
)
def test_named_levels_add_up_by_name(rows, at):
    def count(some):
        levels = tuple(dict.fromkeys(name for name, _ in some))
        table = np.zeros((len(levels) + 1, 3), dtype=np.int64)
        for name, label in some:
            table[levels.index(name), label] += 1
        return Tally(table, levels)

    whole, parts = count(rows), count(rows[:at]) + count(rows[at:])
    assert parts.levels == whole.levels
    assert np.array_equal(parts.table, whole.table)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.one_of(st.just(float("nan")), st.floats(-5, 5).map(round)),
            st.integers(0, 1),
        ),
        max_size=40,
    ),
    st.integers(0, 40),
)
def test_numbers_before_cutting_add_up(rows, at):
    values, classes = [v for v, _ in rows], [c for _, c in rows]
    whole = of_values(values, classes, 2)
    parts = of_values(values[:at], classes[:at], 2) + of_values(
        values[at:], classes[at:], 2
    )
    assert np.array_equal(parts.keys, whole.keys)
    assert np.array_equal(parts.table, whole.table)
    assert parts.range == whole.range
    cuts = np.array([-0.5, 2.0])
    expected = np.zeros((4, 2), dtype=np.int64)
    for value, label in rows:
        level = -1 if np.isnan(value) else int(value > -0.5) + int(value > 2.0)
        expected[level, label] += 1
    assert np.array_equal(parts.cut(cuts).table, expected)


@settings(max_examples=100, deadline=None)
@given(tables, st.sampled_from(["level", "ignore", "spread"]))
def test_missing_values_are_settled_by_definition(table, missing):
    settled = Tally(table).settle(missing)
    expected = reference.without_missing(table.tolist(), missing)
    assert not settled.missing.any()
    found = settled.counts
    exact = np.array(expected, dtype=float).reshape(-1, 3)
    assert found.shape == exact.shape
    assert np.allclose(found, exact, rtol=1e-12)


def test_margins():
    tally = Tally([[1, 2], [3, 4], [5, 6]])
    assert tally.level_totals.tolist() == [3, 7]
    assert tally.class_totals.tolist() == [9, 12]
    assert (tally.total, tally.n_missing) == (21, 11)
    assert (tally.n_levels, tally.n_classes) == (2, 2)


def test_weights_add_up_as_numbers():
    weighted = Tally([[0.5, 1.0], [0.0, 0.25]]) + Tally([[1, 1], [0, 0]])
    assert weighted.table.tolist() == [[1.5, 2.0], [0.0, 0.25]]
    assert weighted.total == 3.75


def test_of_numbers_orders_as_the_kernels_do():
    numbers = np.array([-2.5, -1.0, -0.0, 3.0])
    table = np.array([[1, 0], [0, 1], [2, 0], [0, 3], [1, 1]])
    tally = Tally.of_numbers(numbers, table)
    values = np.repeat([*numbers, np.nan], table.sum(axis=1))
    classes = [c for row in table for c, n in enumerate(row) for _ in range(n)]
    counted = of_values(values, classes, 2)
    assert np.array_equal(tally.keys, counted.keys)
    assert np.array_equal(tally.table, counted.table)
    assert tally.range == counted.range
    assert tally.even_cuts(2).tolist() == counted.even_cuts(2).tolist()
    price = CutPrice.FAYYAD_IRANI
    assert tally.mdl_cuts(price).tolist() == counted.mdl_cuts(price).tolist()


def test_rare_levels_are_lumped():
    tally = Tally([[1, 0], [5, 5], [0, 2], [7, 0], [0, 1]])
    assert tally.lump(4).table.tolist() == tally.table.tolist()
    assert tally.lump(3).table.tolist() == [[5, 5], [7, 0], [1, 2], [0, 1]]


def test_nobody_changes_a_tally():
    given = np.array([[1, 2], [0, 0]])
    tally = Tally(given)
    with pytest.raises(ValueError, match="read-only"):
        tally.counts[0, 0] = 9
    with pytest.raises(AttributeError):
        tally.table = given
    given[0, 1] = 9  # the caller's array stays the caller's
    assert tally.table.tolist() == [[1, 2], [0, 0]]


def test_a_tally_travels():
    again = pickle.loads(pickle.dumps(Tally([[1, 2], [0, 0]], ("a",))))
    assert again.levels == ("a",)
    assert again.table.tolist() == [[1, 2], [0, 0]]


@pytest.mark.parametrize(
    "table", [[1, 2], np.zeros((0, 2)), [["a", "b"]], np.zeros((2, 0))]
)
def test_only_tables_of_counts(table):
    with pytest.raises(ValueError, match="A tally must hold counts, one row per level"):
        Tally(table)


@pytest.mark.parametrize("table", [[[-1, 2]], [[np.nan, 1.0]], [[np.inf, 1.0]]])
def test_counts_are_finite_and_not_negative(table):
    with pytest.raises(ValueError, match="finite and at least 0"):
        Tally(table)


def test_names_of_all_levels_or_of_none():
    with pytest.raises(ValueError, match=r"of 2 levels needs as many names. Got 1"):
        Tally([[1], [1], [0]], ("a",))


def test_what_does_not_add_up():
    plain = Tally([[1, 1], [0, 0]])
    with pytest.raises(ValueError, match="2 and 3 classes"):
        plain + Tally([[1, 1, 1]])
    with pytest.raises(ValueError, match="levels and numbers"):
        plain + Tally.of_numbers(np.array([1.0]), np.array([[1, 1], [0, 0]]))
    with pytest.raises(ValueError, match="named levels and one of numbered"):
        plain + Tally([[1, 1], [0, 0]], ("a",))
    with pytest.raises(TypeError):
        plain + 1


def test_treatments_are_checked():
    with pytest.raises(ValueError, match=r"'missing' parameter of Tally.settle"):
        Tally([[1, 1]]).settle("guess")


numbers = st.lists(
    st.one_of(st.just(float("nan")), st.integers(-9, 9).map(float)), max_size=40
)


@settings(max_examples=100, deadline=None)
@given(numbers, st.integers(2, 6))
def test_weights_of_one_change_nothing(values, n_bins):
    column = np.array(values, dtype=np.float64)
    plain = equal_frequency_cuts(column, n_bins, None)
    weighted = equal_frequency_cuts(column, n_bins, np.ones(len(column)))
    assert plain.tolist() == weighted.tolist()
    known = sorted({v for v in values if not np.isnan(v)})
    assert len(plain) <= min(n_bins, max(1, len(known))) - 1
    middles = {(a + b) / 2 for a, b in itertools.pairwise(known)}
    assert set(plain.tolist()) <= middles


def test_bins_of_equal_frequency():
    assert equal_frequency_cuts(np.arange(8.0), 4, None).tolist() == [1.5, 3.5, 5.5]


def test_bins_of_equal_width():
    values = np.array([0.0, np.nan, 1.0, 10.0])
    assert equal_width_cuts(values, 5).tolist() == [2.0, 4.0, 6.0, 8.0]
    assert equal_width_cuts(np.array([3.0, 3.0]), 5).tolist() == []
    huge = np.array([-1.7e308, 1.7e308])
    assert equal_width_cuts(huge, 2).tolist() == [0.0]


NUMBERS = st.lists(st.integers(-5, 9) | st.just(None), max_size=30)


def plain_frequency_cuts(values, n_bins):
    """Return cuts between distinct values, each nearest to a wanted number of rows."""
    known = sorted(v for v in values if v is not None)
    distinct = sorted(set(known))
    left = [sum(v <= below for v in known) for below in distinct[:-1]]
    if not left:
        return []
    chosen = {
        # Of two as near the lower one.
        min(range(len(left)), key=lambda i: (abs(left[i] * n_bins - k * len(known)), i))
        for k in range(1, n_bins)
    }
    return [(distinct[i] + distinct[i + 1]) / 2 for i in sorted(chosen)]


@given(NUMBERS, st.integers(2, 6))
def test_equal_frequency_equals_the_definition(values, n_bins):
    numbers = np.array([np.nan if v is None else v for v in values], dtype=float)
    found = equal_frequency_cuts(numbers, n_bins, None)
    assert found.tolist() == plain_frequency_cuts(values, n_bins)
    ones = equal_frequency_cuts(numbers, n_bins, np.ones(len(numbers)))
    assert ones.tolist() == found.tolist()


def test_weights_are_copies():
    values, weights = np.array([1.0, 2.0, 3.0]), np.array([1.0, 5.0, 2.0])
    repeated = np.repeat(values, weights.astype(int))
    np.testing.assert_array_equal(
        equal_frequency_cuts(values, 3, weights),
        equal_frequency_cuts(repeated, 3, None),
    )


def test_neighbouring_doubles_are_told_apart():
    low = 1.0
    high = np.nextafter(low, 2)
    cuts = frequency_cuts(np.array([low]), np.array([high]), np.array([1, 2]), 2)
    assert low <= cuts[0] < high


def test_huge_numbers_do_not_overflow():
    values = np.array([-1.7e308, 1.7e308])
    assert equal_frequency_cuts(values, 2, None).tolist() == [0]
    assert equal_width_cuts(values, 2).tolist() == [0]


@pytest.mark.parametrize(
    ("values", "n_bins", "cuts"),
    [
        ([0.0, 10.0, np.nan, 3.0], 5, [2, 4, 6, 8]),
        ([3.0, 3.0], 4, []),
        ([np.nan], 4, []),
        ([], 4, []),
        ([0.0, 8.0], 1, []),
    ],
)
def test_equal_width_divides_the_range(values, n_bins, cuts):
    assert equal_width_cuts(np.array(values), n_bins).tolist() == cuts
