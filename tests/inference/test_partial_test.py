"""Tests given a set: equal to least squares, right under the null, and with power."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from featsieve.data import read_table
from featsieve.inference._column_basis import (
    Basis,
    TargetBasis,
    class_basis,
    column_basis,
    curve_basis,
    orthonormal,
    product_basis,
    quantity_basis,
)
from featsieve.inference._company import Company
from featsieve.inference._partial_test import (
    GrowingSet,
    ShrinkingSet,
    harmonic_means,
    most_told,
    pillai_p_values,
)
from reference.partial import partial_p_value, pillai, residuals


def bases_of(columns, detail=2):
    table = read_table(
        {f"x{k}": values for k, values in enumerate(columns)},
        np.arange(len(columns[0])) % 2,
    )
    return [column_basis(column, detail) for column in table]


def draw(seed, n_rows=80):
    """Return bases of columns that correlate, one nominal, one collinear; a target."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n_rows, 4))
    x[:, 1] += x[:, 0]
    x[:, 2] = np.where(random.random(n_rows) < 0.1, np.nan, x[:, 2])
    columns = list(x.T)
    columns.append([f"l{k}" for k in random.integers(0, 3, n_rows)])
    columns.append((x[:, 0] > 0).astype(float))  # one of two bins of the first
    bases = bases_of(columns, int(random.integers(3)))
    noise = random.normal(size=n_rows)
    quantity = x[:, 0] + x[:, 3] ** 2 + noise
    if random.random() < 0.5:
        return bases, quantity_basis(quantity)
    cut = np.searchsorted(np.quantile(quantity, [0.3, 0.6]), quantity)
    return bases, class_basis(cut.astype(np.int32))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 5), max_size=4))
def test_growing_equals_least_squares(seed, enter):
    bases, target = draw(seed)
    tests = GrowingSet(bases, target)
    for k in enter:
        tests.give(bases[k])
    parts = [bases[k].directions for k in dict.fromkeys(enter)]
    found = tests.test()
    for k, basis in enumerate(bases):
        expected = partial_p_value(
            basis.directions,
            target.directions,
            parts,
            ordered=basis.ordered,
            n_straight=target.n_straight,
        )
        assert found.p_values[k] == pytest.approx(expected, rel=1e-4, abs=1e-12)
        trace, _ = pillai(basis.directions, target.directions, parts)
        assert found.traces[k] == pytest.approx(trace, abs=1e-7)
        assert tests.test_one(k) == pytest.approx(found.p_values[k])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.lists(st.integers(0, 4), max_size=3, unique=True))
def test_shrinking_equals_least_squares(seed, gone):
    bases, target = draw(seed)
    bases = bases[:5]  # the last is collinear, and who comes first would decide
    tests = ShrinkingSet(bases, [(k,) for k in range(5)], target)
    for k in gone:
        tests.drop(k)
    left = [k for k in range(5) if k not in gone]
    found = tests.test()
    for k in left:
        expected = partial_p_value(
            bases[k].directions,
            target.directions,
            [bases[i].directions for i in left if i != k],
            ordered=bases[k].ordered,
            n_straight=target.n_straight,
        )
        assert found.p_values[k] == pytest.approx(expected, rel=1e-4, abs=1e-12)
    assert all(found.p_values[k] == 1 for k in gone)


def bends_of(given_parts, target):
    """Return the bends of what least squares fits by columns that are given."""
    plain = target.directions[:, : target.n_straight]
    return curve_basis(plain - residuals(plain, given_parts), plain)


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_beyond_the_curve_equals_least_squares(seed, with_company):
    """What a set fits bends; its bends, and what stands beside a column, are given."""
    bases, target = draw(seed, n_rows=150)
    inside = [bases[0].directions, bases[3].directions]
    parts = [*inside, bends_of(inside, target)]
    beside = [bases[4]] if with_company else []
    growing = GrowingSet(bases, target)
    growing.give(bases[0])
    growing.give(bases[3])
    shrinking = ShrinkingSet([bases[k] for k in (2, 0, 1, 3)], [(0,), (2,)], target)
    shrinking.drop(0)
    expected = partial_p_value(
        bases[1].directions,
        target.directions,
        [*parts, *(basis.directions for basis in beside)],
        ordered=True,
        n_straight=target.n_straight,
    )
    found = growing.test_beyond_curve(bases[1], beside)
    assert found == pytest.approx(expected, rel=1e-4, abs=1e-12)
    if not beside:
        found = shrinking.test_beyond_curve(1)
        assert found == pytest.approx(expected, rel=1e-4, abs=1e-12)
    # The same bends, given for good.
    growing.give_curve()
    found = growing.test().p_values
    for k in (1, 2, 4):
        expected = partial_p_value(
            bases[k].directions,
            target.directions,
            parts,
            ordered=bases[k].ordered,
            n_straight=target.n_straight,
        )
        assert found[k] == pytest.approx(expected, rel=1e-4, abs=1e-12)


