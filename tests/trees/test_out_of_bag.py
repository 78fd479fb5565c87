"""Out-of-bag errors of plain forests."""

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.trees._out_of_bag import out_of_bag_answers, out_of_bag_error


def test_errors_are_those_of_honest_prediction():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2))
    target = {"classes": (X[:, 0] > 0).astype(np.int32), "n_classes": 2}
    assert out_of_bag_error(read_table(X), target, seed=1) < 0.1
    noise = {"classes": random.integers(0, 2, 300).astype(np.int32), "n_classes": 2}
    assert out_of_bag_error(read_table(X), noise, seed=1) == pytest.approx(0.5, abs=0.1)


def test_quantities():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 1))
    error = out_of_bag_error(read_table(X), {"numbers": X[:, 0].copy()}, seed=1)
    assert error < 0.05 * X.var()


def test_without_features_the_majority_answers():
    table = read_table(np.zeros((50, 1))).select([])
    target = {"classes": np.repeat([0, 1], [40, 10]).astype(np.int32), "n_classes": 2}
    assert out_of_bag_error(table, target, seed=1) == pytest.approx(0.2)
    quantity = {"numbers": np.repeat([0.0, 2.0], 25)}
    assert out_of_bag_error(table, quantity, seed=1) == pytest.approx(1.0)


def test_jobs_and_bags():
    random = np.random.default_rng(0)
    table = read_table(random.normal(size=(80, 3)))
    target = {"classes": random.integers(0, 3, 80).astype(np.int32), "n_classes": 3}
    errors = [out_of_bag_error(table, target, seed=1, n_jobs=j) for j in (1, 2)]
    assert errors[0] == errors[1]
    one_row = {"classes": np.zeros(1, dtype=np.int32), "n_classes": 2}
    assert out_of_bag_error(table.take(np.array([0])), one_row, seed=1) == 1.0


def test_answers_are_shares_by_trees_that_do_not_know_the_row():
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 2))
    target = {"classes": (X[:, 0] > 0).astype(np.int32), "n_classes": 2}
    answers = out_of_bag_answers(read_table(X), target, seed=1)
    assert answers.shape == (200, 2)
    np.testing.assert_allclose(answers.sum(axis=1), 1)
    wrong = np.mean(answers.argmax(axis=1) != target["classes"])
    assert wrong == out_of_bag_error(read_table(X), target, seed=1)
    # One bag leaves about a third of the rows out; the others have no answer.
    one = out_of_bag_answers(read_table(X), target, n_trees=1, seed=1)
    assert 0.5 < np.isnan(one[:, 0]).mean() < 0.75
