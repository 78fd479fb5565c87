"""Weka's trees, rebuilt from their nodes, print as Weka printed them."""

import warnings

import pytest

from featsieve.trees import tree_from_json, tree_to_json, tree_to_rules, tree_to_text
from trees.hand_made import weka_tree

pytestmark = pytest.mark.published

TABLES = [
    "breast-cancer",
    "contact-lenses",
    "credit-g",
    "diabetes",
    "edge-missing",
    "edge-raise",
    "edge-ties",
    "glass",
    "iris",
    "labor",
    "soybean",
    "vote",
    "weather.nominal",
    "weather.numeric",
]


@pytest.mark.parametrize("variant", ["default", "unpruned"])
@pytest.mark.parametrize("name", TABLES)
def test_text_is_what_weka_printed(shared_dir, name, variant):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows without a class
        tree, golden = weka_tree(shared_dir, name, variant)
    assert (tree.n_nodes, tree.n_leaves) == (golden["size"], golden["leaves"])
    assert tree_to_text(tree) == golden["tree"]
    assert len(tree_to_rules(tree)) == golden["leaves"]
    assert tree_from_json(tree_to_json(tree)) == tree
