"""How experts' answers are combined, literally as figures 6.3 and 6.4 say it."""

from __future__ import annotations

import itertools

OTHER = "other"


def combine_trees(predictions):
    """Figure 6.3; returns the classes among which step 3 draws a lot, or "none".

    A prediction is (class, score).
    """
    said = [prediction for prediction in predictions if prediction[0] != OTHER]
    if not said:  # step 4
        return "none"
    if len(said) == 1:  # step 1
        return {said[0][0]}
    largest = max(score for _, score in said)  # step 2
    return {name for name, score in said if score == largest}


def breadth_first_states(models):
    """All sets of at least two models, the largest first (BreadthFirstGenerate)."""
    opened = [tuple(models)]
    closed = []
    while opened:
        state = opened.pop(0)
        if state in closed or len(state) < 2:
            continue
        closed.append(state)
        opened += itertools.combinations(state, len(state) - 1)
    return closed


def check_ties(predictions):
    """CheckTies() of figure 6.4."""
    tied = []
    for state in breadth_first_states(range(len(predictions))):
        scores = {predictions[model][1] for model in state}
        if len(scores) == 1:
            best = max(state, key=lambda model: (predictions[model][2], -model))
            tied.append((set(state), scores.pop(), predictions[best][2], best))
    contained = [
        any(state[0] < other[0] for other in tied) for state in tied
    ]  # step 3: drop states whose nodes are all in another
    tied = [state for state, inside in zip(tied, contained, strict=True) if not inside]
    # Step 4: highest score, ties by reciprocal distance.
    return max(tied, key=lambda state: (state[1], state[2]))


def combine_neighbours(predictions):
    """CombinePredictions() of figure 6.4; a prediction is (class, score, recdist)."""
    said = [prediction for prediction in predictions if prediction[0] != OTHER]
    if not said:
        return "none"  # step 3
    two_way = any(a[1] == b[1] for a, b in itertools.combinations(said, 2))  # step 4
    if not two_way:  # step 5
        return max(said, key=lambda prediction: prediction[1])[0]
    *_, best_tied = check_ties(said)  # steps 6a and 6b
    tied = said[best_tied]
    untied = max(said, key=lambda prediction: prediction[1])  # step 6c
    return untied[0] if untied[1] > tied[1] else tied[0]  # steps 6d and 6e
