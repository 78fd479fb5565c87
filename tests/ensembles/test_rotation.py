"""Rotation ensembles see turned columns in training and in prediction alike."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from featsieve.ensembles import PCARotationEnsemble, RandomRotationEnsemble

KINDS = [RandomRotationEnsemble, PCARotationEnsemble]


def test_random_rotations_build_on_each_other():
    X, y = load_iris(return_X_y=True)
    ensemble = RandomRotationEnsemble(n_members=5, scaling=None, random_state=0)
    ensemble.fit(X, y)
    turned, expected = X, []
    for rotation, member in zip(ensemble.rotations_, ensemble.members_, strict=True):
        turned = rotation.apply(turned)
        expected.append(member.predict(turned))
    np.testing.assert_array_equal(ensemble.member_predict(X), expected)


def test_principal_rotations_start_from_the_columns():
    X, y = load_iris(return_X_y=True)
    ensemble = PCARotationEnsemble(n_members=4, scaling=None, random_state=0).fit(X, y)
    expected = [
        member.predict(rotation.apply(X))
        for rotation, member in zip(ensemble.rotations_, ensemble.members_, strict=True)
    ]
    np.testing.assert_array_equal(ensemble.member_predict(X), expected)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", [None, GaussianNB()])
def test_scaling_makes_units_irrelevant(kind, estimator):
    X, y = load_iris(return_X_y=True)
    units = np.array([1.0, 1024.0, 0.25, 8.0])  # powers of two: exact
    settings = {"n_members": 5, "random_state": 0}
    one = kind(estimator, **settings).fit(X, y).predict_proba(X)
    other = kind(estimator, **settings).fit(X * units, y).predict_proba(X * units)
    np.testing.assert_allclose(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_nominal_columns_and_missing_values(kind):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    colours = np.where(y == 1, "red", "blue").astype(object)
    X = pd.DataFrame({"size": 2 * y + random.random(200), "colour": colours})
    X.loc[random.random(200) < 0.2, "size"] = np.nan
    X.loc[random.random(200) < 0.2, "colour"] = None
    ensemble = kind(n_members=10, random_state=0).fit(X, y)
    assert ensemble.score(X, y) > 0.9
    unseen = pd.DataFrame({"size": [np.nan, 2.5], "colour": ["green", "red"]})
    assert ensemble.predict(unseen)[1] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_early_stopping_keeps_rotations_of_members(kind):
    X, y = load_iris(return_X_y=True)
    ensemble = kind(n_members=60, early_stopping=3, random_state=0).fit(X, y)
    assert len(ensemble.rotations_) == ensemble.n_members_ < 60
    assert ensemble.score(X, y) > 0.9


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match="'group_size' parameter of PCARotation"):
        PCARotationEnsemble(group_size=0).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="'scaling' parameter of RandomRotation"):
        RandomRotationEnsemble(scaling="minmax").fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("scaling", ["standard", None])
@pytest.mark.parametrize("unit", [2.0**-900, 2.0**900, 2.0**1020])
def test_squares_of_extreme_numbers_neither_overflow_nor_vanish(unit, scaling):
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(60, 3)) @ random.uniform(-1, 1, size=(3, 3))
    y = X[:, 0] > X[:, 1]
    model = PCARotationEnsemble(n_members=3, scaling=scaling, random_state=0)
    expected = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(
        model.fit(X * unit, y).predict_proba(X * unit), expected
    )
