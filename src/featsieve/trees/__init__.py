"""Decision trees: one grower, several ways to set it, many ways to read them."""

from featsieve.trees._base import TriedFeatures
from featsieve.trees._c45 import C45Classifier
from featsieve.trees._export import (
    RuleCondition,
    TreeRule,
    tree_to_graphviz,
    tree_to_rules,
    tree_to_text,
)
from featsieve.trees._json import tree_from_json, tree_to_json
from featsieve.trees._mdl import MDLTreeClassifier, MDLTreeRegressor
from featsieve.trees._picture import TreePicture, plot_tree
from featsieve.trees._random_tree import RandomTreeClassifier, RandomTreeRegressor
from featsieve.trees._svg import tree_to_svg
from featsieve.trees._tree import Tree, TreeFeature
from featsieve.trees._tree_rows import tree_predict

__all__ = [
    "C45Classifier",
    "MDLTreeClassifier",
    "MDLTreeRegressor",
    "RandomTreeClassifier",
    "RandomTreeRegressor",
    "RuleCondition",
    "Tree",
    "TreeFeature",
    "TreePicture",
    "TreeRule",
    "TriedFeatures",
    "plot_tree",
    "tree_from_json",
    "tree_predict",
    "tree_to_graphviz",
    "tree_to_json",
    "tree_to_rules",
    "tree_to_svg",
    "tree_to_text",
]
