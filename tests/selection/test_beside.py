"""What columns add to all that was found: exact, right under the null, with power."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import featsieve
from featsieve.data import read_table
from featsieve.inference._column_basis import (
    column_basis,
    curve_basis,
    product_basis,
)
from featsieve.selection import _beside
from featsieve.selection._alone import gain_of
from featsieve.selection._beside import (
    DETAIL,
    find_interchangeable,
    find_partner,
    judge_beside,
)
from featsieve.selection._material import prepare
from featsieve.selection._redundancy import (
    Displaced,
    Redundancy,
    Sets,
    find_redundant,
    target_basis,
)
from reference.partial import partial_p_value


def material_of(columns, y):
    return prepare(read_table(columns, y), 0, 1)


def place_of(material, *names):
    return [material.table.names.index(name) for name in names]


def target_of(kind, signal, random):
    noisy = signal + random.normal(size=len(signal))
    return noisy if kind == "quantity" else np.where(noisy > 0, "b", "a")


@pytest.mark.parametrize("kind", ["classes", "quantity"])
def test_equals_least_squares(kind):
    random = np.random.default_rng(0)
    a, b, c, d = random.normal(size=(4, 150))
    c += a
    y = target_of(kind, a + b * (a > 0), random)
    gaps = np.where(random.random(150) < 0.2, np.nan, d)
    material = material_of({"a": a, "b": b, "c": c, "gaps": gaps}, y)
    kept = place_of(material, "a", "b")
    found = judge_beside(material, kept, [tuple(kept)])
    columns, target = material.table.columns, target_basis(material)
    own = [column_basis(columns[j], 1).directions for j in kept]
    joint = product_basis(material.tuple_codes(tuple(kept))).directions
    plain = target.directions[:, : target.n_straight]
    everything = np.hstack([*own, joint])
    fit = everything @ np.linalg.lstsq(everything, plain, rcond=None)[0]
    bends = curve_basis(fit, plain)
    straight = target.n_straight
    for j in place_of(material, "c", "gaps"):
        basis = column_basis(columns[j], DETAIL).directions
        expected = partial_p_value(
            basis,
            target.directions,
            [everything, bends],
            ordered=True,
            n_straight=straight,
        )
        assert found[j] == pytest.approx(expected, rel=1e-6)
    for k, j in enumerate(kept):
        expected = partial_p_value(
            own[k],
            target.directions,
            [own[1 - k], joint],
            ordered=True,
            n_straight=straight,
        )
        assert found[j] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("kind", ["classes", "quantity"])
def test_noise_is_as_chance_has_it(kind):
    """What is given is the best of all, found with the same target; noise correlates.

    40 tables of 20 columns. In pairs at .9 a table counts as 10 draws, so as 400 at the
    least: of these more than `most` are below a level with a chance of one in a million
    if the level holds; a harmonic mean of two tests may add a quarter.
    """
    below = {0.05: 0, 0.01: 0}
    for seed in range(40):
        random = np.random.default_rng(seed)
        noise = random.normal(size=(200, 20))
        noise[:, 1::2] = 0.9 * noise[:, ::2] + np.sqrt(0.19) * noise[:, 1::2]
        noise[:, :6] = np.round(noise[:, :6])
        cause = random.normal(size=200)
        y = target_of(kind, 2 * cause, random)
        columns = {f"n{k}": own for k, own in enumerate(noise.T)}
        material = material_of({"cause": cause} | columns, y)
        alone = judge_beside(material, place_of(material, "cause"), [])
        best = material.table.names[int(np.argsort(alone)[1])]
        kept = place_of(material, *{"cause", best})
        found = np.delete(judge_beside(material, kept, []), kept)
        for level in below:
            below[level] += np.count_nonzero(found <= level) / 2
    for level, count in below.items():
        most = binom.isf(1e-6, 400, 1.25 * level)
        assert count <= most


def test_a_suppressor_is_seen():
    random = np.random.default_rng(1)
    a, b, c = random.normal(size=(3, 200))
    columns = {"sum": a + b, "b": b, "c": c}
    material = material_of(columns, a + 0.5 * random.normal(size=200))
    seen, not_seen = place_of(material, "b", "c")
    found = judge_beside(material, place_of(material, "sum"), [])
    assert found[seen] < 1e-10
    assert found[not_seen] > 0.01
    partner, gain = find_partner(material, seen, place_of(material, "sum", "c"))
    assert material.table.names[partner] == "sum"
    codes = material.tuple_codes((seen, partner))
    assert gain.gain == gain_of(material, codes[:, 0], codes[:, 1]).gain


def test_without_anything_found_nothing_is_said():
    material = material_of({"a": np.arange(40.0)}, ["a", "b"] * 20)
    assert np.isnan(judge_beside(material, [], [])).all()


def test_rows_are_too_few_for_what_was_found():
    random = np.random.default_rng(2)
    columns = {f"c{k}": random.normal(size=24) for k in range(10)}
    material = material_of(columns, random.choice(["a", "b"], 24))
    # A quarter of the rows, less one direction of the target.
    assert np.isnan(judge_beside(material, list(range(6)), [])).all()
    some = judge_beside(material, list(range(5)), [])
    assert np.isfinite(some).all()


def test_select_finds_suppressors_and_says_beside_what():
    random = np.random.default_rng(3)
    cause, b = random.normal(size=(2, 300))
    columns = {"sum": cause + b, "b": b}
    columns |= {f"n{k}": random.normal(size=300) for k in range(20)}
    y = 2 * cause + random.normal(size=300)
    selection = featsieve.select(columns, y, verbose=False)
    assert set(selection.features) == {"sum", "b"}
    assert "relevant together with 'sum'" in selection.explain("b")


def test_luck_that_ends_beside_what_is_kept_is_refuted():
    """Three of 400 columns of noise go with a class that two others explain jointly."""
    random = np.random.default_rng(4)
    a, b = random.integers(0, 2, (2, 400))
    y = a ^ b ^ (random.random(400) < 0.03)
    noise = {f"n{k}": random.normal(size=400) for k in range(400)}
    ranked = sorted(noise, key=lambda name: -abs(np.corrcoef(noise[name], y)[0, 1]))
    lucky = {name: noise[name] for name in ranked[:3]}
    words = np.array(["u", "v"])
    material = material_of({"a": words[a], "b": words[b]} | lucky, words[y])
    codes = material.codes(5)
    gains = {j: gain_of(material, codes[:, j]) for j in range(material.n_features)}
    pair = tuple(sorted(place_of(material, "a", "b")))
    preference = [(0, 0.0)] * material.n_features
    found = find_redundant(material, gains, Sets((pair,)), preference)
    assert len(found.kept) == 5  # they are certain enough
    doubtful = frozenset(place_of(material, *lucky))
    sets = Sets((pair,), doubtful=doubtful)
    found = find_redundant(material, gains, sets, preference)
    assert {material.table.names[j] for j in found.kept} == {"a", "b"}
    assert {material.table.names[j] for j in found.refuted} == set(lucky)
    assert all(p_value > 0.05 for p_value in found.refuted.values())
    assert not found.displaced


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
    monkeypatch.setattr(_beside, "MOST_ASKED", 1)
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

    monkeypatch.setattr(_beside, "ShrinkingSet", Tests)
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
