import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve._kernels import (
    AssociationScanner,
    CommonRows,
    Instructions,
    Missing,
    PairMeasure,
    RankedColumn,
    has_instructions,
)
from featsieve.measures import (
    PairAssociations,
    pairwise_association,
    symmetrical_uncertainty,
)
from featsieve.measures._pairwise_association import common_row_blocks, common_rows
from reference import associations as reference

MEASURES = {
    "kendall": reference.tau_b,
    "gamma": reference.gamma,
    "spearman": reference.spearman,
    "pearson": reference.pearson,
}
ASSOCIATIONS = ["auto", *MEASURES, "winsorised_pearson", "symmetrical_uncertainty"]


def make_numbers(rng, n_rows, kinds, gaps=0.0):
    columns = []
    for kind in kinds:
        values = {
            "few": lambda: rng.integers(0, 4, n_rows).astype(float),
            "many": lambda: rng.normal(size=n_rows),
            "rounded": lambda: rng.normal(size=n_rows).round(1),
            "constant": lambda: np.full(n_rows, 0.1),
        }[kind]()
        columns.append(np.where(rng.random(n_rows) < gaps, np.nan, values))
    return columns


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(0, 90),
    kinds=st.lists(
        st.sampled_from(["few", "many", "rounded", "constant"]), min_size=1, max_size=5
    ),
    gaps=st.sampled_from([0.0, 0.2]),
    association=st.sampled_from(sorted(MEASURES)),
)
def test_numeric_pairs_by_definition(*, seed, n_rows, kinds, gaps, association):
    columns = make_numbers(np.random.default_rng(seed), n_rows, kinds, gaps)
    got = pairwise_association(columns, association=association)
    assert np.isfinite(got).all()
    np.testing.assert_array_equal(got, got.T)
    for i, x in enumerate(columns):
        for j, y in enumerate(columns[:i]):
            expected = abs(MEASURES[association](x.tolist(), y.tolist()))
            assert got[i, j] == pytest.approx(expected, abs=1e-9)


@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(0, 60),
    levels=st.lists(st.sampled_from([1, 2, 3, 5, 70, 300]), min_size=1, max_size=5),
    gaps=st.sampled_from([0.0, 0.3]),
)
def test_nominal_pairs_by_definition(*, seed, n_rows, levels, gaps):
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n, n_rows).astype(np.int32) for n in levels]
    for column in columns:
        column[rng.random(n_rows) < gaps] = -1
    got = pairwise_association(columns, nominal="all")
    level = pairwise_association(columns, nominal="all", missing="level")
    for i, x in enumerate(columns):
        for j, y in enumerate(columns[:i]):
            expected = reference.symmetrical_uncertainty(x.tolist(), y.tolist())
            assert got[i, j] == pytest.approx(expected, abs=1e-12)
            expected = symmetrical_uncertainty(x, y, missing="level")
            assert level[i, j] == pytest.approx(expected, abs=1e-12)


def test_levels_beyond_any_table_are_sorted():
    rng = np.random.default_rng(0)
    columns = [rng.integers(0, 900, 1000).astype(np.int32) for _ in range(3)]
    columns[1][:100] = -1
    got = pairwise_association(columns, nominal="all")
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = symmetrical_uncertainty(columns[i], columns[j], missing="ignore")
        assert got[i, j] == pytest.approx(expected, abs=1e-12)
    level = pairwise_association(columns, nominal="all", missing="level")
    expected = symmetrical_uncertainty(columns[0], columns[1], missing="level")
    assert level[0, 1] == pytest.approx(expected, abs=1e-12)


@pytest.fixture
def mixed():
    rng = np.random.default_rng(1)
    numbers = make_numbers(rng, 300, ["many", "few", "rounded", "many"])
    codes = [rng.integers(0, n, 300).astype(np.int32) for n in (2, 5, 80)]
    columns = [numbers[0], codes[0], numbers[1], codes[1], numbers[2], codes[2]]
    return [*columns, numbers[3]], np.array(
        [c.dtype == np.int32 for c in columns] + [0], bool
    )


