import numpy as np
import pytest

from featsieve.data import read_table
from featsieve.filters._probes import draw_probes, probes_of_features

TABLE = read_table(
    {
        "number": [1.5, 2.5, 3.5, 4.5],
        "flag": [0.0, 1.0, 1.0, np.nan],
        "colour": ["red", "blue", "green", "red"],
        "yes": ["y", "n", "y", "n"],
    }
)


def test_every_feature_has_probes_of_its_kind():
    probes = draw_probes(TABLE, ("gaussian", "uniform", "binary"), 2, 50, seed=1)
    kinds = [
        sorted({(probes[k].kind, probes[k].n_levels) for k in own}, key=str)
        for own in probes_of_features(TABLE, probes)
    ]
    assert kinds == [
        [("gaussian", None), ("uniform", None)],
        [("binary", None)],
        [("nominal", 3)],
        [("nominal", 2)],
    ]
    assert all(len(probe.values) == 50 for probe in probes)


@pytest.mark.parametrize("kinds", [("binary",), ("uniform",)])
def test_any_numeric_probe_is_better_than_none(kinds):
    probes = draw_probes(TABLE, kinds, 1, 10, seed=1)
    own = probes_of_features(TABLE, probes)
    assert [probes[k].kind for k in (*own[0], *own[1])] == [*kinds, *kinds]


def test_probes_have_gaps_as_their_features_have():
    probes = draw_probes(TABLE, ("gaussian", "binary"), 1, 20_000, seed=3)
    number, flag, colour, _ = (
        own.tolist() for own in probes_of_features(TABLE, probes)
    )
    assert [probes[k].known for k in (*number, *colour)] == [1, 1]
    assert [probes[k].known for k in flag] == [2**-0.5]  # three of four are
    gaps = np.isnan(probes[flag[0]].values)
    assert gaps.mean() == pytest.approx(1 - 2**-0.5, abs=0.02)
    gone = read_table({"gone": [np.nan] * 4, "text": ["a", None, None, None]})
    probes = draw_probes(gone, ("uniform",), 1, 20_000, seed=3)
    assert [probe.gaps for probe in probes] == [0, 4]
    assert (probes[1].values == -1).mean() == pytest.approx(0.75, abs=0.02)
    assert [own.tolist() for own in probes_of_features(gone, probes)] == [[0], [1]]


def test_an_identifier_is_dealt_no_level_twice():
    table = read_table({"name": [f"row {k}" for k in range(100)]})
    (probe,) = draw_probes(table, ("uniform",), 1, 60, seed=4)
    assert len(np.unique(probe.values)) == 60


def test_laws():
    probes = draw_probes(TABLE, ("gaussian", "uniform", "binary"), 1, 20_000, seed=2)
    by_kind = {(p.kind, p.n_levels): p.values for p in probes if p.gaps == 0}
    assert by_kind["gaussian", None].std() == pytest.approx(1, abs=0.03)
    assert by_kind["uniform", None].min() >= 0 <= by_kind["uniform", None].max() <= 1
    assert set(by_kind["binary", None]) == {0.0, 1.0}
    counts = np.bincount(by_kind["nominal", 3])
    assert counts / 20_000 == pytest.approx([1 / 3] * 3, abs=0.02)
