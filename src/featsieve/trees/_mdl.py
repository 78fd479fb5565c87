"""Entropy trees that stop growing when a split does not pay for its description."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from featsieve._checks import check_choice, check_integer
from featsieve._kernels import FeatureCost, GrowthRules, MissingCases, SplitScore
from featsieve.data import Table
from featsieve.trees._base import BaseTree, ClassificationTree, RegressionTree

MISSING = {"fractional": MissingCases.FRACTIONAL, "largest": MissingCases.LARGEST}
#: No tree is deeper: it would have more nodes than can be numbered.
MOST_DEPTH = 2**31
COSTS = {
    "full": FeatureCost.FULL,
    "without_key": FeatureCost.WITHOUT_KEY,
    None: FeatureCost.NONE,
}


@dataclass(kw_only=True, eq=False, repr=False)
class _MDLGrowth(BaseTree):
    """What classification and regression share.

    Parameters
    ----------
    n_thresholds : int or None, default=None
        Try only so many equally spaced thresholds per feature and node; None tries all
        midpoints. 20 imitates the published tree sizes.
    feature_cost : {"full", "without_key", None}, default="full"
        Whether naming a feature costs bits: as published, without the term log2 F for a
        new feature, or nothing.
    max_depth : int or None, default=None
        Greatest number of tests on a path.
    missing_branch : {"fractional", "largest"}, default="fractional"
        A case whose value is missing goes to every branch with a part of its weight, or
        to the heaviest branch.
    """

    n_thresholds: int | None = None
    feature_cost: str | None = "full"
    max_depth: int | None = None
    missing_branch: str = "fractional"

    _score: ClassVar[SplitScore]

    def _check_parameters(self) -> None:
        if self.n_thresholds is not None:
            check_integer(
                "n_thresholds", self.n_thresholds, self, at_least=1, most=10**9
            )
        check_choice("feature_cost", self.feature_cost, tuple(COSTS), self)
        check_choice("missing_branch", self.missing_branch, tuple(MISSING), self)
        if self.max_depth is not None:
            check_integer("max_depth", self.max_depth, self, at_least=0)

    def _rules(self, table: Table) -> GrowthRules:  # noqa: ARG002  (others ask it)
        rules = GrowthRules()
        rules.score = self._score
        rules.description_length = True
        rules.feature_cost = COSTS[self.feature_cost]
        rules.missing = MISSING[self.missing_branch]
        rules.n_thresholds = self.n_thresholds or 0
        if self.max_depth is not None:
            rules.max_depth = min(int(self.max_depth), MOST_DEPTH)
        return rules


class MDLTreeClassifier(ClassificationTree, _MDLGrowth):
    """A decision tree that splits a node only if that shortens the description.

    Of the features whose best split saves more bits in telling the classes than it
    costs to describe, a node is split on the one of greatest information gain. The cost
    is Fayyad and Irani's for the cut, plus that of naming the feature, which is dearer
    for features the tree has not used yet. For b branches and k classes, the 3^k − 2 of
    two branches becomes (2^b − 1)^k − b, so that a feature of many levels has to earn
    them. There is nothing to prune.

    A numeric feature is cut in two at a midpoint, a nominal one split into the levels
    that occur in the node; a level without a branch counts as missing in prediction.

    See Also
    --------
    MDLTreeRegressor : The same for numbers.
    C45Classifier : Grows further and prunes.

    Notes
    -----
    Cost O(p n log n) for balanced trees. A case with a missing value is divided only
    while no part of it falls below a hundredth of the weight of its row; else it
    follows the heaviest branch. Equal gains: the feature that comes first, the lowest
    cut.

    References
    ----------
    U. M. Fayyad, K. B. Irani, Multi-interval discretization of continuous-valued
    attributes for classification learning, IJCAI 1993.

    Examples
    --------
    >>> from featsieve.trees import MDLTreeClassifier
    >>> X = [[i % 20, i % 7] for i in range(60)]
    >>> y = ["low" if i % 20 < 8 else "high" for i in range(60)]
    >>> print(MDLTreeClassifier().fit(X, y).export_text())
    x0 <= 7.5: low (24.0)
    x0 > 7.5: high (36.0)
    """

    _score = SplitScore.INFORMATION_GAIN


class MDLTreeRegressor(RegressionTree, _MDLGrowth):
    """A regression tree that splits a node only if that shortens the description.

    Splits are chosen by the reduction of variance. A node of n cases is split into k
    branches if telling its numbers around the means of the branches, as normal
    distributions of one variance, saves (n − k) / 2 · log2(variance before / after)
    bits, both by their degrees of freedom, and naming the feature, the cut and the
    further means (log2 n / 2 bits each) costs no more.

    See Also
    --------
    MDLTreeClassifier : The same for classes.

    Examples
    --------
    >>> from featsieve.trees import MDLTreeRegressor
    >>> X = [[float(i)] for i in range(40)]
    >>> y = [i % 3 / 10 + (10 if i >= 20 else 0) for i in range(40)]
    >>> print(MDLTreeRegressor().fit(X, y).export_text(decimals=3))
    x0 <= 19.5: 0.095 (20.0)
    x0 > 19.5: 10.1 (20.0)
    """

    _score = SplitScore.VARIANCE
