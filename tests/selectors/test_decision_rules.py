import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from featsieve.data import Column, ColumnKind, Table
from featsieve.data._inputs import Target
from featsieve.datasets import make_mixed
from featsieve.engine import root_seed
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.measures import class_association, pairwise_association
from featsieve.selectors import DecisionRuleFilter
from featsieve.selectors._base import Training
from featsieve.selectors._decision_rules import choose_by_rules, draw_markers
from featsieve.selectors.associations._association_samples import plan_samples
from featsieve.selectors.associations._associations import (
    GivenAssociations,
    SampledAssociations,
)
from reference import subsets as plain
from selector_tables import make, numbers


@given(st.integers(0, 10**6), st.integers(1, 9))
def test_search_equals_the_definition(seed, p):
    random = np.random.default_rng(seed)
    cf = np.rint(random.random(p) * 16) / 16
    ff = np.rint(random.random((p, p)) * 16) / 16
    ff = np.maximum(ff, ff.T) * random.random()
    levels = (0.125, 0.25, 0.5)
    chosen, others, _ = choose_by_rules(GivenAssociations(cf, ff), levels)
    expected = plain.by_rules(cf, ff, levels)
    assert [(v.feature, v.category) for v in chosen] == expected
    left = {verdict.feature for verdict in others}
    assert left == set(range(p)) - {j for j, _ in expected}
    assert {verdict.category for verdict in others} <= {"E", "F"}


def test_every_feature_has_a_category_and_a_reason():
    X, y = numbers()
    selector = DecisionRuleFilter().fit(X, y)
    cf = class_association(X, y)
    assert_allclose(selector.scores_, cf)
    expected = plain.by_rules(cf, pairwise_association(X))
    assert selector.selected_.tolist() == [j for j, _ in expected]
    assert selector.selected_.tolist() == [int(np.argmax(cf)), 4]
    assert len(selector.steps_) == 6
    assert {step["feature"] for step in selector.steps_} == {f"x{j}" for j in range(6)}
    assert all(step["reason"] for step in selector.steps_)
    assert selector.steps_[0]["reason"] == "highest association with the class"
    told = {step["feature"]: step for step in selector.steps_}
    double = f"x{({1, 2} - set(selector.selected_)).pop()}"
    assert told[double]["category"] == "E"
    assert told[double]["meaning"] == "redundant"
    assert selector.categories_[0] == "F"
    assert selector.stopped_by_ is None


def test_levels_are_the_users():
    X, y = numbers()
    strict = DecisionRuleFilter(levels=(0.5, 0.7, 0.9)).fit(X, y)
    assert strict.support_.sum() < DecisionRuleFilter().fit(X, y).support_.sum()
    loose = DecisionRuleFilter(levels=(0.001, 0.99, 0.999)).fit(X, y)
    assert loose.support_.all()


def test_nothing_significant_nothing_chosen():
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 4))
    with pytest.warns(NoFeatureSelectedWarning):
        selector = DecisionRuleFilter().fit(X, random.integers(0, 2, 2000))
    assert set(selector.categories_) == {"F"}


def test_probes_end_the_search():
    X, y = numbers()
    free = DecisionRuleFilter(levels=(0.0001, 0.98, 0.99)).fit(X, y)
    assert free.support_.all()
    kinds = ("gaussian", "uniform", "binary")
    held = DecisionRuleFilter(levels=(0.0001, 0.98, 0.99), probes=kinds).fit(X, y)
    assert held.stopped_by_ in kinds
    assert held.support_.sum() < 6
    reasons = [step["reason"] for step in held.steps_ if not step["kept"]]
    assert f"the search ended at a {held.stopped_by_} probe" in reasons
    assert len(held.scores_) == 6
    again = DecisionRuleFilter(levels=(0.0001, 0.98, 0.99), probes=kinds).fit(X, y)
    assert_array_equal(again.selected_, held.selected_)
    other = draw_markers(kinds, 300, 1)
    assert not np.array_equal(other[0], draw_markers(kinds, 300, 0)[0])
    assert set(other[2]) == {0.0, 1.0}