@pytest.mark.parametrize("association", ASSOCIATIONS)
def test_rows_jobs_and_places_do_not_matter(mixed, association):
    columns, nominal = mixed
    options = {"association": association}
    expected = pairwise_association(columns, nominal=nominal, **options)
    jobs = pairwise_association(columns, nominal=nominal, n_jobs=2, **options)
    assert jobs.tobytes() == expected.tobytes()
    pairs = PairAssociations(columns, nominal=nominal, **options)
    by_row = np.array([pairs.row(j) for j in range(len(columns))])
    np.testing.assert_allclose(by_row, expected, atol=1e-14)
    order = np.random.default_rng(2).permutation(len(columns))
    moved = pairwise_association(
        [columns[j] for j in order], nominal=nominal[order], **options
    )
    np.testing.assert_allclose(moved, expected[np.ix_(order, order)], atol=1e-14)
    rows = np.random.default_rng(3).permutation(300)
    shuffled = pairwise_association(
        [column[rows] for column in columns], nominal=nominal, **options
    )
    np.testing.assert_allclose(shuffled, expected, atol=1e-14)


def test_mixed_pairs_are_cut_or_nothing(mixed):
    columns, nominal = mixed
    cut = pairwise_association(columns, nominal=nominal, n_bins=3)
    zero = pairwise_association(columns, nominal=nominal, mixed="zero")
    thirds = np.searchsorted(np.quantile(columns[0], [1 / 3, 2 / 3]), columns[0])
    expected = symmetrical_uncertainty(thirds, columns[1])
    assert cut[0, 1] == pytest.approx(expected, abs=1e-12)
    across = nominal[:, None] != nominal
    assert not zero[across].any()
    assert cut[across].all()
    np.testing.assert_array_equal(zero[~across], cut[~across])


@pytest.mark.parametrize(
    "association", ["pearson", "winsorised_pearson", "symmetrical_uncertainty"]
)
def test_whole_weights_are_repeated_rows(mixed, association):
    columns, nominal = mixed
    times = np.random.default_rng(4).integers(0, 4, 300)
    weighted = PairAssociations(
        columns, nominal=nominal, association=association, weights=times
    )
    repeated = pairwise_association(
        [np.repeat(c, times) for c in columns], nominal=nominal, association=association
    )
    np.testing.assert_allclose(weighted.matrix(), repeated, atol=1e-12)
    np.testing.assert_allclose(weighted.row(1), repeated[1], atol=1e-12)


@pytest.mark.parametrize("missing", ["ignore", "level"])
def test_weights_and_gaps_of_codes(missing):
    codes = np.random.default_rng(5).integers(-1, 3, (80, 4))
    plain = pairwise_association(codes, nominal="all", missing=missing)
    equal = pairwise_association(
        codes, nominal="all", missing=missing, weights=np.full(80, 2.0)
    )
    np.testing.assert_allclose(equal, plain, atol=1e-12)


def test_weights_and_gaps_of_pearson():
    rng = np.random.default_rng(5)
    columns = make_numbers(rng, 60, ["many", "few", "many"], 0.2)
    weights = rng.integers(0, 3, 60).astype(float)
    got = pairwise_association(columns, association="pearson", weights=weights)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        expected = reference.pearson(columns[i], columns[j], weights)
        assert got[i, j] == pytest.approx(abs(expected), abs=1e-12)


@pytest.mark.parametrize("association", ASSOCIATIONS)
def test_constants_and_gaps_tell_nothing(association):
    gaps, other = np.full(6, np.nan), np.arange(6.0)
    half = np.where(other < 3, np.nan, 7.0)
    got = pairwise_association(
        [np.full(6, 0.1), gaps, half, other], association=association
    )
    np.testing.assert_array_equal(got, np.diag([0.0, 0.0, 0.0, 1.0]))
    assert pairwise_association(np.empty((5, 0)), association=association).size == 0
    codes = np.full((4, 2), -1)
    level = pairwise_association(codes, nominal="all", missing="level")
    assert not level.any()


