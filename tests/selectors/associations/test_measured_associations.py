"""Associations of typed columns, of all rows and of samples."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.data.api import Target, Training
from featsieve.measures import class_association, pairwise_association
from featsieve.selectors.associations._associations import (
    MeasuredAssociations,
    MeasuredFilter,
    SampledAssociations,
    on_grid,
)


def training_of(n=80):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n).astype(np.int32)
    table = read_table(
        {
            "x": y + random.normal(size=n),
            "word": [f"v{(v + k % 2) % 3}" for k, v in enumerate(y)],
            "z": random.normal(size=n),
        }
    )
    return Training(table, Target(y, (0, 1), None), None)


def columns_of(training, rows=slice(None)):
    return [np.ascontiguousarray(column.values[rows]) for column in training.table]


NOMINAL = np.array([False, True, False])


def test_equal_the_measures():
    training = training_of()
    found = MeasuredAssociations(training, "kendall", "level", 1)
    settings = {"association": "kendall", "nominal": NOMINAL, "missing": "level"}
    columns = columns_of(training)
    expected = class_association(columns, training.target.codes, **settings)
    np.testing.assert_allclose(found.with_class, expected)
    matrix = on_grid(pairwise_association(columns, **settings), False)
    np.testing.assert_allclose(found.matrix(), matrix, atol=1e-11)
    for j in range(3):
        np.testing.assert_allclose(found.row(j), matrix[j], atol=1e-11)


def test_pairs_may_be_compared_by_something_else():
    training = training_of()
    extra = [training.table["x"].values ** 3]
    found = MeasuredAssociations(
        training, "kendall", "level", 1, extra=extra, between="pearson", mixed="zero"
    )
    x, cube = training.table["x"].values, extra[0]
    assert found.row(0)[3] == pytest.approx(abs(np.corrcoef(x, cube)[0, 1]))
    assert found.row(0)[1] == found.row(1)[2] == 0
    assert found.with_class[3] == found.with_class[0]  # ranks are the same


def test_samples_are_averaged():
    training = training_of()
    sampled = SampledAssociations(
        training, "kendall", "level", 1, n_subsamples=4, sample_size=20, seed=3
    )
    assert len(sampled._samples) == 4
    mean = np.mean([one.with_class for one in sampled._samples], axis=0)
    np.testing.assert_allclose(sampled.with_class, mean)
    rows = np.mean([one.row(1) for one in sampled._samples], axis=0)
    np.testing.assert_allclose(sampled.row(1), rows, atol=1e-11)
    np.testing.assert_allclose(sampled.matrix()[1], sampled.row(1), atol=1e-11)
    # One sample of all rows is the whole.
    whole = MeasuredAssociations(training, "kendall", "level", 1)
    one = SampledAssociations(
        training, "kendall", "level", 1, n_subsamples=1, sample_size=80, seed=0
    )
    np.testing.assert_allclose(one.with_class, whole.with_class)


def test_parameters_are_checked():
    class Filter(MeasuredFilter):
        def _fit(self, training): ...

    Filter()._check_parameters()
    for bad in ({"association": "tau"}, {"missing": "spread"}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            Filter(**bad)._check_parameters()
