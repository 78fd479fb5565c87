import itertools
import math
import statistics

import numpy as np
import pytest

from featsieve.datasets import (
    make_class_mixture,
    make_copies,
    make_friedman,
    make_gaussian_xor,
    make_local_line,
    make_noise,
    make_rare_class,
    make_simple,
)


def rows(table):
    """Yield each row as a dict of plain numbers, the class as its code."""
    columns = (*table.columns, table.target)
    for i in range(table.n_rows):
        yield {c.name: c.values[i].item() for c in columns}


def matrix(table, names):
    return np.column_stack([table[name].values for name in names])


def test_friedman_residuals_are_standard_gaussian():
    table, truth = make_friedman(3000, target_kind="numeric", random_state=0)
    residuals = [
        row["class"]
        - 10 * math.sin(math.pi * row["x1"] * row["x2"])
        - 20 * (row["x3"] - 0.5) ** 2
        - 10 * row["x4"]
        - 5 * row["x5"]
        for row in rows(table)
    ]
    assert abs(statistics.mean(residuals)) < 5 / math.sqrt(3000)
    assert abs(statistics.stdev(residuals) - 1) < 0.07
    assert not table.target.is_nominal
    assert truth.relevant == ("x1", "x2", "x3", "x4", "x5")
    assert truth.interactions == (("x1", "x2"),)
    x = matrix(table, table.names)
    assert x.shape == (3000, 10)
    assert 0 <= x.min() < x.max() < 1


def test_friedman_classes_cut_at_fourteen():
    y = make_friedman(500, target_kind="numeric", random_state=0).table["class"].values
    labels = make_friedman(500, random_state=0).table["class"].values
    assert labels.tolist() == [int(value > 14) for value in y]
    assert 0.4 < labels.mean() < 0.7


def test_friedman_checks():
    with pytest.raises(
        ValueError, match="'target_kind' parameter of make_friedman must be"
    ):
        make_friedman(target_kind="rank")
    with pytest.raises(
        ValueError, match=r"must be 0 for target_kind='numeric'.*Got 0\.1"
    ):
        make_friedman(target_kind="numeric", label_noise=0.1)


@pytest.mark.parametrize("n_rows", [300, 301])
def test_simple_is_cut_at_the_median(n_rows):
    all_rows = list(rows(make_simple(n_rows, random_state=0).table))
    middle = statistics.median(row["x1"] ** 2 + 2 * row["x2"] for row in all_rows)
    for row in all_rows:
        assert row["class"] == int(row["x1"] ** 2 + 2 * row["x2"] > middle)
    assert sum(row["class"] for row in all_rows) == 150
    assert len(all_rows[0]) == 10


def test_gaussian_xor_clusters():
    table = make_gaussian_xor(4000, random_state=0).table
    x, labels = matrix(table, ("x1", "x2")), table["class"].values
    far = x > 4.5
    for corner in itertools.product((False, True), repeat=2):
        here = (far == corner).all(axis=1)
        assert abs(here.mean() - 0.25) < 0.04
        assert (labels[here] == (corner[0] ^ corner[1])).mean() > 0.99
        centre = [8 if side else 1 for side in corner]
        assert np.allclose(x[here].mean(axis=0), centre, atol=0.2)
        assert np.allclose(x[here].std(axis=0), 1, atol=0.1)


def test_gaussian_xor_noise_looks_like_the_features():
    table = make_gaussian_xor(4000, n_noise=1, random_state=0).table
    for name in ("x1", "noise_1"):
        column = table[name].values
        assert abs((column > 4.5).mean() - 0.5) < 0.04
        assert abs(column[column > 4.5].mean() - 8) < 0.2


def test_local_line():
    table, truth = make_local_line(1000, random_state=0)
    for row in rows(table):
        assert row["class"] == int(row["x2"] > 2.5 * row["x1"] - 0.75)
        if not 0.3 <= row["x1"] <= 0.7:
            assert row["class"] == int(row["x1"] < 0.3)
    assert truth.interactions == (("x1", "x2"),)


