"""Trees grown for an ensemble are those that `fit` grows."""

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.trees import C45Classifier, MDLTreeClassifier, RandomTreeClassifier
from featsieve.trees._base import tree_features
from featsieve.trees._tree_members import MemberRows, TreeGrower, numeric_table
from featsieve.trees._tree_rows import row_matrix

LABELS = np.array(["no", "yes"])


@pytest.fixture(scope="module")
def mixed():
    random = np.random.default_rng(0)
    n = 120
    y = random.integers(0, 2, n).astype(np.int32)
    size = np.where(random.random(n) < 0.1, np.nan, y + random.normal(0, 1, n))
    colour = np.array(["red", "green", "blue"])[(y + random.integers(0, 2, n)) % 3]
    colour = [None if random.random() < 0.1 else str(c) for c in colour]
    table = read_table({"size": size, "colour": colour, "noise": random.normal(size=n)})
    return table, y


@pytest.mark.parametrize(
    "tree",
    [
        MDLTreeClassifier(),
        MDLTreeClassifier(n_thresholds=5, missing_branch="largest"),
        RandomTreeClassifier(random_state=3),
        C45Classifier(),
    ],
    ids=str,
)
def test_grower_equals_fit(mixed, tree):
    table, codes = mixed
    bag = np.bincount(np.random.default_rng(1).integers(0, 120, 120), minlength=120)
    weights = bag.astype(np.float64)
    grown = TreeGrower(tree, table, LABELS).grow(codes, weights)
    fitted = tree.fit(table, LABELS[codes], sample_weight=weights)
    assert grown.tree_ == fitted.tree_
    assert grown is not tree
    np.testing.assert_array_equal(grown.classes_, fitted.classes_)
    shares = MemberRows(row_matrix(table, grown.tree_.features), grown.tree_.features)
    np.testing.assert_array_equal(shares.shares(grown), fitted.predict_proba(table))


@pytest.mark.parametrize("compatibility", [None, "j48"])
def test_thresholds_are_values_of_the_bag(compatibility):
    random = np.random.default_rng(0)
    codes = random.integers(0, 2, 200).astype(np.int32)
    table = numeric_table(codes[:, None] + random.normal(0, 1, (200, 3)))
    weights = random.integers(0, 3, 200).astype(np.float64)
    tree = C45Classifier(compatibility=compatibility, prune=False)
    grown = TreeGrower(tree, table, LABELS).grow(codes, weights)
    assert grown.tree_ == tree.fit(table, LABELS[codes], weights).tree_
    tests = grown.tree_.feature >= 0
    assert tests.sum() > 5
    for feature, cut in zip(
        grown.tree_.feature[tests], grown.tree_.threshold[tests], strict=True
    ):
        assert cut in table.columns[feature].values[weights > 0]


def test_members_know_some_columns(mixed):
    table, codes = mixed
    columns = np.array([2, 1], dtype=np.uint32)
    grown = (
        TreeGrower(MDLTreeClassifier(), table, LABELS).select(columns).grow(codes, None)
    )
    part = table.select(["noise", "colour"])
    fitted = MDLTreeClassifier().fit(part, LABELS[codes])
    assert grown.tree_ == fitted.tree_
    features = tree_features(table)
    rows = MemberRows(row_matrix(table, features), features)
    np.testing.assert_array_equal(
        rows.shares(grown, columns), fitted.predict_proba(part)
    )


def test_parameters_of_one_tree_do_not_reach_the_others(mixed):
    table, codes = mixed
    grower = TreeGrower(RandomTreeClassifier(), table, LABELS, named=True)
    first = grower.grow(codes, None, random_state=1)
    second = grower.grow(codes, None, random_state=2)
    assert first.random_state == 1
    assert first.tree_ != second.tree_
    assert list(first.feature_names_in_) == ["size", "colour", "noise"]


def test_a_matrix_is_a_table_of_numbers():
    table = numeric_table(np.array([[1.0, 2.0], [3.0, np.nan]]))
    assert table.names == ("x0", "x1")
    assert table["x1"].n_missing == 1
