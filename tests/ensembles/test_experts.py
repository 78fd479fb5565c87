"""The max rule is what figures 6.3 and 6.4 describe, on all small cases."""

import itertools

import numpy as np
import pytest

from featsieve.ensembles._experts import NONE, ExpertAnswers, combine_answers
from reference.aggregates import breadth_first_states, combine_neighbours, combine_trees

SCORES = (0.4, 0.6, 0.8)


def combined(cases, k, *, nearness=True, lots=None):
    """Return the class of each case, a list of (class, score, recdist) per expert."""
    answers = np.array([[k if c == "other" else c for c, *_ in case] for case in cases])
    scores = np.array([[each[1] for each in case] for case in cases])
    near = (
        np.array([[each[2] for each in case] for case in cases]) if nearness else None
    )
    return combine_answers(answers, scores, near, k, lots=lots)


def test_trees_as_figure_6_3_on_all_cases_of_three_experts():
    k = 3
    options = [
        [(c, s) for c in (expert, "other") for s in (*SCORES, 1.0)]
        for expert in range(k)
    ]
    cases = list(itertools.product(*options))
    classes = combined(cases, k, nearness=False)
    for case, got in zip(cases, classes.tolist(), strict=True):
        wanted = combine_trees(case)
        assert (wanted == "none" and got == NONE) or got in wanted
    lots = np.random.default_rng(0).integers(0, 2**63, len(cases)).astype(np.uint64)
    drawn = combined(cases, k, nearness=False, lots=lots)
    for case, got in zip(cases, drawn.tolist(), strict=True):
        wanted = combine_trees(case)
        assert (wanted == "none" and got == NONE) or got in wanted
    assert (classes != drawn).any()


@pytest.mark.parametrize("k", [2, 3, 4])
def test_neighbours_as_figure_6_4_on_all_cases(k):
    """Every expert says its class or other, with every order of distances."""
    options = [
        [(c, s) for c in (expert, "other") for s in SCORES[: 5 - k]]
        for expert in range(k)
    ]
    cases = [
        [(*each, near) for each, near in zip(case, nears, strict=True)]
        for case in itertools.product(*options)
        for nears in itertools.permutations(np.arange(1.0, k + 1))
    ]
    classes = combined(cases, k)
    for case, got in zip(cases, classes.tolist(), strict=True):
        wanted = combine_neighbours(case)
        assert got == (NONE if wanted == "none" else wanted), case


def test_neighbours_as_figure_6_4_on_random_groups_of_five():
    """Experts for groups may say the same class; 5 experts have 26 tied states."""
    assert len(breadth_first_states(range(5))) == 26
    random = np.random.default_rng(4)
    cases = []
    for _ in range(1500):
        near = random.permutation(np.arange(1.0, 6))
        said = [random.choice(3) for _ in range(5)]
        cases.append(
            [
                ("other" if random.random() < 0.3 else c, random.choice(SCORES), n)
                for c, n in zip(said, near, strict=True)
            ]
        )
    classes = combined(cases, 3)
    for case, got in zip(cases, classes.tolist(), strict=True):
        wanted = combine_neighbours(case)
        assert got == (NONE if wanted == "none" else wanted), case


def test_vectors_of_the_specification():
    case = [(0, 0.6, 2.0), ("other", 1.0, 9.0), (1, 0.6, 3.0), (2, 0.4, 50.0)]
    assert combined([case], 3).tolist() == [1]
    assert combined([[("other", 1.0, 1.0)] * 3], 3).tolist() == [NONE]


def test_ties_in_everything_go_to_the_first_expert_or_by_lot():
    case = [("other", 0.9, 1.0), (1, 0.6, 2.0), (2, 0.6, 2.0), (0, 0.6, 2.0)]
    assert combined([case], 3).tolist() == [1]
    lots = np.array([0, 1, 2, 3], dtype=np.uint64)
    assert combined([case] * 4, 3, lots=lots).tolist() == [1, 2, 0, 1]


def test_inside_one_expert_nearness_breaks_ties_too():
    shares = np.array([[0.4, 0.4, 0.2], [0.4, 0.4, 0.2]])
    near = np.array([[1.0, 3.0, 9.0], [3.0, 3.0, 9.0]])
    assert ExpertAnswers(shares, near).winners().tolist() == [1, 0]
    assert ExpertAnswers(shares, None).winners().tolist() == [0, 0]
