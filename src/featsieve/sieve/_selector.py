"""The sieve as an estimator, for pipelines and cross-validation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from featsieve.data import Table
from featsieve.data._inputs import Target, read_features, read_target_column
from featsieve.filters._base import BaseFilter, Training, leave_out_unknown
from featsieve.sieve._opening import Origin
from featsieve.sieve._select import run
from featsieve.sieve._selection import Selection
from featsieve.sieve._settings import check_settings

__all__ = ["SieveSelector"]


class SieveSelector(BaseFilter):
    """Keep the features that matter: `featsieve.select` inside a pipeline.

    `fit` runs the five stages on the rows it is given, so in cross-validation nothing
    leaks from the test rows into the selection.

    Parameters
    ----------
    max_features : int or None, default=None
        Keep at most so many.
    fdr : float, default=0.05
        At most this share of the relevant features is expected to be noise.
    costs : mapping of str to float or None, default=None
        What a column costs to obtain: of copies the cheaper one stays.
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    time_budget : float or None, default=None
        Seconds to aim at.
    random_state : int, RandomState or None, default=0
        Seed of all that is drawn.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.

    Attributes
    ----------
    selection_ : Selection
        The whole record.
    scores_ : ndarray of shape (n_features,)
        What each feature tells, in bits or as a share of variance; 0 if unusable.
    p_values_ : ndarray of shape (n_features,)
        Of each feature over all stages; 1 if unusable.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the greatest score; of equal ones the first is better.
    support_ : ndarray of bool of shape (n_features,)
        Which features are kept.
    steps_ : list of dict
        The ledger.
    classes_ : ndarray
        The classes; empty if the target is a quantity.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    See Also
    --------
    featsieve.select : The same in one call, with a report.

    Examples
    --------
    >>> from featsieve.datasets import make_simple
    >>> from featsieve.sieve import SieveSelector
    >>> table, truth = make_simple(n_noise=3, random_state=0)
    >>> selector = SieveSelector().fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    def __init__(
        self,
        *,
        max_features: int | None = None,
        fdr: float = 0.05,
        costs: Mapping[str, float] | None = None,
        nominal: Any = None,
        numeric: Any = None,
        time_budget: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.max_features = max_features
        self.fdr = fdr
        self.costs = costs
        self.nominal = nominal
        self.numeric = numeric
        self.time_budget = time_budget
        self.random_state = random_state
        self.n_jobs = n_jobs

    _caller = 4  # for `fit` calls the one of its base

    # Without weights, which permutations of rows do not know.
    def fit(self, X: Any, y: Any = None) -> Self:  # type: ignore[override]
        """Choose the features.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A frame, an array, or a `Table`.
        y : array-like of shape (n_rows,)
            Classes or a quantity. Rows without one are left out, with a warning.

        Returns
        -------
        self
        """
        return super().fit(X, y)

    def _check_parameters(self) -> None:
        check_settings(type(self).__name__, **self._asked())

    def _asked(self) -> dict[str, Any]:
        return {
            "max_features": self.max_features,
            "fdr": self.fdr,
            "method": "auto",
            "time_budget": self.time_budget,
            "random_state": self.random_state,
            "n_jobs": self.n_jobs,
            "costs": self.costs,
        }

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Training:  # noqa: ARG002  (none)
        table = read_features(
            self, X, reset=True, nominal=self.nominal, numeric=self.numeric
        )
        if isinstance(X, Table) and y is None:
            y = X.target
        column, rows = read_target_column(self, y, table.n_rows)
        table, _ = leave_out_unknown(table, None, rows, stacklevel=self._caller + 1)
        levels = column.levels if column.is_nominal else ()
        self.classes_ = np.fromiter(levels, object, len(levels))
        whole = Table(table.columns, column, table.notes, table.n_rows)
        codes = np.zeros(table.n_rows, dtype=np.int32)
        return Training(whole, Target(codes, levels, rows), None)

    def _fit(self, training: Training) -> None:
        settings = check_settings(type(self).__name__, **self._asked())
        asked = self._asked() | {"random_state": settings.seed, "target": None}
        del asked["n_jobs"]
        summary = run(training.table, settings, asked, Origin(), progress=False)
        self.selection_ = Selection(summary)
        ledger = summary["ledger"]
        self.support_ = np.array([row["kept"] for row in ledger], dtype=bool)
        self.scores_ = np.array([row["score"] or 0.0 for row in ledger])
        self.p_values_ = np.array(
            [1.0 if row["p_value"] is None else row["p_value"] for row in ledger]
        )
        self.steps_ = ledger