def test_order_of_rows_and_columns_and_jobs_do_not_matter():
    X, y = numbers()
    expected = DecisionRuleFilter(n_jobs=1).fit(X, y)
    rows = np.random.default_rng(1).permutation(len(X))
    columns = np.random.default_rng(2).permutation(X.shape[1])
    moved = DecisionRuleFilter(n_jobs=2).fit(X[rows], y[rows])
    assert_array_equal(moved.selected_, expected.selected_)
    moved = DecisionRuleFilter().fit(X[:, columns], y)
    assert_array_equal(columns[moved.selected_], expected.selected_)


def test_a_copy_of_the_only_chosen_feature_is_redundant():
    X, y = make()
    selector = DecisionRuleFilter(nominal="all").fit(X[:, [1, 9]], y)
    assert selector.categories_.tolist()[1] in "EF"
    assert selector.selected_.tolist() == [0]


def test_mixed_table_and_weights():
    table, _ = make_mixed(500, random_state=0)
    selector = DecisionRuleFilter().fit(table, None)
    assert len(selector.steps_) == table.n_columns
    X, y = numbers()
    weights = np.random.default_rng(0).random(len(X))
    weighted = DecisionRuleFilter().fit(X, y, sample_weight=weights)
    expected = class_association(X, y, association="pearson", weights=weights)
    assert_allclose(weighted.scores_, expected)


@pytest.mark.parametrize(
    ("parameters", "name"),
    [
        ({"levels": (0.1, 0.3)}, "levels"),
        ({"levels": (0.3, 0.1, 0.5)}, "levels"),
        ({"levels": 0.5}, "levels"),
        ({"levels": (0.1, None, 0.5)}, "levels"),
        ({"levels": ("low", 0.3, 0.5)}, "levels"),
        ({"levels": (0.1, 0.3, 1.5)}, "levels"),
        ({"probes": ("cauchy",)}, "probes"),
        ({"probes": "gaussian"}, "probes"),
        ({"probes": None}, "probes"),
        ({"association": "cosine"}, "association"),
        ({"missing": "spread"}, "missing"),
        ({"target_bins": 1}, "target_bins"),
    ],
)
def test_says_which_parameter_is_wrong(parameters, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter of DecisionRuleFilter"):
        DecisionRuleFilter(**parameters).fit([[0], [1]], [0, 1])


def test_means_over_samples():
    """Disjoint samples of half the rows: the mean of both is what decides."""
    X, y = numbers()
    options = {"n_subsamples": 2, "sample_size": 150, "random_state": 3}
    selector = DecisionRuleFilter(**options).fit(X, y)
    plan = plan_samples(300, 2, 150, root_seed(3))
    parts = [plan.rows(k) for k in range(2)]
    cf = np.mean([class_association(X[rows], y[rows]) for rows in parts], axis=0)
    ff = np.mean([pairwise_association(X[rows]) for rows in parts], axis=0)
    assert_allclose(selector.scores_, cf)
    expected = plain.by_rules(cf, ff)
    assert selector.selected_.tolist() == [j for j, _ in expected]
    again = DecisionRuleFilter(**options, n_jobs=2).fit(X, y)
    assert_array_equal(again.scores_, selector.scores_)
    weights = np.repeat([1.0, 2.0], 150)
    weighted = DecisionRuleFilter(**options, probes=("binary",))
    weighted.fit(X, y, sample_weight=weights)
    assert weighted.support_[1] != weighted.support_[2]


def test_sampled_matrix_has_the_sampled_rows():
    X, y = numbers()
    table = Table(
        tuple(Column(f"x{j}", ColumnKind.NUMERIC, X[:, j].copy()) for j in range(6))
    )
    training = Training(table, Target(y.astype(np.int32), (0, 1), None), None)
    sampled = SampledAssociations(
        training, "gamma", "ignore", None, n_subsamples=3, sample_size=50, seed=1
    )
    matrix = sampled.matrix()
    for j in range(6):
        assert_allclose(sampled.row(j), matrix[j])


def test_features_may_be_compared_otherwise_than_with_the_class():
    X, y = numbers()
    X = X.round()
    selector = DecisionRuleFilter(association="gamma", pair_association="kendall")
    selector.fit(X, y)
    cf = class_association(X, y, association="gamma")
    assert_allclose(selector.scores_, cf)
    expected = plain.by_rules(cf, pairwise_association(X))
    assert selector.selected_.tolist() == [j for j, _ in expected]
    other = DecisionRuleFilter(association="gamma").fit(X, y)
    expected = plain.by_rules(cf, pairwise_association(X, association="gamma"))
    assert other.selected_.tolist() == [j for j, _ in expected]
    assert selector.steps_[1] != other.steps_[1]


def test_mixed_pairs_may_count_nothing():
    X, y = numbers()
    X[:, 2] = X[:, 1] > 1
    cut = DecisionRuleFilter(nominal=[2]).fit(X, y)
    zero = DecisionRuleFilter(nominal=[2], mixed="zero").fit(X, y)
    with_first = {s["feature"]: s["mean_association"] for s in zero.steps_[:2]}
    assert with_first["x2"] == 0
    assert {s["feature"]: s for s in cut.steps_}["x2"]["mean_association"] > 0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"pair_association": "chance"}, "'pair_association' parameter"),
        ({"mixed": "none"}, "'mixed' parameter"),
        ({"n_subsamples": 0}, "'n_subsamples' parameter"),
        ({"sample_size": 1}, "'sample_size' parameter"),
    ],
)
def test_bad_sampling_is_named(parameters, message):
    with pytest.raises((TypeError, ValueError), match=message):
        DecisionRuleFilter(**parameters).fit(*numbers())


