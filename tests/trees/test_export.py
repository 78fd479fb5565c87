"""Trees as text, rules and Graphviz, and that names cannot break them."""

import re
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from featsieve.trees import (
    RuleCondition,
    TreeFeature,
    tree_to_graphviz,
    tree_to_rules,
    tree_to_text,
)
from featsieve.trees._words import blended, class_colours, number_text, weight_text
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


def test_golf():
    assert [str(rule) for rule in tree_to_rules(golf_tree())] == [
        "outlook = sunny and humidity <= 75 -> yes (2.0, share 1.00)",
        "outlook = sunny and humidity > 75 -> no (3.0, share 1.00)",
        "outlook = overcast -> yes (4.0, share 1.00)",
        "outlook = rainy and windy = TRUE -> no (2.0, share 1.00)",
        "outlook = rainy and windy = FALSE -> yes (3.0, share 1.00)",
    ]


def test_fields():
    rule = tree_to_rules(golf_tree())[1]
    assert rule.conditions == (
        RuleCondition("outlook", level="sunny"),
        RuleCondition("humidity", above=75.0),
    )
    assert (rule.prediction, rule.weight, rule.errors, rule.share) == ("no", 3, 0, 1)
    assert rule.leaf == 5


def test_tests_of_one_feature_are_merged():
    def cut(threshold, low, high):
        value = np.add(low["value"], high["value"])
        children = [low, high]
        return {
            "feature": 0,
            "threshold": threshold,
            "value": value,
            "children": children,
        }

    leaves = [{"value": [float(i + 1), 1.0]} for i in range(4)]
    root = cut(4.0, cut(2.5, leaves[0], leaves[1]), cut(8.0, leaves[2], leaves[3]))
    texts = [str(r) for r in tree_to_rules(make_tree(root, [TreeFeature("x")], "ab"))]
    assert texts == [
        "x <= 2.5 -> a (2.0/1.0, share 0.50)",
        "2.5 < x <= 4 -> a (3.0/1.0, share 0.67)",
        "4 < x <= 8 -> a (4.0/1.0, share 0.75)",
        "x > 8 -> a (5.0/1.0, share 0.80)",
    ]


def test_regression_and_empty_branches():
    assert [str(rule) for rule in tree_to_rules(regression_tree())] == [
        "age <= 30 -> 2.5 (4.0)",
        "age > 30 and sex = f -> 12 (2.0)",
        "age > 30 and sex = m -> nan (0.0)",
    ]
    empty = {"value": [0.0, 0.0], "level": 0, "prediction": 1}
    full = {"value": [1.0, 0.0], "level": 1}
    root = {"feature": 0, "value": [1.0, 0.0], "children": [empty, full]}
    tree = make_tree(root, [nominal("sex", "f", "m")], "ab")
    assert str(tree_to_rules(tree)[0]) == "sex = f -> b (0.0)"


def test_a_leaf_alone_holds_always():
    (rule,) = tree_to_rules(make_tree({"value": [9.0, 5.0]}, [], ("yes", "no")))
    assert str(rule) == "always -> yes (14.0/5.0, share 0.64)"


def test_names_are_made_visible_in_text_only():
    leaves = [{"value": [1.0, 0.0], "level": code} for code in (0, 1)]
    root = {"feature": 0, "value": [2.0, 0.0], "children": leaves}
    tree = make_tree(root, [nominal("a\nb", "x\n", "y")], ("c\n", "d"))
    rule = tree_to_rules(tree)[0]
    assert rule.conditions[0].feature == "a\nb"
    assert rule.conditions[0].level == "x\n"
    assert str(rule) == r"a\nb = x\n -> c\n (1.0, share 1.00)"


def test_deep_chain():
    rules = tree_to_rules(chain(100_000))
    assert len(rules) == 100_001
    assert str(rules[2]) == "1 < x <= 2 -> a (1.0, share 1.00)"
    assert str(rules[-1]) == "x > 99999 -> a (1.0, share 1.00)"


def holds(condition, value):
    if condition.level is not None:
        return condition.level == value
    low = -np.inf if condition.above is None else condition.above
    high = np.inf if condition.at_most is None else condition.at_most
    return low < value <= high


@given(
    st.sampled_from(["sunny", "overcast", "rainy"]),
    st.floats(0, 100),
    st.sampled_from(["TRUE", "FALSE"]),
)
def test_exactly_one_rule_holds(outlook, humidity, windy):
    row = {"outlook": outlook, "humidity": humidity, "windy": windy}
    fitting = [
        rule
        for rule in tree_to_rules(golf_tree())
        if all(holds(part, row[part.feature]) for part in rule.conditions)
    ]
    plain = {
        "sunny": "yes" if humidity <= 75 else "no",
        "overcast": "yes",
        "rainy": "no" if windy == "TRUE" else "yes",
    }
    assert [rule.prediction for rule in fitting] == [plain[outlook]]


