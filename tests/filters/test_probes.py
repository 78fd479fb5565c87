import numpy as np
import pytest

from featsieve.data import Column, ColumnKind, read_table
from featsieve.filters._probes import (
    Shuffles,
    draw_probes,
    follows_a_law,
    probes_of_features,
)

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


def test_columns_of_other_shapes_follow_no_law():
    rng = np.random.default_rng(5)
    n = 4000

    def follows(values, association="kendall"):
        column = Column("x", ColumnKind.NUMERIC, values.astype(float))
        return follows_a_law(column, np.arange(n), association)

    assert follows(rng.normal(size=n))
    assert follows(rng.normal(size=n), "pearson")
    assert follows(rng.standard_cauchy(size=n))
    assert not follows(rng.standard_cauchy(size=n), "pearson")
    assert not follows(rng.poisson(1.0, n))
    coin, rare = rng.random(n) < 0.3, rng.random(n) < 0.02
    assert follows(coin)
    assert follows(coin, "pearson")
    assert not follows(coin, "gamma")
    assert not follows(coin, "symmetrical_uncertainty")
    assert not follows(rare)
    assert follows(np.full(n, np.nan))
    codes = Column(
        "c", ColumnKind.NOMINAL, np.arange(n, dtype=np.int32), tuple(range(n))
    )
    assert not follows_a_law(codes, np.arange(n), "kendall")


def test_copies_hold_the_values_of_the_sampled_rows():
    rows = np.array([7, 2, 5, 0])
    values = np.arange(10) * 1.5
    shuffles = Shuffles.draw(rows, 3, seed=1)
    for copy in shuffles.copies(values, np.arange(4)):
        assert sorted(copy) == sorted(values[rows])
    again = Shuffles.draw(rows, 3, seed=1)
    assert all(map(np.array_equal, shuffles.orders, again.orders))
