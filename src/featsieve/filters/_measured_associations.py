"""Associations of typed columns for subset searches, measured on demand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_integer
from featsieve.filters._associations import on_grid
from featsieve.filters._base import Training
from featsieve.filters._samples import plan_samples
from featsieve.measures import PairAssociations, class_association
from featsieve.measures._columns import ASSOCIATIONS

__all__ = ["MeasuredAssociations", "SampledAssociations", "check_measured"]


def check_measured(owner: Any) -> None:
    """Check what filters by measured associations have in common."""
    check_choice("association", owner.association, ASSOCIATIONS, owner)
    check_choice("missing", owner.missing, ("ignore", "level"), owner)
    if owner.target_bins is not None:
        check_integer("target_bins", owner.target_bins, owner, at_least=2)


class MeasuredAssociations:
    """Associations of typed columns, numeric and nominal, measured on demand.

    Parameters
    ----------
    training : Training
        Columns, class and weights.
    association, missing, n_jobs
        As for `featsieve.measures.class_association`.
    extra : sequence of ndarray
        More numeric columns, after those of the table.
    between : str or None
        What two numeric features are compared by; None is `association`.
    mixed : {"cut", "zero"}
        What becomes of a nominal with a numeric feature, as for
        `featsieve.measures.pairwise_association`.
    correct_chance : bool
        As for `featsieve.measures.class_association`; pairs are not corrected.
    """

    def __init__(
        self,
        training: Training,
        association: str,
        missing: str,
        n_jobs: int | None,
        *,
        extra: Sequence[NDArray[np.float64]] = (),
        between: str | None = None,
        mixed: str = "cut",
        correct_chance: bool = False,
    ) -> None:
        between = association if between is None else between
        columns = [np.ascontiguousarray(c.values) for c in training.table]
        columns += extra
        nominal = np.zeros(len(columns), dtype=bool)
        nominal[: training.table.n_columns] = [c.is_nominal for c in training.table]
        self._n_jobs = n_jobs
        settings: dict[str, Any] = {
            "association": association,
            "nominal": nominal,
            "missing": missing,
            "weights": training.weights,
            "n_jobs": n_jobs,
        }
        self.with_class: NDArray[np.float64] = class_association(
            columns, training.target.codes, correct_chance=correct_chance, **settings
        )
        settings["association"] = between
        self._pairs = PairAssociations(columns, mixed=mixed, **settings)

    def row(self, feature: int) -> NDArray[np.float64]:
        """Return one feature's association with every feature."""
        return on_grid(self._pairs.row(feature), False)

    def matrix(self) -> NDArray[np.float64]:
        """Return all of them."""
        return on_grid(self._pairs.matrix(n_jobs=self._n_jobs), False)


class SampledAssociations:
    """Means of associations over samples of rows, disjoint while rows last.

    Parameters
    ----------
    training, association, missing, n_jobs, extra, options
        As for `MeasuredAssociations`, which measures every sample.
    n_samples, sample_size, seed : int
        As for `featsieve.filters.AssociationFilter`. Columns that take one value only
        in a sample count 0 there.
    """

    def __init__(
        self,
        training: Training,
        association: str,
        missing: str,
        n_jobs: int | None,
        *,
        n_samples: int,
        sample_size: int,
        seed: int,
        extra: Sequence[NDArray[np.float64]] = (),
        **options: Any,
    ) -> None:
        plan = plan_samples(training.table.n_rows, n_samples, sample_size, seed)
        self._samples = []
        for sample in range(n_samples):
            rows = np.sort(plan.rows(sample))
            part = Training(
                training.table.take(rows),
                replace(training.target, codes=training.target.codes[rows]),
                None if training.weights is None else training.weights[rows],
            )
            columns = [column[rows] for column in extra]
            self._samples.append(
                MeasuredAssociations(
                    part, association, missing, n_jobs, extra=columns, **options
                )
            )
        self.with_class: NDArray[np.float64] = np.mean(
            [sample.with_class for sample in self._samples], axis=0
        )

    def row(self, feature: int) -> NDArray[np.float64]:
        """Return one feature's association with every feature."""
        rows = [sample.row(feature) for sample in self._samples]
        return on_grid(np.mean(rows, axis=0), False)

    def matrix(self) -> NDArray[np.float64]:
        """Return all of them."""
        matrices = [sample.matrix() for sample in self._samples]
        return on_grid(np.mean(matrices, axis=0), False)
