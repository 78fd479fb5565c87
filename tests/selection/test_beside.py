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
from featsieve.selection._alone import gain_of
from featsieve.selection._beside import DETAIL, find_partner, judge_beside
from featsieve.selection._material import prepare
from featsieve.selection._redundancy import Sets, find_redundant, target_basis
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
