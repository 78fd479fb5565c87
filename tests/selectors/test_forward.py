import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from featsieve.data import Column, ColumnKind, Table
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.measures import boosting_z
from featsieve.selectors import ForwardSelector
from reference import wrappers as plain


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 6))
    y = (X[:, 1] + X[:, 4] + 0.3 * rng.normal(size=100) > 0).astype(int)
    return X, y


@pytest.fixture(scope="module")
def mixed():
    """A nominal feature, a number with gaps, a constant and noise; three classes."""
    rng = np.random.default_rng(1)
    n = 120
    colour = rng.integers(0, 3, n)
    size = rng.normal(size=n) + (colour == 1)
    y = np.where(colour == 0, "low", np.where(size > 0.5, "high", "middle"))
    size[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "colour": pd.Categorical(np.array(["blue", "green", "red"])[colour]),
            "size": size,
            "constant": 1.0,
        }
    ), y


def test_fs2boost_is_forward_search_by_z(data):
    """Figure 2, with the plain search and the measure on its own."""
    X, y = data
    selector = ForwardSelector(scoring="boosting_z").fit(X, y)
    chosen, z = plain.forward(
        X.shape[1],
        lambda subset: boosting_z(X[:, sorted(subset)], y),
        better=lambda a, b: a < b,
        improves=lambda new, old: new < 0.99 * old,
    )
    assert selector.selected_.tolist() == chosen
    assert selector.value_ == pytest.approx(z, abs=1e-12)


def test_backward_search_by_z(data):
    X, y = data
    given = {"n_neighbors": 5, "n_rounds": 10}
    selector = ForwardSelector(scoring="boosting_z", direction="backward", **given).fit(
        X, y
    )
    chosen, z = plain.backward(
        X.shape[1],
        lambda subset: boosting_z(X[:, sorted(subset)], y, **given),
        better=lambda a, b: a < b,
        improves=lambda new, old: new < 0.99 * old,
    )
    assert sorted(selector.selected_) == sorted(chosen)
    assert selector.value_ == pytest.approx(z, abs=1e-12)


@pytest.mark.parametrize("scope", ["rounds", "rounds_and_criterion"])
def test_ifs2boost_takes_conflicts_into_account(scope):
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, (80, 4))
    y = (X[:, 0] + X[:, 2] + rng.integers(0, 2, 80) > 2).astype(int)
    selector = ForwardSelector(
        scoring="boosting_z_conflict", conflict_scope=scope, nominal="all"
    ).fit(X, y)
    z = boosting_z(X[:, selector.selected_], y, nominal="all", conflict=scope)
    assert selector.value_ == pytest.approx(z, abs=1e-12)


def test_attributes_tell_the_search(data):
    X, y = data
    selector = ForwardSelector().fit(X, y)
    assert selector.support_.tolist() == [j in selector.selected_ for j in range(6)]
    assert selector.ranking_[selector.selected_].tolist() == list(
        range(1, len(selector.selected_) + 1)
    )
    assert sorted(selector.ranking_) == [1, 2, 3, 4, 5, 6]
    first = selector.steps_[0]
    assert first["action"] == "add"
    assert [c["features"] for c in first["candidates"]] == [
        (f"x{j}",) for j in range(6)
    ]
    assert first["value"] == max(c["value"] for c in first["candidates"])
    assert [step["accepted"] for step in selector.steps_][-1] is False
    assert selector.n_subsets_evaluated_ == sum(
        len(step["candidates"]) for step in selector.steps_
    )
    majority = max(np.mean(y), 1 - np.mean(y))
    best = selector.selected_[0]
    assert selector.scores_[best] == pytest.approx(first["value"] - majority)
    others = ~selector.support_
    assert (selector.scores_[others] <= 0).all()


def test_backward_ranks_those_that_went_last_higher(data):
    X, y = data
    selector = ForwardSelector(direction="backward", n_features_to_select=2).fit(X, y)
    gone = [step["features"][0] for step in selector.steps_]
    assert [selector.ranking_[int(name[1:])] for name in gone] == [6, 5, 4, 3]
    assert selector.support_.sum() == 2


def test_numbers_of_features(data):
    X, y = data
    assert ForwardSelector(n_features_to_select=5).fit(X, y).support_.sum() == 5
    assert ForwardSelector(max_selected=1).fit(X, y).support_.sum() == 1
    share = ForwardSelector(n_features_to_select=0.5).fit(X, y)
    assert share.support_.sum() == 3
    most = ForwardSelector(direction="backward", max_selected=1).fit(X, y)
    assert most.support_.sum() == 1
    strict = ForwardSelector(tol=0.5).fit(X, y)
    assert strict.support_.sum() == 1


