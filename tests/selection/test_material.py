"""Rows in an order of their own, columns as codes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from featsieve.data import Column, Table, read_table
from featsieve.data.api import ANY_ORDER, RowDesign
from featsieve.datasets import make_mixed
from featsieve.selection._material import (
    compact,
    from_zero,
    in_own_order,
    merge_levels,
    prepare,
    screen,
    shown_note,
)


def ordered(table, design=ANY_ORDER):
    """Return the material of a table in its own order."""
    table, design = in_own_order(table, design, 0, table.n_rows)
    return prepare(table, 0, None, design)


def assert_same_material(one, two):
    for mine, theirs in zip(one.table, two.table, strict=True):
        if mine.is_nominal:
            np.testing.assert_array_equal(mine.values, theirs.values)
        else:
            own, other = rankdata(mine.values), rankdata(theirs.values)
            np.testing.assert_array_equal(own, other)
    np.testing.assert_array_equal(one.classes, two.classes)
    np.testing.assert_array_equal(one.quantity, two.quantity)


def test_form_depends_on_the_content_only():
    table = make_mixed(200, random_state=0).table
    # 'dialling_code' is 'city' by other names.
    table = table.select([name for name in table.names if name != "dialling_code"])
    shuffle = np.random.default_rng(1).permutation(200)
    first = ordered(table)
    shuffled = table.take(shuffle)
    turned = shuffled.select(shuffled.names[::-1])
    assert_same_material(first, ordered(shuffled))
    third = ordered(turned)
    assert_same_material(first, third)
    assert third.table.names == first.table.names


def relabelled(column, name, random):
    """Return a column in other units, or with other names of its levels, shuffled."""
    if not column.is_nominal:
        return Column(name, column.kind, column.values * 2.54 + 32)
    code = random.permutation(column.n_levels)
    levels = tuple(f"level {k}" for k in range(column.n_levels))
    values = np.append(code, -1)[column.values].astype(np.int32)
    return Column(name, column.kind, values, levels)


@pytest.mark.parametrize("seed", range(5))
def test_form_does_not_depend_on_labels(seed):
    random = np.random.default_rng(seed)
    n = 60
    data = {
        "balanced": np.repeat(["a", "b"], n // 2),
        "many": [f"{k}" for k in random.integers(0, 30, n)],
        "three": random.choice(["x", "y", "z"], n),
        "ties": random.integers(0, 4, n).astype(float),
        "gaps": np.where(random.random(n) < 0.3, np.nan, random.normal(size=n)),
        "number": random.normal(size=n),
    }
    table = read_table(data, np.tile(["no", "yes", "perhaps"], n // 3))
    other = Table(
        tuple(relabelled(c, f"column {k}", random) for k, c in enumerate(table)),
        relabelled(table.target, "target", random),
    )
    shuffled = other.take(random.permutation(n))
    shuffled = shuffled.select(random.permutation(other.names).tolist())
    one, two = ordered(table), ordered(shuffled)
    assert_same_material(one, two)
    renamed = dict(zip(table.names, other.names, strict=True))
    assert [renamed[name] for name in one.table.names] == list(two.table.names)


def test_levels_keep_their_names():
    table = make_mixed(200, random_state=0).table
    material = ordered(table)
    for column in material.table:
        original = table[column.name]
        if not column.is_nominal:
            continue
        for code, level in enumerate(column.levels):
            place = original.levels.index(level)
            count = np.count_nonzero(original.values == place)
            assert np.count_nonzero(column.values == code) == count


def test_equal_columns_keep_the_order_of_the_table():
    random = np.random.default_rng(0)
    x = random.normal(size=50)
    data = {"b": x, "z": random.normal(size=50), "a": x * 9 / 5 + 32}
    table = read_table(data, random.integers(0, 2, 50))
    for names in (["b", "z", "a"], ["a", "z", "b"]):
        found = prepare(table.select(names), 0, None).table.names
        assert [name for name in found if name != "z"] == [n for n in names if n != "z"]


def test_groups_are_numbered_as_they_come():
    random = np.random.default_rng(0)
    groups = random.integers(0, 9, 90)
    table = read_table({"x": random.normal(size=90)}, random.integers(0, 2, 90))
    code = random.permutation(9)
    one = ordered(table, RowDesign(groups=groups))
    two = ordered(table, RowDesign(groups=code[groups]))
    np.testing.assert_array_equal(one.design.groups, two.design.groups)
    np.testing.assert_array_equal(one.classes, two.classes)


def test_minus_zero_is_zero():
    y = [0, 1, 0]
    one = read_table({"x": [0.0, 1.0, 2.0], "y": y}, "y")
    other = read_table({"x": [-0.0, 1.0, 2.0], "y": y}, "y")
    np.testing.assert_array_equal(
        ordered(one).table["x"].values,
        ordered(other).table["x"].values,
    )


def test_codes_have_a_level_for_missing_and_few_levels():
    table = make_mixed(300, random_state=0).table
    material = prepare(table, 0, None)
    codes = material.codes(3, 8)
    assert codes.dtype == np.uint8
    place = table.names.index("city")
    assert codes[:, place].max() == 7
    usage = table.names.index("data_usage_gb")
    assert codes[:, usage].max() == 3
    assert material.codes(3, 8) is codes
    assert material.levels_of(usage, 2).max() == 2


def test_quantities_become_ranks_and_classes():
    random = np.random.default_rng(0)
    y = random.normal(size=90)
    table = read_table({"x": random.normal(size=90), "y": y}, "y")
    material = prepare(table, 0, None)
    assert material.is_numeric_target
    assert material.quantity.min() == 1
    assert np.bincount(material.classes).tolist() == [30, 30, 30]
    sample = material.sample(45)
    assert sample.n_rows == 45
    assert sorted(sample.quantity.tolist()) == list(range(1, 46))
    assert material.sample(100) is material


@pytest.mark.parametrize(("n_rows", "bins"), [(20, 2), (200, 2), (400, 3), (5000, 4)])
def test_bins_leave_rows_to_the_cells(n_rows, bins):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n_rows)
    table = read_table({"x": random.normal(size=n_rows), "y": y}, "y")
    assert prepare(table, 0, None).bins_for(3) == bins


def test_rare_levels_are_taken_as_one():
    codes = np.array([0, 0, 0, 1, 1, 2, 3, -1], dtype=np.int32)[:, np.newaxis]
    merged = merge_levels(codes, 3)[:, 0]
    assert merged.tolist() == [0, 0, 0, 1, 1, 2, 2, -1]
    assert merge_levels(codes, 4) is codes
    gap = np.array([0, 9, 9], dtype=np.int32)[:, np.newaxis]
    assert merge_levels(gap, 4)[:, 0].tolist() == [0, 1, 1]


def test_bytes_where_levels_are_few():
    codes = np.array([[0, 300], [-1, 2]], dtype=np.int32)
    assert compact(codes[:, :1]).dtype == np.uint8
    assert compact(codes[:, :1])[:, 0].tolist() == [0, 1]
    assert compact(codes).dtype == np.int32
    assert from_zero(codes[:, 0]).tolist() == [0, 1]


def test_some_columns_have_the_codes_that_all_of_them_have():
    random = np.random.default_rng(0)
    n = 700
    columns = {f"x{j}": random.normal(size=n) for j in range(20)}
    columns["x3"][:50] = np.nan
    columns["many"] = [f"level {k % 300}" for k in range(n)]
    material = prepare(read_table(columns, random.integers(0, 2, n)), 0, None)
    whole = material.codes(4)
    assert whole.dtype == np.int32  # 300 levels do not fit into a byte
    some = material.codes_of((3, 19), 4)
    assert some.dtype == np.uint8
    np.testing.assert_array_equal(some, whole[:, [3, 19]])
    assert (some[:, 0] == 4).sum() == 50
    for members in [(0, 3), (3, 20, 7), (1, 2, 3, 4), (0, 1, 2, 3, 20)]:
        expected = material.codes_for(len(members))[:, list(members)]
        np.testing.assert_array_equal(material.tuple_codes(members), expected)
    material.forget_codes()
    assert material.codes(4) is not whole
    np.testing.assert_array_equal(material.codes(4), whole)


def test_ordered_columns_stand_in_for_those_of_the_table():
    table = make_mixed(120, n_noise=2, random_state=0).table
    names = table.names[1:]
    material = prepare(table.select(names), 0, 1)
    stand_in = material.stand_in(table)
    assert stand_in.names == table.names
    assert stand_in.n_rows == table.n_rows
    for mine, theirs in zip(stand_in, table, strict=True):
        assert mine.kind == theirs.kind
        assert mine.n_levels == theirs.n_levels
        assert mine.n_missing == theirs.n_missing
    held = [stand_in[name].values is material.table[name].values for name in names]
    assert all(held)
    assert material.sample(50).stand_in(table) is table


N = 40
RANDOM = np.random.default_rng(0)
DATA = {
    "constant": [3] * N,
    "empty": [None] * N,
    "one or none": [1.0, None, None, 1.0] * (N // 4),
    "number": RANDOM.permutation(N) + 100,
    "order id": RANDOM.permutation(N) * 7,
    "steps": RANDOM.permutation(N) * 7,
    "name": [f"n{k}" for k in range(N)],
    "x": RANDOM.normal(size=N),
    "gaps": [None] * 30 + list(range(10)),
    "y": [0, 1] * (N // 2),
}


def test_reasons():
    table = read_table(DATA, "y")
    found = screen(table.notes, {})
    ids = {"number", "order id", "steps", "name"}
    assert set(found.dropped) == {"constant", "empty", *ids}
    assert found.dropped["constant"].reason == "is 3 in every row"
    assert "no value" in found.dropped["empty"].reason
    assert "row number or an ID" in found.dropped["name"].reason
    assert found.usable(table) == ["one or none", "x", "gaps"]
    shown = {note["feature"]: note["severity"] for note in map(shown_note, found.notes)}
    assert shown == {"one or none": "note", "gaps": "warning"}


def test_copies_name_the_cheaper_then_the_leftmost():
    x = RANDOM.normal(size=N)
    table = read_table({"a": x, "b": x, "c": x, "y": [0, 1] * (N // 2)}, "y")
    assert screen(table.notes, {}).copies == {"b": "a", "c": "a"}
    dear = screen(table.notes, {"a": 2.0})
    assert dear.copies == {"a": "b", "c": "b"}
    assert dear.dropped["c"].reason == "is identical to column 'b'"
    assert screen(table.notes, {"a": 2.0, "b": 2.0}).copies == {"a": "c", "b": "c"}


def test_what_is_said_of_a_column_that_is_gone_is_left_out():
    x = np.where(np.arange(N) < 30, np.nan, RANDOM.normal(size=N))
    table = read_table({"a": x, "b": x, "y": [0, 1] * (N // 2)}, "y")
    assert [note.column for note in screen(table.notes, {}).notes] == ["a"]
    assert [note.column for note in screen(table.notes, {"a": 1}).notes] == ["b"]


def test_many_levels_and_dates_are_noted_not_dropped():
    n = 2600
    days = np.datetime64("2020-01-01") + np.arange(n)
    levels = [f"v{k // 2}" for k in range(n)]
    table = read_table({"day": days, "level": levels, "y": [0, 1] * (n // 2)}, "y")
    found = screen(table.notes, {})
    assert not found.dropped
    assert {note.column for note in found.notes} == {"day", "level"}
