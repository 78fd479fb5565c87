import numpy as np
import pytest
from scipy import stats

from featsieve.data import Column, ColumnKind, Table
from featsieve.filters._association_tests import (
    Measuring,
    asymptotic_p_values,
    fisher_z,
    independence_p_value,
    merge_rare_levels,
    permutation_p_values,
)


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, 150).astype(np.int32)
    x = (rng.normal(size=150) + 0.3 * classes).round(1)
    codes = rng.integers(0, 3, 150).astype(np.int32)
    columns = (
        Column("x", ColumnKind.NUMERIC, x),
        Column("c", ColumnKind.NOMINAL, codes, (0, 1, 2)),
        Column("constant", ColumnKind.NUMERIC, np.ones(150)),
    )
    return Table(columns), classes, rng.normal(size=150) + x


def of(association, missing="ignore"):
    return Measuring(association, missing, 1, 5)


def test_fishers_z_of_the_specification():
    p_values, bounds = fisher_z(np.array([0.17, 0.18, 1.0, 0.0]), 1000, 0.1, 0.95)
    assert (p_values <= 0.01).tolist() == [False, True, True, False]
    assert bounds[0].round(3).tolist() == [0.109, 0.23]
    assert bounds[2].tolist() == [1, 1]
    none, everything = fisher_z(np.array([0.9]), 3, 0.1, 0.95)
    assert none.tolist() == [1]
    assert everything.tolist() == [[0, 1]]
    each, _ = fisher_z(np.array([0.3, 0.3, 0.3]), [1000, 50, 2], 0.1, 0.95)
    assert (each <= 0.01).tolist() == [True, False, False]


@pytest.mark.parametrize("association", ["kendall", "gamma", "spearman"])
def test_order_against_classes_is_kruskal_and_wallis(data, association):
    table, classes, _ = data
    got = asymptotic_p_values(table, classes, of(association))
    x = table.columns[0].values
    groups = [x[classes == c] for c in range(3)]
    assert got[0] == pytest.approx(stats.kruskal(*groups).pvalue)
    cells = np.array(
        [np.bincount(table.columns[1].values[classes == c]) for c in range(3)]
    )
    by_information = stats.chi2_contingency(cells, lambda_="log-likelihood")
    by_squares = stats.chi2.sf(stats.chi2_contingency(cells).statistic * 149 / 150, 4)
    assert got[1] == pytest.approx(max(by_information.pvalue, by_squares))
    assert got[2] == 1


def test_rare_levels_are_taken_together():
    counts = np.array([[9, 3], [0, 0], [1, 2], [4, 0], [0, 7]])
    merged = merge_rare_levels(counts)
    assert merged.tolist() == [[9, 3], [0, 7], [5, 2]]
    assert merge_rare_levels(merged).tolist() == merged.tolist()
    assert independence_p_value(counts[:1]) == 1
    assert independence_p_value(np.array([[5, 0], [7, 0]])) == 1


@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.5, 0.4, 0.1], [0.6, 0.39, 0.01]])
@pytest.mark.parametrize("n_levels", [50, 150, 300, 1000])
def test_few_rows_per_level_are_no_evidence(shares, n_levels):
    """100 columns of noise; more than 6 pass at 0.01 once in 10,000 times."""
    rng = np.random.default_rng(n_levels)
    passed = 0
    for _ in range(100):
        classes = rng.choice(len(shares), 1000, p=shares)
        counts = np.zeros((n_levels, len(shares)))
        np.add.at(counts, (rng.integers(n_levels, size=1000), classes), 1)
        passed += independence_p_value(merge_rare_levels(counts)) <= 0.01
    assert passed <= 6


def test_pearson_against_classes_is_analysis_of_variance(data):
    table, classes, _ = data
    x = table.columns[0].values
    got = asymptotic_p_values(table, classes, of("pearson"))
    expected = stats.f_oneway(*(x[classes == c] for c in range(3))).pvalue
    assert got[0] == pytest.approx(expected)
    exact = Table((Column("y", ColumnKind.NUMERIC, classes.astype(float)),))
    assert asymptotic_p_values(exact, classes, of("pearson"))[0] == 0
    winsorised = asymptotic_p_values(table, classes, of("winsorised_pearson"))
    assert winsorised[0] == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize(
    ("association", "test"),
    [
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall", stats.kendalltau),
    ],
)
def test_quantities_have_their_own_tests(data, association, test):
    table, _, quantity = data
    got = asymptotic_p_values(table, quantity, of(association))
    assert got[0] == pytest.approx(test(table.columns[0].values, quantity).pvalue, 1e-6)
    assert 0 < got[1] < 1
    cut = asymptotic_p_values(table, quantity, of("symmetrical_uncertainty"))
    assert cut[0] < 0.01
    assert cut[2] == 1


def test_few_rows_show_nothing():
    table = Table((Column("x", ColumnKind.NUMERIC, np.array([1.0, 2.0, 3.0])),))
    classes = np.array([0, 1, 2], dtype=np.int32)
    assert asymptotic_p_values(table, classes, of("kendall")).tolist() == [1]


def test_permutations_agree_with_the_law(data):
    table, classes, _ = data
    measuring = of("spearman")
    columns = [column.values for column in table]
    nominal = np.array([False, True, False])
    observed = measuring.measure(columns, nominal, classes, None)
    options = {"weights": None, "n_permutations": 300, "seed": 1}
    got, jobs = (
        permutation_p_values(table, classes, observed, measuring, n_jobs=n, **options)
        for n in (1, 2)
    )
    np.testing.assert_array_equal(got, jobs)
    law = asymptotic_p_values(table, classes, measuring)
    np.testing.assert_allclose(got[:2], law[:2], atol=0.08)
    assert got[2] == 1
