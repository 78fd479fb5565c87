"""How rows of a selection belong together: what was said, shows, and means."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from featsieve._types import Floats, Mask
from featsieve.data import Note, Table
from featsieve.data.api import (
    ANY_ORDER,
    RowDesign,
    canonical_order,
    read_design,
    read_weights,
    take_options,
)
from featsieve.engine import derive_seed
from featsieve.exceptions import DataError
from featsieve.inference.api import look_for_dependence, to_units


class _Values:
    """Stands for values that are too many to repeat."""

    def __str__(self) -> str:
        return "(values)"


VALUES = _Values()


@dataclass(frozen=True, slots=True)
class RowWishes:
    """What was said of the rows, as it came: values, or names of columns."""

    groups: Any = "auto"
    time: Any = None
    strata: Any = None
    sample_weight: Any = None

    @property
    def is_auto(self) -> bool:
        """Whether rows are to show themselves how they belong together."""
        return isinstance(self.groups, str) and self.groups == "auto"

    @property
    def given(self) -> dict[str, Any]:
        """What was said, by the name of the option."""
        options = {
            "groups": None if self.is_auto else self.groups,
            "time": self.time,
            "strata": self.strata,
            "sample_weight": self.sample_weight,
        }
        return {name: value for name, value in options.items() if value is not None}

    @property
    def asked(self) -> dict[str, Any]:
        """All options as code can repeat them; values are called by their option."""
        options = {
            "groups": self.groups,
            "time": self.time,
            "strata": self.strata,
            "sample_weight": self.sample_weight,
        }
        return {
            name: value if value is None or isinstance(value, str) else VALUES
            for name, value in options.items()
        }

    def refuse(self, what: str) -> None:
        """Raise if something was said that cannot be heeded."""
        for name in self.given:
            message = f"select takes no {name} with {what}. Leave it out."
            raise DataError(message)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The design and weights of the rows of a table; `auto` asks the rows as well."""

    design: RowDesign = ANY_ORDER
    weights: Floats | None = None
    auto: bool = False


def settle_rows(table: Table, wishes: RowWishes) -> tuple[Table, Rows]:
    """Return the table without the columns that options name, and its rows."""
    table, columns, weights = take_options("select", table, wishes.given)
    design = read_design("select", table.n_rows, **columns)
    auto = wishes.is_auto and wishes.time is None and wishes.strata is None
    return table, Rows(design, read_weights(weights, table.n_rows), auto)


def make_units(
    table: Table, whole: Table, rows: Rows, seed: int
) -> tuple[Table, RowDesign, list[Note]]:
    """Return the units that tests are made on, their design, and notes on both.

    `whole` has all columns, identifiers among them, which show groups.
    """
    notes: list[Note] = []
    design, weights = rows.design, rows.weights
    if rows.auto and weights is None:
        for found in look_for_dependence(whole):
            notes.append(found.note)
            if found.rows is not None:
                table = table.take(found.rows)
            else:
                design = found.design
    if weights is not None:
        assert table.target is not None  # the caller has checked
        order, _ = canonical_order(table, table.target, weights)
        used = np.empty(len(weights), dtype=bool)
        used[order] = thin(weights[order], seed)
        kept = int(np.count_nonzero(used))
        text = (
            f"Rows are drawn by their weights, {kept} of {len(used)}: tests have the "
            "effective number of rows."
        )
        notes.append(Note("row_options", None, text))
        table, design = table.take(used), design.take(used)
    units = to_units(table, design, seed=derive_seed(seed, "units"))
    if units.text is not None:
        notes.append(Note("row_options", None, units.text))
    bare = replace(units.table, source_notes=())
    return bare, units.design, notes


def thin(weights: Floats, seed: int) -> Mask:
    """Return which rows stay if each does with a chance by its weight.

    Of rows as heavy as the mean weight of the weight, or heavier, all stay, so that at
    most (Σ w)² / Σ w² do, the effective number of rows. They are a plain sample of the
    weighted table.
    """
    full = float((weights**2).sum() / weights.sum())
    random = np.random.default_rng(derive_seed(seed, "weights"))
    stays: Mask = random.random(len(weights)) * full < weights
    return stays
