"""Weka 3.9.7 on 14 tables: ReliefF to 1e-9."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose

from featsieve.data import read_table
from featsieve.selectors import ReliefFFilter

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
RULES = {
    "relieff": {"n_neighbors": 10},
    "relieff_weighted": {"n_neighbors": 10, "sigma": 2},
    "relieff_k1": {"n_neighbors": 1},
}

# Printed by Weka 3.9.7 (-M -1 -D 1 -K 10) after the class of rows 2, 7, 12, … (from 0)
# was deleted.
IRIS_WITH_GAPS = [0.0607, 0.0517, 0.1972, 0.2088]


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.NoFeatureSelectedWarning")
@pytest.mark.parametrize("rule", list(RULES))
@pytest.mark.parametrize("name", TABLES)
def test_relieff(name, rule, shared_dir):
    folder = shared_dir / "oracle" / "weka"
    golden = json.loads((folder / "golden" / f"{name}.json").read_text())
    table = read_table(folder / "data" / f"{name}.arff", target=-1)
    selector = ReliefFFilter(**RULES[rule], compatibility="weka").fit(table, None)
    expected = [entry["value"] for entry in golden[rule]["values"]]
    assert_allclose(selector.scores_, expected, rtol=0, atol=1e-9)


def test_rows_without_a_class(shared_dir):
    source = shared_dir / "oracle" / "weka" / "data" / "iris.arff"
    table = read_table(source, target=-1)
    target = np.array(table.target.levels, dtype=object)[table.target.values]
    target[2::5] = None
    selector = ReliefFFilter(compatibility="weka")
    with pytest.warns(UserWarning, match="30 of 150 rows have no target"):
        selector.fit(table, target)
    assert_allclose(selector.scores_, IRIS_WITH_GAPS, rtol=0, atol=5.1e-5)
