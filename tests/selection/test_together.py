"""Sets of columns: members are tested on their own account."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import featsieve
from featsieve.data import read_table
from featsieve.datasets import make_hard, make_monks, make_parity
from featsieve.selection import _together
from featsieve.selection._alone import judge_alone
from featsieve.selection._material import prepare
from featsieve.selection._together import (
    at_level,
    judge_together,
    n_sets_with,
    search_counts,
)

LEVEL = 0.015


def judged(table, **options):
    material = prepare(table, 0, None)
    alone = judge_alone(material, None)
    return material, alone, judge_together(material, alone, LEVEL, **options)


def test_pair_is_found_by_both_members():
    table = make_parity(400, n_bits=2, n_noise=6, random_state=0).table
    _, alone, found = judged(table)
    assert (found.p_values[:2] < 1e-6).all()
    assert found.best[0].members == (0, 1)
    assert (alone.p_values[:2] > 0.01).all()
    assert (found.p_values[2:] > LEVEL).all()


def test_parity_of_five_needs_sets_of_five():
    table, truth = make_hard(1000, random_state=0)
    _, _, found = judged(table)
    places = [table.names.index(name) for name in truth.relevant]
    assert (found.p_values[places] < 1e-3).all()
    assert len(found.best[places[0]].members) == 5


def test_strong_column_pulls_no_noise_along():
    random = np.random.default_rng(0)
    wrong = 0
    for _ in range(10):
        y = random.integers(0, 2, 300)
        strong = np.where(random.random(300) < 0.9, y, 1 - y)
        noise = {f"n{k}": random.integers(0, 3, 300) for k in range(12)}
        data = {"strong": strong, **noise, "y": y}
        _, _, found = judged(read_table(data, "y", nominal="all"))
        wrong += bool((found.p_values[1:] <= 0.05).any())
    # Twelve columns at 0.05 each would make half of the runs wrong.
    assert wrong <= 6


def test_triples_are_grown_where_all_are_too_many():
    table = make_parity(300, n_bits=2, n_noise=10, random_state=0).table
    _, _, found = judged(table, most_triples=50)
    assert any("too many to look at each" in note for note in found.notes)


def test_single_column_has_no_company():
    table = read_table({"x": np.arange(30.0), "y": [0, 1] * 15}, "y")
    _, _, found = judged(table)
    assert found.p_values.tolist() == [1.0]


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
    monkeypatch.setattr(_together, "BEAM", 10_000)
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
        assert chance <= _together._bound(ratio, np.bincount(count), 2, 1.0) + 1e-12


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


@pytest.mark.parametrize("seed", [0, 1])
def test_two_of_six_are_found_and_nothing_else(seed):
    table, truth = make_monks(2, sample="train", n_noise=10, random_state=seed)
    selection = featsieve.select(table, verbose=False)
    found = {
        row["feature"]
        for row in selection.to_dict()["ledger"]
        if row["verdict"] == "relevant together"
    }
    assert found == {name for group in truth.groups for name in group}
    assert found <= set(selection.features)
    rows = {row["feature"]: row for row in selection.to_dict()["ledger"]}
    assert len(rows["a1"]["partners"]) == 5
    assert rows["a1"]["score"] > 0.1
    assert "Beside 'a2', 'a3'" in selection.explain("a1")
