"""Which way of valuing subsets is chosen, for what is asked and what is given."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from featsieve.exceptions import DataError
from featsieve.selectors import ForwardSelector
from featsieve.selectors.search._choose_criterion import (
    ExactNeighbours,
    choose_criterion,
    learner_rows,
    plain_neighbours,
    read_splits,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3))
Y = np.array(["b", "a"] * 20)


def chosen(X=X, y=Y, **parameters):
    owner = ForwardSelector(**parameters)
    training = owner._read(X, y, None)
    rows = learner_rows(training, trained=owner.estimator is not None)
    return choose_criterion(owner, training, rows, read_splits(owner, rows), 0)


NEIGHBOURS = KNeighborsClassifier(3)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({}, "NeighbourAccuracy"),
        ({"cv": 3}, "FoldedNeighbours"),
        ({"cv": ShuffleSplit(2, random_state=0)}, "FoldedNeighbours"),
        ({"cv": "resubstitution"}, "NeighbourAccuracy"),
        ({"scoring": "boosting_z"}, "BoostedNeighbours"),
        ({"scoring": "boosting_z", "cv": KFold(4)}, "BoostedNeighbours"),
        ({"scoring": "boosting_z_conflict"}, "BoostedNeighbours"),
        ({"estimator": NEIGHBOURS}, "ExactNeighbours"),
        ({"estimator": NEIGHBOURS, "scoring": "f1_macro"}, "ScoredEstimator"),
        ({"estimator": NEIGHBOURS, "cv": "resubstitution"}, "ScoredEstimator"),
        ({"estimator": NEIGHBOURS, "scoring": "boosting_z"}, "BoostedEstimator"),
        ({"estimator": GaussianNB()}, "ScoredEstimator"),
    ],
)
def test_the_fastest_that_gives_the_same(parameters, name):
    assert type(chosen(**parameters)).__name__ == name


@pytest.mark.parametrize(
    "other",
    [
        X.astype(np.float32),
        np.where(X > 1, np.nan, X),
        X * 1e200,
        pd.DataFrame(X).astype({0: "float32"}).add_prefix("x"),
        pd.DataFrame(X).assign(level=pd.Categorical(Y)).add_prefix("x"),
    ],
    ids=["float32", "missing", "huge", "float32 column", "nominal"],
)
def test_what_scikit_learn_computes_otherwise_is_left_to_it(other):
    name = type(chosen(X=other, estimator=NEIGHBOURS)).__name__
    assert name == "ScoredEstimator"


def test_whole_numbers_and_frames_are_recognised():
    for other in (RNG.integers(0, 99, (40, 3)), pd.DataFrame(X).add_prefix("x")):
        name = type(chosen(X=other, estimator=NEIGHBOURS)).__name__
        assert name == "ExactNeighbours"


def test_boosting_needs_folds_that_cover_all_rows_once():
    cv = ShuffleSplit(2, random_state=0)
    for learner in (None, GaussianNB()):
        with pytest.raises(DataError, match="every row once"):
            chosen(estimator=learner, scoring="boosting_z", cv=cv)


def test_masks_are_rows_too():
    mask = np.arange(40) < 30
    given = chosen(cv=[(mask, ~mask)])
    numbers = chosen(cv=[(np.flatnonzero(mask), np.flatnonzero(~mask))])
    found = {}
    given.evaluate([(0,)], found.__setitem__)
    expected = {}
    numbers.evaluate([(0,)], expected.__setitem__)
    assert found == expected


def scores(estimator, X, y, splits, subsets):
    parts = plain_neighbours(estimator)
    criterion = ExactNeighbours(
        estimator, parts, X, y.astype(np.int32), splits=splits, n_jobs=None
    )
    found = {}
    criterion.evaluate(subsets, found.__setitem__)
    return [found[i] for i in range(len(subsets))]


@settings(max_examples=25)
@given(st.data())
def test_scores_equal_cross_val_score(data):
    """Grids of few values, where rows are equally near all the time, among them."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n, p = data.draw(st.integers(30, 60)), data.draw(st.integers(1, 4))
    steps = data.draw(st.sampled_from([None, 2, 5, 20]))
    X = rng.normal(size=(n, p)) if steps is None else rng.integers(0, steps, (n, p)) / 7
    y = rng.integers(0, data.draw(st.integers(2, 3)), n)
    y[:9] = [0, 1] * 4 + [0]
    y = np.unique(y, return_inverse=True)[1]
    estimator = KNeighborsClassifier(
        data.draw(st.integers(1, 6)),
        algorithm=data.draw(st.sampled_from(["auto", "kd_tree", "brute"])),
    )
    if data.draw(st.booleans()):
        estimator = make_pipeline(StandardScaler(), estimator)
    splits = list(ShuffleSplit(3, random_state=0).split(X, y))
    subsets = [(0,), tuple(range(p)), tuple(range(p))[::-1]]
    got = scores(estimator, X, y, splits, subsets)
    for subset, value in zip(subsets, got, strict=True):
        columns = sorted(subset)
        expected = cross_val_score(estimator, X[:, columns], y, cv=splits).mean()
        assert value == expected


