"""Forests that are listened to: shadows, tries, and that bags hold no row twice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve._kernels import (
    FailedDraw,
    GrowthRules,
    MissingCases,
    Shadows,
    SplitScore,
    grow_with_shadows,
)
from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.engine import derive_seed
from featsieve.measures import node_complexity
from featsieve.trees import RandomTreeClassifier
from featsieve.trees._base import tree_columns
from featsieve.trees._gain_forests import (
    TreeKind,
    count_orders,
    draw_distinct,
    grow_shadow_forest,
    grow_tried_forest,
)
from reference.shadows import Forest
from reference.tree_tables import samples, table_of
from reference.trees import Sample


def rules_for(sample, n_drawn):
    rules = GrowthRules()
    rules.missing = MissingCases.LARGEST
    rules.n_drawn = n_drawn
    if sample.n_classes is None:
        rules.score = SplitScore.VARIANCE
    return rules


def target_of(sample):
    if sample.n_classes is None:
        return {"numbers": sample.target.astype(np.float64)}
    return {"classes": sample.target, "n_classes": sample.n_classes}


def assert_alike(sample, n_drawn, power, seed):
    table, _ = table_of(sample)
    shadows = Shadows(tree_columns(table), 3, 5, seed)
    permutations = [
        [shadows.rows(j, b) for b in range(3)] for j in range(table.n_columns)
    ]
    seeds = np.array([seed, seed + 1], dtype=np.uint64)
    ours = grow_with_shadows(
        shadows, rules_for(sample, n_drawn), seeds, power, **target_of(sample)
    )
    plain = Forest(sample, permutations, n_drawn=n_drawn, power=power)
    for each in seeds.tolist():
        plain.add_tree(each)
    np.testing.assert_array_equal(ours["n_draws"], plain.n_draws)
    for name in ("weight", "gain", "shadow_gain"):
        np.testing.assert_allclose(
            ours[name], getattr(plain, name), rtol=1e-9, atol=1e-9
        )


def unweighted(**options):
    return samples(**options).map(without_weights)


def without_weights(sample):
    columns, target, _ = sample.given
    return type(sample)(columns, sample.levels, target, sample.n_classes, None)


DRAWN = st.sampled_from([1, 1, 2, 3])
POWER = st.sampled_from([0.5, 1.0])


@given(unweighted(), DRAWN, POWER, st.integers(0, 99))
def test_classes(sample, n_drawn, power, seed):
    assert_alike(sample, n_drawn, power, seed)


@given(unweighted(regression=True), DRAWN, POWER, st.integers(0, 99))
def test_numbers(sample, n_drawn, power, seed):
    assert_alike(sample, n_drawn, power, seed)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_many_rows(n_classes):
    """Enough rows for sorting by buckets, with and without ties."""
    random = np.random.default_rng(n_classes)
    columns = [
        random.normal(size=300),
        random.integers(0, 100, 300).astype(float),
        np.where(random.random(300) < 0.7, 0.0, random.normal(size=300)),
        np.where(random.random(300) < 0.3, np.nan, random.normal(size=300)),
    ]
    target = random.integers(0, n_classes, 300).astype(np.int32)
    assert_alike(Sample(columns, [None] * 4, target, n_classes), 2, 1.0, 5)


def small_forest(table, target, **options):
    kinds = [TreeKind(40, 1, 0.5), TreeKind(20, 2, 1.0)]
    return grow_shadow_forest(table, target, kinds, n_shadows=4, seed=1, **options)


@pytest.fixture
def noise():
    random = np.random.default_rng(0)
    columns = tuple(
        Column(f"x{j}", ColumnKind.NUMERIC, random.normal(size=80)) for j in range(5)
    )
    codes = random.integers(0, 2, 80).astype(np.int32)
    return Table(columns), {"classes": codes, "n_classes": 2}


def test_any_number_of_jobs_gives_the_same_bits(noise):
    for one, two in zip(
        small_forest(*noise, n_jobs=1), small_forest(*noise, n_jobs=3), strict=True
    ):
        np.testing.assert_array_equal(one.shadow_gain, two.shadow_gain)
        np.testing.assert_array_equal(one.gain, two.gain)


def test_chances_of_features_and_rows(noise):
    table, target = noise
    chances = np.array([0.0, 1.0, 1.0, 1.0, 1.0])
    row_chances = np.ones(80)
    row_chances[40:] = 0
    # Rows without a chance are nowhere: were they pure, nothing would be drawn.
    target["classes"][:40] = 0
    narrow, _ = small_forest(table, target, row_chances=row_chances)
    assert narrow.n_draws.sum() == 0
    target["classes"][:20] = 1
    narrow, wide = small_forest(table, target, chances=chances)
    assert narrow.n_draws[0] == wide.n_draws[0] == 0
    assert narrow.n_draws[1:].min() > 0


def test_bad_input_is_refused(noise):
    table, target = noise
    with pytest.raises(ValueError, match="one per row"):
        small_forest(table, target, row_chances=np.ones(3))
    with pytest.raises(ValueError, match="must be a shadow"):
        Shadows(tree_columns(table), 0, 0, 1)
    shadows = Shadows(tree_columns(table), 2, 2, 1)
    assert shadows.n_shadows == 2
    with pytest.raises(IndexError, match="no such shadow"):
        shadows.rows(0, 2)
    with pytest.raises(IndexError, match="no such shadow"):
        shadows.rows(5, 0)
    with pytest.raises(ValueError, match="in different orders"):
        Shadows(tree_columns(table), 3, 2, 1)
    seeds = np.array([1], dtype=np.uint64)
    with pytest.raises(ValueError, match="not divided"):
        grow_with_shadows(shadows, GrowthRules(), seeds, 1.0, **target)
    rules = GrowthRules()
    rules.missing = MissingCases.LARGEST
    too_few = {"classes": target["classes"][:3], "n_classes": 2}
    with pytest.raises(ValueError, match="one value per row"):
        grow_with_shadows(shadows, rules, seeds, 1.0, **too_few)
    marks = np.zeros(3, dtype=np.uint8)
    with pytest.raises(ValueError, match="one mark per two features"):
        grow_with_shadows(shadows, rules, seeds, 1.0, used_up_by=marks, **target)


def test_shadows_of_like_features_are_in_different_orders(noise):
    shadows = Shadows(tree_columns(noise[0]), 2, 10, 1)
    orders = {tuple(shadows.rows(j, b).tolist()) for j in range(5) for b in range(2)}
    assert len(orders) == 10
    assert count_orders(1.0, 5, 80) == 100
    assert count_orders(30.0, 5, 80) == 5
    assert count_orders(3.0, 5, 80) == 34
    assert count_orders(1.0, 5, 1_999_999) == 10
    assert count_orders(1.0, 5, 20_000_000) == 5


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = np.column_stack([random.normal(size=(60, 2)), random.integers(0, 2, (60, 2))])
    return X, random.integers(0, 3, 60).astype(np.int32)


def half(counts):
    return np.full(len(counts), 0.5)


def grow(data, **options):
    X, y = data
    settings = {
        "n_trees": 20,
        "n_drawn": 1,
        "n_thresholds": None,
        "failed_draw": FailedDraw.REDRAW,
        "power": 1.0,
    }
    return grow_tried_forest(
        read_table(X),
        {"classes": y, "n_classes": 3},
        half,
        **(settings | {"seed": 4} | options),
    )


def test_one_tree_by_hand(data):
    sums = grow(data, n_trees=1)
    seed = derive_seed(4, "tree", 0)
    bag = draw_distinct(60, None, derive_seed(seed, "bag"))
    X, y = data
    # Rows out of the bag have no class, and the tree is seeded by 64 bits.
    tree = RandomTreeClassifier(observe=True, random_state=seed).fit(X, y, bag)
    weight = node_complexity(tree.tree_.value[tree.tried_.node])
    for feature in range(4):
        own = (tree.tried_.feature == feature) & (weight > 0)
        excess = tree.tried_.gain[own] - 0.5
        assert sums.n_nodes[feature] == own.sum()
        assert sums.weight[feature] == pytest.approx(weight[own].sum())
        assert sums.excess[feature] == pytest.approx((weight[own] * excess).sum())
        assert sums.square[feature] == pytest.approx((weight[own] * excess**2).sum())


def test_any_number_of_jobs_gives_the_same_excess(data):
    one, two = grow(data, n_jobs=1), grow(data, n_jobs=2)
    np.testing.assert_array_equal(one.excess, two.excess)


def test_chances_and_thresholds(data):
    chances = np.array([1.0, 0.0, 1.0, 1.0])
    assert grow(data, chances=chances).n_nodes[1] == 0
    assert not np.array_equal(grow(data, n_thresholds=2).square, grow(data).square)
    stopped = grow(data, failed_draw=FailedDraw.LEAF)
    assert stopped.n_nodes.sum() < grow(data).n_nodes.sum()


def test_bags_hold_rows_once_and_by_chance():
    bag = draw_distinct(2000, None, 1)
    assert set(bag) == {0.0, 1.0}
    assert bag.mean() == pytest.approx(1 - np.exp(-1), abs=0.03)
    chances = np.repeat([0.0, 1.0], 1000)
    bag = draw_distinct(2000, chances, 1)
    assert bag[:1000].sum() == 0
    assert bag[1000:].mean() == pytest.approx(1 - np.exp(-2), abs=0.03)
