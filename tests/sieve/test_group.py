"""Columns that only all together can be told from chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.reference.group import plain_likeness, plain_statistic

import featsieve
from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.datasets import make_corral
from featsieve.sieve import Selection
from featsieve.sieve._group import (
    MOST_ROWS,
    find_group,
    independence_test,
    likeness_of_rows,
)
from featsieve.sieve._material import Material, prepare


@pytest.fixture(scope="module")
def corral():
    """Return 26 rows in which a class shows that no single column does."""
    return make_corral(26, random_state=5).table


def noise(seed, n_rows=30, n_columns=8, quantity=False):
    random = np.random.default_rng(seed)
    columns = {f"x{j}": random.normal(size=n_rows) for j in range(n_columns // 2)}
    for j in range(n_columns // 2, n_columns):
        columns[f"x{j}"] = random.choice(list("abc"), n_rows)
    classes = random.permutation(np.arange(n_rows) % 2).astype(str)
    target = random.normal(size=n_rows) if quantity else classes
    return prepare(read_table(columns, target), 0, 1)


def one_stratum(material):
    return np.zeros(material.n_rows, dtype=np.int32)


def p_value(material, strata=None, level=0.01):
    strata = one_stratum(material) if strata is None else strata
    columns = list(range(material.n_features))
    return independence_test(material, columns, strata, level)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(4, 12))
def test_likeness_equals_the_plain_version(seed, n_rows):
    random = np.random.default_rng(seed)
    numbers = random.integers(0, 5, n_rows).astype(float)
    numbers[random.random(n_rows) < 0.2] = np.nan
    words = random.integers(-1, 3, n_rows).astype(np.int32)
    table = Table(
        (
            Column("number", ColumnKind.NUMERIC, numbers),
            Column("word", ColumnKind.NOMINAL, words, ("a", "b", "c")),
        )
    )
    classes = np.arange(n_rows, dtype=np.int32) % 2
    material = Material(table, classes, 2, None, 0, 1)
    fast = likeness_of_rows(material, [0, 1])
    plain = plain_likeness([numbers.tolist(), [str(w) for w in words]])
    np.testing.assert_allclose(fast, plain, atol=1e-12)
    assert abs(fast.sum(axis=0)).max() < 1e-9


def test_p_value_is_the_share_of_permutations_that_are_as_alike():
    material = noise(3, n_rows=7, n_columns=4)
    alike = likeness_of_rows(material, [0, 1, 2, 3]).tolist()
    exact = plain_statistic(alike, material.classes.tolist())
    # A level of 1 never ends early.
    assert p_value(material, level=1.0) == pytest.approx(exact, abs=0.05)


@pytest.mark.parametrize("quantity", [False, True])
def test_level_is_kept_on_noise(quantity):
    found = sum(
        p_value(noise(seed, n_rows=24, quantity=quantity), level=0.1) <= 0.1
        for seed in range(150)
    )
    assert 4 <= found <= 27  # 15 are expected


def test_strata_are_taken_as_known():
    random = np.random.default_rng(0)
    known = random.integers(0, 2, 60)
    copy = np.where(random.random(60) < 0.9, known, 1 - known)
    other = random.integers(0, 2, 60)
    classes = np.where(random.random(60) < 0.9, known, 1 - known).astype(str)
    table = read_table({"copy": copy.astype(str), "other": other.astype(str)}, classes)
    material = prepare(table, 0, 1)
    strata = prepare(
        read_table({"known": known.astype(str)} | _texts(table), classes), 0, 1
    )
    assert p_value(material) < 0.01
    given = strata.levels_of(0, 2)
    assert independence_test(strata, [1, 2], given, 0.01) > 0.05


def _texts(table):
    return {
        column.name: [column.levels[code] for code in column.values] for column in table
    }


def test_what_none_shows_all_do(corral):
    selection = featsieve.select(corral, progress=False)
    kept = set(selection.features)
    assert {"A0", "A1", "B0", "B1"} <= kept
    row = selection.ledger.set_index("feature").loc["A0"]
    assert row["verdict"] == "relevant together"
    assert row["p_value"] > row["threshold"]
    assert set(row["partners"]) == kept - {"A0"}
    assert "rows are too few to say which" in row["note"]
    text = selection.explain("A0")
    assert "It is kept as one of a group: all that were undecided tell more" in text
    assert Selection.from_json(selection.to_json()).explain("A0") == text


def test_limit_holds_for_groups(corral):
    selection = featsieve.select(corral, max_features=2, progress=False)
    assert len(selection.features) == 2
    assert "over the limit" in selection.ledger["verdict"].tolist()


def test_rows_in_another_order_give_the_same_group(corral):
    there = featsieve.select(corral, progress=False)
    back = featsieve.select(corral.take(np.arange(26)[::-1]), progress=False)
    assert back.features == there.features


def test_nothing_is_asked_of_many_rows_or_of_no_columns():
    many = noise(0, n_rows=MOST_ROWS + 1)
    assert find_group(many, [], [0, 1], np.ones(8), 0.05) is None
    assert find_group(noise(0), [0], [], np.ones(8), 0.05) is None


def test_what_is_kept_may_leave_no_rows_to_compare():
    assert find_group(noise(1), list(range(6)), [6, 7], np.ones(8), 0.05) is None
