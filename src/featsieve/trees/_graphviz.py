"""A tree in the DOT language, for Graphviz."""

from __future__ import annotations

from typing import Any

import numpy as np

from featsieve.trees._colours import MEAN, blended, class_colours, mean_positions
from featsieve.trees._words import Words, as_tree, check_depth, subtree_sizes

__all__ = ["tree_to_graphviz"]

#: Colours stay this far from full strength, so that black text can be read on them.
STRONGEST = 0.7


def tree_to_graphviz(
    tree: Any, *, decimals: int = 6, max_depth: int | None = None
) -> str:
    r"""Return a tree in the DOT language, which Graphviz and others draw.

    A node has the colour of the class it predicts, the stronger the purer it is; in
    regression, the greater its mean.

    Parameters
    ----------
    tree : Tree or estimator
        A tree, or a fitted tree estimator.
    decimals : int, default=6
        Decimals of thresholds and means.
    max_depth : int or None, default=None
        Cut branches after so many tests; a cut branch is dashed and says how many nodes
        are not shown.

    Returns
    -------
    str
        A digraph. Graphviz itself is not needed to make it.

    Examples
    --------
    >>> from featsieve.trees import Tree, TreeFeature, tree_to_graphviz
    >>> nan = float("nan")
    >>> tree = Tree(
    ...     feature=[0, -1, -1], threshold=[2.5, nan, nan],
    ...     first_child=[1, -1, -1], n_children=[2, 0, 0], level=[-1, -1, -1],
    ...     weight=[5, 3, 2], value=[[3, 2], [3, 0], [0, 2]], prediction=[0, 0, 1],
    ...     gain=[0.971, 0, 0], features=[TreeFeature("wage")], classes=["bad", "good"],
    ... )
    >>> print(tree_to_graphviz(tree))
    digraph tree {
    ...
    n0 [label="wage\n(5.0/2.0)", fillcolor="#d0ddea"];
    n1 [label="bad\n(3.0)", fillcolor="#7ca0c4"];
    n0 -> n1 [label="<= 2.5"];
    n2 [label="good\n(2.0)", fillcolor="#f394a0"];
    n0 -> n2 [label="> 2.5"];
    }
    """
    tree = as_tree(tree, "tree_to_graphviz")
    words = Words(tree, decimals, "tree_to_graphviz")
    deepest = check_depth(max_depth, "tree_to_graphviz")
    below = subtree_sizes(tree).tolist()
    fills = _fills(words)
    lines = [
        "digraph tree {",
        'graph [rankdir=TB, fontname="Helvetica"];',
        'node [shape=box, style="filled,rounded", fontname="Helvetica"];',
        'edge [fontname="Helvetica"];',
    ]
    waiting = [(-1, 0, 0)]
    while waiting:
        parent, node, depth = waiting.pop()
        children = words.children(node)
        cut = bool(children) and depth == deepest
        asks = children and not cut
        title = words.names[words.feature[node]] if asks else words.answer(node)
        label = rf"{_quoted(title)}\n({words.evidence(node)})"
        style = ""
        if cut:
            label += rf"\n{below[node]} more nodes"
            style = ', style="filled,rounded,dashed"'
        lines.append(f'n{node} [label="{label}", fillcolor="{fills[node]}"{style}];')
        if parent >= 0:
            branch = _quoted(words.branch(parent, node))
            lines.append(f'n{parent} -> n{node} [label="{branch}"];')
        if not cut:
            waiting += [(node, child, depth + 1) for child in reversed(children)]
    lines.append("}")
    return "\n".join(lines)


def _quoted(text: str) -> str:
    """Return text for within double quotes; a label knows backslashes and entities."""
    text = text.replace("&", "&amp;").replace("\\", "\\\\")
    return text.replace('"', '\\"')


def _fills(words: Words) -> list[str]:
    tree = words.tree
    if tree.classes is None:
        return [blended(MEAN, STRONGEST * p) for p in mean_positions(tree).tolist()]
    colours = class_colours(tree.n_outputs)
    totals = tree.value.sum(axis=1)
    right = tree.value[np.arange(tree.n_nodes), tree.prediction]
    shares = right / np.where(totals > 0, totals, 1.0)
    least = 1 / tree.n_outputs  # the share of a class about which nothing is known
    strengths = np.maximum(shares - least, 0) / (1 - least) if least < 1 else shares
    pairs = zip(tree.prediction.tolist(), strengths.tolist(), strict=True)
    return [blended(colours[k], STRONGEST * (0.2 + 0.8 * s)) for k, s in pairs]
