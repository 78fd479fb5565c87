"""A tree as indented text, in the layout of Weka's J48."""

from __future__ import annotations

from typing import Any

from featsieve.trees._words import Words, as_tree, check_depth, subtree_sizes

__all__ = ["tree_to_text"]

STEP = "|   "
#: Deeper lines tell their depth in digits; bars alone would cost depth² characters.
DEEPEST_BARS = 100


def tree_to_text(tree: Any, *, decimals: int = 6, max_depth: int | None = None) -> str:
    """Return a tree as indented text, one line a branch, as Weka's J48 prints it.

    A leaf tells its class, the weight of the training cases that reached it, and after
    a slash the weight of those of other classes; in regression the mean and the weight.

    Parameters
    ----------
    tree : Tree or estimator
        A tree, or a fitted tree estimator.
    decimals : int, default=6
        Decimals of thresholds and means.
    max_depth : int or None, default=None
        Cut branches after so many tests; a cut branch answers as if it were a leaf and
        says how many nodes are not shown.

    Returns
    -------
    str
        The text, without a newline at its end.

    Notes
    -----
    Beyond 100 levels the indent is a number. Control characters in names are spelled
    out, so that a line is a branch.

    Examples
    --------
    >>> from featsieve.trees import Tree, TreeFeature, tree_to_text
    >>> nan = float("nan")
    >>> tree = Tree(
    ...     feature=[0, -1, -1], threshold=[2.5, nan, nan],
    ...     first_child=[1, -1, -1], n_children=[2, 0, 0], level=[-1, -1, -1],
    ...     weight=[5, 3, 2], value=[[3, 2], [3, 0], [0, 2]], prediction=[0, 0, 1],
    ...     gain=[0.971, 0, 0], features=[TreeFeature("wage")], classes=["bad", "good"],
    ... )
    >>> print(tree_to_text(tree))
    wage <= 2.5: bad (3.0)
    wage > 2.5: good (2.0)
    >>> print(tree_to_text(tree, max_depth=0))
    : bad (5.0/2.0) [2 more nodes]
    """
    tree = as_tree(tree, "tree_to_text")
    words = Words(tree, decimals, "tree_to_text")
    deepest = check_depth(max_depth, "tree_to_text")
    below = subtree_sizes(tree).tolist()
    lines = []

    def tell(node: int, start: str, depth: int) -> None:
        leaf = not words.children(node)
        if leaf or depth == deepest:
            start += f": {words.answer(node)} ({words.evidence(node)})"
        if not leaf and depth == deepest:
            start += f" [{below[node]} more nodes]"
        if start:
            lines.append(start)

    tell(0, "", 0)
    waiting = [] if deepest == 0 else [(0, child, 1) for child in _down(words, 0)]
    while waiting:
        parent, node, depth = waiting.pop()
        tell(node, _indent(depth - 1) + words.condition(parent, node), depth)
        if depth != deepest:
            waiting += [(node, child, depth + 1) for child in _down(words, node)]
    return "\n".join(lines)


def _down(words: Words, node: int) -> reversed[int]:
    """Return the children, last one first, as a stack wants them."""
    return reversed(words.children(node))


def _indent(depth: int) -> str:
    if depth <= DEEPEST_BARS:
        return STEP * depth
    return f"{STEP}... {depth} ... {STEP}"
