"""Gamma with a row added to every cell."""

import numpy as np
import pytest

from featsieve.data import Column, ColumnKind, Table
from featsieve.inference._association_tests import Measuring
from featsieve.measures import class_association
from featsieve.reproduce._largedata_tables import (
    AddedRows,
    RulesWithAddedRows,
    added_gamma,
    association_with_class,
)


@pytest.fixture
def random():
    return np.random.default_rng(5)


def test_it_is_gamma_of_a_table_with_four_more_rows(random):
    x = random.random(200) < 0.05
    y = (random.random(200) < 0.3).astype(np.int32)
    longer = np.append(x, [0, 0, 1, 1]).astype(float)
    classes = np.append(y, [0, 1, 0, 1]).astype(np.int32)
    expected = class_association([longer], classes, association="gamma")[0]
    assert added_gamma(x, y) == pytest.approx(expected)


def test_a_value_in_one_row_tells_little():
    x, y = np.arange(1000) == 0, (np.arange(1000) < 500).astype(np.int32)
    alone = class_association([x.astype(float)], y, association="gamma")[0]
    assert alone == 1
    assert added_gamma(x, y) == pytest.approx(1 / 3, abs=0.01)


def test_only_columns_of_two_values_are_changed(random):
    columns = [random.normal(size=90), random.integers(0, 2, 90) * 1.0, np.ones(90)]
    codes = random.integers(0, 3, 90).astype(np.int32)
    nominal = np.array([False, False, False, True])
    target = random.integers(0, 3, 90).astype(np.int32)
    for association in ("gamma", "pearson"):
        settings = (association, "level", 1, 5)
        given = ([*columns, codes], nominal, target, None)
        plain = Measuring(*settings).measure(*given)
        found = AddedRows(*settings).measure(*given)
        changed = np.flatnonzero(plain != found).tolist()
        assert changed == ([1] if association == "gamma" else [])
        assert found[2] == 0, "a constant tells nothing"


def test_the_search_goes_by_it(random):
    y = random.integers(0, 2, 400)
    columns = [
        Column("x", ColumnKind.NUMERIC, y + random.normal(size=400)),
        Column("rare", ColumnKind.NUMERIC, (np.arange(400) % 200 == 0) * 1.0),
    ]
    target = Column("class", ColumnKind.NOMINAL, y.astype(np.int32), ("a", "b"))
    table = Table(tuple(columns), target)
    found = RulesWithAddedRows(
        association="gamma", n_subsamples=3, sample_size=100, missing="level"
    ).fit(table, None)
    expected = association_with_class(table, y.astype(np.int32), 3, 100, 0)
    assert found.scores_ == pytest.approx(expected)
    assert found.support_[0]
