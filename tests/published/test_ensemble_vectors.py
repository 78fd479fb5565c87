"""Small exact numbers of the thesis' methods, computed apart from this package."""

import json

import numpy as np
import pytest

from featsieve import diversity
from featsieve.ensembles._boosting import (
    arc_weights,
    boost,
    dispute_weights,
    vote_of_edge,
)
from featsieve.ensembles._rotation import turned_pairs

pytestmark = pytest.mark.published


@pytest.fixture(scope="module")
def vectors(shared_dir):
    path = shared_dir / "spec" / "vectors-004.json"
    if not path.exists():
        pytest.skip("needs spec/vectors-004.json")
    return json.loads(path.read_text())


@pytest.mark.parametrize(("key", "name"), [("W1", "tail"), ("W2", "binomial")])
def test_divboost_weights(vectors, key, name):
    given = vectors["divboost_t5"]
    right = np.array(given["H+"])
    weights = dispute_weights(right, 5 - right, name)
    np.testing.assert_allclose(weights, given[key], rtol=1e-8)
    plain = np.array(given[f"{key}_unnormalised"])
    np.testing.assert_allclose(weights, plain / plain.sum(), rtol=1e-12)
    first = dispute_weights(np.array([1, 0, 1]), np.array([0, 1, 0]), name)
    np.testing.assert_allclose(first, vectors["divboost_t1_uniform"][key], rtol=1e-8)


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        (
            "tail",
            [1.322e-30, 2.567e-17, 0.04767, 0.9047, 0.04767, 2.567e-17, 1.322e-30],
        ),
        (
            "binomial",
            [7.789e-30, 1.348e-16, 0.1071, 0.7859, 0.1071, 1.348e-16, 7.789e-30],
        ),
    ],
)
def test_divboost_weights_after_a_hundred_members(name, printed):
    right = np.array([100, 90, 60, 50, 40, 10, 0])
    weights = dispute_weights(right, 100 - right, name)
    np.testing.assert_allclose(weights, printed, rtol=5e-4)


def test_adaboost_step(vectors):
    given = vectors["adaboost_step"]
    weights = np.array(given["w"])
    wrong = np.array(given["correct"]) == 0
    edge = 1 - 2 * weights[wrong].sum()
    assert (1 - edge) / 2 == given["eps"]
    vote = vote_of_edge(edge)
    assert vote == pytest.approx(given["alpha"])
    np.testing.assert_allclose(
        boost(weights, wrong, vote)[0], given["w_next"], rtol=1e-9
    )


@pytest.mark.parametrize(
    ("edge", "vote", "normaliser"),
    [(0.25, 0.255413, 0.968246), (0.5, 0.549306, 0.866025)],
)
def test_vote_and_normaliser_of_an_edge(edge, vote, normaliser):
    """Eight rows of equal weight; a member misses 3 (r = 1/4) or 2 (r = 1/2)."""
    assert vote_of_edge(edge) == pytest.approx(vote, abs=5e-7)
    wrong = np.arange(8) < 4 * (1 - edge)
    weights, total = boost(np.full(8, 1 / 8), wrong, vote_of_edge(edge))
    assert total == pytest.approx(normaliser, abs=5e-7)
    assert weights[wrong].sum() == pytest.approx(0.5)
    if edge == 0.25:
        np.testing.assert_allclose(sorted(set(weights.round(6))), [0.1, 0.166667])


def test_arc_x4_weights(vectors):
    given = vectors["arcx4"]
    assert arc_weights(np.array(given["misses"])).tolist() == given["w_unnormalised"]


def test_rotation_matrix(vectors):
    given = vectors["rotation_pair01_30deg"]
    rotation = turned_pairs(3, np.array([0]), np.array([1]), np.array([np.pi / 6]))
    np.testing.assert_allclose(rotation.matrix(), given["R"], atol=1e-9)
    turned = rotation.apply(np.array([given["x"]]))
    np.testing.assert_allclose(turned[0], given["xR^T"], rtol=1e-9)


def test_diversity_of_a_pair(vectors):
    given = vectors["diversity_pair"]
    a, b = given["a"], given["b"]
    for name, key in {
        "q_statistic": "Q",
        "kappa": "kappa",
        "agreement": "agreement",
        "error_correlation": "pearson_3_13",
    }.items():
        assert getattr(diversity, name)(a, b) == pytest.approx(given[key], abs=1e-9)
    assert diversity.coincident_failure([a, b]) == pytest.approx(given["goebel_3_22"])
    first, second = [1, 1, 1, 0, 0, 1, 1, 0, 1, 1], [1, 1, 0, 1, 0, 1, 0, 1, 1, 1]
    assert diversity.q_statistic(first, second) == pytest.approx(1 / 9)
    assert diversity.agreement(first, second) == 0.6
    assert diversity.kappa(first, second) == pytest.approx(0.047619, abs=5e-7)
    assert diversity.coincident_failure([first, second]) == pytest.approx(1 / 3)


def test_diversity_of_an_ensemble(vectors):
    given = vectors["diversity_ensemble"]
    correct, y = np.array(given["correct"]), np.array(given["y"])
    predictions = np.where(correct == 1, y, 1 - y)
    assert diversity.coincident_failure(correct) == given["goebel_3_23"]
    assert diversity.coincident_failure_diversity(correct) == given["CFD"]
    np.testing.assert_allclose(
        diversity.correctness_entropy(correct), given["entropy_b_3_27"]
    )
    np.testing.assert_allclose(
        diversity.vote_entropy(predictions), given["entropy_a_3_26"], rtol=1e-9
    )
    np.testing.assert_allclose(
        diversity.margins(predictions, y), given["margins"], rtol=1e-9
    )
    strength = diversity.strength(predictions, y)
    correlation = diversity.raw_margin_correlation(predictions, y)
    assert strength == pytest.approx(given["strength"])
    assert correlation == pytest.approx(given["rho"])
    bound = diversity.breiman_bound(strength, correlation)
    assert bound == pytest.approx(given["bound_3_12"])
    for name, key in {
        "q_statistic": "q0",
        "kappa": "kappa",
        "agreement": "agree",
        "coincident_failure": "goebel",
    }.items():
        matrix = diversity.pairwise_diversity(predictions, y, measure=name)
        mean = matrix[np.triu_indices(3, k=1)].mean()
        assert mean == pytest.approx(given["pairwise"][key]), name
