"""Vectors of ../shared/spec/largedata.md: associations, tests, and two whole tables."""

import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.measures import (
    class_association,
    concordance,
    goodman_kruskal_gamma,
    kendall_tau,
    pearson_correlation,
)
from featsieve.selectors import AssociationFilter, DecisionRuleFilter

pytestmark = pytest.mark.published

X = [1, 2, 2, 3, 3, 3]
B = [0, 0, 1, 1, 0, 1]
Y = [0, 0, 1, 1, 2, 2]


def test_six_rows():
    pairs = concordance(X, B)
    assert (pairs.concordant, pairs.discordant) == (5, 1)
    assert (pairs.tied_first, pairs.tied_second) == (3, 5)
    assert goodman_kruskal_gamma(X, B) == pytest.approx(0.666667, abs=5e-7)
    assert kendall_tau(X, B) == pytest.approx(0.402015, abs=5e-7)
    assert pearson_correlation(X, B) == pytest.approx(0.447214, abs=5e-7)
    member = [[float(y == c) for c in range(3)] for y in Y]
    gammas = [goodman_kruskal_gamma(X, [row[c] for row in member]) for c in range(3)]
    assert gammas == pytest.approx([-1, 0.2, 1])
    for association, value in (("gamma", 0.733333), ("pearson", 0.527046)):
        got = class_association(X, Y, association=association)
        assert got == pytest.approx(value, abs=5e-7)
    assert class_association(X, Y, nominal="all") == pytest.approx(0.520665, abs=5e-7)


def test_one_row_among_a_thousand():
    x = np.zeros(1000)
    x[-1] = 1
    member = np.arange(1000) < 500
    assert goodman_kruskal_gamma(x, member) == -1
    assert kendall_tau(x, member) == pytest.approx(-0.031639, abs=5e-7)


ABALONE = {
    "Length": (0.4975, 0.4118),
    "Diameter": (0.5073, 0.4192),
    "Height": (0.5221, 0.3789),
    "Whole_weight": (0.5012, 0.3893),
    "Shucked_weight": (0.4552, 0.3486),
    "Viscera_weight": (0.4976, 0.3830),
    "Shell_weight": (0.5308, 0.4073),
    "Sex": (0.1242, 0.1242),
}


@pytest.fixture(scope="module")
def abalone(shared_dir):
    table = read_table(shared_dir / "data" / "abalone" / "train.csv", target="class")
    rings = np.array(table.target.levels)[table.target.values]
    return table, np.digitize(rings, [8.5, 10.5]).astype(np.int32)


def test_abalone_as_a_whole(abalone):
    table, classes = abalone
    assert np.bincount(classes).tolist() == [1407, 1323, 1447]
    nominal = np.array([column.is_nominal for column in table])
    columns = [column.values for column in table]
    for k, association in enumerate(("gamma", "pearson")):
        got = class_association(
            columns, classes, association=association, nominal=nominal
        )
        expected = [ABALONE[name][k] for name in table.names]
        assert got.round(4).tolist() == pytest.approx(expected, abs=1.01e-4)


def test_abalone_by_samples(abalone):
    """Table 5.2 (all but Length, which cannot be right), and 5.6: all probes 8."""
    table, classes = abalone
    options = {"correct_chance": False, "correct_overlap": False, "n_probes": 1}
    selector = AssociationFilter("gamma", **options)
    selector.fit(table, classes.astype(str), groups=None)
    printed = {
        "Diameter": 0.50,
        "Shell_weight": 0.52,
        "Height": 0.51,
        "Whole_weight": 0.49,
        "Viscera_weight": 0.49,
        "Shucked_weight": 0.45,
        "Sex": 0.12,
    }
    for name, value in printed.items():
        j = table.names.index(name)
        assert selector.scores_[j] == pytest.approx(value, abs=0.03)
    assert selector.support_.all()


COMPATIBLE = {
    "association": "gamma",
    "mixed": "zero",
    "missing": "level",
    "correct_chance": False,
}


@pytest.mark.parametrize(("pairs", "n_chosen"), [("gamma", 3), ("kendall", 4)])
@pytest.mark.parametrize("n_subsamples", [None, 10])
def test_abalone_by_decision_rules(abalone, pairs, n_chosen, n_subsamples):
    """Table 5.13: three features, pairs being compared by gamma."""
    table, classes = abalone
    probes = ("gaussian", "uniform", "binary")
    selector = DecisionRuleFilter(
        pair_association=pairs, n_subsamples=n_subsamples, probes=probes, **COMPATIBLE
    ).fit(table, classes.astype(str))
    assert len(selector.selected_) == n_chosen
    assert selector.stopped_by_ is None
    assert table.names[selector.selected_[0]] == "Shell_weight"


@pytest.fixture(scope="module")
def mushroom(shared_dir):
    path = shared_dir / "data" / "mushroom" / "train.csv"
    return read_table(path, target="class")


@pytest.mark.parametrize("seed", range(3))
def test_mushroom_by_decision_rules(mushroom, seed):
    """Table 5.13 has 14; two features lie at the level of 0.1 in samples of 500."""
    whole = DecisionRuleFilter(**COMPATIBLE).fit(mushroom, None)
    assert len(whole.selected_) == 12
    sampled = DecisionRuleFilter(
        n_subsamples=10, sample_size=500, random_state=seed, **COMPATIBLE
    ).fit(mushroom, None)
    assert 12 <= len(sampled.selected_) <= 14
    assert set(whole.selected_) <= set(sampled.selected_)
    names = [mushroom.names[j] for j in sampled.selected_]
    assert names[0] == "odor"
    at_the_level = {"habitat", "stalk-root"}
    assert {mushroom.names[j] for j in whole.selected_}.isdisjoint(at_the_level)


NOT_PRINTED = {
    "Aspect",
    "Horizontal_Distance_To_Hydrology",
    "Vertical_Distance_To_Hydrology",
    "Hillshade_9am",
    "Hillshade_Noon",
    "Hillshade_3pm",
    "Wilderness_Area1",
    "Wilderness_Area3",
    "Soil_Type7",
    "Soil_Type15",
    "Soil_Type25",
    "Soil_Type36",
}


def test_covertype_by_decision_rules(shared_dir):
    """Table 5.12: all 42 printed features are chosen, and a few more."""
    path = shared_dir / "data" / "covertype" / "train.parquet"
    table = read_table(path, target="class")
    selector = DecisionRuleFilter(
        pair_association="kendall", n_subsamples=10, **COMPATIBLE
    ).fit(table, None)
    names = [table.names[j] for j in selector.selected_]
    assert names[0] == "Wilderness_Area4"
    assert 44 <= len(names) <= 48
    assert set(table.names) - set(names) <= NOT_PRINTED


def test_mushroom_as_a_whole(mushroom):
    table = mushroom
    columns = [column.values for column in table]
    classes = table.target.values
    got = class_association(columns, classes, nominal="all", missing="level")
    by_name = dict(zip(table.names, got.round(4).tolist(), strict=True))
    expected = {
        "odor": 0.5461,
        "spore-print-color": 0.3002,
        "gill-size": 0.2434,
        "habitat": 0.0958,
        "stalk-root": 0.0955,
        "veil-type": 0.0,
    }
    assert {name: by_name[name] for name in expected} == expected
