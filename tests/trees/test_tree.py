"""The flat tree: what it promises, and that a damaged one is refused by name."""

import copy
import pickle

import numpy as np
import pytest

from featsieve.data import ColumnKind
from featsieve.exceptions import DataError
from featsieve.trees import Tree, TreeFeature
from featsieve.trees._tree import child_ids, frozen_array
from trees.hand_made import NAN, chain, golf_tree, make_tree, nominal, stump

LEAF = {"value": [1.0, 0.0]}


def test_golf():
    tree = golf_tree()
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (8, 5, 2)
    assert (tree.n_features, tree.n_outputs, tree.is_classifier) == (3, 2, True)
    assert repr(tree) == "Tree(n_nodes=8, n_leaves=5, depth=2)"
    assert list(tree.children(0)) == [1, 2, 3]
    assert list(tree.children(3)) == [6, 7]
    assert list(tree.children(2)) == []
    assert tree.parents().tolist() == [-1, 0, 0, 0, 1, 1, 3, 3]
    assert tree.node_depths().tolist() == [0, 1, 1, 1, 2, 2, 2, 2]


def test_importances_are_weighted_gains():
    tree = golf_tree()
    parts = np.array([14 * 0.2467, 5 * 0.971, 5 * 0.971])
    np.testing.assert_allclose(tree.feature_importances(), parts / parts.sum())


def test_importances_of_a_leaf_are_zero():
    tree = make_tree(LEAF, [TreeFeature("a"), TreeFeature("b")], "xy")
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (1, 1, 0)
    assert tree.feature_importances().tolist() == [0.0, 0.0]
    assert tree.parents().tolist() == [-1]


def test_importances_do_not_overflow():
    tree = stump(weight=[1e308, 1e308, 1e308], gain=[1e308, 0, 0])
    assert tree.feature_importances().tolist() == [1.0, 0.0]


def test_no_features_at_all():
    tree = make_tree(LEAF, [], "xy")
    assert tree.feature_importances().shape == (0,)


def test_arrays_are_typed_and_cannot_be_changed():
    weights = np.array([5.0, 3.0, 2.0])
    tree = stump(weight=weights)
    weights[0] = 99
    assert tree.weight[0] == 5
    assert tree.feature.dtype == np.int32
    assert tree.value.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        tree.weight[0] = 1
    with pytest.raises(AttributeError):
        tree.weight = weights


def test_read_only_arrays_are_not_copied():
    weights = np.array([5.0, 3.0, 2.0])
    weights.flags.writeable = False
    assert stump(weight=weights).weight is weights


def test_equality():
    assert stump() == stump()
    assert hash(stump()) == hash(stump())
    assert stump() != "stump"
    assert stump() != golf_tree()
    different = {
        "threshold": [2.6, NAN, NAN],
        "weight": [5, 3, 2.1],
        "prediction": [1, 0, 1],
        "classes": ("bad", "fine"),
        "features": (TreeFeature("wages"),),
        "missing": "largest",
        "empty": "parent_shares",
    }
    for name, value in different.items():
        assert stump(**{name: value}) != stump()
    assert stump(classes=(0, 1)) != stump(classes=(0.0, 1.0))
    assert stump(classes=np.array([3, 4])) == stump(classes=(3, 4))


@pytest.mark.parametrize("make", [golf_tree, stump, lambda: chain(2000)])
def test_pickle_and_copy(make):
    tree = make()
    for other in (pickle.loads(pickle.dumps(tree)), copy.deepcopy(tree)):
        assert other == tree
        assert not other.weight.flags.writeable


def test_a_chain_does_not_recurse():
    tree = chain(100_000)
    assert tree.depth == 100_000
    assert tree.n_leaves == 100_001
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_sparse_levels_and_many_levels():
    features = [nominal("town", *map(str, range(60_000)))]
    branches = [{"value": [1.0, 0.0], "level": level} for level in (3, 7, 59_999)]
    root = {"value": [3.0, 0.0], "feature": 0, "children": branches}
    assert make_tree(root, features, "xy").n_leaves == 3


def test_infinite_thresholds_are_thresholds():
    for bound in (np.inf, -np.inf):
        assert stump(threshold=[bound, NAN, NAN]).threshold[0] == bound


