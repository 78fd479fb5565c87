"""Permutation tests: exact, and whatever is tested beside them is no matter."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom

from featsieve._kernels import apply_cuts, mdl_cuts
from featsieve.data import MDLDiscretizer
from featsieve.exceptions import DataError
from featsieve.inference import _permutation
from featsieve.inference._coding import CodedColumns
from featsieve.inference._exchange import FREE, WithinStrata
from featsieve.inference._permutation import Scoring, TalliedFeatures, permutation_test
from featsieve.inference._tallied_features import tally_rows
from featsieve.measures import information_gain
from featsieve.selectors import MeasureFilter
from featsieve.tallies import Tally
from reference.inference import exact_p_value, likelihood_ratio


@pytest.fixture(scope="module")
def numeric_table():
    """Columns with ties, without, and with few values; more than one batch of them."""
    random = np.random.default_rng(8)
    y = random.integers(0, 3, 300)
    X = random.normal(size=(300, 80))
    X[:, ::4] += 0.7 * y[:, np.newaxis]
    X[:, 5:75] = X[:, 5:75].round(1)
    X[:, 75:78] = X[:, 75:78] > 0
    X[random.random(300) < 0.1, 7] = np.nan
    return X, y


def p_values(X, y, **settings):
    return MeasureFilter(fdr=0.05, **settings).fit(X, y).p_values_


def test_order_and_company_of_columns_are_no_matter(numeric_table):
    X, y = numeric_table
    settings = {"max_permutations": 250}  # company decides how long drawing goes on
    whole = p_values(X, y, **settings)
    order = np.random.default_rng(0).permutation(X.shape[1])
    np.testing.assert_array_equal(p_values(X[:, order], y, **settings), whole[order])
    np.testing.assert_array_equal(p_values(X[:, 3:9], y, **settings), whole[3:9])


def test_threads_are_no_matter(numeric_table):
    X, y = numeric_table
    np.testing.assert_array_equal(p_values(X, y, n_jobs=2), p_values(X, y))


def test_informative_columns_are_found_and_noise_is_not(numeric_table):
    X, y = numeric_table
    found = np.flatnonzero(MeasureFilter(fdr=0.05).fit(X, y).support_)
    informative = set(range(0, 76, 4))
    assert informative <= set(found.tolist())
    assert len(found) <= len(informative) + 3


def columns_of(codes, classes, weights=None, numeric=None):
    codes = np.asfortranarray(np.atleast_2d(np.asarray(codes, dtype=np.int32).T).T)
    n_levels = (codes.max(axis=0) + 1).astype(np.int32)
    classes = np.asarray(classes, dtype=np.int32)
    return CodedColumns(
        codes, n_levels, numeric or {}, classes, int(classes.max()) + 1, weights
    )


def held_against_chance(columns, price=None, seed=1, **settings):
    scoring = Scoring("information_gain", "level", price)
    features = tally_rows(columns)
    scores = scoring.scores(features.tallies)
    settings = {"alpha": 0.05, "max_draws": 2000} | settings
    return permutation_test(features, scores, scoring, seed=seed, **settings)


X = [0, 0, 1, 1, 2, 2, 0]
Y = [0, 1, 1, 1, 0, 0, 1]
STRATA = [0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("strata", [None, STRATA])
def test_is_the_share_of_all_orders(strata, monkeypatch):
    """Tables drawn from their law, and rows permuted within strata: 2,000 draws."""
    monkeypatch.setattr(_permutation, "STOP_AFTER", 10_000)
    exact = exact_p_value(lambda y: likelihood_ratio(X, y), Y, strata)
    assert 0.02 < exact < 0.9
    null = FREE if strata is None else WithinStrata(np.array(strata))
    found = held_against_chance(columns_of(X, Y), exchange=null)
    error = 4 * np.sqrt(exact / 2000)
    assert found.p_values == pytest.approx([exact], abs=error)
    assert found.q_values.tolist() == found.p_values.tolist()
    assert found.draws.tolist() == [2000]
    equal_weights = held_against_chance(columns_of(X, Y, np.ones(7)), exchange=null)
    assert equal_weights.p_values == pytest.approx([exact], abs=error)


def plain_weighted_gain(x, y, weights):
    """Return what x tells about y if rows count as much as their weights, in bits."""

    def entropy(keys):
        sums = Counter()
        for key, weight in zip(keys, weights, strict=True):
            sums[key] += weight / sum(weights)
        return -sum(share * math.log2(share) for share in sums.values())

    return entropy(x) + entropy(y) - entropy(list(zip(x, y, strict=True)))


def test_weights_move_with_the_classes(monkeypatch):
    """Of all 5,040 orders of rows, each with the class and the weight of another."""
    monkeypatch.setattr(_permutation, "STOP_AFTER", 10_000)
    weights = [1.0, 5.0, 2.0, 0.5, 3.0, 1.0, 4.0]

    def score(order):
        return plain_weighted_gain(
            X, [Y[i] for i in order], [weights[i] for i in order]
        )

    seen = score(range(7))
    scores = [score(order) for order in itertools.permutations(range(7))]
    exact = np.mean(np.array(scores) >= seen - 1e-9)
    equal = exact_p_value(lambda y: likelihood_ratio(X, y), Y)
    found = held_against_chance(columns_of(X, Y, np.array(weights)))
    error = 4 * np.sqrt(exact * (1 - exact) / 2000)
    assert abs(exact - equal) > 2 * error
    assert found.p_values == pytest.approx([exact], abs=error)


def test_rows_in_restricted_orders_are_the_same_for_the_same_seed(monkeypatch):
    """Somebody's own function sees the orders that the one with a kernel sees."""
    random = np.random.default_rng(9)
    strata, classes = random.integers(0, 2, (2, 60))
    weights = random.random(60)
    columns = columns_of(random.integers(0, 3, (60, 5)), classes, weights)
    settings = {"alpha": 0.05, "seed": 4, "exchange": WithinStrata(strata)}
    monkeypatch.setattr(_permutation, "STOP_AFTER", 1000)
    features = tally_rows(columns)
    found = []
    for measure in ("information_gain", "information_gain", plain_gain):
        scoring = Scoring(measure, "level", None)
        scores = scoring.scores(features.tallies)
        test = permutation_test(features, scores, scoring, max_draws=300, **settings)
        found.append(test.p_values.tolist())
    assert len(set(found[0])) > 2
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("gain", [0.0002, 0.002])
def test_numbers_cut_by_themselves_have_the_law_of_rows(gain, monkeypatch):
    """Three values in 900 rows are drawn as counts, else rows are cut one by one.

    Noise is seldom cut; what it gains is mostly by the sixty values that are missing.
    """
    monkeypatch.setattr(_permutation, "STOP_AFTER", 10**6)
    random = np.random.default_rng(10)
    values = np.repeat([0.0, 1.0, 2.0], 300)
    values[random.permutation(900)[:60]] = np.nan
    y = random.integers(0, 2, 900).astype(np.int32)
    y[:30] = 1
    price = MDLDiscretizer().price
    codes = apply_cuts(values, mdl_cuts(values, y, 2, None, price))
    columns = columns_of(codes, y, numeric={0: values})
    scoring = Scoring("information_gain", "level", price)
    features = tally_rows(columns)
    asked = []
    own = _permutation.mdl_null

    def spy(margin, *arguments):
        asked.append((margin.tolist(), arguments[0]))
        return own(margin, *arguments)

    monkeypatch.setattr(_permutation, "mdl_null", spy)
    found = []
    for exchange in (FREE, WithinStrata(np.zeros(900))):
        settings = {"alpha": 0.01, "seed": 5, "max_draws": 2000, "exchange": exchange}
        test = permutation_test(features, np.array([gain]), scoring, **settings)
        assert test.draws.tolist() == [2000]
        found.append(test.p_values[0])
    assert 0.05 < found[0] < 0.7
    counts = [np.count_nonzero(values == value) for value in range(3)]
    assert asked == [(counts, 60)]
    deviation = np.sqrt(2 * found[0] * (1 - found[0]) / 2000)
    assert abs(found[0] - found[1]) < 4 * deviation


