"""The forest's evidence, and where a column matters."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.selection import _auto
from featsieve.selection._alone import judge_alone
from featsieve.selection._context import find_place, judge_in_context, trees_for
from featsieve.selection._material import prepare


def local_table(n=1200, gaps=False):
    """x matters for rows of part p3 only, z for small values of w only."""
    random = np.random.default_rng(0)
    part = random.integers(0, 6, n)
    x, w, z = random.normal(size=(3, n))
    y = np.where(part == 3, x > 0, random.random(n) < 0.5)
    other = np.where(w < -0.6, z > 0, random.random(n) < 0.5)
    if gaps:
        w[w < -0.6] = np.nan
    parts = [f"p{v}" for v in part]
    return {"part": parts, "x": x, "w": w, "z": z}, y, other


def judged(data, y):
    material = prepare(read_table(data, y.astype(str)), 0, None)
    return material, judge_alone(material, None)


def test_place_is_a_level_of_a_nominal_guide():
    data, y, _ = local_table()
    material, alone = judged(data, y)
    place = find_place(material, alone, 1, [1, 0, 2])
    assert place.words == "part = p3"
    assert place.found.gain > 0.4


def test_place_is_a_range_of_a_numeric_guide():
    data, _, other = local_table()
    material, alone = judged(data, other)
    place = find_place(material, alone, 3, [2])
    low, high = (float(word) for word in place.words.split()[2::2])
    assert place.words.startswith("w between ")
    assert low < -2
    assert -0.9 < high < -0.4


def test_place_may_be_where_the_guide_is_missing():
    data, _, other = local_table(gaps=True)
    material, alone = judged(data, other)
    assert find_place(material, alone, 3, [2]).words == "w is missing"


def test_quantities_have_places_too():
    data, _, _ = local_table()
    random = np.random.default_rng(1)
    part = np.array(data["part"])
    y = np.where(part == "p2", data["x"], random.normal(size=len(part)))
    material = prepare(read_table(data, y), 0, None)
    alone = judge_alone(material, None)
    assert find_place(material, alone, 1, [0]).words == "part = p2"


def test_no_guide_no_place():
    data, y, _ = local_table(60)
    material, alone = judged(data, y)
    assert find_place(material, alone, 1, [1]) is None


def test_forest_takes_quantities_and_counts_its_trees():
    random = np.random.default_rng(0)
    x = random.normal(size=(150, 3))
    data = {f"x{j}": x[:, j] for j in range(3)}
    material = prepare(read_table(data, x[:, 1] * 2), 0, None)
    found = judge_in_context(material, material.n_rows, 60)
    assert found.n_trees == 60
    assert found.p_values[1] < 1e-4 < found.p_values[[0, 2]].min()
    assert (trees_for(3), trees_for(300), trees_for(9999)) == (200, 600, 1000)


@pytest.fixture
def found_by_the_forest_only(monkeypatch):
    """Make the forest sure of x, so that the other stages need not be."""

    def sure(material, n_rows, n_trees=None):
        context = judge_in_context(material, n_rows, n_trees or 20)
        p_values = np.ones(material.n_features)
        p_values[material.table.names.index("x")] = 1e-9
        return dataclasses.replace(context, p_values=p_values)

    monkeypatch.setattr(_auto, "judge_in_context", sure)


@pytest.mark.usefixtures("found_by_the_forest_only")
def test_verdict_says_where():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 200)
    data = {"strong": y + random.normal(size=200), "x": random.normal(size=200)}
    selection = featsieve.select(data, y, verbose=False)
    assert selection.features == ["strong", "x"]
    assert selection.verdict("x") == "relevant locally"
    text = selection.explain("x")
    assert "relevant locally (strong between " in text
    assert "gains more than shuffled copies of itself do (p below 0.0001)" in text
    alone = featsieve.select({"x": data["x"]}, y, verbose=False)
    assert "behind other features in a forest" in alone.explain("x")
