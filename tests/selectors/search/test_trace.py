import json
import math

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from featsieve.exceptions import DataError, InterruptedSearchWarning
from featsieve.selectors import ForwardSelector
from featsieve.selectors.search._trace import Trace, fingerprint


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
