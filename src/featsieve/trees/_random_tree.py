"""Trees that try only a few features, drawn anew at every node."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_integer, check_real
from featsieve._kernels import FailedDraw, GrowthRules, SplitScore
from featsieve.data import Table
from featsieve.engine import root_seed
from featsieve.exceptions import DataError
from featsieve.trees._base import BaseTree, ClassificationTree, RegressionTree
from featsieve.trees._mdl import MISSING, MOST_DEPTH

__all__ = ["RandomRegressionTree", "RandomTree"]

CRITERIA = {
    "information_gain": SplitScore.INFORMATION_GAIN,
    "gini": SplitScore.GINI,
}
FAILED_DRAWS = {"redraw": FailedDraw.REDRAW, "leaf": FailedDraw.LEAF}


class _RandomGrowth(BaseTree):
    """What classification and regression share."""

    max_features: Any
    feature_weights: Any
    max_depth: int | None
    min_cases: float
    thresholds: int | None
    failed_draw: str
    random_state: Any

    def _check_parameters(self) -> None:
        check_random_growth(self)

    def _growth(self, score: SplitScore, n_features: int) -> GrowthRules:
        return random_growth(self, score, n_features)

    def _growth_options(self, table: Table) -> dict[str, Any]:
        options: dict[str, Any] = {"seed": root_seed(self.random_state)}
        if self.feature_weights is not None:
            options["chances"] = check_chances(self.feature_weights, table.n_columns)
        return options


class RandomTree(ClassificationTree, _RandomGrowth):
    """A tree grown until it is pure, trying a few features drawn at every node.

    The building block of forests. At every node `max_features` different features are
    drawn, by their `feature_weights`; the node is split at the best test of the best of
    them, even if it gains nothing, because only together with later splits it may.

    A numeric feature is cut in two at a midpoint, a nominal one split into the levels
    that occur in the node; a level without a branch counts as missing in prediction.

    Parameters
    ----------
    max_features : int, float, "sqrt", "log2" or None, default=1
        Features drawn per node: a number, a share, the square root or the logarithm of
        their number, or all.
    feature_weights : array-like of shape (n_features,) or None, default=None
        Chance of each feature; 0 is never drawn. None for equal chances.
    criterion : {"information_gain", "gini"}, default="information_gain"
        What a split is scored by.
    max_depth : int or None, default=None
        Greatest number of tests on a path.
    min_cases : float, default=1
        Least weight of both sides of a cut, and of two branches of a nominal test; 1
        or less is no limit.
    thresholds : int or None, default=None
        Try only so many equally spaced thresholds per feature and node; None tries all
        midpoints.
    failed_draw : {"redraw", "leaf"}, default="redraw"
        When all drawn features are constant in the node: draw others, or stop there.
    missing : {"largest", "fractional"}, default="largest"
        A case whose value is missing follows the heaviest branch, or goes to every
        branch with a part of its weight, which costs more the deeper the tree is.
    observe : bool, default=False
        Keep every feature that was tried at every node in ``tried_``.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the draws.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Features, by name or position, whose kind is not the one of their type.

    Attributes
    ----------
    tree_ : Tree
        The tree as flat arrays.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    feature_importances_ : ndarray of shape (n_features,)
        Each feature's part of all gain.
    node_count_ : int
        Nodes, leaves included.
    tried_ : TriedFeatures
        With `observe` only.

    See Also
    --------
    RandomRegressionTree : The same for numbers.

    Notes
    -----
    Each node costs its rows times the features it draws: rows times features times the
    logarithm of the rows for trees that divide their rows, rows squared for a tree that
    takes off one row after another, as where classes alternate along a single column.

    Examples
    --------
    >>> from featsieve.datasets import make_parity
    >>> from featsieve.trees import RandomTree
    >>> problem = make_parity(n_rows=200, random_state=0)
    >>> X, y = problem.table.to_pandas()
    >>> RandomTree(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    def __init__(
        self,
        *,
        max_features: int | float | str | None = 1,
        feature_weights: Any = None,
        criterion: str = "information_gain",
        max_depth: int | None = None,
        min_cases: float = 1,
        thresholds: int | None = None,
        failed_draw: str = "redraw",
        missing: str = "largest",
        observe: bool = False,
        random_state: Any = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        self.max_features = max_features
        self.feature_weights = feature_weights
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_cases = min_cases
        self.thresholds = thresholds
        self.failed_draw = failed_draw
        self.missing = missing
        self.observe = observe
        self.random_state = random_state
        self.nominal = nominal
        self.numeric = numeric

    def _rules(self, table: Table) -> GrowthRules:
        check_choice("criterion", self.criterion, tuple(CRITERIA), self)
        return self._growth(CRITERIA[self.criterion], table.n_columns)


class RandomRegressionTree(RegressionTree, _RandomGrowth):
    """A regression tree of a few features drawn at every node, grown until pure.

    Splits are chosen by the reduction of variance; else as `RandomTree`.

    Parameters
    ----------
    max_features : int, float, "sqrt", "log2" or None, default=1
        Features drawn per node: a number, a share, the square root or the logarithm of
        their number, or all.
    feature_weights : array-like of shape (n_features,) or None, default=None
        Chance of each feature; 0 is never drawn. None for equal chances.
    max_depth : int or None, default=None
        Greatest number of tests on a path.
    min_cases : float, default=1
        Least weight of both sides of a cut, and of two branches of a nominal test; 1
        or less is no limit.
    thresholds : int or None, default=None
        Try only so many equally spaced thresholds per feature and node; None tries all
        midpoints.
    failed_draw : {"redraw", "leaf"}, default="redraw"
        When all drawn features are constant in the node: draw others, or stop there.
    missing : {"largest", "fractional"}, default="largest"
        A case whose value is missing follows the heaviest branch, or goes to every
        branch with a part of its weight.
    observe : bool, default=False
        Keep every feature that was tried at every node in ``tried_``.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the draws.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Features, by name or position, whose kind is not the one of their type.

    Attributes
    ----------
    tree_ : Tree
        The tree as flat arrays.
    feature_importances_ : ndarray of shape (n_features,)
        Each feature's part of all reduction of variance.
    node_count_ : int
        Nodes, leaves included.
    tried_ : TriedFeatures
        With `observe` only.

    See Also
    --------
    RandomTree : The same for classes.

    Examples
    --------
    >>> from featsieve.trees import RandomRegressionTree
    >>> X = [[1.0, 5.0], [2.0, 3.0], [3.0, 4.0], [4.0, 1.0]]
    >>> tree = RandomRegressionTree(random_state=0).fit(X, [1.5, 2.5, 3.5, 4.5])
    >>> tree.predict([[1.1, 5.0], [3.9, 1.0]]).tolist()
    [1.5, 4.5]
    """

    def __init__(
        self,
        *,
        max_features: int | float | str | None = 1,
        feature_weights: Any = None,
        max_depth: int | None = None,
        min_cases: float = 1,
        thresholds: int | None = None,
        failed_draw: str = "redraw",
        missing: str = "largest",
        observe: bool = False,
        random_state: Any = None,
        nominal: Any = None,
        numeric: Any = None,
    ) -> None:
        self.max_features = max_features
        self.feature_weights = feature_weights
        self.max_depth = max_depth
        self.min_cases = min_cases
        self.thresholds = thresholds
        self.failed_draw = failed_draw
        self.missing = missing
        self.observe = observe
        self.random_state = random_state
        self.nominal = nominal
        self.numeric = numeric

    def _rules(self, table: Table) -> GrowthRules:
        return self._growth(SplitScore.VARIANCE, table.n_columns)


def check_random_growth(estimator: Any) -> None:
    """Raise unless what sets random trees, or a forest of them, is as it must be."""
    failed_draws = tuple(FAILED_DRAWS)
    check_choice("failed_draw", estimator.failed_draw, failed_draws, estimator)
    check_choice("missing", estimator.missing, tuple(MISSING), estimator)
    check_real("min_cases", estimator.min_cases, estimator, at_least=0)
    for name, least, most in (("thresholds", 1, 10**9), ("max_depth", 0, None)):
        value = getattr(estimator, name)
        if value is not None:
            check_integer(name, value, estimator, at_least=least, most=most)


def random_growth(estimator: Any, score: SplitScore, n_features: int) -> GrowthRules:
    """Return the rules of growth of random trees with an estimator's parameters."""
    rules = GrowthRules()
    rules.score = score
    rules.missing = MISSING[estimator.missing]
    rules.failed_draw = FAILED_DRAWS[estimator.failed_draw]
    rules.n_drawn = count_drawn(estimator.max_features, n_features, estimator)
    rules.min_cases = float(estimator.min_cases) if estimator.min_cases > 1 else 0.0
    rules.min_weight = 2.0 * rules.min_cases
    rules.n_thresholds = estimator.thresholds or 0
    if estimator.max_depth is not None:
        rules.max_depth = min(int(estimator.max_depth), MOST_DEPTH)
    return rules


def count_drawn(wanted: Any, n_features: int, owner: object) -> int:
    """Return how many features to draw per node, from a number, a share or a word."""
    if wanted is None:
        return n_features
    if isinstance(wanted, str):
        check_choice("max_features", wanted, ("sqrt", "log2"), owner)
        root = math.sqrt if wanted == "sqrt" else math.log2
        return max(1, int(root(n_features)))
    if not isinstance(wanted, numbers.Integral) and isinstance(wanted, numbers.Real):
        share = check_real("max_features", wanted, owner, above=0, most=1)
        return max(1, int(share * n_features))
    return min(check_integer("max_features", wanted, owner, at_least=1), n_features)


def check_chances(weights: Any, n_features: int) -> NDArray[np.float64]:
    """Return the chances of features, checked."""
    try:
        chances = np.asarray(weights, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        message = f"feature_weights must be numbers, one per feature. Got {weights!r}."
        raise DataError(message) from error
    if chances.shape != (n_features,):
        message = (
            f"feature_weights must have one number per feature: {n_features}. Got "
            f"shape {chances.shape} instead."
        )
        raise DataError(message)
    if not np.all(np.isfinite(chances)) or chances.min() < 0 or not chances.any():
        message = (
            "feature_weights must be finite, not negative, and not zero for every "
            "feature."
        )
        raise DataError(message)
    scaled: NDArray[np.float64] = chances / chances.max()
    return scaled
