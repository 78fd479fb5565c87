"""A tree as indented text, as rules, and in the DOT language of Graphviz."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve._text import visible
from featsieve.trees._words import (
    MEAN,
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
    >>> from featsieve.trees import C45Classifier, tree_to_text
    >>> wages = {"wage": [1.0, 1.5, 2.5, 3.0, 4.0]}
    >>> tree = C45Classifier().fit(wages, ["bad"] * 3 + ["good"] * 2)
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

    waiting = [(-1, 0, 0)]
    while waiting:
        parent, node, depth = waiting.pop()
        start = ""
        if parent >= 0:
            above = depth - 1
            deep = f"{STEP}... {above} ... {STEP}"
            indent = STEP * above if above <= DEEPEST_BARS else deep
            start = indent + words.condition(parent, node)
        tell(node, start, depth)
        if depth != deepest:
            below_it = reversed(words.children(node))
            waiting += [(node, child, depth + 1) for child in below_it]
    return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class RuleCondition:
    """What a rule asks of one feature.

    Parameters
    ----------
    feature : str
        Name of the feature.
    above : float or None, default=None
        The value must be greater than this; None if there is no such bound.
    at_most : float or None, default=None
        The value must not be greater than this; None if there is no such bound.
    level : str or None, default=None
        The level a nominal feature must have; None for a numeric one.

    Examples
    --------
    >>> from featsieve.trees import RuleCondition
    >>> print(RuleCondition("wage", above=2.5, at_most=4.0))
    2.5 < wage <= 4
    >>> print(RuleCondition("pension", level="none"))
    pension = none
    """

    feature: str
    above: float | None = None
    at_most: float | None = None
    level: str | None = None

    def to_text(self, decimals: int = 6) -> str:
        """Return the condition for people, numbers rounded to so many decimals."""
        name = visible(self.feature)
        if self.level is not None:
            return f"{name} = {visible(self.level)}"
        if self.above is None:
            # A condition has a bound; this one is the only one left.
            return f"{name} <= {number_text(float(self.at_most or 0), decimals)}"
        if self.at_most is None:
            return f"{name} > {number_text(self.above, decimals)}"
        low, high = (number_text(x, decimals) for x in (self.above, self.at_most))
        return f"{low} < {name} <= {high}"

    def __str__(self) -> str:
        return self.to_text()


@dataclass(frozen=True, slots=True)
class TreeRule:
    """The way to one leaf of a tree, and what it answers.

    Parameters
    ----------
    conditions : tuple of RuleCondition
        What must hold, in the order the tree asks; one a feature. Empty if the tree is
        a single leaf.
    prediction : object
        The class label, or the mean in regression.
    weight : float
        Weight of the training cases that reached the leaf.
    errors : float
        Weight of those that are of another class; 0 in regression.
    share : float or None
        Share of the predicted class; None in regression and if no case got here.
    leaf : int
        Number of the leaf in the tree, as `apply` gives it.

    Examples
    --------
    >>> from featsieve.trees import RuleCondition, TreeRule
    >>> conditions = (RuleCondition("wage", above=2.5),)
    >>> print(TreeRule(conditions, "good", 31.0, 1.0, 30 / 31, leaf=2))
    wage > 2.5 -> good (31.0/1.0, share 0.97)
    """

    conditions: tuple[RuleCondition, ...]
    prediction: Any
    weight: float
    errors: float
    share: float | None
    leaf: int

    def to_text(self, decimals: int = 6) -> str:
        """Return the rule for people, numbers rounded to so many decimals."""
        asks = " and ".join(part.to_text(decimals) for part in self.conditions)
        answer, told = self.prediction, ""
        if isinstance(answer, float) and self.share is None:
            answer = number_text(answer, decimals)
        if self.share is not None:
            told = f", share {self.share:.2f}"
        evidence = evidence_text(self.weight, self.errors)
        return f"{asks or 'always'} -> {visible(answer)} ({evidence}{told})"

    def __str__(self) -> str:
        return self.to_text()


def tree_to_rules(tree: Any) -> list[TreeRule]:
    """Return one rule for each leaf, tests of the same feature merged into one.

    Parameters
    ----------
    tree : Tree or estimator
        A tree, or a fitted tree estimator.

    Returns
    -------
    list of TreeRule
        The rules in the order of `tree_to_text`. Exactly one holds for a row without
        missing values and unseen levels. Printed, a rule is a sentence.

    Examples
    --------
    >>> from featsieve.trees import C45Classifier, tree_to_rules
    >>> wages = {"wage": [1.0, 1.5, 2.5, 3.0, 4.0]}
    >>> tree = C45Classifier().fit(wages, ["bad"] * 3 + ["good"] * 2)
    >>> for rule in tree_to_rules(tree):
    ...     print(rule)
    wage <= 2.5 -> bad (3.0, share 1.00)
    wage > 2.5 -> good (2.0, share 1.00)
    """
    tree = as_tree(tree, "tree_to_rules")
    words = Words(tree, 6, "tree_to_rules")
    rules = []
    # Nodes, and what holds on the way there: the bounds of a numeric feature, or
    # nothing more than that it was asked, by feature and level (-1 if numeric).
    waiting: list[tuple[int, _Holds]] = [(0, {})]
    while waiting:
        node, holds = waiting.pop()
        children = words.children(node)
        if not children:
            rules.append(_rule(words, node, holds))
        for child in reversed(children):
            key = int(tree.feature[node]), int(tree.level[child])
            above, at_most = holds.get(key, (None, None))
            threshold = float(tree.threshold[node])
            if key[1] < 0 and child == children[0]:
                at_most = threshold if at_most is None else min(at_most, threshold)
            elif key[1] < 0:
                above = threshold if above is None else max(above, threshold)
            waiting.append((child, holds | {key: (above, at_most)}))
    return rules


_Holds = dict[tuple[int, int], tuple[float | None, float | None]]


def _rule(words: Words, leaf: int, holds: _Holds) -> TreeRule:
    tree = words.tree
    asked = []
    for (feature, code), bounds in holds.items():
        column = tree.features[feature]
        level = None if code < 0 else (column.levels or ())[code]
        asked.append(RuleCondition(column.name, *bounds, level))
    conditions = tuple(asked)
    weight = float(tree.weight[leaf])
    if tree.classes is None:
        mean = float(tree.value[leaf, 0])
        return TreeRule(conditions, mean, weight, 0.0, None, leaf)
    code = int(tree.prediction[leaf])
    total = float(tree.value[leaf].sum())
    share = float(tree.value[leaf, code]) / total if total and weight else None
    errors = words.errors(leaf)
    return TreeRule(conditions, tree.classes[code], weight, errors, share, leaf)


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
    >>> from featsieve.trees import C45Classifier, tree_to_graphviz
    >>> wages = {"wage": [1.0, 1.5, 2.5, 3.0, 4.0]}
    >>> tree = C45Classifier().fit(wages, ["bad"] * 3 + ["good"] * 2)
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