def test_copies():
    table, truth = make_copies(
        4000, n_informative=3, n_copies=2, correlation=0.9, random_state=0
    )
    originals = matrix(table, ("x1", "x2", "x3"))
    assert (table["class"].values == (originals.sum(axis=1) > 0)).all()
    assert truth.redundant == truth.groups
    for group in truth.groups:
        correlations = np.corrcoef(matrix(table, group), rowvar=False)
        assert np.allclose(correlations[0, 1:], 0.9, atol=0.02)
        assert np.allclose(correlations[1, 2], 0.81, atol=0.03)
    across = np.corrcoef(originals, rowvar=False)[np.triu_indices(3, 1)]
    assert np.abs(across).max() < 0.08


def test_perfect_copies_are_equal():
    table = make_copies(50, n_copies=1, correlation=1, random_state=0).table
    assert np.array_equal(table["x1"].values, table["x1_copy_1"].values)


@pytest.mark.parametrize(
    "bad", [{"n_informative": 0}, {"n_copies": 0}, {"correlation": 1.5}]
)
def test_copies_checks(bad):
    with pytest.raises(
        ValueError, match=f"{next(iter(bad))}' parameter of make_copies"
    ):
        make_copies(**bad)


def test_class_mixture_shifts_only_the_own_class():
    problem = make_class_mixture(5000, separation=3.0, random_state=0)
    table = problem.table
    for name, label in itertools.product(table.names, table.target.levels):
        here = table["class"].values == label - 1
        own = problem.details["own_feature"][label] == name
        assert abs(table[name].values[here].mean() - 3.0 * own) < 0.2
        assert abs(here.mean() - 0.2) < 0.03


def test_rare_class():
    problem = make_rare_class(n_noise=1, random_state=0)
    table = problem.table
    counts = np.bincount(table["class"].values)
    assert counts[2] == 90
    assert abs(counts[0] - counts[1]) < 300
    means = {
        name: [table[name].values[table["class"].values == k].mean() for k in range(3)]
        for name in table.names
    }
    assert np.allclose(means["x1"], [0, 2.5, 1.25], atol=[0.15, 0.15, 0.8])
    assert np.allclose(means["x2"], [0, 0, 2.5], atol=[0.15, 0.15, 0.5])
    assert np.allclose(means["noise_1"], 0, atol=0.5)


def test_rare_class_is_never_empty():
    assert (make_rare_class(10, rare_share=0.001).table["class"].values == 2).sum() == 1


@pytest.mark.parametrize(
    ("kind", "levels"),
    [
        ("continuous", [0, 0, 0, 0]),
        ("binary", [2, 2, 2, 2]),
        ("levels", [7, 7, 7, 7]),
        ("mixed", [0, 2, 7, 0]),
    ],
)
def test_noise_kinds(kind, levels):
    table, truth = make_noise(
        500, feature_kind=kind, n_noise=4, n_levels=7, n_classes=3, random_state=0
    )
    assert [column.n_levels for column in table] == levels
    assert truth.irrelevant == table.names
    assert truth.groups == ()
    assert np.bincount(table["class"].values).min() > 130


def test_noise_carries_nothing():
    table = make_noise(2000, n_noise=50, random_state=0).table
    features = matrix(table, table.names)
    correlations = np.corrcoef(features, table["class"].values, rowvar=False)[-1, :-1]
    assert np.abs(correlations).max() < 4.5 / math.sqrt(2000)


def test_noise_checks():
    with pytest.raises(
        ValueError, match="'feature_kind' parameter of make_noise must be one"
    ):
        make_noise(feature_kind="white")
    with pytest.raises(ValueError, match="'n_classes' parameter of make_noise must be"):
        make_noise(n_classes=1)
