import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.measures import class_association
from featsieve.selectors import DifferentialPrioritizationFilter
from featsieve.selectors._differential_prioritization import choose_by_priority
from featsieve.selectors.associations._associations import GivenAssociations
from selector_tables import numbers


@given(st.integers(0, 10**6), st.integers(1, 8), st.sampled_from([0, 0.3, 0.5, 1]))
def test_every_choice_makes_the_merit_highest(seed, p, alpha):
    random = np.random.default_rng(seed)
    cf, ff = random.random(p), random.random((p, p))
    ff = np.maximum(ff, ff.T)

    def merit(members):
        near = np.mean(cf[members])
        first, second = np.triu_indices(len(members), 1)
        pairs = 1 - ff[np.ix_(members, members)][first, second]
        apart = pairs.mean() if len(pairs) else 1.0
        return near**alpha * apart ** (1 - alpha)

    choices = choose_by_priority(GivenAssociations(cf, ff), p, alpha)
    assert sorted(j for j, _ in choices) == list(range(p))
    chosen = []
    for feature, value in choices:
        free = [j for j in range(p) if j not in chosen]
        best = max(merit([*chosen, j]) for j in free)
        chosen.append(feature)
        assert value == pytest.approx(best)
        assert merit(chosen) == pytest.approx(best)


def test_alpha_weighs_relevance_against_difference():
    X, y = numbers()
    relevant = DifferentialPrioritizationFilter(1, n_features_to_select=3).fit(X, y)
    best = np.argsort(-class_association(X, y))[:3]
    assert sorted(relevant.selected_) == sorted(best)
    both = DifferentialPrioritizationFilter(0.5, n_features_to_select=2).fit(X, y)
    assert not {1, 2} <= set(both.selected_)
    assert both.steps_[0]["score"] == both.scores_.max()
    assert_allclose(both.scores_, class_association(X, y))


def test_number_of_features():
    X, y = numbers()
    half = DifferentialPrioritizationFilter(n_features_to_select=0.5).fit(X, y)
    assert half.support_.sum() == 3
    assert DifferentialPrioritizationFilter().fit(X, y).support_.all()


def test_order_of_rows_and_columns_and_jobs_do_not_matter():
    X, y = numbers()
    kind = DifferentialPrioritizationFilter
    expected = kind(n_features_to_select=4, n_jobs=1).fit(X, y)
    rows = np.random.default_rng(1).permutation(len(X))
    columns = np.random.default_rng(2).permutation(X.shape[1])
    moved = kind(n_features_to_select=4, n_jobs=2).fit(X[rows], y[rows])
    assert_array_equal(moved.selected_, expected.selected_)
    moved = kind(n_features_to_select=4).fit(X[:, columns], y)
    assert_array_equal(columns[moved.selected_], expected.selected_)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"relevance_weight": 1.5}, "relevance_weight"),
        ({"n_features_to_select": None}, "n_features_to_select"),
        ({"association": "cosine"}, "association"),
        ({"missing": "spread"}, "missing"),
        ({"target_bins": 1}, "target_bins"),
    ],
)
def test_says_which_parameter_is_wrong(parameters, name):
    owner = "DifferentialPrioritizationFilter"
    with pytest.raises(ValueError, match=f"'{name}' parameter of {owner}"):
        DifferentialPrioritizationFilter(**parameters).fit([[0], [1]], [0, 1])
