import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.selectors.interactions._cliques import (
    TooManyCliquesError,
    maximal_cliques,
)


def plain_cliques(n, edges):
    """Every subset that is a clique and has no larger one around it."""
    linked = {frozenset(edge) for edge in edges}

    def is_clique(nodes):
        return all(
            frozenset(pair) in linked for pair in itertools.combinations(nodes, 2)
        )

    cliques = [
        set(nodes)
        for size in range(1, n + 1)
        for nodes in itertools.combinations(range(n), size)
        if is_clique(nodes)
    ]
    return sorted(
        tuple(sorted(clique))
        for clique in cliques
        if not any(clique < other for other in cliques)
    )


@st.composite
def graphs(draw):
    n = draw(st.integers(0, 8))
    pairs = list(itertools.combinations(range(n), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    return n, edges


@given(graphs())
@settings(max_examples=300)
def test_equals_the_definition(graph):
    assert maximal_cliques(*graph) == plain_cliques(*graph)


def test_known_graphs():
    assert maximal_cliques(3, []) == [(0,), (1,), (2,)]
    complete = list(itertools.combinations(range(200), 2))
    assert maximal_cliques(200, complete) == [tuple(range(200))]
    ring = [(i, (i + 1) % 500) for i in range(500)]
    assert len(maximal_cliques(500, ring)) == 500


def test_too_many_are_refused_soon():
    # Moon and Moser: the complement of disjoint triangles has 3^(n/3) cliques.
    n = 60
    edges = [(i, j) for i, j in itertools.combinations(range(n), 2) if i // 3 != j // 3]
    with pytest.raises(TooManyCliquesError, match="1000"):
        maximal_cliques(n, edges, most=1000)


def test_a_long_path_does_not_overflow_the_stack():
    path = [(i, i + 1) for i in range(3000)]
    assert len(maximal_cliques(3001, path)) == 3000
