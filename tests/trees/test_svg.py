"""SVG: well-formed whatever the names, and the same text for the same tree."""

from xml.etree import ElementTree

import pytest

from featsieve.trees import plot_tree, tree_to_svg
from trees.hand_made import chain, golf_tree, make_tree, nominal, regression_tree

SVG = "{http://www.w3.org/2000/svg}"


def texts(root):
    return ["".join(part.itertext()) for part in root.iter(f"{SVG}text")]


def test_golf():
    svg = tree_to_svg(golf_tree())
    root = ElementTree.fromstring(svg)
    shown = texts(root)
    assert {"outlook(14.0)", "yes(4.0)", "= sunny", "≤ 75", "yes", "no"} <= {*shown}
    assert root.get("aria-label") == "Decision tree of 8 nodes and depth 2."
    assert len(list(root.iter(f"{SVG}path"))) == 7
    nodes = [g for g in root.iter(f"{SVG}g") if g.get("class") == "node"]
    assert len(nodes) == 8
    assert nodes[0].find(f"{SVG}title").text.startswith("node 0: yes (14.0/5.0)")
    assert svg == tree_to_svg(golf_tree())


ODD = [
    "<script>alert(1)</script>",
    "a & b",
    'say "x"',
    "it's",
    "a\nb\x00\x1b\ud800\uffff",
    "]]>",
    "👩‍👩‍👧",
    "\u202eevil",
    "",
]


def test_any_name_is_shown_literally():
    leaves = [{"value": [1.0, 0.0], "level": k} for k in range(len(ODD))]
    root = {"feature": 0, "value": [9.0, 0.0], "children": leaves}
    tree = make_tree(root, [nominal(ODD[0], *ODD)], ODD[:2])
    svg = tree_to_svg(tree)
    assert "<script" not in svg
    shown = texts(ElementTree.fromstring(svg))
    assert f"= {ODD[0]}" in shown
    assert "= a & b" in shown
    assert r"= a\nb\x00\x1b\ud800\uffff" in shown
    assert "= 👩‍👩‍👧" in shown
    svg.encode("utf-8")


def test_cut_branches_are_dashed():
    svg = tree_to_svg(golf_tree(), max_depth=1)
    assert svg.count("stroke-dasharray") == 2
    assert "… 2 more" in svg
    assert "stroke-dasharray" not in tree_to_svg(golf_tree())


def test_regression_and_deep_trees():
    ElementTree.fromstring(tree_to_svg(regression_tree()))
    ElementTree.fromstring(tree_to_svg(chain(100_000), max_depth=20))


def test_notebooks_and_files(tmp_path):
    picture = plot_tree(golf_tree())
    assert picture._repr_svg_() == picture.to_svg() == tree_to_svg(golf_tree())
    path = picture.save(tmp_path / "tree.SVG")
    assert path.read_text(encoding="utf-8") == picture.to_svg()
    with pytest.raises(ValueError, match=r"end in .svg.*tree_figure"):
        picture.save(tmp_path / "tree.png")
