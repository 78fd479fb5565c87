import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from featsieve.data import Column, ColumnKind, Table
from featsieve.inference._association_tests import Measuring
from featsieve.inference._chance import (
    Thresholds,
    _most_on_average,
    folded_mean,
    n_known,
)
from featsieve.measures import class_association, target_association
from reference import chance as reference


def table_of(*columns):
    return Table(
        tuple(
            Column(f"x{j}", ColumnKind.NUMERIC, values.astype(float))
            for j, values in enumerate(columns)
        )
    )


def test_folded_means_are_those_of_scipy():
    for mean in (0.0, 0.1, 0.5):
        for deviation in (0.01, 0.1, 2.0):
            expected = stats.foldnorm(mean / deviation, scale=deviation).mean()
            assert folded_mean(mean, deviation) == pytest.approx(expected)
    assert folded_mean(0.1, 0.0) == 0.1


def test_known_rows_by_weight():
    column = Column("x", ColumnKind.NUMERIC, np.array([1.0, np.nan, 3.0, 4.0]))
    assert n_known(column, None, "ignore") == 3
    assert n_known(column, np.array([1.0, 9.0, 1.0, 1.0]), "ignore") == 3
    assert n_known(column, np.array([1.0, 1.0, 1.0, 0.0]), "ignore") == 2
    codes = Column("c", ColumnKind.NOMINAL, np.array([0, -1], np.int32), ("a",))
    assert n_known(codes, None, "level") == 2


def test_many_rows_leave_the_threshold_alone():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000).astype(np.int32)
    table = table_of(rng.normal(size=4000))
    measuring = Measuring("kendall", "ignore", 1, 5)
    many = Thresholds.of(table, y, None, measuring, practical=0.1, size=4000)
    assert many.raised[0] == pytest.approx(0.1, abs=1e-9)
    few = Thresholds.of(table, y, None, measuring, practical=0.1, size=50)
    assert few.raised[0] == pytest.approx(folded_mean(0.1, 1 / 7))
    plain = Thresholds.plain(0.1, 1)
    assert plain.raised.tolist() == [0.1]
    assert many.deviation.tolist() == plain.deviation.tolist() == [0]


@pytest.mark.parametrize("association", ["kendall", "spearman", "pearson", "gamma"])
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.7, 0.2, 0.1), ()])
def test_noise_has_no_higher_mean_than_the_threshold_of_nothing(association, shares):
    """With `practical` 0 the threshold is the mean that noise has, or a little more."""
    rng = np.random.default_rng(1)
    n, means = 60, np.zeros(3)
    measuring = Measuring(association, "ignore", 1, 5)
    measure = class_association if shares else target_association
    for _ in range(400):
        y = rng.choice(len(shares), n, p=shares) if shares else rng.normal(size=n)
        columns = [
            rng.normal(size=n),
            rng.poisson(1.0, n).astype(float),
            (rng.random(n) < 0.4) * 1.0,
        ]
        means += measure(columns, y, association=association) / 400
    target = y.astype(np.int32) if shares else y
    found = Thresholds.of(
        *(table_of(*columns), target, None, measuring), practical=0.0, size=n
    )
    assert np.all(means < 1.08 * found.raised)
    assert np.all(means > 0.6 * found.raised)


def test_gamma_of_one_row_can_show_nothing():
    y = np.repeat([0, 1], 50).astype(np.int32)
    one = np.zeros(100)
    one[3] = 1
    measuring = Measuring("gamma", "ignore", 1, 5)
    table = table_of(one, np.zeros(100))
    found = Thresholds.of(table, y, None, measuring, practical=0.1, size=100)
    assert found.raised.tolist() == [1, 1]


