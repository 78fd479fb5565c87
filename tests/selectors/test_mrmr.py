import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import f_classif

from featsieve.exceptions import DataError
from featsieve.measures import information_gain, pairwise_uncertainty
from featsieve.selectors import MRMRFilter
from featsieve.selectors._mrmr import choose_relevant
from featsieve.selectors.associations._associations import GivenAssociations
from reference import subsets as plain
from selector_tables import make


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_search_equals_the_definition(seed, p):
    random = np.random.default_rng(seed)
    cf = np.rint(random.random(p) * 8) / 8
    ff = np.rint(random.random((p, p)) * 8) / 8
    ff = np.maximum(ff, ff.T)
    found = choose_relevant(GivenAssociations(cf, ff), p)
    assert [choice.feature for choice in found] == plain.relevant(cf, ff, p)


def test_quotient_takes_what_shares_nothing_first():
    cf = [0.9, 0.1, 0.8, 0.2, 0.0]
    ff = np.eye(5)
    ff[0, 2] = ff[2, 0] = 0.5
    ff[0, 3] = ff[3, 0] = 0.25
    found = choose_relevant(GivenAssociations(cf, ff), 5, scheme="quotient")
    # 1 shares nothing; 2 then has 0.8 / 0.25, 3 has 0.2 / 0.125; 4 tells nothing.
    assert [choice.feature for choice in found] == [0, 1, 2, 3, 4]
    assert [choice.score for choice in found][1:3] == [np.inf, 3.2]


def test_finds_what_the_definition_finds():
    X, y = make()
    selector = MRMRFilter(5, nominal="all").fit(X, y)
    ff = pairwise_uncertainty(X, measure="mutual_information")
    assert selector.selected_.tolist() == plain.relevant(information_gain(X, y), ff, 5)
    assert selector.steps_[0]["feature"] == "x1"
    assert 9 not in selector.selected_[:3]  # a copy of 1


def test_order_of_rows_and_columns_does_not_matter():
    X, y = make()
    X = np.delete(X, 9, axis=1)
    expected = MRMRFilter(6, nominal="all").fit(X, y)
    rows = np.random.default_rng(1).permutation(len(X))
    columns = np.random.default_rng(2).permutation(X.shape[1])
    moved = MRMRFilter(6, nominal="all").fit(X[rows], y[rows])
    assert_array_equal(moved.selected_, expected.selected_)
    moved = MRMRFilter(6, nominal="all").fit(X[:, columns], y)
    assert_array_equal(columns[moved.selected_], expected.selected_)


def test_stops_before_noise():
    X, y = make(n_rows=2000)
    by_score = MRMRFilter(12, nominal="all", threshold=0.0).fit(X, y)
    assert {1, 4, 7} <= set(by_score.selected_) <= {1, 4, 7, 9}
    by_test = MRMRFilter(12, nominal="all", alpha=1e-4).fit(X, y)
    assert by_test.selected_.tolist() == [1, 4, 7]
    X = X.astype(float)
    X[::7, 4] = np.nan
    weights = np.ones(len(X))
    for missing in ("level", "ignore"):
        selector = MRMRFilter(12, nominal="all", alpha=1e-4, missing=missing)
        assert selector.fit(X, y, sample_weight=weights).selected_[:3].tolist() == [
            1,
            4,
            7,
        ]


def test_a_constant_feature_stops_the_test():
    X = np.array([[0, 0], [0, 1], [0, 0], [0, 1]] * 20)
    selector = MRMRFilter(2, nominal="all", alpha=0.05).fit(X, X[:, 1])
    assert selector.selected_.tolist() == [1]


def test_f_statistics_and_correlations():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 200)
    X = random.normal(size=(200, 6)) + np.outer(y, [1, 0, 0.5, 0, 0, 0])
    X[:, 1] = X[:, 0] + 0.01 * random.normal(size=200)
    X[:, 5] = 7.0
    selector = MRMRFilter(2, measure="f_correlation", scheme="quotient").fit(X, y)
    assert_allclose(selector.scores_[:5], f_classif(X[:, :5], y)[0])
    assert selector.scores_[5] == 0
    redundancy = selector.steps_[1]["redundancy"]
    first, second = selector.selected_
    expected = abs(np.corrcoef(X[:, first], X[:, second])[0, 1])
    assert redundancy == pytest.approx(expected)
    weights = random.integers(0, 3, 200)
    weighted = MRMRFilter(3, measure="f_correlation").fit(X, y, sample_weight=weights)
    repeated = MRMRFilter(3, measure="f_correlation").fit(
        np.repeat(X, weights, axis=0), np.repeat(y, weights)
    )
    assert_allclose(weighted.scores_, repeated.scores_)
    matrix_of = MRMRFilter(2, measure="f_correlation")
    assert matrix_of.fit(X[:, [0]], y).selected_.tolist() == [0]


def test_f_needs_numbers():
    with pytest.raises(DataError, match="'x1' holds missing or infinite"):
        MRMRFilter(measure="f_correlation").fit([[1, 2], [3, np.nan]], [0, 1])
    with pytest.raises(DataError, match="'x0' is nominal"):
        MRMRFilter(measure="f_correlation").fit([["a"], ["b"]], [0, 1])


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"n_features_to_select": None}, "n_features_to_select"),
        ({"n_features_to_select": 0}, "n_features_to_select"),
        ({"scheme": "sum"}, "scheme"),
        ({"measure": "gini"}, "measure"),
        ({"missing": "drop"}, "missing"),
        ({"threshold": "low"}, "threshold"),
        ({"alpha": 1.5}, "alpha"),
        ({"alpha": 0.1, "measure": "f_correlation"}, "alpha"),
        ({"target_bins": 1}, "target_bins"),
        ({"discretizer": "mdl"}, "discretizer"),
    ],
)
def test_says_which_parameter_is_wrong(parameters, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter of MRMRFilter"):
        MRMRFilter(**parameters).fit([[0], [1]], [0, 1])


def test_a_constant_feature_comes_last():
    # The identifier tells all about everything, so what is left is all redundant; a
    # constant shares nothing with it, and still is no choice.
    names = [f"row {i}" for i in range(40)]
    truth = ["a", "b"] * 20
    mostly = ["a", "b"] * 18 + ["b", "a"] * 2
    X = {"id": names, "constant": ["same"] * 40, "mostly": mostly}
    for scheme in ("difference", "quotient"):
        chosen = MRMRFilter(n_features_to_select=2, scheme=scheme).fit(X, truth)
        assert chosen.support_.tolist() == [True, False, True]
