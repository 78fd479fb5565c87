"""What holds for every ensemble."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, SGDClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from featsieve import ensembles
from featsieve.ensembles import (
    AdaBoostEnsembleClassifier,
    BaggingEnsembleClassifier,
    DivBoostEnsembleClassifier,
    RandomSubspaceEnsembleClassifier,
)
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.trees import C45Classifier, MDLTreeClassifier, RandomTreeClassifier

KINDS = [
    ensembles.AdaBoostEnsembleClassifier,
    ensembles.ArcX4EnsembleClassifier,
    ensembles.BaggingEnsembleClassifier,
    ensembles.DivBoostEnsembleClassifier,
    ensembles.PCARotationEnsembleClassifier,
    ensembles.RandomRotationEnsembleClassifier,
    ensembles.RandomSubspaceEnsembleClassifier,
]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def mixed():
    random = np.random.default_rng(0)
    n = 160
    y = np.where(random.random(n) < 0.5, "yes", "no")
    X = pd.DataFrame(
        {
            "size": (y == "yes") + random.normal(0, 0.7, n),
            "colour": np.where(
                random.random(n) < 0.8, np.where(y == "yes", "red", "blue"), "green"
            ).astype(object),
            "noise": random.normal(size=n),
        }
    )
    X.loc[::9, "size"] = np.nan
    X.loc[::7, "colour"] = None
    return X, y


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "estimator", [RandomTreeClassifier(), DecisionTreeClassifier()]
)
def test_jobs_do_not_change_the_answer(iris, kind, estimator):
    X, y = iris
    settings = {"n_estimators": 5, "random_state": 7}
    one = kind(estimator, **settings, n_jobs=1).fit(X, y)
    two = kind(estimator, **settings, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(one.member_predict(X), two.member_predict(X))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    other = kind(estimator, n_estimators=5, random_state=8).fit(X, y)
    assert (one.member_predict(X) != other.member_predict(X)).any()


@pytest.mark.parametrize("kind", KINDS)
def test_nominal_columns_and_missing_values_need_no_preparation(mixed, kind):
    X, y = mixed
    ensemble = kind(n_estimators=10, random_state=0).fit(X, y)
    assert ensemble.score(X, y) > 0.85
    assert set(ensemble.predict(X)) == {"yes", "no"}
    unseen = X.head(3).assign(colour="violet", size=np.nan)
    assert ensemble.predict_proba(unseen).shape == (3, 2)
    again = pickle.loads(pickle.dumps(ensemble))
    np.testing.assert_array_equal(again.predict_proba(X), ensemble.predict_proba(X))


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_without_rows_has_no_answers(mixed, kind):
    X, y = mixed
    ensemble = kind(n_estimators=2, random_state=0).fit(X, y)
    assert ensemble.predict(X.iloc[:0]).shape == (0,)
    assert ensemble.member_predict(X.iloc[:0]).shape == (2, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_stages_end_with_the_prediction(iris, kind):
    X, y = iris
    ensemble = kind(n_estimators=6, random_state=0).fit(X, y)
    stages = list(ensemble.staged_predict(X))
    assert len(stages) == ensemble.n_estimators_
    first = ensemble.classes_[ensemble.member_predict(X)[0]]
    np.testing.assert_array_equal(stages[0], first)
    np.testing.assert_array_equal(stages[-1], ensemble.predict(X))


def test_early_stopping_keeps_the_members_up_to_the_best(iris):
    X, y = iris
    settings = {
        "estimator": RandomTreeClassifier(),
        "n_estimators": 200,
        "random_state": 0,
    }
    stopped = BaggingEnsembleClassifier(n_iter_no_change=10, **settings).fit(X, y)
    assert 1 < stopped.n_estimators_ < 100
    every = BaggingEnsembleClassifier(**settings).fit(X, y)
    kept = every.member_predict(X)[: stopped.n_estimators_]
    np.testing.assert_array_equal(stopped.member_predict(X), kept)
    same = BaggingEnsembleClassifier(
        **{**settings, "n_estimators": stopped.n_estimators_}
    ).fit(X, y)
    assert stopped.oob_error_ == same.oob_error_


def test_early_stopping_in_boosting(iris):
    X, y = iris
    ensemble = AdaBoostEnsembleClassifier(
        n_estimators=100, n_iter_no_change=3, random_state=0
    )
    ensemble.fit(X, y)
    assert ensemble.n_estimators_ < 100
    assert len(ensemble.members_edges_) == ensemble.n_estimators_


@pytest.mark.parametrize(
    "ensemble",
    [
        RandomSubspaceEnsembleClassifier(bootstrap=False, n_iter_no_change=2),
        DivBoostEnsembleClassifier(sampling="reweight", n_iter_no_change=2),
        AdaBoostEnsembleClassifier(algorithm="one_versus_rest", n_iter_no_change=2),
    ],
    ids=lambda each: type(each).__name__,
)
def test_early_stopping_needs_rows_out_of_bag(iris, ensemble):
    with pytest.raises(DataError, match="n_iter_no_change looks at rows out of bag"):
        ensemble.fit(*iris)


@pytest.mark.parametrize(
    "kind", [BaggingEnsembleClassifier, DivBoostEnsembleClassifier]
)
def test_progress_is_told(iris, kind):
    told = []
    kind(n_estimators=40, progress=lambda *numbers: told.append(numbers)).fit(*iris)
    assert told == [(k, 40) for k in range(1, 41)]


def test_parameters_of_members_can_be_searched(iris):
    X, y = iris
    search = GridSearchCV(
        BaggingEnsembleClassifier(MDLTreeClassifier(), n_estimators=5, random_state=0),
        {"estimator__max_depth": [0, 2]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_ == {"estimator__max_depth": 2}
    assert clone(search.best_estimator_).estimator.max_depth == 2


def test_weights_are_routed(iris):
    X, y = iris
    weights = np.where(y == 0, 0.0, 1.0)
    with config_context(enable_metadata_routing=True):
        ensemble = BaggingEnsembleClassifier(n_estimators=3, random_state=0)
        ensemble.set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, ensemble)
        pipeline.fit(X, y, sample_weight=weights)
    assert 0 not in pipeline.predict(X)


def test_rows_of_no_weight_and_of_no_class_are_left_out(iris):
    X, y = iris
    labels = y.astype(object)
    labels[:20] = None
    weights = np.ones(150)
    weights[40:60] = 0
    ensemble = DivBoostEnsembleClassifier(n_estimators=5, random_state=0)
    with pytest.warns(DroppedRowsWarning, match="20 of 150 rows"):
        ensemble.fit(X, labels, sample_weight=weights)
    used = np.ones(150, dtype=bool)
    used[:20] = used[40:60] = False
    plain = DivBoostEnsembleClassifier(n_estimators=5, random_state=0).fit(
        X[used], y[used]
    )
    np.testing.assert_array_equal(ensemble.member_predict(X), plain.member_predict(X))
    assert (ensemble.row_weights_[~used] == 0).all()
    assert np.isnan(ensemble.oob_decision_function_[~used]).all()
    assert ensemble.oob_error_ == plain.oob_error_
    weights = (np.arange(150) < 20).astype(float)
    with (
        pytest.warns(DroppedRowsWarning),
        pytest.raises(DataError, match="zero in every row"),
    ):
        ensemble.fit(X, labels, sample_weight=weights)


# Other learners. ----------------------------------------------------------------------


def test_learners_without_weights_are_resampled(iris):
    X, y = iris
    for kind in (
        BaggingEnsembleClassifier,
        AdaBoostEnsembleClassifier,
        DivBoostEnsembleClassifier,
    ):
        ensemble = kind(KNeighborsClassifier(3), n_estimators=4, random_state=0)
        assert ensemble.fit(X, y).score(X, y) > 0.9


def test_a_bag_of_one_class_is_no_error():
    X, y = np.arange(12.0).reshape(-1, 1), np.array([0] * 11 + [1])
    learner = SGDClassifier(max_iter=5, tol=None)
    ensemble = BaggingEnsembleClassifier(learner, n_estimators=20, random_state=0)
    kinds = {type(member).__name__ for member in ensemble.fit(X, y).members_}
    assert kinds == {"DummyClassifier", "SGDClassifier"}
    assert ensemble.member_predict(X).shape == (20, 12)


def test_what_a_learner_cannot_take_is_explained(mixed):
    X, y = mixed
    with pytest.raises(DataError, match=r"column 'colour' is nominal.*Pipeline"):
        BaggingEnsembleClassifier(SGDClassifier(), n_estimators=2).fit(X[["colour"]], y)
    with pytest.raises(DataError, match="column 'size' has missing values"):
        BaggingEnsembleClassifier(SGDClassifier(), n_estimators=2).fit(X[["size"]], y)


def test_a_pipeline_prepares_what_its_learner_cannot_take(mixed):
    X, y = mixed
    X = X.drop(columns="size")
    prepared = make_column_transformer(
        (
            OneHotEncoder(handle_unknown="ignore", sparse_output=False),
            make_column_selector(dtype_exclude="number"),
        ),
        remainder="passthrough",
    )
    learner = make_pipeline(prepared, GaussianNB())
    ensemble = BaggingEnsembleClassifier(learner, n_estimators=3, random_state=0).fit(
        X, y
    )
    assert ensemble.score(X, y) > 0.85


def test_members_know_names(mixed):
    X, y = mixed
    ensemble = RandomSubspaceEnsembleClassifier(n_estimators=3, random_state=0).fit(
        X, y
    )
    for member, columns in zip(
        ensemble.members_, ensemble.members_features_, strict=True
    ):
        assert list(member.feature_names_in_) == list(X.columns[columns])
        assert member.predict(X.iloc[:, columns]).shape == y.shape


def test_kinds_of_columns_may_be_given_to_either():
    X = np.array([[0, 5], [1, 5], [2, 6], [0, 6]] * 10)
    y = np.array([0, 1, 0, 0] * 10)
    for ensemble in (
        BaggingEnsembleClassifier(C45Classifier(), n_estimators=2, nominal=[0]),
        BaggingEnsembleClassifier(C45Classifier(nominal=[0]), n_estimators=2),
    ):
        features = ensemble.fit(X, y).members_[0].tree_.features
        assert [feature.is_nominal for feature in features] == [True, False]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (
            {"n_estimators": 0},
            "'n_estimators' parameter of BaggingEnsembleClassifier must be an int",
        ),
        ({"n_iter_no_change": 0}, "'n_iter_no_change' parameter"),
        ({"progress": 3}, "'progress' parameter .* must be a function"),
        ({"estimator": LinearRegression()}, "'estimator' parameter .* classifier"),
        ({"estimator": 5}, "'estimator' parameter .* classifier"),
        (
            {"estimator": MDLTreeClassifier(max_depth=-1)},
            "'max_depth' parameter of MDLTreeClassifier",
        ),
    ],
)
def test_bad_parameters_are_named(iris, wrong, said):
    with pytest.raises(ValueError, match=said):
        BaggingEnsembleClassifier(**wrong).fit(*iris)
