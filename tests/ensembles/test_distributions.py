"""Draws by weight: the law, what is never drawn, and groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.data import Column, ColumnKind, Table
from featsieve.data._inputs import Target
from featsieve.ensembles._feature_boosting import (
    Distribution,
    distribution_of_array,
    distribution_of_pairs,
    even_distribution,
)
from featsieve.exceptions import DataError
from featsieve.selectors._base import Training
from reference import subset_ensembles as plain

weights = st.lists(
    st.sampled_from([0.0, 1e-300, 0.1, 1.0, 7.0]), min_size=1, max_size=6
)


@pytest.mark.parametrize("given", [[1, 1, 1, 1], [5, 3, 1, 1], [4, 1, 0, 0]])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_law_is_that_of_drawing_one_after_another(given, size):
    generator = np.random.default_rng(0)
    distribution = Distribution(np.array(given) / np.sum(given))
    n = 4000
    counts = {}
    for _ in range(n):
        subset = tuple(distribution.draw(size, generator).tolist())
        counts[subset] = counts.get(subset, 0) + 1
    chances = plain.subset_chances(given, size)
    assert set(counts) <= set(chances)
    for subset, chance in chances.items():
        error = (chance * (1 - chance) / n) ** 0.5
        assert abs(counts.get(subset, 0) / n - chance) <= 4 * error


@given(weights, st.integers(1, 6), st.integers(0, 99))
def test_draws_are_different_and_what_weighs_nothing_comes_last(given, size, seed):
    size = min(size, len(given))
    distribution = Distribution(np.array(given))
    subset = distribution.draw(size, np.random.default_rng(seed)).tolist()
    assert len(set(subset)) == size
    assert subset == sorted(subset)
    heavy = {j for j, weight in enumerate(given) if weight >= 0.1}
    if size <= len(heavy):
        assert set(subset) <= heavy
    else:
        assert heavy <= set(subset)


@given(st.integers(2, 5), st.integers(0, 99))
def test_groups_are_drawn_whole_or_not_at_all(size, seed):
    groups = [np.array([0, 1]), np.array([2, 3, 4])]
    given = np.array([0, 0, 0, 0, 0, 0, 1.0, 1.0])
    distribution = Distribution(given, groups)
    subset = set(distribution.draw(size, np.random.default_rng(seed)).tolist())
    assert len(subset) == size
    if size == 5:
        assert subset == {0, 1, 2, 3, 4}
    elif size == 2:
        assert subset == {0, 1}
    else:
        assert subset >= {0, 1} or subset >= {2, 3, 4}


def test_features_share_the_weight_of_their_groups():
    distribution = Distribution(np.array([0.2, 0.2, 0.2, 0.4]), [np.array([0, 2])])
    np.testing.assert_allclose(distribution.of_features(), [0.4, 0.2, 0.4])
    empty = Distribution(np.zeros(4), [])
    np.testing.assert_allclose(empty.of_features(), [0.25] * 4)


def test_even_weights_of_some():
    assert even_distribution(4, [1, 3]).weights.tolist() == [0, 0.5, 0, 0.5]


def test_weights_are_scaled_without_overflow():
    found = distribution_of_array([1e308, 1e308, 0], 3, "SubsetEnsembleClassifier")
    assert found.weights.tolist() == [0.5, 0.5, 0]


@pytest.mark.parametrize(
    "wrong", [[1, 2], [1, 2, -1], [0, 0, 0], [1, 2, np.nan], ["a", 1, 2], [[1, 2, 3]]]
)
def test_bad_weights_are_refused(wrong):
    with pytest.raises(DataError, match="one weight for each of the 3 features"):
        distribution_of_array(wrong, 3, "SubsetEnsembleClassifier")


def bits(codes, target):
    columns = tuple(
        Column(f"x{j}", ColumnKind.NOMINAL, column.astype(np.int32), ("0", "1"))
        for j, column in enumerate(codes.T)
    )
    return Training(Table(columns), Target(target, ("0", "1"), None), None)


def test_pairs_that_tell_together_weigh_most():
    codes = np.random.default_rng(0).integers(0, 2, (300, 12))
    target = (codes[:, 2] ^ codes[:, 7]).astype(np.int32)
    found = distribution_of_pairs(bits(codes, target), None)
    heaviest = int(found.weights.argmax()) - 12
    assert found.groups[heaviest].tolist() == [2, 7]
    assert found.weights.max() > 0.9
    assert found.of_features()[[2, 7]].sum() > 0.95


def test_noise_weighs_next_to_nothing():
    random = np.random.default_rng(0)
    codes, target = random.integers(0, 2, (300, 40)), random.integers(0, 2, 300)
    found = distribution_of_pairs(bits(codes, target.astype(np.int32)), None)
    assert np.count_nonzero(found.weights) < 10
    single = distribution_of_pairs(bits(codes[:, :1], target.astype(np.int32)), None)
    assert single.weights.tolist() == [1]
