import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.selectors.search._search import (
    Moves,
    Rules,
    Search,
    leave_one_out_orders,
)
from reference import wrappers as plain

SINGLE = Moves(tuple((j,) for j in range(5)))


def search(values, moves=SINGLE, **rules):
    """Search with given values of subsets; unknown ones are worth 0."""
    asked = []

    def evaluate(subsets):
        asked.extend(subsets)
        return [values.get(frozenset(subset), 0.0) for subset in subsets]

    found = Search(moves, Rules(**rules), evaluate, 0.0)
    found.run()
    return found, asked


@st.composite
def set_functions(draw):
    n = draw(st.integers(1, 5))
    sets = [
        frozenset(s) for k in range(n + 1) for s in itertools.combinations(range(n), k)
    ]
    numbers = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
    return n, {s: draw(numbers) for s in sets}


def moves_of(n):
    return Moves(tuple((j,) for j in range(n)))


@settings(max_examples=100)
@given(set_functions(), st.sampled_from([0.0, 0.25]), st.sampled_from([None, 1, 3]))
def test_forward_equals_the_reference(function, tolerance, most):
    n, values = function
    found, _ = search(values, moves_of(n), tolerance=tolerance, most=most)
    chosen, reached = plain.forward(
        n,
        lambda subset: values[frozenset(subset)],
        better=lambda a, b: a > b,
        improves=lambda new, old: new > old + tolerance,
        most=most,
    )
    assert (found.best, found.best_value) == (chosen, reached)


@settings(max_examples=100)
@given(set_functions(), st.sampled_from([0.0, 0.25]))
def test_backward_equals_the_reference(function, tolerance):
    n, values = function
    found, _ = search(values, moves_of(n), tolerance=tolerance, direction="backward")
    chosen, reached = plain.backward(
        n,
        lambda subset: values[frozenset(subset)],
        better=lambda a, b: a > b,
        improves=lambda new, old: new > old + tolerance,
    )
    assert (found.best, found.best_value) == (chosen, reached)


@settings(max_examples=100)
@given(set_functions(), st.integers(1, 5), st.sampled_from(["forward", "floating"]))
def test_exactly_as_many_as_wanted(function, wanted, direction):
    n, values = function
    found, _ = search(values, moves_of(n), n_wanted=wanted, direction=direction)
    assert len(found.best) == min(wanted, n)
    assert found.best_value == values[frozenset(found.best)]


def test_floating_takes_back_what_was_good_alone():
    values = {
        frozenset({0}): 0.5,
        frozenset({0, 1}): 0.6,
        frozenset({0, 1, 2}): 0.7,
        frozenset({1, 2}): 0.9,
    }
    forward, _ = search(values)
    floating, _ = search(values, direction="floating")
    assert forward.best == [0, 1, 2]
    assert floating.best == [1, 2]
    told = [(step["action"], step["units"]) for step in floating.steps]
    assert told[:4] == [
        ("add", (0,)),
        ("add", (1,)),
        ("add", (2,)),
        ("remove", (0,)),
    ]


def test_floating_reaches_the_number_wanted_after_going_far_back():
    """Two removals in a row end below the value of the largest subset before."""
    values = {
        frozenset({0}): 0.5,
        frozenset({0, 1}): 0.6,
        frozenset({0, 1, 2}): 0.8,
        frozenset({0, 1, 2, 3}): 0.85,
        frozenset({1, 2, 3}): 0.9,
        frozenset({2, 3}): 0.7,
        frozenset({2, 3, 4}): 0.75,
    }
    found, _ = search(values, direction="floating", n_wanted=5)
    assert len(found.best) == 5
    told = [(step["action"], step["units"][0]) for step in found.steps]
    assert told[4:6] == [("remove", 0), ("remove", 1)]


def test_small_values_may_be_the_good_ones_and_tolerance_a_share():
    values = {frozenset({j}): 0.9 - j / 10 for j in range(3)} | {
        frozenset({3}): 1.0,
        frozenset({4}): 1.0,
    }
    pairs = {frozenset({2, j}): 0.7 * (1 - j / 100) for j in (0, 1)}
    everything = {
        frozenset(s): 0.9 for k in (2, 3) for s in itertools.combinations(range(5), k)
    }
    rules = {"greater_is_better": False, "relative": True}
    found, _ = search(everything | values | pairs, tolerance=0.02, **rules)
    assert found.best == [2]
    found, _ = search(everything | values | pairs, tolerance=0.005, **rules)
    assert found.best == [2, 1]


def test_patience_crosses_a_plateau():
    values = {frozenset({4}): 0.75, frozenset({0, 4}): 0.75}
    values |= {frozenset({0, 1, 4}): 1.0}
    assert search(values)[0].best == [4]
    found, _ = search(values, patience=1)
    assert found.best == [4, 0, 1]
    assert [step["accepted"] for step in found.steps] == [True] * 3 + [False] * 2
    found, _ = search({frozenset({4}): 0.75, frozenset({0, 4}): 0.75}, patience=3)
    assert found.best == [4]


def test_a_pair_may_come_at_once():
    values = {frozenset({1, 3}): 1.0, frozenset({2}): 0.6}
    assert search(values)[0].best == [2]
    moves = Moves(SINGLE.units, pairs=((1, 3), (0, 2)))
    found, _ = search(values, moves)
    assert found.best == [1, 3]
    assert found.gains[1] == found.gains[3] == 1.0
    # No room for two.
    assert search(values, moves, most=1)[0].best == [2]


def test_groups_and_fixed_features():
    moves = Moves(((0, 2), (1,), (3,)), fixed=(1,))
    values = {frozenset({1}): 0.2, frozenset({0, 1, 2}): 0.5, frozenset({1, 3}): 0.4}
    found, asked = search(values, moves)
    assert moves.features(found.best) == (1, 0, 2)
    assert all(1 in subset for subset in asked)
    assert all((0 in subset) == (2 in subset) for subset in asked)
    found, _ = search(values, moves, direction="backward", n_wanted=1)
    assert moves.features(found.best) == (1,)


def test_not_a_number_is_worst():
    nan = float("nan")
    found, _ = search({frozenset({0}): nan, frozenset({1}): -1.0}, moves_of(2))
    assert found.best == [1, 0]  # unknown pairs are worth 0
    assert Rules().first_of_best([nan, -5.0]) == 1


def test_values_within_the_slack_are_equal():
    assert Rules(slack=1e-9).first_of_best([0.5, 0.5 + 1e-12, 0.1]) == 0
    assert Rules().first_of_best([0.5, 0.5 + 1e-12, 0.1]) == 1


@pytest.mark.parametrize("n", [1, 2, 3, 8, 13])
def test_orders_leave_one_out_and_share_beginnings(n):
    orders = leave_one_out_orders(list(range(n)))
    assert set(orders) == set(range(n))
    for unit, order in orders.items():
        assert sorted([*order, unit]) == list(range(n))
    work, before = 0, []
    for unit in range(n):
        order = orders[unit]
        common = 0
        while common < min(len(order), len(before)) and order[common] == before[common]:
            common += 1
        work += len(order) - common
        before = order
    assert work <= n * max(1, (n - 1).bit_length())
