"""Rotations turn and lose nothing; mixed columns become numbers."""

import numpy as np
import pytest

from featsieve.data import ColumnKind
from featsieve.ensembles._rotations import (
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
