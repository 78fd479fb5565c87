"""What a forest grows on: halves of rows, and which columns use each other up."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import Table, read_table
from featsieve.data.api import RowDesign
from featsieve.selectors import _forest_data
from featsieve.selectors._forest_data import (
    LEAST_ROWS,
    LEAST_UNITS,
    ForestData,
    deal_halves,
    likeness,
)


def rows_with(design, classes=None, n_rows=None):
    n_rows = len(classes) if n_rows is None else n_rows
    target = {"classes": classes, "n_classes": 3}
    if classes is None:
        target = {"numbers": np.arange(float(n_rows))}
    return ForestData(Table((), n_rows=n_rows), target, None, np.arange(0), design)


@given(st.integers(0, 999), st.integers(20, 300), st.sampled_from("fgsb"))
def test_halves_share_no_row_and_no_group(seed, n_rows, kind):
    random = np.random.default_rng(seed)
    groups = random.integers(0, random.integers(1, 60), n_rows)
    strata = groups % 3
    design = {
        "f": RowDesign(),
        "g": RowDesign(groups=groups),
        "s": RowDesign(strata=strata),
        "b": RowDesign(groups=groups, strata=strata),
    }[kind]
    classes = random.integers(0, 3, n_rows).astype(np.int32)
    halves = deal_halves(rows_with(design, classes), seed)
    n_units = len(np.unique(groups)) if design.groups is not None else n_rows
    if halves is None:
        fewest = n_rows / 2 if design.groups is None else 0
        assert n_units < 2 * LEAST_UNITS or fewest < LEAST_ROWS + 8
        return
    both = np.concatenate(halves)
    np.testing.assert_array_equal(np.sort(both), np.arange(n_rows))
    assert min(map(len, halves)) >= LEAST_ROWS
    if design.groups is not None:
        assert not set(groups[halves[0]]) & set(groups[halves[1]])
    else:
        shares = [np.bincount(classes[half], minlength=3) for half in halves]
        n_kinds = 3 if design.strata is not None else 1
        assert np.abs(shares[0] - shares[1]).max() <= 1 + 9 * (n_kinds - 1)


def test_rows_of_small_strata_stay_together():
    strata = np.repeat(np.arange(100), 2)
    halves = deal_halves(rows_with(RowDesign(strata=strata), n_rows=200), 0)
    assert not set(strata[halves[0]]) & set(strata[halves[1]])
    assert [len(half) for half in halves] == [100, 100]


def test_a_quantity_is_dealt_out_too_and_few_rows_are_not():
    halves = deal_halves(rows_with(RowDesign(), n_rows=101), 1)
    assert sorted(map(len, halves)) == [50, 51]
    assert deal_halves(rows_with(RowDesign(), n_rows=99), 1) is None


def test_some_rows_and_some_columns():
    table = read_table(np.arange(12.0).reshape(4, 3))
    target = {"classes": np.array([0, 1, 1, 0], dtype=np.int32), "n_classes": 2}
    design = RowDesign(groups=np.arange(4))
    data = ForestData(table, target, np.arange(4.0), np.array([2, 0, 1]), design)
    part = data.take(np.array([1, 3])).select(np.array([0, 2]))
    assert part.table.columns[1].values.tolist() == [5.0, 11.0]
    assert part.target["classes"].tolist() == [1, 0]
    assert part.target["n_classes"] == 2
    assert part.weights.tolist() == [1.0, 3.0]
    assert part.columns.tolist() == [2, 1]
    assert part.design.groups.tolist() == [1, 3]


def test_copies_children_and_strangers():
    random = np.random.default_rng(0)
    city = random.integers(0, 12, 400)
    x = random.normal(size=400)
    table = read_table(
        {
            "city": [f"c{code}" for code in city],
            "region": [f"r{code // 4}" for code in city],
            "x": x,
            "copy": np.exp(x),
            "near": x + 0.4 * random.normal(size=400),
            "far": x + 3 * random.normal(size=400),
            "id": [f"i{row}" for row in range(400)],
            "gaps": np.where(random.random(400) < 0.5, np.nan, random.normal(size=400)),
        },
    )
    marks = likeness(table).used_up
    found = {
        (table.names[i], table.names[j])
        for i, j in zip(*np.nonzero(marks), strict=True)
    }
    # Splitting by region leaves much of the city open.
    assert found == {
        ("region", "city"),
        ("city", "region"),
        ("x", "copy"),
        ("copy", "x"),
        ("x", "near"),
        ("near", "x"),
        ("copy", "near"),
        ("near", "copy"),
    }


def test_nothing_where_there_is_nothing_or_too_much(monkeypatch):
    X = np.random.default_rng(1).normal(size=(200, 4))
    assert likeness(read_table(X)).used_up is None
    same = read_table(np.repeat(X[:, :1], 2, axis=1))
    assert likeness(same).used_up.tolist() == [[False, True], [True, False]]
    monkeypatch.setattr(_forest_data, "MOST_FEATURES", 1)
    monkeypatch.setattr(_forest_data, "SOME_FEATURES", 1)
    assert likeness(same).used_up is None


def test_effective_number_of_features():
    random = np.random.default_rng(2)
    noise = random.normal(size=(2000, 40))
    assert likeness(read_table(noise)).n_effective == pytest.approx(40)
    factor = np.sqrt(0.95) * noise[:, :1] + np.sqrt(0.05) * noise
    assert 1 < likeness(read_table(factor)).n_effective < 2
    pairs = np.repeat(noise[:, :20] > 0, 2, axis=1).astype(float)
    # A bit that is shared counts as a correlation whose square is 3/4.
    assert likeness(read_table(pairs)).n_effective == pytest.approx(40 / 1.75, rel=0.02)
