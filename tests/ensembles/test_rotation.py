"""Rotations turn, keep lengths, and make members that vote."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from featsieve.data import ColumnKind
from featsieve.ensembles import (
    PCARotationEnsembleClassifier,
    RandomRotationEnsembleClassifier,
)
from featsieve.ensembles._rotation import (
    NumberCoder,
    pair_rotation,
    principal_rotation,
    turned_pairs,
)
from featsieve.trees import TreeFeature


@pytest.mark.parametrize("n_columns", [1, 2, 5, 8])
def test_pairs_are_turned_by_less_than_a_right_angle(n_columns):
    rotation = pair_rotation(n_columns, np.random.default_rng(n_columns))
    dense = rotation.matrix()
    np.testing.assert_allclose(dense @ dense.T, np.eye(n_columns), atol=1e-12)
    assert np.linalg.det(dense) == pytest.approx(1)
    assert (np.diag(dense) > 0).all()
    assert (np.count_nonzero(dense, axis=1) <= 2).all()
    assert np.count_nonzero(np.diag(dense) == 1) == n_columns % 2
    X = np.random.default_rng(0).normal(size=(7, n_columns))
    np.testing.assert_allclose(rotation.apply(X), X @ dense.T, atol=1e-12)


def test_signs_are_those_of_the_definition():
    pair = np.array([0]), np.array([2])
    dense = turned_pairs(3, *pair, np.array([np.pi / 6])).matrix()
    half, root = 0.5, np.sqrt(3) / 2
    np.testing.assert_allclose(dense, [[root, 0, half], [0, 1, 0], [-half, 0, root]])


@pytest.mark.parametrize(("n_columns", "size"), [(7, 3), (3, 3), (2, 3), (4, 1)])
def test_principal_axes_of_groups(n_columns, size):
    random = np.random.default_rng(n_columns)
    X = random.normal(size=(40, n_columns)) @ random.normal(size=(n_columns, n_columns))
    bag = np.bincount(random.integers(0, 40, 40), minlength=40)
    rotation = principal_rotation(X, bag, size, random)
    dense = rotation.matrix()
    np.testing.assert_allclose(dense @ dense.T, np.eye(n_columns), atol=1e-12)
    assert (np.count_nonzero(dense, axis=1) <= size).all()
    turned = rotation.apply(np.repeat(X, bag, axis=0))
    covariance = np.cov(turned.T).reshape(n_columns, n_columns)
    groups = (dense != 0).T @ (dense != 0) > 0
    off = covariance[groups & ~np.eye(n_columns, dtype=bool)]
    np.testing.assert_allclose(off, 0, atol=1e-10)  # uncorrelated within a group


def test_equal_rows_stay_equal():
    X = np.tile(np.random.default_rng(0).normal(size=(1, 9)), (101, 1))
    turned = pair_rotation(9, np.random.default_rng(1)).apply(X)
    assert (turned == turned[0]).all()


def test_levels_become_ones_and_gaps_means():
    features = (
        TreeFeature("size"),
        TreeFeature("colour", ColumnKind.NOMINAL, ("blue", "red")),
    )
    matrix = np.array([[1.0, 0.0], [3.0, 1.0], [np.nan, np.nan]])
    coder = NumberCoder(matrix, features, None)
    assert coder.code(matrix).tolist() == [[1, 1, 0], [3, 0, 1], [2, 0, 0]]
    scaled = NumberCoder(matrix, features, "standard").code(matrix)
    np.testing.assert_allclose(scaled.std(axis=0), 1)


def test_columns_without_values_are_taken():
    empty = (TreeFeature("x", ColumnKind.NOMINAL, ()),)
    nothing = np.full((4, 1), np.nan)
    assert NumberCoder(nothing, empty, "standard").code(nothing).shape == (4, 1)
    numeric = NumberCoder(nothing, (TreeFeature("x"),), "standard")
    assert numeric.code(nothing).tolist() == [[0], [0], [0], [0]]


KINDS = [RandomRotationEnsembleClassifier, PCARotationEnsembleClassifier]


def test_random_rotations_build_on_each_other():
    X, y = load_iris(return_X_y=True)
    ensemble = RandomRotationEnsembleClassifier(
        n_estimators=5, scaling=None, random_state=0
    )
    ensemble.fit(X, y)
    turned, expected = X, []
    for rotation, member in zip(ensemble.rotations_, ensemble.members_, strict=True):
        turned = rotation.apply(turned)
        expected.append(member.predict(turned))
    np.testing.assert_array_equal(ensemble.member_predict(X), expected)


def test_principal_rotations_start_from_the_columns():
    X, y = load_iris(return_X_y=True)
    ensemble = PCARotationEnsembleClassifier(
        n_estimators=4, scaling=None, random_state=0
    ).fit(X, y)
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
    settings = {"n_estimators": 5, "random_state": 0}
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
    ensemble = kind(n_estimators=10, random_state=0).fit(X, y)
    assert ensemble.score(X, y) > 0.9
    unseen = pd.DataFrame({"size": [np.nan, 2.5], "colour": ["green", "red"]})
    assert ensemble.predict(unseen)[1] == 1


@pytest.mark.parametrize("kind", KINDS)
def test_early_stopping_keeps_rotations_of_members(kind):
    X, y = load_iris(return_X_y=True)
    ensemble = kind(n_estimators=60, n_iter_no_change=3, random_state=0).fit(X, y)
    assert len(ensemble.rotations_) == ensemble.n_estimators_ < 60
    assert ensemble.score(X, y) > 0.9


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match="'group_size' parameter of PCARotation"):
        PCARotationEnsembleClassifier(group_size=0).fit([[0], [1]], [0, 1])
    with pytest.raises(ValueError, match="'scaling' parameter of RandomRotation"):
        RandomRotationEnsembleClassifier(scaling="minmax").fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("scaling", ["standard", None])
@pytest.mark.parametrize("unit", [2.0**-900, 2.0**900, 2.0**1020])
def test_squares_of_extreme_numbers_neither_overflow_nor_vanish(unit, scaling):
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(60, 3)) @ random.uniform(-1, 1, size=(3, 3))
    y = X[:, 0] > X[:, 1]
    model = PCARotationEnsembleClassifier(
        n_estimators=3, scaling=scaling, random_state=0
    )
    expected = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(
        model.fit(X * unit, y).predict_proba(X * unit), expected
    )
