"""Columns laid out for Relief, and means over anchors with honest intervals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from featsieve.data import Column, ColumnKind, Table
from featsieve.selectors._relief_anchors import (
    AnchorMeans,
    Decision,
    lay_out_rows,
    mean_over_anchors,
    race_anchors,
    scale_to_unit,
)
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


def scan_of(terms, counts=None):
    """Return a scan of anchors that add these terms, with classes."""
    counts = np.ones(len(terms), dtype=bool) if counts is None else counts

    def scan(anchors):
        return terms[anchors][:, np.newaxis], np.zeros(len(anchors)), counts[anchors]

    return scan


RANDOM = np.random.default_rng(0)
TERMS = RANDOM.normal(size=(200, 3))
ALL = np.arange(200, dtype=np.int32)


def test_all_anchors_give_the_mean_without_doubt():
    found = mean_over_anchors(scan_of(TERMS), ALL, None, 200, 1)
    np.testing.assert_allclose(found.scores, TERMS.mean(axis=0))
    assert found.errors.tolist() == [0, 0, 0]
    assert found.n_anchors == 200
    assert (found.interval(0.95)[:, 0] == found.scores).all()


def test_some_anchors_have_the_error_of_a_sample_from_a_finite_whole():
    some = ALL[:50]
    found = mean_over_anchors(scan_of(TERMS), some, None, 200, 2)
    part = TERMS[:50]
    np.testing.assert_allclose(found.scores, part.mean(axis=0))
    error = part.std(axis=0, ddof=1) / np.sqrt(50) * np.sqrt(1 - 50 / 200)
    np.testing.assert_allclose(found.errors, error)
    low, high = found.interval(0.9).T
    half = stats.t.ppf(0.95, 49) * error
    np.testing.assert_allclose(high - found.scores, half)
    np.testing.assert_allclose(found.scores - low, half)


def test_anchors_that_do_not_count_and_weights():
    counts = np.arange(200) % 4 > 0
    found = mean_over_anchors(scan_of(TERMS, counts), ALL, None, 200, 1)
    np.testing.assert_allclose(found.scores, TERMS[counts].mean(axis=0))
    weights = RANDOM.random(200)
    found = mean_over_anchors(scan_of(TERMS), ALL, weights, 200, 1)
    np.testing.assert_allclose(found.scores, np.average(TERMS, axis=0, weights=weights))
    nothing = mean_over_anchors(scan_of(TERMS, counts & False), ALL, None, 200, 1)
    assert nothing.scores.tolist() == [0, 0, 0]


def test_quantities_compare_near_rows_of_other_and_of_the_same_target():
    # Robnik-Sikonja and Kononenko: P(far | other) - P(far | same), by the means.
    apart = RANDOM.random(200)
    feature, both = RANDOM.random((2, 200, 3)) / 2

    def scan(anchors):
        terms = np.stack([feature[anchors], both[anchors]], axis=1)
        return terms, apart[anchors], np.ones(len(anchors), dtype=bool)

    found = mean_over_anchors(scan, ALL, None, 200, 1)
    a, f, c = apart.mean(), feature.mean(axis=0), both.mean(axis=0)
    np.testing.assert_allclose(found.scores, c / a - (f - c) / (1 - a))


def test_one_anchor_leaves_everything_open():
    one = mean_over_anchors(scan_of(TERMS), ALL[:1], None, 200, 1)
    assert np.isinf(one.interval(0.95)).all()
    certain = AnchorMeans(np.array([1.0]), np.array([0.0]), 1)
    assert certain.interval(0.95).tolist() == [[1, 1]]


NUMBERS = st.lists(st.integers(-2, 2), min_size=1, max_size=5)


@given(NUMBERS, st.none() | st.integers(1, 6), st.none() | st.integers(-2, 2))
def test_who_is_kept(scores, most, threshold):
    kept = Decision(most, threshold).keep(np.array(scores, dtype=float))
    order = sorted(range(len(scores)), key=lambda j: (-scores[j], j))
    expected = {
        j
        for j in (order if most is None else order[:most])
        if threshold is None or scores[j] > threshold
    }
    assert set(np.flatnonzero(kept).tolist()) == expected


INTERVALS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=4
)


@given(INTERVALS, st.none() | st.integers(1, 4), st.none() | st.integers(0, 5))
def test_what_is_settled_stays_so_wherever_scores_are(intervals, most, threshold):
    bounds = np.array([(low, low + width) for low, width in intervals], dtype=float)
    decision = Decision(most, threshold)
    answers = {
        tuple(decision.keep(np.array(scores)))
        for scores in itertools.product(*({low, high} for low, high in bounds.tolist()))
    }
    if decision.settled(bounds):
        assert len(answers) == 1
    # It may be cautious where intervals touch, and nowhere else.
    ends = bounds.ravel().tolist() + ([] if threshold is None else [threshold])
    if len(set(ends)) == len(ends) and len(answers) == 1:
        assert decision.settled(bounds)


def race(terms, decision, confidence=0.95):
    asked = []

    def scan(anchors):
        asked.append(len(anchors))
        return scan_of(terms)(anchors)

    anchors = np.arange(len(terms), dtype=np.int32)
    found, settled = race_anchors(
        scan, anchors, None, decision=decision, confidence=confidence, n_jobs=1
    )
    return found, settled, sum(asked)


def test_a_race_looks_after_128_and_then_twice_as_many():
    clear = RANDOM.normal([5, 0], 1, (1000, 2))
    found, settled, n_asked = race(clear, Decision(1, None))
    assert (found.n_anchors, settled, n_asked) == (128, True, 128)
    near = RANDOM.normal([0.5, 0], 1, (1000, 2))
    found, settled, n_asked = race(near, Decision(1, None))
    assert found.n_anchors == n_asked
    assert n_asked in (128, 256, 512)
    np.testing.assert_allclose(found.scores, near[:n_asked].mean(axis=0))
    twins = np.repeat(RANDOM.normal(size=(300, 1)), 2, axis=1)
    found, settled, n_asked = race(twins, Decision(1, None))
    assert (found.n_anchors, settled, n_asked) == (300, False, 300)
    np.testing.assert_allclose(found.scores, twins.mean(axis=0))
    assert race(twins[:100], Decision(1, None))[1:] == (False, 100)


def test_looks_and_features_share_the_error():
    # Looks at 128, 256 and 512 of 1,000 anchors, and two features: six tests.
    terms = RANDOM.normal(size=(1000, 2))
    some = terms[:128]
    error = some.std(axis=0, ddof=1) / np.sqrt(128) * np.sqrt(1 - 0.128)
    half = stats.t.ppf(1 - 0.05 / 6 / 2, 127) * error
    threshold = float((some.mean(axis=0) - half).min())
    assert race(terms, Decision(None, threshold - 1e-9))[0].n_anchors == 128
    assert race(terms, Decision(None, threshold + 1e-9))[0].n_anchors > 128
