import numpy as np
import pytest
from numpy.testing import assert_array_equal

from featsieve.data import EqualWidthDiscretizer
from featsieve.datasets import make_mixed
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.measures import pairwise_uncertainty, symmetrical_uncertainty
from featsieve.selectors import CFSFilter
from reference import subsets as plain
from selector_tables import make


@pytest.mark.parametrize("search", ["best_first", "forward", "backward"])
def test_finds_what_the_definition_finds(search):
    X, y = make()
    X = np.delete(X, 9, axis=1)  # the plain searches do not know of copies
    selector = CFSFilter(search, nominal="all").fit(X, y)
    cf, ff = symmetrical_uncertainty(X, y), pairwise_uncertainty(X)
    found = {
        "best_first": plain.best_first,
        "forward": plain.forward,
        "backward": plain.backward,
    }[search](cf, ff)
    assert np.flatnonzero(selector.support_).tolist() == found[0]
    assert selector.merit_ == pytest.approx(found[1], abs=1e-9)
    assert_array_equal(selector.search_support_, selector.support_)
    assert {1, 4, 7} <= set(found[0])


@pytest.mark.parametrize("search", ["best_first", "forward", "backward"])
def test_order_of_rows_and_columns_does_not_matter(search):
    X, y = make()
    X = np.delete(X, 9, axis=1)  # of equal columns the first is taken
    expected = CFSFilter(search, nominal="all").fit(X, y)
    rows = np.random.default_rng(1).permutation(len(X))
    columns = np.random.default_rng(2).permutation(X.shape[1])
    moved = CFSFilter(search, nominal="all").fit(X[rows], y[rows])
    assert_array_equal(moved.support_, expected.support_)
    assert moved.merit_ == expected.merit_
    moved = CFSFilter(search, nominal="all").fit(X[:, columns], y)
    assert_array_equal(moved.support_, expected.support_[columns])
    assert moved.merit_ == expected.merit_


@pytest.mark.parametrize("search", ["best_first", "forward", "backward"])
def test_a_copy_is_never_chosen_too(search):
    X, y = make()
    doubled = np.hstack([X, X])
    selector = CFSFilter(search, nominal="all").fit(doubled, y)
    p = X.shape[1]
    assert not selector.support_[p:].any()
    assert not selector.support_[9]  # tells the same as 1
    single = CFSFilter(search, nominal="all").fit(X, y)
    assert_array_equal(selector.support_[:p], single.support_)
    more = CFSFilter(search, nominal="all", locally_predictive=True).fit(doubled, y)
    assert not more.support_[p:].any()


def test_any_number_of_jobs_gives_the_same():
    X, y = make(n_columns=60)
    one = CFSFilter("backward", nominal="all", n_jobs=1).fit(X, y)
    many = CFSFilter("backward", nominal="all", n_jobs=3).fit(X, y)
    assert_array_equal(one.support_, many.support_)
    assert one.merit_ == many.merit_


def test_locally_predictive_features_come_after_the_search():
    X, y = make()
    plainly = CFSFilter(nominal="all").fit(X, y)
    more = CFSFilter(nominal="all", locally_predictive=True).fit(X, y)
    assert_array_equal(more.search_support_, plainly.support_)
    assert more.support_.sum() > plainly.support_.sum()
    added = [step for step in more.steps_ if step.get("action")]
    assert len(added) == (more.support_ & ~plainly.support_).sum()
    assert more.search_merit_ == plainly.merit_ > more.merit_


def test_steps_tell_of_the_search():
    X, y = make()
    selector = CFSFilter(nominal="all").fit(X, y)
    assert [step["improved"] for step in selector.steps_][-5:] == [False] * 5
    assert selector.steps_[0]["expanded"] == ()
    assert selector.steps_[-1]["merit"] == selector.merit_
    chosen = selector.get_feature_names_out().tolist()
    assert sorted(selector.steps_[-1]["best"]) == sorted(chosen)
    forward = CFSFilter("forward", nominal="all").fit(X, y)
    assert forward.steps_[0] == {
        "feature": "x1",
        "action": "added",
        "merit": forward.scores_[1],
    }


def test_weights_count_rows():
    X, y = make()
    weights = np.random.default_rng(3).integers(0, 3, len(X))
    repeated = CFSFilter(nominal="all").fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    weighted = CFSFilter(nominal="all").fit(X, y, sample_weight=weights)
    assert_array_equal(weighted.support_, repeated.support_)
    assert weighted.merit_ == pytest.approx(repeated.merit_, abs=1e-9)


def test_mixed_table_with_missing_values():
    table, truth = make_mixed(600, random_state=1)
    for missing in ("auto", "ignore", "spread"):
        selector = CFSFilter(missing=missing).fit(table, None)
        assert selector.support_.any()
        chosen = set(selector.get_feature_names_out())
        assert len(chosen & set(truth.relevant)) >= len(chosen) / 2
    other = CFSFilter(discretizer=EqualWidthDiscretizer(3)).fit(table, None)
    assert isinstance(other.discretizer_, EqualWidthDiscretizer)


def test_keeps_nothing_of_constants():
    X = np.zeros((10, 3))
    for search in ("best_first", "forward", "backward"):
        with pytest.warns(NoFeatureSelectedWarning):
            selector = CFSFilter(search).fit(X, [0, 1] * 5)
        assert selector.merit_ == 0


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"search": "genetic"}, "search"),
        ({"locally_predictive": "yes"}, "locally_predictive"),
        ({"max_stale": 0}, "max_stale"),
        ({"missing": "drop"}, "missing"),
        ({"compatibility": "orange"}, "compatibility"),
        ({"target_bins": 1}, "target_bins"),
        ({"discretizer": "mdl"}, "discretizer"),
    ],
)
def test_says_which_parameter_is_wrong(parameters, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter of CFSFilter"):
        CFSFilter(**parameters).fit([[0], [1]], [0, 1])


def test_weka_adds_a_feature_that_tells_nothing_to_an_empty_subset():
    X, y = [["a", "x"]] * 12, [0] * 4 + [1] * 8
    weka = CFSFilter(compatibility="weka").fit(X, y)
    assert weka.search_support_.tolist() == [False, False]
    assert weka.support_.tolist() == [True, False]
