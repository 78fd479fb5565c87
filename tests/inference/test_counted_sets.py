"""Sets of columns of which the number at some level tells."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.inference import _counted_sets
from featsieve.inference._counted_sets import at_level, n_sets_with, search_counts


def plain_ratio(count, classes):
    """Return the likelihood ratio of two columns, cell by cell."""
    ratio = 0.0
    for cell in set(count.tolist()):
        for own in set(classes.tolist()):
            seen = int(np.sum((count == cell) & (classes == own)))
            expected = np.mean(classes == own) * np.sum(count == cell)
            if seen:
                ratio += 2 * seen * math.log(seen / expected)
    return ratio


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 3))
def test_ratios_are_those_of_plain_counting(seed, n_classes):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, (40, 4))
    classes = np.append(random.integers(0, n_classes, 39), n_classes - 1)
    for found in search_counts(codes, classes):
        count = at_level(codes, found).sum(axis=1)
        assert found.ratio == pytest.approx(plain_ratio(count, classes), abs=1e-9)


def test_all_sets_are_tried_where_the_beam_holds_them(monkeypatch):
    monkeypatch.setattr(_counted_sets, "BEAM", 10_000)
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, (60, 5))
    classes = random.integers(0, 2, 60)
    for found in search_counts(codes, classes):
        size = len(found.members)
        best = max(
            plain_ratio(np.sum(codes[:, list(columns)] == levels, axis=1), classes)
            for columns in itertools.combinations(range(5), size)
            for levels in itertools.product((0, 1), repeat=size)
        )
        assert found.ratio == pytest.approx(best)


def test_number_of_sets_and_levels():
    levels = np.array([2, 3, 4])
    assert n_sets_with(levels, 2) == 2 * 3 + 2 * 4 + 3 * 4
    assert n_sets_with(levels, 3) == 24
    assert n_sets_with(levels, 0) == 1


def test_bound_is_above_the_chance_of_all_orders():
    count = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    orders = np.array(sorted(set(itertools.permutations([0, 0, 0, 0, 1, 1, 1, 1]))))
    ratios = np.array([plain_ratio(count, order) for order in orders])
    for ratio in ratios:
        chance = np.mean(ratios >= ratio - 1e-9)
        assert chance <= _counted_sets._bound(ratio, np.bincount(count), 2, 1.0) + 1e-12


def test_noise_is_left_alone():
    least = []
    for seed in range(30):
        random = np.random.default_rng(seed)
        codes = random.integers(0, 3, (150, 12))
        found = search_counts(codes, random.integers(0, 2, 150))
        least.append(min(each.p_value for each in found))
    assert min(least) > 0.05


def test_wide_tables_are_not_searched():
    codes = np.zeros((20, 100), dtype=int)
    codes[0] = 1
    assert search_counts(codes, np.arange(20) % 2) == []
