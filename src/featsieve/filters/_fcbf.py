"""Fast correlation-based filter: a better feature removes those it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_real
from featsieve.filters._associations import Associations, UncertaintyAssociations
from featsieve.filters._base import BaseFilter, Training
from featsieve.filters._cfs import (
    check_uncertainty_parameters,
    chosen_discretizer,
    chosen_missing,
    mask_of,
)
from featsieve.filters._coding import code_columns
from featsieve.filters._weka_ranking import weka_order, weka_uncertainties

__all__ = ["FCBFFilter"]

#: Weka removes a feature whose association with a better one is as high as its own with
#: the class up to this.
WEKA_SLACK = 1e-8


@dataclass(frozen=True, slots=True)
class Predominance:
    """Who is kept, and who removed whom; -1 for features nobody removed."""

    kept: list[int]
    removed_by: NDArray[np.intp]
    removal: NDArray[np.float64]


def find_predominant(
    associations: Associations,
    order: NDArray[np.intp],
    threshold: float,
    slack: float = 0.0,
) -> Predominance:
    """Go down the ranking; each kept feature removes later ones nearer to it.

    Features with an association of at most `threshold` with the class do not take part.
    """
    with_class = associations.with_class
    order = order[with_class[order] > threshold]
    removed_by = np.full(len(with_class), -1)
    removal = np.zeros(len(with_class))
    kept = []
    waiting = order
    while len(waiting):
        best, waiting = int(waiting[0]), waiting[1:]
        kept.append(best)
        shared = associations.row(best)[waiting] if len(waiting) else np.empty(0)
        goes = shared >= with_class[waiting] - slack
        removed_by[waiting[goes]] = best
        removal[waiting[goes]] = shared[goes]
        waiting = waiting[~goes]
    return Predominance(kept, removed_by, removal)


class FCBFFilter(BaseFilter):
    """Keep features that no better feature predicts as well as they predict the class.

    Yu and Liu's fast correlation-based filter. Features are ranked by their symmetrical
    uncertainty with the class; from the top, each one kept removes every later one
    whose uncertainty with it is at least as high as that one's with the class. Numeric
    features are cut into levels first.

    Parameters
    ----------
    threshold : float, default=0.0
        Features take part with a higher association with the class than this.
    missing : {"level", "ignore", "spread"} or None, default=None
        What becomes of missing values: one more level; rows left out, pair by pair; or
        shared out over the levels. None is ``"level"``, and ``"spread"`` with
        ``compatibility="weka"``.
    discretizer : discretizer or None, default=None
        How numeric features are cut: None is ``MDLDiscretizer()``, with
        ``encoding="better"`` for Weka. Cuts are learnt from the rows given to `fit`.
    compatibility : {"weka"} or None, default=None
        ``"weka"`` gives the selections of Weka 3.9: a threshold of 0 is none at all, so
        that a feature that tells nothing stays if there is no other, and features go
        that are nearer to a better one up to 1e-8. Of equal features Weka's sort, which
        is not stable, says which one is better.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Symmetrical uncertainty of every feature with the class.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest score; of equal ones the first is better, but for Weka.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    selected_ : ndarray of int of shape (n_selected,)
        The kept features from best to worst.
    steps_ : list of dict
        Features from best to worst, whether kept and why, and who removed them.
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
    CFSFilter : Weighs whole subsets.

    Notes
    -----
    Only the pairs of kept features are counted: features × features kept.

    References
    ----------
    L. Yu, H. Liu, "Efficient feature selection via analysis of relevance and
    redundancy", Journal of Machine Learning Research 5, 2004.

    Examples
    --------
    >>> from featsieve.filters import FCBFFilter
    >>> X = [["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]] * 5
    >>> y = [0, 1, 1, 1] * 5
    >>> selector = FCBFFilter().fit(X, y)
    >>> selector.selected_
    array([0, 1])
    >>> selector.steps_[2]["removed_by"]
    'x0'
    """

    def __init__(
        self,
        threshold: float = 0.0,
        *,
        missing: str | None = None,
        discretizer: Any = None,
        compatibility: str | None = None,
        nominal: Any = None,
        numeric: Any = None,
        target_bins: int | None = None,
    ) -> None:
        self.threshold = threshold
        self.missing = missing
        self.discretizer = discretizer
        self.compatibility = compatibility
        self.nominal = nominal
        self.numeric = numeric
        self.target_bins = target_bins

    def _check_parameters(self) -> None:
        check_real("threshold", self.threshold, self)
        check_uncertainty_parameters(self)

    def _fit(self, training: Training) -> None:
        weka = self.compatibility == "weka"
        columns, self.discretizer_, _ = code_columns(
            training, chosen_discretizer(self.discretizer, self.compatibility)
        )
        missing = chosen_missing(self.missing, self.compatibility)
        associations = UncertaintyAssociations(columns, missing)
        if weka and missing != "ignore":  # which Weka does not know
            associations.with_class = weka_uncertainties(columns, missing)
        self.scores_ = associations.with_class
        no_threshold = weka and self.threshold == 0
        found = find_predominant(
            associations,
            self._order(),
            -np.inf if no_threshold else self.threshold,
            WEKA_SLACK if weka else 0.0,
        )
        self.selected_ = np.array(found.kept, dtype=np.int64)
        self.support_ = mask_of(found.kept, training.table.n_columns)
        self.steps_ = self._tell(training.table.names, found)

    def _order(self) -> NDArray[np.intp]:
        """Return features from best to worst."""
        if self.compatibility == "weka":
            return np.array(weka_order(self.scores_), dtype=np.intp)
        return np.argsort(-self.scores_, kind="stable")

    def _ranking(self) -> NDArray[np.int64]:
        return np.argsort(self._order()) + 1

    def _tell(
        self, names: tuple[str, ...], found: Predominance
    ) -> list[dict[str, Any]]:
        steps = []
        for rank, j in enumerate(self._order().tolist(), start=1):
            step: dict[str, Any] = {
                "feature": names[j],
                "rank": rank,
                "score": float(self.scores_[j]),
                "kept": bool(self.support_[j]),
                "reason": "no better feature is as near to it as the class",
            }
            if found.removed_by[j] >= 0:
                step["removed_by"] = names[found.removed_by[j]]
                step["association"] = float(found.removal[j])
                step["reason"] = (
                    f"at least as near to {step['removed_by']!r} "
                    f"({step['association']:.3g}) as to the class"
                )
            elif not step["kept"]:
                step["reason"] = f"not above the threshold of {self.threshold:g}"
            steps.append(step)
        return steps
