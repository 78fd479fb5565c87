"""The sieve as an estimator, for pipelines and cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from featsieve.data.api import RowDesign, Training
from featsieve.selection._opening import Handover, Rows
from featsieve.selection._select import run
from featsieve.selection._selection import Selection
from featsieve.selection._settings import Question, check_settings
from featsieve.selectors.api import RowOptionsSelector


@dataclass(kw_only=True, eq=False, repr=False)
class SieveSelector(RowOptionsSelector):
    """Keep the features that matter: `featsieve.select` inside a pipeline.

    `fit` runs all stages on the rows it is given, so in cross-validation nothing
    leaks from the test rows into the selection.

    Parameters
    ----------
    max_selected : int or None, default=None
        Keep at most so many.
    fdr : float, default=0.05
        At most this share of the relevant features is expected to be noise.
    min_features : int or None, default=None
        Keep at least so many, for pipelines that must not be empty: where fewer matter,
        first those that are possible, then the best of the rest. The error rate does
        not hold for these.
    include_possible : bool, default=False
        Keep the columns, too, some of which matter although rows do not show which.
    costs : mapping of str to float or None, default=None
        What a column costs to obtain: of copies the cheaper one stays.
    time_budget : float or None, default=None
        Seconds to aim at.
    random_state : int, RandomState or None, default=0
        Seed of all that is drawn.

    Attributes
    ----------
    selection_ : Selection
        The whole record.
    scores_ : ndarray of shape (n_features,)
        What each feature tells, in bits or as a share of variance; 0 if unusable.
    p_values_ : ndarray of shape (n_features,)
        Of each feature over all stages; 1 if unusable.
    steps_ : list of dict
        The ledger.

    See Also
    --------
    featsieve.select : The same in one call, with a report.

    Examples
    --------
    >>> from featsieve.datasets import make_simple
    >>> from featsieve.selection import SieveSelector
    >>> table, truth = make_simple(n_noise=3, random_state=0)
    >>> selector = SieveSelector().fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    _takes_quantities = True

    max_selected: int | None = None
    fdr: float = 0.05
    min_features: int | None = None
    include_possible: bool = False
    costs: Mapping[str, float] | None = None
    time_budget: float | None = None
    random_state: Any = 0
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        check_settings(type(self).__name__, **self._asked())

    def _asked(self) -> dict[str, Any]:
        return {
            "max_selected": self.max_selected,
            "fdr": self.fdr,
            "method": "auto",
            "min_features": self.min_features,
            "include_possible": self.include_possible,
            "time_budget": self.time_budget,
            "random_state": self.random_state,
            "n_jobs": self.n_jobs,
            "costs": self.costs,
        }

    def _find_design(self, training: Training) -> Training:
        return training  # `run` looks for it, and notes what it finds

    def _settle(self, training: Training, design: RowDesign) -> Training:
        return replace(training, design=design)

    def _fit(self, training: Training) -> None:
        settings = check_settings(type(self).__name__, **self._asked())
        kinds = {"nominal": self.nominal, "numeric": self.numeric}
        table = replace(training.table, target=training.target.column)
        question = Question.of(table, training.target, settings, kinds)
        rows = Rows(training.design, training.weights, self._rows.is_auto)
        summary = run(Handover(table, rows), settings, question, lambda *_: None)
        self.selection_ = Selection(summary)
        ledger = summary["ledger"]
        self.support_ = np.array([row["kept"] for row in ledger], dtype=bool)
        self.scores_ = np.array([row["score"] or 0.0 for row in ledger])
        self.p_values_ = np.array(
            [1.0 if row["p_value"] is None else row["p_value"] for row in ledger]
        )
        self.steps_ = ledger
