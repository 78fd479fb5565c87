"""Correlation-based feature selection: near to the class, far from each other."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from featsieve._checks import check_choice, check_integer, check_unused
from featsieve.data.api import Training
from featsieve.selectors._base import mask_of
from featsieve.selectors.associations._associations import (
    UncertaintyAssociations,
    UncertaintyFilter,
    WekaAssociations,
    on_grid,
)
from featsieve.selectors.associations._subset_search import (
    add_locally_predictive,
    best_first,
    greedy_backward,
    greedy_forward,
    subset_merit,
)

SEARCHES = ("best_first", "forward", "backward")


@dataclass(eq=False, repr=False)
class CFSFilter(UncertaintyFilter):
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
    compatibility : {"weka"} or None, default=None
        ``"weka"`` gives the subsets and merits of Weka 3.9: uncertainties are rounded
        to 32 bits, features without any association with each other count as fully
        associated, copies of chosen features are candidates, and best-first expands a
        subset again that it reaches again.
    n_jobs : int or None, default=None
        Threads for ``search="backward"``; any number gives the same answer.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Association of every feature with the class; its merit alone.
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

    >>> from featsieve.selectors import CFSFilter
    >>> X = [["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]] * 5
    >>> y = [0, 1, 1, 1] * 5
    >>> selector = CFSFilter().fit(X, y)
    >>> selector.support_
    array([ True,  True, False])
    >>> round(selector.merit_, 4), selector.scores_.round(4).tolist()
    (0.4861, [0.3437, 0.3437, 0.3437])
    """

    search: str = "best_first"
    _: KW_ONLY
    locally_predictive: bool | None = None
    max_stale: int = 5
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("search", self.search, SEARCHES, self)
        choices = (None, True, False)
        check_choice("locally_predictive", self.locally_predictive, choices, self)
        check_integer("max_stale", self.max_stale, self, at_least=1)
        if self.search != "best_first":
            mode, way_out = f"search={self.search!r}", "use search='best_first'"
            check_unused(["max_stale"], self, mode, way_out)

    def _fit(self, training: Training) -> None:
        weka = self._weka
        columns, missing = self._code(training)
        associations: UncertaintyAssociations
        if weka:
            associations = WekaAssociations(columns, missing, n_jobs=self.n_jobs)
        else:
            associations = UncertaintyAssociations(
                columns, missing, rounding=on_grid, n_jobs=self.n_jobs
            )
        if self.search == "best_first":
            found = best_first(
                associations, max_stale=self.max_stale, reenter=weka, copies=weka
            )
        else:
            search = greedy_forward if self.search == "forward" else greedy_backward
            found = search(associations, copies=weka)
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
        names = training.table.names
        self.steps_ = [dict(step) for step in found.steps]
        for step in self.steps_:
            for key in ("expanded", "best"):
                if key in step:
                    step[key] = tuple(names[j] for j in step[key])
            if "feature" in step:
                step["feature"] = names[step["feature"]]
        for j in added:
            score, action = float(self.scores_[j]), "locally predictive"
            self.steps_.append({"feature": names[j], "action": action, "score": score})
