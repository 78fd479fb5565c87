import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import make_scorer, roc_auc_score
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from featsieve.selectors import ForwardSelector


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    y = (X[:, 1] + 0.5 * X[:, 3] + 0.3 * rng.normal(size=120) > 0).astype(int)
    return X, y


@pytest.mark.parametrize("criterion", ["accuracy", "roc_auc", "neg_log_loss"])
def test_values_are_those_of_cross_val_score(data, criterion):
    X, y = data
    cv = StratifiedKFold(4, shuffle=True, random_state=1)
    learner = GaussianNB()
    selector = ForwardSelector(learner, criterion, cv=cv, max_selected=2)
    selector.fit(X, y)
    assert selector.selected_.tolist() == [1, 3]
    for step in selector.steps_:
        for candidate in step["candidates"]:
            names = {*step["subset"]} - {*step["features"]} | {*candidate["features"]}
            columns = sorted(int(name[1:]) for name in names)
            expected = cross_val_score(
                learner, X[:, columns], y, cv=cv, scoring=criterion
            )
            assert candidate["value"] == expected.mean()


def test_any_scorer_and_any_frame(data):
    X, y = data
    scorer = make_scorer(roc_auc_score, response_method="predict_proba")
    chosen = []
    for frame in (X, pd.DataFrame(X).add_prefix("f"), pl.DataFrame(X)):
        selector = ForwardSelector(
            DecisionTreeClassifier(max_depth=2, random_state=0), scorer, max_selected=2
        )
        chosen.append(selector.fit(frame, y).selected_.tolist())
    assert chosen[0] == chosen[1] == chosen[2]


@pytest.mark.parametrize(
    "learner",
    [
        GaussianNB(),
        DecisionTreeClassifier(max_depth=1, random_state=0),
        make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
        LinearSVC(),
    ],
    ids=["weights", "stump", "resampled", "without probabilities"],
)
@pytest.mark.parametrize("cv", [3, "resubstitution"])
def test_any_classifier_can_be_boosted(data, learner, cv):
    X, y = data
    given = {"n_rounds": 4, "cv": cv, "max_selected": 2}
    if not hasattr(learner, "predict_proba"):
        given["boosting_vote"] = "sign"
    selector = ForwardSelector(learner, "boosting_z", **given).fit(X, y)
    assert selector.selected_[0] == 1
    assert 0 < selector.value_ < 1
    again = ForwardSelector(learner, "boosting_z", n_jobs=2, **given).fit(X, y)
    assert again.value_ == selector.value_


def test_a_boosted_stump_by_hand():
    """One stump, trained on all: 5 of 6 rows right, r = 2/3, Z = sqrt(1 - r²)."""
    X = np.arange(6.0)[:, None]
    y = [0, 0, 0, 1, 1, 0]
    selector = ForwardSelector(
        DecisionTreeClassifier(max_depth=1),
        "boosting_z",
        boosting_vote="sign",
        n_rounds=1,
        cv="resubstitution",
    ).fit(X, y)
    assert selector.value_ == pytest.approx(np.sqrt(1 - (2 / 3) ** 2))


@pytest.mark.parametrize("scope", ["rounds", "rounds_and_criterion"])
def test_conflicts_weigh_less(scope):
    """u (3+, 1-), v (2+, 2-), w (0+, 2-): only the weights of u's minority stay."""
    X = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2.0])[:, None]
    y = np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, 0])
    selector = ForwardSelector(
        DecisionTreeClassifier(),
        "boosting_z_conflict",
        conflict_scope=scope,
        boosting_vote="sign",
        n_rounds=1,
        cv="resubstitution",
    ).fit(X, y)
    r = 1 - 2 * 0.125
    alpha = 0.5 * np.log((1 + r) / (1 - r))
    wrong = {"rounds": 3 / 10, "rounds_and_criterion": 0.125}[scope]
    expected = wrong * np.exp(alpha) + (1 - wrong) * np.exp(-alpha)
    assert selector.value_ == pytest.approx(expected)


def test_several_classes_are_told_from_the_others():
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c"], 30)
    X = rng.normal(size=(90, 3))
    X[:, 2] += np.repeat([0, 3, 6], 30)
    for learner in (None, GaussianNB()):
        selector = ForwardSelector(learner, "boosting_z", n_rounds=3)
        assert selector.fit(X, y).selected_[0] == 2


def test_errors_of_the_learner_are_seen(data):
    X, y = data
    with pytest.raises(ValueError, match="n_neighbors = 500"):
        ForwardSelector(KNeighborsClassifier(500)).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        ForwardSelector(KNeighborsClassifier()).fit(np.where(X > 2, np.nan, X), y)
