"""Bags are drawn by weight, and members are remembered."""

import numpy as np

from featsieve.ensembles._members import MemberPlan
from featsieve.ensembles._training import GrownMember, Training


def training(weights=None, n_rows=6, **settings):
    codes = (np.arange(n_rows) % 2).astype(np.int32)
    return Training(
        learner=None,
        matrix=np.zeros((n_rows, 1)),
        codes=codes,
        n_classes=2,
        given_weights=weights,
        seed=0,
        n_estimators=5,
        **settings,
    )


def test_bags_hold_as_many_rows_as_there_are():
    bag = training().draw_bag(0)
    assert bag.sum() == 6
    assert (training().draw_bag(0) == bag).all()
    assert any((training().draw_bag(k) != bag).any() for k in range(1, 5))


def test_rows_are_drawn_by_weight():
    weights = np.array([0.0, 1, 0, 3, 0, 0])
    rows = training(weights, 6)
    total = sum(rows.draw_bag(k) for k in range(500))
    assert total[[0, 2, 4, 5]].sum() == 0
    assert abs(total[3] / total.sum() - 0.75) < 0.04  # four standard errors: 0.03
    assert rows.draw_bag(0, np.eye(6)[4]).tolist() == [0, 0, 0, 0, 6, 0]


def test_weights_of_rows_have_mean_one():
    plan = training().plan_by_weights(3, np.array([1.0, 2, 3, 4, 5, 15]), "reweight")
    assert isinstance(plan, MemberPlan)
    assert plan.bag is None
    np.testing.assert_allclose(plan.weights, [0.2, 0.4, 0.6, 0.8, 1, 3])


def member(codes, bag):
    return GrownMember("tree", np.array(bag), None, np.array(codes), None)


def test_votes_out_of_bag_are_counted_with_their_weight():
    rows = training()
    rows.keep(member([0, 1, 0, 0, 0, 0], [0, 0, 3, 3, 0, 0]), 2.0)
    rows.keep(member([1] * 6, [6, 0, 0, 0, 0, 0]))
    assert rows.oob_votes[:3].tolist() == [[2, 0], [0, 3], [0, 1]]
    assert rows.oob_members.tolist() == [1, 2, 1, 1, 2, 2]


def test_after_the_best_members_are_forgotten():
    rows = training(n_iter_no_change=2)
    right, wrong = [0, 1] * 3, [1, 0] * 3
    out = [0] * 6
    assert rows.keep(member(wrong, out))
    assert rows.keep(member(right, out), 2.0)
    assert rows.keep(member(wrong, out), 5.0)
    assert not rows.keep(member(wrong, out))
    rows.cut_to_best()
    assert rows.votes == [1.0, 2.0]
    assert rows.oob_votes[0].tolist() == [2, 1]
