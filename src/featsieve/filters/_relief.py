"""What ReliefF and MultiSURF share: reading, anchors, choosing and telling."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_integer, check_real
from featsieve._kernels import ReliefScanner
from featsieve.data import Table
from featsieve.data._inputs import (
    Target,
    read_features,
    read_target_column,
    read_weights,
)
from featsieve.engine import derive_seed, root_seed
from featsieve.exceptions import DataError
from featsieve.filters._base import (
    BaseFilter,
    Training,
    count_wanted,
    leave_out_unknown,
)
from featsieve.filters._relief_anchors import (
    AnchorMeans,
    Decision,
    Scan,
    mean_over_anchors,
    race_anchors,
)
from featsieve.filters._relief_rows import lay_out_rows, scale_to_unit

__all__ = ["BaseRelief", "ReliefTraining"]


@dataclass(frozen=True, slots=True)
class ReliefTraining(Training):
    """Rows with a known target; a quantity has no classes and one code.

    `everything` and `rows` are the table before rows without a target were left out,
    and the mask of those that stayed.
    """

    quantities: NDArray[np.float64] | None
    everything: Table
    rows: NDArray[np.bool_] | None


class BaseRelief(BaseFilter):
    """Base of the Relief filters: a subclass says what its neighbours are.

    It names its scan of anchors in `_scan`, checks in `_check_training` what it cannot
    learn from, and adds its own parameters to `_check_parameters`.
    """

    compatibility: str | None = None
    n_features_to_select: int | float | None
    threshold: float | None
    n_anchors: int | float | str | None
    confidence: float
    n_jobs: int | None
    random_state: Any

    def _check_parameters(self) -> None:
        if self.threshold is not None:
            check_real("threshold", self.threshold, self)
        check_real("confidence", self.confidence, self, above=0, below=1)
        if isinstance(self.n_anchors, str):
            check_choice("n_anchors", self.n_anchors, ("race",), self)
        elif isinstance(self.n_anchors, float):
            check_real("n_anchors", self.n_anchors, self, above=0, most=1)
        elif self.n_anchors is not None:
            check_integer("n_anchors", self.n_anchors, self, at_least=1)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> ReliefTraining:
        table = read_features(
            self, X, reset=True, nominal=self.nominal, numeric=self.numeric
        )
        if isinstance(X, Table) and y is None:
            y = X.target
        column, rows = read_target_column(self, y, table.n_rows)
        weights = read_weights(sample_weight, table.n_rows)
        everything = table
        table, weights = leave_out_unknown(table, weights, rows)
        if weights is not None and not weights.all():
            table, column = table.take(weights > 0), column.take(weights > 0)
            weights = weights[weights > 0]
        if column.is_nominal:
            quantities = None
            target = Target(np.ascontiguousarray(column.values), column.levels, rows)
        else:
            quantities = scale_to_unit(column.values)
            target = Target(np.zeros(len(quantities), dtype=np.int32), (), rows)
        self.classes_ = np.fromiter(target.classes, object, len(target.classes))
        training = ReliefTraining(table, target, weights, quantities, everything, rows)
        self._check_training(training)
        return training

    @abstractmethod
    def _check_training(self, training: ReliefTraining) -> None: ...

    def _fit(self, training: Any) -> None:
        most = count_wanted(self.n_features_to_select, training.table.n_columns, self)
        threshold = self.threshold
        if most is None and threshold is None:
            threshold = 0.0
        decision = Decision(most, threshold)
        means, self.settled_ = self._score(training, decision)
        self.scores_ = means.scores
        self.interval_ = means.interval(self.confidence)
        self.n_anchors_ = means.n_anchors
        self.support_ = decision.keep(self.scores_)
        self.steps_ = self._tell(training.table.names)

    def _score(
        self, training: ReliefTraining, decision: Decision
    ) -> tuple[AnchorMeans, bool]:
        """Return scores in the order of the columns."""
        weka = self.compatibility == "weka"
        codes = training.target.codes
        order = np.argsort(codes, kind="stable")
        if _is_constant(training) and not weka:
            nothing = np.zeros(training.table.n_columns)
            return AnchorMeans(nothing, nothing, len(codes)), False
        if weka:
            table = training.everything
            places = (
                order if training.rows is None else np.flatnonzero(training.rows)[order]
            )
        else:
            table, places = training.table, order
        layout = lay_out_rows(table, places, training.weights, weka=weka)
        counts = np.bincount(codes, minlength=max(training.target.n_classes, 1))
        weights = None if training.weights is None else training.weights[order]
        scanner = ReliefScanner(
            layout.values,
            layout.expected,
            layout.groups,
            np.append(0, np.cumsum(counts)).astype(np.int32),
            self._factors(training, weka),
            None if training.quantities is None else training.quantities[order],
            weights,
        )
        scan = self._scan(scanner, training, layout.positions)
        means, settled = self._run(scan, len(codes), weights, decision)
        # Weka skips rows without a class, and divides by all.
        share = len(codes) / table.n_rows if weka else 1.0
        at = layout.positions
        return (
            AnchorMeans(
                means.scores[at] * share, means.errors[at] * share, means.n_anchors
            ),
            settled,
        )

    @abstractmethod
    def _scan(
        self,
        scanner: ReliefScanner,
        training: ReliefTraining,
        positions: NDArray[np.int32],
    ) -> Scan: ...

    def _run(
        self,
        scan: Scan,
        n_rows: int,
        weights: NDArray[np.float64] | None,
        decision: Decision,
    ) -> tuple[AnchorMeans, bool]:
        everyone = np.arange(n_rows, dtype=np.int32)
        if self.n_anchors is None:
            every = mean_over_anchors(scan, everyone, weights, n_rows, self.n_jobs)
            return every, False
        seed = derive_seed(root_seed(self.random_state), "anchors")
        drawn = np.random.default_rng(seed).permutation(everyone)
        if isinstance(self.n_anchors, str):
            return race_anchors(
                scan,
                drawn,
                weights,
                decision=decision,
                confidence=self.confidence,
                n_jobs=self.n_jobs,
            )
        wanted = self.n_anchors
        n = max(1, round(wanted * n_rows)) if isinstance(wanted, float) else wanted
        some = drawn[: min(n, n_rows)]
        return mean_over_anchors(scan, some, weights, n_rows, self.n_jobs), False

    def _factors(self, training: ReliefTraining, weka: bool) -> NDArray[np.float64]:
        """Return what hits (diagonal) and misses count, by class of the anchor."""
        if training.quantities is not None:
            return np.zeros((0, 0))
        n_classes = training.target.n_classes
        mass = np.bincount(
            training.target.codes, weights=training.weights, minlength=n_classes
        )
        total = training.everything.n_rows if weka else mass.sum()
        share = mass / total
        factors = np.ones((n_classes, n_classes))
        if not weka or n_classes > 2:
            others = (1 - share)[:, None]
            factors = np.divide(
                share[None, :], others, out=factors * 0, where=others > 0
            )
        np.fill_diagonal(factors, -1)
        return np.ascontiguousarray(factors)

    def _tell(self, names: tuple[str, ...]) -> list[dict[str, Any]]:
        steps = []
        order = np.argsort(-self.scores_, kind="stable")
        for rank, j in enumerate(order.tolist(), start=1):
            low, high = self.interval_[j].tolist()
            steps.append(
                {
                    "feature": names[j],
                    "rank": rank,
                    "score": float(self.scores_[j]),
                    "lower": low,
                    "upper": high,
                    "kept": bool(self.support_[j]),
                }
            )
        return steps


def _is_constant(training: ReliefTraining) -> bool:
    """Whether there is nothing to explain."""
    explained = (
        training.target.codes if training.quantities is None else training.quantities
    )
    return bool(np.all(explained == explained[0]))


def check_copies(weights: NDArray[np.float64] | None, n_neighbors: int) -> None:
    """Raise if weights add up to less than the neighbours that are asked for."""
    if weights is None:
        return
    needed = min(len(weights), n_neighbors + 1)
    if weights.sum() < needed:
        message = (
            "sample_weight counts copies of rows here, so that neighbours can be "
            f"counted. Its sum is {weights.sum():.6g}, less than {needed}; scale it, "
            "for example to a mean of 1."
        )
        raise DataError(message)