def test_a_unit_goes_with_what_it_shares():
    random = np.random.default_rng(0)
    a, b, c = random.integers(0, 2, (3, 400))
    y = class_basis((a ^ b).astype(np.int32))
    bases = bases_of([a.astype(float), b.astype(float), c.astype(float)])
    bases.append(product_basis(np.column_stack([a, b])))
    tests = ShrinkingSet(bases, [(0, 3), (1, 3), (2,)], y)
    p_values = tests.test().p_values
    assert p_values[0] < 1e-50
    assert p_values[1] < 1e-50
    assert p_values[2] > 0.001
    tests.drop(0)
    assert tests.test().p_values[1] > 0.001


def test_a_basis_without_a_unit_is_always_given():
    random = np.random.default_rng(1)
    x = random.normal(size=300)
    copy = x + 0.3 * random.normal(size=300)
    bases = bases_of([x, copy])
    target = quantity_basis(x + random.normal(size=300))
    (p_value,) = ShrinkingSet(bases, [(1,)], target).test().p_values
    both = ShrinkingSet(bases, [(0,), (1,)], target).test().p_values
    assert p_value == pytest.approx(both[1])


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 1, 2, 3]))
def test_instead_of_a_unit_equals_least_squares(seed, unit):
    bases, target = draw(seed)
    tests = ShrinkingSet(bases[:4], [(k,) for k in range(4)], target)
    parts = [bases[k].directions for k in range(4) if k != unit]
    parts.append(bends_of(parts, target))

    def expected(basis, given_parts):
        return partial_p_value(
            basis.directions,
            target.directions,
            given_parts,
            ordered=basis.ordered,
            n_straight=target.n_straight,
        )

    blocks = [bases[5], bases[4]]
    found = tests.test_instead(unit, blocks)
    for block, (instead, still) in zip(blocks, found, strict=True):
        assert instead == pytest.approx(expected(block, parts), rel=1e-4, abs=1e-12)
        both = [*parts, block.directions]
        assert still == pytest.approx(expected(bases[unit], both), rel=1e-4, abs=1e-12)


def test_collinear_columns_leave_nothing_to_test():
    random = np.random.default_rng(2)
    x = random.normal(size=(200, 2))
    bases = [Basis(orthonormal(own[:, np.newaxis]), ordered=True) for own in x.T]
    total = Basis(orthonormal(x.sum(axis=1)[:, np.newaxis]), ordered=True)
    target = quantity_basis(x[:, 0] + random.normal(size=200))
    tests = GrowingSet([*bases, total], target)
    tests.give(bases[0])
    tests.give(bases[1])
    tests.give(total)
    assert tests.rank == 2
    found = tests.test()
    assert found.p_values.tolist() == [1, 1, 1]
    assert found.widths.tolist() == [0, 0, 0]
    # In a set, the first of them are the ones that count.
    p_values = ShrinkingSet([*bases, total], [(0,), (1,), (2,)], target).test().p_values
    assert p_values[2] == 1
    assert p_values[0] < 1e-6


@pytest.mark.parametrize(("share", "width"), [(0.8e-7, 0), (1.2e-7, 1)])
def test_a_ten_millionth_of_its_square_is_a_direction(share, width):
    """Less is what rounding may leave of a column that is a sum of others."""
    space = orthonormal(np.random.default_rng(3).normal(size=(20, 2)))
    near = space @ [[np.sqrt(1 - share)], [np.sqrt(share)]]
    bases = [Basis(own, ordered=True) for own in (space[:, :1], near)]
    target = quantity_basis(np.random.default_rng(4).normal(size=20))
    growing = GrowingSet(bases, target)
    growing.give(bases[0])
    assert growing.test().widths.tolist() == [0, width]
    growing.give(bases[1])
    assert growing.rank == 1 + width
    assert ShrinkingSet(bases, [(0,), (1,)], target).test().widths[1] == width
    known = TargetBasis(space[:, :1], 1)
    company = Company(bases, known, given_target=True)
    company.add(bases[1])
    assert company.rank == width