def test_groups_fixed_features_and_a_start(data):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcdef"))
    selector = ForwardSelector(
        feature_groups=[["b", "c"], ["e", 5]], fixed_features=["a"]
    ).fit(frame, y)
    names = selector.get_feature_names_out().tolist()
    assert names[0] == "a"
    assert ("b" in names) == ("c" in names)
    assert {"e", "f"} <= set(names)
    started = ForwardSelector(start=["d"], direction="floating").fit(frame, y)
    assert started.steps_[0]["subset"][0] == "d"
    with pytest.raises(DataError, match="3 features are fixed or to start with"):
        ForwardSelector(fixed_features=[0, 1, 2], max_selected=2).fit(frame, y)


def test_mixed_tables_in_any_container(mixed):
    frame, y = mixed
    whole = ForwardSelector(scoring="boosting_z").fit(frame, y)
    assert whole.get_feature_names_out().tolist() == ["colour", "size"]
    assert list(whole.set_output(transform="pandas").transform(frame)) == [
        "colour",
        "size",
    ]
    polars = pl.DataFrame(
        {
            "noise": frame["noise"].to_numpy(),
            "colour": frame["colour"].astype(str).to_list(),
            "size": pl.Series(frame["size"].to_numpy(), nan_to_null=True),
            "constant": 1.0,
        }
    )
    for container in (polars, polars.to_arrow()):
        other = ForwardSelector(scoring="boosting_z").fit(container, y)
        assert other.value_ == pytest.approx(whole.value_, abs=1e-12)
        assert other.support_.tolist() == whole.support_.tolist()
    assert isinstance(other.transform(container), pa.Table)


def test_shuffled_rows_and_renamed_classes_change_nothing(mixed):
    frame, y = mixed
    whole = ForwardSelector(scoring="boosting_z").fit(frame, y)
    order = np.random.default_rng(0).permutation(len(y))
    other = ForwardSelector(scoring="boosting_z").fit(
        frame.iloc[order], np.char.upper(y[order].astype(str))
    )
    assert other.selected_.tolist() == whole.selected_.tolist()
    assert other.value_ == pytest.approx(whole.value_, abs=1e-12)


def originals_come_first(selected, n_features):
    """A copy may come too, since twice the distance is another one."""
    order = selected.tolist()
    return all(
        j < n_features or j - n_features in order[:place]
        for place, j in enumerate(order)
    )


def test_a_copy_of_a_feature_is_never_before_it(data):
    X, y = data
    doubled = np.column_stack([X, X])
    selector = ForwardSelector(scoring="boosting_z").fit(doubled, y)
    assert originals_come_first(selector.selected_, X.shape[1])
    # Levels in another order give the same Z, but for rounding.
    codes = np.digitize(X, [-0.5, 0.5])
    permuted = np.column_stack([codes, np.array([2, 0, 1])[codes]])
    selector = ForwardSelector(scoring="boosting_z", nominal="all")
    assert originals_come_first(selector.fit(permuted, y).selected_, X.shape[1])


@pytest.mark.parametrize("criterion", ["accuracy", "boosting_z"])
@pytest.mark.parametrize("cv", [None, "resubstitution", 4])
def test_any_number_of_jobs_gives_the_same_answer(mixed, criterion, cv):
    selectors = [
        ForwardSelector(scoring=criterion, cv=cv, n_jobs=n_jobs).fit(*mixed)
        for n_jobs in (1, 2)
    ]
    assert selectors[0].steps_ == selectors[1].steps_


