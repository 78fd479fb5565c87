"""Measures of all members together."""

import numpy as np
import pytest
from hypothesis import given

from diversity.answers import answers
from featsieve.diversity import (
    ambiguity,
    coincident_failure,
    coincident_failure_diversity,
    correctness_entropy,
    disagreement,
    kohavi_wolpert_variance,
    member_ambiguity,
    sharkey_type,
    vote_entropy,
)
from featsieve.exceptions import DataError
from reference.diversity import mean_of_pairs, pair_measure


@given(answers())
def test_two_members_fail_together_as_a_pair(data):
    predictions, y = data
    correct = predictions[:2] == y
    expected = pair_measure("coincident_failure", *correct.astype(int).tolist())
    assert coincident_failure(correct) == pytest.approx(expected)


@given(answers())
def test_variance_is_a_part_of_disagreement(data):
    predictions, y = data
    correct = predictions == y
    n_members = len(correct)
    mean = mean_of_pairs(disagreement, list(correct))
    expected = (n_members - 1) / (2 * n_members) * mean
    assert kohavi_wolpert_variance(correct) == pytest.approx(expected)


@given(answers(2))
def test_error_of_the_mean_is_mean_error_less_ambiguity(data):
    predictions, y = data  # Krogh and Vedelsby, equation 3.4
    outputs = 2.0 * predictions - 1
    truth = 2.0 * y - 1
    weights = np.arange(1, len(outputs) + 1.0)
    shares = weights / weights.sum()
    of_mean = (shares @ outputs - truth) ** 2
    of_members = shares @ (outputs - truth) ** 2
    np.testing.assert_allclose(
        of_mean, of_members - ambiguity(outputs, weights), atol=1e-12
    )


@pytest.mark.parametrize(
    ("correct", "kind"),
    [
        ([[1, 1], [1, 1]], 1),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], 1),
        ([[0, 1], [0, 1], [1, 1], [1, 1], [1, 0]], 2),
        ([[0, 1], [0, 1], [1, 1]], 3),
        ([[0, 1], [0, 1], [1, 1], [1, 1]], 3),  # two of four are no majority
        ([[0, 1], [0, 1]], 4),
    ],
)
def test_types_of_sharkey(correct, kind):
    assert sharkey_type(correct) == kind


def test_entropies_are_greatest_for_even_votes():
    assert vote_entropy([[0, 0], [0, 1]]).tolist() == [0, 1]
    assert correctness_entropy([[1, 0], [1, 1]]).tolist() == [0, 1]
    assert correctness_entropy([[1, 0]]).tolist() == [0, 0]


def test_failure_diversity_counts_failing_rows_only():
    assert coincident_failure_diversity([[1, 1], [1, 1]]) == 0
    assert coincident_failure_diversity([[1, 0], [1, 1]]) == 1
    with pytest.raises(DataError, match="two members or more"):
        coincident_failure_diversity([[1, 0]])
    assert coincident_failure([[1, 1], [1, 1]]) == 0


def test_member_ambiguity_takes_the_vote_of_the_ensemble():
    said = [["a", "b"], ["a", "a"], ["b", "a"]]
    assert member_ambiguity(said).tolist() == [0.5, 0, 0.5]
    assert member_ambiguity(said, ["b", "b"]).tolist() == [0.5, 1, 0.5]


def test_bad_outputs_and_weights_are_refused():
    with pytest.raises(DataError, match="outputs must be a matrix"):
        ambiguity([1.0, 2.0])
    with pytest.raises(DataError, match="weights must be 2 finite numbers"):
        ambiguity([[1.0], [2.0]], [1.0])


def test_no_members_and_infinite_weights_are_refused():
    with pytest.raises(DataError, match="predictions must be a matrix"):
        vote_entropy(np.empty((0, 3)))
    for weights in ([np.inf, 1.0], [np.nan, 1.0]):
        with pytest.raises(DataError, match="weights must be 2 finite numbers >= 0"):
            ambiguity([[0.0, 1.0], [1.0, 1.0]], weights)
