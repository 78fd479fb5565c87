import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from featsieve.data import Column, ColumnKind, Table
from featsieve.engine import derive_seed
from featsieve.exceptions import DataError
from featsieve.inference._association_tests import (
    Measuring,
    Thresholds,
    _most_on_average,
    asymptotic_p_values,
    fisher_z,
    folded_mean,
    n_known,
    permutation_p_values,
)
from featsieve.inference._exchange import FREE, WithinStrata
from featsieve.measures import class_association, target_association, winsorise
from featsieve.measures.api import cut_column, score_tallies
from featsieve.tallies import Tally
from reference import associations as plain
from reference import chance as reference
from reference.inference import exact_p_value


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


def one_column(values):
    return Table((Column("x", ColumnKind.NUMERIC, np.array(values, dtype=float)),))


@pytest.mark.parametrize("strata", [None, [0, 0, 0, 1, 1, 1, 1]])
def test_permutations_are_the_share_of_all_orders(strata):
    """1,500 draws: four standard errors."""
    x, y = [1, 2, 2, 4, 5, 6, 7], np.array([3.0, 1.0, 2.0, 2.0, 9.0, 4.0, 5.0])
    exact = exact_p_value(lambda t: abs(plain.pearson(x, t)), y.tolist(), strata)
    assert 0.01 < exact < 0.9
    null = FREE if strata is None else WithinStrata(np.array(strata))
    observed = np.array([abs(plain.pearson(x, y.tolist()))])
    found = permutation_p_values(
        one_column(x),
        y,
        observed,
        of("pearson"),
        weights=None,
        n_permutations=1500,
        seed=1,
        n_jobs=1,
        exchange=null,
    )
    assert found == pytest.approx([exact], abs=4 * np.sqrt(exact / 1500))
    assert found * 1501 == pytest.approx(np.rint(found * 1501))


def test_permutations_come_in_tasks_of_sixteen():
    """Same seed, same bits: draws of a task follow each other, whatever the jobs."""
    x, y = np.arange(12.0), np.random.default_rng(0).normal(size=12)
    drawn = []
    for begin in (0, 16):
        random = np.random.default_rng(derive_seed(3, "permutations", begin))
        drawn += [
            abs(np.corrcoef(x, y[random.permutation(12)])[0, 1])
            for _ in range(begin, min(begin + 16, 20))
        ]
    observed = np.sort(drawn)[7] + 1e-9
    found = permutation_p_values(
        one_column(x),
        y,
        np.array([observed]),
        of("pearson"),
        weights=None,
        n_permutations=20,
        seed=3,
        n_jobs=1,
    )
    assert found.tolist() == [(12 + 1) / 21]


def test_weights_move_with_the_target():
    """Rows of next to no weight have no say, whichever values they meet."""
    x = np.array([1.0, 2.0, 3.0, 4.0, 9.0, 9.0, 9.0, 9.0])
    y = np.array([1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0])
    weights = np.array([1.0] * 4 + [1e-9] * 4)
    measuring = of("pearson")
    nominal = np.array([False])
    observed = measuring.measure([x], nominal, y, weights)
    order = np.random.default_rng(derive_seed(5, "permutations", 0)).permutation(8)
    moved = measuring.measure([x], nominal, y[order], weights[order])
    found = permutation_p_values(
        one_column(x),
        y,
        np.array([moved[0]]),
        measuring,
        weights=weights,
        n_permutations=1,
        seed=5,
        n_jobs=1,
    )
    assert observed[0] == pytest.approx(1.0)
    assert found.tolist() == [1.0]  # the one draw ties with itself


