"""Trees that try only a few features, drawn anew at every node."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real
from featsieve._kernels import FailedDraw, GrowthRules, SplitScore
from featsieve._types import Floats
from featsieve.data import Table
from featsieve.engine import root_seed
from featsieve.exceptions import DataError
from featsieve.trees._base import BaseTree, ClassificationTree, RegressionTree
from featsieve.trees._mdl import MISSING, MOST_DEPTH
from featsieve.trees._tree_rows import TypedInput

CRITERIA = {"information_gain": SplitScore.INFORMATION_GAIN, "gini": SplitScore.GINI}
FAILED_DRAWS = {"redraw": FailedDraw.REDRAW, "leaf": FailedDraw.LEAF}


@dataclass(kw_only=True, eq=False, repr=False)
class RandomGrowth(TypedInput):
    """What random trees and forests of them share.

    Parameters
    ----------
    max_features : int, float, "sqrt", "log2" or None, default=1
        Features drawn per node: a number, a share, the square root or the logarithm of
        their number, or all.
    max_depth : int or None, default=None
        Greatest number of tests on a path.
    min_cases : float, default=1
        Least weight of both sides of a cut, and of two branches of a nominal test; 1
        or less is no limit.
    n_thresholds : int or None, default=None
        Try only so many equally spaced thresholds per feature and node; None tries all
        midpoints. 20 imitates the published tree sizes.
    failed_draw : {"redraw", "leaf"}, default="redraw"
        When all drawn features are constant in the node: draw others, or stop there,
        as the published forests did.
    missing_branch : {"largest", "fractional"}, default="largest"
        A case whose value is missing follows the heaviest branch, or goes to every
        branch with a part of its weight, which costs more the deeper the tree is.
    """

    max_features: int | float | str | None = 1
    max_depth: int | None = None
    min_cases: float = 1
    n_thresholds: int | None = None
    failed_draw: str = "redraw"
    missing_branch: str = "largest"


@dataclass(kw_only=True, eq=False, repr=False)
class _RandomTree(RandomGrowth, BaseTree):
    """What classification and regression share.

    Parameters
    ----------
    feature_weights : array-like of shape (n_features,) or None, default=None
        Chance of each feature; 0 is never drawn. None for equal chances.
    random_state : int, Generator, RandomState or None, default=None
        Seed of the draws.
    """

    feature_weights: Any = None
    random_state: Any = None

    def _check_parameters(self) -> None:
        check_random_growth(self)

    def _growth_options(self, table: Table) -> dict[str, Any]:
        options: dict[str, Any] = {"seed": root_seed(self.random_state)}
        if self.feature_weights is not None:
            options["chances"] = check_chances(self.feature_weights, table.n_columns)
        return options


@dataclass(kw_only=True, eq=False, repr=False)
class RandomTreeClassifier(ClassificationTree, _RandomTree):
    """A tree grown until it is pure, trying a few features drawn at every node.

    The building block of forests. At every node `max_features` different features are
    drawn, by their `feature_weights`; the node is split at the best test of the best of
    them, even if it gains nothing, because only together with later splits it may.

    A numeric feature is cut in two at a midpoint, a nominal one split into the levels
    that occur in the node; a level without a branch counts as missing in prediction.

    Parameters
    ----------
    criterion : {"information_gain", "gini"}, default="information_gain"
        What a split is scored by.

    See Also
    --------
    RandomTreeRegressor : The same for numbers.

    Notes
    -----
    Each node costs its rows times the features it draws: rows times features times the
    logarithm of the rows for trees that divide their rows, rows squared for a tree that
    takes off one row after another, as where classes alternate along a single column.

    Examples
    --------
    >>> from featsieve.datasets import make_parity
    >>> from featsieve.trees import RandomTreeClassifier
    >>> problem = make_parity(n_rows=200, random_state=0)
    >>> X, y = problem.table.to_pandas()
    >>> RandomTreeClassifier(random_state=0).fit(X, y).score(X, y)
    1.0
    """

    criterion: str = "information_gain"

    def _rules(self, table: Table) -> GrowthRules:
        check_choice("criterion", self.criterion, tuple(CRITERIA), self)
        return random_growth(self, CRITERIA[self.criterion], table.n_columns)


class RandomTreeRegressor(RegressionTree, _RandomTree):
    """A regression tree of a few features drawn at every node, grown until pure.

    Splits are chosen by the reduction of variance; else as `RandomTreeClassifier`.

    See Also
    --------
    RandomTreeClassifier : The same for classes.

    Examples
    --------
    >>> from featsieve.trees import RandomTreeRegressor
    >>> X = [[1.0, 5.0], [2.0, 3.0], [3.0, 4.0], [4.0, 1.0]]
    >>> tree = RandomTreeRegressor(random_state=0).fit(X, [1.5, 2.5, 3.5, 4.5])
    >>> tree.predict([[1.1, 5.0], [3.9, 1.0]]).tolist()
    [1.5, 4.5]
    """

    def _rules(self, table: Table) -> GrowthRules:
        return random_growth(self, SplitScore.VARIANCE, table.n_columns)


def check_random_growth(estimator: Any) -> None:
    """Raise unless what sets random trees, or a forest of them, is as it must be."""
    failed_draws = tuple(FAILED_DRAWS)
    check_choice("failed_draw", estimator.failed_draw, failed_draws, estimator)
    check_choice("missing_branch", estimator.missing_branch, tuple(MISSING), estimator)
    check_real("min_cases", estimator.min_cases, estimator, at_least=0)
    for name, least, most in (("n_thresholds", 1, 10**9), ("max_depth", 0, None)):
        value = getattr(estimator, name)
        if value is not None:
            check_integer(name, value, estimator, at_least=least, most=most)


def random_growth(estimator: Any, score: SplitScore, n_features: int) -> GrowthRules:
    """Return the rules of growth of random trees with an estimator's parameters."""
    rules = GrowthRules()
    rules.score = score
    rules.missing = MISSING[estimator.missing_branch]
    rules.failed_draw = FAILED_DRAWS[estimator.failed_draw]
    rules.n_drawn = count_drawn(estimator.max_features, n_features, estimator)
    rules.min_cases = float(estimator.min_cases) if estimator.min_cases > 1 else 0.0
    rules.min_weight = 2.0 * rules.min_cases
    rules.n_thresholds = estimator.n_thresholds or 0
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


def check_chances(weights: Any, n_features: int) -> Floats:
    """Return the chances of features, checked."""
    try:
        chances = np.asarray(weights, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise DataError(
            f"feature_weights must be numbers, one per feature. Got {weights!r}."
        ) from error
    if chances.shape != (n_features,):
        raise DataError(
            f"feature_weights must have one number per feature: {n_features}. Got "
            f"shape {chances.shape} instead."
        )
    if not np.all(np.isfinite(chances)) or chances.min() < 0 or not chances.any():
        raise DataError(
            "feature_weights must be finite, not negative, and not zero for every "
            "feature."
        )
    return chances / chances.max()
