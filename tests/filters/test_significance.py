"""Permutation tests do not depend on which features are tested together."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.filters import InformationGainFilter


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
    return InformationGainFilter(alpha=0.05, **settings).fit(X, y).p_values_


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
    found = np.flatnonzero(InformationGainFilter(alpha=0.05).fit(X, y).support_)
    informative = set(range(0, 76, 4))
    assert informative <= set(found.tolist())
    assert len(found) <= len(informative) + 3