def test_what_follows_a_collinear_column_counts():
    random = np.random.default_rng(2)
    x = random.normal(size=(120, 3))
    x[:, 2] += x[:, 0]
    lines = [x[:, 0], x[:, 1], x[:, 0] - 3 * x[:, 1], x[:, 2]]
    bases = [Basis(orthonormal(own[:, np.newaxis]), ordered=True) for own in lines]
    target = quantity_basis(x.sum(axis=1) + random.normal(size=120))
    whole = ShrinkingSet(bases, [(0,), (1,), (2,), (3,)], target).test()
    apart = [bases[k] for k in (0, 1, 3)]
    less = ShrinkingSet(apart, [(0,), (1,), (2,)], target).test()
    assert whole.p_values[[0, 1, 3]] == pytest.approx(less.p_values, rel=1e-6)
    assert (whole.widths.tolist(), whole.p_values[2]) == ([1, 1, 0, 1], 1)


def test_a_target_that_is_explained_leaves_nothing_to_tell():
    random = np.random.default_rng(3)
    x = random.integers(0, 2, 100)
    bases = bases_of([x.astype(float), random.normal(size=100)], 0)
    tests = GrowingSet(bases, class_basis(x.astype(np.int32)))
    assert tests.target_left == pytest.approx(1)
    tests.give(bases[0])
    assert tests.target_left == pytest.approx(0, abs=1e-12)
    assert tests.test().p_values.tolist() == [1, 1]


def test_one_direction_on_either_side_is_students_test():
    random = np.random.default_rng(4)
    x, y = random.normal(size=(2, 40))
    r = np.corrcoef(x, y)[0, 1]
    found = pillai_p_values(np.array([r * r]), 1, 1, 39)
    assert found[0] == pytest.approx(stats.pearsonr(x, y).pvalue)


@pytest.mark.parametrize(
    ("n_left", "n_right", "n_free"), [(0, 1, 50), (1, 0, 50), (2, 5, 5), (5, 2, 4)]
)
def test_without_dimensions_to_spare_nothing_can_be_said(n_left, n_right, n_free):
    assert pillai_p_values(np.array([0.5]), n_left, n_right, n_free)[0] == 1
    assert pillai_p_values(np.array([0.9]), 2, 5, 6)[0] < 1


def test_harmonic_means():
    found = harmonic_means(np.array([0.1, 0.0]), np.array([0.2, 1.0]))
    assert found == pytest.approx([2 / 15, 0.0])


def test_bounds_of_what_is_told_cover_the_truth():
    """A bound of 95 % fails in at most about 5 of 100: 60 of 1000 is 1.5 errors off."""
    random = np.random.default_rng(5)
    n, told = 500, 0.02
    x, noise = random.normal(size=(2, 1000, n))
    y = np.sqrt(told) * x + np.sqrt(1 - told) * noise
    r = [np.corrcoef(a, b)[0, 1] for a, b in zip(x, y, strict=True)]
    bounds = most_told(np.square(r), 1, 1, n - 1)
    misses = np.count_nonzero(bounds < told)
    assert 30 <= misses <= 70
    wide = most_told(np.full(3, 0.02), np.array([1, 4, 9]), 2, n - 1)
    assert (np.diff(wide) < 0).all()  # more of it is chance
    assert most_told(np.zeros(1), 9, 1, 499)[0] == 0


def test_bounds_are_those_of_the_noncentral_law():
    """So much noncentrality that a value as small has a chance of 1 in 20."""
    n_left, n_right, n_free = np.array([1, 4, 9]), 2, 200.0
    traces = np.array([0.05, 0.1, 0.2])
    bounds = most_told(traces, n_left, n_right, n_free)
    chance = stats.ncx2.cdf(n_free * traces, 2 * n_left, n_free * bounds)
    assert chance == pytest.approx(0.05, rel=1e-6)
    # Just more than chance makes in 1 of 20 leaves a little to be told, less nothing.
    edge = stats.chi2.ppf([0.049, 0.051], 4) / n_free
    least = most_told(edge, 2, n_right, n_free)
    assert least[0] == 0
    assert 0 < least[1] * n_free < 0.1
    for few in (0.0, 1.0):  # never less than one dimension
        bound = most_told(np.array([0.9]), 1, 1, few)
        assert stats.ncx2.cdf(0.9, 1, bound) == pytest.approx(0.05, rel=1e-6)
    # A block without directions is taken as one of one.
    assert most_told(np.array([0.02]), 0, 2, n_free) == most_told(
        np.array([0.02]), 1, 1, n_free
    )


