import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from featsieve._kernels import RankedColumn, concordance_counts
from featsieve.measures import (
    Concordance,
    concordance,
    goodman_kruskal_gamma,
    kendall_tau,
)
from featsieve.measures._concordance import concordance_by_class
from reference import associations as reference

FIELDS = (
    "n_rows",
    "concordant",
    "discordant",
    "tied_first",
    "tied_second",
    "tied_both",
)

numbers = st.sampled_from([0.0, -0.0, 1.0, 2.0, 2.5, -7.0, np.inf, -np.inf, np.nan])
column = st.one_of(numbers, st.floats(-3, 3))


def make_column(rng, n_rows, kind):
    if kind == "few":
        return rng.integers(0, 3, n_rows).astype(float)
    if kind == "gaps":
        return np.where(rng.random(n_rows) < 0.3, np.nan, rng.integers(0, 9, n_rows))
    if kind == "rounded":
        return rng.normal(size=n_rows).round(1)
    return rng.normal(size=n_rows)


@given(st.lists(st.tuples(column, column), max_size=40))
def test_counts_are_those_of_the_definition(rows):
    x, y = [a for a, _ in rows], [b for _, b in rows]
    got = concordance(np.array(x, dtype=float), np.array(y, dtype=float))
    assert tuple(getattr(got, f) for f in FIELDS) == reference.concordance(x, y)
    assert got.tau_b == pytest.approx(reference.tau_b(x, y), abs=1e-14)
    assert got.gamma == pytest.approx(reference.gamma(x, y), abs=1e-14)


@pytest.mark.parametrize("n_rows", [1, 63, 64, 65, 1023, 1025, 20_000, 300_000])
@pytest.mark.parametrize("kinds", [("plain", "plain"), ("rounded", "plain")])
def test_many_rows_agree_with_scipy(n_rows, kinds):
    """Sizes around the words, nodes and levels of the tree of counts."""
    rng = np.random.default_rng(n_rows)
    x, y = (make_column(rng, n_rows, kind) for kind in kinds)
    y = y + 0.3 * x
    expected = kendalltau(x, y, method="asymptotic").statistic if n_rows > 1 else 0.0
    assert kendall_tau(x, y) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("first", ["plain", "rounded", "few", "gaps"])
@pytest.mark.parametrize("second", ["plain", "rounded", "few", "gaps"])
def test_kinds_add_up_and_exchange(first, second):
    rng = np.random.default_rng(0)
    x, y = (make_column(rng, 3000, kind) for kind in (first, second))
    there, back = concordance(x, y), concordance(y, x)
    n = there.n_rows
    assert sum(getattr(there, f) for f in FIELDS[1:]) == n * (n - 1) // 2
    assert (there.concordant, there.discordant) == (back.concordant, back.discordant)
    assert (there.tied_first, there.tied_second) == (back.tied_second, back.tied_first)
    turned = concordance(-x, y)
    assert (turned.concordant, turned.discordant) == (
        there.discordant,
        there.concordant,
    )


def test_matrix_is_column_by_column():
    rng = np.random.default_rng(1)
    X = np.column_stack([make_column(rng, 200, kind) for kind in ("few", "gaps")])
    y = make_column(rng, 200, "rounded")
    assert kendall_tau(X, y).tolist() == [kendall_tau(x, y) for x in X.T]
    assert goodman_kruskal_gamma(X, y).tolist() == [
        goodman_kruskal_gamma(x, y) for x in X.T
    ]


@given(
    st.lists(
        st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=4
    )
)
def test_a_table_has_the_counts_of_its_rows(table):
    counts = np.array(table)
    first, second = np.repeat(np.argwhere(counts >= 0), counts.ravel(), axis=0).T
    from_rows = concordance(first.astype(float), second.astype(float))
    from_table = Concordance.from_table(counts)
    for name in FIELDS:
        assert getattr(from_table, name) == getattr(from_rows, name)


@given(
    st.lists(st.tuples(column, st.integers(0, 3)), max_size=40),
)
def test_classes_against_the_rest(rows):
    x = np.array([a for a, _ in rows], dtype=float)
    classes = np.array([c for _, c in rows], dtype=np.int32)
    got = concordance_by_class(RankedColumn(x), classes, 4)
    for c in range(4):
        member = (classes == c).astype(float)
        n, same, opposite, *_ = reference.concordance(x.tolist(), member.tolist())
        assert (got.concordant[c], got.discordant[c]) == (same, opposite)
        assert got.n_rows[c] == n
        tau = reference.tau_b(x.tolist(), member.tolist())
        assert got.tau_b[c] == pytest.approx(tau, abs=1e-14)
        gamma = reference.gamma(x.tolist(), member.tolist(), 5)
        assert got.named("gamma", 5)[c] == pytest.approx(gamma, abs=1e-14)


def test_nothing_to_compare_is_zero():
    assert kendall_tau([1.0, 1.0], [1.0, 2.0]) == 0
    assert kendall_tau([], []) == 0
    assert goodman_kruskal_gamma([np.nan, 1.0], [1.0, np.nan]) == 0
    assert kendall_tau(np.empty((3, 0)), [1, 2, 3]).shape == (0,)


def test_wrong_input_is_explained():
    with pytest.raises(ValueError, match="y must have 3 rows"):
        concordance([1, 2, 3], [1, 2])
    with pytest.raises(TypeError, match="must hold numbers"):
        concordance(np.array(["a"]), [1])
    with pytest.raises(ValueError, match="must be a column, a matrix"):
        concordance(np.zeros((1, 1, 1)), [1])
    with pytest.raises(ValueError, match="one-dimensional"):
        concordance([1], [[1]])
    with pytest.raises(ValueError, match="whole counts"):
        Concordance.from_table([0.5])
    ranked = RankedColumn(np.zeros(2))
    with pytest.raises(ValueError, match="same number of rows"):
        concordance_counts([ranked], [RankedColumn(np.zeros(3))])
    with pytest.raises(ValueError, match="as many first"):
        concordance_counts([ranked], [])
