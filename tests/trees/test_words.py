"""Numbers, answers and colours of trees as they are told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from featsieve.trees import C45Classifier, MDLTreeRegressor
from featsieve.trees._words import (
    Words,
    as_tree,
    blended,
    check_depth,
    class_colours,
    evidence_text,
    mean_positions,
    number_text,
    subtree_sizes,
)
from trees.hand_made import chain, golf_tree, regression_tree, stump


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (2.5, 6, "2.5"),
        (2.0, 6, "2"),
        (1 / 3, 3, "0.333"),
        (0.0, 6, "0"),
        (1e-9, 6, "1e-09"),  # x <= 0 would say something else
        (-1e-9, 2, "-1e-09"),
        (float("inf"), 6, "inf"),
        (1e20, 6, "1e+20"),
    ],
)
def test_numbers_are_short_and_never_round_to_zero(value, decimals, text):
    assert number_text(value, decimals) == text


def test_evidence_names_errors_only_if_there_are_any():
    assert evidence_text(14.0, 0.0) == "14.0"
    assert evidence_text(14.0, 5.125) == "14.0/5.13"  # halves up, as J48 does


@pytest.fixture(scope="module")
def golf():
    X = {"wind": ["no", "yes"] * 6, "heat": [1, 1, 2, 2, 3, 3, 7, 7, 8, 8, 9, 9]}
    y = [
        "stay" if wind == "yes" and heat > 5 else "play"
        for wind, heat in zip(*X.values(), strict=True)
    ]
    return C45Classifier(prune=False).fit(X, y).tree_


def test_words_of_every_branch_and_answer(golf):
    words = Words(golf, 6, "test")
    told = {
        words.condition(node, child)
        for node in range(golf.n_nodes)
        for child in words.children(node)
    }
    assert told == {"heat <= 3", "heat > 3", "wind = no", "wind = yes"}
    leaves = [node for node in range(golf.n_nodes) if not words.children(node)]
    assert sorted(words.answer(leaf) for leaf in leaves) == ["play", "play", "stay"]
    assert words.evidence(0) == "12.0/3.0"


def test_nodes_below_each(golf):
    below = subtree_sizes(golf)
    assert below[0] == golf.n_nodes - 1
    assert below.sum() == golf.node_depths().sum()  # each node is below its ancestors


def test_estimators_are_asked_for_their_tree(golf):
    assert as_tree(golf, "test") is golf
    with pytest.raises(NotFittedError):
        as_tree(C45Classifier(), "test")
    with pytest.raises(TypeError, match="'tree' parameter of test must be a Tree"):
        as_tree([1], "test")


def test_colours_differ_and_fade_to_white():
    colours = class_colours(30)
    assert len(set(colours)) == 30
    assert blended("#4477aa", 0.0) == "#ffffff"
    assert blended("#4477aa", 1.0) == "#4477aa"


def test_means_lie_between_the_least_and_the_greatest():
    tree = MDLTreeRegressor().fit(
        [[i] for i in range(40)], [i // 20 for i in range(40)]
    )
    positions = mean_positions(tree.tree_)
    np.testing.assert_allclose(positions, [0.5, 0.0, 1.0])


def test_golf_in_words():
    words = Words(golf_tree(), 6, "me")
    assert list(words.children(0)) == [1, 2, 3]
    assert list(words.children(2)) == []
    assert words.condition(0, 1) == "outlook = sunny"
    assert words.condition(1, 4) == "humidity <= 75"
    assert words.branch(1, 5) == "> 75"
    assert words.answer(2) == "yes"
    assert words.errors(0) == 5
    assert words.evidence(0) == "14.0/5.0"
    assert words.evidence(2) == "4.0"


def test_means_in_words():
    words = Words(regression_tree(), 2, "me")
    assert [words.answer(node) for node in range(3)] == ["5", "2.5", "10"]
    assert words.errors(0) == 0


def test_names_are_safe_to_show():
    tree = stump(classes=("bad\n", "good"))
    assert Words(tree, 6, "me").answer(0) == "bad\\n"


def test_errors_of_rounding_are_none():
    words = Words(stump(value=[[3, 2], [3, 1e-7], [2e-6, 2]]), 6, "me")
    assert (words.errors(0), words.errors(1)) == (2, 0)
    assert words.errors(2) == pytest.approx(2e-6)


def test_sizes_of_subtrees():
    assert subtree_sizes(golf_tree()).tolist() == [7, 2, 0, 2, 0, 0, 0, 0]
    assert subtree_sizes(chain(50))[0] == 100


def test_depths_are_checked():
    assert check_depth(None, "me") is None
    assert check_depth(0, "me") == 0
    with pytest.raises(ValueError, match="'max_depth' parameter of me"):
        check_depth(-1, "me")
    with pytest.raises(ValueError, match="'decimals'"):
        Words(stump(), 18, "me")


@given(st.floats(-1e15, 1e15))
def test_numbers_read_back_as_far_as_they_are_written(value):
    assert float(number_text(value, 6)) == pytest.approx(value, abs=5.1e-7, rel=1e-15)
    assert (float(number_text(value, 3)) == 0) == (value == 0)


def test_evidence():
    assert evidence_text(5.0, 0.0) == "5.0"
    assert evidence_text(5.25, 1.125) == "5.25/1.13"


def test_classes_have_different_colours():
    colours = class_colours(40)
    assert len(set(colours)) == 40
    assert all(len(c) == 7 and int(c[1:], 16) >= 0 for c in colours)
    assert class_colours(3) == colours[:3] == ["#4477aa", "#ee6677", "#228833"]
    assert class_colours(8)[7] == colours[7]
    assert class_colours(0) == []


@pytest.mark.parametrize(
    ("share", "colour"), [(0, "#ffffff"), (1, "#336699"), (0.5, "#99b2cc")]
)
def test_colours_are_mixed_with_white(share, colour):
    assert blended("#336699", share) == colour
