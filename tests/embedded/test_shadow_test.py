"""The test of features against their shadows."""

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.embedded._shadow_test import (
    compare_with_shadows,
    feature_shapes,
    null_variances,
    settle_test,
    shadow_test,
)
from featsieve.trees._shadow_growth import ShadowSums


def sums_of(gain, shadows, weight=1.0):
    gain, shadows = np.asarray(gain, float), np.asarray(shadows, float)
    weights = np.full(len(gain), weight)
    n_draws = np.full(len(gain), 7)
    return ShadowSums(n_draws, weights, gain * weight, shadows * weight)


def chance(n_features, n_shadows, scale, random):
    """Features that are nothing but one more shadow."""
    values = random.exponential(size=(n_features, n_shadows + 1)) * scale
    return sums_of(values[:, 0], values[:, 1:])


def alike_test(forests):
    """The test of features of one kind."""
    return shadow_test(forests, np.zeros((len(forests[0].weight), 1)))


def test_a_shadow_in_place_of_its_feature():
    comparison = compare_with_shadows(sums_of([3.0], [[1.0, 2.0, 6.0]], weight=5.0))
    assert comparison.excess == pytest.approx([0.0])
    scale = np.sqrt((1 + 1 / 3) / (1 + 1 / 2))
    assert comparison.null[0] == pytest.approx(np.array([-3.0, -1.5, 4.5]) * scale)


def test_constant_unseen_and_indiscriminate_features_are_not_tested():
    sums = sums_of([0.0, 1.0, 0.4], [[0, 0, 0], [1, 1, 1], [0.1, 0.2, 0.3]])
    assert compare_with_shadows(sums).tested.tolist() == [False, False, True]
    test = alike_test([sums])
    assert test.p_values[:2].tolist() == [1.0, 1.0]
    assert test.score[:2].tolist() == [0.0, 0.0]
    nothing = alike_test([sums_of([0.0], [[0.0, 0.0]])])
    assert nothing.p_values.tolist() == [1.0]


def test_the_level_holds_where_kinds_of_features_differ():
    """Exponential chance: half of the features vary ten times as much as the others."""
    random = np.random.default_rng(0)
    kind = np.repeat([0.0, 1.0], 20)[:, None]
    rejected = np.array(
        [
            shadow_test([chance(40, 5, 10**kind, random)], kind).p_values < 0.05
            for _ in range(150)
        ]
    )
    shares = rejected.mean(axis=0).reshape(2, 20).mean(axis=1)
    # Pooled, the quiet half would hardly ever pass and the other twice too often.
    assert np.all(shares < 0.075)
    assert np.all(shares > 0.02)


def test_variances_of_alike_features_are_drawn_together():
    random = np.random.default_rng(1)
    null = random.normal(size=(30, 4))
    alike = null_variances(null, np.full((30, 1), 2.0))
    np.testing.assert_allclose(alike, np.mean(null**2))


def test_shapes_tell_kinds_apart():
    table = read_table({"a": [1.0, 2.0, 3.0, 4.0], "b": ["x", "y", "x", None]})
    shapes = feature_shapes(table)
    assert shapes[0].tolist() == pytest.approx([np.log(2), np.log(2) ** 2, 0, 0])
    entropy = 0.75 * (np.log2(3) - 2 / 3)
    assert shapes[1, [0, 2, 3]] == pytest.approx([np.log(entropy), 1, np.log(entropy)])


def test_kinds_of_trees_add_up():
    random = np.random.default_rng(2)
    first, second = (chance(20, 5, 1.0, random) for _ in range(2))
    first.gain[3] += 4
    second.gain[3] += 4
    alone = [alike_test([sums]).p_values[3] for sums in (first, second)]
    assert alike_test([first, second]).p_values[3] < min(alone)


def test_scores_do_not_depend_on_the_unit_of_gains():
    random = np.random.default_rng(3)
    sums = chance(20, 5, 1.0, random)
    tenfold = ShadowSums(
        sums.n_draws, sums.weight, 10 * sums.gain, 10 * sums.shadow_gain
    )
    np.testing.assert_allclose(
        alike_test([tenfold]).p_values, alike_test([sums]).p_values
    )


def test_skewness_is_bounded():
    tested = np.ones(4, dtype=bool)
    flat = settle_test(np.zeros(4), np.tile([-1.0, 1.0], (4, 1)), tested)
    assert flat.skewness == 1.5
    steep = settle_test(np.zeros(4), np.tile([-1.0] * 50 + [50.0], (4, 1)), tested)
    assert steep.skewness == 2.0
