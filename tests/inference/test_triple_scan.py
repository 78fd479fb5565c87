from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from featsieve.engine import derive_seed
from featsieve.inference import _triple_scan
from featsieve.inference._exchange import WithinStrata
from featsieve.inference._pair_scan import (
    ScanInput,
    TailNull,
    find_pairs,
    fit_tail,
    to_tail_scale,
)
from featsieve.inference._triple_scan import (
    at_level,
    find_triples,
    n_sets_with,
    search_counts,
)
from reference import triples as reference


def make_input(levels, n_rows=300, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(0, n, n_rows) for n in levels])
    codes = np.asfortranarray(codes, dtype=np.int32)
    classes = (codes[:, 0] + codes[:, 1] + codes[:, 2]) % 2
    flipped = rng.random(n_rows) < 0.1
    classes = np.where(flipped, 1 - classes, classes).astype(np.int32)
    return ScanInput(codes, classes, weights, "level", None)


def scan(data, most=10**6):
    pairs = find_pairs(data, fdr=0.05, seed=1)
    return find_triples(data, pairs, fdr=0.05, seed=1, most=most)


@pytest.mark.parametrize(
    "levels", [[2] * 12, [2, 2, 2, 3, 4] * 3], ids=["alike", "mixed"]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_parity_of_three_is_found_and_alone(levels, weighted):
    weights = np.random.default_rng(2).random(300) + 0.5 if weighted else None
    found = scan(make_input(levels, weights=weights))
    assert found.exhaustive
    assert found.members[found.significant].tolist() == [[0, 1, 2]]
    assert (np.diff(found.p_value) >= 0).all()


def test_numbers_are_those_of_the_plain_version():
    data = make_input([2, 2, 2, 3, 4, 2])
    found = scan(data)
    expected = {
        members: (joint, synergy)
        for members, joint, _, synergy in reference.triple_gain(
            data.codes, data.classes
        )
    }
    assert len(found.members) == len(expected)
    for members, joint, synergy in zip(
        found.members.tolist(), found.joint_gain, found.synergy, strict=True
    ):
        assert (joint, synergy) == pytest.approx(expected[tuple(members)], abs=1e-12)


def third_orders(data):
    """Return members, third order and its tail, best first and ties in order."""
    levels = data.levels_present()
    rows = []
    for members, _, third, _ in reference.triple_gain(data.codes, data.classes):
        freedom = np.prod(levels[list(members)] - 1) * (len(set(data.classes)) - 1)
        tail = to_tail_scale(np.array([third]), np.array([freedom]), data.total)[0]
        rows.append((members, third, float(tail)))
    return sorted(rows, key=lambda row: (-round(row[2], 9), row[0]))


@pytest.mark.parametrize("levels", [[2, 2, 2, 2], [2, 3, 2, 2]])
def test_p_values_are_those_of_permuted_scans(levels):
    """Four triples, the best of each permuted scan, and the tail that fits them."""
    data = make_input(levels, 60)
    three = np.random.default_rng(1).integers(0, 3, 60).astype(np.int32)
    data = ScanInput(data.codes, three, None, "level", None)
    found = scan(data)
    expected = third_orders(data)
    assert [tuple(own) for own in found.members.tolist()] == [e[0] for e in expected]

    def permuted(number, keep):
        order = np.random.default_rng([derive_seed(1, "triples"), number]).permutation(
            60
        )
        moved = ScanInput(data.codes, three[order], None, "level", None)
        return np.array([tail for *_, tail in third_orders(moved)[:keep]])

    null = found.null
    assert (null.n_candidates, null.n_scans) == (4, 400)
    few = [permuted(number, 2) for number in range(3)]
    every = _triple_scan._best_triples
    levels_present = data.levels_present()
    for number, tails in enumerate(few):
        moved = data.permuted(derive_seed(1, "triples"), number)
        own = every(moved, levels_present, 3, None, 2)[1]
        np.testing.assert_allclose(own, tails, atol=1e-9)
    same = fit_tail(
        lambda number, keep: every(
            data.permuted(derive_seed(1, "triples"), number),
            levels_present,
            3,
            None,
            keep,
        )[1],
        4,
        1,
    )
    assert null == same
    tails = np.array([tail for *_, tail in expected])
    np.testing.assert_allclose(found.p_value, null.p_values(tails), rtol=1e-6)
    np.testing.assert_allclose(found.q_value, null.q_values(tails), rtol=1e-6)


def test_what_is_found_has_a_rate_of_errors_and_synergy(monkeypatch):
    """At most the rate, and something that no split of the triple tells."""
    data = make_input([2] * 5)
    rates = np.r_[0.05, 0.0500001, 0.01, np.full(7, 0.2)]
    monkeypatch.setattr(TailNull, "q_values", lambda _, tails: rates[: len(tails)] + 0)
    found = scan(data)
    assert found.significant[:3].tolist() == [True, False, found.synergy[2] > 0]
    take = _triple_scan._best_triples

    def without_synergy(*arguments):
        triples, tails, n_candidates = take(*arguments)
        none = dataclasses.replace(triples, synergy=triples.synergy * 0)
        return none, tails, n_candidates

    monkeypatch.setattr(_triple_scan, "_best_triples", without_synergy)
    assert not scan(data).significant.any()


@pytest.mark.parametrize(
    ("n_features", "most", "expected"),
    [
        (10, 10**6, 200),
        (10, 50, 5),
        (200, 10**6, 100),
        (101, 10**6, 198),
        (99, 10**6, 200),
    ],
)
def test_so_many_pairs_grow(n_features, most, expected):
    """At most 200, and 20,000 triples or as many as may be."""

    class Pairs:
        first, second = (
            np.arange(300, dtype=np.int32),
            np.arange(1, 301, dtype=np.int32),
        )

    found = _triple_scan._seeds(n_features, Pairs, most)
    assert found.tolist() == [[k, k + 1] for k in range(expected)]


def test_as_many_triples_as_may_be_are_all():
    data = make_input([2] * 6)
    assert scan(data, most=20).exhaustive
    assert scan(data, most=20).null.n_candidates == 20
    assert not scan(data, most=19).exhaustive
    assert len(scan(make_input([2] * 25)).members) == 2000


@pytest.mark.parametrize("kind", ["copies", "strata"])
def test_noise_is_significant_no_more_often_than_promised(kind):
    """Of 30 tables of noise 8 have a triple once in 100,000 times, at 5 % each."""
    found = 0
    for seed in range(30):
        rng = np.random.default_rng([seed, len(kind)])
        strata = rng.integers(0, 2, 120)
        codes = rng.integers(0, 2, (120, 15))
        if kind == "copies":
            codes[:, 5:10] = np.where(rng.random((120, 5)) < 0.1, 1, codes[:, :5])
        if kind == "strata":  # which tell about both
            codes = np.where(rng.random((120, 15)) < 0.6, strata[:, None], codes)
        rate = 0.2 + 0.6 * strata if kind == "strata" else 0.5
        classes = (rng.random(120) < rate).astype(np.int32)
        data = ScanInput(
            np.asfortranarray(codes, dtype=np.int32), classes, None, "level", 1
        )
        if kind == "strata":
            data = ScanInput(
                data.codes, classes, None, "level", 1, WithinStrata(strata)
            )
        pairs = find_pairs(data, fdr=0.05, seed=seed)
        triples = find_triples(data, pairs, fdr=0.05, seed=seed, most=10**6)
        found += bool(triples.significant.any())
    assert found <= binom.isf(1e-5, 30, 0.05)


def test_blocks_do_not_change_what_is_kept(monkeypatch):
    data = make_input([2, 2, 2, 3, 4] * 4)
    monkeypatch.setattr(_triple_scan, "MOST_TRIPLES", 20)
    whole = scan(data)
    blocks = _triple_scan.triple_gain_blocks
    monkeypatch.setattr(
        _triple_scan,
        "triple_gain_blocks",
        lambda *args, **settings: blocks(*args, block_size=50, **settings),
    )
    in_blocks = scan(data)
    np.testing.assert_array_equal(in_blocks.members, whole.members)
    np.testing.assert_array_equal(in_blocks.q_value, whole.q_value)


def test_too_many_triples_are_grown_from_pairs():
    data = make_input([2] * 20)
    found = scan(data, most=200)
    assert not found.exhaustive
    assert 0 < found.null.n_candidates <= 200
    assert len(np.unique(found.members, axis=0)) == len(found.members)


@pytest.mark.parametrize("n_features", [0, 1, 2])
def test_no_triples_without_three_features(n_features):
    rng = np.random.default_rng(3)
    codes = np.asfortranarray(rng.integers(0, 2, (50, n_features)), dtype=np.int32)
    classes = rng.integers(0, 2, 50).astype(np.int32)
    found = scan(ScanInput(codes, classes, None, "level", None))
    assert found.members.shape == (0, 3)
    assert found.null.n_candidates == 0


def test_most_of_zero_scans_nothing():
    found = scan(make_input([2] * 5), most=0)
    assert found.members.shape == (0, 3)


def plain_ratio(count, classes):
    """Return the likelihood ratio of two columns, cell by cell."""
    ratio = 0.0
    for cell in set(count.tolist()):
        for own in set(classes.tolist()):
            seen = int(np.sum((count == cell) & (classes == own)))
            expected = np.mean(classes == own) * np.sum(count == cell)
            if seen:
                ratio += 2 * seen * math.log(seen / expected)
    return ratio


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), n_classes=st.integers(2, 3))
def test_ratios_are_those_of_plain_counting(seed, n_classes):
    random = np.random.default_rng(seed)
    codes = random.integers(0, 3, (40, 4))
    classes = np.append(random.integers(0, n_classes, 39), n_classes - 1)
    for found in search_counts(codes, classes):
        count = at_level(codes, found).sum(axis=1)
        assert found.ratio == pytest.approx(plain_ratio(count, classes), abs=1e-9)