def test_within_units_is_with_their_indicators_given():
    """What Frisch, Waugh and Lovell proved, for every test there is."""
    random = np.random.default_rng(8)
    units = random.permutation(np.repeat(np.arange(9), np.arange(8, 26, 2)))
    level = random.normal(size=(4, 9))[:, units]
    x, z, w = level[:3] + random.normal(size=(3, len(units)))
    words = random.integers(0, 3, len(units))
    y = x + 0.4 * z + level[3] + random.normal(size=len(units))
    table = read_table({"x": x, "z": z, "w": w, "words": [f"l{k}" for k in words]})
    indicators = Basis(orthonormal(np.eye(9)[units][:, 1:]), ordered=False)
    found = []
    for own in (None, units):
        bases = [column_basis(column, 1, own) for column in table]
        target = quantity_basis(y, own)
        given = [] if own is not None else [indicators]
        growing = GrowingSet(bases[1:], target)
        for basis in [*given, bases[0]]:
            growing.give(basis)
        shrinking = ShrinkingSet([*bases, *given], [(k,) for k in range(4)], target)
        company = Company(bases[1:], target)
        company.add(bases[0])
        tests = [growing.test().p_values, shrinking.test().p_values]
        if own is not None:
            tests.append(np.array([company.test(k) for k in range(3)]))
            assert target.n_rows == len(units) - 8
        found.append(tests)
    for plain, within in zip(found[0], found[1][:2], strict=True):
        # The harmonic mean takes the first direction, which the indicators bend.
        assert within[-1] == pytest.approx(plain[-1], rel=1e-6)  # levels have no line
        assert np.log(within[:-1]) == pytest.approx(np.log(plain[:-1]), rel=0.2)
    shared = partial_p_value(
        column_basis(table["words"], 1).directions,
        column_basis(table["x"], 1).directions,
        [indicators.directions],
        ordered=False,
        n_straight=2,
    )
    assert found[1][2][-1] == pytest.approx(shared, rel=1e-6)


def test_noise_within_units_is_uniform_or_cautious():
    """Rows of a unit are alike in all columns; what is compared is within units.

    Of 500 p-values at most 41 lie below .05 (3.3 deviations) and 13 below .01; taken
    for independent rows, more than a third would.
    """
    small, naive = [], []
    for seed in range(250):
        random = np.random.default_rng(seed)
        units = np.repeat(np.arange(15), random.integers(4, 12, 15))
        level = 2 * random.normal(size=(4, 15))[:, units]
        x, z, w, y = level + random.normal(size=(4, len(units)))
        y = y + x
        for own, p_values in ((units, small), (None, naive)):
            bases = [
                column_basis(c, 1, own) for c in read_table({"x": x, "z": z, "w": w})
            ]
            tests = GrowingSet(bases[1:], quantity_basis(y, own))
            tests.give(bases[0])
            tests.give_curve()
            p_values.extend(tests.test().p_values.tolist())
    assert np.sum(np.array(small) <= 0.05) <= 41
    assert np.sum(np.array(small) <= 0.01) <= 13
    assert np.mean(np.array(naive) <= 0.05) > 1 / 3


