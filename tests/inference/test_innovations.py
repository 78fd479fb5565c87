"""News of series have no memory, and an effect shows in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, kruskal, spearmanr

from featsieve.inference._innovations import class_innovations, innovations


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
