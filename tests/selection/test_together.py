"""Sets of columns: members are tested on their own account."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.data.api import ANY_ORDER, RowDesign
from featsieve.datasets import make_hard, make_monks, make_parity
from featsieve.selection._alone import judge_alone
from featsieve.selection._material import prepare
from featsieve.selection._together import judge_together

LEVEL = 0.015


def judged(table, design=ANY_ORDER, **options):
    material = prepare(table, 0, None, design)
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


@pytest.mark.parametrize(("kind", "n_units"), [("groups", 40), ("strata", 4)])
def test_pair_is_found_where_rows_belong_together(kind, n_units):
    random = np.random.default_rng(0)
    units = np.repeat(np.arange(n_units), 400 // n_units)
    x = random.normal(size=(400, 6)) + random.normal(size=(n_units, 6))[units]
    level = random.normal(size=n_units)[units]
    y = np.sign(x[:, 0] * x[:, 1]) + level + random.normal(size=400)
    table = read_table({f"x{k}": own for k, own in enumerate(x.T)}, y)
    found = judged(table, RowDesign(**{kind: units}))[-1]
    assert (found.p_values[:2] < 1e-6).all()
    assert found.best[0].members == (0, 1)
    assert (found.p_values[2:] > LEVEL).all()


@pytest.mark.parametrize(("kind", "n_units"), [("groups", 30), ("strata", 5)])
def test_what_units_differ_by_is_no_set(kind, n_units):
    """Columns and classes differ from unit to unit, and have nothing else in common.

    Each of five columns has a p-value below .05 in one of 20 tables at most, so that
    five tables with one are the bound; corrected for all sets p-values are far more
    cautious, and two are let pass.
    """
    wrong = 0
    units = np.repeat(np.arange(n_units), 150 // n_units)
    for seed in range(20):
        random = np.random.default_rng(seed)
        x = random.normal(size=(150, 5)) + 2 * random.normal(size=(n_units, 5))[units]
        y = random.normal(size=150) + 2 * random.normal(size=n_units)[units] > 0
        table = read_table({f"x{k}": own for k, own in enumerate(x.T)}, y.astype(int))
        found = judged(table, RowDesign(**{kind: units}))[-1]
        wrong += bool((found.p_values <= 0.05).any())
    assert wrong <= 2


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
