"""What forests for classes and for numbers share."""

import numpy as np
import pytest
from sklearn.base import clone

from featsieve.ensembles import (
    RandomForestEnsembleClassifier,
    RandomForestEnsembleRegressor,
)

KINDS = [RandomForestEnsembleClassifier, RandomForestEnsembleRegressor]


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    X = random.random((120, 4))
    return X, (X[:, 0] > 0.5).astype(int)


@pytest.mark.parametrize("kind", KINDS)
def test_members_are_trees_that_answer_as_the_forest_asks_them(kind, rows):
    forest = kind(n_estimators=5, random_state=0).fit(*rows)
    said = forest.member_predict(rows[0])
    for member, own in zip(forest.members_, said, strict=True):
        np.testing.assert_array_equal(member.predict(rows[0]), own)
        assert member.feature_importances_.sum() == pytest.approx(1)
    assert forest.members_ is forest.members_  # made once
    assert forest.node_counts_.tolist() == [m.node_count_ for m in forest.members_]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_nearest_to_themselves(kind, rows):
    forest = kind(n_estimators=20, random_state=0).fit(*rows)
    near = forest.proximity(rows[0])
    np.testing.assert_array_equal(near.diagonal(), 1)
    np.testing.assert_array_equal(near, near.T)
    leaves = forest.apply(rows[0])
    assert near[0, 1] == np.mean(leaves[0] == leaves[1])


@pytest.mark.parametrize("kind", KINDS)
def test_relevance_and_importance_find_the_one_feature(kind, rows):
    forest = kind(n_estimators=50, random_state=0).fit(*rows)
    assert forest.relevance_.argmax() == 0
    assert forest.feature_importances_.sum() == pytest.approx(1)
    low, high = forest.relevance_interval_.T
    assert (low <= forest.relevance_).all()
    assert (forest.relevance_ <= high).all()
    for form in ("ensemble", "tree"):
        assert forest.permutation_importance(form=form).argmax() == 0


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_out_of_bag_without_bags(kind, rows):
    forest = kind(n_estimators=3, bootstrap=False).fit(*rows)
    with pytest.raises(AttributeError, match="bootstrap=False there are none"):
        forest.permutation_importance()


@pytest.mark.parametrize("kind", KINDS)
def test_parameters_are_those_of_the_signature(kind):
    forest = kind(max_depth=3, failed_draw="leaf")
    assert clone(forest).get_params() == forest.get_params()
    assert forest.get_params()["max_depth"] == 3
    with pytest.raises(TypeError):
        kind(10)
