"""What shallow random trees learn about which features to draw."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve._kernels import Exploration, Instructions, has_instructions
from featsieve.data import Column, ColumnKind, Table
from featsieve.datasets import make_epistasis, make_parity
from featsieve.trees._learnt_chances import (
    MOST_ASKED,
    chances_of,
    frequent_codes,
    learn_chances,
    level_codes,
    plan_trees,
    target_codes,
)
from reference.exploration import Exploration as PlainExploration

ALL = (Instructions.PORTABLE, Instructions.AVX2, Instructions.AVX512)


@st.composite
def explorations(draw):
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    n_rows, n_columns = draw(st.integers(2, 90)), draw(st.integers(1, 6))
    codes = np.empty((n_rows, n_columns), dtype=np.int32)
    for j in range(n_columns):
        values = random.integers(0, draw(st.integers(1, 9)), n_rows)
        codes[:, j] = np.unique(values, return_inverse=True)[1]
        if draw(st.booleans()):
            codes[1:, j] = np.where(random.random(n_rows - 1) < 0.2, -1, codes[1:, j])
            known = codes[:, j] >= 0
            codes[known, j] = np.unique(codes[known, j], return_inverse=True)[1]
    n_classes = draw(st.integers(1, 4))
    classes = random.integers(0, n_classes, n_rows).astype(np.int32)
    nominal = random.integers(0, 2, n_columns).astype(np.uint8)
    chances = np.where(random.random(n_columns) < 0.3, 0, random.random(n_columns))
    chances[0] += 0.1
    return np.asfortranarray(codes), classes, n_classes, nominal, chances


@given(explorations(), st.integers(1, 4), st.integers(1, 12), st.integers(0, 99))
def test_against_the_plain_version(given_, depth, least_rows, seed):
    codes, classes, n_classes, nominal, chances = given_
    roots = np.array([seed % codes.shape[1], 0], dtype=np.uint32)
    seeds = np.array([seed, seed + 1], dtype=np.uint64)
    plain = PlainExploration(
        codes, classes, nominal, depth=depth, least_rows=least_rows
    )
    for root, each in zip(roots.tolist(), seeds.tolist(), strict=True):
        plain.add_tree(root, each, chances)
    for instructions in filter(has_instructions, ALL):
        explore = Exploration(codes, classes, n_classes, nominal, instructions)
        ours = explore.grow(roots, seeds, chances, depth, least_rows)
        np.testing.assert_array_equal(ours["n_nodes"], plain.n_nodes)
        np.testing.assert_allclose(ours["surprise"], plain.surprise, rtol=1e-9)


def test_bad_input_is_refused():
    codes = np.zeros((4, 2), dtype=np.int32)
    classes = np.array([0, 1, 0, 1], dtype=np.int32)
    with pytest.raises(ValueError, match="one flag per column"):
        Exploration(codes, classes, 2, np.zeros(1, np.uint8))
    wide = np.repeat(np.arange(100, dtype=np.int32)[:, None], 2, axis=1)
    with pytest.raises(ValueError, match="too many levels"):
        Exploration(wide, np.zeros(100, np.int32), 1, np.zeros(2, np.uint8))
    explore = Exploration(codes, classes, 2, np.zeros(2, np.uint8))
    one = np.array([0], dtype=np.uint32)
    seed = np.array([1], dtype=np.uint64)
    with pytest.raises(ValueError, match="one root per seed"):
        explore.grow(one, np.array([1, 2], dtype=np.uint64), np.ones(2), 1, 1)
    with pytest.raises(ValueError, match="must have a chance"):
        explore.grow(one, seed, np.zeros(2), 1, 1)
    with pytest.raises(IndexError, match="no such feature"):
        explore.grow(one + np.uint32(2), seed, np.ones(2), 1, 1)


def classes_of(table):
    codes = np.ascontiguousarray(table.target.values, dtype=np.int32)
    return {"classes": codes, "n_classes": len(table.target.levels)}


@pytest.mark.parametrize(
    ("problem", "share"),
    [
        (make_epistasis(800, heritability=0.4, n_noise=98, random_state=3), 0.8),
        (make_parity(800, n_bits=4, n_noise=16, random_state=3), 0.8),
    ],
    ids=["pair", "parity"],
)
def test_partners_get_most_of_the_draws(problem, share):
    table, truth = problem
    learnt = learn_chances(table, classes_of(table), seed=1, n_jobs=1)
    relevant = np.isin(table.names, truth.relevant)
    assert learnt[relevant].sum() > share
    assert learnt.sum() == pytest.approx(1)
    np.testing.assert_array_equal(
        learn_chances(table, classes_of(table), seed=1, n_jobs=2), learnt
    )


def test_chance_zero_stays_zero():
    table, _ = make_parity(300, n_bits=2, n_noise=6, random_state=0)
    chances = np.array([0.0, 1, 1, 1, 1, 1, 1, 1])
    learnt = learn_chances(table, classes_of(table), chances=chances, seed=1)
    assert learnt[0] == 0
    assert learnt.sum() == pytest.approx(1)


def test_a_table_from_which_nothing_can_be_learnt():
    column = Column("x", ColumnKind.NUMERIC, np.zeros(60))
    target = {"classes": np.arange(60, dtype=np.int32) % 2, "n_classes": 2}
    table = Table((column, Column("z", ColumnKind.NUMERIC, np.zeros(60))))
    assert learn_chances(table, target, seed=0).tolist() == [0, 0]


def test_chances_are_distances_from_the_first_left_out():
    score = np.exp([5.0, 1.0, 2.0, 0.5])
    assert chances_of(score) == pytest.approx([0.8, 0, 0.2, 0])
    assert chances_of(np.ones(4)).tolist() == [0, 0, 0, 0]
    assert chances_of(np.ones(1)).tolist() == [0]
    assert np.count_nonzero(chances_of(np.arange(1.0, 101.0))) == 20


def test_trees_are_as_deep_as_rows_and_features_allow():
    assert plan_trees(800, 20)[0] == 4
    assert plan_trees(50, 20)[0] == 2
    depth, n_trees = plan_trees(800, 1000)
    assert depth == 1
    assert n_trees >= 1000
    assert plan_trees(800, 20, effort=3) == (4, 3 * plan_trees(800, 20)[1] + 1)
    assert plan_trees(2000, 100_000) == (1, MOST_ASKED // 200_000)


def test_few_levels():
    codes = np.array([5, 5, 5, 2, 2, 7, 9, -1])
    assert frequent_codes(codes, 3).tolist() == [0, 0, 0, 1, 1, 2, 2, -1]
    numbers = Column("x", ColumnKind.NUMERIC, np.array([1.0, np.nan, 3, 1, 2]))
    assert level_codes(numbers).tolist() == [0, -1, 2, 0, 1]
    many = Column("x", ColumnKind.NUMERIC, np.arange(100.0))
    assert np.bincount(level_codes(many)).tolist() == [25, 25, 25, 25]
    assert np.bincount(target_codes({"numbers": np.arange(30.0)})).tolist() == [10] * 3
