"""Which way of valuing subsets is chosen, for what is asked and what is given."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from featsieve.exceptions import DataError
from featsieve.selectors import ForwardSelector
from featsieve.selectors.search._choose_criterion import (
    choose_criterion,
    learner_rows,
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
