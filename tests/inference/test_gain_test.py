"""The published tests of gains."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from featsieve.inference._gain_test import expected_gain, mean_excess, t_test
from featsieve.trees._gain_forests import TriedSums
from reference.inference import chance_gain, weighted_t

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
