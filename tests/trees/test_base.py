"""What every tree does with data: strange tables, targets, weights, and questions."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from featsieve.data import read_table
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.measures import information_gain
from featsieve.trees import (
    C45Classifier,
    MDLTreeClassifier,
    MDLTreeRegressor,
    RandomTreeClassifier,
    RandomTreeRegressor,
)

CLASSIFIERS = [
    C45Classifier(),
    C45Classifier(compatibility="j48"),
    MDLTreeClassifier(),
    MDLTreeClassifier(missing_branch="largest"),
    RandomTreeClassifier(random_state=0),
    RandomTreeClassifier(
        max_features=None, missing_branch="fractional", random_state=0
    ),
]
REGRESSORS = [MDLTreeRegressor(), RandomTreeRegressor(random_state=0)]
TREES = [*CLASSIFIERS, *REGRESSORS]


def mixed_frame(n_rows=60):
    generator = np.random.default_rng(3)
    return pd.DataFrame(
        {
            "größe ✓": generator.normal(size=n_rows),
            "colour": pd.Categorical(
                generator.choice(["red", "green", "blue"], n_rows),
                categories=["red", "green", "blue", "never"],
            ),
            "flag": generator.integers(0, 2, n_rows).astype(bool),
            "day": pd.date_range("2024-02-28", periods=n_rows),
            "word": generator.choice(["é", "日本", None], n_rows),
        }
    )


def some_target(frame):
    return ((frame["größe ✓"] > 0) ^ (frame["colour"] == "red")).astype(int).to_numpy()


@pytest.mark.parametrize("tree", TREES, ids=str)
@pytest.mark.parametrize(
    "X",
    [
        np.full((6, 2), np.nan),
        np.ones((6, 2)),
        pd.DataFrame({"a": [None] * 6, "b": ["x"] * 6}),
    ],
    ids=["missing", "constant", "text"],
)
def test_nothing_to_split_on_is_a_leaf(tree, X):
    y = np.array([0, 1, 1, 1, 0, 1])
    tree = clone(tree).fit(X, y)
    assert tree.node_count_ == 1
    assert (tree.get_depth(), tree.get_n_leaves()) == (0, 1)
    expected = 1 if tree.tree_.is_classifier else 4 / 6
    assert tree.predict(X) == pytest.approx(expected)
    assert not tree.feature_importances_.any()


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_one_row_and_one_class(tree):
    assert clone(tree).fit([[1.0, 2.0]], [7]).predict([[5.0, np.nan]]).tolist() == [7]
    X = np.random.default_rng(0).normal(size=(20, 2))
    tree = clone(tree).fit(X, [3] * 20)
    assert tree.node_count_ == 1
    assert set(tree.predict(X)) == {3}


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_frames_of_all_makers_give_one_tree(tree):
    frame = mixed_frame()
    y = some_target(frame)
    # An enumeration keeps the level that never occurs.
    levels = pl.Enum(["red", "green", "blue", "never"])
    polars = pl.from_pandas(frame.assign(colour=frame["colour"].astype(str)))
    polars = polars.with_columns(pl.col("colour").cast(levels))
    expected = clone(tree).fit(frame, y)
    for other in (polars, pa.Table.from_pandas(frame), read_table(frame)):
        grown = clone(tree).fit(other, y)
        if not isinstance(other, pa.Table):  # whose levels are those that occur
            assert grown.tree_ == expected.tree_
        assert grown.predict(other) == pytest.approx(expected.predict(frame))
    assert pickle.loads(pickle.dumps(expected)).tree_ == expected.tree_


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_paths_lead_to_the_leaves_that_answer(tree):
    frame = mixed_frame()
    tree = clone(tree).fit(frame, some_target(frame))
    leaves = tree.apply(frame)
    paths = tree.decision_path(frame).toarray()
    assert paths.shape == (len(frame), tree.node_count_)
    rows = np.arange(len(frame))
    assert (paths[rows, leaves] == 1).all()
    assert (paths[:, 0] == 1).all()
    assert (tree.tree_.n_children[leaves] == 0).all()
    whole = tree.tree_.node_depths()[leaves] + 1 == paths.sum(axis=1)
    values = tree.tree_.value[leaves]
    if tree.tree_.is_classifier:
        share = values / tree.tree_.weight[leaves][:, np.newaxis]
        assert tree.predict_proba(frame)[whole] == pytest.approx(share[whole])
    else:
        assert tree.predict(frame)[whole] == pytest.approx(values[whole, 0])


@pytest.mark.parametrize(
    "tree", [MDLTreeClassifier(), RandomTreeClassifier(max_features=None)], ids=str
)
def test_tried_gains_are_information_gains(tree):
    generator = np.random.default_rng(1)
    y = generator.integers(0, 3, 90)
    X = pd.DataFrame()
    for name, noise in [("p", 0.3), ("q", 0.6), ("r", 0.9)]:
        other = generator.integers(0, 3, 90)
        X[name] = np.array([*"abc"])[np.where(generator.random(90) < noise, other, y)]
    tree = clone(tree).set_params(observe=True).fit(X, y)
    table = read_table(X)
    paths = tree.decision_path(X).toarray().astype(bool)
    tried = tree.tried_
    for node in np.unique(tried.node)[:4]:
        rows = paths[:, node]
        codes = np.column_stack([column.values[rows] for column in table])
        expected = information_gain(np.asfortranarray(codes.astype(np.int32)), y[rows])
        assert tried.gain[tried.node == node] == pytest.approx(expected, abs=1e-12)
    assert not hasattr(tree.set_params(observe=False).fit(X, y), "tried_")


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_weight_two_is_a_row_twice(tree):
    frame = mixed_frame()
    y = some_target(frame)
    weights = np.random.default_rng(2).integers(0, 4, len(frame))
    rows = np.repeat(np.arange(len(frame)), weights)
    weighted = clone(tree).fit(frame, y, sample_weight=weights)
    repeated = clone(tree).fit(frame.iloc[rows], y[rows])
    if tree is not CLASSIFIERS[1]:  # J48 counts rows, not their weight
        assert weighted.tree_.feature.tolist() == repeated.tree_.feature.tolist()
        assert weighted.tree_.weight == pytest.approx(repeated.tree_.weight)


@pytest.mark.parametrize(
    "tree",
    [
        MDLTreeClassifier(),
        RandomTreeClassifier(random_state=5),
        RandomTreeClassifier(criterion="gini", random_state=5),
    ],
    ids=str,
)
def test_order_of_rows_does_not_matter(tree):
    frame = mixed_frame().drop(columns="word")
    y = some_target(frame)
    order = np.random.default_rng(8).permutation(len(frame))
    assert (
        clone(tree).fit(frame, y).tree_
        == clone(tree).fit(frame.iloc[order], y[order]).tree_
    )


@pytest.mark.parametrize("tree", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("labels", [["no", "yes"], [False, True], [-1, 3]], ids=str)
def test_labels_of_any_kind_come_back(tree, labels):
    frame = mixed_frame()
    y = np.array(labels)[some_target(frame)]
    tree = clone(tree).fit(frame, y)
    assert tree.classes_.tolist() == labels
    assert tree.predict(frame).dtype.kind == y.dtype.kind


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_rows_without_target_are_left_out_with_a_warning(tree):
    frame = mixed_frame()
    y = some_target(frame).astype(float)
    y[::5] = np.nan
    known = ~np.isnan(y)
    with pytest.warns(DroppedRowsWarning, match="12 of 60 rows have no target"):
        holed = clone(tree).fit(frame, y, sample_weight=np.ones(60))
    rest = clone(tree).fit(frame[known], y[known])
    if tree is not CLASSIFIERS[1]:  # J48 takes thresholds from all rows
        assert holed.tree_ == rest.tree_
    with pytest.raises(DataError, match="missing in every row"):
        clone(tree).fit(frame, np.full(60, np.nan))


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_infinity_is_refused_by_name(tree):
    X = np.arange(12.0).reshape(6, 2)
    bad = X.copy()
    bad[2, 1] = -np.inf
    with pytest.raises(DataError, match="'x1' holds infinity"):
        clone(tree).fit(bad, [0, 1] * 3)
    fitted = clone(tree).fit(X, [0, 1] * 3)
    with pytest.raises(DataError, match="'x1' holds infinity"):
        fitted.predict(bad)
    huge = np.full((2, 2), 1.7e308)
    assert len(fitted.predict(huge)) == 2


def test_columns_may_not_turn_into_text():
    frame = mixed_frame()
    tree = RandomTreeClassifier(random_state=0).fit(frame, some_target(frame))
    with pytest.raises(DataError, match=r"'größe ✓' was numeric in fit.*'tall'"):
        tree.predict(frame.assign(**{"größe ✓": "tall"}))
    # All missing has no kind.
    empty = frame.assign(**{"größe ✓": None})
    assert len(tree.predict(empty)) == len(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        tree.predict(frame[frame.columns[::-1]])


def test_numbers_for_levels_count_as_levels():
    X = pd.DataFrame({"code": pd.Categorical([1, 1, 2, 2, 3, 3] * 3)})
    tree = RandomTreeClassifier(random_state=0).fit(X, [0, 0, 1, 1, 0, 0] * 3)
    assert tree.predict(pd.DataFrame({"code": [1, 2, 3]})).tolist() == [0, 1, 0]


@pytest.mark.parametrize("tree", REGRESSORS, ids=str)
@pytest.mark.parametrize("y", [[1e200, 0.0], [0.0, 1e-200]], ids=str)
def test_targets_whose_squares_do_not_fit_are_refused(tree, y):
    with pytest.raises(DataError, match="Scale the target"):
        clone(tree).fit([[1.0], [2.0]] * 4, y * 4)


@pytest.mark.parametrize("tree", REGRESSORS, ids=str)
def test_a_constant_target_is_a_leaf(tree):
    X = np.random.default_rng(0).normal(size=(97, 2))
    tree = clone(tree).fit(X, np.full(97, 0.1))
    assert tree.node_count_ == 1
    assert tree.predict(X) == pytest.approx(0.1)


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_an_unfitted_tree_says_so(tree):
    for ask in ("predict", "apply", "decision_path"):
        with pytest.raises(NotFittedError):
            getattr(clone(tree), ask)([[1.0]])
    for ask in ("get_depth", "get_n_leaves", "export_text", "export_rules", "to_json"):
        with pytest.raises(NotFittedError):
            getattr(clone(tree), ask)()


def test_trees_live_in_scikit_learn():
    frame = mixed_frame()
    y = some_target(frame)
    grid = {"pruning_confidence": [0.1, 0.25], "min_cases": [2, 5]}
    search = GridSearchCV(C45Classifier(), grid, cv=3).fit(frame, y)
    assert set(search.best_params_) == set(grid)
    pipeline = make_pipeline(StandardScaler(), MDLTreeClassifier())
    X = np.random.default_rng(0).normal(size=(90, 2))
    scores = cross_val_score(pipeline, X, (X[:, 0] > 0).astype(int), cv=3)
    assert scores.min() > 0.9


def test_sixty_thousand_levels():
    levels = np.array([f"level {i}" for i in range(60_000)])
    X = pd.DataFrame({"name": levels, "x": np.arange(60_000.0)})
    y = (np.arange(60_000) >= 20_000).astype(int)
    tree = C45Classifier().fit(X, y)
    assert tree.export_text().splitlines() == [
        "x <= 19999: 0 (20000.0)",
        "x > 19999: 1 (40000.0)",
    ]
    random = RandomTreeClassifier(feature_weights=[1, 0], random_state=0).fit(X, y)
    assert random.node_count_ == 60_001
    # Unseen: the heaviest branch, the first of equals.
    assert random.predict(pd.DataFrame({"name": ["new"], "x": [0.0]})).tolist() == [0]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_plain_arrays_are_read_as_any_table_is(dtype):
    X = np.random.default_rng(0).random((40, 3)).astype(dtype)
    X[::7, 1] = np.nan
    y = X[:, 0] > 0.5
    plain = RandomTreeClassifier(random_state=0).fit(X, y)
    listed = RandomTreeClassifier(random_state=0).fit(X.tolist(), y)
    assert plain.tree_ == listed.tree_
    nominal = RandomTreeClassifier(random_state=0, nominal=np.array([1])).fit(
        np.round(X), y
    )
    assert nominal.tree_.features[1].is_nominal
    X[0, 0] = np.inf
    with pytest.raises(DataError, match="infinity"):
        RandomTreeClassifier().fit(X, y)
