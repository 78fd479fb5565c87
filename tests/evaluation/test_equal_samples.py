import numpy as np
import pytest

from featsieve.evaluation import equal_class_samples
from featsieve.exceptions import DataError

Y = np.array(["a"] * 50 + ["b"] * 20 + ["c"] * 6)


def test_every_class_has_the_same_number_and_no_row_comes_twice():
    samples = equal_class_samples(Y, 5, n_subsamples=4, random_state=1)
    assert len(samples) == 4
    for sample in samples:
        assert len(set(sample.tolist())) == 15
        assert np.unique(Y[sample], return_counts=True)[1].tolist() == [5, 5, 5]
    assert any((samples[0] != other).any() for other in samples[1:])


def test_the_same_seed_draws_the_same_and_more_samples_change_nothing():
    few = equal_class_samples(Y, 3, n_subsamples=2, random_state=1)
    more = equal_class_samples(Y, 3, n_subsamples=5, random_state=1)
    for one, other in zip(few, more, strict=False):
        np.testing.assert_array_equal(one, other)


def test_small_classes_are_repeated_only_if_allowed():
    with pytest.raises(DataError, match=r"Class 'c' has 6 rows.*at most 6 per class"):
        equal_class_samples(Y, 10)
    (sample,) = equal_class_samples(
        Y, 10, n_subsamples=1, most_repeats=2, random_state=0
    )
    assert len(sample) == 30
    assert len(set(sample[Y[sample] == "a"].tolist())) == 10
    with pytest.raises(DataError, match="at most 12"):
        equal_class_samples(Y, 13, most_repeats=2)


def test_default_is_half_of_the_rarest():
    assert len(equal_class_samples(Y, random_state=0)[0]) == 9
    with pytest.raises(DataError, match="at least one class"):
        equal_class_samples([])
