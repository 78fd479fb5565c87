"""Margins, strength and correlation equal their definitions."""

import math

import numpy as np
import pytest
from hypothesis import given

from diversity.answers import answers
from featsieve.diversity import (
    _margins as module,
)
from featsieve.diversity import (
    breiman_bound,
    margins,
    raw_margin_correlation,
    raw_margins,
    strength,
)
from reference import diversity as reference


@given(answers())
def test_raw_margins_equal_the_definition(data):
    predictions, y = data
    expected = reference.raw_margins(predictions.tolist(), y.tolist())
    assert raw_margins(predictions, y).tolist() == expected
    mean = np.mean(expected, axis=0)
    np.testing.assert_allclose(margins(predictions, y), mean)
    assert strength(predictions, y) == pytest.approx(mean.mean())


@given(answers())
def test_mean_correlation_is_that_of_the_pairs(data):
    predictions, y = data
    raw = reference.raw_margins(predictions.tolist(), y.tolist())
    expected = reference.mean_of_pairs(reference.correlation, raw)
    assert raw_margin_correlation(predictions, y) == pytest.approx(expected, abs=1e-9)


def test_rows_are_taken_in_parts(monkeypatch):
    random = np.random.default_rng(0)
    predictions, y = random.integers(0, 3, (4, 50)), random.integers(0, 3, 50)
    expected = raw_margin_correlation(predictions, y)
    monkeypatch.setattr(module, "_CELLS", 12)
    assert raw_margin_correlation(predictions, y) == pytest.approx(expected)


def test_one_member_has_no_correlation():
    assert math.isnan(raw_margin_correlation([[0, 1]], [0, 0]))
    assert raw_margin_correlation([[0, 0], [0, 0]], [0, 0]) == 0  # nobody varies


def test_bound_says_nothing_without_strength():
    assert breiman_bound(0.0, 0.5) == math.inf
    assert breiman_bound(-0.1, 0.5) == math.inf
    assert breiman_bound(1.0, 0.5) == 0
    assert math.isnan(breiman_bound(0.5, math.nan))  # of a single member


def test_bound_of_no_numbers_names_what_is_wrong():
    with pytest.raises(ValueError, match=r"'strength' .* <= 1\. Got 40"):
        breiman_bound(40, 0.5)
    with pytest.raises(ValueError, match=r"'correlation' .* a number\. Got \[0\.5\]"):
        breiman_bound(0.5, [0.5])
