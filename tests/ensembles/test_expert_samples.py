"""Groups of confused classes, and samples with designed numbers of rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.ensembles._experts import (
    class_quotas,
    confusion_groups,
    sample_rows,
    split_classes,
)

RANDOM = np.random.default_rng(0)
CODES = RANDOM.choice(4, 3000, p=[0.7, 0.2, 0.095, 0.005]).astype(np.int32)


def test_samples_have_what_is_wanted_and_no_row_twice():
    rows = sample_rows(CODES, {0: 50, 1: 30, 2: 7}, seed=1, cap=10)
    assert np.bincount(CODES[rows]).tolist() == [50, 30, 7]
    assert len(set(rows.tolist())) == 87


def test_small_classes_are_repeated_up_to_the_cap():
    size = int((CODES == 3).sum())
    rows = sample_rows(CODES, {3: 1000}, seed=1, cap=10)
    assert len(rows) == 10 * size
    assert (CODES[rows] == 3).all()
    assert len(sample_rows(CODES, {3: size + 1}, seed=1, cap=10)) == size + 1
    assert len(sample_rows(CODES, {3: size}, seed=1, cap=10)) == size


def test_every_row_is_as_likely():
    codes = np.zeros(200, dtype=np.int32)
    counts = np.zeros(200)
    for seed in range(2000):
        counts[sample_rows(codes, {0: 20}, seed, cap=1)] += 1
    # 200 expected each, with a deviation of 13.4; chi-square over all of them.
    statistic = float(((counts - 200) ** 2 / (200 * 0.9)).sum())
    assert 120 < statistic < 290
    assert abs(np.corrcoef(counts[:-1], counts[1:])[0, 1]) < 0.25


def test_parts_have_the_same_shares():
    test = split_classes(CODES, 0.25, seed=3)
    for c in range(4):
        size = int((c == CODES).sum())
        assert abs(test[c == CODES].sum() - 0.25 * size) <= 0.5
    assert not split_classes(np.array([0, 1, 1, 1], np.int32), 0.9, 0)[0]


def test_positives_and_negatives_share_equally_without_boost():
    quotas = class_quotas(
        np.array([0, 2]), None, 5, sample_size=600, positive_share=0.5, boost=0.5
    )
    assert quotas == {0: 150, 2: 150, 1: 100, 3: 100, 4: 100}


def test_negatives_are_boosted_by_confusion():
    confusion = np.zeros((4, 4))
    confusion[0, 1], confusion[2, 0] = 0.2, 0.1  # both directions count
    quotas = class_quotas(
        np.array([0]), confusion, 4, sample_size=1000, positive_share=0.4, boost=0.5
    )
    assert quotas == {0: 400, 1: 100 + 200, 2: 100 + 100, 3: 100}
    flat = class_quotas(
        np.array([0]),
        np.zeros((4, 4)),
        4,
        sample_size=900,
        positive_share=1 / 3,
        boost=1,
    )
    assert flat == {0: 300, 1: 200, 2: 200, 3: 200}


def test_no_class_is_left_out():
    quotas = class_quotas(
        np.array([0]), None, 50, sample_size=10, positive_share=0.5, boost=0
    )
    assert min(quotas.values()) == 1


def test_an_empty_wish_is_an_empty_sample():
    assert len(sample_rows(CODES, {}, 0, cap=1)) == 0
    assert len(sample_rows(CODES, {9: 5}, 0, cap=1)) == 0


@pytest.mark.parametrize("seed", [0, 1, 2**63])
def test_other_seeds_draw_others(seed):
    a = sample_rows(CODES, {0: 50}, seed, cap=1)
    b = sample_rows(CODES, {0: 50}, seed + 7, cap=1)
    assert len(set(a.tolist()) & set(b.tolist())) < 15


def test_confused_classes_go_together():
    confusion = np.zeros((5, 5))
    confusion[0, 3] = confusion[3, 0] = 0.4
    confusion[1, 2] = 0.3
    confusion[4, 1] = 0.01
    assert confusion_groups(confusion) == [[0, 3], [1, 2], [4]]


def test_without_confusion_the_first_two_are_joined():
    assert confusion_groups(np.zeros((3, 3))) == [[0, 1], [2]]


def test_two_classes_stay_apart():
    assert confusion_groups(np.array([[0, 0.5], [0.5, 0]])) == [[0], [1]]


@given(st.integers(0, 10_000), st.integers(3, 9))
def test_every_class_has_a_group_and_none_has_all(seed, k):
    confusion = np.random.default_rng(seed).random((k, k)) / k
    np.fill_diagonal(confusion, 0)
    groups = confusion_groups(confusion)
    assert sorted(c for group in groups for c in group) == list(range(k))
    assert 2 <= len(groups) < k
    assert max(map(len, groups)) < k
