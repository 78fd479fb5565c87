"""The grower against the plain one, on tables full of ties, gaps and weights."""

import dataclasses
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from featsieve.data import Table
from featsieve.exceptions import DroppedRowsWarning
from featsieve.trees import (
    C45Classifier,
    MDLTreeClassifier,
    MDLTreeRegressor,
    RandomTreeClassifier,
    RandomTreeRegressor,
)
from reference import trees_c45, trees_mdl
from reference.tree_tables import samples, table_of
from reference.trees import Sample, differences, from_arrays, predict, to_arrays

MISSING = st.sampled_from(["fractional", "largest"])


@st.composite
def c45_options(draw):
    prune = draw(st.booleans())
    pruning = {
        "pruning_confidence": draw(st.sampled_from([0.05, 0.25, 0.5])),
        "subtree_raising": draw(st.booleans()),
    }
    return trees_c45.Options(
        compatibility=draw(st.sampled_from([None, "j48"])),
        min_cases=draw(st.sampled_from([1, 2, 3])),
        prune=prune,
        **(pruning if prune else {}),
        collapse=draw(st.booleans()),
        gain_ratio=draw(st.booleans()),
        release8_penalty=draw(st.booleans()),
        actual_thresholds=draw(st.booleans()),
    )


def mdl_options():
    return st.fixed_dictionaries(
        {
            "n_thresholds": st.sampled_from([None, 3, 20]),
            "feature_cost": st.sampled_from(["full", "without_key", None]),
            "missing_branch": MISSING,
            "max_depth": st.sampled_from([None, 0, 2]),
        }
    )


def random_options():
    return st.fixed_dictionaries(
        {
            "max_features": st.sampled_from([1, 2, None]),
            "failed_draw": st.sampled_from(["redraw", "leaf"]),
            "missing_branch": MISSING,
            "min_cases": st.sampled_from([1, 2, 3.5]),
            "max_depth": st.sampled_from([None, 1]),
            "random_state": st.integers(0, 9),
        }
    )


def fit(estimator, sample):
    table, weights = table_of(sample)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedRowsWarning)
        return estimator.fit(table, None, weights)


def assert_alike(fitted, plain, sample):
    """Same nodes, and same answers, also for values that are unknown or never seen."""
    assert differences(from_arrays(fitted.tree_), plain) == []
    table, _ = table_of(sample)
    columns = table.columns
    asked = [np.concatenate([column.values, column.values[::-1]]) for column in columns]
    for j, values in enumerate(asked):
        values[j % len(values)] = -1 if columns[j].is_nominal else np.nan
    table = Table(
        tuple(
            dataclasses.replace(column, values=values)
            for column, values in zip(columns, asked, strict=True)
        )
    )
    regression = sample.n_classes is None
    expected = predict(
        plain,
        asked,
        missing=fitted.tree_.missing,
        empty=fitted.tree_.empty,
        regression=regression,
    )
    answers = fitted.predict(table) if regression else fitted.predict_proba(table)
    np.testing.assert_allclose(answers, expected.reshape(answers.shape), atol=1e-9)


@given(samples(no_class=True), c45_options())
def test_c45(sample, options):
    assume((sample.target >= 0).any())
    estimator = C45Classifier(**dataclasses.asdict(options))
    assert_alike(fit(estimator, sample), trees_c45.grow(sample, options), sample)


@given(samples(), mdl_options())
def test_mdl(sample, options):
    assert_alike(
        fit(MDLTreeClassifier(**options), sample), plain_mdl(sample, options), sample
    )


@given(samples(regression=True), mdl_options())
def test_mdl_of_numbers(sample, options):
    fitted = fit(MDLTreeRegressor(**options), sample)
    assert_alike(fitted, plain_mdl(sample, options), sample)


def plain_mdl(sample, options):
    settings = {name: v for name, v in options.items() if name != "missing_branch"}
    return trees_mdl.grow_mdl(sample, missing=options["missing_branch"], **settings)


