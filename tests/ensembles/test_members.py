"""Rows and learners: trees of ours and others answer in the same terms."""

import pickle

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from featsieve.data import ColumnKind
from featsieve.ensembles._members import (
    ForeignLearner,
    ForeignRows,
    MemberPlan,
    make_rows,
)
from featsieve.ensembles._training import _grow_member
from featsieve.trees import MDLTreeClassifier, TreeFeature
from featsieve.trees.api import MemberRows

FEATURES = (TreeFeature("a"), TreeFeature("b", ColumnKind.NOMINAL, ("x", "y")))
MATRIX = np.array([[1.0, 0.0], [2.0, 1.0], [3.0, np.nan]])


def test_rows_follow_the_learner():
    assert isinstance(make_rows(MDLTreeClassifier(), MATRIX, FEATURES, 2), MemberRows)
    assert isinstance(make_rows(GaussianNB(), MATRIX, FEATURES, 2), ForeignRows)


def test_numbers_stay_an_array():
    rows = ForeignRows(MATRIX[:, :1], FEATURES[:1], 2)
    assert rows.values is rows.matrix
    assert rows.take(np.array([2, 0]), None).tolist() == [[3.0], [1.0]]


def test_nominal_columns_make_a_frame():
    frame = ForeignRows(MATRIX, FEATURES, 2).take(None, np.array([1], dtype=np.uint32))
    assert list(frame["b"].cat.categories) == ["x", "y"]
    assert frame["b"].isna().tolist() == [False, False, True]


def test_classes_a_bag_lacked_have_no_share():
    rows = ForeignRows(np.arange(6.0).reshape(-1, 1), (), 3)
    learner = ForeignLearner(GaussianNB(), rows, 3)
    codes = np.array([0, 0, 1, 2, 2, 2], dtype=np.int32)
    plan = MemberPlan(0, bag=np.array([2, 2, 0, 1, 1, 0]))
    member = learner.fit(plan, codes, 0)
    shares = rows.shares(member, None)
    assert shares.shape == (6, 3)
    assert (shares[:, 1] == 0).all()


def test_every_seed_within_a_learner_is_set():
    rows = ForeignRows(np.arange(4.0).reshape(-1, 1), (), 2)
    nested = make_pipeline(DecisionTreeClassifier())
    codes = np.array([0, 1, 0, 1], dtype=np.int32)
    member = ForeignLearner(nested, rows, 2).fit(MemberPlan(0), codes, 2**40 + 5)
    assert member[-1].random_state == 5


def test_other_learners_may_leave_the_process():
    rows = ForeignRows(np.arange(6.0).reshape(-1, 1), (), 2)
    learner = ForeignLearner(GaussianNB(), rows, 2)
    assert not learner.shared_memory
    codes = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    task = (MemberPlan(0, bag=np.array([2, 1, 0, 0, 1, 2])), codes, 3, "probability")
    here = _grow_member(learner, *task)
    there = _grow_member(*pickle.loads(pickle.dumps((learner, *task))))
    np.testing.assert_array_equal(here.shares, there.shares)


def test_other_errors_of_a_learner_stay_what_they_are():
    rows = ForeignRows(np.arange(4.0).reshape(-1, 1), (TreeFeature("a"),), 2)
    learner = ForeignLearner(DecisionTreeClassifier(max_depth=-1), rows, 2)
    with pytest.raises(ValueError, match="max_depth"):
        learner.fit(MemberPlan(0), np.array([0, 1, 0, 1], dtype=np.int32), 0)
