import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from featsieve.exceptions import DataError, InterruptedSearchWarning
from featsieve.selectors import ForwardSelector
from featsieve.selectors.search._search import (
    Moves,
    Rules,
    Search,
    Trace,
    fingerprint,
    leave_one_out_orders,
)
from reference import wrappers as plain


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 6))
    y = (X[:, 4] + X[:, 2] > 0).astype(int)
    return X, y


class Scorer:
    """Counts its calls, and behaves like Ctrl-C at one of them."""

    __qualname__ = "scorer"

    def __init__(self, stop_at=math.inf):
        self.stop_at = stop_at
        self.calls = 0

    def __call__(self, estimator, X, y):
        self.calls += 1
        if self.calls == self.stop_at:
            raise KeyboardInterrupt
        return estimator.score(X, y)


def wrapper(scorer, **more):
    return ForwardSelector(GaussianNB(), scorer, cv=2, **more)


@pytest.mark.parametrize("direction", ["forward", "backward", "floating"])
@pytest.mark.parametrize("stop_at", [3, 12, 13, 19, 25])
def test_resuming_gives_what_never_stopping_gives(data, tmp_path, direction, stop_at):
    whole = Scorer()
    expected = wrapper(whole, direction=direction).fit(*data)
    stopped = wrapper(Scorer(stop_at), direction=direction, trace=tmp_path / "t.json")
    with pytest.warns(InterruptedSearchWarning, match="the best subset so far is kept"):
        stopped.fit(*data)
    assert stopped.interrupted_
    assert stopped.support_.any()
    assert stopped.transform(data[0]).shape[1] == stopped.support_.sum()
    rest = Scorer()
    resumed = wrapper(rest, direction=direction, trace=tmp_path / "t.json").fit(*data)
    assert not resumed.interrupted_
    assert resumed.steps_ == expected.steps_
    assert resumed.selected_.tolist() == expected.selected_.tolist()
    assert resumed.value_ == expected.value_
    np.testing.assert_array_equal(resumed.scores_, expected.scores_)
    # Nothing is done twice but the fold that was interrupted.
    assert rest.calls <= whole.calls - (stop_at - 2)
    # The trace in memory serves as well as the file.
    again = wrapper(Scorer(), direction=direction, trace=stopped.trace_).fit(*data)
    assert again.steps_ == expected.steps_


def test_the_best_subset_so_far_is_the_best_of_those_tried(data):
    selector = wrapper(Scorer(stop_at=11))
    with pytest.warns(InterruptedSearchWarning):
        selector.fit(*data)
    tried = {tuple(e["subset"]): e["value"] for e in selector.trace_["evaluations"]}
    assert len(tried) == 5
    assert selector.value_ == max(tried.values())
    assert tried[tuple(selector.selected_)] == selector.value_


def test_an_interruption_before_anything_is_passed_on(data):
    with pytest.raises(KeyboardInterrupt):
        wrapper(Scorer(stop_at=1)).fit(*data)


def test_a_finished_search_is_not_done_again(data, tmp_path):
    path = tmp_path / "trace.json"
    first = ForwardSelector(trace=path).fit(*data)
    assert first.n_subsets_evaluated_ == len(first.trace_["evaluations"]) > 6
    second = ForwardSelector(trace=str(path), n_jobs=2).fit(*data)
    assert second.n_subsets_evaluated_ == 0
    assert second.steps_ == first.steps_
    # Another search over the same values may use them.
    other = ForwardSelector(trace=path, direction="floating").fit(*data)
    assert other.n_subsets_evaluated_ < len(other.trace_["evaluations"])
    assert json.loads(path.read_text()) == other.trace_


@pytest.mark.parametrize(
    "change",
    [
        {"n_neighbors": 5},
        {"scoring": "boosting_z"},
        {"cv": "resubstitution"},
        {"cv": 3},
        {"estimator": KNeighborsClassifier()},
        {"nominal": [0]},
    ],
)
def test_a_trace_of_something_else_is_refused(data, change):
    trace = ForwardSelector().fit(*data).trace_
    with pytest.raises(DataError, match="belongs to other data or to other settings"):
        ForwardSelector(**change, trace=trace).fit(*data)


def test_other_data_are_noticed(data):
    X, y = data
    trace = ForwardSelector().fit(X, y).trace_
    for other in ((X + 1, y), (X, 1 - y), (X[:-1], y[:-1])):
        with pytest.raises(DataError, match="belongs to other data"):
            ForwardSelector(trace=trace).fit(*other)


@pytest.mark.parametrize("text", ["", "[]", '{"format": "x"}'])
def test_a_file_that_is_no_trace_is_left_alone(data, tmp_path, text):
    path = tmp_path / "notes.json"
    path.write_text(text)
    with pytest.raises(DataError, match="choose another file name"):
        ForwardSelector(trace=path).fit(*data)
    assert path.read_text() == text


def test_not_a_number_survives_the_file(tmp_path):
    trace = Trace("mark", ("a", "b"), tmp_path / "t.json")
    trace.values = {(0,): math.nan, (0, 1): 0.1 + 0.2}
    trace.save()
    again = Trace("mark", ("a", "b"), tmp_path / "t.json")
    assert math.isnan(again.values[0,])
    assert again.values[0, 1] == 0.1 + 0.2


def test_fingerprints_do_not_depend_on_addresses():
    def marks():
        return fingerprint([GaussianNB(), Scorer(), {"a": [1]}, np.arange(3), len])

    assert marks() == marks()
    assert fingerprint([GaussianNB()]) != fingerprint([GaussianNB(var_smoothing=1)])
    assert fingerprint(["ab", "c"]) != fingerprint(["a", "bc"])


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
