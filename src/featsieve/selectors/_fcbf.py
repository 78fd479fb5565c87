"""Fast correlation-based filter: a better feature removes those it predicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from featsieve._checks import check_real
from featsieve._types import Positions
from featsieve.data.api import Training
from featsieve.selectors.associations._associations import (
    Associations,
    UncertaintyAssociations,
    UncertaintyFilter,
    weka_order,
    weka_uncertainties,
)

#: Weka removes a feature whose association with a better one is as high as its own with
#: the class up to this.
WEKA_SLACK = 1e-8


def find_predominant(
    associations: Associations, order: Positions, threshold: float, slack: float = 0.0
) -> tuple[list[int], dict[int, tuple[int, float]]]:
    """Go down the ranking; each kept feature removes later ones nearer to it.

    Features with an association of at most `threshold` with the class do not take part.
    Returns who is kept, and who removed the others, with their association.
    """
    with_class = associations.with_class
    order = order[with_class[order] > threshold]
    removed: dict[int, tuple[int, float]] = {}
    kept = []
    waiting = order
    while len(waiting):
        best, waiting = int(waiting[0]), waiting[1:]
        kept.append(best)
        shared = associations.row(best)[waiting] if len(waiting) else np.empty(0)
        goes = shared >= with_class[waiting] - slack
        gone = zip(waiting[goes].tolist(), shared[goes].tolist(), strict=True)
        removed |= {feature: (best, own) for feature, own in gone}
        waiting = waiting[~goes]
    return kept, removed


@dataclass(eq=False, repr=False)
class FCBFFilter(UncertaintyFilter):
    """Keep features that no better feature predicts as well as they predict the class.

    Yu and Liu's fast correlation-based filter. Features are ranked by their symmetrical
    uncertainty with the class; from the top, each one kept removes every later one
    whose uncertainty with it is at least as high as that one's with the class. Numeric
    features are cut into levels first.

    Parameters
    ----------
    threshold : float, default=0.0
        Features take part with a higher association with the class than this.
    compatibility : {"weka"} or None, default=None
        ``"weka"`` gives the selections of Weka 3.9: a threshold of 0 is none at all, so
        that a feature that tells nothing stays if there is no other, and features go
        that are nearer to a better one up to 1e-8. Of equal features Weka's sort, which
        is not stable, says which one is better.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Symmetrical uncertainty of every feature with the class.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest score; of equal ones the first is better, but for Weka.
    selected_ : ndarray of int of shape (n_selected,)
        The kept features from best to worst.
    steps_ : list of dict
        Features from best to worst, whether kept and why, and who removed them.

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
    >>> from featsieve.selectors import FCBFFilter
    >>> X = [["a", "x", "a"], ["a", "y", "a"], ["b", "x", "b"], ["b", "y", "b"]] * 5
    >>> y = [0, 1, 1, 1] * 5
    >>> selector = FCBFFilter().fit(X, y)
    >>> selector.selected_
    array([0, 1])
    >>> selector.steps_[2]["removed_by"]
    'x0'
    """

    threshold: float = 0.0

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_real("threshold", self.threshold, self)

    def _fit(self, training: Training) -> Positions:
        columns, missing = self._code(training)
        associations = UncertaintyAssociations(columns, missing)
        if self._weka and missing != "ignore":  # which Weka does not know
            associations.with_class = weka_uncertainties(columns, missing)
        self.scores_ = associations.with_class
        threshold, slack = self.threshold, 0.0
        order = np.argsort(-self.scores_, kind="stable")
        if self._weka:
            order = np.array(weka_order(self.scores_), dtype=np.intp)
            threshold, slack = threshold or -np.inf, WEKA_SLACK
        kept, removed = find_predominant(associations, order, threshold, slack)
        self._keep(kept)
        names = training.table.names
        self.steps_ = []
        for rank, j in enumerate(order.tolist(), start=1):
            step: dict[str, Any] = {
                "feature": names[j],
                "rank": rank,
                "score": float(self.scores_[j]),
                "kept": bool(self.support_[j]),
                "reason": "no better feature is as near to it as the class",
            }
            if j in removed:
                by, association = removed[j]
                step["removed_by"], step["association"] = names[by], association
                step["reason"] = (
                    f"at least as near to {names[by]!r} ({association:.3g}) as to the "
                    "class"
                )
            elif not step["kept"]:
                step["reason"] = f"not above the threshold of {self.threshold:g}"
            self.steps_.append(step)
        return order
