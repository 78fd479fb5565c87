"""The picture: what is in it, that nothing overlaps, and that it stays small."""

import json

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from featsieve.trees import C45Classifier, TreeFeature, plot_tree, tree_to_graphviz
from trees.hand_made import (
    chain,
    golf_tree,
    make_tree,
    nominal,
    regression_tree,
    stump,
)


def by_node(picture):
    return {box.node: box for box in picture.boxes}


def test_boxes_tell_tests_and_answers():
    boxes = by_node(plot_tree(golf_tree()))
    assert (boxes[0].title, boxes[0].detail) == ("outlook", "14.0")
    assert (boxes[2].title, boxes[2].detail) == ("yes", "4.0")
    assert boxes[2].leaf
    assert not boxes[0].leaf
    assert boxes[0].tip.split("\n") == [
        "node 0: yes (14.0/5.0)",
        "asks outlook, gain 0.2467",
        "yes: 9",
        "no: 5",
    ]


def test_bars_are_shares():
    picture = plot_tree(golf_tree())
    colours = {entry.label: entry.colour for entry in picture.legend}
    bar = by_node(picture)[0].bar
    assert bar == [(colours["yes"], 0.6429), (colours["no"], 0.3571)]
    assert by_node(picture)[6].bar == [(colours["no"], 1.0)]


def test_lines_tell_the_way():
    picture = plot_tree(golf_tree())
    labels = sorted(line.label for line in picture.lines)
    levels = ["= FALSE", "= TRUE", "= overcast", "= rainy", "= sunny"]
    assert labels == [*levels, "> 75", "≤ 75"]
    boxes = by_node(picture)
    line = next(line for line in picture.lines if line.label == "= overcast")
    assert line.points[0][0] == pytest.approx(boxes[0].x + boxes[0].width, abs=0.11)
    assert line.points[-1] == (boxes[2].x, boxes[2].y + boxes[2].height / 2)
    widths = {line.label: line.width for line in picture.lines}
    assert widths["= sunny"] == widths["= rainy"] > widths["= overcast"]


def test_nothing_overlaps_and_all_is_inside():
    leaves = [{"value": [1.0, k], "level": k} for k in range(40)]
    inner = {"feature": 0, "value": [1.0, 9.0], "children": leaves}
    root = {
        "feature": 1,
        "threshold": 1.0,
        "value": [2.0, 9.0],
        "children": [inner, {"value": [1.0, 0.0]}],
    }
    features = [nominal("w" * 50, *("m" * k for k in range(40))), TreeFeature("x")]
    picture = plot_tree(make_tree(root, features, ("M" * 9, "W" * 9)))
    boxes = picture.boxes
    for k, one in enumerate(boxes):
        assert one.x >= 0
        assert one.y >= 0
        assert one.x + one.width <= picture.width
        assert one.y + one.height <= picture.height
        for other in boxes[:k]:
            apart_x = one.x + one.width <= other.x or other.x + other.width <= one.x
            apart_y = one.y + one.height <= other.y or other.y + other.height <= one.y
            assert apart_x or apart_y


def test_cut_at_a_depth():
    picture = plot_tree(golf_tree(), max_depth=1)
    boxes = by_node(picture)
    assert sorted(boxes) == [0, 1, 2, 3]
    assert boxes[1].cut
    assert boxes[1].detail == "5.0/2.0 … 2 more"
    assert not boxes[2].cut
    assert (
        picture.description == "Decision tree of 8 nodes, 4 of them shown, and depth 2."
    )


def test_cut_at_a_number_of_nodes():
    assert len(plot_tree(golf_tree(), max_nodes=6).boxes) == 6
    assert len(plot_tree(golf_tree(), max_nodes=5).boxes) == 4  # all children or none
    assert len(plot_tree(golf_tree(), max_nodes=1).boxes) == 1
    leaves = [{"value": [1.0, 0.0], "level": k} for k in range(60_000)]
    root = {"feature": 0, "value": [6e4, 0.0], "children": leaves}
    wide = make_tree(root, [nominal("town", *map(str, range(60_000)))], "ab")
    (box,) = plot_tree(wide).boxes
    assert box.detail == "60000.0 … 60,000 more"


def test_deep_chain():
    tree = chain(100_000)
    assert len(plot_tree(tree).boxes) == 299
    assert len(plot_tree(tree, max_nodes=10_000).boxes) == 9_999


def test_regression_has_bars_of_means():
    boxes = by_node(plot_tree(regression_tree()))
    assert boxes[1].bar == []  # the least
    assert boxes[0].bar[0][1] == pytest.approx((5 - 2.5) / (12 - 2.5), abs=1e-4)
    assert boxes[3].bar[0][1] == 1
    assert plot_tree(regression_tree()).legend == []
    huge = stump(classes=None, prediction=[0] * 3, value=[[0], [-1.7e308], [1.7e308]])
    assert by_node(plot_tree(huge))[0].bar[0][1] == 0.5


def test_many_classes_do_not_fill_the_legend():
    root = {"value": np.arange(50.0)}
    picture = plot_tree(make_tree(root, [], [f"class {k}" for k in range(50)]))
    assert len(picture.legend) == 13
    assert picture.legend[-1].label == "… and 38 more"
    assert picture.legend[0].label == "class 38"


def test_weights_of_zero():
    tree = stump(weight=[0.0] * 3, value=np.zeros((3, 2)))
    assert all(box.bar == [] for box in plot_tree(tree).boxes)


def test_long_names_are_shortened_and_empty_ones_named():
    tree = stump(features=[TreeFeature("x" * 100)], classes=("", "b"))
    boxes = by_node(plot_tree(tree))
    assert boxes[0].title == "x" * 14 + "…" + "x" * 15
    assert boxes[1].title == "(no name)"


def test_plain_lists_for_other_painters():
    content = plot_tree(golf_tree()).to_dict()
    assert json.loads(json.dumps(content))["boxes"][0]["title"] == "outlook"


@pytest.mark.parametrize("options", [{"max_depth": -1}, {"max_nodes": 0}])
def test_parameters_are_checked(options):
    (name,) = options
    with pytest.raises(ValueError, match=f"'{name}' parameter of plot_tree"):
        plot_tree(stump(), **options)


def test_fitted_estimators_draw_themselves():
    fitted = C45Classifier().fit([[0.0], [0.0], [1.0], [1.0]], ["a", "a", "b", "b"])
    assert fitted.plot(max_nodes=3).to_dict() == plot_tree(fitted.tree_).to_dict()
    assert fitted.export_graphviz() == tree_to_graphviz(fitted)
    for tell in ("plot", "export_graphviz", "export_text", "export_rules", "to_json"):
        with pytest.raises(NotFittedError):
            getattr(C45Classifier(), tell)()
