"""One round: a selector sees training rows only, learners what it chose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression

import featsieve
from comparison.races import table
from featsieve.comparison._rounds import Arena, play_round
from featsieve.data import read_table

ROWS = np.arange(12)
TRAIN, TEST = ROWS[:8], ROWS[8:]
X = {"row": ROWS + 0.5, "word": list("abc") * 4, "gap": [None, *range(11)]}
Y = np.array([0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1])


class Chooser(BaseEstimator):
    """Keeps some columns; remembers what it was shown."""

    seen = None

    def __init__(self, support=(True, False, False)):
        self.support = support

    def fit(self, X, y):
        Chooser.seen = (X, y)
        self.support_ = np.array(self.support)
        return self


class Learner(BaseEstimator):
    """Answers 1 always."""

    seen = None

    def fit(self, X, y):
        Learner.seen = (X, y)
        return self

    def predict(self, X):
        Learner.tested = X
        return np.ones(len(X), dtype=int)


def accuracy(model, X, y):
    return float(np.mean(model.predict(X) == y))


def play(selector, estimators=None, scorer=accuracy, **changes):
    arena = {
        "table": read_table(X),
        "target": Y,
        "splits": [(TRAIN, TEST)],
        "selectors": {"it": selector},
        "estimators": estimators or {"one": Learner()},
        "scorer": scorer,
        "classes": True,
        "preprocess": "auto",
        "seed": 0,
    }
    return play_round(Arena(**arena | changes), 0, "it")


def test_training_rows_choose_and_test_rows_score():
    record = play(Chooser())
    shown, y = Chooser.seen
    assert shown.shape == (8, 3)
    assert shown[:, 0].tolist() == (TRAIN + 0.5).tolist()
    assert y.tolist() == Y[TRAIN].tolist()
    learnt, y = Learner.seen
    assert learnt[:, 0].tolist() == (TRAIN + 0.5).tolist()
    assert Learner.tested[:, 0].tolist() == (TEST + 0.5).tolist()
    assert learnt.shape == (8, 1)
    assert (record["split"], record["selector"]) == (0, "it")
    assert (record["features"], record["n_features"]) == ([0], 1)
    assert record["error"] is None
    assert record["scores"]["one"]["score"] == 0.75  # three of four are 1
    assert record["scores"]["one"]["error"] is None
    assert record["seconds"] >= record["select_seconds"] >= 0


def test_none_is_everything():
    record = play(None)
    assert (record["features"], record["n_features"]) == ([0, 1, 2], 3)
    # A column for each word that training rows have, and one that marks the gap.
    assert Learner.seen[0].shape[1] >= 5
    assert not np.isnan(Learner.seen[0]).any()


def test_keeping_nothing_is_the_most_frequent_class():
    record = play(Chooser([False] * 3), {"one": Learner()})
    assert (record["features"], record["n_features"]) == ([], 0)
    assert record["scores"]["one"]["score"] == 0.25  # of 0, which most had
    quantity = Y * 2.0
    record = play(
        Chooser([False] * 3),
        target=quantity,
        classes=False,
        scorer=lambda model, X, _: model.predict(X)[0],
    )
    assert record["scores"]["one"]["score"] == pytest.approx(6 / 8)  # the mean


def test_errors_end_their_own_part_only():
    class Broken(BaseEstimator):
        def fit(self, X, y):  # noqa: ARG002  (as estimators are called)
            raise KeyError

    record = play(Broken())
    assert record["error"] == "KeyError"
    assert (record["scores"], record["features"], record["n_features"]) == (
        {},
        None,
        None,
    )
    assert record["seconds"] >= record["select_seconds"] >= 0
    record = play(None, {"bad": Broken(), "one": Learner()})
    assert record["scores"]["bad"]["score"] is None
    assert record["scores"]["bad"]["error"] == "KeyError"
    assert record["scores"]["one"]["score"] == 0.75


def test_scores_are_numbers():
    record = play(None, scorer=lambda *_: float("nan"))
    assert record["scores"]["one"]["score"] is None
    assert record["scores"]["one"]["error"] == "the score is nan, no number"


def test_frames_are_given_if_asked_for():
    play(Chooser([True, True, False]), preprocess="frame")
    assert list(Chooser.seen[0].columns) == ["row", "word", "gap"]
    assert list(Learner.seen[0].columns) == ["row", "word"]
    assert isinstance(Learner.tested, pd.DataFrame)


def test_new_features_have_no_names():
    class Doubler(BaseEstimator):
        def fit(self, X, y):  # noqa: ARG002  (as estimators are called)
            return self

        def transform(self, X):
            return pd.DataFrame({"sum": X[:, 0] * 2, "one": 1})

    record = play(Doubler())
    assert (record["features"], record["n_features"]) == (None, 2)
    assert Learner.seen[0][:, 0].tolist() == (2 * TRAIN + 1.0).tolist()
    assert Learner.tested[:, 0].tolist() == (2 * TEST + 1.0).tolist()


def test_nominal_and_missing_values_reach_everybody():
    random = np.random.default_rng(2)
    colour = random.choice(["red", "green", "blue"], 90)
    size = random.normal(size=90)
    size[::7] = np.nan
    frame = pd.DataFrame(
        {"colour": colour, "size": size, "noise": random.normal(size=90)}
    )
    frame["class"] = np.where(colour == "green", "yes", "no")
    frame.loc[5, "colour"] = None
    found = featsieve.compare(
        frame,
        "class",
        selectors=["all", "cfs", SelectKBest(f_classif, k=2)],
        estimators=["c4.5", "naive-bayes", LogisticRegression()],
        cv=5,
    )
    assert found.failures == []
    # Green is in the middle of the codes, which no linear model could use as numbers.
    assert (found.table["score"] > 0.9).all()


def test_frames_for_those_who_prepare_them_themselves():
    frame = pd.DataFrame({"x": np.arange(40.0), "y": [0] * 20 + [1] * 20})

    class Framed(BaseEstimator):
        def fit(self, X, y):
            assert isinstance(X, pd.DataFrame)
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return (X["x"] >= 20).astype(int).to_numpy()

    found = featsieve.compare(
        frame, "y", selectors=["all"], estimators=[Framed()], cv=4, preprocess="frame"
    )
    assert found.table["score"].item() == 1


def test_selectors_that_make_new_features_are_scored_on_them():
    X, y = table()
    found = featsieve.compare(X, y, selectors=[PCA(3)], estimators=["5-nn"], cv=3)
    row = found.table.iloc[0]
    assert (row["n_features"], row["n_failed"]) == (3, 0)
    assert np.isnan(row["stability"])


def test_a_selector_known_only_by_its_transform():
    class Silent:
        def fit(self, X, y):  # noqa: ARG002  (as estimators are called)
            self.kept = [2, 0]
            return self

        def transform(self, X):
            return X[:, self.kept]

    X, y = table()
    found = featsieve.compare(X, y, selectors=[Silent()], estimators=["5-nn"], cv=3)
    assert found.to_dict()["selected"]["Silent"] == [1, 0, 1, 0, 0, 0]


def test_keeping_nothing_is_scored_as_a_guess():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 3)), np.array([0] * 40 + [1] * 20)
    found = featsieve.compare(X, y, selectors=["cfs"], estimators=["5-nn"], cv="3x1")
    if found.table["n_features"].item() == 0:
        assert found.table["score"].item() == pytest.approx(2 / 3, abs=0.02)
    nothing = SelectKBest(f_classif, k=0)
    found = featsieve.compare(X, y, selectors=[nothing], estimators=["5-nn"], cv="3x1")
    assert found.table["score"].item() == pytest.approx(2 / 3, abs=1e-9)