def null_p_values(n_tables, n_rows, target_of, seed):
    """Return p-values of columns that depend on the target through given ones only."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(n_tables):
        a = random.normal(size=n_rows)
        b = 0.7 * a + random.normal(size=n_rows)
        proxies = [
            np.exp(a + random.normal(size=n_rows)),  # skew
            np.round(b + random.normal(size=n_rows)),  # ties
            [f"l{int(v)}" for v in np.clip(2 * a + random.normal(size=n_rows), -2, 2)],
            0.5 * a + 0.5 * b + random.normal(size=n_rows),
        ]
        bases = bases_of([a, b, *proxies])
        tests = GrowingSet(bases, target_of(random, a, b))
        tests.give(bases[0])
        tests.give(bases[1])
        found.append(tests.test().p_values[2:])
    return np.concatenate(found)


def classes_of(random, a, b):
    return class_basis((a + b + random.normal(size=len(a)) > 0).astype(np.int32))


def quantity_of(random, a, b):
    return quantity_basis(a + b + random.normal(size=len(a)))


@pytest.mark.parametrize("target_of", [classes_of, quantity_of])
def test_proxies_have_p_values_of_chance(target_of):
    """2,000 p-values: three errors at .05 are .015; a harmonic mean adds up to .01."""
    p_values = null_p_values(500, 300, target_of, 7)
    assert 0.02 < np.mean(p_values <= 0.05) < 0.075
    assert np.mean(p_values <= 0.01) < 0.02
    assert np.mean(p_values <= 0.001) < 0.005


def many_classes(seed, *, tells):
    """Return five columns and 15 classes of four rows; whether the last tells more."""
    random = np.random.default_rng([seed, 4])
    y = np.arange(60) % 15
    columns = random.normal(size=(5, 15))[:, y] + random.normal(size=(5, 60))
    if not tells:
        columns[4] = np.exp(columns[:2].sum(axis=0) / 2 + random.normal(size=60))
    return bases_of(columns, 0), class_basis(y.astype(np.int32))


@pytest.mark.parametrize(("tells", "least", "most"), [(True, 0.7, 1), (False, 0, 0.03)])
def test_bends_for_many_classes_leave_rows_to_tell(tells, least, most):
    """Of 14 fits there were 28 bends for 60 rows, and one column in ten got in.

    What stands in for two columns has the p-values of chance: .023 of 200 at .01.
    """
    p_values = []
    for seed in range(200):
        bases, target = many_classes(seed, tells=tells)
        tests = GrowingSet(bases, target)
        for basis in bases[:4]:
            tests.give(basis)
        p_values.append(tests.test_beyond_curve(bases[4]))
        if seed < 5:  # nothing is given with them
            tests.give_curve()
            assert tests.test().p_values[4] == pytest.approx(p_values[-1])
    assert least <= np.mean(np.array(p_values) <= 0.01) <= most


def sums(seed, n_rows=2000):
    """Return two causes, noisy sums of them, and a class that is nearly certain."""
    random = np.random.default_rng(seed)
    a, b = random.normal(size=(2, n_rows))
    proxies = [a + b + 0.7 * random.normal(size=n_rows) for _ in range(3)]
    eta = 3 * (a + b)
    y = random.random(n_rows) < 1 / (1 + np.exp(-eta))
    return bases_of([a, b, *proxies]), class_basis(y.astype(np.int32))


def test_what_goes_with_the_sum_is_no_news():
    """The class bends with the sum, which a sum of bends of each does not show."""
    plain, beyond = [], []
    for seed in range(60):
        bases, target = sums(seed)
        tests = GrowingSet(bases, target)
        tests.give(bases[0])
        tests.give(bases[1])
        plain += tests.test().p_values[2:].tolist()
        beyond += [tests.test_beyond_curve(basis) for basis in bases[2:]]
        kept = ShrinkingSet(bases[:3], [(0,), (1,), (2,)], target)
        assert kept.test_beyond_curve(2) == pytest.approx(beyond[-3])
        assert kept.test_beyond_curve(0) < 1e-9
    assert np.mean(np.array(plain) <= 0.01) > 0.9  # why it is needed
    # 60 tables of 3 that depend on each other: .04 is about two errors above .01.
    assert np.mean(np.array(beyond) <= 0.01) <= 0.04


def test_what_is_beside_a_column_is_given():
    random = np.random.default_rng(8)
    x, other = random.normal(size=(2, 300))
    bases = bases_of([x, x + 0.1 * random.normal(size=300), other])
    tests = GrowingSet(bases, quantity_basis(x + random.normal(size=300)))
    assert tests.test_beyond_curve(bases[1]) < 1e-9
    assert tests.test_beyond_curve(bases[1], [bases[0]]) > 0.001


def test_effects_are_seen_beside_a_strong_neighbour():
    random = np.random.default_rng(9)
    found = []
    for _ in range(20):
        a = random.normal(size=500)
        b = 0.9 * a + np.sqrt(1 - 0.81) * random.normal(size=500)
        bases = bases_of([a, b])
        tests = GrowingSet(bases, quantity_basis(a + b + random.normal(size=500)))
        tests.give(bases[0])
        found.append(tests.test().p_values[1])
    assert np.median(found) < 1e-8