def test_kernels_draw_only_where_exchange_is_free(monkeypatch):
    def refuse(*_):
        raise AssertionError

    for kernel in ("table_null", "mdl_null", "mdl_null_together"):
        monkeypatch.setattr(_permutation, kernel, refuse)
    columns = columns_of(X, Y)
    with pytest.raises(AssertionError):
        held_against_chance(columns)
    held_against_chance(columns, exchange=WithinStrata(np.array(STRATA)), max_draws=20)


def test_cuts_are_made_anew_within_strata():
    """A number that follows the stratum, as the class does, and nothing else."""
    random = np.random.default_rng(2)
    strata = random.integers(0, 2, 200)
    values = strata + random.normal(size=(2, 200)) * 0.4
    classes = np.where(random.random(200) < 0.1, 1 - strata, strata)
    values[1] += 0.6 * classes
    price = MDLDiscretizer().price
    cut = [
        apply_cuts(v, mdl_cuts(v, classes.astype(np.int32), 2, None, price))
        for v in values
    ]
    columns = columns_of(np.column_stack(cut), classes, numeric=dict(enumerate(values)))
    free = held_against_chance(columns, price, max_draws=200)
    assert free.p_values.tolist() == [1 / 201, 1 / 201]
    within = held_against_chance(
        columns, price, max_draws=200, exchange=WithinStrata(strata)
    ).p_values
    assert within[0] > 0.05
    assert within[1] <= 0.05


