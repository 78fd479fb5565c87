"""Permutation importance: what is shuffled, and what it costs."""

import numpy as np
import pytest

from featsieve.ensembles import RandomForestEnsemble, RandomForestRegressionEnsemble


@pytest.fixture(scope="module")
def table():
    X = np.random.default_rng(0).random((300, 4))
    X[:, 3] = 0.5
    return X, (X[:, 0] > 0.4).astype(int)


@pytest.mark.parametrize("form", ["ensemble", "tree"])
def test_only_the_feature_that_matters_costs(table, form):
    forest = RandomForestEnsemble(n_trees=30, random_state=0, n_jobs=2).fit(*table)
    rises = forest.permutation_importance(form=form, n_repeats=3)
    # Shuffled, the share of wrong classes is 2 · 0.4 · 0.6 of a sharp rule.
    assert rises[0] == pytest.approx(0.48, abs=0.12)
    assert np.abs(rises[1:3]).max() < 0.05
    assert rises[3] == 0  # constant, so that no tree tests it
    again = RandomForestEnsemble(n_trees=30, random_state=0).fit(*table)
    np.testing.assert_array_equal(
        again.permutation_importance(form=form, n_repeats=3), rises
    )


def test_ensemble_form_is_the_rise_of_the_out_of_bag_error(table):
    X, y = table
    y = np.where(np.random.default_rng(1).random(300) < 0.1, 1 - y, y)
    forest = RandomForestEnsemble(n_trees=25, random_state=0).fit(X, y)
    rises = forest.permutation_importance(n_repeats=1)
    # By hand: every feature shuffled as the seed says, votes of out-of-bag trees.
    from featsieve.ensembles._forest_importance import permutation_seeds

    left_out = forest._left_out().astype(bool)
    seeds = permutation_seeds(forest._seed)

    def error(rows):
        labels = forest.member_predict(rows)
        votes = np.stack([((labels == c) & left_out).sum(axis=0) for c in (0, 1)])
        asked = left_out.any(axis=0)
        return np.mean(votes.argmax(axis=0)[asked] != y[asked])

    assert 1 - forest.oob_score_ == pytest.approx(error(X))
    for feature in range(4):
        shuffled = X.copy()
        random = np.random.default_rng(seeds(feature, 0))
        shuffled[:, feature] = random.permutation(X[:, feature])
        assert rises[feature] == pytest.approx(error(shuffled) - error(X))


@pytest.mark.parametrize("form", ["ensemble", "tree"])
def test_numbers(table, form):
    X, _ = table
    y = 3 * X[:, 1] + X[:, 0]
    forest = RandomForestRegressionEnsemble(n_trees=30, random_state=0).fit(X, y)
    rises = forest.permutation_importance(form=form)
    assert rises[1] > 4 * rises[0] > 0
    assert rises[0] > 3 * abs(rises[2])


def test_all_rows_in_every_bag_leave_nothing_to_ask(table):
    forest = RandomForestEnsemble(n_trees=3, bootstrap=False).fit(*table)
    with pytest.raises(AttributeError, match="bootstrap=False there are none"):
        forest.permutation_importance()
    assert not hasattr(forest, "oob_score_")
    with pytest.raises(ValueError, match="'form' parameter of RandomForestEnsemble"):
        forest.permutation_importance(form="forest")
