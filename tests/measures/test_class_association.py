from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from featsieve._kernels import RankedColumn, concordance_counts
from featsieve.measures import (
    Concordance,
    class_association,
    concordance,
    goodman_kruskal_gamma,
    kendall_tau,
    pairwise_association,
    symmetrical_uncertainty,
    target_association,
)
from featsieve.measures._class_association import concordance_by_class
from reference import associations as reference

MEASURES = {
    "auto": reference.tau_b,
    "kendall": reference.tau_b,
    "gamma": reference.gamma,
    "spearman": reference.spearman,
    "pearson": reference.pearson,
}

value = st.sampled_from([0.0, 1.0, 2.0, 3.5, -1.0, np.nan])


@given(
    rows=st.lists(st.tuples(value, st.integers(0, 2)), min_size=1, max_size=25),
    association=st.sampled_from(sorted(MEASURES)),
)
def test_one_versus_rest_by_definition(rows, association):
    x, classes = [a for a, _ in rows], [c for _, c in rows]
    got = class_association(np.array(x), classes, association=association)
    expected = reference.class_association(MEASURES[association], x, classes)
    assert got == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("association", sorted(MEASURES))
def test_numeric_target_by_definition(association):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).round(1)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.normal(size=60).round(1)
    got = target_association(X, y, association=association)
    expected = [abs(MEASURES[association](x.tolist(), y.tolist())) for x in X.T]
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_nominal_columns_are_compared_by_uncertainty():
    rng = np.random.default_rng(1)
    codes = rng.integers(-1, 3, (80, 2)).astype(np.int32)
    y = rng.integers(0, 3, 80)
    numeric = rng.normal(size=80)
    columns = [codes[:, 0], numeric, codes[:, 1]]
    nominal = np.array([True, False, True])
    got = class_association(columns, y, nominal=nominal)
    for j, k in ((0, 0), (2, 1)):
        assert got[j] == symmetrical_uncertainty(codes[:, k], y, missing="ignore")
    assert got[1] == class_association(numeric, y)
    level = class_association(codes, y, nominal="all", missing="level")
    expected = symmetrical_uncertainty(codes, y, missing="level")
    np.testing.assert_array_equal(level, expected)
    of_number = target_association(codes, numeric, nominal="all", n_bins=2)
    halves = (numeric > np.median(numeric)).astype(int)
    np.testing.assert_allclose(
        of_number, symmetrical_uncertainty(codes, halves, missing="ignore")
    )


def test_numbers_can_be_cut_for_uncertainty():
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=200), rng.integers(0, 2, 200)
    quarters = np.searchsorted(np.quantile(x, [0.25, 0.5, 0.75]), x)
    measure = partial(
        class_association, association="symmetrical_uncertainty", n_bins=4
    )
    assert measure(x, y) == pytest.approx(symmetrical_uncertainty(quarters, y))
    weights = rng.integers(1, 3, 200)
    repeated = measure(np.repeat(x, weights), np.repeat(y, weights))
    assert measure(x, y, weights=weights) == pytest.approx(repeated)


@pytest.mark.parametrize("association", ["pearson", "winsorised_pearson"])
def test_whole_weights_are_repeated_rows(association):
    rng = np.random.default_rng(3)
    X, y, z = rng.normal(size=(90, 2)), rng.integers(0, 3, 90), rng.normal(size=90)
    weights = rng.integers(0, 4, 90)
    for measure, target in ((class_association, y), (target_association, z)):
        got = measure(X, target, association=association, weights=weights)
        repeated = measure(
            np.repeat(X, weights, axis=0),
            np.repeat(target, weights),
            association=association,
        )
        np.testing.assert_allclose(got, repeated, atol=1e-12)


@pytest.mark.parametrize("association", [*sorted(MEASURES), "winsorised_pearson"])
def test_shuffling_and_jobs_do_not_matter(association):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(150, 5)).round(1), rng.integers(0, 3, 150)
    expected = class_association(X, y, association=association)
    rows = rng.permutation(150)
    shuffled = class_association(X[rows], y[rows], association=association)
    np.testing.assert_allclose(shuffled, expected, atol=1e-14)
    renamed = class_association(X, np.array([2, 0, 1])[y], association=association)
    np.testing.assert_allclose(renamed, expected, atol=1e-14)
    jobs = class_association(X, y, association=association, n_jobs=2)
    assert jobs.tobytes() == expected.tobytes()
    if association in ("auto", "gamma", "spearman"):
        stretched = class_association(np.exp(X), y, association=association)
        np.testing.assert_allclose(stretched, expected, atol=1e-14)


def test_constants_one_class_and_no_rows_tell_nothing():
    X = np.column_stack([np.zeros(4), np.full(4, np.nan), [1.0, 2.0, 3.0, 4.0]])
    assert class_association(X, [0, 0, 0, 0]).tolist() == [0, 0, 0]
    assert class_association(X, [0, 0, 1, 1])[:2].tolist() == [0, 0]
    assert target_association(X, [1, 1, 1, 1]).tolist() == [0, 0, 0]
    assert class_association(np.empty((0, 2)), []).tolist() == [0, 0]
    assert class_association([5.0], [0]) == 0


def test_a_rare_row_needs_enough_untied_pairs():
    x = np.zeros(1000)
    x[0] = 1
    y = np.repeat([0, 1], 500)
    assert class_association(x, y, association="gamma") == 1
    assert class_association(x, y, association="gamma", min_untied=501) == 0


def test_auto_with_weights_is_pearson():
    x, y, weights = [1.0, 2.0, 5.0, 3.0], [0, 1, 1, 0], [1.0, 2.0, 1.0, 3.0]
    got = class_association(x, y, weights=weights)
    expected = class_association(x, y, association="pearson", weights=weights)
    assert got == expected != class_association(x, y)


@pytest.mark.parametrize("association", ["pearson", "winsorised_pearson"])
def test_a_column_without_known_values_goes_with_nothing(association):
    options = {"association": association, "weights": [1.0, 2.0, 0.0]}
    gone = [np.nan, np.nan, 3.0]  # known in a row of no weight only
    for x in ([np.nan] * 3, gone):
        assert class_association(x, [0, 1, 1], **options) == 0
        assert target_association(x, [0.5, 1.5, 2.5], **options) == 0
        pairs = pairwise_association(np.column_stack((x, [1, 2, 3])), **options)
        assert pairs[0, 1] == 0


def test_wrong_input_is_explained():
    x, y = [1.0, 2.0], [0, 1]
    with pytest.raises(ValueError, match="has no weighted form"):
        class_association(x, y, association="kendall", weights=[1, 2])
    with pytest.raises(
        ValueError, match="'association' parameter of class_association"
    ):
        class_association(x, y, association="phi")
    with pytest.raises(ValueError, match="Column 0 holds inf in row 1"):
        class_association([1.0, np.inf], y, association="pearson")
    with pytest.raises(ValueError, match="The target holds inf"):
        target_association(x, [1.0, np.inf], association="pearson")
    with pytest.raises(ValueError, match="1 of them missing"):
        target_association(x, [1.0, np.nan])
    with pytest.raises(ValueError, match="nominal must be None, 'all' or a mask"):
        class_association(x, y, nominal=[0])
    with pytest.raises(ValueError, match="Column 1 has 3"):
        class_association([np.zeros(2), np.zeros(3)], y)
    with pytest.raises(ValueError, match="'missing' parameter"):
        class_association(x, y, missing="spread")


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


def test_wrong_columns_of_a_pair_are_explained():
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
