"""The three-way test: by hand, against a plain fit, and calibrated."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from scipy.optimize import brentq
from scipy.stats import chi2

from featsieve.inference import interaction_test
from featsieve.inference._interaction_test import expected_gain, mean_excess, t_test
from featsieve.trees._gain_forests import TriedSums
from reference.inference import chance_gain, weighted_t
from reference.measures import three_way_distances

PAIRS = st.lists(
    st.tuples(st.integers(0, 8).map(lambda k: k / 4), st.floats(-1, 1)), max_size=12
)


def sums_of(*samples):
    """Sums of features from their (weight, excess) pairs."""
    weighed = [[(w, x) for w, x in sample if w > 0] for sample in samples]
    return TriedSums(
        np.array([len(sample) for sample in weighed]),
        *(
            np.array([sum(w * x**power for w, x in sample) for sample in weighed])
            for power in (0, 1, 2)
        ),
    )


@given(st.lists(st.integers(0, 300), min_size=1, max_size=6))
def test_expected_gain_equals_the_definition(counts):
    found = expected_gain(np.array([counts], dtype=float))
    assert found == pytest.approx([chance_gain(counts)], rel=1e-12)


@pytest.mark.parametrize(
    ("counts", "published"),
    # Greatest gains of all cuts in noise, as G = 2 n ln 2 * gain (spec, section 5).
    [((10, 10, 10), 6.5), ((30, 30, 30), 7.3), ((25,) * 4, 9.2), ((10,) * 10, 18.8)],
)
def test_many_classes_gain_more_by_chance(counts, published):
    n = sum(counts)
    gain = expected_gain(np.array(counts, dtype=float))
    assert 2 * n * np.log(2) * gain == pytest.approx(published, rel=0.12)


def test_never_more_than_a_cut_can_gain():
    counts = np.array([[1, 1, 1], [2, 1, 1], [1, 1, 0], [1, 0, 0]], dtype=float)
    assert expected_gain(counts).max() <= 1


def test_features_without_samples_are_not_kept():
    sums = sums_of([], [(0.0, 5.0)], [(1.0, 0.2)])
    assert t_test(sums).tolist() == [1.0, 1.0, 1.0]
    assert mean_excess(sums).tolist() == pytest.approx([-1.0, -1.0, 0.2])
    weightless = TriedSums(np.array([5]), *(np.array([0.0]) for _ in range(3)))
    assert t_test(weightless).tolist() == [1.0]


def test_gains_that_do_not_vary_are_settled():
    sums = sums_of([(1.0, 0.5)] * 3, [(1.0, -0.5)] * 3, [(1.0, 0.0)] * 3)
    assert t_test(sums).tolist() == [0.0, 1.0, 1.0]


@given(PAIRS)
def test_equals_the_weighted_t_test(pairs):
    pairs = [(w, x) for w, x in pairs if w > 0]
    sums = sums_of(pairs)
    total = sum(w for w, _ in pairs)
    if total:
        mean = sum(w * x for w, x in pairs) / total
        assert mean_excess(sums) == pytest.approx([mean], abs=1e-12)
    if len(pairs) < 2:
        assert t_test(sums).tolist() == [1.0]
        return
    if np.var([x for _, x in pairs]) < 1e-6:
        return  # whether they vary is a matter of rounding
    ratio, freedom = weighted_t(pairs)
    assert t_test(sums) == pytest.approx([stats.t.sf(ratio, freedom)], rel=1e-6)


def test_two_nodes_are_enough_and_one_is_not():
    found = t_test(sums_of([(1.0, 0.0), (1.0, 1.0)], [(1.0, 1.0)]))
    assert found == pytest.approx([0.25, 1.0])


def test_uniform_on_noise():
    """2,000 features of 12 normal excesses: 100 ± 9.7 pass at .05, four sd's apart."""
    random = np.random.default_rng(0)
    samples = [[(2.0, x) for x in random.normal(size=12)] for _ in range(2000)]
    passed = np.count_nonzero(t_test(sums_of(*samples)) <= 0.05)
    assert 61 <= passed <= 139


def test_nodes_are_told_apart():
    nodes = np.array([[30.0, 10, 0], [5, 5, 5], [1, 1, 0]])
    found = expected_gain(nodes)
    expected = [chance_gain(node) for node in nodes.astype(int).tolist()]
    assert found == pytest.approx(expected)


def test_a_small_weight_is_a_weight():
    values = [(0.01, 0.1), (0.01, 0.3), (0.01, 0.15)]
    ratio, freedom = weighted_t(values)
    assert t_test(sums_of(values)) == pytest.approx([stats.t.sf(ratio, freedom)])


