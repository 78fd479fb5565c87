"""ReliefF against its plain definition, and what must not matter to it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.data import read_table
from featsieve.datasets import make_gaussian_xor, make_noise
from featsieve.exceptions import DataError, NoFeatureSelectedWarning
from featsieve.selectors import ReliefFFilter
from reference import relief
from relief_tables import as_table, mixed_columns

pytestmark = pytest.mark.filterwarnings(
    "ignore::featsieve.exceptions.NoFeatureSelectedWarning"
)

# 6 rows, 1 numeric and 1 nominal column, two classes; k = 1, worked by hand below.
SMALL = pd.DataFrame({"x": [0.0, 1.0, 2.0, 8.0, 9.0, 10.0], "c": list("aababb")})
CLASSES = np.array(["n", "n", "n", "y", "y", "y"])


def scores(X, y, weights=None, **parameters):
    return ReliefFFilter(**parameters).fit(X, y, sample_weight=weights).scores_


@settings(max_examples=100)
@given(data=st.data())
def test_equals_the_definition_with_classes(data):
    columns, rng = data.draw(mixed_columns())
    n = len(columns[0])
    classes = rng.integers(0, data.draw(st.integers(1, 4)), n)
    weights = data.draw(st.sampled_from([None, "whole", "parts"]))
    if weights is not None:
        whole = rng.integers(1, 4, n).astype(float)
        weights = whole if weights == "whole" else whole + rng.random(n)
    k = data.draw(st.integers(1, 6))
    sigma = data.draw(st.sampled_from([None, 0.7, 2.0]))
    expected = relief.relieff(columns, classes, k=k, sigma=sigma, weights=weights)
    got = scores(
        as_table(columns), classes.astype(str), weights, n_neighbors=k, sigma=sigma
    )
    assert_allclose(got, expected, rtol=0, atol=1e-12)


@settings(max_examples=60)
@given(data=st.data())
def test_equals_the_definition_with_a_quantity(data):
    columns, rng = data.draw(mixed_columns())
    n = len(columns[0])
    target = rng.normal(size=n)
    if data.draw(st.booleans()):
        target = np.round(target)
    weights = rng.integers(1, 4, n).astype(float) if data.draw(st.booleans()) else None
    k = data.draw(st.integers(1, 6))
    sigma = data.draw(st.sampled_from([None, 2.0]))
    expected = relief.rrelieff(columns, target, k=k, sigma=sigma, weights=weights)
    got = scores(as_table(columns), target + 0.5, weights, n_neighbors=k, sigma=sigma)
    assert_allclose(got, expected, rtol=0, atol=1e-10)


def test_worked_by_hand():
    # Distances in tenths, x and then 10 for another letter. Nearest hit and miss:
    # row 0: hit 1 (1 | 0), miss 3 (8 | 0). row 1: hit 0 (1 | 0), miss 3 (7 | 0).
    # row 2: hits 1 (1 | 10) and 0 (2 | 10): 1; misses 4 (7 | 0), 5 (8 | 0), 3 (6 | 10):
    # 4. row 3: hit 4 (1 | 10); misses 1 (7 | 0), 0 (8 | 0), 2 (6 | 10): 1.
    # row 4: hit 5 (1 | 0), miss 2 (7 | 0). row 5: hit 4 (1 | 0), miss 2 (8 | 0).
    x = (8 + 7 + 7 + 7 + 7 + 8 - 6 * 1) / 60
    c = (0 + 0 + 0 + 0 + 0 + 0 - 0 - 0 - 10 - 10 - 0 - 0) / 60
    assert_allclose(scores(SMALL, CLASSES, n_neighbors=1), [x, c], atol=1e-15)


def test_equally_far_rows_share_their_places():
    # One binary column; of the first row the nearest hit is one of rows 1 and 2 (both
    # at 0) with k = 1, of k = 3 the third place is shared by rows 3 and 4 (both at 1).
    X = np.array([[0.0], [0], [0], [1], [1], [1], [1], [0]])
    y = np.array(list("aaaaabbb"))
    expected = relief.relieff([X[:, 0]], np.array([0] * 5 + [1] * 3), k=3)
    assert_allclose(scores(X, y, n_neighbors=3), expected, atol=1e-15)


@pytest.mark.parametrize("regression", [False, True])
def test_the_order_of_rows_and_columns_does_not_matter(regression):
    rng = np.random.default_rng(5)
    n = 150
    X = pd.DataFrame(
        {
            "few": rng.integers(0, 3, n).astype(float),  # many ties
            "level": rng.choice(list("abc"), n),
            "number": rng.normal(size=n),
            "gaps": np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 4, n)),
            "tenths": rng.integers(0, 11, n) / 10,
        }
    )
    y = rng.normal(size=n) if regression else rng.choice(["x", "y", "z"], n)
    plain = scores(X, y)
    rows = rng.permutation(n)
    assert_allclose(scores(X.iloc[rows], y[rows]), plain, rtol=0, atol=1e-13)
    columns = rng.permutation(X.shape[1])
    assert_array_equal(scores(X.iloc[:, columns], y), plain[columns])


def test_what_values_are_called_does_not_matter():
    rng = np.random.default_rng(6)
    X = rng.normal(size=(100, 4))
    y = rng.integers(0, 3, 100)
    plain = scores(X, y)
    assert_allclose(scores(X * [2, -3, 1e5, 1] + 7, y), plain, atol=1e-12)
    assert_allclose(scores(X, np.array(["c", "a", "b"])[y]), plain, atol=1e-13)


def test_constant_columns_change_nothing_and_copies_of_rows_are_near():
    rng = np.random.default_rng(15)
    X, y = rng.random((80, 3)), rng.integers(0, 2, 80)
    plain = scores(X, y)
    wider = scores(np.column_stack([np.full(80, 7.0), X, np.full(80, np.nan)]), y)
    assert_array_equal(wider, [0, *plain, 0])
    # Every row has a copy: with one neighbour no feature differs from the hits.
    twice = scores(np.vstack([X, X]), np.append(y, y), n_neighbors=1)
    assert (twice > 0).all()


def test_weights_count_copies():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 4, size=(60, 3)).astype(float)
    y = rng.integers(0, 2, 60)
    weights = rng.integers(0, 4, 60)
    repeated = scores(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(scores(X, y, weights), repeated, atol=1e-12)


def test_jobs_do_not_matter():
    rng = np.random.default_rng(8)
    X, y = rng.random((400, 7)), rng.integers(0, 2, 400)
    for parameters in ({}, {"n_anchors": 200}, {"n_anchors": "race"}):
        one = ReliefFFilter(**parameters, n_jobs=1).fit(X, y)
        two = ReliefFFilter(**parameters, n_jobs=3).fit(X, y)
        assert_array_equal(one.scores_, two.scores_)
        assert_array_equal(one.interval_, two.interval_)


def test_finds_what_matters_only_together():
    table, truth = make_gaussian_xor(n_noise=10, random_state=1)
    n = len(truth.relevant)
    selector = ReliefFFilter(n_features_to_select=n).fit(table, None)
    assert set(selector.get_feature_names_out()) == set(truth.relevant)


def test_intervals_cover_the_score_of_all_anchors():
    """95 % intervals of 400 samples × 4 features: 93.5 to 97 % cover."""
    rng = np.random.default_rng(9)
    X = rng.normal(size=(300, 4))
    for y in (rng.integers(0, 3, 300), X[:, 0] + rng.normal(size=300)):
        everyone = scores(X, y)
        covered = 0
        for seed in range(400):
            selector = ReliefFFilter(n_anchors=100, random_state=seed).fit(X, y)
            low, high = selector.interval_.T
            covered += np.count_nonzero((low <= everyone) & (everyone <= high))
        assert 0.93 < covered / 1600 < 0.97


@pytest.mark.slow
def test_races_are_seldom_settled_wrongly():
    """On noise and a weak signal, at most 5 % of 100 races may choose otherwise."""
    wrong = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        X = rng.random((1000, 6))
        y = (X[:, 0] + 0.5 * rng.random(1000) > 0.75).astype(int)
        racing = ReliefFFilter(n_anchors="race", threshold=0.02, random_state=seed)
        every = ReliefFFilter(threshold=0.02).fit(X, y)
        wrong += not np.array_equal(racing.fit(X, y).support_, every.support_)
    assert wrong <= 5


def test_noise_scores_about_zero():
    table, _ = make_noise(random_state=3)
    selector = ReliefFFilter(n_features_to_select=1).fit(table, None)
    assert np.abs(selector.scores_).max() < 0.05


@pytest.mark.parametrize(
    "X", [[[1.0], [2.0], [3.0]], [[np.nan], [np.nan], [np.nan]], [[7.0], [7.0], [7.0]]]
)
@pytest.mark.parametrize("y", [["a", "a", "a"], ["a", "b", "c"], [0.5, 1.5, 2.25]])
def test_tables_that_say_nothing(X, y):
    with pytest.warns(NoFeatureSelectedWarning) if y[0] == "a" else _any_warning():
        selector = ReliefFFilter().fit(np.array(X), np.array(y))
    assert np.isfinite(selector.scores_).all()
    if isinstance(y[0], str):  # no hits or no misses
        assert selector.scores_.tolist() == [0]


def _any_warning():
    import contextlib

    return contextlib.nullcontext()


def test_one_row():
    assert scores(np.array([[1.0, 2.0]]), np.array(["a"])).tolist() == [0, 0]


def test_far_numbers_and_many_levels():
    rng = np.random.default_rng(13)
    y = rng.integers(0, 2, 200)
    X = np.column_stack([y * 1e308 - 5e307, rng.random(200)])
    assert scores(X * 2, y)[0] == pytest.approx(1)
    names = rng.permutation(70_000)[:200]
    frame = pd.DataFrame({"id": pd.Categorical(names, categories=range(70_000))})
    assert scores(frame.assign(y=y), y, nominal=["y"])[1] == pytest.approx(1)


def test_weka_counts_rows_without_a_class():
    # It skips such rows, but they stretch the ranges, and sums are divided by all.
    rng = np.random.default_rng(14)
    X = rng.random((40, 2))
    y = rng.choice(["a", "b"], 40).astype(object)
    gaps = y.copy()
    gaps[::5] = None
    known = gaps != None  # noqa: E711 - elementwise
    selector = ReliefFFilter(compatibility="weka")
    with pytest.warns(UserWarning, match="target"):
        some = selector.fit(X, gaps).scores_
    low, high = X.min(axis=0), X.max(axis=0)
    scaled = np.vstack([(X[known] - low) / (high - low), [[0, 0], [1, 1]]])
    # The same rows, and two without a class that stretch the ranges as much.
    alone = ReliefFFilter(compatibility="weka", n_neighbors=10)
    with pytest.warns(UserWarning, match="target"):
        stretched = alone.fit(scaled, np.append(gaps[known], [None, None])).scores_
    assert_allclose(some * 40, stretched * len(scaled), atol=1e-12)


# Computed by Weka 3.9.7 (-M -1 -D 1 -K 1).
@pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
@pytest.mark.parametrize(
    ("span", "missing", "expected"),
    [
        (1e-6, False, [-1.0, 0.2]),
        (0.9999999e-6, False, [0.0, 0.0]),
        (0.9999999e-6, True, [1.0, 0.0]),
    ],
)
def test_weka_takes_a_range_below_a_millionth_for_none(span, missing, expected):
    X = np.array([[0, 0], [span, 1], [0, 2], [span, 5]])
    if missing:  # as far as can be from what counts as 0
        X = np.array([[0, 0], [span, 0], [np.nan, 0]])
    selector = ReliefFFilter(1, compatibility="weka")
    selector.fit(X, ["p", "p", "q", "q"][: len(X)])
    assert_allclose(selector.scores_, expected, atol=1e-12)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_neighbors": 0}, "'n_neighbors' parameter of ReliefFFilter"),
        ({"sigma": 0.0}, "'sigma' parameter"),
        ({"n_anchors": 0}, "'n_anchors' parameter"),
        ({"n_anchors": 1.5}, "'n_anchors' parameter"),
        ({"n_anchors": "some"}, "'n_anchors' parameter"),
        ({"confidence": 1.0}, "'confidence' parameter"),
        ({"compatibility": "R"}, "'compatibility' parameter"),
        ({"threshold": "high"}, "'threshold' parameter"),
    ],
)
def test_bad_parameters(parameters, message):
    with pytest.raises(ValueError, match=message):
        ReliefFFilter(**parameters).fit(SMALL, CLASSES)


def test_weka_takes_neither_weights_nor_quantities():
    selector = ReliefFFilter(compatibility="weka")
    with pytest.raises(DataError, match="takes no sample_weight"):
        selector.fit(SMALL, CLASSES, sample_weight=[1, 2, 1, 1, 1, 1])
    with pytest.raises(DataError, match="needs classes"):
        selector.fit(SMALL, np.array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5]))


def test_shares_are_no_weights():
    with pytest.raises(DataError, match="counts copies of rows"):
        ReliefFFilter().fit(SMALL, CLASSES, sample_weight=np.full(6, 1 / 6))


def test_reads_tables_and_frames_alike():
    table = read_table(SMALL.assign(y=CLASSES), target="y")
    by_table = ReliefFFilter(n_neighbors=2).fit(table, None).scores_
    assert_array_equal(by_table, scores(SMALL, CLASSES, n_neighbors=2))
