import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from featsieve.ensembles._class_groups import confusion_groups


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