@pytest.mark.parametrize("association", ["kendall", "spearman", "pearson"])
@pytest.mark.parametrize("quantity", [False, True])
def test_laws_hold_their_level_on_noise(association, quantity):
    """400 columns with ties beside a target of their own: 20 ± 4.4 pass at .05."""
    random = np.random.default_rng(6)
    passed = 0
    for _ in range(400):
        y = random.normal(size=60)
        target = y if quantity else (y > 0.4).astype(np.int32) + (y > 1)
        target = target if quantity else target.astype(np.int32)
        table = one_column(random.normal(size=60).round(1))
        passed += asymptotic_p_values(table, target, of(association))[0] <= 0.05
    assert stats.binom.ppf(3e-5, 400, 0.05) <= passed
    assert passed <= stats.binom.isf(3e-5, 400, 0.05)


def test_fishers_z_equals_the_definition():
    scores, n = np.array([0.3, 0.0, 0.95]), np.array([50, 4, 10])
    p_values, bounds = fisher_z(scores, n, 0.1, 0.9)
    for k in range(3):
        error = 1 / np.sqrt(n[k] - 3)
        z = np.arctanh(scores[k])
        expected = stats.norm.sf((z - np.arctanh(0.1)) / error)
        assert p_values[k] == pytest.approx(expected)
        half = stats.norm.ppf(0.95) * error
        assert bounds[k] == pytest.approx(np.tanh([z - half, z + half]))
    wider, _ = fisher_z(np.array([0.3]), 50, 0.1, 0.9, 0.5)
    expected = stats.norm.sf((np.arctanh(0.3) - np.arctanh(0.1)) / 0.5)
    assert wider == pytest.approx([expected])


def columns_of(*values):
    return Table(
        tuple(
            Column(f"x{j}", ColumnKind.NUMERIC, np.asarray(v, dtype=float))
            for j, v in enumerate(values)
        )
    )


def test_a_column_that_cannot_be_tested_does_not_end_the_test(data):
    """Each in turn: no spread, too few known rows, levels, and then one that can."""
    table, classes, _ = data
    x = table.columns[0].values
    two = np.full(150, np.nan)
    two[:2] = 1.0, 2.0
    mixed = Table(
        (table.columns[2], *columns_of(two).columns, table.columns[1], table.columns[0])
    )
    got = asymptotic_p_values(mixed, classes, of("kendall"))
    assert got[:2].tolist() == [1, 1]
    assert got[3] == asymptotic_p_values(table, classes, of("kendall"))[0]
    same = asymptotic_p_values(columns_of(x), np.ones(150), of("pearson"))
    assert same.tolist() == [1]
    three = asymptotic_p_values(
        columns_of([1.0, 2.0, 4.0]), np.array([3.0, 5.0, 4.0]), of("pearson")
    )
    assert three == pytest.approx([stats.pearsonr([1, 2, 4], [3, 5, 4]).pvalue])


def test_winsorised_values_are_tested(data):
    _, classes, quantity = data
    rng = np.random.default_rng(3)
    x = rng.standard_t(1.5, 150) + classes
    for target in (classes, quantity):
        got, plain_p = (
            asymptotic_p_values(columns_of(x), target, of(name))[0]
            for name in ("winsorised_pearson", "pearson")
        )
        cut = columns_of(winsorise(x))
        assert got == asymptotic_p_values(cut, target, of("pearson"))[0]
        assert got != pytest.approx(plain_p)
    few = np.zeros(150)
    few[7] = 1.0  # no spread is left once it is winsorised
    got = asymptotic_p_values(columns_of(few), classes, of("winsorised_pearson"))
    assert got.tolist() == [1]


def test_kendall_of_a_few_rows_is_the_law_of_many():
    x, y = np.arange(6.0), np.array([2.0, 0.0, 1.0, 4.0, 3.0, 5.0])
    expected = stats.kendalltau(x, y, method="asymptotic").pvalue
    got = asymptotic_p_values(columns_of(x), y, of("kendall"))
    assert got == pytest.approx([expected])
    assert expected != pytest.approx(stats.kendalltau(x, y, method="exact").pvalue)
    spearman = asymptotic_p_values(columns_of(x), y, of("spearman"))
    assert spearman != pytest.approx([expected])


