"""Forests for numbers."""

import numpy as np
import pandas as pd
import pytest

from featsieve.datasets import make_friedman
from featsieve.ensembles import RandomForestEnsembleRegressor
from featsieve.exceptions import DataError

SAMPLINGS = ["uniform", "confidence", "gain", "tree", "local"]


@pytest.fixture(scope="module")
def friedman():
    table = make_friedman(n_rows=400, target_kind="numeric", random_state=0).table
    return np.column_stack([column.values for column in table]), table.target.values


@pytest.mark.parametrize("sampling", SAMPLINGS)
def test_learns_whatever_the_sampling(friedman, sampling):
    X, y = friedman
    forest = RandomForestEnsembleRegressor(
        feature_sampling=sampling, random_state=0, n_jobs=2
    ).fit(X[:300], y[:300])
    assert forest.oob_score_ > 0.5
    assert forest.score(X[300:], y[300:]) > 0.5
    relevant = forest.relevance_[[0, 1, 3]]
    assert relevant.min() > forest.relevance_[5:].max()
    assert forest.relevance_interval_.max() <= 1
    again = RandomForestEnsembleRegressor(feature_sampling=sampling, random_state=0)
    np.testing.assert_array_equal(
        again.fit(X[:300], y[:300]).predict(X), forest.predict(X)
    )


def test_predictions_are_means_of_members(friedman):
    X, y = friedman
    forest = RandomForestEnsembleRegressor(n_estimators=7, random_state=0).fit(X, y)
    alone = np.array([member.predict(X) for member in forest.members_])
    np.testing.assert_allclose(forest.member_predict(X), alone)
    np.testing.assert_allclose(forest.predict(X), alone.mean(axis=0))
    left_out = forest._left_out().astype(bool)
    for row, own in enumerate(forest.oob_prediction_):
        others = alone[left_out[:, row], row]
        assert (
            np.isnan(own) if len(others) == 0 else own == pytest.approx(others.mean())
        )


def test_local_relevance_adds_up_to_what_leaves_know(friedman):
    X, y = friedman
    forest = RandomForestEnsembleRegressor(n_estimators=5, random_state=0).fit(X, y)
    raw = forest._forest.local_relevance(X, y, None, mean=False)
    expected = np.zeros(len(y))
    for member, leaf in zip(forest.members_, forest.apply(X).T, strict=True):
        value = member.tree_.value[:, 0]
        expected += (y - value[0]) ** 2 - (y - value[leaf]) ** 2
    np.testing.assert_allclose(raw.sum(axis=1), expected)


def test_local_relevance_of_a_one_sided_feature():
    X = np.random.default_rng(0).random((500, 3))
    y = np.where(X[:, 0] > 0.5, 4 * X[:, 1], 1.0)
    forest = RandomForestEnsembleRegressor(random_state=0).fit(X, y)
    right = X[:, 0] > 0.6
    local = forest.local_relevance_.copy()
    assert local[right, 1].mean() > 0.2
    # Where the number is always the same, other features lead astray before x0 does.
    assert local[X[:, 0] < 0.4, 1].mean() < 0 < local[X[:, 0] < 0.4, 0].mean()
    assert forest.local_relevance(X, y)[right, 1].mean() > 0.1
    assert forest.local_relevance(X).shape == X.shape
    # In parts of the target's variance, so that units do not matter.
    scaled = RandomForestEnsembleRegressor(random_state=0).fit(X, 16 * y)
    np.testing.assert_allclose(scaled.local_relevance_, local, atol=1e-9)
    np.testing.assert_allclose(scaled.relevance_, forest.relevance_, rtol=1e-9)
    with pytest.raises(DataError, match="some are missing"):
        forest.local_relevance(X[:2], [1.0, np.nan])


def test_constant_numbers_and_mixed_columns():
    flat = RandomForestEnsembleRegressor(n_estimators=3).fit(
        [[1.0], [2.0], [3.0]], [5.0] * 3
    )
    assert flat.predict([[2.0]]).tolist() == [5]
    assert np.isnan(flat.oob_score_)
    assert flat.local_relevance_.tolist() == [[0], [0], [0]]
    frame = pd.DataFrame({"a": list("xyz") * 20, "b": [1.0, np.nan, 3.0, 4.0] * 15})
    y = frame["a"].map({"x": 0.0, "y": 5.0, "z": 9.0}).to_numpy()
    for missing in ("largest", "fractional"):
        forest = RandomForestEnsembleRegressor(missing_branch=missing, random_state=0)
        forest.fit(frame, y)
        assert forest.score(frame, y) > 0.9
        assert forest.relevance_.argmax() == 0
        assert np.isfinite(forest.local_relevance_).all()
