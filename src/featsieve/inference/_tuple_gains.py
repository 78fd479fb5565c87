"""Joint gains of sets of features, remembered, because subset searches ask again."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.measures import information_gain, joint_codes

#: Joint codes that are kept at a time; each is one int32 per row.
REMEMBERED_CODES = 256


class TupleGains:
    """What sets of features tell about a class together.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_features)
        Codes; negative is missing.
    classes : ndarray of int32 of shape (n_rows,)
        Class codes.
    missing : {"level", "ignore"}
        Whether missing is one more level, or rows with any missing value of the set
        are left out.
    weights : ndarray of float64 of shape (n_rows,) or None
        Weight of each row.
    """

    def __init__(
        self,
        codes: NDArray[Any],
        classes: NDArray[np.int32],
        missing: str,
        weights: NDArray[np.float64] | None,
    ) -> None:
        self.codes = codes
        self.classes = classes
        self.missing = missing
        self.weights = weights
        self._gains: dict[tuple[int, ...], float] = {(): 0.0}
        self._joint = functools.lru_cache(maxsize=REMEMBERED_CODES)(self._join)

    def __call__(self, features: Iterable[int]) -> float:
        """Return the joint gain of a set of features, in bits."""
        key = tuple(sorted(set(features)))
        if key not in self._gains:
            self._gains[key] = float(
                information_gain(
                    self.cells(key),
                    self.classes,
                    weights=self.weights,
                    missing="ignore",
                )
            )
        return self._gains[key]

    def cells(self, features: Iterable[int]) -> NDArray[np.int32]:
        """Return the joint value of a set of features in every row, as one code."""
        return self._joint(tuple(sorted(set(features))))

    def _join(self, key: tuple[int, ...]) -> NDArray[np.int32]:
        cells = np.zeros(len(self.classes), dtype=np.int32)
        unknown = np.zeros(len(cells), dtype=bool)
        n_cells = 1
        for feature in key:
            column = self.codes[:, feature]
            unknown |= column < 0
            # Once every row is a cell of its own, more features divide nothing.
            if n_cells < len(cells):
                cells = joint_codes(cells, column)
                n_cells = int(cells.max()) + 1
        if self.missing == "ignore":
            cells[unknown] = -1
        return cells

    def best_partition(
        self, features: Iterable[int]
    ) -> tuple[float, tuple[tuple[int, ...], ...]]:
        """Return the most that a split of the set into parts tells, and the parts.

        Definition 4 of the BIFS thesis: a set is a real interaction if it tells more
        than every partition of it into at least two parts, the gains of whose parts are
        added. Found by recursion over subsets, O(3^k).
        """
        whole = tuple(sorted(set(features)))

        @functools.cache
        def best(
            members: tuple[int, ...],
        ) -> tuple[float, tuple[tuple[int, ...], ...]]:
            return max(
                (self(members), (members,)),
                split(members),
                key=lambda found: found[0],
            )

        def split(
            members: tuple[int, ...],
        ) -> tuple[float, tuple[tuple[int, ...], ...]]:
            champion: tuple[float, tuple[tuple[int, ...], ...]] = (-np.inf, ())
            first, others = members[0], members[1:]
            # The part that holds the first member, and the best of what is left.
            for size in range(len(others)):
                for some in itertools.combinations(others, size):
                    rest = tuple(m for m in others if m not in some)
                    gain, parts = best(rest)
                    total = self((first, *some)) + gain
                    if total > champion[0] + 1e-12:
                        champion = (total, ((first, *some), *parts))
            return champion

        if len(whole) < 2:
            return 0.0, ()
        return split(whole)
