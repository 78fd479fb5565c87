"""Which columns could be kept in the place of another, and that people are told."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.selection import _interchangeable
from featsieve.selection._interchangeable import find_interchangeable
from featsieve.selection._material import prepare
from featsieve.selection._redundancy import Displaced, Redundancy


def material(seed, *, likeness=0.98, effect=1.0, n_rows=300):
    """Return a column that matters, one like it, one more that matters, and noise."""
    random = np.random.default_rng([seed, 3])
    own, other, second, noise = random.normal(size=(4, n_rows))
    like = likeness * own + np.sqrt(1 - likeness**2) * other
    y = effect * own + second + 2 * random.normal(size=n_rows)
    columns = {"own": own, "like": like, "second": second, "noise": noise}
    return prepare(read_table(columns, y), 0, 1)


def displaced(by, likeness=0.9, p_value=0.3):
    return Displaced((by,), likeness, p_value, None if p_value is None else 0.5)


def test_either_of_two_that_rows_cannot_tell_apart():
    for kept, other in ((0, 1), (1, 0)):
        found = Redundancy([kept, 2], {other: displaced(kept)})
        assert find_interchangeable(material(1), found, []) == {kept: (other,)}


def test_the_one_that_matters_is_kept_or_in_the_set():
    """That it is neither takes an unlikely sample: of 40, five have a chance of .001.

    A true column is not in the set only if it is not significant itself, which effect
    and rows exclude, or the other one still adds something, at .01 by chance.
    """
    lost = 0
    for seed in range(40):
        found = Redundancy([1, 2], {0: displaced(1)})
        sets = find_interchangeable(material(seed), found, [])
        lost += 0 not in sets.get(1, ())
    assert lost <= 4


def test_what_rows_tell_apart_is_not_in_a_set():
    sample = material(2, likeness=0.7, n_rows=2_000)
    found = Redundancy([0, 2], {1: displaced(0)})
    assert find_interchangeable(sample, found, []) == {}


def test_noise_is_no_substitute_nor_has_it_one():
    assert (
        find_interchangeable(material(3), Redundancy([0, 2], {3: displaced(0)}), [])
        == {}
    )
    assert (
        find_interchangeable(
            material(3), Redundancy([0, 3], {1: displaced(3), 2: displaced(3)}), []
        )
        == {}
    )


def test_near_copies_always_are_and_come_first():
    found = Redundancy([0, 2], {1: displaced(0), 3: displaced(0, 0.99, None)})
    assert find_interchangeable(material(1), found, []) == {0: (3, 1)}


def test_members_of_a_product_have_only_copies():
    found = Redundancy([0, 2], {1: displaced(0), 3: displaced(2, 0.99, None)})
    assert find_interchangeable(material(1), found, [(0, 2)]) == {2: (3,)}


def test_what_is_not_kept_carries_nothing():
    found = Redundancy([2], {1: displaced(0), 3: displaced(0, 0.99, None)})
    assert find_interchangeable(material(1), found, []) == {}


def test_the_likest_are_asked_first(monkeypatch):
    monkeypatch.setattr(_interchangeable, "MOST_ASKED", 1)
    found = Redundancy([0, 2], {1: displaced(0, 0.98), 3: displaced(0, 0.1)})
    assert find_interchangeable(material(1), found, []) == {0: (1,)}
    found = Redundancy([0, 2], {1: displaced(0, 0.1), 3: displaced(0, 0.98)})
    assert find_interchangeable(material(1), found, []) == {}


@pytest.mark.parametrize(
    ("instead", "still", "expected"),
    [(0.01, 0.0101, {0: (1,)}), (0.0101, 0.5, {}), (0.001, 0.01, {})],
)
def test_the_levels(monkeypatch, instead, still, expected):
    class Tests:
        def __init__(self, *_):
            pass

        def test_beyond_curve(self, *_):
            return 0.01

        def test_instead(self, *_):
            return [(instead, still)]

    monkeypatch.setattr(_interchangeable, "ShrinkingSet", Tests)
    found = Redundancy([0, 2], {1: displaced(0)})
    assert find_interchangeable(material(1), found, []) == expected


def test_too_few_rows_to_say():
    sample = material(1, n_rows=8)
    found = Redundancy([0, 2], {1: displaced(0), 3: displaced(2, 0.99, None)})
    assert find_interchangeable(sample, found, []) == {2: (3,)}


def test_people_are_told():
    random = np.random.default_rng(0)
    own, noise = random.normal(size=(2, 300))
    columns = {"own": own, "copy": own, "near": own + 1e-3 * noise, "noise": noise}
    y = own + random.normal(size=300)
    selection = featsieve.select(columns, y, verbose=False)
    (members,) = selection.interchangeable
    assert members[0] == selection.features[0]
    assert set(members) == {"own", "copy", "near"}
    ledger = selection.ledger.set_index("feature")
    for name in members[1:]:
        assert ledger.loc[name, "interchangeable_with"] == members[:1]
        assert "could be kept in the place of" in selection.explain(name)
    assert ledger.loc["noise", "interchangeable_with"] == []
    assert "could be kept in its place" in selection.explain(members[0])
