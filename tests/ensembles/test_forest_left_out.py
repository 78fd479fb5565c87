"""Votes, weights and importance by rows that trees do not know."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.engine import derive_seed
from featsieve.ensembles import (
    RandomForestEnsembleClassifier,
    RandomForestEnsembleRegressor,
)
from featsieve.ensembles._base import vote_shares
from featsieve.ensembles._forest_left_out import vote_counts, weighted_shares
from reference import forests as reference

N_CLASSES = 3
#: Multiples of an eighth, so that sums are exact and ties are ties.
WEIGHTS = st.integers(-8, 8).map(lambda eighths: eighths / 8)


@st.composite
def votes(draw):
    n_trees, n_rows = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    labels = draw(
        st.lists(
            st.integers(-1, N_CLASSES - 1),
            min_size=n_trees * n_rows,
            max_size=n_trees * n_rows,
        )
    )
    weights = draw(
        st.lists(WEIGHTS, min_size=n_trees * n_rows, max_size=n_trees * n_rows)
    )
    shape = (n_trees, n_rows)
    return np.array(labels, np.int32).reshape(shape), np.array(weights).reshape(shape)


@given(votes())
def test_shares_rank_classes_as_sums_of_weights_do(drawn):
    labels, weights = drawn
    shares = weighted_shares(labels, weights, N_CLASSES)
    for row, own in enumerate(shares):
        scores = reference.signed_scores(labels[:, row], weights[:, row], N_CLASSES)
        asked = labels[:, row] >= 0
        if not asked.any():
            assert np.isnan(own).all()
        elif not weights[asked, row].any():
            counts = vote_counts(labels, N_CLASSES)
            np.testing.assert_allclose(own, counts[row] / counts[row].sum())
        else:
            assert np.isclose(own.sum(), 1)
            assert own.min() >= 0
            assert own.argmax() == np.argmax(scores)


def test_two_classes_follow_the_sign_of_the_weighted_sum():
    labels = np.array([[0], [1], [1]], dtype=np.int32)
    weights = np.array([[-0.9], [0.25], [0.25]])
    # Eq. 7.22 with classes -1 and 1: 0.9 + 0.25 + 0.25 for the second class.
    np.testing.assert_allclose(weighted_shares(labels, weights, 2), [[0, 1]])


def test_votes_are_counted_by_row():
    labels = np.array([[0, 1, -1], [0, 2, -1]], dtype=np.int32)
    counts = vote_counts(labels, 3)
    np.testing.assert_array_equal(counts, [[2, 0, 0], [0, 1, 1], [0, 0, 0]])
    shares = vote_shares(counts, np.nan)
    np.testing.assert_array_equal(shares[:2], [[1, 0, 0], [0, 0.5, 0.5]])
    assert np.isnan(shares[2]).all()


@pytest.fixture(scope="module")
def table():
    X = np.random.default_rng(0).random((300, 4))
    X[:, 3] = 0.5
    return X, (X[:, 0] > 0.4).astype(int)


@pytest.mark.parametrize("form", ["ensemble", "tree"])
def test_only_the_feature_that_matters_costs(table, form):
    forest = RandomForestEnsembleClassifier(
        n_estimators=30, random_state=0, n_jobs=2
    ).fit(*table)
    rises = forest.permutation_importance(form=form, n_repeats=3)
    # Shuffled, the share of wrong classes is 2 · 0.4 · 0.6 of a sharp rule.
    assert rises[0] == pytest.approx(0.48, abs=0.12)
    assert np.abs(rises[1:3]).max() < 0.05
    assert rises[3] == 0  # constant, so that no tree tests it
    again = RandomForestEnsembleClassifier(n_estimators=30, random_state=0).fit(*table)
    np.testing.assert_array_equal(
        again.permutation_importance(form=form, n_repeats=3), rises
    )


def test_ensemble_form_is_the_rise_of_the_out_of_bag_error(table):
    X, y = table
    y = np.where(np.random.default_rng(1).random(300) < 0.1, 1 - y, y)
    forest = RandomForestEnsembleClassifier(n_estimators=25, random_state=0).fit(X, y)
    rises = forest.permutation_importance(n_repeats=1)
    # By hand: every feature shuffled as the seed says, votes of out-of-bag trees.
    left_out = forest._left_out().astype(bool)

    def error(rows):
        labels = forest.member_predict(rows)
        votes = np.stack([((labels == c) & left_out).sum(axis=0) for c in (0, 1)])
        asked = left_out.any(axis=0)
        return np.mean(votes.argmax(axis=0)[asked] != y[asked])

    assert 1 - forest.oob_score_ == pytest.approx(error(X))
    for feature in range(4):
        shuffled = X.copy()
        seed = derive_seed(forest._seed, "permutation", feature, 0)
        random = np.random.default_rng(seed)
        shuffled[:, feature] = random.permutation(X[:, feature])
        assert rises[feature] == pytest.approx(error(shuffled) - error(X))


@pytest.mark.parametrize("form", ["ensemble", "tree"])
def test_numbers(table, form):
    X, _ = table
    y = 3 * X[:, 1] + X[:, 0]
    forest = RandomForestEnsembleRegressor(n_estimators=30, random_state=0).fit(X, y)
    rises = forest.permutation_importance(form=form)
    assert rises[1] > 4 * rises[0] > 0
    assert rises[0] > 3 * abs(rises[2])


def test_all_rows_in_every_bag_leave_nothing_to_ask(table):
    forest = RandomForestEnsembleClassifier(n_estimators=3, bootstrap=False).fit(*table)
    with pytest.raises(AttributeError, match="bootstrap=False there are none"):
        forest.permutation_importance()
    assert not hasattr(forest, "oob_score_")
    with pytest.raises(
        ValueError, match="'form' parameter of RandomForestEnsembleClassifier"
    ):
        forest.permutation_importance(form="forest")