@pytest.mark.parametrize("direction", ["forward", "backward"])
@pytest.mark.parametrize("shift", [0.0, 1e6])
def test_same_features_as_scikit_learn(direction, shift):
    X, y = make_classification(150, 8, n_informative=4, random_state=3)
    X = X + shift
    cv = list(StratifiedKFold(5).split(X, y))
    peer = SequentialFeatureSelector(
        KNeighborsClassifier(5), n_features_to_select=3, cv=cv, direction=direction
    ).fit(X, y)
    ours = ForwardSelector(
        KNeighborsClassifier(5), n_features_to_select=3, cv=cv, direction=direction
    ).fit(X, y)
    np.testing.assert_array_equal(ours.support_, peer.support_)


def test_more_than_fifteen_features_are_compared_by_products_of_matrices():
    X, y = make_classification(120, 20, n_informative=6, random_state=0)
    X = np.round(X, 1) + 1000
    splits = list(StratifiedKFold(3).split(X, y))
    everything = tuple(range(20))
    estimator = KNeighborsClassifier(3)
    (got,) = scores(estimator, X, y, splits, [everything])
    assert got == cross_val_score(estimator, X, y, cv=splits).mean()


def test_what_is_recognised():
    plain = KNeighborsClassifier
    for estimator in (
        plain(),
        plain(metric="euclidean"),
        plain(algorithm="brute"),
        make_pipeline(MinMaxScaler(), plain()),
    ):
        assert plain_neighbours(estimator) is not None
    for estimator in (
        plain(weights="distance"),
        plain(p=1),
        plain(metric="manhattan"),
        plain(algorithm="ball_tree"),
        plain(metric_params={"w": [1]}),
        make_pipeline(StandardScaler(), StandardScaler(), plain()),
        make_pipeline(plain()),
        object(),
    ):
        assert plain_neighbours(estimator) is None


def test_equal_votes_go_by_labels_not_by_declared_levels():
    """Levels declared as z, a; scikit-learn sorts the labels."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    labels = np.where(X[:, 0] + rng.normal(size=80) > 0, "a", "z")
    y = pd.Series(pd.Categorical(labels, categories=["z", "a"]))
    cv = list(StratifiedKFold(4).split(X, labels))
    learner = KNeighborsClassifier(2)  # a tie of votes whenever they differ
    selector = ForwardSelector(learner, cv=cv, n_features_to_select=1)
    selector.fit(X, y)
    for step in selector.steps_[0]["candidates"]:
        column = [int(step["features"][0][1:])]
        expected = cross_val_score(learner, X[:, column], labels, cv=cv).mean()
        assert step["value"] == expected
