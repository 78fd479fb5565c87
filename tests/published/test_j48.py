"""Weka 3.9.7's J48 on 14 tables: every node, every printed line, every prediction.

The plain grower, too, has been held to all 14 tables; here it does the small ones.
"""

import json

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.trees import C45Classifier
from reference.tree_tables import sample_of
from reference.trees import count_leaves, count_nodes, from_arrays, predict
from reference.trees_c45 import Options, grow
from reference.trees_text import as_weka_text

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
LARGE = {"credit-g", "diabetes", "edge-raise", "soybean", "vote"}
VARIANTS = {
    "default": {},
    "unpruned": {"prune": False},
    "no_subtree_raising": {"subtree_raising": False},
    "no_collapse": {"collapse": False},
    "unpruned_no_collapse": {"prune": False, "collapse": False},
    "no_mdl_correction": {"release8_penalty": False},
    "midpoint_split": {"actual_thresholds": False},
    "m1": {"min_cases": 1},
    "m5": {"min_cases": 5},
    "c10": {"pruning_confidence": 0.10},
    "c05_m10": {"pruning_confidence": 0.05, "min_cases": 10},
}


class Fast:
    """C45Classifier, under the names the tests use."""

    def __init__(self, table, rows, settings):
        self.tree = C45Classifier(compatibility="j48", **settings).fit(
            table.take(rows), None
        )
        self.root = from_arrays(self.tree.tree_)

    def classes(self, table, rows):
        return self.tree.predict_proba(table.take(rows)).argmax(axis=1)


class Plain:
    """The plain grower, too slow for large tables."""

    def __init__(self, table, rows, settings):
        self.root = grow(sample_of(table, rows), Options("j48", **settings))

    def classes(self, table, rows):
        columns = [column.values[rows] for column in table]
        return predict(self.root, columns, empty="parent_shares").argmax(axis=1)


CASES = [(Fast, name) for name in TABLES]
CASES += [(Plain, name) for name in TABLES if name not in LARGE]


@pytest.fixture(
    scope="module", params=CASES, ids=lambda case: f"{case[0].__name__}-{case[1]}"
)
def weka(request, shared_dir):
    grower, name = request.param
    folder = shared_dir / "oracle" / "weka"
    golden = json.loads((folder / "golden" / f"{name}.json").read_text())
    table = read_table(folder / "data" / f"{name}.arff", target=-1)
    return grower, table, golden


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_printed_tree(weka, variant):
    grower, table, golden = weka
    expected = golden["j48"][variant]
    rows = np.arange(len(table))
    grown = grower(table, rows, VARIANTS[variant])
    root = grown.root
    assert (count_leaves(root), count_nodes(root)) == (
        expected["leaves"],
        expected["size"],
    )
    features = [(c.name, c.levels if c.is_nominal else None) for c in table]
    text = as_weka_text(root, features, table.target.levels)
    assert text.splitlines() == expected["tree"].splitlines()
    right = grown.classes(table, rows) == table.target.values
    assert right.sum() == expected["train"]["correct"]


@pytest.mark.parametrize("variant", ["default", "unpruned"])
def test_nodes(weka, variant):
    grower, table, golden = weka
    grown = grower(table, np.arange(len(table)), VARIANTS[variant])
    assert_same_nodes(grown.root, golden["j48"][variant]["nodes"], "root")


def assert_same_nodes(node, expected, path):
    np.testing.assert_allclose(
        node.value, expected["dist"], rtol=0, atol=1e-6, err_msg=path
    )
    assert (node.feature + 1 or None) == expected.get("att"), path
    if "leaf" in expected:
        assert (node.weight <= 1e-6) == expected["empty"], path
        return
    assert node.gain == pytest.approx(expected["info_gain"], abs=1e-9), path
    if node.levels is None:
        assert node.threshold == expected["split"], path
    branches = zip(node.children, expected["bags"], expected["children"], strict=True)
    for i, (child, bag, expected_child) in enumerate(branches):
        np.testing.assert_allclose(child.value, bag, rtol=0, atol=1e-6, err_msg=path)
        assert_same_nodes(child, expected_child, f"{path}.{i}")


@pytest.mark.parametrize("variant", ["default", "unpruned"])
def test_every_prediction_of_ten_folds(weka, variant):
    grower, table, golden = weka
    fold = np.array(golden["cv_fold_by_row_seed1_k10"])
    predicted = np.full(len(table), -1)
    for left_out in np.unique(fold):
        train, test = np.flatnonzero(fold != left_out), np.flatnonzero(fold == left_out)
        grown = grower(table, train, VARIANTS[variant])
        predicted[test] = grown.classes(table, test)
    expected = golden["j48"][variant]["cv"]["predicted_class_index_by_row"]
    np.testing.assert_array_equal(predicted, expected)
