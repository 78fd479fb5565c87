import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve._kernels import (
    ConflictScope,
    Instructions,
    NeighbourScanner,
    NeighbourVote,
    has_instructions,
)
from featsieve.measures import boosting_rounds, boosting_z, least_boosting_z
from featsieve.measures._boosting import CONFLICTS, VOTES, as_subsets, lay_out_columns
from featsieve.measures._codes import read_columns
from reference import boosting as plain
from relief_tables import mixed_columns

VOTE = st.sampled_from(["real", "sign"])
SCOPE = st.sampled_from([None, "rounds", "rounds_and_criterion"])


def arguments(columns):
    return columns, np.array([column.dtype.kind == "i" for column in columns])


@settings(max_examples=150)
@given(mixed_columns(), st.integers(1, 4), st.integers(1, 5), VOTE, st.data())
def test_equals_the_reference(drawn, n_classes, k, vote, data):
    columns, rng = drawn
    scope, leave = data.draw(SCOPE), data.draw(st.booleans())
    y = rng.integers(0, n_classes, len(columns[0])).astype(np.int32)
    values, nominal = arguments(columns)
    got = boosting_z(
        values,
        y,
        nominal=nominal,
        n_neighbors=k,
        n_rounds=6,
        boosting_vote=vote,
        conflict=scope,
        leave_one_out=leave,
    )

    def left_out(i):
        return {i} if leave else set()

    expected = plain.z_of(columns, y, left_out, k=k, n_rounds=6, vote=vote, scope=scope)
    assert got == pytest.approx(expected, rel=1e-9, abs=1e-12)


@settings(max_examples=60)
@given(mixed_columns(), st.integers(2, 3), st.integers(1, 4), VOTE)
def test_rounds_equal_the_reference(drawn, n_classes, k, vote):
    columns, rng = drawn
    y = rng.integers(0, n_classes, len(columns[0])).astype(np.int32)
    values, nominal = arguments(columns)
    told = boosting_rounds(
        values, y, nominal=nominal, n_neighbors=k, n_rounds=4, boosting_vote=vote
    )
    lists = plain.neighbours(plain.squared_distances(columns), k, lambda i: {i})
    for rounds in told:
        labels = np.where(y == rounds.positive, 1.0, -1.0)
        z, r, alpha, weights, margins = plain.boost(lists, labels, 4, vote)
        assert rounds.correlations == pytest.approx(r, abs=1e-12)
        assert rounds.confidences == pytest.approx(alpha)
        assert rounds.weights == pytest.approx(weights)
        assert rounds.margins == pytest.approx(margins, abs=1e-12)
        if len(alpha):
            assert rounds.criterion[-1] == pytest.approx(z)


@settings(max_examples=60)
@given(mixed_columns(), st.integers(1, 4), st.integers(1, 5), st.integers(1, 4))
def test_folds_are_left_out(drawn, n_classes, k, n_folds):
    """Ranges of rows that do not vote, as in cross-validation."""
    columns, rng = drawn
    n = len(columns[0])
    y = rng.integers(0, n_classes, n).astype(np.int32)
    labels, used = np.unique(y, return_inverse=True)
    edges = np.sort(rng.integers(0, n + 1, n_folds - 1))
    fold = np.searchsorted(edges, np.arange(n), side="right")
    begins, ends = np.searchsorted(fold, fold), np.searchsorted(fold, fold, "right")
    left_out = np.column_stack([begins, ends]).astype(np.int32)
    rows = lay_out_columns(read_columns(*arguments(columns)))
    scanner = rows.scanner(used.astype(np.int32), len(labels), left_out)

    def same_fold(i):
        return set(range(begins[i], ends[i]))

    everything = as_subsets([tuple(range(len(columns)))])
    right = scanner.right(*everything, k)
    assert right[0] == plain.right_of(columns, used, k, same_fold)
    z = scanner.boosting(*everything, k, 3, VOTES["real"], CONFLICTS["rounds"])[0, -1]
    expected = plain.z_of(
        columns, used, same_fold, k=k, n_rounds=3, vote="real", scope="rounds"
    )
    assert z == pytest.approx(expected, rel=1e-9, abs=1e-12)


