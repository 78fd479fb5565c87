"""Columns that go with a set: equal to least squares, given the target or not."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.inference._column_basis import class_basis, column_basis
from featsieve.inference._company import Company
from reference.partial import partial_p_value


def bases_of(columns):
    table = read_table({f"x{k}": values for k, values in enumerate(columns)})
    return [column_basis(column, 2) for column in table]


def test_company_of_nobody():
    assert Company([], class_basis(np.arange(4, dtype=np.int32) % 2)).rank == 0


def test_what_goes_with_a_set_is_told():
    random = np.random.default_rng(6)
    x, other = random.normal(size=(2, 300))
    copy = x + random.normal(size=300)
    words = [f"l{k}" for k in random.integers(0, 3, 300)]
    bases = bases_of([copy, other, words])
    any_target = class_basis(np.arange(300, dtype=np.int32) % 2)
    company = Company(bases, any_target)
    assert [company.test(k) for k in range(3)] == [1, 1, 1]  # there is no set
    (own,) = bases_of([x])
    company.add(own)
    assert company.rank == 7
    company.add(own)
    assert company.rank == 7  # nothing new
    for k, basis in enumerate(bases):
        expected = partial_p_value(
            basis.directions,
            own.directions,
            [],
            ordered=basis.ordered,
            n_straight=7,
        )
        assert company.test(k) == pytest.approx(expected, rel=1e-6)
    assert company.test(0) < 1e-20


def test_what_the_target_makes_alike_is_no_company():
    """Two measures of a class go together, but not once the class is known."""
    random = np.random.default_rng(7)
    y = random.integers(0, 3, 600)
    first, second = y + random.normal(size=(2, 600))
    bases = bases_of([first, second])
    target = class_basis(y.astype(np.int32))
    for known in (False, True):
        company = Company(bases[1:], target, given_target=known)
        company.add(bases[0])
        assert (company.test(0) < 0.01) == (not known)
        parts = [target.directions] if known else []
        expected = partial_p_value(
            bases[1].directions,
            bases[0].directions,
            parts,
            ordered=True,
            n_straight=7,
        )
        assert company.test(0) == pytest.approx(expected, rel=1e-6)
