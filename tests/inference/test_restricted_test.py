"""Tests under restricted orders: uniform where rows belong together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from featsieve.inference._exchange import FREE, WholeGroups, WithinStrata
from featsieve.inference._restricted_test import (
    log_arrangements,
    parts_of,
    restricted_p_values,
    tail_p_value,
)


@pytest.mark.parametrize("unequal", [False, True])
def test_groups_with_effects_of_their_own(unequal):
    """40 tables of 10 columns: 400 p-values a part, correlated little."""
    found = []
    for seed in range(40):
        random = np.random.default_rng([seed, unequal])
        sizes = random.integers(2, 9, 25) if unequal else np.full(25, 5)
        groups = np.repeat(np.arange(25), sizes)
        n = len(groups)
        X = random.normal(size=(25, 10))[groups] + random.normal(size=(n, 10))
        y = (random.normal(size=25)[groups] + random.normal(size=n) > 0).astype(float)
        columns = [X[:, [j]] for j in range(10)]
        found.append(
            restricted_p_values(columns, y[:, None], WholeGroups(groups), seed)
        )
    p_values = np.concatenate(found)
    assert p_values.shape == (400, 2)
    for level in (0.01, 0.05, 0.5):
        passed = np.count_nonzero(p_values <= level, axis=0)
        assert (passed <= binom.isf(1e-4, 400, level)).all()
    assert (np.count_nonzero(p_values <= 0.5, axis=0) > 150).all()


def test_effects_within_and_between_are_found_in_their_part():
    random = np.random.default_rng(1)
    groups = np.repeat(np.arange(40), 6)
    within, between = random.normal(size=240), random.normal(size=40)[groups]
    y = within + between + random.normal(size=240)
    columns = [within[:, None], between[:, None]]
    p = restricted_p_values(columns, y[:, None], WholeGroups(groups), 0)
    assert p[0, 0] < 1e-8
    assert np.isnan(p[1, 0])  # constant in every group
    assert p[1, 1] < 1e-4


def test_what_strata_differ_by_is_no_evidence():
    random = np.random.default_rng(2)
    strata = np.repeat([0, 1], 60)
    x, y = (random.normal(size=(120, 1)) + 5 * strata[:, None] for _ in range(2))
    assert restricted_p_values([x], y, WithinStrata(strata), 0)[0, 0] > 0.01
    y += x - 5 * strata[:, None]
    assert restricted_p_values([x], y, WithinStrata(strata), 0)[0, 0] < 1e-4


def test_no_less_than_one_over_the_number_of_orders():
    groups = np.repeat(np.arange(6), 3)
    y = np.array([0, 0, 0, 1, 1, 1.0])[groups][:, None]
    null = WholeGroups(groups)
    assert log_arrangements(null, y) == pytest.approx(np.log(20))
    assert restricted_p_values([y.copy()], y, null, 0)[0, 1] >= 1 / 20
    assert log_arrangements(WithinStrata(groups), y) == 0


def test_tails():
    drawn = np.random.default_rng(0).beta(0.5, 20, 999)
    assert tail_p_value(0.0, drawn) == 1
    far = tail_p_value(0.6, drawn)
    assert 1e-11 < far < 1e-7  # the law itself: 2e-9
    assert tail_p_value(0.6, drawn, 0.01) == 0.01
    assert tail_p_value(0.5, np.zeros(99)) == 0.01


def test_free_rows_have_laws():
    with pytest.raises(TypeError, match="need no restricted test"):
        parts_of(FREE)
