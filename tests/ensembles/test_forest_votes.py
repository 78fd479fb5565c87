"""Votes and weighted votes, against plain versions."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from featsieve.ensembles._forest_votes import shares_of, vote_counts, weighted_shares
from reference import forests as reference

N_CLASSES = 3
#: Multiples of an eighth, so that sums are exact and ties are ties.
WEIGHTS = st.integers(-8, 8).map(lambda eighths: eighths / 8)


@st.composite
def votes(draw):
    n_trees, n_rows = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    labels = draw(
        st.lists(
            st.integers(-1, N_CLASSES - 1),
            min_size=n_trees * n_rows,
            max_size=n_trees * n_rows,
        )
    )
    weights = draw(
        st.lists(WEIGHTS, min_size=n_trees * n_rows, max_size=n_trees * n_rows)
    )
    shape = (n_trees, n_rows)
    return np.array(labels, np.int32).reshape(shape), np.array(weights).reshape(shape)


@given(votes())
def test_shares_rank_classes_as_sums_of_weights_do(drawn):
    labels, weights = drawn
    shares = weighted_shares(labels, weights, N_CLASSES)
    for row, own in enumerate(shares):
        scores = reference.signed_scores(labels[:, row], weights[:, row], N_CLASSES)
        asked = labels[:, row] >= 0
        if not asked.any():
            assert np.isnan(own).all()
        elif not weights[asked, row].any():
            counts = vote_counts(labels, N_CLASSES)
            np.testing.assert_allclose(own, counts[row] / counts[row].sum())
        else:
            assert np.isclose(own.sum(), 1)
            assert own.min() >= 0
            assert own.argmax() == np.argmax(scores)


def test_two_classes_follow_the_sign_of_the_weighted_sum():
    labels = np.array([[0], [1], [1]], dtype=np.int32)
    weights = np.array([[-0.9], [0.25], [0.25]])
    # Eq. 7.22 with classes -1 and 1: 0.9 + 0.25 + 0.25 for the second class.
    np.testing.assert_allclose(weighted_shares(labels, weights, 2), [[0, 1]])


def test_votes_are_counted_by_row():
    labels = np.array([[0, 1, -1], [0, 2, -1]], dtype=np.int32)
    counts = vote_counts(labels, 3)
    np.testing.assert_array_equal(counts, [[2, 0, 0], [0, 1, 1], [0, 0, 0]])
    shares = shares_of(counts)
    np.testing.assert_array_equal(shares[:2], [[1, 0, 0], [0, 0.5, 0.5]])
    assert np.isnan(shares[2]).all()
