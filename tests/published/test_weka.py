"""Weka 3.9.7 on 14 tables: measures to 1e-9, cut points to 1e-6."""

import json

import pytest
from numpy.testing import assert_allclose

from featsieve.data import MDLDiscretizer, read_table
from featsieve.selectors import MeasureFilter

pytestmark = pytest.mark.published

TABLES = [
    "breast-cancer",
    "contact-lenses",
    "credit-g",
    "diabetes",
    "edge-missing",
    "edge-raise",
    "edge-ties",
    "glass",
    "iris",
    "labor",
    "soybean",
    "vote",
    "weather.nominal",
    "weather.numeric",
]
MEASURES = {
    "information_gain": "info_gain",
    "gain_ratio": "gain_ratio",
    "symmetrical_uncertainty": "symmetrical_uncert",
}
ENCODINGS = {
    "fayyad_irani": "fayyad_irani_default",
    "better": "fayyad_irani_better_encoding",
    "kononenko": "kononenko",
}


@pytest.fixture(params=TABLES)
def weka(request, shared_dir):
    folder = shared_dir / "oracle" / "weka"
    golden = json.loads((folder / "golden" / f"{request.param}.json").read_text())
    source = folder / "data" / f"{request.param}.arff"
    if golden["instances_with_class"] < golden["instances"]:
        with pytest.warns(UserWarning, match="target"):
            table = read_table(source, target=-1)
    else:
        table = read_table(source, target=-1)
    return table, golden


def values(result):
    return [entry["value"] for entry in result["values"]]


@pytest.mark.parametrize("measure", list(MEASURES))
def test_measures(weka, measure):
    table, golden = weka
    key = MEASURES[measure]
    if "values" not in golden.get(key, {}):
        pytest.skip(f"Weka gives no {key} for this table")
    selector = MeasureFilter(
        measure, missing="spread", discretizer=MDLDiscretizer(cut_cost="better")
    ).fit(table, None)
    assert_allclose(selector.scores_, values(golden[key]), rtol=0, atol=1e-9)


def test_missing_as_a_value(weka):
    table, golden = weka
    if "values" not in golden.get("info_gain_missing_as_value", {}):
        pytest.skip("Weka gives none for this table")
    selector = MeasureFilter(
        missing="level", discretizer=MDLDiscretizer(cut_cost="better")
    ).fit(table, None)
    expected = values(golden["info_gain_missing_as_value"])
    assert_allclose(selector.scores_, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("encoding", list(ENCODINGS))
def test_cut_points(weka, encoding):
    table, golden = weka
    result = golden["discretize_mdl"][ENCODINGS[encoding]]["cut_points"]
    expected = {entry["name"]: entry["cuts"] for entry in result}
    cutter = MDLDiscretizer(cut_cost=encoding).fit(table, table.target)
    ours = {
        name: cuts
        for name, cuts in zip(table.names, cutter.cut_points_, strict=True)
        if cuts is not None
    }
    assert ours.keys() == expected.keys()
    for name, cuts in ours.items():
        assert_allclose(cuts, expected[name], rtol=0, atol=1e-6, err_msg=name)
