"""Columns that were set aside come back if a forest misses them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.datasets import make_copies
from featsieve.sieve import _auto
from featsieve.sieve._material import prepare
from featsieve.sieve._redundancy import Displaced, Redundancy
from featsieve.sieve._second_look import NEAR_COPY, bring_back


def set_aside(gain=0.01, association=0.1, p_value=0.5):
    return Displaced((0,), association, gain, p_value, "adds next to nothing")


def material_of(columns, y, seed=0):
    return prepare(read_table(columns, y), seed, 1)


@pytest.fixture(scope="module")
def needed():
    """Return three columns of which the class needs two; the third is noise."""
    random = np.random.default_rng(0)
    a, b, noise = random.normal(size=(3, 300))
    classes = np.where(a + b > 0, "yes", "no")
    return material_of({"a": a, "b": b, "noise": noise}, classes)


def test_what_a_forest_misses_comes_back_and_no_more(needed):
    found = Redundancy([0], {1: set_aside(0.02), 2: set_aside(0.01)})
    after = bring_back(needed, found)
    assert after.kept == [0, 1]
    assert list(after.displaced) == [2]
    assert list(after.returned) == [1]
    assert found.kept == [0]  # what came in stays as it was


def test_those_that_add_most_come_first(needed):
    found = Redundancy([0], {1: set_aside(0.01), 2: set_aside(0.02)})
    assert bring_back(needed, found).kept == [0, 2, 1]


def test_nothing_comes_back_that_is_not_missed(needed):
    found = Redundancy([0, 1], {2: set_aside()})
    assert bring_back(needed, found) is found


@pytest.mark.parametrize(
    "why", [set_aside(association=NEAR_COPY), set_aside(p_value=None)]
)
def test_copies_stay_away(needed, why):
    found = Redundancy([0], {1: why})
    assert bring_back(needed, found) is found


def test_quantity():
    random = np.random.default_rng(1)
    a, b = random.normal(size=(2, 300))
    material = material_of({"a": a, "b": b}, a + b)
    assert bring_back(material, Redundancy([0], {1: set_aside()})).kept == [0, 1]


def test_threads_change_nothing(needed):
    found = Redundancy([0], {1: set_aside(0.02), 2: set_aside(0.01)})
    assert bring_back(replace(needed, n_jobs=2), found) == bring_back(needed, found)


def test_noisy_copies_are_still_set_aside():
    table, truth = make_copies(500, n_informative=3, n_noise=5, random_state=1003)
    score = truth.score(featsieve.select(table, progress=False).features)
    assert score["recall"] == 1
    assert score["redundant_kept"] <= 1


def test_who_came_back_is_told(monkeypatch):
    random = np.random.default_rng(2)
    y = random.integers(0, 2, 200)
    data = {"strong": y + random.normal(size=200), "x": y + random.normal(size=200)}

    def doubtful(*_):
        return Redundancy([0, 1], {}, {1: set_aside()})

    monkeypatch.setattr(_auto, "bring_back", doubtful)
    selection = featsieve.select(data, y, progress=False)
    text = selection.explain("x")
    assert "Little of it is beyond 'strong', but a forest misses it." in text
    assert "a forest misses" not in selection.explain("strong")
