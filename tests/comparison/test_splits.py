"""Folds heed groups, time and strata, and say what cannot be."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from featsieve.comparison._row_options import ANY_ROWS, GivenRows
from featsieve.comparison._splits import describe_cv, make_splits
from featsieve.evaluation import repeated_folds
from featsieve.exceptions import DataError

PATIENTS = np.repeat(np.arange(20), 5)
CLASSES = np.repeat(np.arange(20) % 2, 5)
GROUPED = GivenRows(groups=PATIENTS)
TIMED = GivenRows(moments=np.arange(100)[::-1] // 3)


def split(cv, rows, target=CLASSES, *, classes=True):
    return make_splits(cv, target, rows, classes=classes, seed=3)


def test_without_options_folds_are_as_ever():
    wanted = repeated_folds(CLASSES, 5, 2, random_state=3)
    for (train, test), (own_train, own_test) in zip(
        wanted, split("5x2", ANY_ROWS), strict=True
    ):
        assert train.tolist() == own_train.tolist()
        assert test.tolist() == own_test.tolist()


@pytest.mark.parametrize("classes", [True, False])
def test_groups_are_never_on_both_sides(classes):
    splits = split("5x3", GROUPED, classes=classes)
    assert len(splits) == 15
    for train, test in splits:
        assert not set(PATIENTS[train]) & set(PATIENTS[test])
        assert len(train) + len(test) == 100
        if classes:  # of four patients two are of each class
            assert CLASSES[test].mean() == 0.5
    assert len({tuple(test) for _, test in splits}) == 15
    assert describe_cv("5x3", 15, GROUPED) == "5 folds of whole groups, 3 times"


def test_what_is_tested_comes_later():
    splits = split("4x3", TIMED)
    assert len(splits) == 4  # repetitions would be the same
    for train, test in splits:
        assert TIMED.moments[train].max() < TIMED.moments[test].min()
    sizes = [len(test) for _, test in splits]
    assert max(sizes) - min(sizes) <= 3
    assert "each after" in describe_cv("4x3", 4, TIMED)


@pytest.mark.parametrize("classes", [True, False])
def test_strata_are_shared_out(classes):
    strata = np.arange(100) % 4
    target = np.random.default_rng(0).permutation(CLASSES)
    for train, test in split("5x1", GivenRows(strata=strata), target, classes=classes):
        counts = np.bincount(strata[test])
        assert counts.max() - counts.min() <= (2 if classes else 0)
        assert len(train) + len(test) == 100
    both = GivenRows(groups=PATIENTS, strata=PATIENTS % 4)
    for _, test in split("5x1", both):
        assert np.bincount(both.strata[test]).tolist() == [5, 5, 5, 5]


def test_one_group_is_left_out():
    splits = split("loo", GROUPED)
    assert [set(PATIENTS[test]) for _, test in splits] == [{k} for k in range(20)]
    assert describe_cv("loo", 20, GROUPED) == "20 splits of whole groups (loo)"


def test_splits_of_the_caller_may_heed_groups_and_time():
    assert len(split(GroupKFold(4), GROUPED)) == 4
    forward = GivenRows(moments=np.arange(100))
    assert len(split(TimeSeriesSplit(4), forward)) == 4


@pytest.mark.parametrize(
    ("cv", "rows", "target", "words"),
    [
        ("30x1", GROUPED, CLASSES, "30 folds of whole groups need at least as many"),
        (KFold(5, shuffle=True), GROUPED, CLASSES, "rows of the same group"),
        (KFold(5), TIMED, CLASSES, "not before those it tests on"),
        ("loo", TIMED, CLASSES, "cannot leave one row out with 'time'"),
        ("40x1", TIMED, CLASSES, "34 moments"),
        (3, TIMED, (TIMED.moments > 25).astype(int), "of one class"),
        (2, GivenRows(groups=CLASSES), CLASSES, "of one class"),
        (3, GivenRows(groups=np.r_[np.zeros(98), 1, 2]), CLASSES, "of one class|empty"),
    ],
)
def test_what_cannot_be_is_said(cv, rows, target, words):
    with pytest.raises(DataError, match=words):
        split(cv, rows, target)
