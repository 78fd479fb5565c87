"""Rows on their way: levels nobody knows, empty leaves, answers."""

import numpy as np
import pytest

from featsieve._kernels import TreeRouter
from featsieve.data import ColumnKind, read_table
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.trees import (
    C45Classifier,
    RandomTreeRegressor,
    Tree,
    TreeFeature,
    tree_from_json,
    tree_predict,
    tree_to_json,
)
from featsieve.trees._tree_rows import (
    leaf_answers,
    read_numbers,
    read_training,
    row_matrix,
    tree_paths,
    tree_router,
    tree_rows,
)

NAN = float("nan")


def sparse_tree(**options):
    """colour of {blue, red} (green is declared, but has no branch); red is empty."""
    features = [TreeFeature("colour", ColumnKind.NOMINAL, ("blue", "green", "red"))]
    return Tree(
        feature=[0, -1, -1],
        threshold=[NAN] * 3,
        first_child=[1, -1, -1],
        n_children=[2, 0, 0],
        level=[-1, 0, 2],
        weight=[4, 4, 0],
        value=[[3, 1], [3, 1], [0, 0]],
        prediction=[0, 0, 1],
        gain=[0, 0, 0],
        features=features,
        classes=["a", "b"],
        **options,
    )


def test_unknown_levels_are_nan():
    table = read_table({"colour": ["red", "pink", None, "blue"]})
    matrix = row_matrix(table, sparse_tree().features)
    assert matrix[:, 0] == pytest.approx([2, NAN, NAN, 0], nan_ok=True)


@pytest.mark.parametrize("empty", ["parent_class", "parent_shares"])
def test_empty_leaves_answer_by_the_rule(empty):
    tree = sparse_tree(empty=empty)
    rows = tree_rows(np.array([[0.0], [1.0], [2.0], [NAN]]))
    answers = tree_router(tree).predict(rows, leaf_answers(tree))
    last = [0, 1] if empty == "parent_class" else [0.75, 0.25]
    # Green has no branch: it goes where the missing value goes, past the empty leaf.
    assert answers.tolist() == [[0.75, 0.25], [0.75, 0.25], last, [0.75, 0.25]]


def test_an_empty_root_knows_nothing():
    tree = Tree(
        feature=[-1],
        threshold=[NAN],
        first_child=[-1],
        n_children=[0],
        level=[-1],
        weight=[0],
        value=[[0, 0]],
        prediction=[0],
        gain=[0],
        features=[TreeFeature("x")],
        classes=["a", "b"],
        empty="parent_shares",
    )
    assert leaf_answers(tree).tolist() == [[0.5, 0.5]]


def test_paths_are_ones():
    tree = sparse_tree()
    paths = tree_paths(tree, tree_rows(np.array([[0.0], [2.0]])))
    assert paths.toarray().tolist() == [[1, 1, 0], [1, 0, 1]]


def test_rows_keep_their_array_alive():
    rows = tree_rows(np.zeros((1000, 1)))
    filler = [np.ones((1000, 1)) for _ in range(50)]
    tree = sparse_tree()
    assert (tree_router(tree).apply(rows) == 1).all()
    assert len(filler) == 50


def test_bad_arrays_raise():
    whole = np.array([0, -1, -1], dtype=np.int32)
    with pytest.raises(ValueError, match="leads outside"):
        TreeRouter(
            whole,
            np.array([1.0, NAN, NAN]),
            np.array([2, -1, -1], dtype=np.int32),
            np.array([2, 0, 0], dtype=np.int32),
            whole,
            np.ones(3),
            np.zeros(1, dtype=np.int32),
            fractional=True,
        )
    router = tree_router(sparse_tree())
    with pytest.raises(ValueError, match="one value per feature"):
        router.apply(tree_rows(np.zeros((2, 3))))


def coloured_tree():
    X = {"colour": ["red", "blue"] * 4, "size": [3, 1, 2, 4, 3, 1, 2, 4]}
    return C45Classifier().fit(X, ["yes", "no"] * 4).tree_


def test_a_stored_tree_finds_columns_by_name_or_by_place():
    tree = tree_from_json(tree_to_json(coloured_tree()))
    named = {"other": [1, 2], "size": [9, 9], "colour": ["red", "blue"]}
    expected = [[0, 1], [1, 0]]
    assert tree_predict(tree, named).tolist() == expected
    placed = np.array([["red", 9], ["blue", 9]], dtype=object)
    assert tree_predict(tree, placed).tolist() == expected
    unseen = {"colour": ["green", None], "size": [1, 1]}
    assert tree_predict(tree, unseen).tolist() == [[0.5, 0.5]] * 2