def distances_2x2x2(table):
    """Find the fit of a 2 × 2 × 2 table by its one free number, the corner cell.

    All two-way margins leave one cell free; the fit has equal odds ratios.
    """
    table = np.asarray(table, dtype=float)
    signs = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    low = -table[signs > 0].min()
    high = table[signs < 0].min()

    def gap(shift):
        cells = table + shift * signs
        return np.sum(signs * np.log(cells))

    width = (high - low) * 1e-12
    shift = brentq(gap, low + width, high - width, xtol=1e-13)
    fitted = table + shift * signs
    deviance = 2 * np.sum(table * np.log(table / fitted))
    return np.sum((table - fitted) ** 2 / fitted), deviance


def test_two_by_two_by_two_by_hand():
    random = np.random.default_rng(0)
    for _ in range(30):
        table = random.integers(1, 60, (2, 2, 2))
        distance, degrees, p_value = interaction_test(table)
        assert degrees == 1
        expected = distances_2x2x2(table)
        assert distance == pytest.approx(expected[0], abs=1e-6)
        assert p_value == pytest.approx(chi2.sf(min(expected), 1), rel=1e-5)


def test_effects_that_add_up_are_no_interaction():
    first = np.array([1.0, 2.0, 4.0])
    second = np.array([1.0, 3.0])
    one = np.ones((3, 2)) * 120
    other = np.outer(first, second) * 30  # the odds multiply
    distance, degrees, p_value = interaction_test([one, other])
    assert degrees == 2
    assert distance == pytest.approx(0, abs=1e-9)
    assert p_value == pytest.approx(1)


def test_what_does_not_occur_does_not_count():
    table = np.random.default_rng(1).integers(5, 50, (2, 3, 3))
    wide = np.zeros((3, 5, 4), dtype=int)
    wide[np.ix_([0, 2], [0, 2, 4], [0, 1, 3])] = table
    assert interaction_test(wide) == pytest.approx(interaction_test(table))
    table[:, 0, 0] = 0  # a cell without a row of any class
    assert interaction_test(table)[1] == 3


def test_without_freedom_there_is_no_evidence():
    assert interaction_test(np.zeros((2, 2, 2))) == (0.0, 0, 1.0)
    assert interaction_test([[[5, 7]], [[1, 2]]]) == (0.0, 0, 1.0)


def test_chance_is_called_by_its_rate():
    random = np.random.default_rng(3)
    cells = np.outer([0.3, 0.7], random.dirichlet(np.ones(9) * 5)).ravel()
    tables = random.multinomial(4000, cells, size=600).reshape(600, 2, 3, 3)
    p_values = np.array([interaction_test(table)[2] for table in tables])
    assert 0.03 <= np.mean(p_values < 0.05) <= 0.075
    assert 0.44 <= np.mean(p_values < 0.5) <= 0.56


@pytest.mark.parametrize(
    ("first", "second", "classes"),
    [
        ([0.99, 0.01], [0.8, *[0.01] * 20], [0.9, 0.08, 0.02]),  # X² is often huge
        ([0.2] * 5, [0.8, *[0.01] * 20], [0.9, 0.08, 0.02]),
        ([0.05] * 20, [0.05] * 20, [0.5, 0.5]),  # the deviance is too large
    ],
)
def test_chance_in_cells_that_hold_few_rows(first, second, classes):
    random = np.random.default_rng(5)
    cells = np.einsum("i,j,k->ijk", classes, first, second)
    tables = random.multinomial(3000, cells.ravel(), size=400)
    p_values = np.array([interaction_test(t.reshape(cells.shape))[2] for t in tables])
    assert np.mean(p_values < 0.05) <= 0.075
    assert np.mean(p_values < 0.001) <= 0.005


@pytest.mark.parametrize("table", [[1, 2], [[[-1, 2]]], [[[np.nan, 1]]]])
def test_only_counts(table):
    with pytest.raises(ValueError, match="counts must hold rows"):
        interaction_test(table)


@settings(max_examples=150, deadline=None)
@given(
    hnp.arrays(
        np.int64,
        st.tuples(st.integers(1, 3), st.integers(1, 4), st.integers(1, 5)),
        elements=st.integers(0, 40) | st.just(0),
    ),
    st.sampled_from([1, 2**34]),
)
def test_the_kernel_is_the_plain_fit(table, times):
    table = table * times
    distance, degrees, p_value = interaction_test(table)
    expected, deviance, own_degrees = three_way_distances(table)
    assert degrees == own_degrees
    assert distance == pytest.approx(expected, rel=1e-6, abs=1e-6 * times)
    if times == 1:
        chance = chi2.sf(min(expected, deviance), degrees) if degrees else 1
        assert p_value == pytest.approx(chance, abs=1e-5)
