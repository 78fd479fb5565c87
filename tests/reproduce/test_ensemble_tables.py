"""Ensembles as the thesis had them, and where its numbers stand."""

import numpy as np
import pytest

from featsieve.reproduce._ensemble_tables import (
    PRINTED,
    draw_numbers,
    methods,
    try_once,
)


def test_printed_numbers_stand_where_they_are_printed():
    assert PRINTED["Bagging"]["wbc"] == [0.0345, 0.0005, 0.0512, 0.6858]
    assert PRINTED["PCA rotation"]["friedman"] == [0.1905, 0.0092, 0.3081, 0.2643]
    assert all(len(sets) == 6 for sets in PRINTED.values())
    assert PRINTED.keys() <= methods().keys()


def test_one_split_of_a_generated_set():
    X, y = draw_numbers("simple", 0)
    found = try_once(methods()["Bagging"](0).set_params(n_estimators=11), X, y, 0)
    assert found["error"] == 2 / 30  # of thirty test rows
    assert found["base error"] == pytest.approx(16 / 330)
    assert found == try_once(
        methods()["Bagging"](0).set_params(n_estimators=11), X, y, 0
    )
    assert np.isfinite(found["Q"])
