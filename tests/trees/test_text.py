"""Trees as text: Weka's layout, cut branches, foreign names, great depth."""

import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from featsieve.trees import TreeFeature, tree_to_text
from featsieve.trees._words import number_text, weight_text
from trees.hand_made import (
    NAN,
    chain,
    golf_tree,
    make_tree,
    nominal,
    regression_tree,
    stump,
)


def test_golf_as_weka_prints_it():
    # golden/weather.numeric.json, j48.default
    assert tree_to_text(golf_tree()).split("\n") == [
        "outlook = sunny",
        "|   humidity <= 75: yes (2.0)",
        "|   humidity > 75: no (3.0)",
        "outlook = overcast: yes (4.0)",
        "outlook = rainy",
        "|   windy = TRUE: no (2.0)",
        "|   windy = FALSE: yes (3.0)",
    ]


def test_a_single_leaf_as_weka_prints_it():
    tree = make_tree({"value": [9.0, 5.0]}, [], ("yes", "no"))
    assert tree_to_text(tree) == ": yes (14.0/5.0)"


def test_fractions_and_thresholds_are_rounded():
    tree = stump(
        threshold=[1 / 3, NAN, NAN],
        weight=[5.005, 3.125, 1.88],
        value=[[3, 2.005], [3, 0.125], [1e-9, 1.88]],
    )
    lines = tree_to_text(tree).split("\n")
    assert lines == [
        "wage <= 0.333333: bad (3.13/0.13)",
        "wage > 0.333333: good (1.88)",
    ]
    assert tree_to_text(tree, decimals=2).startswith("wage <= 0.33:")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.5, "2.5"),
        (10.0, "10"),
        (100.0, "100"),
        (-0.0, "0"),
        (1e-9, "1e-09"),
        (-1.5e-9, "-1.5e-09"),
        (0.1234567, "0.123457"),
        (4423130471107.145, "4423130471107.145"),
        (1e300, "1e+300"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
    ],
)
def test_numbers(value, text):
    assert number_text(value, 6) == text


def test_weights_round_halves_up_and_keep_a_decimal():
    numbers = [0.0, 0.125, 2, 15.2678, 1e15]
    texts = ["0.0", "0.13", "2.0", "15.27", "1000000000000000.0"]
    assert [weight_text(float(number)) for number in numbers] == texts


def test_regression():
    assert tree_to_text(regression_tree()).split("\n") == [
        "age <= 30: 2.5 (4.0)",
        "age > 30",
        "|   sex = f: 12 (2.0)",
        "|   sex = m: nan (0.0)",
    ]


def test_cut_branches_answer_and_count_what_is_missing():
    assert tree_to_text(golf_tree(), max_depth=1).split("\n") == [
        "outlook = sunny: no (5.0/2.0) [2 more nodes]",
        "outlook = overcast: yes (4.0)",
        "outlook = rainy: yes (5.0/2.0) [2 more nodes]",
    ]
    assert tree_to_text(golf_tree(), max_depth=0) == ": yes (14.0/5.0) [7 more nodes]"
    assert tree_to_text(golf_tree(), max_depth=2) == tree_to_text(golf_tree())


def test_a_line_is_a_branch_whatever_the_names():
    features = [nominal("a\nb", "x\r\n|   y", "\u202egnp", "😀")]
    branches = [{"value": [1.0, 0.0], "level": level} for level in range(3)]
    root = {"value": [3.0, 0.0], "feature": 0, "children": branches}
    lines = tree_to_text(make_tree(root, features, ("\x1b[31m", "ß"))).split("\n")
    assert lines == [
        r"a\nb = x\r\n|   y: \x1b[31m (1.0)",
        r"a\nb = \u202egnp: \x1b[31m (1.0)",
        r"a\nb = 😀: \x1b[31m (1.0)",
    ]


def test_a_deep_chain_costs_as_much_as_it_has_nodes():
    text = tree_to_text(chain(100_000))
    lines = text.split("\n")
    assert len(lines) == 200_000
    assert lines[-1] == "|   ... 99999 ... |   x > 99999: a (1.0)"
    assert lines[200] == "|   " * 100 + "x <= 100: a (1.0)"
    assert len(text) < 20_000_000


def test_labels_need_not_be_text():
    assert tree_to_text(stump(classes=(1, 2))).endswith("wage > 2.5: 2 (2.0)")
    assert tree_to_text(stump(classes=(False, True))).endswith(": True (2.0)")


class Fake(BaseEstimator):
    def fit(self, X):
        self.tree_ = X
        return self


def test_estimators_are_taken_when_fitted():
    assert tree_to_text(Fake().fit(stump())) == tree_to_text(stump())
    with pytest.raises(NotFittedError):
        tree_to_text(Fake())
    with pytest.raises(TypeError, match=r"must be a Tree or .* Got str instead"):
        tree_to_text("tree")
    with pytest.raises(TypeError, match="Got Fake instead"):
        tree_to_text(Fake().fit(3))


@pytest.mark.parametrize(
    "options", [{"decimals": -1}, {"decimals": 99}, {"max_depth": -1}]
)
def test_parameters_are_checked(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"'{name}' parameter of tree_to_text"):
        tree_to_text(stump(), **options)


def test_features_that_are_not_tested_do_not_matter():
    tree = stump(features=[TreeFeature("wage"), TreeFeature("unused")])
    assert "unused" not in tree_to_text(tree)
