"""Columns and targets as directions: what spans them, and how many they are."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from featsieve.data import read_table
from featsieve.inference import _column_basis
from featsieve.inference._column_basis import (
    Basis,
    Given,
    Stack,
    class_basis,
    column_basis,
    curve_basis,
    detail_for,
    independent,
    orthonormal,
    product_basis,
    quantity_basis,
    shares_below,
)


def column_of(values):
    return read_table({"x": values}, np.arange(len(values)) % 2).columns[0]


def spans(directions, *columns):
    """Whether centred columns lie in the span of orthonormal directions."""
    matrix = np.column_stack(columns).astype(float)
    matrix -= matrix.mean(axis=0)
    rest = matrix - directions @ (directions.T @ matrix)
    return np.abs(rest).max() < 1e-9


def is_orthonormal(directions):
    products = directions.T @ directions
    centred = np.abs(directions.sum(axis=0)).max(initial=0) < 1e-9
    return centred and np.allclose(products, np.eye(len(products)), atol=1e-12)


def normal_scores(values):
    return stats.norm.ppf(shares_below(values))


def test_normal_scores_are_quantiles_at_the_middle_of_ranks():
    found = normal_scores(np.array([5.0, np.nan, -1.0, 5.0]))
    assert found == pytest.approx(
        [*stats.norm.ppf([2 / 3]), 0, -0.9674, 0.4307], abs=1e-4
    )


def test_normal_scores_do_not_depend_on_units():
    x = np.random.default_rng(0).normal(size=50)
    assert np.array_equal(normal_scores(x), normal_scores(np.exp(3 * x)))
    assert not normal_scores(np.full(3, np.nan)).any()


@pytest.mark.parametrize(
    ("n_rows", "n_classes", "n_columns", "detail"),
    [
        (300, 1, 1, 2),
        (299, 1, 1, 1),
        (100, 1, 1, 1),
        (99, 1, 1, 0),
        (600, 20, 1, 2),
        (599, 20, 1, 1),
        (300, 20, 1, 1),
        (299, 20, 1, 0),
        (10_000, 2, 285, 2),  # seven directions of 20 million numbers
        (10_000, 2, 286, 1),
        (10_000, 2, 1000, 1),
        (10_000, 2, 1001, 0),
        (2_857_142, 1, 1, 2),  # a seventh of 20 million
        (2_857_143, 1, 1, 1),
    ],
)
def test_detail_is_what_rows_classes_and_memory_allow(
    n_rows, n_classes, n_columns, detail
):
    assert detail_for(n_rows, n_classes, n_columns) == detail


def test_a_number_has_a_curve_and_five_bins():
    random = np.random.default_rng(1)
    x = random.permutation(400).astype(float)
    z = normal_scores(x)
    line = column_basis(column_of(x), 0)
    assert line.ordered
    assert line.directions.shape == (400, 1)
    assert spans(line.directions, z)
    bend = column_basis(column_of(x), 1).directions
    assert bend.shape[1] == 2
    assert spans(bend, z, z**2)
    full = column_basis(column_of(x), 2).directions
    fifths = np.floor(x / 80)
    assert full.shape[1] == 7  # three powers, and four of five bins
    assert spans(full, z, z**2, z**3, *(fifths == k for k in range(5)))
    assert is_orthonormal(full)
    # The straight line is the first direction.
    assert abs(full[:, 0] @ z) == pytest.approx(np.linalg.norm(z))


def test_missing_values_are_a_direction_and_nowhere_on_the_curve():
    x = np.random.default_rng(2).normal(size=400)
    x[::7] = np.nan
    basis = column_basis(column_of(x), 2).directions
    assert basis.shape[1] == 8
    known = ~np.isnan(x)
    z = normal_scores(x)
    assert spans(basis, ~known, z, np.where(known, z**2, 0), z**3)
    # With the flag given, the others do not depend on what stands in for a gap.
    assert column_basis(column_of(x), 0).directions.shape[1] == 2


@pytest.mark.parametrize("detail", [0, 1, 2])
def test_two_values_are_one_direction(detail):
    x = np.tile([0.0, 1.0, 1.0], 200)
    assert column_basis(column_of(x), detail).directions.shape[1] == 1


@pytest.mark.parametrize(
    ("n_rows", "detail", "most"),
    [(2000, 2, 60), (2000, 1, 16), (2000, 0, 4), (200, 2, 10), (60, 2, 4)],
)
def test_a_nominal_column_has_its_frequent_levels(n_rows, detail, most):
    random = np.random.default_rng(3)
    x = np.minimum(random.geometric(0.05, n_rows), 80)
    basis = column_basis(column_of([f"v{k:02d}" for k in x]), detail)
    assert basis.ordered is False
    levels, counts = np.unique(x, return_counts=True)
    frequent = levels[np.argsort(-counts, kind="stable")][:most]
    assert basis.directions.shape[1] == most - 1
    rest = [x == level for level in frequent[1:]]
    assert spans(basis.directions, *rest)


def test_of_levels_as_frequent_the_first_ones_count():
    x = np.random.default_rng(3).permutation(np.arange(2000) % 80)
    basis = column_basis(column_of([f"v{k:02d}" for k in x]), 1)
    names = column_of([f"v{k:02d}" for k in x]).levels[:16]
    chosen = [int(name[1:]) for name in names]
    assert spans(basis.directions, *(x == k for k in chosen[1:]))
    assert basis.directions.shape[1] == 15


def test_a_level_of_one_row_is_a_level():
    x = ["a", "b"] * 30 + ["c"]
    basis = column_basis(column_of(x), 1).directions
    assert basis.shape[1] == 2
    assert spans(basis, [value == "c" for value in x])


def test_missing_is_a_level():
    x = ["a", None, "b", "a"] * 50
    basis = column_basis(column_of(x), 2).directions
    assert basis.shape[1] == 2
    assert spans(basis, [value is None for value in x])


def test_products_say_what_levels_do_not():
    a, b = np.random.default_rng(4).integers(0, [[3], [2]], (2, 300))
    found = product_basis(np.column_stack([a, b])).directions
    assert found.shape[1] == 2
    joint = np.eye(6)[a * 2 + b]
    parts = np.hstack([np.eye(3)[a], np.eye(2)[b], found])
    assert np.linalg.matrix_rank(parts) == np.linalg.matrix_rank(joint)
    # What the levels of each say is not among it.
    centred = [(a == 1) - np.mean(a == 1), (a == 2) - np.mean(a == 2)]
    assert spans(found, *(own * ((b == 1) - np.mean(b == 1)) for own in centred))
    assert product_basis(np.column_stack([a, b])).ordered is False
    three = np.random.default_rng(5).integers(0, 2, (200, 3))
    assert product_basis(three).directions.shape[1] == 1
    parity = (-1.0) ** three.sum(axis=1)
    found = product_basis(three).directions[:, 0]
    assert abs(found @ (parity - parity.mean())) > 0.9 * np.linalg.norm(parity)


def test_classes_are_all_plain():
    classes = np.random.default_rng(6).integers(0, 4, 200).astype(np.int32)
    basis = class_basis(classes)
    assert basis.n_straight == basis.directions.shape[1] == 3
    assert spans(basis.directions, *(classes == k for k in range(4)))


def test_a_quantity_has_a_line_and_its_outer_thirds():
    y = np.random.default_rng(7).permutation(300).astype(float)
    basis = quantity_basis(y)
    assert (basis.n_straight, basis.directions.shape[1]) == (1, 3)
    assert spans(basis.directions, normal_scores(y), y < 100, y >= 200)
    assert abs(basis.directions[:, 0] @ normal_scores(y)) == pytest.approx(
        np.linalg.norm(normal_scores(y))
    )


def test_what_lies_on_the_edge_of_a_third_is_in_the_middle():
    """Of twelve rows the fourth and fifth are tied, at a third, and so from above."""
    y = np.array([1, 2, 3, 4.5, 4.5, 6, 7, 8.5, 8.5, 10, 11, 12])
    basis = quantity_basis(y).directions
    assert basis.shape[1] == 3
    assert spans(basis, y < 4, y > 9)


@pytest.mark.parametrize(
    ("n_rows", "n_fits", "width"),
    [
        (2000, 1, 23),  # three powers, 19 of 20 bins, a step
        (300, 1, 23),
        (299, 1, 22),
        (300, 2, 46),
        (300, 3, 6),
        (90, 3, 6),
        (89, 3, 3),  # less than 15 rows for two bends of each
        (44, 3, 0),
        (60, 1, 7),
        (20, 1, 5),
    ],
)
def test_curves_of_fits(n_rows, n_fits, width):
    fit, target = np.random.default_rng(8).normal(size=(2, n_rows, n_fits))
    found = curve_basis(fit, target)
    assert found.shape[1] == width
    if width > n_fits:
        assert spans(found, *(normal_scores(own) ** 2 for own in fit.T))
    elif width:
        assert spans(found, *(normal_scores(own) for own in fit.T))


def test_a_curve_has_the_step_that_tells_two_classes():
    x = np.random.default_rng(9).normal(size=90)
    y = (x > np.sort(x)[30]).astype(float)
    found = curve_basis(x[:, np.newaxis], y[:, np.newaxis])
    assert spans(found, y)


@pytest.mark.parametrize(("middle", "n_low"), [(4.0, 47), (5.0, 25)])
def test_the_step_is_at_the_middle_of_the_target(middle, n_low):
    """Half way between least and most; what lies on it is high."""
    y = np.repeat([0.0, middle, 10.0], [25, 22, 43])
    x = np.random.default_rng(3).permutation(90).astype(float)
    found = curve_basis(x[:, np.newaxis], y[:, np.newaxis])
    assert spans(found, x >= n_low)
    assert not spans(found, x >= 72 - n_low)


def test_orthonormal_leaves_out_what_is_there_already():
    x = np.random.default_rng(9).normal(size=(30, 2))
    parts = np.column_stack([x[:, 0], np.ones(30), 2 * x[:, 0] + 5, x[:, 1]])
    found = orthonormal(parts)
    assert found.shape == (30, 2)
    assert is_orthonormal(found)
    assert spans(found, *x.T)


def test_never_more_directions_than_rows():
    found = independent(np.random.default_rng(0).normal(size=(3, 9)), 1e-9)
    assert found.shape == (3, 3)
    assert orthonormal(np.zeros((4, 2))).shape == (4, 0)
    assert independent(np.random.default_rng(0).normal(size=(3, 9)), 0.0).shape == (
        3,
        3,
    )


def test_what_is_left_is_measured_by_its_own_length():
    x, y = orthonormal(np.random.default_rng(0).normal(size=(40, 2))).T
    assert orthonormal(np.column_stack([1e-7 * x, y])).shape[1] == 2
    for part, n_directions in ((0.8e-6, 1), (1.2e-6, 2)):
        assert orthonormal(np.column_stack([x, x + part * y])).shape[1] == n_directions


def test_what_is_left_must_be_longer_than_the_least():
    columns = np.array([[1.0, 1.0], [0.0, 1e-4]])
    assert independent(columns, 1e-4).shape[1] == 1
    assert independent(columns, 0.99e-4).shape[1] == 2
    assert independent(columns, np.array([0.0, 1e-3])).shape[1] == 1


def test_constants_are_as_documented():
    assert _column_basis.BINS == 5


def test_a_constant_has_no_direction_whatever_its_mean_is_rounded_to():
    """Squares of two values of one size are equal, but their sum may be rounded."""
    x = np.random.default_rng(0).normal(size=999)
    for value in np.random.default_rng(1).normal(size=20):
        parts = np.column_stack([np.full(999, value), x, np.full(999, value**2)])
        found = orthonormal(np.asfortranarray(parts))
        assert found.shape == (999, 1)


def test_what_is_given_is_orthonormal_and_spans_what_was_added():
    random = np.random.default_rng(0)
    parts = [random.normal(size=(30, k)) for k in (2, 1, 3)]
    given = Given(30)
    for part in parts:
        given.add(part)
    own = given.directions
    assert given.rank == 6
    assert own.T @ own == pytest.approx(np.eye(6), abs=1e-12)
    for part in parts:
        assert given.rest_of(part) == pytest.approx(np.zeros(part.shape), abs=1e-12)


def test_what_is_there_adds_nothing():
    x = np.random.default_rng(1).normal(size=(30, 2))
    given = Given(30)
    assert given.add(x).shape == (30, 2)
    assert given.add(x @ [[1.0], [2.0]]).shape == (30, 0)
    assert given.rank == 2


def test_copies_grow_apart():
    random = np.random.default_rng(2)
    given = Given(20)
    for _ in range(3):
        given.add(random.normal(size=(20, 1)))
    before = given.directions.copy()
    other = given.copy()
    mine = given.add(random.normal(size=(20, 1)))
    theirs = other.add(random.normal(size=(20, 1)))
    for grown, fresh in ((given, mine), (other, theirs)):
        assert grown.directions == pytest.approx(np.hstack([before, fresh]), abs=0)


@pytest.mark.parametrize("most", [0, 10**6])
def test_a_stack_is_the_matrix_of_its_bases(most, monkeypatch):
    monkeypatch.setattr(_column_basis, "MOST_STACKED", most)
    monkeypatch.setattr(_column_basis, "STACKED_AT_A_TIME", 50)
    random = np.random.default_rng(3)
    parts = [random.normal(size=(41, k)) for k in (2, 0, 1, 4)]
    stack = Stack(41, [Basis(part, ordered=True) for part in parts])
    matrix = np.hstack(parts)
    values, weights = random.normal(size=(41, 3)), random.normal(size=(7, 2))
    assert stack.widths.tolist() == [2, 0, 1, 4]
    assert stack.begins.tolist() == [0, 2, 2, 3]
    assert stack.inner(values) == pytest.approx(matrix.T @ values)
    assert stack.gram() == pytest.approx(matrix.T @ matrix)
    assert stack.times(weights) == pytest.approx(matrix @ weights)
    assert Stack(41, []).inner(values).shape == (0, 3)
    assert Stack(41, []).times(np.empty((0, 2))) == pytest.approx(np.zeros((41, 2)))