def test_empty_branch_of_a_regression_has_no_mean():
    values = [[3.0], [3.0], [NAN]]
    kept = {"value": values, "classes": None, "prediction": [0, 0, 0]}
    assert stump(weight=[5, 5, 0], **kept).n_outputs == 1
    with pytest.raises(DataError, match=r"'value' of a tree .*nan.* at node 2"):
        stump(**kept)


SEX = {"feature": [1, -1, -1], "threshold": [NAN] * 3}


WRONG = [
    ({"feature": []}, "'feature' .* root. Got none"),
    ({"feature": [[0, -1, -1]]}, "'feature' .*1-dimensional. Got 2"),
    ({"feature": [0.0, -1, -1]}, "'feature' .*whole numbers.*float64"),
    ({"feature": [2, -1, -1]}, "'feature' .*from 0 to 1. Got 2 at node 0"),
    ({"feature": [-2, -1, -1]}, "'feature' .*Got -2 at node 0"),
    ({"feature": [2**40, -1, -1]}, "'feature' .*32-bit"),
    ({"feature": [10**30, -1, -1]}, "'feature' .*whole numbers"),
    ({"feature": [True, True, True]}, "'feature' .*whole numbers"),
    ({"threshold": [1.0, NAN]}, "'threshold' .*length 3.* Got length 2"),
    ({"threshold": [NAN] * 3}, "'threshold' .*Got nan at node 0"),
    ({"threshold": [1.0, 1.0, NAN]}, "'threshold' .*Got 1.0 at node 1"),
    ({"threshold": ["1", "2", "3"]}, "'threshold' .*numbers"),
    ({"feature": [1, -1, -1], "level": [-1, 0, 1]}, "'threshold' .*2.5 at node 0"),
    ({"n_children": [3, 0, 0]}, "'n_children' .*Got 3 at node 0"),
    ({"n_children": [2, 1, 0]}, "'n_children' .*Got 1 at node 1"),
    ({"n_children": [-2, 0, 0]}, "'n_children' .*Got -2 at node 0"),
    ({**SEX, "n_children": [3, 0, 0]}, "'n_children' .*Got 3 at node 0"),
    ({"first_child": [2, -1, -1]}, "'first_child' .*room.*Got 2 at node 0"),
    ({"first_child": [0, -1, -1]}, "'first_child' .*Got 0 at node 0"),
    ({"first_child": [-1, -1, -1]}, "'first_child' .*Got -1 at node 0"),
    ({"first_child": [1, 0, -1]}, "'first_child' .*Got 0 at node 1"),
    ({"first_child": [2**31 - 1, -1, -1]}, "'first_child' .*Got 2147483647"),
    ({"level": [-1, 0, 1]}, "'level' .*Got 0 at node 1"),
    ({"level": [0, -1, -1]}, "'level' .*Got 0 at node 0"),
    ({**SEX}, "'level' .*Got -1 at node 1"),
    ({**SEX, "level": [-1, 0, 2]}, "'level' .*Got 2 at node 2"),
    ({**SEX, "level": [-1, 1, 0]}, "'level' .*ascending.*Got 0 at node 2"),
    ({**SEX, "level": [-1, 1, 1]}, "'level' .*ascending.*Got 1 at node 2"),
    ({"weight": [5, -3, 2]}, "'weight' .*-3.0 at node 1"),
    ({"weight": [5, np.inf, 2]}, "'weight' .*inf at node 1"),
    ({"weight": [NAN, 3, 2]}, "'weight' .*nan at node 0"),
    ({"value": [[3], [3], [0]]}, "'value' .*2 wide.*Got 1 col"),
    ({"value": [3, 3, 0]}, "'value' .*2-dimensional"),
    ({"value": [[3, 2], [3], [0, 2]]}, "'value' .*2-dimensional"),
    ({"value": [[3, 2], [3, -1], [0, 2]]}, r"'value' .*\[3.0, -1.0\] at node 1"),
    ({"value": [[3, 2], [3, NAN], [0, 2]]}, "'value' .*at node 1"),
    ({"prediction": [0, 0, 2]}, "'prediction' .*from 0 to 1. Got 2 at node 2"),
    ({"prediction": [0, -1, 0]}, "'prediction' .*Got -1 at node 1"),
    ({"gain": [NAN, 0, 0]}, "'gain' .*nan at node 0"),
    ({"gain": [1, 1, 0]}, "'gain' .*Got 1.0 at node 1"),
    ({"classes": []}, "'classes' .*at least one"),
    ({"classes": ["a", "a"]}, "'classes' .*different"),
    ({"features": ["wage", "sex"]}, "'features' .*TreeFeature"),
    ({"missing": "most"}, "'missing' parameter of Tree"),
    ({"empty": None}, "'empty' parameter of Tree"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG)
def test_what_is_no_tree_is_refused_by_name(changes, message):
    with pytest.raises(ValueError, match=message):
        stump(**changes)


def test_two_parents_are_refused():
    five = {
        "feature": [0, 0, -1, -1, -1],
        "threshold": [1.0, 1.0, NAN, NAN, NAN],
        "n_children": [2, 2, 0, 0, 0],
        "level": [-1] * 5,
        "weight": [1.0] * 5,
        "value": [[1.0, 0.0]] * 5,
        "prediction": [0] * 5,
        "gain": [0.0] * 5,
    }
    assert stump(first_child=[1, 3, -1, -1, -1], **five).depth == 2
    with pytest.raises(DataError, match=r"one parent. Got 0 of node 1"):
        stump(first_child=[3, 3, -1, -1, -1], **five)
    with pytest.raises(DataError, match="one parent"):
        stump(first_child=[1, 2, -1, -1, -1], **five)
    six = {name: [*values, values[-1]] for name, values in five.items()}
    with pytest.raises(DataError, match=r"5 in sum.*Got 4 in sum"):
        stump(first_child=[1, 3, -1, -1, -1, -1], **six)


@pytest.mark.parametrize(
    "arguments",
    [
        (3,),
        ("a", ColumnKind.NUMERIC, ("x",)),
        ("a", ColumnKind.NOMINAL),
        ("a", ColumnKind.NOMINAL, ["x"]),
        ("a", ColumnKind.NOMINAL, (1, 2)),
        ("a", "nominal", ("x",)),
    ],
)
def test_features_are_checked(arguments):
    with pytest.raises(DataError, match=r"[Ff]eature"):
        TreeFeature(*arguments)


def test_tree_is_exported():
    assert Tree.__module__ == "featsieve.trees._tree"


def test_children_of_all_nodes_in_order():
    tree = golf_tree()
    assert child_ids(tree.first_child, tree.n_children).tolist() == [*range(1, 8)]
    first, number = np.array([3, -1, 1, -1, -1]), np.array([2, 0, 2, 0, 0])
    assert child_ids(first, number).tolist() == [3, 4, 1, 2]


def test_frozen_arrays_are_copied_if_they_could_change():
    given = np.array([1, 2], dtype=np.int32)
    frozen = frozen_array("feature", given, np.int32, 1)
    given[0] = 9
    assert frozen.tolist() == [1, 2]
    assert not frozen.flags.writeable
    assert frozen_array("feature", frozen, np.int32, 1) is frozen


@pytest.mark.parametrize(
    ("values", "kind", "n_axes", "message"),
    [
        ([[1]], np.int32, 1, "1-dimensional. Got 2 dimensions"),
        ([1.5], np.int32, 1, "whole numbers. Got values of type float64"),
        (["a"], np.float64, 1, "numbers. Got values"),
        ([2**31], np.int32, 1, "32-bit integers. Got 2147483648"),
        ([-(2**31) - 1], np.int32, 1, "32-bit integers"),
        ([[1], [1, 2]], np.float64, 2, "2-dimensional"),
    ],
)
def test_other_arrays_are_refused(values, kind, n_axes, message):
    with pytest.raises(DataError, match=f"The 'it' of a tree must be {message}"):
        frozen_array("it", values, kind, n_axes)


def test_integers_of_32_bits_fit():
    ends = [-(2**31), 2**31 - 1]
    assert frozen_array("it", ends, np.int32, 1).tolist() == ends
