import numpy as np
import pytest

from featsieve.data import Column, ColumnKind, read_table
from featsieve.engine import derive_seed
from featsieve.inference._exchange import WithinStrata
from featsieve.inference._probes import (
    FEW_TIES,
    LIGHT_TAILS,
    NOT_RARE,
    Shuffles,
    check_probes,
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


def test_borders_of_laws_belong_to_the_law():
    def follows(values, association="kendall"):
        column = Column("x", ColumnKind.NUMERIC, np.asarray(values, dtype=float))
        return follows_a_law(column, np.arange(len(values)), association)

    assert (NOT_RARE, FEW_TIES, LIGHT_TAILS) == (0.05, 0.02, 12.0)
    assert follows(np.repeat([0, 1], [1, round(1 / NOT_RARE) - 1]))
    assert not follows(np.repeat([0, 1], [1, round(1 / NOT_RARE)]))
    # Three values are ties, not a coin.
    assert not follows(np.repeat([0, 1, 2], 20))
    # Equal shares of 1/50 make two rows equal in one of fifty.
    each = round(1 / FEW_TIES)
    assert follows(np.repeat(np.arange(each + 1), 4))
    assert not follows(np.repeat(np.arange(each - 1), 4))
    # The fourth moment is what is asked, of centred and scaled values.
    rng = np.random.default_rng(0)
    light, heavy = rng.exponential(size=4000), rng.standard_t(3, 4000)
    for values in (light, 50 + 7 * light, -0.01 * light, heavy, 3 - 9 * heavy):
        z = (values - values.mean()) / values.std()
        assert follows(values, "pearson") == (np.mean(z**4) <= LIGHT_TAILS)
    assert follows(light, "pearson")
    assert not follows(heavy, "pearson")


class Owner:
    pass


@pytest.mark.parametrize("bad", ["gaussian", 3, None, ("gauss",), ()])
def test_what_is_no_list_of_kinds_is_refused(bad):
    with pytest.raises(ValueError, match="The 'probes' parameter of Owner must be"):
        check_probes(bad, Owner(), at_least=1)


def test_no_probes_are_a_list_too():
    check_probes((), Owner())
    check_probes(["binary"], Owner(), at_least=1)
    with pytest.raises(ValueError, match="'gaussian', 'uniform', 'binary'"):
        check_probes("uniform", Owner())


def test_probes_differ_and_depend_on_their_number_only():
    """Same seed, same bits: more probes or kinds do not change the first ones."""
    few = draw_probes(TABLE, ("gaussian",), 2, 30, seed=4)
    more = draw_probes(TABLE, ("uniform", "gaussian"), 3, 30, seed=4)

    def by_kind(probes, kind, gaps):
        return [
            tuple(np.nan_to_num(p.values, nan=-9).tolist())
            for p in probes
            if (p.kind, p.gaps) == (kind, gaps)
        ]

    for kind in ("gaussian", "nominal"):
        for gaps in (0, 1):
            some, all_ = by_kind(few, kind, gaps), by_kind(more, kind, gaps)
            assert set(some) <= set(all_)
    everything = [by_kind(more, p.kind, p.gaps) for p in more]
    values = [tuple(np.nan_to_num(p.values, nan=-9).tolist()) for p in more]
    assert len(set(values)) == len(more) == 18
    assert all(everything)
    other = draw_probes(TABLE, ("gaussian",), 2, 30, seed=5)
    assert not set(by_kind(few, "gaussian", 0)) & set(by_kind(other, "gaussian", 0))
    known = [p.values[~np.isnan(p.values)][:5] for p in more if p.kind == "gaussian"]
    assert len({tuple(values.tolist()) for values in known}) == len(known)


def test_copies_hold_the_values_of_the_sampled_rows():
    rows = np.array([7, 2, 5, 0])
    values = np.arange(10) * 1.5
    shuffles = Shuffles.draw(rows, 3, seed=1)
    for copy in shuffles.copies(values, np.arange(4)):
        assert sorted(copy) == sorted(values[rows])
    again = Shuffles.draw(rows, 3, seed=1)
    assert all(map(np.array_equal, shuffles.orders, again.orders))


def test_copies_are_drawn_by_their_number_only():
    """Same seed, same bits: more copies do not change the first ones."""
    rows = np.arange(9)
    orders = Shuffles.draw(rows, 3, seed=4).orders
    for k, order in enumerate(orders):
        own = np.random.default_rng(derive_seed(4, "copy", k)).permutation(9)
        np.testing.assert_array_equal(order, own)
    assert all(map(np.array_equal, orders, Shuffles.draw(rows, 5, seed=4).orders))


def test_copies_are_exchanged_as_the_null_says():
    strata = np.repeat([0, 1, 2], 5)
    rows = np.array([14, 3, 0, 7, 9, 1, 12])
    shuffles = Shuffles.draw(rows, 20, seed=1, exchange=WithinStrata(strata))
    copies = shuffles.copies(np.arange(15), np.arange(7))
    for copy in copies:
        np.testing.assert_array_equal(strata[copy], strata[rows])
        assert sorted(copy) == sorted(rows)
    assert len(set(map(tuple, copies))) > 5
    some = shuffles.copies(np.arange(15), np.array([6, 2]))
    assert [c.tolist() for c in some] == [c[[6, 2]].tolist() for c in copies]
