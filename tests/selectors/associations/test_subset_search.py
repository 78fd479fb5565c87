"""Searches on given associations against the plain ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve.selectors.associations._associations import (
    GivenAssociations,
    on_grid,
    weka_rounding,
)
from featsieve.selectors.associations._subset_search import (
    add_locally_predictive,
    best_first,
    greedy_backward,
    greedy_forward,
    subset_merit,
)
from reference import subsets as plain


def draw_associations(seed, p, coarse):
    random = np.random.default_rng(seed)
    cf = random.random(p) * random.random()
    ff = random.random((p, p))
    if coarse:  # many ties
        cf, ff = np.rint(cf * 4) / 4, np.rint(ff * 4) / 4
    ff = np.triu(ff, 1)
    ff = ff + ff.T + np.eye(p)
    return on_grid(cf, True), on_grid(ff, False)


associations = st.builds(
    draw_associations, st.integers(0, 10**6), st.integers(1, 9), st.booleans()
)


@given(associations)
def test_best_first(drawn):
    cf, ff = drawn
    found = best_first(GivenAssociations(cf, ff))
    subset, merit, n_evaluated = plain.best_first(cf, ff)
    assert list(found.subset) == subset
    assert found.merit == pytest.approx(merit, abs=1e-12)
    assert found.n_evaluated == n_evaluated


@given(associations)
def test_greedy(drawn):
    cf, ff = drawn
    found = greedy_forward(GivenAssociations(cf, ff))
    subset, merit = plain.forward(cf, ff)
    assert list(found.subset) == subset
    assert found.merit == pytest.approx(merit, abs=1e-12)
    found = greedy_backward(GivenAssociations(cf, ff))
    subset, merit = plain.backward(cf, ff)
    assert list(found.subset) == subset
    assert found.merit == pytest.approx(merit, abs=1e-12)


@given(associations)
def test_merit_of_what_was_found(drawn):
    cf, ff = drawn
    given_ones = GivenAssociations(cf, ff)
    for found in (best_first(given_ones), greedy_forward(given_ones)):
        assert subset_merit(given_ones, found.subset) == found.merit
        assert plain.merit(set(found.subset), cf, ff) == pytest.approx(found.merit)


def test_forward_goes_on_to_a_number_of_features():
    cf, ff = draw_associations(0, 6, False)
    found = greedy_forward(GivenAssociations(cf, ff), n_features=6)
    assert found.subset == tuple(range(6))
    assert sorted(step["feature"] for step in found.steps) == list(range(6))


def test_locally_predictive_features_count_for_later_ones():
    cf = np.array([0.9, 0.5, 0.5, 0.2, 0.0])
    ff = np.eye(5)
    ff[0, 1] = ff[1, 0] = 0.5  # no nearer to the chosen than to the class
    ff[1, 2] = ff[2, 1] = 0.6  # nearer to the added one
    given_ones = GivenAssociations(cf, ff)
    assert add_locally_predictive(given_ones, (0,), copies=False) == [1, 3]
    # To Weka 0 is not less than 0.
    assert add_locally_predictive(given_ones, (0,), copies=True) == [1, 3, 4]


@given(associations)
def test_copies_are_no_candidates(drawn):
    cf, ff = drawn
    p = len(cf)
    twice = GivenAssociations(np.tile(cf, 2), np.tile(ff, (2, 2)))
    for search in (best_first, greedy_forward, greedy_backward):
        found = search(twice, copies=False)
        more = add_locally_predictive(twice, found.subset, copies=False)
        chosen = [j % p for j in (*found.subset, *more)]
        assert len(chosen) == len(set(chosen))
    if (ff[~np.eye(p, dtype=bool)] < 1).all():
        # Best-first may differ: copies of subsets take the places of others.
        once = GivenAssociations(cf, ff)
        for search in (greedy_forward, greedy_backward):
            assert search(twice, copies=False).subset == search(once).subset


def test_weka_forgets_and_comes_again():
    # Worked by hand. Seven subsets are made in turn: 0, 1, 2, 01, 02, 012, 12. Weka has
    # forgotten 01 when 1 is expanded, after 012 has been expanded twice.
    given_ones = GivenAssociations([0.3, 0.2, 0.1], np.eye(3))
    once, as_weka = best_first(given_ones), best_first(given_ones, reenter=True)
    assert once.subset == as_weka.subset == (0, 1)
    assert once.n_evaluated == 7
    assert as_weka.n_evaluated == 8
    assert [step["expanded"] for step in as_weka.steps].count((0, 1, 2)) == 2


def test_weka_counts_no_association_between_features_as_full():
    values = np.array([0.0, 5e-7, 0.1])
    assert weka_rounding(values, True).tolist() == [0.0, 0.0, float(np.float32(0.1))]
    assert weka_rounding(values, False).tolist() == [1.0, 1.0, float(np.float32(0.1))]


def test_nothing_to_search():
    none = GivenAssociations(np.zeros(3), np.eye(3))
    for search in (best_first, greedy_forward, greedy_backward):
        found = search(none)
        assert found.subset == ()
        assert found.merit == 0
