"""ForestSelector: what it finds, what it promises."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from featsieve.data import Column, ColumnKind, Table
from featsieve.datasets import (
    make_epistasis,
    make_friedman,
    make_mixed,
    make_multiplexer,
    make_parity,
    make_simple,
)
from featsieve.exceptions import DataError, DroppedRowsWarning, NoFeatureSelectedWarning
from featsieve.selectors import ForestSelector


def found(problem, **options):
    table, truth = problem
    selector = ForestSelector(**options).fit(table, None)
    return set(selector.get_feature_names_out()), set(truth.relevant)


@pytest.mark.parametrize(
    "problem",
    [
        make_parity(500, n_bits=2, n_noise=10, random_state=1),
        make_multiplexer(400, n_noise=6, random_state=1),
        make_friedman(400, target_kind="numeric", random_state=1),
    ],
    ids=["parity", "multiplexer", "quantity"],
)
def test_what_matters_is_found_and_nothing_else(problem):
    kept, relevant = found(problem)
    assert kept == relevant


def test_mixed_table_with_copies_and_identifiers():
    table, truth = make_mixed(800, random_state=0)
    selector = ForestSelector().fit(table, None)
    score = truth.score(selector.get_feature_names_out())
    assert score["recall"] >= 0.75
    assert score["false_discovery_proportion"] == 0
    places = {name: j for j, name in enumerate(table.names)}
    assert selector.p_values_[places["customer_id"]] == 1
    assert selector.p_values_[places["country"]] == 1  # a constant


def test_noise_is_left_alone():
    """At 0.05, four or more of 20 tables with anything kept have a chance of 1.6 %."""
    alarms = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = np.column_stack(
            [random.normal(size=(80, 5)), random.integers(0, 2, (80, 5))]
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoFeatureSelectedWarning)
            selector = ForestSelector(n_estimators=100).fit(
                X, random.integers(0, 3, 80)
            )
        alarms += selector.support_.any()
    assert alarms < 4


@pytest.mark.parametrize("kind", ["near copies", "patients"])
def test_p_values_of_noise_are_no_smaller_than_chance_makes_them(kind):
    """30 tables: a table's share of p <= .05 is .05 on average, s.d. below .2.

    So .16 would be three standard errors too many.
    """
    shares = []
    for seed in range(30):
        random = np.random.default_rng([seed, 8])
        X = random.normal(size=(120, 12))
        y, groups = random.integers(0, 2, 120), None
        if kind == "near copies":
            X = np.sqrt(0.95) * X[:, :1] + np.sqrt(0.05) * X
        else:
            groups = np.repeat(np.arange(30), 4)
            X = X[groups] + 0.5 * random.normal(size=X.shape)
            y = (random.normal(size=30)[groups] + 0.7 * random.normal(size=120)) > 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoFeatureSelectedWarning)
            selector = ForestSelector(n_estimators=30).fit(X, y, groups=groups)
        shares.append(np.mean(selector.p_values_ <= [[0.05], [0.01]], axis=1))
    assert np.mean(shares, axis=0)[0] < 0.16
    assert np.mean(shares, axis=0)[1] < 0.05


def test_rows_and_columns_may_be_shuffled():
    table, _ = make_mixed(300, random_state=0)
    random = np.random.default_rng(0)
    order = random.permutation(table.n_columns)
    shuffled = table.take(random.permutation(300)).select(
        [table.names[j] for j in order]
    )
    options = {"n_estimators": 50, "feature_weights": None}
    one = ForestSelector(**options).fit(table, None)
    two = ForestSelector(**options).fit(shuffled, None)
    np.testing.assert_array_equal(one.p_values_[order], two.p_values_)


def test_any_number_of_jobs_gives_the_same_bits():
    table, _ = make_parity(200, n_bits=2, n_noise=5, random_state=0)
    for test in ("calibrated", "t"):
        one = ForestSelector(test, n_jobs=1).fit(table, None)
        two = ForestSelector(test, n_jobs=2).fit(table, None)
        np.testing.assert_array_equal(one.p_values_, two.p_values_)


def test_known_features_give_others_their_context():
    """Parity of four bits shows only behind three of them."""
    table, truth = make_parity(600, n_bits=4, n_noise=26, random_state=0)
    known = np.isin(table.names, truth.relevant[:3])
    last = table.names.index(truth.relevant[3])
    # Learning finds all four without being told.
    options = {"n_estimators": 150, "alpha": 0.05, "learn_chances": False}
    alone = ForestSelector(**options).fit(table, None)
    weights = np.where(known, 10.0, 1.0)
    told = ForestSelector(feature_weights=weights, **options).fit(table, None)
    assert told.p_values_[last] < 0.001
    assert told.scores_[last] > alone.scores_[last]


def test_pairs_are_found_among_hundreds_of_columns():
    """With one feature per node, drawn blindly, partners hardly ever meet."""
    problem = make_epistasis(1000, heritability=0.4, n_noise=298, random_state=5)
    assert found(problem) == ({"snp_1", "snp_2"}, {"snp_1", "snp_2"})
    with pytest.warns(NoFeatureSelectedWarning):
        found(problem, learn_chances=False)


def test_parity_of_five_among_twenty():
    """No four of the bits show anything."""
    kept, relevant = found(make_parity(1600, n_bits=5, n_noise=15, random_state=2))
    assert kept == relevant


def test_learning_keeps_to_groups_and_to_given_weights():
    """Rows four times over, as groups: no more is known than from one of each."""
    single, _ = make_parity(150, n_bits=2, n_noise=8, random_state=1)
    table = single.take(np.repeat(np.arange(150), 4))
    groups = np.repeat(np.arange(150), 4)
    selector = ForestSelector(n_estimators=100).fit(table, None, groups=groups)
    assert set(selector.get_feature_names_out()) == {"x1", "x2"}
    weights = np.ones(table.n_columns)
    weights[0] = 0
    selector = ForestSelector(feature_weights=weights, n_estimators=100)
    with pytest.warns(NoFeatureSelectedWarning):
        assert selector.fit(single, None).p_values_[0] == 1


def test_weight_zero_is_never_drawn_nor_kept():
    table, _ = make_parity(200, n_bits=2, n_noise=4, random_state=0)
    weights = [0, 1, 1, 1, 1, 1]
    with pytest.warns(NoFeatureSelectedWarning):
        selector = ForestSelector(feature_weights=weights).fit(table, None)
    assert selector.p_values_[0] == 1
    with pytest.raises(DataError, match="feature_weights must have one number"):
        ForestSelector(feature_weights=[1]).fit(table, None)


def test_rows_without_weight_or_target_are_left_out():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 4))
    y = (X[:, 0] > 0).astype(float)
    weights = np.ones(150)
    weights[100:] = 0
    first = ForestSelector().fit(X[:100], y[:100])
    np.testing.assert_array_equal(
        ForestSelector().fit(X, y, weights).p_values_, first.p_values_
    )
    y[100:] = np.nan
    with pytest.warns(DroppedRowsWarning):
        missing = ForestSelector().fit(X, y)
    np.testing.assert_array_equal(missing.p_values_, first.p_values_)


def test_monotonous_changes_of_a_quantity_do_not_matter():
    table, _ = make_friedman(150, target_kind="numeric", random_state=0)
    other = Column("y", ColumnKind.NUMERIC, np.exp(table.target.values))
    one = ForestSelector(n_estimators=50).fit(table, None)
    two = ForestSelector(n_estimators=50).fit(Table(table.columns, other), None)
    np.testing.assert_array_equal(one.p_values_, two.p_values_)


def test_published_tests():
    table, truth = make_friedman(300, random_state=0)
    threshold = ForestSelector("threshold", n_estimators=60).fit(table, None)
    t = ForestSelector("t", n_estimators=60).fit(table, None)
    np.testing.assert_array_equal(threshold.scores_, t.scores_)
    np.testing.assert_array_equal(threshold.support_, threshold.scores_ > 0)
    assert not hasattr(threshold, "p_values_")
    assert np.all(threshold.support_[t.support_])
    assert np.all(t.p_values_[t.support_] <= 0.05)
    assert set(truth.relevant[3:]) <= set(t.get_feature_names_out())
    fewer = ForestSelector("t", n_estimators=60, fdr=0.05).fit(table, None)
    assert np.all(t.support_[fewer.support_])
    coarse = ForestSelector("t", n_estimators=60, n_thresholds=5).fit(table, None)
    assert not np.array_equal(coarse.scores_, t.scores_)
    t.set_params(test="threshold").fit(table, None)
    assert not hasattr(t, "path_")
    with pytest.raises(DataError, match="needs classes"):
        ForestSelector("t").fit(
            *make_friedman(50, target_kind="numeric").table.to_pandas()
        )


def test_path_and_level_by_out_of_bag_error():
    table, _ = make_simple(300, n_noise=20, random_state=0)
    selector = ForestSelector("t", alpha="oob", n_estimators=200).fit(table, None)
    path = selector.path_
    assert [step["level"] for step in path] == sorted(
        (step["level"] for step in path), reverse=True
    )
    counts = [step["n_features"] for step in path]
    assert counts == sorted(counts, reverse=True)
    best = min(step["oob_error"] for step in path)
    chosen = next(step for step in path if step["level"] == selector.level_)
    assert chosen["oob_error"] == best
    assert chosen["n_features"] == selector.support_.sum()


@pytest.mark.parametrize("test", ["calibrated", "t", "threshold"])
@pytest.mark.parametrize(
    ("X", "y"),
    [([[1.0]], [0]), ([[1.0, 2.0]] * 5, [0, 1, 0, 1, 0]), ([[1.0], [2.0]], [0, 0])],
    ids=["one row", "constant", "one class"],
)
def test_nothing_to_learn_from(test, X, y):
    with pytest.warns(NoFeatureSelectedWarning):
        selector = ForestSelector(test, n_estimators=3).fit(X, y)
    assert not selector.support_.any()


def test_steps_tell_all():
    table, _ = make_parity(200, n_bits=2, n_noise=2, random_state=0)
    selector = ForestSelector().fit(table, None)
    assert [step["rank"] for step in selector.steps_] == [1, 2, 3, 4]
    for step in selector.steps_:
        j = table.names.index(step["feature"])
        assert step["p_value"] == selector.p_values_[j]
        assert step["kept"] == selector.support_[j]
        assert selector.ranking_[j] == step["rank"]


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("test", "z"),
        ("alpha", 0),
        ("fdr", "best"),
        ("n_estimators", 0),
        ("n_shadows", 1),
        ("fdr", True),
        ("node_complexity", "cube"),
        ("n_thresholds", 0),
        ("failed_draw", "stop"),
        ("max_features", 0),
    ],
)
def test_bad_parameters_are_named(parameter, value):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of ForestSelector"):
        ForestSelector(**{parameter: value}).fit([[0.0], [1.0]], [0, 1])
