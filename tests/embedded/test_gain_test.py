"""The published tests of gains."""

import numpy as np
import pytest

from featsieve.embedded._gain_test import expected_gain, mean_excess, t_test
from featsieve.trees._tried_growth import TriedSums


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


def test_gains_that_do_not_vary_are_settled():
    sums = sums_of([(1.0, 0.5)] * 3, [(1.0, -0.5)] * 3)
    assert t_test(sums).tolist() == [0.0, 1.0]


def test_equal_weights_make_the_ordinary_t_test():
    from scipy.stats import ttest_1samp

    values = [0.1, -0.2, 0.3, 0.25, 0.0]
    ours = t_test(sums_of([(2.0, x) for x in values]))
    assert ours == pytest.approx(ttest_1samp(values, 0, alternative="greater").pvalue)