def test_variance_with_a_class_of_one_row_and_one_that_is_absent():
    x = np.array([1.0, 2.0, 4.0, 3.0, 7.0])
    classes = np.array([0, 0, 2, 2, 3], dtype=np.int32)
    got = asymptotic_p_values(columns_of(x), classes, of("pearson"))
    groups = [x[classes == c] for c in (0, 2, 3)]
    assert got == pytest.approx([stats.f_oneway(*groups).pvalue])


def test_levels_are_counted_with_missing_ones_or_without():
    codes = np.array([0, 1, -1] * 30, dtype=np.int32)
    classes = np.array([0, 0, 1] * 30, dtype=np.int32)
    table = Table((Column("c", ColumnKind.NOMINAL, codes, ("a", "b")),))
    gone = asymptotic_p_values(table, classes, of("kendall", "ignore"))
    told = asymptotic_p_values(table, classes, of("kendall", "level"))
    assert gone.tolist() == [1]
    assert told[0] < 1e-6


def test_numbers_are_cut_for_symmetrical_uncertainty(data):
    table, classes, _ = data
    x = table.columns[0].values
    got = asymptotic_p_values(columns_of(x), classes, of("symmetrical_uncertainty"))
    codes = cut_column(x, 5, None)
    cells = np.array([np.bincount(codes[classes == c], minlength=5) for c in range(3)])
    by_information = stats.chi2_contingency(cells, lambda_="log-likelihood").pvalue
    squares = stats.chi2_contingency(cells).statistic * 149 / 150
    assert got == pytest.approx([max(by_information, stats.chi2.sf(squares, 8))])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", ["level", "ignore"])
def test_a_function_of_tallies_is_given_the_tallies(data, weighted, missing):
    table, classes, quantity = data
    weights = np.random.default_rng(1).random(150) if weighted else None
    x = np.where(np.arange(150) % 7 == 0, np.nan, table.columns[0].values)
    columns = [x, table.columns[1].values]
    nominal = np.array([False, True])

    def share_of_first(tally):
        """Where most of the second class is."""
        return tally.counts[0, 1] / tally.counts.sum() + len(tally.table)

    measuring = of(share_of_first, missing)
    got = measuring.measure(columns, nominal, classes, weights)
    codes = (cut_column(x, 5, weights), columns[1])
    tallies = [Tally.from_codes(own, classes, weights) for own in codes]
    expected = score_tallies(tallies, share_of_first, missing)
    np.testing.assert_array_equal(got, expected)
    with pytest.raises(
        DataError,
        match=r"share_of_first needs classes.*Cut it with `target_bins=5`\.",
    ):
        measuring.measure(columns, nominal, quantity, weights)
    assert measuring.measure([], np.empty(0, bool), classes, None).shape == (0,)


def test_chance_is_taken_off_where_it_is_asked_for(data):
    table, classes, _ = data
    columns, nominal = [table.columns[1].values], np.array([True])
    plainly, corrected = (
        Measuring(
            "symmetrical_uncertainty", "ignore", 1, 5, correct_chance=chance
        ).measure(columns, nominal, classes, None)[0]
        for chance in (False, True)
    )
    assert corrected < plainly


def test_fishers_z_without_rows_or_with_all_sure():
    p_values, _ = fisher_z(np.array([1.0, 1.0, -3.0, 3.0]), [50, 5, 50, 50], 1.0, 0.9)
    # artanh 1 less artanh 1 says nothing; what is beyond 1 is taken for 1.
    assert p_values == pytest.approx([0.5, 0.5, 1.0, 0.5])
    two, _ = fisher_z(np.array([0.5]), np.array([3]), 0.1, 0.9, 0.0)
    assert two.tolist() == [1.0]


def test_what_rounding_lifts_above_one_is_one():
    for above in (1 + 1e-12, 2.0):
        p_values, bounds = fisher_z(np.array([above, -above]), 50, 0.1, 0.9)
        assert p_values.tolist() == [0, 1]
        assert bounds.tolist() == [[1, 1], [-1, -1]]


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
