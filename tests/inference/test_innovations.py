"""News of series have no memory, and an effect shows in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, kruskal, spearmanr

from featsieve.inference._innovations import class_innovations, innovations
from reference.inference_series import news, scores_of_classes


def series(kind, n, random):
    noise = random.normal(size=n + 100)
    if kind == "walk":
        return np.cumsum(noise)[100:]
    for t in range(1, n + 100):
        noise[t] += 0.9 * noise[t - 1]
    return noise[100:]


@pytest.mark.parametrize("kind", ["walk", "ar"])
def test_unrelated_series_look_unrelated(kind):
    """150 pairs; at 0.05, 18 or more have a chance of 3e-4. Raw ones fail at once."""
    raw, new = [], []
    for seed in range(150):
        random = np.random.default_rng([seed, 5])
        x, y = (series(kind, 200, random) for _ in range(2))
        raw.append(spearmanr(x, y).pvalue)
        new.append(spearmanr(innovations(x), innovations(y)).pvalue)
    most = binom.isf(3e-4, 150, 0.05)
    assert np.count_nonzero(np.array(new) <= 0.05) <= most
    assert np.count_nonzero(np.array(raw) <= 0.05) > 2 * most


def test_two_classes_keep_no_memory_for_levels_to_go_with():
    found = []
    for seed in range(150):
        random = np.random.default_rng([seed, 6])
        x, y = (series("walk", 200, random) for _ in range(2))
        news = class_innovations((y > np.median(y)).astype(float), seed)
        if news is not None:
            parts = np.digitize(x, np.quantile(x, [0.3, 0.6]))
            found.append(kruskal(*(news[parts == k] for k in range(3))).pvalue)
    assert len(found) > 100
    assert np.count_nonzero(np.array(found) <= 0.05) <= binom.isf(3e-4, 150, 0.05)


def autoregressive(n, slopes, random):
    values = random.normal(size=n)
    for t in range(len(slopes), n):
        values[t] += sum(b * values[t - k - 1] for k, b in enumerate(slopes))
    return values


#: Rows, slopes of the past, share of gaps, number of series, a trend.
SERIES = [
    (200, [0.9], 0.0, 0, 0.0),
    (200, [0.0, 0.7], 0.2, 0, 0.0),
    (180, [0, 0, 0, 0, 0, 0, 0.8, 0.1], 0.0, 0, 0.0),  # as far back as it goes
    (400, [0, 0, 0, 0, 0, 0, 0, 0, 0.9], 0.0, 0, 0.0),  # and not further
    (159, [0.0] * 7 + [0.9], 0.0, 0, 0.0),  # rows for seven lags only
    (160, [0.0] * 7 + [0.9], 0.0, 0, 0.0),
    (60, [], 0.0, 0, 9.0),  # nothing but a drift
    (20, [0.9], 0.0, 0, 1.0),
    (19, [0.9], 0.0, 0, 9.0),
    (240, [0.8], 0.0, 3, 0.0),
    (240, [0.8, -0.5], 0.3, 4, 0.0),
    (240, [], 0.0, 4, 0.0),  # a level each
]


@pytest.mark.parametrize("case", SERIES)
@pytest.mark.parametrize("seed", range(3))
def test_equals_the_definition(case, seed):
    n, slopes, gaps, n_series, trend = case
    random = np.random.default_rng([seed, n])
    values = 5 + autoregressive(n, slopes, random) + trend * np.arange(n) / n
    codes = None
    if n_series:
        codes = random.integers(0, n_series, n)  # rows of series by turns
        values += 4 * codes
        if gaps:
            values[codes == n_series - 1] = np.nan
        else:
            codes[5] = n_series  # a series of one row
    values[random.random(n) < gaps] = np.nan
    found, expected = innovations(values, codes), news(values.tolist(), codes)
    if expected is None:
        assert found is values
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("n_series", [1, 3])
def test_news_come_in_the_unit_of_the_values(n_series):
    """A forecast that leaves out what is small beside 1 has memory left."""
    walk = series("walk", 120, np.random.default_rng(5))
    codes = None if n_series == 1 else np.arange(120) % n_series
    news = innovations(walk, codes)
    for unit in (1e-200, 1e-7, 1e7, 1e200):
        found = innovations(unit * walk, codes)
        np.testing.assert_allclose(found, unit * news, rtol=1e-6, atol=1e-9 * unit)


def test_a_drift_that_explains_all_leaves_no_news():
    values = 3 + np.cos(np.pi * (np.arange(90) + 0.5) / 90)
    np.testing.assert_allclose(innovations(values), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("n", "n_series"), [(39, 0), (120, 0), (415, 0), (430, 0), (200, 3)]
)
def test_scores_of_two_classes_equal_the_definition(n, n_series):
    random = np.random.default_rng(n)
    codes = random.integers(0, n_series, n) if n_series else None
    flags = (autoregressive(n, [0.95], random) > 0.3).astype(float)
    found = class_innovations(flags, 3, codes)
    np.testing.assert_allclose(found, scores_of_classes(flags.tolist(), 3, codes))
    assert not np.array_equal(found, class_innovations(flags, 4, codes))


@pytest.mark.parametrize("kind", ["gaps", "rounded", "series"])
def test_unrelated_news_look_unrelated(kind):
    """150 pairs with gaps, with ties, in three series of other levels: as above."""
    found = []
    for seed in range(150):
        random = np.random.default_rng([seed, 7])
        x, y = (series("ar", 210, random) for _ in range(2))
        codes = None
        if kind == "gaps":
            x[random.random(210) < 0.2] = np.nan
        if kind == "rounded":
            x = np.round(x)
        if kind == "series":
            codes = np.repeat([0, 1, 2], 70)
            x, y = (own + 5 * random.normal(size=3)[codes] for own in (x, y))
        x, y = innovations(x, codes), innovations(y, codes)
        known = ~np.isnan(x)
        found.append(spearmanr(x[known], y[known]).pvalue)
    assert np.count_nonzero(np.array(found) <= 0.05) <= binom.isf(3e-4, 150, 0.05)


def test_an_effect_shows_better_in_news():
    random = np.random.default_rng(0)
    x, noise = (series("ar", 300, random) for _ in range(2))
    y = 0.5 * x + noise
    assert spearmanr(innovations(x), innovations(y)).pvalue < 1e-6


def test_values_without_memory_stay():
    values = np.random.default_rng(0).normal(size=300)
    assert innovations(values) is values
    assert class_innovations((values > 0).astype(float), 0) is None
    constant = np.ones(50)
    assert innovations(constant) is constant


def test_gaps_stay_and_series_have_levels_of_their_own():
    walk = series("walk", 200, np.random.default_rng(1))
    walk[[0, 7, 8]] = np.nan
    news = innovations(walk)
    np.testing.assert_array_equal(np.isnan(news), np.isnan(walk))
    two = np.repeat([0, 1], 100)
    apart = innovations(np.random.default_rng(2).normal(size=200) + 9 * two, two)
    assert abs(apart[:100].mean()) < 0.5
    assert abs(apart[100:].mean()) < 0.5
