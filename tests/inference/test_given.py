"""Sets of directions: orthonormal, their own, and the same whether in one piece."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.inference import _given
from featsieve.inference._column_basis import Basis
from featsieve.inference._given import Given, Stack


def test_what_is_given_is_orthonormal_and_spans_what_was_added():
    random = np.random.default_rng(0)
    parts = [random.normal(size=(30, k)) for k in (2, 1, 3)]
    given = Given(30)
    for part in parts:
        given.add(part)
    own = given.directions
    assert given.rank == 6
    assert own.T @ own == pytest.approx(np.eye(6), abs=1e-12)
    for part in parts:
        assert given.rest_of(part) == pytest.approx(np.zeros(part.shape), abs=1e-12)


def test_what_is_there_adds_nothing():
    x = np.random.default_rng(1).normal(size=(30, 2))
    given = Given(30)
    assert given.add(x).shape == (30, 2)
    assert given.add(x @ [[1.0], [2.0]]).shape == (30, 0)
    assert given.rank == 2


def test_copies_grow_apart():
    random = np.random.default_rng(2)
    given = Given(20)
    for _ in range(3):
        given.add(random.normal(size=(20, 1)))
    before = given.directions.copy()
    other = given.copy()
    mine = given.add(random.normal(size=(20, 1)))
    theirs = other.add(random.normal(size=(20, 1)))
    for grown, fresh in ((given, mine), (other, theirs)):
        assert grown.directions == pytest.approx(np.hstack([before, fresh]), abs=0)


@pytest.mark.parametrize("most", [0, 10**6])
def test_a_stack_is_the_matrix_of_its_bases(most, monkeypatch):
    monkeypatch.setattr(_given, "MOST_STACKED", most)
    monkeypatch.setattr(_given, "STACKED_AT_A_TIME", 50)
    random = np.random.default_rng(3)
    parts = [random.normal(size=(41, k)) for k in (2, 0, 1, 4)]
    stack = Stack(41, [Basis(part, ordered=True) for part in parts])
    matrix = np.hstack(parts)
    values, weights = random.normal(size=(41, 3)), random.normal(size=(7, 2))
    assert stack.widths.tolist() == [2, 0, 1, 4]
    assert stack.begins.tolist() == [0, 2, 2, 3]
    assert stack.inner(values) == pytest.approx(matrix.T @ values)
    assert stack.gram() == pytest.approx(matrix.T @ matrix)
    assert stack.times(weights) == pytest.approx(matrix @ weights)
    assert Stack(41, []).inner(values).shape == (0, 3)
    assert Stack(41, []).times(np.empty((0, 2))) == pytest.approx(np.zeros((41, 2)))
