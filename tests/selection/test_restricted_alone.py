"""Single columns where rows may not be exchanged freely."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.data.api import RowDesign
from featsieve.selection._material import prepare
from featsieve.selection._restricted_alone import restricted_alone


@pytest.mark.parametrize("classes", [False, True])
def test_effects_are_found_and_what_groups_share_is_not(classes):
    random = np.random.default_rng(0)
    groups = np.repeat(np.arange(30), 8)
    shared = random.normal(size=(30, 3))[groups] * 3
    x = random.normal(size=240)
    y = x + random.normal(size=30)[groups] * 3 + random.normal(size=240)
    columns = {
        "x": x + shared[:, 0],
        "n": np.where(x > 0, "u", "v"),
        "noise": shared[:, 1] + random.normal(size=240),
        "own": shared[:, 2],
        "flat": np.ones(240),
        "y": np.where(y > 0, "b", "a") if classes else y,
    }
    table = read_table(columns, "y")
    material = prepare(table, 0, 1, RowDesign(groups=groups))
    p_values = restricted_alone(material)
    assert (p_values[:2] < 1e-3).all()
    assert (p_values[2:4] > 1e-3).all()
    assert p_values[4] == 1


def test_uniform_under_the_null():
    """200 p-values; at 0.05, 22 or more have a chance of 4e-4, if none depend."""
    found = []
    for seed in range(20):
        random = np.random.default_rng([seed, 1])
        groups = np.repeat(np.arange(30), 6)
        shared = random.normal(size=(30, 11))[groups] * 2
        values = shared + random.normal(size=(180, 11))
        columns = {f"x{j}": values[:, j] for j in range(10)}
        y = values[:, 10] if seed % 2 else np.where(values[:, 10] > 0, "b", "a")
        table = read_table(columns | {"y": y}, "y")
        material = prepare(table, seed, 1, RowDesign(groups=groups))
        found.append(restricted_alone(material))
    p_values = np.concatenate(found)
    assert np.count_nonzero(p_values <= 0.05) < 22
    assert np.count_nonzero(p_values <= 0.5) > 70
