"""Small mixed tables with ties and gaps, for tests of Relief."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from featsieve.data import Column, ColumnKind, Table


@st.composite
def mixed_columns(draw):
    """Columns of floats (NaN is missing) and of int32 codes (-1 is missing)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 30))
    columns = []
    for kind in draw(st.lists(st.sampled_from("nctgh"), min_size=1, max_size=6)):
        if kind in "cg":
            column = rng.integers(0, draw(st.integers(1, 4)), n).astype(np.int32)
        elif kind == "n":
            column = rng.normal(size=n)
        else:
            column = rng.integers(0, 4, n) / 3
        if kind in "gh":
            column[rng.random(n) < draw(st.sampled_from([0.1, 0.5, 1]))] = (
                -1 if kind == "g" else np.nan
            )
        columns.append(column)
    return columns, rng


def as_table(columns):
    return Table(
        tuple(
            Column(f"x{j}", ColumnKind.NOMINAL, column, tuple("abcd"))
            if column.dtype.kind == "i"
            else Column(f"x{j}", ColumnKind.NUMERIC, column)
            for j, column in enumerate(columns)
        )
    )
