"""The sieve as an estimator: the same answer as `select`, in arrays."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import featsieve
from featsieve.data import read_table
from featsieve.selection import SieveSelector


def columns_of(n=60):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, n)
    return {
        "same": np.ones(n),
        "x": y + random.normal(size=n) / 2,
        "noise": random.normal(size=n),
        "y": np.array(["n", "p"])[y],
    }


@pytest.fixture(scope="module")
def fitted():
    return SieveSelector(random_state=3).fit(read_table(columns_of(), "y"))


def test_arrays_are_those_of_the_ledger(fitted):
    table = read_table(columns_of(), "y")
    found = featsieve.select(table, random_state=3, verbose=False)
    rows = found.to_dict()["ledger"]
    assert fitted.support_.tolist() == [False, True, False]
    assert fitted.support_.tolist() == [row["kept"] for row in rows]
    assert fitted.scores_.tolist() == [row["score"] or 0 for row in rows]
    assert fitted.p_values_.tolist() == [
        1 if row["p_value"] is None else row["p_value"] for row in rows
    ]
    assert fitted.p_values_[0] == 1  # unusable
    assert fitted.scores_[0] == 0
    assert fitted.ranking_.tolist()[1] == 1
    assert sorted(fitted.ranking_) == [1, 2, 3]
    assert fitted.steps_ == rows
    assert fitted.selection_.features == found.features == ["x"]
    assert list(fitted.classes_) == ["n", "p"]
    assert fitted.n_features_in_ == 3
    assert list(fitted.feature_names_in_) == ["same", "x", "noise"]
    assert fitted.selection_.to_dict()["computation"]["random_state"] == 3


def test_chosen_columns_are_taken(fitted):
    frame = {name: values for name, values in columns_of().items() if name != "y"}
    X = np.column_stack(list(frame.values()))
    plain = SieveSelector(random_state=3).fit(X, columns_of()["y"])
    np.testing.assert_array_equal(plain.transform(X), X[:, 1:2])
    assert plain.get_support().tolist() == fitted.get_support().tolist()


def test_rows_without_a_target_are_left_out_with_a_warning():
    columns = columns_of()
    y = columns.pop("y").astype(object)
    y[:5] = None
    with pytest.warns(UserWarning, match="5 "):
        some = SieveSelector().fit(columns, y)
    rest = SieveSelector().fit({n: v[5:] for n, v in columns.items()}, y[5:])
    assert some.p_values_.tolist() == rest.p_values_.tolist()


def test_parameters_are_those_of_select():
    columns = columns_of()
    y = columns.pop("y")
    twice = columns | {"z": columns["x"] + np.sin(np.arange(60.0)) / 3}
    limited = SieveSelector(max_selected=1, fdr=0.2, costs={"x": 2.0}).fit(twice, y)
    assert limited.get_support().sum() == 1
    assert limited.selection_.to_dict()["computation"]["parameters"]["fdr"] == 0.2
    assert clone(limited).get_params() == limited.get_params()
    nominal = SieveSelector(nominal=["same"]).fit(columns, y)
    assert nominal.steps_[0]["kind"] == "nominal"
    with pytest.raises(ValueError, match="'fdr' parameter of SieveSelector"):
        SieveSelector(fdr=2).fit(columns, y)


def test_quantities_have_no_classes():
    columns = columns_of()
    columns.pop("y")
    found = SieveSelector().fit(columns, columns["x"] * 2.0)
    assert found.classes_.shape == (0,)
    assert found.get_support().tolist() == [False, True, False]