@pytest.mark.parametrize("measure", list(PairMeasure))
def test_instructions_give_the_same_bits(measure):
    rng = np.random.default_rng(6)
    codes = rng.integers(-1, rng.integers(1, 9, 30), (200, 30)).astype(np.int32)
    found = {
        AssociationScanner(codes, None, Missing.IGNORE, each).row(0, measure).tobytes()
        for each in (Instructions.PORTABLE, Instructions.AVX2, Instructions.AVX512)
        if has_instructions(each)
    }
    assert len(found) == 1


def test_levels_are_numbered():
    values = np.array([5.0, -0.0, np.inf, 0.0, np.nan, -np.inf, -np.nan])
    ranked = RankedColumn(values)
    assert ranked.n_levels == 4
    assert ranked.codes().tolist() == [2, 1, 3, 1, -1, 0, -1]
    assert RankedColumn(np.arange(3.0)[::-1].copy()).codes().tolist() == [2, 1, 0]
    assert RankedColumn(np.empty(0)).codes().tolist() == []


def test_wrong_input_is_explained():
    X = np.zeros((2, 2))
    with pytest.raises(ValueError, match="'mixed' parameter of pairwise_association"):
        pairwise_association(X, mixed="gap")
    with pytest.raises(ValueError, match="has no weighted form"):
        pairwise_association(X, association="spearman", weights=[1, 1])
    with pytest.raises(ValueError, match="Column 1 holds inf"):
        pairwise_association([[1, 2], [2, np.inf]], association="pearson")
    codes = np.zeros((2, 2), dtype=np.uint8)
    for missing, weights in ((Missing.LEVEL, None), (Missing.IGNORE, np.ones(2))):
        scanner = AssociationScanner(codes, None, missing, weights=weights)
        with pytest.raises(ValueError, match="a place among ordered levels"):
            scanner.row(0, PairMeasure.TAU_B)
        with pytest.raises(IndexError):
            scanner.row(2, PairMeasure.MUTUAL_INFORMATION)


@pytest.mark.parametrize(("n_sets", "n_rows"), [(1, 1), (3, 7), (64, 100), (131, 257)])
def test_equals_products(n_sets, n_rows):
    members = np.random.default_rng(n_sets).random((n_sets, n_rows)) < 0.6
    whole = members.astype(np.int64)
    np.testing.assert_array_equal(common_rows(members), whole @ whole.T)


def test_jobs_and_memory_order_do_not_matter():
    members = np.asfortranarray(np.random.default_rng(0).random((200, 99)) < 0.5)
    expected = common_rows(np.ascontiguousarray(members))
    np.testing.assert_array_equal(common_rows(members, n_jobs=2), expected)


def test_blocks_hold_every_pair_once():
    members = np.random.default_rng(1).random((150, 40)) < 0.5
    whole = members.astype(np.int64) @ members.T.astype(np.int64)
    seen = np.zeros_like(whole)
    for begin, counts in common_row_blocks(members):
        block = slice(begin, begin + len(counts))
        np.testing.assert_array_equal(counts, whole[block, begin:])
        seen[block, begin:] += 1
    assert (np.triu(seen) == np.triu(np.ones_like(seen))).all()


@pytest.mark.parametrize("kind", list(Instructions))
def test_all_instructions_count_the_same(kind):
    if not has_instructions(kind):
        pytest.skip("this machine does not have them")
    flags = (np.random.default_rng(2).random((70, 500)) < 0.3).view(np.uint8)
    counts = CommonRows(flags, kind).count(1)
    whole = flags.astype(np.int64)
    np.testing.assert_array_equal(counts, whole[64:] @ whole[64:].T)
