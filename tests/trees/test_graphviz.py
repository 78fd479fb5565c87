"""DOT text: nodes, edges, colours, and names that try to break out of their quotes."""

import re
import shutil
import subprocess

import pytest

from featsieve.trees import TreeFeature, tree_to_graphviz
from featsieve.trees._colours import blended, class_colours
from trees.hand_made import (
    chain,
    golf_tree,
    make_tree,
    nominal,
    regression_tree,
    stump,
)

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


def test_golf():
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


def test_deep_chain():
    dot = tree_to_graphviz(chain(100_000))
    assert dot.count(" -> ") == 200_000


def test_parameters_are_checked():
    with pytest.raises(ValueError, match="'max_depth' parameter of tree_to_graphviz"):
        tree_to_graphviz(stump(), max_depth=1.5)