def test_exact_copies_are_redundant_at_once():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 600)
    X = rng.normal(size=(600, 5)) + y[:, None]
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["word"] = np.where(rng.random(600) < 0.8, y, 1 - y).astype(str)
    alone = DecisionRuleFilter().fit(frame, y)
    assert alone.support_.all()
    copies = frame.assign(a2=frame["a"], word2=frame["word"].map({"0": "z", "1": "b"}))
    selector = DecisionRuleFilter().fit(copies, y)
    assert selector.support_.tolist() == [True] * 6 + [False] * 2
    assert selector.categories_[6:].tolist() == ["E", "E"]
    assert selector.steps_[-1]["meaning"] == "redundant"
    first = DecisionRuleFilter().fit(copies.iloc[:, ::-1], y)
    assert first.support_.sum() == 6


def test_an_identifier_is_irrelevant():
    y = np.random.default_rng(4).integers(0, 3, 300)
    names = [f"row {k}" for k in range(300)]
    frame = pd.DataFrame({"name": names, "y": y.astype(str)})
    selector = DecisionRuleFilter().fit(frame, y)
    assert selector.categories_.tolist() == ["F", "A"]
    plain = DecisionRuleFilter(correct_chance=False).fit(frame, y)
    assert plain.scores_[0] > 0.3


def test_means_and_levels_that_rounding_tells_apart_are_equal():
    """Seed 95 of nine features chose 5 instead of 4: three thirds, summed in turn."""
    random = np.random.default_rng(95)
    cf = np.rint(random.random(9) * 16) / 16
    ff = np.rint(random.random((9, 9)) * 16) / 16
    ff = np.maximum(ff, ff.T) * random.random()
    levels = (0.125, 0.25, 0.5)
    chosen, *_ = choose_by_rules(GivenAssociations(cf, ff), levels)
    assert [(v.feature, v.category) for v in chosen] == plain.by_rules(cf, ff, levels)
    just_below = np.array([0.5 - 1e-15, 0.5 - 1e-9])
    apart = np.zeros((2, 2))
    chosen, *_ = choose_by_rules(GivenAssociations(just_below, apart), levels)
    assert [v.category for v in chosen] == ["A", "B"]
