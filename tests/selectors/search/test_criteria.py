import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.exceptions import DataError
from featsieve.selectors.search._criteria import (
    BoostedNeighbours,
    FoldedNeighbours,
    NeighbourAccuracy,
    compared_rows,
    folds_in_order,
)
from reference import boosting as plain
from relief_tables import as_table, mixed_columns


def values(criterion, subsets):
    found = {}
    criterion.evaluate(subsets, found.__setitem__)
    return [found[i] for i in range(len(subsets))]


@settings(max_examples=60)
@given(mixed_columns(), st.integers(1, 3), st.integers(1, 4), st.integers(1, 3))
def test_leave_one_out_equals_the_reference(drawn, n_classes, k, n_jobs):
    columns, rng = drawn
    y = rng.integers(0, n_classes, len(columns[0]))
    y = np.unique(y, return_inverse=True)[1].astype(np.int32)
    rows = compared_rows(as_table(columns))
    subsets = [(j,) for j in range(len(columns))] + [tuple(range(len(columns)))]
    accuracy = NeighbourAccuracy(
        rows, y, n_neighbors=k, leave_one_out=True, n_jobs=n_jobs
    )
    z = BoostedNeighbours(
        rows, y, n_neighbors=k, n_rounds=4, vote="real", conflict=None, n_jobs=n_jobs
    )
    for subset, right, boosted in zip(
        subsets, values(accuracy, subsets), values(z, subsets), strict=True
    ):
        chosen = [columns[j] for j in subset]
        assert right == plain.right_of(chosen, y, k, lambda i: {i}) / len(y)
        expected = plain.z_of(chosen, y, lambda i: {i}, k=k, n_rounds=4, vote="real")
        assert boosted == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_folds_scale_by_their_training_rows():
    """Checked by hand on a line: 0 and 1 are of one class, 10 and 12 of the other."""
    table = as_table([np.array([0.0, 1, 10, 12, 5.4, 5.6])])
    y = np.array([0, 0, 1, 1, 1, 1], dtype=np.int32)
    splits = [(np.array([0, 1, 2, 3]), np.array([4, 5]))]
    criterion = FoldedNeighbours(table, y, splits, n_neighbors=1, n_jobs=None)
    # 5.4 is 4.4 from 1 and 4.6 from 10; 5.6 is nearer to 10.
    assert values(criterion, [(0,)]) == [0.5]
    three = FoldedNeighbours(table, y, splits, n_neighbors=4, n_jobs=None)
    # Two votes each: the class that comes first, both having two training rows.
    assert values(three, [(0,)]) == [0.0]


@settings(max_examples=40)
@given(mixed_columns(), st.integers(1, 3))
def test_folds_equal_a_loop(drawn, k):
    columns, rng = drawn
    n = len(columns[0])
    if n < 4:
        return
    y = rng.integers(0, 3, n)
    y = np.unique(y, return_inverse=True)[1].astype(np.int32)
    order = rng.permutation(n)
    train, test = order[: n // 2], order[n // 2 :]
    criterion = FoldedNeighbours(
        as_table(columns), y, [(train, test)], n_neighbors=k, n_jobs=None
    )
    everything = tuple(range(len(columns)))
    right = 0
    totals = np.bincount(y[train], minlength=y.max() + 1)
    for row in test:
        apart = np.zeros(len(train))
        for column in columns:
            a, b = column[row], column[train]
            if column.dtype.kind == "i":
                apart += (a != b) | (a < 0) | (b < 0)
                continue
            known = b[~np.isnan(b)]
            constant = len(known) == 0 or known.min() == known.max()
            square = np.zeros(len(b)) if constant else ((a - b) / np.std(known)) ** 2
            apart += np.where(np.isnan(a) | np.isnan(b), 1.0, square)
        near = apart <= np.sort(apart)[min(k, len(train)) - 1] * (1 + 1e-9)
        votes = np.bincount(y[train][near], minlength=len(totals))
        best = max(range(len(totals)), key=lambda c: (votes[c], totals[c], -c))
        right += best == y[row]
    assert values(criterion, [everything]) == [right / len(test)]


def test_boosting_needs_every_row_once():
    rows = np.arange(4)
    with pytest.raises(DataError, match="do not hold every row once"):
        folds_in_order([(rows, rows[:3])], 4)
    order, ranges = folds_in_order([(rows[2:], rows[:2]), (rows[:2], rows[2:])], 4)
    assert order.tolist() == [0, 1, 2, 3]
    assert ranges.tolist() == [[0, 2], [0, 2], [2, 4], [2, 4]]


def test_infinity_is_named():
    with pytest.raises(DataError, match="Column 'x0' holds infinity"):
        compared_rows(as_table([np.array([1.0, np.inf])]))


def test_huge_and_tiny_numbers_are_scaled():
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    y = (x > 0).astype(np.int32)
    got = []
    for factor in (1.0, 1e300, 1e-300):
        rows = compared_rows(as_table([x * factor]))
        criterion = NeighbourAccuracy(
            rows, y, n_neighbors=3, leave_one_out=True, n_jobs=None
        )
        got += values(criterion, [(0,)])
    assert got[0] == got[1] == got[2]
