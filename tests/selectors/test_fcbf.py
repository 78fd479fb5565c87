import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.measures import pairwise_uncertainty, symmetrical_uncertainty
from featsieve.selectors import FCBFFilter
from featsieve.selectors._fcbf import find_predominant
from featsieve.selectors.associations._associations import GivenAssociations
from reference import subsets as plain
from selector_tables import make


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_search_equals_the_definition(seed, p):
    random = np.random.default_rng(seed)
    cf = np.rint(random.random(p) * 8) / 8
    ff = np.rint(random.random((p, p)) * 8) / 8
    ff = np.maximum(ff, ff.T)
    order = np.argsort(-cf, kind="stable")
    kept, removed = find_predominant(GivenAssociations(cf, ff), order, 0.0)
    assert kept == plain.predominant(cf, ff)
    for feature, (by, association) in removed.items():
        assert by in kept
        assert association == ff[by, feature] >= cf[feature]


def test_finds_what_the_definition_finds():
    X, y = make()
    selector = FCBFFilter(nominal="all").fit(X, y)
    expected = plain.predominant(symmetrical_uncertainty(X, y), pairwise_uncertainty(X))
    assert selector.selected_.tolist() == expected
    assert np.flatnonzero(selector.support_).tolist() == sorted(expected)


def test_order_of_rows_and_columns_does_not_matter():
    X, y = make()
    X = np.delete(X, 9, axis=1)
    expected = FCBFFilter(nominal="all").fit(X, y)
    rows = np.random.default_rng(1).permutation(len(X))
    columns = np.random.default_rng(2).permutation(X.shape[1])
    moved = FCBFFilter(nominal="all").fit(X[rows], y[rows])
    assert_array_equal(moved.selected_, expected.selected_)
    moved = FCBFFilter(nominal="all").fit(X[:, columns], y)
    assert_array_equal(columns[moved.selected_], expected.selected_)


def test_a_copy_is_removed_by_its_original():
    X, y = make()
    selector = FCBFFilter(nominal="all").fit(np.hstack([X, X]), y)
    assert not selector.support_[X.shape[1] :].any()
    removed = {step["feature"]: step for step in selector.steps_}
    assert removed["x9"]["removed_by"] == "x1"
    assert removed["x9"]["association"] == 1.0
    assert removed["x9"]["reason"] == "at least as near to 'x1' (1) as to the class"
    assert [step["rank"] for step in selector.steps_] == [*range(1, 25)]


def test_threshold_and_features_that_tell_nothing():
    X, y = make()
    X[:, 0] = 0
    selector = FCBFFilter(nominal="all").fit(X, y)
    last = selector.steps_[-1]
    assert (last["feature"], last["kept"]) == ("x0", False)
    assert last["reason"] == "not above the threshold of 0"
    strict = FCBFFilter(threshold=0.1, nominal="all").fit(X, y)
    assert set(strict.selected_) < set(selector.selected_)
    assert (selector.scores_[strict.selected_] > 0.1).all()


def test_weka_keeps_one_of_features_that_tell_nothing():
    X = np.zeros((10, 3))
    with pytest.warns(NoFeatureSelectedWarning):
        assert not FCBFFilter().fit(X, [0, 1] * 5).support_.any()
    weka = FCBFFilter(compatibility="weka").fit(X, [0, 1] * 5)
    assert weka.selected_.tolist() == [2]  # its ranking of equals is 2, 1, 0
    assert weka.ranking_.tolist() == [3, 2, 1]


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"threshold": "high"}, "threshold"),
        ({"missing": "drop"}, "missing"),
        ({"compatibility": "orange"}, "compatibility"),
        ({"discretizer": "mdl"}, "discretizer"),
    ],
)
def test_says_which_parameter_is_wrong(parameters, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter of FCBFFilter"):
        FCBFFilter(**parameters).fit([[0], [1]], [0, 1])