NODE = re.compile(r'^n(\d+) \[label="((?:[^"\\]|\\.)*)", fillcolor="(#\w{6})"(.*)\];$')
EDGE = re.compile(r'^n(\d+) -> n(\d+) \[label="((?:[^"\\]|\\.)*)"\];$')


def parts(dot):
    lines = dot.split("\n")
    assert lines[0] == "digraph tree {"
    assert lines[-1] == "}"
    body = lines[4:-1]
    nodes = {int(m[1]): m for m in map(NODE.match, body) if m}
    edges = {(int(m[1]), int(m[2])): m[3] for m in map(EDGE.match, body) if m}
    assert len(nodes) + len(edges) == len(body)
    return nodes, edges


def test_golf_in_graphviz():
    nodes, edges = parts(tree_to_graphviz(golf_tree()))
    assert nodes[0][2] == r"outlook\n(14.0/5.0)"
    assert nodes[2][2] == r"yes\n(4.0)"
    assert edges[0, 1] == "= sunny"
    assert edges[1, 4] == "<= 75"
    assert edges[1, 5] == "> 75"
    assert len(edges) == 7


def test_purer_nodes_have_stronger_colours_of_their_class():
    nodes, _ = parts(tree_to_graphviz(golf_tree()))
    assert nodes[2][3] == nodes[4][3]  # pure "yes"
    assert nodes[5][3] == nodes[6][3] != nodes[2][3]  # pure "no"
    red = [int(nodes[k][3][1:3], 16) for k in (0, 2)]
    assert red[0] > red[1]  # nearer to white


def test_regression_is_coloured_by_mean():
    nodes, _ = parts(tree_to_graphviz(regression_tree()))
    assert nodes[1][3] == "#ffffff"  # the least mean
    assert nodes[1][2] == r"2.5\n(4.0)"
    alone = make_tree({"value": 1.0}, [TreeFeature("x")], None)
    assert parts(tree_to_graphviz(alone))[0][0][2] == r"1\n(1.0)"


def test_one_class_only():
    nodes, _ = parts(tree_to_graphviz(make_tree({"value": [3.0]}, [], ["only"])))
    assert nodes[0][3] == blended(class_colours(1)[0], 0.7)


def test_cut():
    nodes, edges = parts(tree_to_graphviz(golf_tree(), max_depth=1))
    assert sorted(nodes) == [0, 1, 2, 3]
    assert nodes[1][2] == r"no\n(5.0/2.0)\n2 more nodes"
    assert "dashed" in nodes[1][4]
    assert "dashed" not in nodes[2][4]
    assert len(edges) == 3


ODD = ['"]; evil [label="', "\\", "\\n", "a\nb", "&lt;", "<b>x</b>", "{a|b}", "😀", ""]


def test_names_cannot_leave_their_quotes():
    leaves = [{"value": [1.0, 0.0], "level": code} for code in range(len(ODD))]
    root = {"feature": 0, "value": [9.0, 0.0], "children": leaves}
    for name in ODD:
        tree = make_tree(root, [nominal(name, *ODD)], (name, "other"))
        nodes, edges = parts(tree_to_graphviz(tree))
        assert (len(nodes), len(edges)) == (len(ODD) + 1, len(ODD))
    assert edges[0, 2] == r"= \\"
    assert edges[0, 4] == r"= a\\nb"
    assert edges[0, 5] == "= &amp;lt;"


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_takes_it():
    leaves = [{"value": [1.0, 0.0], "level": code} for code in range(len(ODD))]
    root = {"feature": 0, "value": [9.0, 0.0], "children": leaves}
    dot = tree_to_graphviz(make_tree(root, [nominal(ODD[0], *ODD)], ODD[:2]))
    made = subprocess.run(
        ["dot", "-Tsvg"], input=dot.encode(), capture_output=True, check=True
    )
    assert made.stdout.count(b'class="node"') == len(ODD) + 1
    assert made.stderr == b""


def test_many_classes_have_different_colours():
    colours = class_colours(60)
    assert len(set(colours)) == 60
    assert all(re.fullmatch("#[0-9a-f]{6}", colour) for colour in colours)


def test_deep_chain_in_graphviz():
    dot = tree_to_graphviz(chain(100_000))
    assert dot.count(" -> ") == 200_000


def test_parameters_of_graphviz_are_checked():
    with pytest.raises(ValueError, match="'max_depth' parameter of tree_to_graphviz"):
        tree_to_graphviz(stump(), max_depth=1.5)
