"""Whether columns go with a set, whatever the target is."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from featsieve.inference._column_basis import Basis, TargetBasis, independent
from featsieve.inference._given import LEAST_LEFT, Given
from featsieve.inference._partial_test import harmonic_means, pillai_p_values

Numbers = NDArray[np.float64]


class Company:
    """Tests of whether columns go with a set that grows, by themselves or given more.

    Parameters
    ----------
    bases : sequence of Basis
        The columns.
    target : TargetBasis
        The target.
    given_target : bool, default=False
        Whether the target is known anyway: what columns share through it is no company.
    """

    def __init__(
        self,
        bases: Sequence[Basis],
        target: TargetBasis,
        *,
        given_target: bool = False,
    ) -> None:
        self._n_rows, n_rows = target.n_rows, len(target.directions)
        self._given = target.directions if given_target else np.empty((n_rows, 0))
        self._rests = [
            independent(self._without_given(basis.directions), math.sqrt(LEAST_LEFT))
            for basis in bases
        ]
        self._ordered = [basis.ordered for basis in bases]
        self._set = Given(n_rows)

    @property
    def rank(self) -> int:
        """The number of directions of the set."""
        return self._set.rank

    def _without_given(self, directions: Numbers) -> Numbers:
        return np.asarray(directions - self._given @ (self._given.T @ directions))

    def add(self, basis: Basis) -> None:
        """Add a column to the set."""
        self._set.add(self._without_given(basis.directions))

    def test(self, k: int) -> float:
        """Return the p-value of a column and the set having nothing in common."""
        own = self._rests[k]
        n_free = self._n_rows - 1 - self._given.shape[1]
        shared = (self._set.inner(own) ** 2).sum(axis=0)
        width = own.shape[1]
        p_value = pillai_p_values(shared.sum(), width, self.rank, n_free)
        if not self._ordered[k] or not width:
            return float(p_value)
        line = pillai_p_values(shared[0], 1, self.rank, n_free)
        return float(harmonic_means(p_value, line))
