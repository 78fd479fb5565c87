"""Correlation-based feature selection: near to the class, far from each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_integer
from featsieve.data import MDLDiscretizer
from featsieve.filters._associations import (
    Associations,
    UncertaintyAssociations,
    on_grid,
)
from featsieve.filters._base import BaseFilter, Training
from featsieve.filters._coding import check_discretizer, code_columns
from featsieve.filters._subset_search import (
    SubsetSearch,
    add_locally_predictive,
    best_first,
    greedy_backward,
    greedy_forward,
    subset_merit,
)
from featsieve.filters._weka_ranking import WekaAssociations

__all__ = ["CFSFilter"]

SEARCHES = ("best_first", "forward", "backward")


class CFSFilter(BaseFilter):
    """Keep features that go with the class and not with each other.

    Hall's correlation-based selection. The merit of k features is Σ cf / √(k + 2 Σ ff):
    cf are their associations with the class, ff those of every two of them, both
    symmetrical uncertainties; numeric features are cut into levels first. Features that
    tell exactly the same as a chosen one are never chosen too, whatever the merit says.

    Parameters
    ----------
    search : {"best_first", "forward", "backward"}, default="best_first"
        ``"best_first"`` expands the best subset known until `max_stale` expansions in a
        row found none that is better by 0.00001; ``"forward"`` adds the best feature as
        long as the merit grows; ``"backward"`` drops features from all as long as it
        does not fall, which needs every pair.
    locally_predictive : bool or None, default=None
        Add, after the search, features that are nearer to the class than to any chosen
        one. On tables with many noise columns this adds many of them. None is False,
        and True with ``compatibility="weka"``.
    max_stale : int, default=5
        How long best-first goes on without success; also how many subsets wait.
    missing : {"level", "ignore", "spread"} or None, default=None
        What becomes of missing values: one more level; rows left out, pair by pair; or
        shared out over the levels. None is ``"level"``, and ``"spread"`` with
        ``compatibility="weka"``.
    discretizer : discretizer or None, default=None
        How numeric features are cut: None is ``MDLDiscretizer()``, with
        ``encoding="better"`` for Weka. Cuts are learnt from the rows given to `fit`.
    compatibility : {"weka"} or None, default=None
        ``"weka"`` gives the subsets and merits of Weka 3.9: uncertainties are rounded
        to 32 bits, features without any association with each other count as fully
        associated, copies of chosen features are candidates, and best-first expands a
        subset again that it reaches again.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.
    n_jobs : int or None, default=None
        Threads for ``search="backward"``; any number gives the same answer.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Association of every feature with the class; its merit alone.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest score; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    merit_ : float
        Merit of the kept features.
    search_support_ : ndarray of bool of shape (n_features,)
        What the search found, before locally predictive features were added.
    search_merit_ : float
        Its merit.
    n_subsets_evaluated_ : int
        How many merits were computed.
    steps_ : list of dict
        Best-first: what was expanded, the best subset then and its merit. Greedy: the
        feature that came or went, and the merit. Then the locally predictive features.
    discretizer_ : discretizer
        The fitted discretizer, with `cut_points_`.
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    See Also
    --------
    FCBFFilter : Removes features by their nearest better one; faster.
    featsieve.measures.pairwise_uncertainty : The associations.

    Notes
    -----
    Only the pairs that a search asks for are counted: features × (features in expanded
    subsets). Of equal subsets the one whose features come first is taken. The order of
    rows and, but for such ties, of columns does not matter.

    References
    ----------
    M. A. Hall, "Correlation-based feature selection for machine learning", PhD thesis,
    University of Waikato, 1999.

    Examples
    --------
    The third feature is a copy of the first.

    >>> from featsieve.filters import CFSFilter
    >>> X = [["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]] * 5
    >>> y = [0, 1, 1, 1] * 5
    >>> selector = CFSFilter().fit(X, y)
    >>> selector.support_
    array([ True,  True, False])
    >>> round(selector.merit_, 4), selector.scores_.round(4).tolist()
    (0.4861, [0.3437, 0.3437, 0.3437])
    """

    def __init__(
        self,
        search: str = "best_first",
        *,
        locally_predictive: bool | None = None,
        max_stale: int = 5,
        missing: str | None = None,
        discretizer: Any = None,
        compatibility: str | None = None,
        nominal: Any = None,
        numeric: Any = None,
        target_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.search = search
        self.locally_predictive = locally_predictive
        self.max_stale = max_stale
        self.missing = missing
        self.discretizer = discretizer
        self.compatibility = compatibility
        self.nominal = nominal
        self.numeric = numeric
        self.target_bins = target_bins
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_choice("search", self.search, SEARCHES, self)
        choices = (None, True, False)
        check_choice("locally_predictive", self.locally_predictive, choices, self)
        check_integer("max_stale", self.max_stale, self, at_least=1)
        check_uncertainty_parameters(self)

    def _fit(self, training: Training) -> None:
        weka = self.compatibility == "weka"
        columns, self.discretizer_, _ = code_columns(
            training, chosen_discretizer(self.discretizer, self.compatibility)
        )
        missing = chosen_missing(self.missing, self.compatibility)
        associations: Associations
        if weka:
            associations = WekaAssociations(columns, missing, n_jobs=self.n_jobs)
        else:
            associations = UncertaintyAssociations(
                columns, missing, rounding=on_grid, n_jobs=self.n_jobs
            )
        found = self._search(associations)
        added: list[int] = []
        if self.locally_predictive or (self.locally_predictive is None and weka):
            added = add_locally_predictive(associations, found.subset, copies=weka)
        self.scores_ = associations.with_class
        self.search_support_ = mask_of(found.subset, training.table.n_columns)
        # Weka adds a merit up anew; a backward search has subtracted many times.
        merit = subset_merit(associations, found.subset) if weka else found.merit
        self.search_merit_ = merit
        self.n_subsets_evaluated_ = found.n_evaluated
        self.support_ = mask_of([*found.subset, *added], training.table.n_columns)
        self.merit_ = subset_merit(associations, [*found.subset, *added])
        self.steps_ = self._tell(training.table.names, found, added)

    def _search(self, associations: Associations) -> SubsetSearch:
        weka = self.compatibility == "weka"
        if self.search == "forward":
            return greedy_forward(associations, copies=weka)
        if self.search == "backward":
            return greedy_backward(associations, copies=weka)
        return best_first(
            associations, max_stale=self.max_stale, reenter=weka, copies=weka
        )

    def _tell(
        self, names: tuple[str, ...], found: SubsetSearch, added: list[int]
    ) -> list[dict[str, Any]]:
        steps = []
        for step in found.steps:
            told = dict(step)
            for key in ("expanded", "best"):
                if key in step:
                    told[key] = tuple(names[j] for j in step[key])
            if "feature" in step:
                told["feature"] = names[step["feature"]]
            steps.append(told)
        for j in added:
            score = float(self.scores_[j])
            steps.append(
                {"feature": names[j], "action": "locally predictive", "score": score}
            )
        return steps


def check_uncertainty_parameters(owner: Any) -> None:
    """Check what filters by symmetrical uncertainty have in common."""
    choices = (None, "level", "ignore", "spread")
    check_choice("missing", owner.missing, choices, owner)
    check_choice("compatibility", owner.compatibility, (None, "weka"), owner)
    if owner.target_bins is not None:
        check_integer("target_bins", owner.target_bins, owner, at_least=2)
    check_discretizer(owner.discretizer, owner)


def chosen_missing(missing: str | None, compatibility: str | None) -> str:
    """Return the treatment of missing values that is meant."""
    if missing is not None:
        return missing
    return "spread" if compatibility == "weka" else "level"


def chosen_discretizer(discretizer: Any, compatibility: str | None) -> Any:
    """Return the discretizer that is meant; None is ours."""
    if discretizer is None and compatibility == "weka":
        return MDLDiscretizer(encoding="better")
    return discretizer


def mask_of(subset: Any, n_features: int) -> NDArray[np.bool_]:
    """Return a mask of features."""
    mask = np.zeros(n_features, dtype=bool)
    mask[list(subset)] = True
    return mask
