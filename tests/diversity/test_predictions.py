"""Bad answers are refused in words."""

import numpy as np
import pytest

from featsieve.diversity import (
    coincident_failure,
    margins,
    pairwise_diversity,
    q_statistic,
)
from featsieve.diversity._predictions import class_codes
from featsieve.exceptions import DataError


@pytest.mark.parametrize("correct", [[], [[]], [1, 0], np.zeros((2, 0))])
def test_correct_must_be_a_matrix(correct):
    with pytest.raises(DataError, match="correct must be a matrix"):
        coincident_failure(correct)


def test_correct_must_be_true_or_false():
    with pytest.raises(DataError, match="correct must tell who is right"):
        coincident_failure([[0, 2]])
    with pytest.raises(DataError, match="second must tell who is right"):
        q_statistic([0, 1], ["a", "b"])


def test_pairs_must_be_of_equal_length():
    with pytest.raises(DataError, match=r"equal length.*\(2,\) and \(3,\)"):
        q_statistic([0, 1], [0, 1, 1])


def test_predictions_and_y_must_fit():
    with pytest.raises(DataError, match="y must have one class per column"):
        pairwise_diversity([[0, 1, 1]], [0, 1])
    with pytest.raises(DataError, match="predictions must be a matrix"):
        pairwise_diversity([0, 1], [0, 1])
    with pytest.raises(DataError, match="predictions must hold class labels"):
        pairwise_diversity(np.array([["2020-01-01"]], dtype="M8[D]"), [0])
    with pytest.raises(DataError, match="labels of one kind"):
        margins(np.array([["a", 1]], dtype=object), [0, 1])


def test_text_labels_become_codes():
    codes, truth, n_classes = class_codes([["no", "yes"], ["no", "no"]], ["yes", "no"])
    assert codes.tolist() == [[0, 1], [0, 0]]
    assert (truth.tolist(), n_classes) == ([1, 0], 2)


def test_numbers_far_apart_become_codes():
    codes, truth, n_classes = class_codes([[-5, 10**12]], [10**12, -5])
    assert (codes.tolist(), truth.tolist(), n_classes) == ([[0, 1]], [1, 0], 2)