@given(samples(), random_options(), st.sampled_from(["information_gain", "gini"]))
def test_random(sample, options, criterion):
    fitted = fit(
        RandomTreeClassifier(**options, criterion=criterion, observe=True), sample
    )
    plain = plain_random(sample, options, fitted, criterion)
    assert_alike(fitted, plain, sample)


@given(samples(regression=True), random_options())
def test_random_of_numbers(sample, options):
    fitted = fit(RandomTreeRegressor(**options, observe=True), sample)
    assert_alike(fitted, plain_random(sample, options, fitted, "variance"), sample)


def plain_random(sample, options, fitted, criterion):
    """The plain tree that tries at every node what the fitted one tried there."""
    tree, tried = fitted.tree_, fitted.tried_
    paths = {0: ()}
    for node, (start, size) in enumerate(
        zip(tree.first_child, tree.n_children, strict=True)
    ):
        paths.update({start + i: (*paths[node], i) for i in range(size)})
    features = {}
    for node, feature in zip(tried.node, tried.feature, strict=True):
        features.setdefault(paths[node], []).append(int(feature))
    least = options["min_cases"]
    return trees_mdl.grow_random(
        sample,
        lambda path: features.get(path, []),
        criterion={"information_gain": "entropy"}.get(criterion, criterion),
        missing=options["missing_branch"],
        min_cases=least if least > 1 else 0.0,
        max_depth=options["max_depth"],
    )


@given(samples(), c45_options())
def test_a_weight_of_two_is_a_row_twice(sample, options):
    # J48 counts rows, not weights, in two of its rules.
    options = dataclasses.replace(options, compatibility=None)
    times = np.arange(1, len(sample.target) + 1) % 3
    assume(times.any())
    weighted = Sample(
        sample.columns, sample.levels, sample.target, sample.n_classes, times
    )
    rows = np.repeat(np.arange(len(times)), times)
    repeated = Sample(
        [column[rows] for column in sample.columns],
        sample.levels,
        sample.target[rows],
        sample.n_classes,
    )
    estimator = C45Classifier(**dataclasses.asdict(options))
    first = from_arrays(fit(estimator, weighted).tree_)
    assert differences(first, from_arrays(fit(estimator, repeated).tree_)) == []


@given(samples(), c45_options())
def test_plain_trees_hold_every_case_and_survive_being_flat(sample, options):
    root = trees_c45.grow(sample, options)
    assert root.weight == pytest.approx(sample.weights.sum())
    arrays = to_arrays(root, sample.n_classes)
    inner = arrays["n_children"] > 0
    for node in np.flatnonzero(inner):
        start = arrays["first_child"][node]
        inside = arrays["weight"][start : start + arrays["n_children"][node]].sum()
        assert inside == pytest.approx(arrays["weight"][node])
    assert (arrays["first_child"][inner] > np.flatnonzero(inner)).all()
    assert differences(from_arrays(SimpleNamespace(**arrays)), root) == []


def many_levels(n_without_class=0):
    """Ten rows whose only test is on a feature of three levels."""
    codes = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2] + [0] * n_without_class)
    classes = np.array([0] * 4 + [1] * 6 + [-1] * n_without_class)
    constant = np.ones(len(codes))
    return Sample([constant, codes], [None, 3], classes, 2)


@pytest.mark.parametrize(
    ("compatibility", "n_without_class", "feature"),
    [(None, 0, -1), (None, 1, -1), ("j48", 0, -1), ("j48", 1, 1)],
)
def test_features_of_many_levels(compatibility, n_without_class, feature):
    # Three levels are 0.3 of ten rows: left out of the average gain because not all
    # features are such, and then no test is of average gain. J48 counts rows without
    # a class, too.
    options = trees_c45.Options(compatibility=compatibility, prune=False)
    sample = many_levels(n_without_class)
    plain = trees_c45.grow(sample, options)
    assert plain.feature == feature
    fitted = fit(C45Classifier(**dataclasses.asdict(options)), sample)
    assert differences(from_arrays(fitted.tree_), plain) == []
