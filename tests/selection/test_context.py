"""The forest's evidence, and where a column matters."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest

import featsieve
from featsieve.data import read_table
from featsieve.selection import _context, _select
from featsieve.selection._alone import judge_alone
from featsieve.selection._context import (
    Context,
    Plan,
    find_place,
    judge_in_context,
    make_plan,
    race_rows,
    trees_for,
)
from featsieve.selection._material import prepare


def local_table(n=1200, gaps=False):
    """x matters for rows of part p3 only, z for small values of w only."""
    random = np.random.default_rng(0)
    part = random.integers(0, 6, n)
    x, w, z = random.normal(size=(3, n))
    y = np.where(part == 3, x > 0, random.random(n) < 0.5)
    other = np.where(w < -0.6, z > 0, random.random(n) < 0.5)
    if gaps:
        w[w < -0.6] = np.nan
    parts = [f"p{v}" for v in part]
    return {"part": parts, "x": x, "w": w, "z": z}, y, other


def judged(data, y):
    material = prepare(read_table(data, y.astype(str)), 0, None)
    return material, judge_alone(material, None)


def test_place_is_a_level_of_a_nominal_guide():
    data, y, _ = local_table()
    material, alone = judged(data, y)
    place = find_place(material, alone, 1, [1, 0, 2])
    assert place.words == "part = p3"
    assert place.found.gain > 0.4


def test_place_is_a_range_of_a_numeric_guide():
    data, _, other = local_table()
    material, alone = judged(data, other)
    place = find_place(material, alone, 3, [2])
    low, high = (float(word) for word in place.words.split()[2::2])
    assert place.words.startswith("w between ")
    assert low < -2
    assert -0.9 < high < -0.4


def test_place_may_be_where_the_guide_is_missing():
    data, _, other = local_table(gaps=True)
    material, alone = judged(data, other)
    assert find_place(material, alone, 3, [2]).words == "w is missing"


def test_quantities_have_places_too():
    data, _, _ = local_table()
    random = np.random.default_rng(1)
    part = np.array(data["part"])
    y = np.where(part == "p2", data["x"], random.normal(size=len(part)))
    material = prepare(read_table(data, y), 0, None)
    alone = judge_alone(material, None)
    assert find_place(material, alone, 1, [0]).words == "part = p2"


def test_no_guide_no_place():
    data, y, _ = local_table(60)
    material, alone = judged(data, y)
    assert find_place(material, alone, 1, [1]) is None


def test_forest_takes_quantities_and_counts_its_trees():
    random = np.random.default_rng(0)
    x = random.normal(size=(150, 3))
    data = {f"x{j}": x[:, j] for j in range(3)}
    material = prepare(read_table(data, x[:, 1] * 2), 0, None)
    found = judge_in_context(material, material.n_rows, 60)
    assert found.n_trees == 60
    assert found.p_values[1] < 1e-4 < found.p_values[[0, 2]].min()
    assert (trees_for(3), trees_for(300), trees_for(9999)) == (200, 600, 1000)


@pytest.fixture
def found_by_the_forest_only(monkeypatch):
    """Make the forest sure of x, so that the other stages need not be."""

    def sure(material, n_rows, n_trees=None):
        context = judge_in_context(material, n_rows, n_trees or 20)
        p_values = np.ones(material.n_features)
        p_values[material.table.names.index("x")] = 1e-9
        return dataclasses.replace(context, p_values=p_values)

    monkeypatch.setattr(_select, "judge_in_context", sure)


@pytest.mark.usefixtures("found_by_the_forest_only")
def test_verdict_says_where():
    random = np.random.default_rng(3)
    y = random.integers(0, 2, 200)
    data = {"strong": y + random.normal(size=200), "x": random.normal(size=200)}
    selection = featsieve.select(data, y, verbose=False)
    assert selection.features == ["strong", "x"]
    assert selection.verdict("x") == "relevant locally"
    text = selection.explain("x")
    assert "relevant locally (strong between " in text
    assert "gains more than shuffled copies of itself do (p below 0.0001)" in text
    alone = featsieve.select({"x": data["x"]}, y, verbose=False)
    assert "behind other features in a forest" in alone.explain("x")


class Clock:
    """A clock that stands still unless something takes time."""

    def __init__(self):
        self.now = 0.0

    def perf_counter(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_context, "time", clock)
    return clock


def material_of(n_rows, n_features=3):
    random = np.random.default_rng(0)
    columns = {f"x{j}": random.normal(size=n_rows) for j in range(n_features)}
    return prepare(read_table(columns, random.integers(0, 2, n_rows)), 0, 1)


def takes(monkeypatch, clock, *, fixed=0.0, per_row=0.0, tree=0.0):
    """Have scans of pairs and trees of 500 rows take so many seconds."""

    def scan(_codes, classes, **_):
        clock.now += fixed + per_row * len(classes)

    def forest(_material, n_rows, n_trees):
        assert n_rows == 500
        clock.now += tree * n_trees

    monkeypatch.setattr(_context, "pairwise_gain", scan)
    monkeypatch.setattr(_context, "judge_in_context", forest)


def test_without_a_limit_all_is_done():
    assert make_plan(material_of(600), None, 0.0) == Plan(600, 600)
    assert make_plan(material_of(5001, 1), None, 0.0) == Plan(5001, 5000)
    whole = Plan(600, 600)
    assert (whole.most_draws, whole.most_triples, whole.n_trees) == (
        None,
        100_000,
        None,
    )
    assert whole.told == ()


def test_enough_time_changes_nothing(monkeypatch, clock):
    takes(monkeypatch, clock, per_row=1e-6, tree=1e-4)
    assert make_plan(material_of(3000), 60.0, 0.0) == Plan(3000, 3000)


def test_rows_fit_into_half_of_the_time(monkeypatch, clock):
    # 80 scans of 0.01 and 1e-5 a row in 5 s: (5 / 80 - 0.01) / 1e-5 rows. The trial
    # itself has taken 0.01 + 0.005 + 0.01 + 0.02 s.
    takes(monkeypatch, clock, fixed=0.01, per_row=1e-5, tree=0.0)
    plan = make_plan(material_of(9000), 10.0, 0.0)
    expected = ((10 - 0.045) / 2 / 80 - 0.01) / 1e-5
    assert plan.n_rows == pytest.approx(expected, abs=1)
    assert plan.forest_rows == 5000
    assert (plan.most_draws, plan.most_triples) == (20_000, 5_000)
    assert plan.told == (
        f"{plan.n_rows:,} of 9,000 rows were used",
        "fewer permutations were drawn and fewer triples looked at",
    )


def test_time_that_is_gone_is_gone(monkeypatch, clock):
    takes(monkeypatch, clock, per_row=1e-5, tree=0.0)
    clock.now = 107.0
    plan = make_plan(material_of(9000), 10.0, 100.0)
    assert plan.n_rows == pytest.approx((3 - 0.025) / 2 / 80 / 1e-5, abs=1)


def test_rows_are_never_free(monkeypatch, clock):
    # As slow with 500 rows as with 2,000: a tenth of the time is taken to be rows'.
    takes(monkeypatch, clock, fixed=0.1)
    plan = make_plan(material_of(9000), 17.0, 0.0)
    per_row = 0.1 * 0.1 / 2000
    fixed = 0.1 - 500 * per_row
    expected = ((17 - 0.2) / 2 / 80 - fixed) / per_row
    assert plan.n_rows == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("n_rows", [300, 4000])
def test_rows_and_trees_have_a_least_number(monkeypatch, clock, n_rows):
    monkeypatch.setattr(_context, "LEAST_ROWS", 500)
    takes(monkeypatch, clock, per_row=1.0)
    monkeypatch.setattr(_context, "_cost_of_tree", lambda _: 1e6)
    plan = make_plan(material_of(n_rows), 1e-9, 0.0)
    assert plan.n_rows == plan.forest_rows == min(500, n_rows)
    assert plan.n_trees == 50
    assert plan.told[-1] == "the forest has 50 trees"
    assert len(plan.told) == (1 if n_rows == 300 else 3)


def test_trees_fit_into_the_other_half(monkeypatch, clock):
    # A tree of 500 rows takes 0.01 s, one of 1,000 twice that; three columns want 200.
    takes(monkeypatch, clock, per_row=1e-9, tree=0.01)
    plan = make_plan(material_of(1000), 4.09, 0.0)
    assert plan == Plan(1000, 1000, n_trees=100, told=("the forest has 100 trees",))
    assert make_plan(material_of(1000), 12.0, 0.0).n_trees is None


def test_two_hundred_trees_are_enough_for_three_columns(monkeypatch, clock):
    takes(monkeypatch, clock, per_row=1e-9, tree=0.01)
    spent = 0.08 + 2500e-9
    assert make_plan(material_of(1000), 8.001 + spent, 0.0).n_trees is None
    clock.now = 0.0
    assert make_plan(material_of(1000), 7.999 + spent, 0.0).n_trees == 199


def test_no_columns_take_no_time():
    table = read_table({"x": ["a"] * 30}, np.tile([0, 1], 15))
    material = prepare(table.select([]), 0, 1)
    assert make_plan(material, 0.001, 0.0) == Plan(30, 30)


def test_one_column_has_no_pairs(monkeypatch, clock):
    def scan(*_, **__):
        raise AssertionError

    takes(monkeypatch, clock, tree=0.0)
    monkeypatch.setattr(_context, "pairwise_gain", scan)
    assert make_plan(material_of(900, 1), 1.0, 0.0).n_rows == 900


def race(monkeypatch, p_values, n_rows, first=100, level=0.1):
    """Let forests find p-values in turn; return the race and what was asked."""
    asked = []

    def judge(_material, rows, n_trees):
        asked.append((rows, n_trees))
        found = np.array(p_values[len(asked) - 1])
        return Context(found, np.zeros(len(found)), n_trees)

    monkeypatch.setattr(_context, "judge_in_context", judge)
    found = race_rows(
        SimpleNamespace(n_rows=n_rows), first, 7, lambda c: c.p_values <= level
    )
    return found, asked


def test_rows_double_until_two_verdicts_agree(monkeypatch):
    found, asked = race(
        monkeypatch, [[0.5, 0.01], [0.01, 0.01], [0.01, 0.01], [9, 9]], 10_000
    )
    assert asked == [(100, 7), (200, 7), (400, 7)]
    assert found.sizes == (100, 200, 400)
    assert found.settled
    assert found.told == (
        "the forest on 100, 200, 400 of them in turn, until verdicts stayed the same"
    )


def test_p_values_pay_for_the_sizes(monkeypatch):
    found, _ = race(monkeypatch, [[0.5, 0.04], [0.04, 0.2], [0.01, 0.4]], 350)
    # 0.04 of two sizes is 0.08, below the level; 0.01 and 0.4 of three are 0.03 and 1.
    assert found.context.p_values.tolist() == pytest.approx([0.03, 1.0])
    assert found.sizes == (100, 200, 350)


def test_correction_decides(monkeypatch):
    found, _ = race(monkeypatch, [[0.06], [0.06], [0.06]], 400)
    # 0.06 is below the level, twice 0.06 is not, nor is three times.
    assert found.sizes == (100, 200, 400)
    assert found.settled


def test_all_rows_end_it(monkeypatch):
    found, asked = race(monkeypatch, [[0.5], [0.01]], 150)
    assert asked == [(100, 7), (150, 7)]
    assert not found.settled
    assert found.told.endswith("100, 150 of them in turn, until there were no more")
    found, asked = race(monkeypatch, [[0.5]], 100)
    assert found.sizes == (100,)
    assert not found.settled