def test_a_stored_tree_asks_for_its_columns():
    with pytest.raises(DataError, match=r"none of the columns .* is called 'colour'"):
        tree_predict(coloured_tree(), {"size": [1]})
    # As many columns as features, and one of them another: no guess by place.
    with pytest.raises(DataError, match=r"none of the columns .* is called 'size'"):
        tree_predict(coloured_tree(), {"colour": ["red"], "weight": [9]})
    text = {"colour": ["red"], "size": ["big"]}
    with pytest.raises(DataError, match="'size' was numeric in fit and holds text"):
        tree_predict(coloured_tree(), text)


def test_masked_values_are_missing_when_predicting_too():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    mask = random.random(X.shape) < 0.2
    X[mask] = 1e6  # what lies under the mask must not be seen
    masked, gaps = np.ma.array(X, mask=mask), np.where(mask, np.nan, X)
    tree = C45Classifier().fit(masked, X[:, 0] > 0)
    np.testing.assert_array_equal(tree.predict_proba(masked), tree.predict_proba(gaps))
    assert not np.array_equal(tree.predict_proba(masked), tree.predict_proba(X))


X = np.array([[1.5, 2.0], [np.nan, 4.0], [5.0, 6.0], [7.0, 8.0]])


Y = ["a", "b", "a", "b"]


def read(X=X, y=Y, weights=None, **settings):
    estimator = C45Classifier(**settings)
    return *read_training(estimator, X, y, weights), estimator


def test_arrays_of_fractions_are_columns():
    table, target, weights, used, estimator = read()
    assert table.names == ("x0", "x1")
    assert [column.kind for column in table] == [ColumnKind.NUMERIC] * 2
    np.testing.assert_array_equal(table.columns[0].values, X[:, 0])
    assert not np.shares_memory(table.columns[1].values, X)
    assert target["classes"].tolist() == [0, 1, 0, 1]
    assert target["n_classes"] == estimator.n_classes_ == 2
    assert list(estimator.classes_) == Y[:2]
    assert weights is None
    assert used.all()
    assert estimator.n_features_in_ == 2


def test_the_short_way_is_the_long_way():
    short, *_ = read()
    long, *_ = read(X.tolist())
    for one, other in zip(short, long, strict=True):
        assert one.kind == other.kind
        np.testing.assert_array_equal(one.values, other.values)
    nominal, *_ = read(nominal=[1])
    assert nominal.columns[1].kind is ColumnKind.NOMINAL
    with pytest.raises(ValueError, match="infinity"):
        read(np.array([[np.inf], [1.5], [2.5], [3.5]]))


def test_tables_bring_their_target():
    table, target, *_ = read(read_table({"x": [1.5, 2.5, 3.5]}, ["u", "v", "u"]), None)
    assert table.names == ("x",)
    assert target["classes"].tolist() == [0, 1, 0]


def test_rows_of_no_weight_are_left_out():
    table, target, weights, used, _ = read(weights=[1.0, 0.0, 2.0, 0.5])
    assert used.tolist() == [True, False, True, True]
    assert table.columns[1].values.tolist() == [2, 6, 8]
    assert target["classes"].tolist() == [0, 0, 1]
    assert weights.tolist() == [1, 2, 0.5]
    with (
        pytest.warns(DroppedRowsWarning),
        pytest.raises(DataError, match="zero in every row that has a target"),
    ):
        read(y=[None, "a", "b", "b"], weights=[1, 0, 0, 0])


def test_rows_without_a_class_are_left_out_with_a_warning():
    with pytest.warns(DroppedRowsWarning):
        table, target, weights, used, _ = read(
            y=["a", None, "b", "b"], weights=[1, 2, 3, 0]
        )
    assert used.tolist() == [True, False, True, False]
    assert table.columns[1].values.tolist() == [2, 6]
    assert (target["classes"].tolist(), weights.tolist()) == ([0, 1], [1, 3])


@pytest.mark.parametrize(
    ("y", "fine"),
    [
        ([1e140, -1e140, 0.0], True),
        ([1.1e140, 0.0, 1.0], False),
        ([-1.1e140, 0.0, 1.0], False),
        ([0.0, 2e-140, 0.0], True),
        ([0.0, 0.9e-140, 0.0], False),
        ([5.0, 5.0, 5.0], True),
    ],
)
def test_squares_of_numbers_must_exist(y, fine):
    estimator = RandomTreeRegressor()
    if fine:
        target, rows = read_numbers(estimator, y, 3)
        assert target["numbers"].tolist() == y
        assert rows is None
    else:
        with pytest.raises(DataError, match="Scale the target"):
            read_numbers(estimator, y, 3)