def test_stops_when_the_answer_is_known():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 300)
    clear = np.where(random.random(300) < 0.05, 1 - y, y)
    noise = random.integers(0, 2, 300)
    found = held_against_chance(
        columns_of(np.column_stack([clear, noise]), y), max_draws=None
    )
    assert found.p_values[0] == 1 / (found.draws[0] + 1)
    assert found.p_values[1] == 10 / found.draws[1]
    assert found.draws[1] < found.draws[0] == 1000
    many = held_against_chance(
        columns_of(np.column_stack([clear, noise]), y), max_draws=5000
    )
    assert many.draws[0] == 1000  # enough to be found among two
    # Round after round for the clear one, while the other is given up in the first.
    both = columns_of(np.column_stack([clear, noise]), y)
    found = held_against_chance(both, max_draws=100_000, alpha=3e-4)
    assert found.draws[0] == 16_000
    assert found.p_values[1] == 10 / found.draws[1]
    lone = np.column_stack([clear, *([noise] * 60)])
    more = held_against_chance(columns_of(lone, y), max_draws=None)
    assert more.draws[0] == 1220  # 61 / 0.05: enough for one among all
    assert more.q_values[0] <= 0.05
    assert more.q_values[0] == pytest.approx(61 / 1221)


@pytest.mark.parametrize(
    ("alpha", "max_draws", "draws"),
    [
        (0.05, 2000, 2000),  # two rounds of about the same length are one
        (0.05, 2001, 1000),
        (3e-4, 100_000, 4000),  # rounds grow by four
        (1.1e-4, 100_000, 16_000),
        (3e-4, 3500, 3500),
        (1e-3, None, 1000),  # one feature, found at 1 in 1,000
        (3e-4, None, 3334),
    ],
)
def test_rounds(alpha, max_draws, draws):
    """A column that no permutation reaches: p-values are 1 / (draws + 1)."""
    y = np.arange(60) % 2
    found = held_against_chance(columns_of(y, y), alpha=alpha, max_draws=max_draws)
    assert found.draws.tolist() == [draws]
    assert found.p_values.tolist() == [1 / (draws + 1)]


@pytest.mark.parametrize("measure", ["information_gain", "plain"])
def test_ten_draws_that_reach_it_are_enough(measure):
    """Two of four rows are of a class: chance says as much 1 in 3 times, or always."""
    columns = columns_of(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 0, 1, 1])
    scoring = Scoring(plain_gain if measure == "plain" else measure, "level", None)
    features = tally_rows(columns)
    scores = scoring.scores(features.tallies)
    settings = {"alpha": 0.05, "seed": 1, "max_draws": 2000}
    found = permutation_test(features, scores, scoring, **settings)
    assert found.draws[1] == 10
    assert 15 < found.draws[0] < 60
    np.testing.assert_allclose(found.p_values, [10 / found.draws[0], 1])


