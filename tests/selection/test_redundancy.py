"""Columns whose information others carry: which go, which stay, and why."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.datasets import make_copies
from featsieve.inference._partial_test import Evidence
from featsieve.inference.api import Association, measure, measure_shares
from featsieve.selection import _redundancy
from featsieve.selection._material import prepare
from featsieve.selection._redundancy import (
    Displaced,
    Sets,
    find_redundant,
)


def material_of(columns, y):
    """Return material of columns; whole numbers become the names of levels."""
    texts = {
        name: values
        if np.issubdtype(np.asarray(values).dtype, np.floating)
        else [f"{code:02d}" for code in values]
        for name, values in columns.items()
    }
    return prepare(read_table(texts, y), 0, 1)


def tells(gain):
    return Association(gain, 0.0, 1.0, 0.0, 0.0, 1)


def find(material, gains=None, sets=None, preference=None):
    """Look for what others carry among all columns."""
    codes = material.codes(5)
    if gains is None:
        score = (
            (lambda x: measure(x, material.classes))
            if material.quantity is None
            else (lambda x: measure_shares(x, material.quantity))
        )
        own = {j: score(codes[:, j]) for j in range(material.n_features)}
    else:
        own = {j: tells(gain) for j, gain in enumerate(gains)}
    preference = preference or [(0, 0.0)] * material.n_features
    return find_redundant(material, own, sets or Sets(), preference)


def names(material, columns):
    return {material.table.names[j] for j in columns}


def chain(random, n, rho=0.8):
    """Return two columns of which the first tells only through the second."""
    a = random.normal(size=n)
    b = rho * a + np.sqrt(1 - rho**2) * random.normal(size=n)
    return a, b


def outcome(random, eta, quantity):
    if quantity:
        return eta + random.normal(size=len(eta))
    return (eta + random.logistic(size=len(eta)) * 0.6 > 0).astype(int)


@pytest.mark.parametrize("quantity", [False, True])
@pytest.mark.parametrize("n", [400, 3000])
def test_proxies_go_and_are_told_by_what_carries_them(quantity, n):
    right = 0
    for seed in range(10):
        random = np.random.default_rng(seed)
        parts = {}
        for k in range(2):
            parts[f"far{k}"], parts[f"near{k}"] = chain(random, n)
        eta = parts["near0"] + parts["near1"]
        material = material_of(parts, outcome(random, eta, quantity))
        found = find(material)
        right += names(material, found.kept) == {"near0", "near1"}
        for j, why in found.displaced.items():
            if len(found.kept) == 2:
                assert names(material, why.by) == {f"near{j // 2}"}
                assert 0.7 < why.association < 0.9
                assert why.p_value > 0.001
    assert right >= 9


@pytest.mark.parametrize("quantity", [False, True])
def test_neighbours_that_both_matter_stay(quantity):
    random = np.random.default_rng(0)
    a, b = chain(random, 1000, rho=0.9)
    material = material_of(
        {"a": a, "b": b}, outcome(random, 1.5 * a + 1.5 * b, quantity)
    )
    assert find(material).displaced == {}


def test_what_suppresses_another_stays():
    # The target is the difference of two columns that are much alike.
    random = np.random.default_rng(1)
    a, b = chain(random, 1000, rho=0.95)
    material = material_of({"a": a, "b": b}, 4 * (a - b) + random.normal(size=1000))
    assert find(material).displaced == {}


def test_sums_do_not_outlive_their_parts():
    """A class is no straight line of a sum; what goes with the sum is no news."""
    random = np.random.default_rng(2)
    a, b, c = random.normal(size=(3, 2000))
    sums = {f"s{k}": a + b + c + random.normal(size=2000) for k in range(4)}
    y = (2 * (a + b + c) + random.logistic(size=2000) > 0).astype(int)
    material = material_of({"a": a, "b": b, "c": c} | sums, y)
    assert names(material, find(material).kept) == {"a", "b", "c"}


def test_nominal_columns_and_numbers_carry_each_other():
    random = np.random.default_rng(3)
    cause = random.integers(0, 4, 2000)
    number = cause + random.normal(size=2000)
    recoded = np.where(random.random(2000) < 0.2, random.integers(0, 4, 2000), cause)
    eta = np.array([-1.0, 1.0, 0.0, 1.5])[cause]
    material = material_of(
        {"number": number, "recoded": recoded, "cause": cause},
        outcome(random, eta, False),
    )
    found = find(material)
    assert names(material, found.kept) == {"cause"}
    assert all(why.by == (2,) for why in found.displaced.values())


def test_missing_values_that_tell_are_no_redundancy():
    random = np.random.default_rng(4)
    x = random.normal(size=1000)
    gaps = random.random(1000) < 0.3
    copy = np.where(gaps, np.nan, x + 0.5 * random.normal(size=1000))
    y = outcome(random, x + 1.5 * gaps, False)
    material = material_of({"x": x, "copy": copy}, y)
    assert find(material).displaced == {}


def exclusive_or(seed, n=600, share=0.15):
    random = np.random.default_rng(seed)
    a, b = random.integers(0, 2, (2, n))
    near = {
        name: np.where(random.random(n) < share, 1 - own, own)
        for name, own in (("a2", a), ("b2", b))
    }
    y = np.where(random.random(n) < 0.05, 1 - (a ^ b), a ^ b)
    return {"a": a, "b": b} | near, y


def test_an_interaction_is_not_torn_and_its_proxies_go():
    columns, y = exclusive_or(0)
    material = material_of(columns, y)
    sets = Sets(((0, 1), (1, 2), (0, 3)))
    found = find(material, [0.7, 0.7, 0.2, 0.2], sets)
    assert sorted(found.kept) == [0, 1]
    assert found.displaced[2].by == (0,)
    assert found.displaced[3].by == (1,)
    assert found.displaced[2].is_shown
    # Whatever was found to be the strongest.
    found = find(material, [0.1, 0.2, 0.9, 0.8], sets)
    assert sorted(found.kept) == [0, 1]


def test_a_set_of_three_stays_whole():
    random = np.random.default_rng(5)
    a, b, c = random.integers(0, 2, (3, 800))
    proxy = np.where(random.random(800) < 0.2, 1 - a, a)
    y = a ^ b ^ c
    columns = {"a": a, "b": b, "c": c, "proxy": proxy}
    material = material_of(columns, y)
    sets = Sets(((0, 1, 2), (1, 2, 3)))
    found = find(material, [0.5] * 4, sets)
    assert sorted(found.kept) == [0, 1, 2]


def test_columns_that_are_fixed_stay_and_carry_others():
    random = np.random.default_rng(6)
    a, b = chain(random, 800)
    material = material_of({"a": a, "b": b}, outcome(random, b, False))
    found = find(material, sets=Sets(fixed=frozenset({0})))
    assert sorted(found.kept) == [0, 1]
    found = find(material, sets=Sets(fixed=frozenset({1})))
    assert found.kept == [1]


def test_what_goes_with_nothing_that_is_kept_stays():
    """A column that has been found relevant, and that nothing explains, is not torn."""
    random = np.random.default_rng(7)
    strong, alone = random.normal(size=(2, 500))
    material = material_of(
        {"strong": strong, "alone": alone}, outcome(random, 2 * strong, False)
    )
    assert find(material).kept == [0, 1]


def test_measures_of_the_target_do_not_stand_in_for_each_other():
    """Columns that the class makes alike are sources of their own, however alike."""
    n_kept = 0
    for seed in range(5):
        random = np.random.default_rng(seed)
        y = random.integers(0, 2, 300)
        own = {f"x{k}": y + random.normal(size=300) for k in range(12)}
        n_kept += len(find(material_of(own, y)).kept)
    assert n_kept >= 56  # of 60


def test_copies_stand_in_for_each_other():
    columns, y = exclusive_or(1)
    copy = columns["a"].copy()
    copy[0] = 1 - copy[0]
    material = material_of({"a": columns["a"], "b": columns["b"], "copy": copy}, y)
    preference = [(1, 0.0), (0, 0.0), (0, 0.0)]
    found = find(material, [0.9, 0.5, 0.1], Sets(((0, 1),)), preference)
    assert found.kept == [2, 1]  # as strong as the one it stands for
    assert found.displaced[0] == Displaced((2,), pytest.approx(0.98, abs=0.01))
    assert found.displaced[0].reason == "all but identical (association 0.984)"


def test_a_set_of_a_column_and_its_copy_is_none():
    moved = Sets(((0, 1), (1, 2), (0, 2)), frozenset({1})).with_stand_ins(
        {0: 0, 1: 0, 2: 2}
    )
    assert moved == Sets(((0, 2),), frozenset({0}))


def many_classes(n_rows, n_classes, n_columns=40, seed=0):
    """Return correlated columns that all tell of many classes."""
    random = np.random.default_rng(seed)
    y = random.permutation(np.arange(n_rows) % n_classes)
    centres = random.normal(size=(n_classes, 4)) * 2
    latent = centres[y] + random.normal(size=(n_rows, 4))
    x = latent @ random.normal(size=(4, n_columns))
    x += 0.3 * random.normal(size=x.shape)
    return {f"x{j:02d}": x[:, j] for j in range(n_columns)}, y.astype(str)


@pytest.mark.parametrize(
    ("n_rows", "n_classes"), [(33, 4), (60, 15), (40, 20), (20, 12)]
)
def test_few_rows_and_many_classes_do_not_keep_everything(n_rows, n_classes):
    columns, y = many_classes(n_rows, n_classes)
    material = material_of(columns, y)
    found = find(material)
    assert 1 <= len(found.kept) <= 12
    assert len(found.kept) + len(found.displaced) == 40


def test_order_names_and_units_change_nothing():
    random = np.random.default_rng(8)
    parts = {}
    for k in range(3):
        parts[f"far{k}"], parts[f"near{k}"] = chain(random, 500)
    y = outcome(random, parts["near0"] - parts["near2"], False)
    plain = material_of(parts, y)
    expected = names(plain, find(plain).kept)
    shuffle = random.permutation(500)
    order = list(parts)[::-1]
    other = material_of(
        {name: np.exp(parts[name][shuffle]) for name in order},
        np.where(y[shuffle] == 0, "z", "a"),
    )
    assert names(other, find(other).kept) == expected


def test_weak_evidence_is_not_called_redundant():
    """With few rows it is not shown that a neighbour adds nothing; with many it is."""
    shown = {}
    for n in (150, 6000):
        random = np.random.default_rng(9)
        a, b = chain(random, n, rho=0.6)
        material = material_of({"a": a, "b": b}, outcome(random, b, True))
        found = find(material, [0.1, 0.5])
        assert found.kept == [1]
        shown[n] = found.displaced[0]
    assert not shown[150].is_shown
    assert shown[6000].is_shown
    assert shown[150].most_added > 5 * shown[6000].most_added
    assert "up to" in shown[150].reason
    assert "at most" in shown[6000].reason


def test_a_tenth_is_the_most_that_may_be_added():
    why = Displaced((0,), 0.5, 0.5, 0.1)
    assert why.is_shown
    assert why.reason == "adds at most 10.0 % of what it tells"
    why = Displaced((0,), 0.5, 0.5, np.nextafter(0.1, 1))
    assert not why.is_shown
    assert Displaced((0,), 0.5, 0.5, 7.0).reason.endswith(
        "up to 100 % of what it tells"
    )


def test_bounds_hold_for_what_is_added():
    """What a column adds is below the bound in 95 of 100 tables."""
    below = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        a, b = chain(random, 4000, rho=0.8)
        # By itself `a` explains about 0.8² of 0.5; given `b` a little of what is left.
        y = b + 0.12 * a + random.normal(size=4000)
        material = material_of({"a": a, "b": b}, y)
        search = _redundancy.ConditionalSearch(material, [1, 0], Sets())
        search._kept = [(1,)]
        (why,) = search.reasons().values()
        whole = (0.8 + 0.12) ** 2 / (1 + 0.12**2 + 2 * 0.12 * 0.8 + 1)
        added = 0.12**2 * (1 - 0.64)  # of what `b` leaves: a variance of about 1
        below += why.most_added < added / whole
    assert below <= 8  # 3 are expected; one in a thousand draws has more


def test_several_carriers_are_named():
    random = np.random.default_rng(10)
    a, b, c = random.normal(size=(3, 2000))
    total = a + b + 0.2 * c + 0.5 * random.normal(size=2000)
    material = material_of(
        {"a": a, "b": b, "c": c, "total": total}, outcome(random, a + b + c, True)
    )
    found = find(material)
    assert sorted(found.kept) == [0, 1, 2]
    assert sorted(found.displaced[3].by) == [0, 1]


def test_one_column_is_kept():
    found = find(material_of({"x": np.tile([0, 1], 20)}, np.tile([0, 1], 20)))
    assert (found.kept, found.displaced) == ([0], {})


def test_few_rows_limit_what_is_given():
    """As many directions as a quarter of the rows, whatever adds."""
    random = np.random.default_rng(11)
    x = random.normal(size=(60, 30))
    factor = x.sum(axis=1, keepdims=True)
    x = x + 0.3 * factor
    columns = {f"x{j:02d}": x[:, j] for j in range(30)}
    material = material_of(columns, x.sum(axis=1) + 0.01 * random.normal(size=60))
    assert len(find(material).kept) <= 15


def test_noisy_copies_are_still_set_aside():
    table, truth = make_copies(500, n_informative=3, n_noise=5, random_state=1003)
    score = truth.score(featsieve.select(table, verbose=False).features)
    assert score["recall"] == 1
    assert score["redundant_kept"] <= 1


def search_of(n_columns, n_rows=400):
    """Return a search among columns of noise, in which nothing was found yet."""
    random = np.random.default_rng(1)
    columns = {f"x{k:03d}": random.normal(size=n_rows) for k in range(n_columns)}
    material = material_of(columns, random.normal(size=n_rows))
    return _redundancy.ConditionalSearch(material, list(range(n_columns)), Sets())


def answer(monkeypatch, test, p_values, beyond=0.0):
    """Have tests of a set find these p-values, and these beyond its bends."""
    n = len(p_values)
    found = Evidence(np.array(p_values), np.zeros(n), np.ones(n, dtype=int))
    monkeypatch.setattr(test, "test", lambda _: found)
    monkeypatch.setattr(test, "test_beyond_curve", lambda *_: beyond)


@pytest.mark.parametrize(
    ("p_value", "beyond", "enters"),
    [(0.0125, 0.0125, True), (0.01251, 0.0, False), (0.0, 0.01251, False)],
)
def test_a_column_enters_at_its_part_of_a_twentieth(
    monkeypatch, p_value, beyond, enters
):
    """Of four that could: .0125, and beyond the bends as well."""
    search = search_of(4)
    answer(monkeypatch, _redundancy.GrowingSet, [1.0, p_value, 1.0, 1.0], beyond)
    search._grow()
    assert search._kept == ([(1,)] if enters else [])


@pytest.mark.parametrize(
    ("n_columns", "p_value", "beyond", "stays"),
    [
        (4, 0.01, 0.01, True),  # one in a hundred, however few
        (4, 0.0101, 0.0, False),
        (4, 0.0, 0.0101, False),
        (20, 0.005, 0.005, True),  # or its part of a twentieth: 2 of 20
        (20, 0.0051, 0.0, False),
    ],
)
def test_a_column_stays_at_one_in_a_hundred_or_its_part_of_a_twentieth(
    monkeypatch, n_columns, p_value, beyond, stays
):
    search = search_of(n_columns)
    search._kept = [(0,), (1,)]
    answer(monkeypatch, _redundancy.ShrinkingSet, [p_value, p_value], beyond)
    search._shrink()
    # With one left in the set the level is lower, or the same.
    assert (search._kept == [(0,), (1,)]) == stays


@pytest.mark.parametrize(("p_value", "left"), [(0.005, 10), (0.00501, 0)])
def test_lines_stay_at_their_part_of_a_twentieth(monkeypatch, p_value, left):
    answer(monkeypatch, _redundancy.ShrinkingSet, [p_value] * 10)
    assert len(search_of(10)._begin()) == left


@pytest.mark.parametrize(("n_rows", "n_lines"), [(400, 80), (160, 40)])
def test_lines_that_are_looked_at_together(monkeypatch, n_rows, n_lines):
    """Eighty at most, and one for four rows."""
    asked = []

    class Seen(_redundancy.ShrinkingSet):
        def __init__(self, bases, units, target):
            asked.append(len(units))
            super().__init__(bases, units, target)

    monkeypatch.setattr(_redundancy, "ShrinkingSet", Seen)
    search_of(90, n_rows)._begin()
    assert asked == [n_lines]
