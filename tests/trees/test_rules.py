"""Rules: merged conditions, one leaf each, and that they say what the tree does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from featsieve.trees import RuleCondition, TreeFeature, tree_to_rules
from trees.hand_made import chain, golf_tree, make_tree, nominal, regression_tree


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
