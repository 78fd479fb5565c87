"""The problems of the recovery board are what they say: truth, shape, seeds."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

ROOT = Path(__file__).parents[2]
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("benchmarks are not distributed", allow_module_level=True)

from benchmarks.recovery import (  # noqa: E402
    dependent_columns,
    dependent_rows,
    plain_effects,
)
from benchmarks.recovery.problems import FAMILIES, NOISE, PROBLEMS  # noqa: E402
from benchmarks.recovery.sketch import (  # noqa: E402
    Sketch,
    ar_correlation,
    correlated,
)

DEPENDENT = [
    (family, name)
    for family, problems in FAMILIES.items()
    if family not in ("first 24", "pure noise, independent")
    for name in problems
]
NAMES = [name for _, name in DEPENDENT]
#: Enough for a correlation of 0 to stay within .03, which is six standard deviations.
MANY = 40_000


def column(problem, name):
    return np.asarray(problem.table[name].values, dtype=float)


def left_over(values, given):
    """Return what a straight line and squares of other columns leave of a column."""
    base = np.column_stack([np.ones(len(values)), *given, *(g**2 for g in given)])
    return values - base @ np.linalg.solve(base.T @ base, base.T @ values)


def drawn_large(make, monkeypatch):
    """Return a problem of normal columns with more rows than the board has."""
    start = Sketch.__init__

    def larger(self, name, _, seed):
        start(self, name, MANY, seed)

    monkeypatch.setattr(Sketch, "__init__", larger)
    return make(11)


def test_the_board_has_grown_by_families():
    assert len(FAMILIES["first 24"]) == 24
    assert len(FAMILIES["pure noise, independent"]) == 6
    assert len(PROBLEMS) == sum(map(len, FAMILIES.values()))
    assert len(NAMES) >= 28


@pytest.mark.parametrize(("family", "name"), DEPENDENT, ids=NAMES)
def test_a_problem_keeps_its_form(family, name):
    problem = PROBLEMS[name](3)
    table, truth = problem
    assert problem.name == name
    assert sorted(truth.features) == sorted(table.names)
    assert (not truth.relevant) == (name in NOISE) == family.startswith("pure noise")
    assert set(problem.options) <= {"groups", "time", "strata"}
    for values in problem.options.values():
        assert len(values) == table.n_rows
    assert len(np.unique(np.asarray(table.target.values))) > 1


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_decides(name):
    def made(seed):
        table, truth = PROBLEMS[name](seed)
        return [np.asarray(c.values) for c in (*table, table.target)], truth

    (once, truth), (again, same), (other, _) = made(5), made(5), made(6)
    assert truth == same
    assert all(map(lambda a, b: np.array_equal(a, b, equal_nan=True), once, again))
    assert any(
        len(a) != len(b) or not np.array_equal(a, b, equal_nan=True)
        for a, b in zip(once, other, strict=True)
    )


def test_true_columns_do_not_come_first():
    places = [
        PROBLEMS["chains a → b → c → y, classes, 600 rows"](seed).truth.relevant
        for seed in range(5)
    ]
    assert len(set(places)) == 5


LINEAR = [
    dependent_columns.chains,
    dependent_columns.common_cause,
    dependent_columns.noisy_copies,
    dependent_columns.weak_proxies,
    dependent_columns.curved_proxies,
    dependent_columns.neighbours_matter,
    dependent_columns.two_at_nine_tenths,
]


@pytest.mark.parametrize("make", LINEAR, ids=lambda make: make.__name__)
def test_a_proxy_says_nothing_given_the_true_columns(make, monkeypatch):
    problem = drawn_large(make, monkeypatch)
    truth = problem.truth
    assert truth.proxies
    target = np.asarray(problem.table.target.values, dtype=float)
    given = [column(problem, name) for name in truth.relevant]
    rest = left_over(target, given)
    for name in truth.proxies:
        values = column(problem, name)
        # ranks, as one proxy is an exponential of another scale
        values = stats.norm.ppf(stats.rankdata(values) / (len(values) + 1))
        assert abs(np.corrcoef(left_over(values, given), rest)[0, 1]) < 0.03
        alone = [np.corrcoef(f(values), target)[0, 1] for f in (np.asarray, np.square)]
        assert (
            max(map(abs, alone)) > 0.05 or make is dependent_columns.neighbours_matter
        )
    for name in truth.irrelevant:
        assert abs(np.corrcoef(column(problem, name), target)[0, 1]) < 0.03


@pytest.mark.parametrize("make", LINEAR, ids=lambda make: make.__name__)
def test_a_true_column_adds_to_all_others(make, monkeypatch):
    problem = drawn_large(make, monkeypatch)
    names = problem.truth.relevant + problem.truth.proxies
    X = np.column_stack([column(problem, name) for name in names])
    target = np.asarray(problem.table.target.values, dtype=float)
    # The inverse of a covariance holds the correlations given all others.
    inverse = np.linalg.inv(np.cov(np.column_stack([X, X**2, target]).T))
    scale = np.sqrt(np.diag(inverse))
    given_others = np.abs(inverse[-1, :-1]) / scale[:-1] / scale[-1]
    best = given_others.reshape(2, -1).max(axis=0)
    assert best[: len(problem.truth.relevant)].min() > 0.05


def test_the_lenient_score_takes_only_near_proxies():
    sketch = Sketch("ar", 200, 0)
    correlation = ar_correlation(30, 0.9)
    X = correlated(sketch.rng, 200, correlation)
    sketch.add_design(X, correlation, (10,))
    truth = sketch.problem(X[:, 10]).truth
    (group,) = truth.groups
    assert len(group) == 7  # .9 ** 3 = .729, .9 ** 4 = .656; both sides
    assert len(truth.proxies) == 29


def test_ar_columns_far_away_are_noise():
    truth = PROBLEMS["AR(.5) 40, classes, 300 rows"](0).truth
    # .5 ** 3 = .125, .5 ** 4 = .0625: three to each side of four columns
    assert len(truth.proxies) == 24
    assert len(truth.irrelevant) == 12
    assert all(len(group) == 1 for group in truth.groups)


def test_a_suppressor_says_nothing_alone(monkeypatch):
    make = dependent_columns.suppressor("suppressor", 0, quantity=True)
    problem = drawn_large(make, monkeypatch)
    target = np.asarray(problem.table.target.values)
    alone = [
        np.corrcoef(column(problem, n), target)[0, 1] for n in problem.truth.relevant
    ]
    weaker, stronger = sorted(map(abs, alone))
    assert weaker < 0.03
    assert stronger > 0.4
    both = [column(problem, name) for name in problem.truth.relevant]
    assert 1 - left_over(target, both).var() / target.var() > 0.35


def test_nominal_proxies_say_nothing_within_a_level(monkeypatch):
    problem = drawn_large(dependent_columns.nominal_proxies, monkeypatch)
    target = np.asarray(problem.table.target.values)
    first, second = (column(problem, name) for name in problem.truth.relevant)
    cell = (6 * first + second).astype(int)
    for name in problem.truth.proxies:
        proxy = column(problem, name)
        p_values = [
            stats.chi2_contingency(
                stats.contingency.crosstab(proxy[cell == k], target[cell == k]).count
            ).pvalue
            for k in range(36)
            if len(np.unique(proxy[cell == k])) > 1
        ]
        if p_values:  # merged levels do not vary within a level
            assert min(p_values) > 1e-5


def test_xor_is_told_only_together(monkeypatch):
    problem = drawn_large(dependent_columns.xor_with_proxies, monkeypatch)
    target = np.asarray(problem.table.target.values)
    first, second = (column(problem, n) for n in problem.truth.relevant)
    assert abs(np.corrcoef(first, target)[0, 1]) < 0.03
    assert np.mean((first != second) == target) == pytest.approx(0.9, abs=0.02)
    assert problem.truth.interactions == (problem.truth.relevant,)
    assert len(problem.truth.groups) == 2


@pytest.mark.parametrize("name", sorted(dependent_rows.ROWS_NOISE))
def test_noise_of_rows_fools_who_takes_rows_for_independent(name):
    # Counts p-values of the correlation that are far too small. Independent rows would
    # give 0.24 of 24 below .01 in the mean, dependent ones have to give many.
    small = n_columns = 0
    for seed in range(4):
        problem = PROBLEMS[name](seed)
        target = np.asarray(problem.table.target.values, dtype=float)
        for feature in problem.table.names:
            values = column(problem, feature)
            small += stats.pearsonr(values, target).pvalue < 0.01
            n_columns += 1
    assert small / n_columns > 0.04


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("noise: patients, class of the patient", "groups"),
        ("noise: schools, target of the school", "groups"),
        ("noise: visits of patients, a quantity", "groups"),
        ("noise: random walks", "time"),
        ("noise: rows AR(0.7), classes", "time"),
        ("noise: hospitals as strata, classes", "strata"),
        ("noise: smaller class repeated", None),
        ("noise: rows one to five times", None),
    ],
)
def test_a_problem_of_rows_carries_its_option(name, option):
    signal = name.replace("noise:", "signal:")
    for kind in (name, signal):
        assert set(PROBLEMS[kind](0).options) == ({option} if option else set())


def test_a_target_of_the_group_is_constant_in_it():
    for name in ("patients, class of the patient", "schools, target of the school"):
        problem = PROBLEMS[f"signal: {name}"](1)
        target = np.asarray(problem.table.target.values)
        groups = problem.options["groups"]
        assert all(len(np.unique(target[groups == g])) == 1 for g in np.unique(groups))
    target = np.asarray(
        PROBLEMS["signal: visits of patients, classes"](1).table.target.values
    )
    groups = PROBLEMS["signal: visits of patients, classes"](1).options["groups"]
    assert any(len(np.unique(target[groups == g])) > 1 for g in np.unique(groups))


def test_repeated_rows_are_equal_in_everything():
    table = PROBLEMS["noise: smaller class repeated"](0).table
    rows = np.column_stack([np.asarray(c.values) for c in (*table, table.target)])
    distinct = len(np.unique(rows, axis=0))
    assert distinct == 300 < len(rows)
    target = rows[:, -1]
    assert (target == 1).sum() == (target == 0).sum()


def test_strata_explain_what_columns_and_target_share():
    problem = PROBLEMS["noise: hospitals as strata, a quantity"](2)
    target = np.asarray(problem.table.target.values)
    strata = problem.options["strata"]

    def within(values):
        means = np.array([values[strata == k].mean() for k in range(6)])
        return values - means[strata]

    for name in problem.table.names:
        inside = np.corrcoef(within(column(problem, name)), within(target))[0, 1]
        assert abs(inside) < 0.15  # four and a half standard deviations of 900 rows


@pytest.mark.parametrize("name", sorted(dependent_rows.PAIRS))
def test_a_pair_in_dependent_rows_is_told_together(name):
    # Signs of both members, whose product the target is made of; the mean over seeds of
    # each correlation with the target, of which six deviations are .1 or less.
    alone, together = [], []
    for seed in range(10):
        problem = PROBLEMS[name](seed)
        target = np.asarray(problem.table.target.values, dtype=float)
        (pair,) = problem.truth.interactions
        signs = []
        for member in pair:
            values = column(problem, member)
            cut = 0.5 if problem.table[member].is_nominal else np.median(values)
            signs.append(np.where(values > cut, 1.0, -1.0))
            alone.append(np.corrcoef(signs[-1], target)[0, 1])
        together.append(np.corrcoef(signs[0] * signs[1], target)[0, 1])
    assert abs(np.mean(alone)) < 0.1
    assert np.mean(together) > 0.25


@pytest.mark.parametrize("name", sorted(plain_effects.WEAK))
def test_weak_effects_have_the_t_they_should(name):
    found = []
    n_seeds = 2 if "50,000" in name else 20
    for seed in range(n_seeds):
        problem = PROBLEMS[name](seed)
        target = np.asarray(problem.table.target.values, dtype=float)
        for feature in problem.truth.relevant:
            r = np.corrcoef(column(problem, feature), target)[0, 1]
            found.append(r * np.sqrt(len(target) / (1 - r**2)))
    expected = 3.5 if "150 rows" in name else 4.5
    # A t has a standard deviation of about 1; six of their mean.
    assert np.mean(found) == pytest.approx(expected, abs=6 / np.sqrt(len(found)))


def test_rare_shifts_are_in_the_mean_and_hardly_in_ranks():
    problem = PROBLEMS["means that ranks miss, 4,000 rows"]
    means, ranks = [], []
    for seed in range(10):
        table, truth = problem(seed)
        target = np.asarray(table.target.values)
        for name in truth.relevant:
            values = np.asarray(table[name].values)
            means.append(stats.pearsonr(values, target).pvalue)
            ranks.append(stats.spearmanr(values, target).pvalue)
    assert np.median(means) < 1e-6
    assert np.median(ranks) > 1e-3