def test_all_sets_are_tried_where_the_beam_holds_them(monkeypatch):
    monkeypatch.setattr(_triple_scan, "BEAM", 10_000)
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, (60, 5))
    classes = random.integers(0, 2, 60)
    for found in search_counts(codes, classes):
        size = len(found.members)
        best = max(
            plain_ratio(np.sum(codes[:, list(columns)] == levels, axis=1), classes)
            for columns in itertools.combinations(range(5), size)
            for levels in itertools.product((0, 1), repeat=size)
        )
        assert found.ratio == pytest.approx(best)


def test_number_of_sets_and_levels():
    levels = np.array([2, 3, 4])
    assert n_sets_with(levels, 2) == 2 * 3 + 2 * 4 + 3 * 4
    assert n_sets_with(levels, 3) == 24
    assert n_sets_with(levels, 0) == 1


def test_bound_is_above_the_chance_of_all_orders():
    count = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    orders = np.array(sorted(set(itertools.permutations([0, 0, 0, 0, 1, 1, 1, 1]))))
    ratios = np.array([plain_ratio(count, order) for order in orders])
    for ratio in ratios:
        chance = np.mean(ratios >= ratio - 1e-9)
        assert chance <= _triple_scan._bound(ratio, np.bincount(count), 2, 1.0) + 1e-12


def test_noise_is_left_alone():
    least = []
    for seed in range(30):
        random = np.random.default_rng(seed)
        codes = random.integers(0, 3, (150, 12))
        found = search_counts(codes, random.integers(0, 2, 150))
        least.append(min(each.p_value for each in found))
    assert min(least) > 0.05


def test_wide_tables_are_not_searched():
    codes = np.zeros((20, 100), dtype=int)
    codes[0] = 1
    assert search_counts(codes, np.arange(20) % 2) == []