def test_resubstituted_neighbours_know_everything():
    """Why rows do not vote for themselves: noise looks perfect with one neighbour."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.integers(0, 2, 50)
    given = {"n_neighbors": 1, "scoring": "boosting_z"}
    assert ForwardSelector(**given, cv="resubstitution").fit(X, y).value_ < 0.01
    assert ForwardSelector(**given).fit(X, y).value_ > 0.8


def test_patience_finds_the_first_monk(shared_dir):
    """a1 alone adds nothing to a5; a1 and a2 together settle the concept."""
    path = shared_dir / "data" / "monks-1" / "test.csv"
    frame = pd.read_csv(path, dtype=str)
    X, y = frame.drop(columns="class"), frame["class"]
    short = ForwardSelector().fit(X, y)
    assert short.get_feature_names_out().tolist() == ["a5"]
    assert short.value_ == 0.75
    patient = ForwardSelector(patience=1).fit(X, y)
    assert patient.get_feature_names_out().tolist() == ["a1", "a2", "a5"]
    assert patient.value_ == 1.0


def test_progress_tells_the_best_so_far(data):
    told = []
    selector = ForwardSelector(progress=told.append).fit(*data)
    assert len(told) == selector.n_subsets_evaluated_
    assert told[-1]["n_evaluated"] == selector.n_subsets_evaluated_
    assert set(told[-1]["features"]) == set(selector.get_feature_names_out())
    assert told[-1]["value"] == selector.value_
    values = [each["value"] for each in told]
    assert values == sorted(values)


def test_rows_without_a_class_are_left_out(data):
    X, y = data
    unknown = pd.Series(y).astype("float").astype(object)
    unknown[:3] = None
    for learner in (None, KNeighborsClassifier(3), GaussianNB()):
        with pytest.warns(DroppedRowsWarning, match="3 of 100 rows"):
            part = ForwardSelector(learner).fit(pd.DataFrame(X), unknown)
        whole = ForwardSelector(learner).fit(pd.DataFrame(X[3:]), y[3:])
        assert part.value_ == whole.value_
    folds = list(KFold(3).split(X))
    with (
        pytest.warns(DroppedRowsWarning),
        pytest.raises(DataError, match="numbers do not fit"),
    ):
        ForwardSelector(cv=folds).fit(X, unknown)


def test_works_in_pipelines_and_pickles(data):
    X, y = data
    selector = ForwardSelector(GaussianNB(), max_selected=2)
    model = make_pipeline(clone(selector), GaussianNB()).fit(X, y)
    assert model.score(X, y) > 0.8
    restored = pickle.loads(pickle.dumps(model[0]))
    np.testing.assert_array_equal(restored.support_, model[0].support_)


def test_a_table_with_its_target(data):
    X, y = data
    columns = tuple(
        Column(f"x{j}", ColumnKind.NUMERIC, X[:, j].copy()) for j in range(6)
    )
    target = Column("y", ColumnKind.NOMINAL, y.astype(np.int32), ("no", "yes", "never"))
    table = Table(columns, target)
    for learner in (None, GaussianNB()):
        ours = ForwardSelector(learner).fit(table, None)
        plain_input = ForwardSelector(learner).fit(X, y)
        assert ours.value_ == plain_input.value_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"direction": "up"}, "'direction' parameter of ForwardSelector must"),
        ({"scoring": "beauty"}, "'scoring' parameter"),
        ({"scoring": 3}, "'scoring' parameter"),
        ({"scoring": "roc_auc"}, "scores an estimator, and there is none"),
        ({"boosting_vote": "x"}, "'boosting_vote' parameter"),
        ({"n_rounds": 0}, "'n_rounds' parameter"),
        ({"patience": -1}, "'patience' parameter"),
        ({"tol": "x"}, "'tol' parameter"),
        ({"max_selected": 0}, "'max_selected' parameter"),
        ({"n_features_to_select": 0}, "'n_features_to_select' parameter"),
        ({"conflict_scope": "x"}, "'conflict_scope' parameter"),
        ({"start": "triples"}, "'start' parameter"),
        ({"start": [0], "direction": "backward"}, "begins with all features"),
        ({"cv": "x"}, "'cv' parameter"),
        ({"cv": 1}, "'cv' parameter of ForwardSelector must be an int >= 2"),
        ({"cv": 101}, "'cv' parameter of .* >= 2 and <= 100"),
        ({"cv": [1, 2]}, "'cv' parameter of .* a splitter"),
        ({"estimator": "knn"}, "'estimator' parameter of ForwardSelector must"),
        ({"progress": True}, "'progress' parameter of ForwardSelector must"),
        ({"cv": [([0, 1], [])]}, "cv must give at least one split"),
        ({"cv": [([0, 1], [1000])]}, "cv must number rows from 0 to 99"),
        ({"target_bins": 1}, "'target_bins' parameter"),
    ],
)
def test_bad_parameters_are_named(data, parameters, message):
    with pytest.raises(ValueError, match=message):
        ForwardSelector(**parameters).fit(*data)
