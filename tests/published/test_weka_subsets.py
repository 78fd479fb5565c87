"""CFS and FCBF against the golden files of Weka 3.9.7, all tables."""

from __future__ import annotations

import json

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.selectors import CFSFilter, FCBFFilter
from published.test_weka import TABLES

pytestmark = pytest.mark.published

SEARCHES = {
    "bestfirst": ("best_first", None),
    "greedy_forward": ("forward", None),
    "greedy_backward": ("backward", None),
    "bestfirst_no_locally_predictive": ("best_first", False),
    "greedy_forward_no_locally_predictive": ("forward", False),
}


def load(folder, name):
    golden = json.loads((folder / "golden" / f"{name}.json").read_text())
    source = folder / "data" / f"{name}.arff"
    if golden["instances_with_class"] < golden["instances"]:
        with pytest.warns(UserWarning, match="target"):
            return read_table(source, target=-1), golden
    return read_table(source, target=-1), golden


def numbers(mask):
    return (np.flatnonzero(mask) + 1).tolist()


@pytest.mark.parametrize("key", list(SEARCHES))
@pytest.mark.parametrize("name", TABLES)
def test_cfs(shared_dir, name, key):
    table, golden = load(shared_dir / "oracle" / "weka", name)
    expected = golden["cfs"][key]
    search, locally_predictive = SEARCHES[key]
    selector = CFSFilter(
        search, locally_predictive=locally_predictive, compatibility="weka"
    ).fit(table, None)
    assert numbers(selector.search_support_) == expected["search_subset"]
    assert selector.search_merit_ == expected["merit_search_subset"]
    assert numbers(selector.support_) == expected["selected"]
    assert selector.merit_ == expected["merit_selected"]
    alone = [entry["merit_alone"] for entry in golden["cfs"]["merit_alone"]]
    assert selector.scores_.tolist() == alone
    if expected["subsets_evaluated"] is not None:
        assert selector.n_subsets_evaluated_ == expected["subsets_evaluated"]


@pytest.mark.parametrize("name", TABLES)
def test_fcbf(shared_dir, name):
    table, golden = load(shared_dir / "oracle" / "weka", name)
    selector = FCBFFilter(compatibility="weka").fit(table, None)
    # Also of equal columns, as of edge-ties, the one that Weka takes.
    assert (selector.selected_ + 1).tolist() == golden["fcbf"]["selected"]
    if "values" in golden["symmetrical_uncert"]:
        values = [entry["value"] for entry in golden["symmetrical_uncert"]["values"]]
        assert selector.scores_.tolist() == values
        order = golden["symmetrical_uncert"]["ranker_order"]
        assert (np.argsort(selector.ranking_) + 1).tolist() == order


def test_merit_where_rounding_hangs_on_the_order_of_a_sum(shared_dir):
    # Computed by Weka 3.9.7. One of the pairs of noise columns has an uncertainty that
    # lies between two 32-bit numbers but for the last bits of a sum.
    source = shared_dir / "data" / "led24" / "train.csv"
    table = read_table(source, target="class", nominal="all", target_kind="nominal")
    selector = CFSFilter(compatibility="weka").fit(table, None)
    expected = [1, 2, 3, 4, 5, 6, 7, 10, 12, 15, 20, 22, 23, 24]
    assert numbers(selector.support_) == expected
    assert selector.merit_ == 0.34408227377086364
    backward = CFSFilter("backward", compatibility="weka").fit(table, None)
    assert backward.merit_ == selector.merit_
