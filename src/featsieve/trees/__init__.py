"""Decision trees: one grower, several ways to set it, many ways to read them."""

from featsieve.trees._base import TriedFeatures
from featsieve.trees._c45 import C45Tree
from featsieve.trees._graphviz import tree_to_graphviz
from featsieve.trees._json import tree_from_json, tree_to_json
from featsieve.trees._mdl import MDLRegressionTree, MDLTree
from featsieve.trees._picture import TreePicture, plot_tree
from featsieve.trees._random_tree import RandomRegressionTree, RandomTree
from featsieve.trees._routing import tree_predict
from featsieve.trees._rules import RuleCondition, TreeRule, tree_to_rules
from featsieve.trees._svg import tree_to_svg
from featsieve.trees._text import tree_to_text
from featsieve.trees._tree import Tree, TreeFeature

__all__ = [
    "C45Tree",
    "MDLRegressionTree",
    "MDLTree",
    "RandomRegressionTree",
    "RandomTree",
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
