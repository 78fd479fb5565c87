"""Which columns are apart from those before them."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.selection import _apart
from featsieve.selection._apart import count_apart
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