@settings(max_examples=60)
@given(mixed_columns(), st.data())
def test_many_subsets_at_once_equal_one_by_one(drawn, data):
    """Sums over common beginnings are shared, in any order of subsets."""
    columns, rng = drawn
    p = len(columns)
    y = rng.integers(0, 3, len(columns[0])).astype(np.int32)
    _, used = np.unique(y, return_inverse=True)
    subset = st.permutations(range(p)).flatmap(
        lambda order: st.integers(1, p).map(lambda size: tuple(order[:size]))
    )
    subsets = data.draw(st.lists(subset, min_size=1, max_size=8))
    rows = lay_out_columns(read_columns(*arguments(columns)))
    scanner = rows.scanner(used.astype(np.int32), int(used.max()) + 1)
    right = scanner.right(*as_subsets(subsets), 2)
    curves = scanner.boosting(
        *as_subsets(subsets), 2, 3, NeighbourVote.REAL, ConflictScope.NONE
    )
    for i, each in enumerate(subsets):
        chosen = [columns[j] for j in each]
        assert right[i] == plain.right_of(chosen, used, 2, lambda i: {i})
        z = plain.z_of(chosen, used, lambda i: {i}, k=2, n_rounds=3, vote="real")
        assert curves[i, -1] == pytest.approx(z, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("instructions", [Instructions.PORTABLE, Instructions.AVX2])
def test_instructions_give_the_same_bits(instructions):
    if not has_instructions(instructions):
        pytest.skip("this machine has no such instructions")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    X[rng.random(X.shape) < 0.05] = np.nan
    X[:, 3] = rng.integers(0, 3, 300)
    y = (rng.random(300) < 0.5).astype(np.int32)
    rows = lay_out_columns(read_columns(X))
    subsets = as_subsets([(0, 1), (0, 1, 2), (3,), (2, 3)])
    arrays = (rows.values, rows.kinds, rows.codes, rows.n_levels, y, 2)
    curves = [
        NeighbourScanner(*arrays, instructions=each).boosting(
            *subsets, 3, 20, NeighbourVote.REAL, ConflictScope.NONE
        )
        for each in (instructions, None)
    ]
    np.testing.assert_array_equal(*curves)


def test_rows_and_columns_may_come_in_any_order():
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, (60, 3))
    y = (X[:, 0] + X[:, 1] > 2).astype(int)
    z = boosting_z(X, y)
    order = rng.permutation(60)
    assert boosting_z(X[order], y[order]) == pytest.approx(z, abs=1e-12)
    assert boosting_z(X[:, ::-1], 1 - y) == pytest.approx(z, abs=1e-12)


def test_labels_without_rows_do_not_count():
    X, y = [[0.0], [1], [5], [6]], [1, 1, 7, 7]
    assert boosting_z(X, y) == boosting_z(X, [0, 0, 1, 1])


def test_least_z_bounds_votes_of_descriptions():
    rng = np.random.default_rng(2)
    X = rng.integers(0, 3, (200, 2))
    y = (rng.random(200) < 0.2 + 0.3 * X[:, 0]).astype(int)
    least = least_boosting_z(X, y)
    got = boosting_z(X, y, leave_one_out=False, n_neighbors=1, n_rounds=200)
    assert least <= got < least + 0.02
    assert least_boosting_z([0, np.nan, np.nan], [0, 1, 2]) == pytest.approx(4 / 9)


def test_descriptions_that_are_none_are_told():
    with pytest.raises(ValueError, match=r"'descriptions' parameter.* Got 'a'"):
        least_boosting_z([["a"]], [0])
    with pytest.raises(ValueError, match=r"at least one row.* \(0, 3\)"):
        least_boosting_z(np.empty((0, 3)), [])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"boosting_vote": "loud"},
            "'boosting_vote' parameter of boosting_z must be one of",
        ),
        ({"n_rounds": 0}, "'n_rounds' parameter of boosting_z must be an int >= 1"),
        ({"columns": [[np.inf], [1]]}, "column 0 holds infinity"),
        ({"columns": np.empty((0, 1)), "target": []}, "at least one column"),
    ],
)
def test_bad_input_is_named(change, message):
    given = {"columns": [[0.0], [1.0]], "target": [0, 1]} | change
    with pytest.raises(ValueError, match=message):
        boosting_z(**given)
