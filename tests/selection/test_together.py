"""Sets of columns: members are tested on their own account."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.datasets import make_hard, make_monks, make_parity
from featsieve.selection._alone import judge_alone
from featsieve.selection._material import prepare
from featsieve.selection._together import judge_together

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
