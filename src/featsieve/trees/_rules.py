"""A tree as rules, one for each leaf."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from featsieve._text import visible
from featsieve.trees._tree import Tree
from featsieve.trees._words import Words, as_tree, evidence_text, number_text

__all__ = ["RuleCondition", "TreeRule", "tree_to_rules"]


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
    >>> from featsieve.trees import Tree, TreeFeature, tree_to_rules
    >>> nan = float("nan")
    >>> tree = Tree(
    ...     feature=[0, -1, -1], threshold=[2.5, nan, nan],
    ...     first_child=[1, -1, -1], n_children=[2, 0, 0], level=[-1, -1, -1],
    ...     weight=[5, 3, 2], value=[[3, 2], [3, 0], [0, 2]], prediction=[0, 0, 1],
    ...     gain=[0.971, 0, 0], features=[TreeFeature("wage")], classes=["bad", "good"],
    ... )
    >>> for rule in tree_to_rules(tree):
    ...     print(rule)
    wage <= 2.5 -> bad (3.0, share 1.00)
    wage > 2.5 -> good (2.0, share 1.00)
    """
    tree = as_tree(tree, "tree_to_rules")
    words = Words(tree, 6, "tree_to_rules")
    path = _Path(tree)
    rules = []
    waiting = [(-1, 0, 0)]
    while waiting:
        parent, node, depth = waiting.pop()
        path.back_to(depth - 1)
        if parent >= 0:
            path.take(parent, node)
        children = words.children(node)
        waiting += [(node, child, depth + 1) for child in reversed(children)]
        if not children:
            rules.append(_rule(words, node, path.conditions()))
    return rules


def _rule(words: Words, leaf: int, conditions: tuple[RuleCondition, ...]) -> TreeRule:
    tree = words.tree
    weight = float(tree.weight[leaf])
    if tree.classes is None:
        mean = float(tree.value[leaf, 0])
        return TreeRule(conditions, mean, weight, 0.0, None, leaf)
    code = int(tree.prediction[leaf])
    total = float(tree.value[leaf].sum())
    share = float(tree.value[leaf, code]) / total if total and weight else None
    errors = words.errors(leaf)
    return TreeRule(conditions, tree.classes[code], weight, errors, share, leaf)


class _Path:
    """What holds on the way to a node; going back undoes the last test."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        # A feature and a level (-1 if numeric), and the bounds of a numeric one.
        self.holds: dict[tuple[int, int], tuple[float | None, float | None]] = {}
        self.before: list[tuple[tuple[int, int], Any]] = []

    def back_to(self, depth: int) -> None:
        while len(self.before) > max(depth, 0):
            key, bounds = self.before.pop()
            if bounds is None:
                del self.holds[key]
            else:
                self.holds[key] = bounds

    def take(self, node: int, child: int) -> None:
        key = int(self.tree.feature[node]), int(self.tree.level[child])
        known = self.holds.get(key)
        above, at_most = known or (None, None)
        if key[1] < 0:
            threshold = float(self.tree.threshold[node])
            if child == self.tree.first_child[node]:
                at_most = threshold if at_most is None else min(at_most, threshold)
            else:
                above = threshold if above is None else max(above, threshold)
        self.before.append((key, known))
        self.holds[key] = above, at_most

    def conditions(self) -> tuple[RuleCondition, ...]:
        made = []
        for (feature, code), bounds in self.holds.items():
            column = self.tree.features[feature]
            level = None if code < 0 else (column.levels or ())[code]
            made.append(RuleCondition(column.name, *bounds, level))
        return tuple(made)
