import numpy as np
import pytest
from scipy import stats

from featsieve.selectors.associations._association_samples import (
    Dependence,
    plan_samples,
    summarise,
)


def test_samples_are_disjoint_while_rows_last():
    plan = plan_samples(1000, 10, 100, seed=3)
    rows = np.concatenate([plan.rows(k) for k in range(10)])
    assert sorted(rows.tolist()) == list(range(1000))
    assert plan.dependence(10) == Dependence.none(10) == Dependence(1.0, 0.1, 9)
    assert len(set(plan.rows_of(3))) == len(plan.rows_of(3)) == 300


def test_a_small_table_is_used_again():
    plan = plan_samples(250, 10, 100, seed=3)
    assert [len(set(plan.rows(k).tolist())) for k in range(10)] == [100] * 10
    assert plan.dependence(2) == Dependence.none(2)
    # Two of five rounds share 0.4 of their rows on average, of one round none.
    overlap = 0.4 * 40 / 45
    dependence = plan.dependence(10)
    assert dependence.seen == pytest.approx(1 - overlap, abs=0.02)
    assert dependence.mean == pytest.approx(0.1 + 0.9 * overlap, abs=0.02)
    assert 5 < dependence.freedom < 9
    assert len(plan.rows_of(10)) == 250


def test_pairs_of_halves_have_half_the_degrees_of_freedom():
    plan = plan_samples(2000, 10, 1000, seed=1)
    dependence = plan.dependence(10)
    # The mean of every pair is the mean of all rows: what differs are five halves.
    assert dependence.freedom == pytest.approx(5, rel=0.02)
    assert dependence.mean == pytest.approx(0.5)
    assert Dependence.of(np.ones((4, 4))).freedom == 1


@pytest.mark.parametrize(("n_rows", "size"), [(1, 1), (2, 1), (3, 1), (1500, 750)])
def test_samples_never_hold_the_whole_table(n_rows, size):
    plan = plan_samples(n_rows, 4, 1000, seed=0)
    assert plan.size == size
    assert plan_samples(n_rows, 1, 1000, seed=0).size == min(n_rows, 1000)


def test_means_and_intervals_are_students():
    """The sample of the specification: selected at 0.01 against 0.1."""
    values = np.array([0.15, 0.12, 0.18, 0.11, 0.16, 0.14, 0.13, 0.17, 0.12, 0.15])
    means = summarise(values[:, np.newaxis])
    assert means.interval(0.95)[0].round(6).tolist() == [0.126462, 0.159538]
    expected = stats.ttest_1samp(values, 0.1, alternative="greater").pvalue
    assert means.p_values(0.1)[0] == pytest.approx(expected)
    assert expected < 0.01


def test_no_spread_is_certainty():
    means = summarise(np.tile([0.1, 0.3, 0.0, 0.1 + 0.2], (7, 1)))
    assert means.p_values(0.1).tolist() == [1, 0, 1, 0]
    assert means.interval(0.95)[:, 0].tolist() == means.mean.tolist()
    once = summarise(np.array([[0.5]]))
    assert once.p_values(0.1).tolist() == [1]
    assert once.interval(0.95).tolist() == [[-np.inf, np.inf]]


def test_overlap_is_corrected_for():
    """The mean of overlapping samples varies as the corrected error says."""
    rng = np.random.default_rng(0)
    means, errors, naive = [], [], []
    for seed in range(400):
        table = rng.normal(size=300)
        plan = plan_samples(300, 10, 100, seed)
        values = np.array([[table[plan.rows(k)].mean()] for k in range(10)])
        corrected = summarise(values, plan.dependence(10))
        means.append(corrected.mean[0])
        errors.append(corrected.error[0] ** 2)
        naive.append(summarise(values).error[0] ** 2)
    true = np.var(means)
    assert np.mean(errors) == pytest.approx(true, rel=0.3)
    assert np.mean(naive) < 0.6 * true


@pytest.mark.parametrize("size", [50, 100, 150])
def test_the_test_keeps_its_level_when_samples_overlap(size):
    """Of means that are exactly at the threshold one in a hundred passes."""
    rng = np.random.default_rng(size)
    corrected, naive = [], []
    for seed in range(20):
        plan = plan_samples(300, 10, size, seed)
        table = rng.normal(size=(300, 400))
        values = np.array([table[plan.rows(k)].mean(axis=0) for k in range(10)])
        means = summarise(values, plan.dependence(10))
        corrected.append(np.mean(means.p_values(0.0) <= 0.01))
        naive.append(np.mean(summarise(values).p_values(0.0) <= 0.01))
    assert np.mean(corrected) == pytest.approx(0.01, abs=0.005)
    assert np.mean(naive) > 0.03