def test_more_rows_than_can_be_drawn():
    """SciPy counts in 32 bits; our own kernels do not."""
    half = 5 * 10**8
    for more, message in ((0, None), (1, "up to a billion rows. Got 1000000001")):
        table = np.array([[half, 0], [0, half + more], [0, 0]])
        tallies = [Tally(table)]
        features = TalliedFeatures(tallies, table.sum(axis=0), lambda: [None])
        scoring = Scoring(plain_gain, "level", None)
        scores = scoring.scores(tallies)
        settings = {"alpha": 0.05, "seed": 1, "max_draws": 3}
        if message is None:
            found = permutation_test(features, scores, scoring, **settings)
            assert found.p_values.tolist() == [1 / 4]
        else:
            with pytest.raises(DataError, match=message):
                permutation_test(features, scores, scoring, **settings)


def test_no_features():
    empty = CodedColumns(
        np.empty((5, 0), dtype=np.int32, order="F"),
        np.empty(0, dtype=np.int32),
        {},
        np.array([0, 1, 0, 1, 0], dtype=np.int32),
        2,
        None,
    )
    scoring = Scoring("information_gain", "level", None)
    found = permutation_test(
        tally_rows(empty), np.empty(0), scoring, alpha=0.05, seed=1
    )
    assert found.p_values.shape == found.q_values.shape == (0,)


@pytest.mark.parametrize("kind", ["plain", "correlated", "strata"])
def test_level_holds_on_noise(kind):
    """300 columns, 30 ± 5.2 of which pass at .1; ties abound: 3 levels, 2 classes.

    Correlated columns are ten noisy copies of one beside one class, up to ten passing
    together. Strata carry an effect on both sides.
    """
    random = np.random.default_rng(4)
    passed = 0
    for _ in range(30):
        classes = random.integers(0, 2, 40)
        base = random.normal(size=40)
        columns = random.normal(size=(10, 40)) * (0.5 if kind == "correlated" else 1)
        columns += base if kind == "correlated" else 0
        null = FREE
        if kind == "strata":
            strata = random.integers(0, 2, 40)
            classes = np.where(random.random(40) < 0.2, 1 - strata, strata)
            columns += strata
            null = WithinStrata(strata)
        codes = np.digitize(columns, [-0.5, 0.5]).T
        found = held_against_chance(
            columns_of(codes, classes), max_draws=99, exchange=null
        )
        passed += np.count_nonzero(found.p_values <= 0.1)
    wide = 2 if kind == "correlated" else 1
    assert passed <= wide * binom.isf(3e-5, 300, 0.1)
    assert passed >= 5


def plain_gain(tally):
    """Information gain as somebody's own function, which has no kernel."""
    return information_gain(tally)


@pytest.mark.parametrize("recut", [False, True])
def test_drawn_tallies_follow_the_law_of_the_kernels(recut, monkeypatch):
    """A function without a kernel gets the p-value that the same one with it gets."""
    monkeypatch.setattr(_permutation, "STOP_AFTER", 10**6)  # draw on, to compare shares
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 120).astype(np.int32)
    values = (random.normal(size=120) + 0.9 * y).round(1)
    price = MDLDiscretizer().price if recut else None
    columns = columns_of((values > 0).astype(int) + (values > 1), y)
    if recut:
        codes = apply_cuts(values, mdl_cuts(values, y, 2, None, price))
        columns = columns_of(codes, y, numeric={0: values})
    features = tally_rows(columns)
    found = []
    for measure in ("information_gain", plain_gain):
        scoring = Scoring(measure, "level", price)
        # Less than was seen: a score that chance reaches often enough.
        score = scoring.scores(features.tallies) * (0.4 if recut else 0.15)
        settings = {"alpha": 0.01, "seed": 5, "max_draws": 2000}
        test = permutation_test(features, score, scoring, **settings)
        assert test.draws.tolist() == [2000]
        found.append(test.p_values[0])
    assert 0.003 < found[0] < 0.5
    deviation = np.sqrt(2 * found[0] * (1 - found[0]) / 2000)
    assert abs(found[0] - found[1]) < 4 * deviation
