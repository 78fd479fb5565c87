"""Gains and synergies of pairs that the BIFS thesis and its checked tables print."""

import csv

import numpy as np
import pytest

from featsieve.measures import gains_of_tuples, pairwise_gain

pytestmark = pytest.mark.published


def read_codes(shared_dir, name):
    """Nominal columns numbered by value; an empty field is a level of its own."""
    path = shared_dir / "data" / name / "train.csv"
    with path.open(newline="", encoding="utf-8") as lines:
        rows = np.array(list(csv.reader(lines))[1:])
    columns = [np.unique(column, return_inverse=True)[1] for column in rows.T]
    return np.column_stack(columns[:-1]), columns[-1]


@pytest.mark.parametrize(
    ("name", "pair", "synergy"),
    [
        ("monks-1", (1, 2), 0.433566),
        ("monks-1", (1, 4), -0.004825),
        ("monks-1", (1, 5), -0.000658),
        ("monks-2", (3, 5), 0.068724),
        ("monks-2", (2, 6), 0.048211),
        ("monks-2", (5, 6), -0.001133),
        ("monks-3", (1, 5), 0.051194),
        ("monks-3", (1, 4), 0.057470),
        ("monks-3", (2, 5), 0.196824),
        ("corral", (1, 2), 0.168554),
        ("corral", (3, 4), 0.168554),
        ("corral", (1, 3), 0.074193),
        ("corral", (5, 6), 0.172311),
    ],
)
def test_synergy(shared_dir, name, pair, synergy):
    matrix = pairwise_gain(*read_codes(shared_dir, name)).as_matrix()
    assert matrix[pair[0] - 1, pair[1] - 1] == pytest.approx(synergy, abs=1e-6)


def test_gains_of_monks_1(shared_dir):
    gains = pairwise_gain(*read_codes(shared_dir, "monks-1")).gain
    expected = [0.075273, 0.005838, 0.004708, 0.026312, 0.287031, 0.000758]
    np.testing.assert_allclose(gains, expected, atol=1e-6)


def test_corral_synergies_that_are_exactly_zero(shared_dir):
    matrix = pairwise_gain(*read_codes(shared_dir, "corral")).as_matrix()
    np.testing.assert_allclose(matrix[:4, 4], 0, atol=1e-15)


def test_edges_of_spect(shared_dir):
    pairs = pairwise_gain(*read_codes(shared_dir, "spect"))
    assert np.count_nonzero(pairs.synergy > 1e-10) == 95
    weakest = pairs.as_matrix()[4, 20]
    assert weakest == pytest.approx(9.45e-8, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "features", "gain"),
    [
        ("corral", (1, 2, 3, 4), 0.988699),
        ("spect", tuple(range(1, 23)), 0.805893),
        ("tic-tac-toe", tuple(range(1, 10)), 0.930954),
        ("tic-tac-toe", (1, 3, 4, 5, 6, 7, 8, 9), 0.930954),
        ("tic-tac-toe", (1, 3, 4, 5, 6, 7, 9), 0.922603),
        ("tic-tac-toe", (1, 3, 5, 6, 7, 8, 9), 0.847447),
    ],
)
def test_gain_of_a_set(shared_dir, name, features, gain):
    codes, target = read_codes(shared_dir, name)
    got = gains_of_tuples(codes, target, [[feature - 1 for feature in features]])
    assert got[0] == pytest.approx(gain, abs=1e-6)
