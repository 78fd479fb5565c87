"""Verdicts in plain words."""

from __future__ import annotations

import numpy as np
import pytest

import featsieve


@pytest.fixture(scope="module")
def curve():
    """Return a selection for a quantity, of a column most values of which are gone."""
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, 150))
    gaps = np.where(random.random(150) < 0.6, np.nan, z)
    data = {"x": x, "z": z, "gaps": gaps}
    return featsieve.select(data, 2 * x + 0.1 * z, progress=False)


def test_a_quantity_has_variance_to_explain(curve):
    text = curve.explain("x")
    assert "By itself it explains 9" in text
    assert "% of the variance of 'target' (p below 0.0001)." in text


def test_missing_values_are_told_once(curve):
    assert curve.explain("gaps").count("values are missing") == 1
    assert "missing" not in curve.explain("z")
