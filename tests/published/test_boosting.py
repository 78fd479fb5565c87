"""Vectors of ../shared/spec/boosting.md, derived by hand from figures 1 and 2."""

import math

import numpy as np
import pytest

from featsieve.measures import boosting_rounds, boosting_z, least_boosting_z

pytestmark = pytest.mark.published

X = [[0], [1], [2.1], [3.3], [4.6], [6], [7.5], [9.1]]
Y = [1, 1, 1, 0, 1, 0, 0, 0]

TWELFTH = 1 / 12
LINE = [
    # k, vote: r, alpha, Z after rounds, weights in the end
    (1, "sign", [0.25, 0], [0.255413], [0.968246], [0.1] * 3 + [1 / 6] * 3 + [0.1] * 2),
    (
        3,
        "sign",
        [0.5, -0.833333],
        [0.549306],
        [0.866025],
        [TWELFTH] * 3 + [0.25] * 2 + [TWELFTH] * 3,
    ),
    (
        3,
        "real",
        [0.083333, 0.037032, 0.016741],
        [0.083527, 0.037049, 0.016743],
        [0.993825, 0.992612, 0.992365],
        [0.120697] * 3 + [0.144502, 0.132064, 0.120321] + [0.120511] * 2,
    ),
]


@pytest.mark.parametrize("expected", LINE)
def test_eight_points_on_a_line(expected):
    k, vote, r, alpha, z, weights = expected
    given = {"n_rounds": 3, "n_neighbors": k, "boosting_vote": vote, "scale": False}
    (rounds,) = boosting_rounds(X, Y, **given)
    assert rounds.correlations == pytest.approx(r, abs=1e-6)
    assert rounds.confidences == pytest.approx(alpha, abs=1e-6)
    assert rounds.criterion == pytest.approx(z, abs=1e-6)
    assert rounds.weights == pytest.approx(weights, abs=1e-6)
    assert boosting_z(X, Y, **given) == rounds.criterion[-1]


def test_margins_of_eight_points():
    (rounds,) = boosting_rounds(X, Y, n_rounds=3, scale=False)
    expected = [0.042694] * 3 + [0.137318, -0.047306, -0.045818] + [-0.044238] * 2
    assert rounds.margins == pytest.approx(expected, abs=1e-6)


CONFLICTING = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]
LABELS = [1, 1, 1, 0, 1, 1, 0, 0, 0, 0]


def test_conflicting_descriptions_weigh_less():
    """u (3+, 1-), v (2+, 2-), w (0+, 2-): factors 1/2, 0 and 1."""
    given = {"nominal": "all", "conflict": "rounds_and_criterion"}
    (rounds,) = boosting_rounds(
        np.array(CONFLICTING)[:, None], LABELS, n_rounds=1, n_neighbors=1, **given
    )
    start = [0.125] * 4 + [0] * 4 + [0.25] * 2
    # One round is undone: weights times exp(alpha y h), normalised.
    label = np.where(np.array(LABELS) == 1, 1, -1)
    undone = rounds.weights * np.exp(label * rounds.margins)
    assert undone / undone.sum() == pytest.approx(start, abs=1e-12)


def test_limit_of_free_votes():
    assert least_boosting_z(CONFLICTING, LABELS) == pytest.approx(
        (2 * math.sqrt(3) + 4) / 10
    )


@pytest.mark.parametrize("vote", ["real", "sign"])
def test_constant_feature_is_not_flipped(vote):
    """Of nine others five have the other class: r = -1/9, no round, Z stays 1."""
    y = [0, 1] * 5
    (rounds,) = boosting_rounds(np.ones((10, 1)), y, boosting_vote=vote)
    expected = -1 / 9 if vote == "real" else -1
    assert rounds.correlations.tolist() == pytest.approx([expected])
    assert len(rounds.confidences) == 0
    assert boosting_z(np.ones((10, 1)), y, boosting_vote=vote) == 1


def test_one_feature_of_an_exclusive_or_tells_nothing():
    bits = np.array([(a, b) for a in (0, 1) for b in (0, 1)] * 10)
    y = bits[:, 0] ^ bits[:, 1]
    assert boosting_z(bits[:, :1], y) == 1
    assert boosting_z(bits, y) < 0.01
