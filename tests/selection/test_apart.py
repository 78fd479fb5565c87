"""Which columns are apart from those before them."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.data.api import RowDesign
from featsieve.inference.api import product_basis
from featsieve.selection import _apart
from featsieve.selection._apart import (
    basis_of,
    count_apart,
    describe,
    most_given,
    target_basis,
)
from featsieve.selection._material import prepare
from selection.test_redundancy import material_of, outcome


def test_counts_are_of_columns_that_tell_something_of_their_own():
    random = np.random.default_rng(12)
    a, b = random.normal(size=(2, 500))
    copies = {f"a{k}": a + 0.5 * random.normal(size=500) for k in range(3)}
    noise = random.normal(size=500)
    y = outcome(random, a + b, False)
    material = material_of({"a": a, **copies, "b": b, "noise": noise}, y)
    assert count_apart(material, [0, 1, 2, 3, 4, 5]) == [1, 1, 1, 1, 2, 3]
    assert count_apart(material, [5, 0, 4]) == [1, 2, 3]
    assert count_apart(material, []) == []


def test_counts_do_not_depend_on_what_follows():
    random = np.random.default_rng(13)
    x = random.normal(size=(200, 8)) + random.normal(size=(200, 1))
    columns = {f"x{j}": x[:, j] for j in range(8)}
    material = material_of(columns, outcome(random, x[:, 0], True))
    whole = count_apart(material, list(range(8)))
    for end in range(8):
        assert count_apart(material, list(range(end))) == whole[:end]


@pytest.mark.parametrize(
    ("company", "adds", "counts"),
    [
        (0.0101, 1.0, [1, 2, 3]),
        (0.01, 1.0, [0, 0, 0]),
        (0.01, 0.01, [1, 2, 3]),
        (0.01, 0.0101, [0, 0, 0]),
    ],
)
def test_columns_count_apart_at_one_in_a_hundred(monkeypatch, company, adds, counts):
    random = np.random.default_rng(0)
    columns = {name: random.normal(size=60) for name in "abc"}
    material = material_of(columns, random.normal(size=60))
    monkeypatch.setattr(_apart.Company, "test", lambda *_: company)
    monkeypatch.setattr(_apart.GrowingSet, "test_one", lambda *_: adds)
    assert count_apart(material, [0, 1, 2]) == counts


def in_groups(numeric):
    """Return 60 rows of three columns in 12 groups whose target varies inside."""
    random = np.random.default_rng(5)
    groups = np.repeat(np.arange(12), 5)
    columns = {f"x{j}": random.normal(size=60) + groups for j in range(3)}
    y = random.normal(size=60) if numeric else random.permutation(np.arange(60) % 3)
    table = read_table(columns, y)
    return prepare(table, 0, 1, RowDesign(groups=groups)), groups


@pytest.mark.parametrize("numeric", [False, True])
def test_all_directions_are_about_the_means_of_groups(numeric):
    material, _ = in_groups(numeric)
    units = material.units
    assert units.max() == 11
    found = describe(material, [0, 1], [(0, 2)], 60)
    assert len(found) == 3
    for basis in (basis_of(material, 0, 1), target_basis(material), *found):
        assert basis.directions.shape[1] > 0
        for direction in basis.directions.T:
            means = np.bincount(units, weights=direction) / 5
            np.testing.assert_allclose(means, 0, atol=1e-12)
    assert target_basis(material).n_rows == 60 - 11


def test_a_quarter_of_the_rows_that_groups_leave_may_be_given():
    material, _ = in_groups(True)
    assert most_given(material) == (60 - 11) // 4
    alone = material_of({"x": np.arange(60.0)}, np.arange(60.0))
    assert most_given(alone) == 60 // 4


@pytest.mark.parametrize(("numeric", "n_classes"), [(False, 3), (True, 1)])
def test_rows_classes_and_columns_bound_how_fine_a_description_is(
    monkeypatch, numeric, n_classes
):
    asked = []
    monkeypatch.setattr(_apart, "detail_for", lambda *given: asked.append(given) or 1)
    material, _ = in_groups(numeric)
    describe(material, [0, 2], [], 60)
    describe(material, [], [(0, 1)], 60)
    assert asked == [(60, n_classes, 2), (60, n_classes, 1)]


def test_the_finest_description_that_fits_is_taken():
    random = np.random.default_rng(6)
    columns = {f"x{j}": random.normal(size=400) for j in range(3)}
    material = material_of(columns, random.normal(size=400))
    joint = product_basis(material.tuple_codes((0, 1)))
    widths = []
    for detail in (2, 1, 0):
        own = [basis_of(material, j, detail) for j in (0, 1)]
        widths.append(sum(each.directions.shape[1] for each in (*own, joint)))
        found = describe(material, [0, 1], [(0, 1)], widths[-1])
        for basis, expected in zip(found, (*own, joint), strict=True):
            np.testing.assert_array_equal(basis.directions, expected.directions)
    assert widths == sorted(set(widths), reverse=True)
    for place in (0, 1):  # one direction less than the finer one needs
        found = describe(material, [0, 1], [(0, 1)], widths[place] - 1)
        told = sum(each.directions.shape[1] for each in found)
        assert told == widths[place + 1]
    assert describe(material, [0, 1], [(0, 1)], widths[-1] - 1) == []


def test_columns_join_as_lines(monkeypatch):
    random = np.random.default_rng(7)
    material = material_of({"x": random.normal(size=400)}, random.normal(size=400))
    asked = []
    monkeypatch.setattr(
        _apart, "basis_of", lambda *given: asked.append(given) or basis_of(*given)
    )
    assert count_apart(material, [0]) == [1]
    assert asked == [(material, 0, 0)]


def test_levels_and_shares_are_those_that_are_documented():
    assert (_apart.ENTER, _apart.STAY, _apart.COMPANY) == (0.05, 0.01, 0.01)