def test_no_way_to_share_an_association_among_classes_shows_more():
    rng = np.random.default_rng(3)
    shares = np.array([0.5, 0.3, 0.0, 0.15, 0.05])
    balance = np.sqrt(shares * (1 - shares))
    deviations = np.array([0.05, 0.05, 0.05, 0.08, 0.1])
    most = _most_on_average(0.1, deviations, shares, balance)
    shown = []
    for _ in range(2000):
        # Signed associations, many of them 0, that balance each other.
        signed = rng.normal(size=5) * (rng.random(5) < 0.6)
        signed[0] = -(balance[1:] @ signed[1:]) / balance[0]
        signed *= 0.1 / max(shares @ np.abs(signed), 1e-9)
        if shares @ np.abs(signed) > 0.099:
            shown.append(shares @ folded_mean(np.abs(signed), deviations))
    assert max(shown) <= most + 1e-12
    assert max(shown) > most - 0.005
    alike = shares @ folded_mean(0.1, deviations)
    assert most > alike + 0.01, "as if all classes were associated alike"


@pytest.mark.parametrize("shares", [(1.0,), (0.3, 0.7)])
def test_two_classes_share_it_in_one_way_only(shares):
    shares = np.array(shares)
    balance = np.sqrt(shares * (1 - shares))
    deviations = np.full(len(shares), 0.1)
    most = _most_on_average(0.1, deviations, shares, balance)
    assert most == pytest.approx(float(folded_mean(0.1, 0.1)))


@given(
    st.integers(0, 10**6),
    st.sampled_from(["kendall", "spearman", "pearson", "gamma"]),
    st.sampled_from([0, 2, 3, 5]),
    st.sampled_from([(0.0, 30), (0.05, 200), (0.1, 1), (0.1, 7), (0.4, 2)]),
    st.booleans(),
)
def test_thresholds_are_those_of_the_reference(
    seed, association, n_classes, asked, weighted
):
    practical, size = asked
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    y = rng.normal(size=n).round(1)
    if n_classes:
        y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
        y = y.astype(np.int32)
    columns = [
        rng.normal(size=n),
        rng.poisson(0.7, n).astype(float),
        np.where(rng.random(n) < 0.3, np.nan, rng.integers(0, 3, n)),
        np.full(n, np.nan),
    ]
    weights = rng.integers(0, 3, n) + 0.5 if weighted else None
    codes = rng.integers(-1, 2, n).astype(np.int32)
    nominal = Column("c", ColumnKind.NOMINAL, codes, ("a", "b"))
    table = Table((nominal, *table_of(*columns).columns))
    measuring = Measuring(association, "level", 1, 5)
    found = Thresholds.of(
        *(table, y, weights, measuring), practical=practical, size=size
    )
    assert (found.raised[0], found.deviation[0]) == (practical, 0)
    for j, column in enumerate(columns, 1):
        known = ~np.isnan(column)
        count = float(known.sum())
        if weighted and count:
            count = weights[known].sum() ** 2 / (weights[known] ** 2).sum()
        expected = reference.thresholds(
            *(column.tolist(), y.tolist(), count),
            practical=practical,
            size=size,
            gamma=association == "gamma",
            quantity=not n_classes,
        )
        assert found.raised[j] == pytest.approx(expected[0])
        assert found.deviation[j] == pytest.approx(expected[1])


@pytest.mark.parametrize("association", ["symmetrical_uncertainty", abs])
def test_associations_of_levels_have_no_luck_to_allow_for(association):
    rng = np.random.default_rng(0)
    table = table_of(rng.normal(size=30))
    y = rng.integers(0, 2, 30).astype(np.int32)
    measuring = Measuring(association, "ignore", 1, 5)
    found = Thresholds.of(table, y, None, measuring, practical=0.1, size=30)
    assert found.raised.tolist() == [0.1]


def test_gaps_of_numbers_and_of_ignored_levels_are_not_known():
    numbers = Column("x", ColumnKind.NUMERIC, np.array([1.0, np.nan]))
    levels = Column("c", ColumnKind.NOMINAL, np.array([0, -1], np.int32), ("a",))
    assert n_known(numbers, None, "level") == 1
    assert n_known(levels, None, "ignore") == 1
    weights = np.array([2.0, 1.0])
    assert n_known(levels, weights, "level") == pytest.approx(9 / 5)
