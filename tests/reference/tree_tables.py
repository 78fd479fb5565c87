"""Tables for trees: read as samples, or drawn by Hypothesis."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from featsieve.data import Column, ColumnKind, Table
from reference.trees import Sample


def sample_of(table, rows=slice(None)):
    """The reference grower's view of a Table with a target."""
    target = table.target
    return Sample(
        [column.values[rows] for column in table],
        [column.n_levels if column.is_nominal else None for column in table],
        target.values[rows],
        target.n_levels if target.is_nominal else None,
    )


def table_of(sample):
    """A Table as it was before rows of weight 0 were left out, and the weights."""
    columns, target, weights = sample.given
    columns = tuple(
        _column(f"x{i}", values, n_levels)
        for i, (values, n_levels) in enumerate(zip(columns, sample.levels, strict=True))
    )
    return Table(columns, _column("y", target, sample.n_classes)), weights


def _column(name, values, n_levels):
    if n_levels is None:
        return Column(name, ColumnKind.NUMERIC, np.asarray(values, dtype=np.float64))
    levels = tuple(f"level {code}" for code in range(n_levels))
    return Column(name, ColumnKind.NOMINAL, np.asarray(values, dtype=np.int32), levels)


def numbers(n_rows, missing):
    """Few distinct numbers, so that ties are many; a constant column is one of them."""
    value = st.sampled_from([-1.0, 0.0, 0.25, 1.0, 2.0, 3.5, 1e4])
    wide = st.integers(-50, 50).map(float)
    near = st.sampled_from([1.0, 1.0 + 5e-6, 1.0 + 2e-5, 2.0])
    gap = [st.just(float("nan"))] if missing else []
    kinds = [value, wide, near, st.just(1.0)]
    return st.sampled_from(kinds).flatmap(
        lambda kind: st.lists(
            st.one_of(kind, kind, kind, *gap), min_size=n_rows, max_size=n_rows
        ).map(lambda values: (np.array(values, dtype=float), None))
    )


def codes(n_rows, missing):
    """Codes of a nominal column; declared levels need not occur."""

    def of(n_levels):
        code = st.integers(0, n_levels - 1)
        gap = [st.just(-1)] if missing else []
        column = st.lists(
            st.one_of(code, code, code, *gap), min_size=n_rows, max_size=n_rows
        )
        return column.map(lambda values: (np.array(values, dtype=np.int32), n_levels))

    return st.integers(1, 4).flatmap(of)


def weightings(n_rows):
    """No weights, small whole ones or real ones, zeros among them."""
    whole = st.sampled_from([0.0, 1.0, 1.0, 2.0, 3.0])
    real = st.sampled_from([0.0, 0.1, 0.25, 0.3, 1.0, 1.7, 2.5])
    lists = [
        st.lists(kind, min_size=n_rows, max_size=n_rows)
        .filter(any)
        .map(lambda weights: np.array(weights, dtype=float))
        for kind in (whole, real)
    ]
    return st.one_of(st.none(), *lists)


@st.composite
def samples(draw, *, regression=False, no_class=False, least_rows=1, most_columns=4):
    """A small table: ties, missing values, weights, constant columns, one class.

    With `no_class`, some rows may lack their class.
    """
    n_rows = draw(st.integers(least_rows, 40))
    missing = draw(st.booleans())
    columns = draw(
        st.lists(
            st.one_of(numbers(n_rows, missing), codes(n_rows, missing)),
            min_size=1,
            max_size=most_columns,
        )
    )
    if regression:
        n_classes = None
        value = draw(st.sampled_from([st.integers(0, 5), st.integers(-1000, 1000)]))
        values = draw(st.lists(value, min_size=n_rows, max_size=n_rows))
        target = np.array(values, dtype=float)
    else:
        n_classes = draw(st.integers(1, 3))
        least = draw(st.sampled_from([0, 0, -1])) if no_class else 0
        value = st.integers(least, n_classes - 1)
        target = np.array(draw(st.lists(value, min_size=n_rows, max_size=n_rows)))
        target = target.astype(np.int32)
    weights = draw(weightings(n_rows))
    return Sample(
        [column for column, _ in columns],
        [levels for _, levels in columns],
        target,
        n_classes,
        weights,
    )
