"""Typed columns as numbers, for learners that know nothing else."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from featsieve.data import Table

__all__ = ["MatrixEncoder", "reads_typed_tables"]


class MatrixEncoder:
    """Learn from training rows how to turn a table into numbers without gaps.

    Missing numbers become the median of the training rows (0 if there is none).
    Nominal columns become one column of codes each, missing being a code of its own,
    or one column per level seen in training; a level seen later only is none of them.

    Parameters
    ----------
    one_hot : bool
        One column per level instead of one per feature.
    """

    def __init__(self, *, one_hot: bool) -> None:
        self.one_hot = one_hot

    def fit(self, table: Table) -> Self:
        """Learn medians and levels."""
        self._numeric = [c.name for c in table if not c.is_nominal]
        self._nominal = [c.name for c in table if c.is_nominal]
        if self._numeric:
            self._imputer = SimpleImputer(strategy="median", keep_empty_features=True)
            self._imputer.fit(_columns(table, self._numeric))
        if self._nominal and self.one_hot:
            self._levels = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
            self._levels.fit(_columns(table, self._nominal))
        return self

    def transform(self, table: Table) -> NDArray[np.float64]:
        """Return the numbers; with codes, columns are in the order of the table."""
        parts: dict[str, NDArray[np.float64]] = {}
        if self._numeric:
            filled = self._imputer.transform(_columns(table, self._numeric))
            parts |= dict(zip(self._numeric, filled.T, strict=True))
        if not self.one_hot:
            parts |= {name: table[name].values.astype(float) for name in self._nominal}
            return np.column_stack([parts[name] for name in table.names])
        blocks: list[Any] = [parts[name][:, None] for name in self._numeric]
        if self._nominal:
            blocks.append(self._levels.transform(_columns(table, self._nominal)))
        return np.hstack(blocks)


def reads_typed_tables(estimator: Any) -> bool:
    """Whether an estimator is one of ours, which know nominal and missing values."""
    return any(
        kind.__module__.partition(".")[0] == "featsieve"
        for kind in type(estimator).__mro__
    )


def _columns(table: Table, names: list[str]) -> NDArray[np.float64]:
    return np.column_stack([table[name].values for name in names]).astype(np.float64)
