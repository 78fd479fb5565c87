"""MultiSURF against its plain definition, and what must not matter to it."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.datasets import make_gaussian_xor
from featsieve.exceptions import DataError
from featsieve.selectors import MultiSURFFilter
from reference import relief
from relief_tables import as_table, mixed_columns

pytestmark = pytest.mark.filterwarnings(
    "ignore::featsieve.exceptions.NoFeatureSelectedWarning"
)


def scores(X, y, weights=None, **parameters):
    return MultiSURFFilter(**parameters).fit(X, y, sample_weight=weights).scores_


@settings(max_examples=100)
@given(data=st.data())
def test_equals_the_definition(data):
    columns, rng = data.draw(mixed_columns())
    n = len(columns[0])
    regression = data.draw(st.booleans())
    n_classes = data.draw(st.integers(1, 4))
    target = rng.normal(size=n) if regression else rng.integers(0, n_classes, n)
    weights = rng.integers(1, 4, n).astype(float) if data.draw(st.booleans()) else None
    expected = relief.multisurf(columns, target, weights=weights)
    got = scores(
        as_table(columns), target if regression else target.astype(str), weights
    )
    assert_allclose(got, expected, rtol=0, atol=1e-12)


def test_worked_by_hand():
    # One column 0, 1, 3, 10 (tenths); row 0 has distances 1, 3, 10: mean 14/3,
    # sd 3.86, bound 2.74: row 1 is near, a hit: -1. Row 1: 1, 2, 9: 4, 3.56, 2.22:
    # rows 0 (hit) and 2 (miss): 2 - 1. Row 2: 3, 2, 7: 4, 2.16, 2.92: row 1, a miss:
    # 2. Row 3: 10, 9, 7: 8.67, 1.25, 8.04: row 2, a hit: -7.
    X, y = np.array([[0.0], [1], [3], [10]]), np.array(list("aabb"))
    assert_allclose(scores(X, y), [(-1 + 1 + 2 - 7) / 40], atol=1e-15)


@pytest.mark.parametrize("regression", [False, True])
def test_the_order_of_rows_and_columns_does_not_matter(regression):
    rng = np.random.default_rng(5)
    n = 150
    X = pd.DataFrame(
        {
            "few": rng.integers(0, 3, n).astype(float),
            "level": rng.choice(list("abc"), n),
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


def test_weights_count_copies():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 4, size=(60, 3)).astype(float)
    y = rng.integers(0, 2, 60)
    weights = rng.integers(0, 4, 60)
    repeated = scores(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert_allclose(scores(X, y, weights), repeated, atol=1e-12)
    with pytest.raises(DataError, match="counts copies of rows"):
        scores(X, y, np.full(60, 1e-3))


def test_jobs_do_not_matter():
    rng = np.random.default_rng(8)
    X, y = rng.random((300, 7)), rng.integers(0, 2, 300)
    assert_array_equal(scores(X, y, n_jobs=1), scores(X, y, n_jobs=3))


def test_finds_what_matters_only_together():
    table, truth = make_gaussian_xor(n_noise=10, random_state=1)
    n = len(truth.relevant)
    selector = MultiSURFFilter(n_features_to_select=n).fit(table, None)
    assert set(selector.get_feature_names_out()) == set(truth.relevant)


def test_a_race_chooses_as_all_rows_do():
    rng = np.random.default_rng(11)
    X = rng.random((1500, 8))
    y = (X[:, 2] + X[:, 7] > 1).astype(int)
    racing = MultiSURFFilter(n_anchors="race", n_features_to_select=2).fit(X, y)
    assert racing.settled_
    assert np.flatnonzero(racing.support_).tolist() == [2, 7]


@pytest.mark.parametrize("y", [["a", "a", "a"], [0.5, 0.5, 0.5]])
def test_nothing_to_explain(y):
    assert scores(np.array([[1.0], [2.0], [4.0]]), np.array(y)).tolist() == [0]


def test_equally_far_rows_are_not_near():
    X, y = np.eye(6), np.array(list("ababab"))  # all distances are 2
    assert scores(X, y).tolist() == [0] * 6


def test_bad_parameters():
    with pytest.raises(ValueError, match="'n_anchors' parameter of MultiSURFFilter"):
        scores(np.eye(3), np.array(list("aba")), n_anchors=-1)
