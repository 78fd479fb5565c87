"""Members see their own columns and nothing else."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from featsieve.ensembles import RandomSubspaceEnsembleClassifier


@pytest.mark.parametrize(
    ("wanted", "n_columns", "count"),
    [(0.5, 4, 2), (0.5, 3, 2), (0.5, 1, 1), (1, 4, 1), (9, 4, 4), (1.0, 4, 4)],
)
def test_how_many_columns(wanted, n_columns, count):
    X, y = load_iris(return_X_y=True)
    ensemble = RandomSubspaceEnsembleClassifier(subset_size=wanted, n_estimators=3)
    ensemble.fit(X[:, :n_columns], y)
    assert [len(columns) for columns in ensemble.members_features_] == [count] * 3


@pytest.mark.parametrize("estimator", [None, GaussianNB()])
def test_members_answer_from_their_columns(estimator):
    X, y = load_iris(return_X_y=True)
    ensemble = RandomSubspaceEnsembleClassifier(
        estimator, n_estimators=6, random_state=0
    ).fit(X, y)
    members = zip(ensemble.members_, ensemble.members_features_, strict=True)
    expected = [member.predict(X[:, columns]) for member, columns in members]
    np.testing.assert_array_equal(ensemble.member_predict(X), expected)
    assert len({tuple(columns) for columns in ensemble.members_features_}) > 1


def test_without_bags_nobody_is_out_of_bag():
    X, y = load_iris(return_X_y=True)
    ensemble = RandomSubspaceEnsembleClassifier(bootstrap=False, n_estimators=4).fit(
        X, y
    )
    assert np.isnan(ensemble.oob_error_)
    assert ensemble.members_[0].tree_.weight[0] == len(X)


@pytest.mark.parametrize("wrong", [0, 0.0, 1.5, "half"])
def test_bad_shares_are_named(wrong):
    with pytest.raises(ValueError, match="'subset_size' parameter"):
        RandomSubspaceEnsembleClassifier(subset_size=wrong).fit([[0], [1]], [0, 1])
