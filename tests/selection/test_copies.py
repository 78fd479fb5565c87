"""Near copies: when two columns are one, and which of them stays."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from featsieve.data import read_table
from featsieve.selection import _copies
from featsieve.selection._copies import find_copies
from featsieve.selection._material import prepare
from reference.redundancy import plain_uncertainty


def material_of(columns, y=None):
    """Return material of columns; codes become the names of levels."""
    texts = {
        name: values
        if np.issubdtype(np.asarray(values).dtype, np.floating)
        else [f"{code:02d}" for code in values]
        for name, values in columns.items()
    }
    if y is None:
        y = np.arange(len(next(iter(columns.values())))) % 2
    return prepare(read_table(texts, y), 0, 1)


def copies_of(columns, preference=None):
    material = material_of(columns)
    n = material.n_features
    return find_copies(material, range(n), preference or [(0, 0.0)] * n)


def with_errors(n_errors, n=1000):
    x = np.tile([0, 1], n // 2)
    copy = x.copy()
    copy[:n_errors] = 1 - copy[:n_errors]
    return {"x": x, "copy": copy}


def test_nominal_columns_are_one_from_097_on():
    for n_errors, uncertainty, one in ((2, 0.979, True), (4, 0.962, False)):
        columns = with_errors(n_errors)
        expected, _ = plain_uncertainty(*(v.tolist() for v in columns.values()))
        assert expected == pytest.approx(uncertainty, abs=1e-3)
        found = copies_of(columns)
        assert (1 in found) == one
        if one:
            assert found[1] == (0, pytest.approx(expected))


def with_a_swap(apart, n=50):
    """Return ranks with two exchanged, and Spearman's formula."""
    x = np.arange(n) + 0.5
    copy = x.copy()
    copy[[10, 10 + apart]] = copy[[10 + apart, 10]]
    return {"x": x, "copy": -copy}, 1 - 12 * apart**2 / (n**3 - n)


def test_numbers_are_one_from_a_correlation_of_ranks_of_099_on():
    columns, rho = with_a_swap(10)
    assert rho == pytest.approx(0.9904, abs=1e-4)
    assert copies_of(columns) == {1: (0, pytest.approx(rho))}
    columns, rho = with_a_swap(11)
    assert rho == pytest.approx(0.9884, abs=1e-4)
    assert copies_of(columns) == {}


@pytest.mark.parametrize(
    ("columns", "name"),
    [(with_a_swap(10)[0], "SAME_CORRELATION"), (with_errors(2), "SAME_UNCERTAINTY")],
)
def test_bounds_are_reached_by_equality(monkeypatch, columns, name):
    exactly = copies_of(columns)[1][1]
    monkeypatch.setattr(_copies, name, exactly)
    assert 1 in copies_of(columns)
    monkeypatch.setattr(_copies, name, np.nextafter(exactly, 2))
    assert copies_of(columns) == {}


@pytest.mark.parametrize(("known", "one"), [(9, False), (10, True)])
def test_nine_rows_show_no_correlation(known, one):
    x = np.arange(40) + 0.5
    x[known:] = np.nan
    assert bool(copies_of({"x": x, "twice": 2 * x})) == one


@pytest.mark.parametrize(("every", "one"), [(5, False), (4, True)])
def test_a_quarter_of_the_rows_must_be_common(every, one):
    x = np.arange(2000) + 0.5
    some = np.where(np.arange(2000) % every == 0, x, np.nan)
    assert bool(copies_of({"x": x, "some": some})) == one


def test_gaps_at_one_end_do_not_hide_a_copy():
    """Ranks among all known rows are not those among common rows, but near them."""
    x = np.random.default_rng(0).normal(size=500)
    copy = np.where(x > 0.5, np.nan, x**3)
    assert copies_of({"x": x, "copy": copy}) == {1: (0, pytest.approx(1.0))}


def test_correlations_are_spearmans_on_common_rows():
    random = np.random.default_rng(1)
    x = random.normal(size=300)
    copy = x + 0.05 * random.normal(size=300)
    x[random.random(300) < 0.1] = np.nan
    copy[random.random(300) < 0.1] = np.nan
    common = ~np.isnan(x + copy)
    rho = stats.spearmanr(x[common], copy[common]).statistic
    assert rho > 0.99
    assert copies_of({"x": x, "copy": copy}) == {1: (0, pytest.approx(rho))}


def test_kinds_are_not_mixed_up():
    # A number and a nominal column are compared by uncertainty, not by ranks.
    x = np.tile([1.5, 2.5, 3.5], 100)
    word = np.tile([2, 0, 1], 100)
    assert copies_of({"x": x, "word": word}) == {1: (0, pytest.approx(1.0))}


def test_the_preferred_one_stays_and_the_nearest_is_named():
    random = np.random.default_rng(2)
    x = random.normal(size=400)
    near = x + 0.03 * random.normal(size=400)
    nearer = x + 0.01 * random.normal(size=400)
    columns = {"near": near, "nearer": nearer, "x": x}
    assert {j: by for j, (by, _) in copies_of(columns).items()} == {1: 0, 2: 0}
    found = copies_of(columns, [(1, 0.0), (0, 5.0), (0, 1.0)])
    assert {j: by for j, (by, _) in found.items()} == {0: 2, 1: 2}


def test_what_is_near_a_copy_only_stays():
    """A chain of neighbours is not one column: the ends differ."""
    random = np.random.default_rng(3)
    x = random.normal(size=2000)
    middle = x + 0.12 * random.normal(size=2000)
    end = middle + 0.12 * random.normal(size=2000)
    columns = {"x": x, "middle": middle, "end": end}
    found = copies_of(columns)
    assert list(found) == [1]
    found = copies_of(columns, [(1, 0.0), (0, 0.0), (1, 0.0)])
    assert sorted(found) == [0, 2]


def test_blocks_change_nothing(monkeypatch):
    random = np.random.default_rng(4)
    base = random.normal(size=(100, 3))
    columns = {
        f"x{k}": base[:, k % 3] + 0.03 * random.normal(size=100) for k in range(9)
    }
    whole = copies_of(columns)
    assert len(whole) == 6
    monkeypatch.setattr(_copies, "BLOCK", 2)
    assert copies_of(columns) == whole


def test_only_columns_that_are_asked_for():
    columns, _ = with_a_swap(5)
    material = material_of(columns | {"other": columns["x"] ** 2})
    assert find_copies(material, [1, 2], [(0, 0.0)] * 3) == {
        2: (1, pytest.approx(0.998, abs=1e-3))
    }
    assert find_copies(material, [1], [(0, 0.0)] * 3) == {}
