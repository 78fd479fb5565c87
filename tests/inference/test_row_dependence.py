"""Rows that belong together show it; exchangeable ones raise no alarm."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, f, f_oneway
from sklearn import datasets

from featsieve.data import Column, ColumnKind, read_table
from featsieve.inference import _row_dependence
from featsieve.inference._row_dependence import (
    hidden_groups,
    hidden_time,
    look_for_dependence,
    nearly_repeated_rows,
    repeated_rows,
)
from reference.inference_rows import bends, centred, serial, straight, variances


def table_of(X, y, **more):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    return read_table(columns | more | {"y": y}, "y")


def codes_of(table):
    return [found.note.code for found in look_for_dependence(table)]


@pytest.mark.parametrize("seed", range(8))
def test_exchangeable_tables_raise_no_alarm(seed):
    random = np.random.default_rng(seed)
    X = np.column_stack([random.normal(size=(200, 6)), random.integers(0, 3, (200, 6))])
    y = np.where(X[:, 0] + X[:, 6] + random.normal(size=200) > 1, "b", "a")
    for order in (np.arange(200), np.argsort(y), np.argsort(X[:, 0])):
        assert codes_of(table_of(X[order], y[order])) == []
    few = random.integers(0, 2, (300, 6))  # equal rows are natural here
    assert codes_of(table_of(few, np.where(few[:, 0] == 1, "b", "a"))) == []


def test_copies_of_a_column_do_not_make_rows_repeat_others():
    random = np.random.default_rng(0)
    a = random.integers(3, size=200)
    b, y = (
        np.where(random.random(200) < 0.2, random.integers(3, size=200), a)
        for _ in range(2)
    )
    columns = {
        name: [f"{name}{k}" for k in v]
        for name, v in zip("acb", (a, a, b), strict=True)
    }
    assert repeated_rows(read_table(columns | {"y": y}, "y")) is None


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "diabetes"])
def test_known_tables_raise_no_alarm(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    classes = y.astype(float) if name == "diabetes" else np.array(list("abc"))[y]
    for order in (np.arange(len(y)), np.argsort(y, kind="stable")):
        assert codes_of(table_of(X[order], classes[order])) == []


def test_repeated_rows():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60, 4)), np.repeat(["a", "a", "b"], 20)
    rows = np.concatenate([np.arange(60), np.arange(40, 60), np.arange(40, 60)])
    found = repeated_rows(table_of(X[rows], y[rows], number=np.arange(100)))
    assert found.rows.tolist() == list(range(60))
    assert "40 of 100 rows repeat others" in found.note.message
    kinds = np.arange(100) % 5
    few = table_of(np.round(X[kinds]), y[kinds * 12])
    assert repeated_rows(few) is None  # rows of five kinds, whole numbers
    measured = table_of(X[kinds], y[kinds * 12])  # nobody measures the same again
    assert repeated_rows(measured).rows.tolist() == list(range(5))
    other = np.concatenate([y, np.repeat(["a"], 40)])
    assert repeated_rows(table_of(X[rows], other)) is None  # targets differ


@pytest.mark.parametrize("place", range(5))
def test_rows_that_repeat_in_all_columns_but_one(place):
    random = np.random.default_rng(place)
    units = np.repeat(np.arange(40), 3)
    X, y = random.normal(size=(40, 9))[units], random.choice(["a", "b"], 40)[units]
    X[:, place] = random.normal(size=120)
    table = table_of(X, y)
    assert repeated_rows(table) is None
    found = nearly_repeated_rows(table)
    assert "80 of 120 rows repeat others" in found.note.message
    same = found.design.groups[:, None] == found.design.groups
    np.testing.assert_array_equal(same, units[:, None] == units)
    assert codes_of(table) == ["grouped_rows"]


def test_few_levels_are_no_repeated_rows():
    code = np.arange(80) % 2
    assert codes_of(table_of(np.column_stack([10 * code, code + 5]), code)) == []
    random = np.random.default_rng(0)
    X, y = random.integers(0, 2, (300, 9)), random.choice(["a", "b"], 300)
    assert nearly_repeated_rows(table_of(X, y)) is None
    X = random.normal(size=(300, 9))
    assert nearly_repeated_rows(table_of(X, y)) is None


@pytest.mark.parametrize("as_text", [False, True])
def test_identifiers(as_text):
    random = np.random.default_rng(1)
    groups = np.repeat(np.arange(30), 8)
    X = 2 * random.normal(size=(30, 6))[groups] + random.normal(size=(240, 6))
    y = np.where(random.normal(size=30)[groups] > 0, "b", "a")
    names = np.array([f"p{k}" for k in range(30)])[groups] if as_text else groups
    found = hidden_groups(table_of(X, y, patient=names))
    assert "groups='patient'" in found.note.message
    assert found.design.groups.max() == 29
    assert hidden_groups(table_of(X, y)) is None


def test_a_quantity_is_no_identifier():
    random = np.random.default_rng(2)
    age = random.integers(20, 60, 400)
    X = age[:, None] / 10 + random.normal(size=(400, 6))
    y = age / 10 + random.normal(size=400)
    assert hidden_groups(table_of(X, y, age=age)) is None


@pytest.mark.parametrize("classes", [False, True])
def test_series(classes):
    random = np.random.default_rng(3)
    walks = np.cumsum(random.normal(size=(300, 7)), axis=0)
    y = np.where(walks[:, 0] > np.median(walks[:, 0]), "b", "a")
    table = table_of(walks[:, 1:], y if classes else walks[:, 0])
    found = hidden_time(table)
    assert "`time=`" in found.note.message
    assert found.design.time.tolist() == list(range(300))
    shuffled = table.take(random.permutation(300))
    assert hidden_time(shuffled) is None


@pytest.mark.parametrize("seed", range(4))
def test_a_series_is_seen_where_nothing_depends_on_the_target(seed):
    random = np.random.default_rng(seed)
    rows = random.normal(size=(600, 9))
    for k in range(1, 600):
        rows[k] = 0.9 * rows[k - 1] + np.sqrt(1 - 0.81) * rows[k]
    found = hidden_time(table_of(rows[:, 1:], rows[:, 0]))
    assert "in the target and in 8 columns" in found.note.message


@pytest.mark.parametrize("seed", range(4))
def test_columns_that_follow_a_serial_target_are_no_series(seed):
    """Rows in blocks of the target: given it, columns are exchangeable."""
    random = np.random.default_rng(seed)
    y = np.repeat(random.normal(size=30), 20) + 0.1 * random.normal(size=600)
    X = np.column_stack([y, np.sin(2 * y), y**2, -y]) + random.normal(size=(600, 4))
    assert hidden_time(table_of(X, y)) is None


def kinds(sizes):
    """Return a table of rows of kinds, each so many times, of words and a target."""
    code = np.repeat(np.arange(len(sizes)), sizes)
    last = len(sizes) - 1  # backwards, or one column were a copy of the other
    return {
        "a": [f"a{k:02d}" for k in code],
        "b": [f"b{last - k:02d}" for k in code],
        "y": code % 2,
    }


def n_left(columns):
    found = repeated_rows(
        read_table(columns | {"y": list(map(str, columns["y"]))}, "y")
    )
    return None if found is None else len(found.rows)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([2] * 10 + [1] * 20, 30),  # ten pairs
        ([2] * 9 + [1] * 21, None),
        ([5] + [1] * 25, 26),  # of five copies there are ten pairs, too
        ([10] * 24, 24),  # a tenth of the rows
        ([10] * 22 + [20], None),
        ([3] * 20, 20),  # no fewer than twenty, however few rows
        ([3] * 18 + [6], None),
    ],
)
def test_how_many_copies_are_copies(sizes, expected):
    assert n_left(kinds(sizes)) == expected


def test_no_fewer_than_twenty_rows():
    random = np.random.default_rng(0)
    measured = {name: random.normal(size=20) for name in "uv"}
    for n, sizes in ((20, [2] * 10), (19, [3] + [2] * 8)):
        code = np.repeat(np.arange(len(sizes)), sizes)
        columns = {name: own[code] for name, own in measured.items()}
        found = n_left(columns | {"y": code % 2})
        assert found == (10 if n == 20 else None)
    assert (
        n_left({"u": np.repeat(measured["u"], 2), "y": np.repeat([0, 1], 20)}) is None
    )


@pytest.mark.parametrize(("n_alike", "found"), [(10, True), (11, False)])
def test_copies_are_half_of_the_rows_that_agree_in_half_of_the_columns(n_alike, found):
    """Ten copies, and so many pairs of rows that agree in one column only."""
    a = np.r_[np.repeat(np.arange(10), 2), np.repeat(np.arange(20, 20 + n_alike), 2)]
    b = np.r_[np.repeat(np.arange(10), 2), np.arange(20, 20 + 2 * n_alike)]
    for first, second in ((a, b), (b, a)):
        columns = {"a": [f"a{k}" for k in first], "b": [f"b{k}" for k in second]}
        assert (n_left(columns | {"y": np.zeros(len(a), int)}) is not None) == found


@pytest.mark.parametrize(("n_equal", "found"), [(15, True), (16, False)])
def test_four_of_five_copies_have_the_same_target(n_equal, found):
    columns = kinds([2] * n_equal + [1] * 20)
    y = np.zeros(len(columns["y"]), int)
    y[24 : 2 * n_equal : 2] = 1  # after twelve pairs they differ
    assert (n_left(columns | {"y": y}) is not None) == found


@pytest.mark.parametrize(
    ("n_measured", "n_columns", "found"),
    [(2, 4, True), (2, 5, False), (1, 2, False), (3, 6, True), (2, 2, True)],
)
def test_two_columns_and_half_of_them_measured(n_measured, n_columns, found):
    """Five kinds of rows only: copies if most numbers never occur twice."""
    code = np.arange(45) % 5
    columns = {
        f"m{k}": np.random.default_rng(k).normal(size=5)[code]
        for k in range(n_measured)
    }
    columns |= {
        f"w{k}": [f"w{(k + 1) * c % 5}" for c in code]
        for k in range(n_columns - n_measured)
    }
    assert (n_left(columns | {"y": code % 2}) is not None) == found


def test_rows_are_equal_if_all_of_their_cells_are():
    """Missing is missing, 0 is -0, and 60,000 different rows are told apart."""
    grid = np.array(np.meshgrid(*[np.arange(30)] * 2, np.arange(67))).reshape(3, -1)
    columns = [
        Column(str(k), ColumnKind.NUMERIC, own.astype(float))
        for k, own in enumerate(grid)
    ]
    words = [
        Column(str(k), ColumnKind.NOMINAL, own.astype(np.int32), tuple(range(67)))
        for k, own in enumerate(grid)
    ]
    for some in (columns, words, [*columns[:1], *words[1:]]):
        hashes = _row_dependence._row_hash(some)
        assert len(np.unique(hashes)) == grid.shape[1]
        pairs = _row_dependence._pair(hashes, _row_dependence._row_hash(some[1:]))
        assert len(np.unique(pairs)) == grid.shape[1]
    values = np.array([0.0, -0.0, np.nan, -np.nan, 1.0])
    found = _row_dependence._row_hash([Column("x", ColumnKind.NUMERIC, values)])
    assert len(np.unique(found)) == 3
    swapped = _row_dependence._row_hash([columns[1], columns[0], columns[2]])
    assert np.mean(swapped == _row_dependence._row_hash(columns)) < 0.1


@pytest.mark.parametrize(
    ("n_others", "n_alike", "found"),
    [(10, 3, True), (11, 3, False), (4, 3, True), (4, 2, False), (14, 5, True)],
)
def test_columns_that_groups_must_show_in(n_others, n_alike, found):
    """Three at least, and three of ten."""
    random = np.random.default_rng(3)
    groups = np.repeat(np.arange(25), 6)
    X = random.normal(size=(150, n_others))
    X[:, :n_alike] += 3 * random.normal(size=(25, n_alike))[groups]
    y = 3 * random.normal(size=25)[groups] + random.normal(size=150)
    names = np.array([f"p{k}" for k in range(25)])[groups]
    table = table_of(X, y, other=random.choice(names, 150), patient=names)
    dependence = hidden_groups(table.select([n for n in table.names if n != "other"]))
    assert (dependence is not None) == found
    if found:
        assert dependence.note.code == "grouped_rows"
        assert dependence.note.message == (
            f"Rows of the same 'patient' (25 of them) are alike in the target and in "
            f"{n_alike} columns, as rows of one patient are; they are taken as groups. "
            "Say `groups='patient'` if that is right, `groups=None` if not."
        )
        assert np.array_equal(
            dependence.design.groups, np.unique(names, return_inverse=True)[1]
        )
        # Another column that could name groups, but does not, is passed over.
        if n_others in {4, 14}:
            assert hidden_groups(table).note.column == "patient"


def column(values, name="x"):
    values = np.asarray(values)
    if values.dtype.kind == "f":
        return Column(name, ColumnKind.NUMERIC, values)
    levels = tuple(str(k) for k in range(int(values.max(initial=0)) + 1))
    return Column(name, ColumnKind.NOMINAL, values.astype(np.int32), levels)


@pytest.mark.parametrize(
    ("n_levels", "n_rows", "expected"),
    [
        *[(8, 100, True), (7, 100, False), (50, 100, True), (51, 100, False)],
        *[(20, 1000, True), (19, 1000, False), (500, 1000, True)],
    ],
)
def test_how_many_levels_name_groups(n_levels, n_rows, expected):
    codes = np.arange(n_rows) % n_levels
    assert _row_dependence._may_name_groups(column(codes, "ward")) == expected
    assert _row_dependence._may_name_groups(column(codes * 1.0, "ward")) == expected
    assert not _row_dependence._may_name_groups(column(codes + 0.5, "ward"))
    unnamed = expected and n_rows <= 30 * n_levels
    assert _row_dependence._may_name_groups(column(codes)) == unnamed
    codes[0] = -1
    assert not _row_dependence._may_name_groups(column(codes, "ward"))


@pytest.mark.parametrize(
    ("largest", "name", "expected"),
    [(113, "x", True), (114, "x", False), (114, "patient", True)],
)
def test_levels_of_one_large_kind_name_no_groups(largest, name, expected):
    """Of 20 levels, 19 with eight rows, 266² / 14,212 = 4.98 count: less than 5."""
    codes = np.r_[np.repeat(np.arange(1, 20), 8), np.zeros(largest, dtype=int)]
    assert _row_dependence._may_name_groups(column(codes, name)) == expected


@pytest.mark.parametrize("classes", [False, True])
def test_a_strong_kind_is_no_group(classes):
    """Most rows are of three of 20 kinds, which all columns and the target depend on.

    A code that is called patient is taken for one, whatever its sizes.
    """
    random = np.random.default_rng(4)
    shares = 0.6 ** np.arange(20)
    kind = random.choice(20, 400, p=shares / shares.sum())
    kind[:20] = np.arange(20)
    level = 2 * random.normal(size=(7, 20))[:, kind]
    X = level[:6].T + random.normal(size=(400, 6))
    y = level[6] + random.normal(size=400)
    y = np.where(y > 0, "b", "a") if classes else y
    words = np.array([f"k{k}" for k in range(20)])[kind]
    assert codes_of(table_of(X, y, service=words)) == []
    assert codes_of(table_of(X, y, patient=words)) == ["grouped_rows"]


def test_numbers_that_name_groups_leave_few_gaps():
    for last, expected in ((14.0, True), (15.0, False)):
        levels = np.r_[np.arange(9.0), last]
        for shift in (0, 500, -7):
            found = _row_dependence._may_name_groups(column(np.tile(levels + shift, 9)))
            assert found == expected
        assert _row_dependence._may_name_groups(column(np.tile(levels, 9), "site"))


@pytest.mark.parametrize(
    "name",
    [
        "id",
        "Patient",
        "case_id",
        "userKey",
        "caseNo",
        "no.",
        "ID 2",
        "batch3",
        "itemID",
    ],
)
def test_names_of_units(name):
    assert _row_dependence.UNIT_NAME.search(name)


@pytest.mark.parametrize(
    "name", ["grid", "age", "number", "valid", "noise", "monkey", "ideal", "groups"]
)
def test_names_of_other_things(name):
    assert not _row_dependence.UNIT_NAME.search(name)


@pytest.fixture
def doubted(monkeypatch):
    """Return what is held against the thresholds."""
    seen = []
    monkeypatch.setattr(
        _row_dependence, "_is_beyond_doubt", lambda *a: seen.append(a) or True
    )
    return seen


@pytest.mark.parametrize("width", [1, 3])
def test_variances_of_groups_equal_the_definition(doubted, width):
    random = np.random.default_rng(width)
    codes = np.r_[np.arange(5), random.integers(0, 5, 20)]
    values = random.normal(size=(25, width)) + 2
    assert _row_dependence._alike_within(values, codes)
    ((told, left, freedom, size),) = doubted
    between, within, (n_between, n_within) = variances(values.tolist(), codes.tolist())
    assert (told, left) == pytest.approx((between, within))
    assert freedom == (width * n_between, width * n_within)
    assert size == 5
    if width == 1:
        expected = f_oneway(*(values[codes == k, 0] for k in range(5))).statistic
        assert told / left == pytest.approx(expected)


def test_groups_that_cannot_be_compared(doubted):
    values = np.arange(4.0)[:, np.newaxis]
    assert not _row_dependence._alike_within(values, np.zeros(4, int))
    assert not _row_dependence._alike_within(values, np.arange(4))
    assert not _row_dependence._apart_from_neighbours(values, np.arange(4))
    twice = np.repeat(np.arange(4), 2)
    assert not _row_dependence._apart_from_neighbours(
        np.repeat(values, 2, axis=0), twice
    )
    assert not _row_dependence._apart_from_neighbours(np.zeros((5, 1)), np.arange(5))
    assert not doubted
    assert _row_dependence._alike_within(values[:3], np.array([0, 0, 1]))
    assert _row_dependence._apart_from_neighbours(
        np.zeros((6, 1)), np.array([0, 0, 1, 2, 3, 4])
    )
    assert [own[2] for own in doubted] == [(1, 1), (3, 1)]


@pytest.mark.parametrize(("n_levels", "width"), [(5, 1), (22, 1), (32, 2)])
def test_bends_equal_the_definition(doubted, n_levels, width):
    """A tenth of the inner levels is left out, of three none."""
    random = np.random.default_rng(n_levels)
    codes = np.r_[np.arange(n_levels), random.integers(0, n_levels, 2 * n_levels)]
    values = random.normal(size=(3 * n_levels, width)) + 3
    assert _row_dependence._apart_from_neighbours(values, codes)
    ((told, left, freedom, size),) = doubted
    expected, count, unit = bends(values.tolist(), codes.tolist(), 0.1)
    _, within, (_, n_within) = variances(values.tolist(), codes.tolist())
    assert (told, left, size) == pytest.approx((expected, within, unit))
    assert freedom == (width * count, width * n_within)
    assert count == {5: 3, 22: 18, 32: 27}[n_levels]


def test_beyond_doubt():
    """One in a million, and a twentieth of the variance."""
    judge = _row_dependence._is_beyond_doubt
    ratios = f.isf([0.9e-6, 1.1e-6], 9, 80)
    assert judge(2 * ratios[0], 2.0, (9, 80), 1.0)
    assert not judge(2 * ratios[1], 2.0, (9, 80), 1.0)
    # ICC = (r - 1) / (r - 1 + size): .05 at size 19 (r - 1).
    assert judge(5.0, 1.0, (99, 800), 75.9)
    assert not judge(5.0, 1.0, (99, 800), 76.1)
    assert judge(0.1, 0.0, (9, 80), 10.0)
    assert not judge(0.0, 0.0, (9, 80), 10.0)
    assert not judge(0.5, 0.6, (9, 80), 10.0)


def test_columns_as_numbers():
    found = _row_dependence._as_numbers(column([3.0, np.nan, 1.0, 9.0]))
    # Ranks about their mean; missing is the median.
    assert found.tolist() == [[0.0], [0.0], [-1.5], [1.5]]
    codes = np.repeat(np.arange(12), [3, 9, 9, 2, 2, 2, 2, 2, 2, 2, 2, 1])
    found = _row_dependence._as_numbers(column(codes))
    assert found.shape == (38, 8)  # the eight most frequent, the first of equal ones
    order = [1, 2, 0, 3, 4, 5, 6, 7]
    np.testing.assert_array_equal(found, codes[:, np.newaxis] == order)
    assert _row_dependence._as_numbers(column(np.array([0, 1, 1]))).tolist() == [
        [0],
        [1],
        [1],
    ]
    three = _row_dependence._as_numbers(column(np.array([0, 1, 1, 2])))
    assert three.tolist() == [[0, 1], [1, 0], [1, 0], [0, 0]]
    assert _row_dependence._as_numbers(column(np.array([0, 0]))).tolist() == [[1], [1]]


def parted(seed, width):
    random = np.random.default_rng(seed)
    values = np.cumsum(random.normal(size=(70, width)), axis=0)
    parts = random.integers(0, 4, 70)
    parts[7] = 4  # a part of one row
    return values, parts, random.normal(size=(70, 1))


@pytest.mark.parametrize("width", [1, 2])
def test_neighbours_equal_the_definition(width):
    values, parts, _ = parted(width, width)
    found = _row_dependence._serial(values, parts)
    assert found == pytest.approx(serial(values.tolist(), parts.tolist()))
    assert abs(found) > 1


@pytest.mark.parametrize("sloped", [False, True])
def test_what_is_apart_from_the_target_equals_the_definition(sloped):
    values, parts, slope = parted(3, 1)
    found = _row_dependence._apart_from(values, parts, slope if sloped else None)
    expected = centred(values[:, 0].tolist(), parts.tolist())
    if sloped:
        along = centred(slope[:, 0].tolist(), parts.tolist())
        expected = straight(expected, along, parts.tolist())
    np.testing.assert_allclose(found[:, 0], expected, atol=1e-12)


def test_too_few_neighbours():
    """Twenty at least: of twenty rows there are nineteen, of ten pairs ten."""
    line = np.arange(21.0)[:, np.newaxis]
    assert _row_dependence._serial(line[:20], np.zeros(20, int)) == 0
    assert _row_dependence._serial(line, np.zeros(21, int)) > 0
    assert _row_dependence._serial(np.ones((30, 1)), np.zeros(30, int)) == 0


def neighbours(monkeypatch, numbers):
    """Have target and columns be alike by these numbers; return what was asked."""
    asked, left = [], iter(numbers)

    def serial(values, parts):
        asked.append((values, parts))
        return next(left)

    monkeypatch.setattr(_row_dependence, "_serial", serial)
    return asked


@pytest.mark.parametrize(
    ("target", "columns", "found"),
    [
        (6.1, [6.1, 6.1] + [0] * 8, True),
        (6.0, [9, 9] + [0] * 8, False),
        (6.1, [6.1, 6.0] + [0] * 8, False),
        (6.1, [9, 9] + [0] * 9, False),  # two of eleven are less than a fifth
        (6.1, [9, 9, 9] + [0] * 12, True),
        (6.1, [9], False),
        (6.1, [9, 9], True),
        (8.0, [9, 0, 0], False),
    ],
)
@pytest.mark.parametrize("classes", [False, True])
def test_what_time_must_show_in(monkeypatch, target, columns, found, classes):
    random = np.random.default_rng(1)
    y = random.normal(size=60)
    table = table_of(
        random.normal(size=(60, len(columns))),
        np.where(y > 0, "b", "a") if classes else y,
    )
    asked = neighbours(monkeypatch, [target, *columns])
    dependence = hidden_time(table)
    assert (dependence is not None) == found
    assert not asked[0][1].any()  # the target as a whole
    apart = _row_dependence._parts(table.target)
    assert len(np.unique(apart)) == (2 if classes else 6)
    slope = None if classes else _row_dependence._as_numbers(table.target)
    for name, (values, parts) in zip(table.names, asked[1:], strict=False):
        ranks = _row_dependence._as_numbers(table[name])
        expected = _row_dependence._apart_from(ranks, apart, slope)
        np.testing.assert_array_equal(values, expected)
        assert not parts.any()
    if found:
        assert dependence.note.code == "serial_rows"
        n_found = sum(c > 6 for c in columns)
        assert dependence.note.message == (
            f"Rows are like the rows before them, in the target and in {n_found} "
            "columns, as in a series of time; they are taken in this order. Say "
            "`time=` with the moment of each row if that is right, `groups=` if rows "
            "of one unit stand together, `groups=None` if the order means nothing."
        )


def test_twenty_thousand_rows_are_enough(monkeypatch):
    asked = neighbours(monkeypatch, [9] * 3)
    random = np.random.default_rng(0)
    table = table_of(random.normal(size=(20_003, 2)), random.normal(size=20_003))
    assert hidden_time(table).design.time.tolist() == list(range(20_003))
    assert {len(values) for values, *_ in asked} == {20_000}


def test_columns_that_are_looked_at_are_spread_over_the_table():
    names = [f"x{k}" for k in range(403)]
    table = read_table(
        {n: np.arange(3.0) + k for k, n in enumerate(names)} | {"y": [0, 1, 2]}, "y"
    )
    places = {k * 402 // 199 for k in range(200)}
    found = _row_dependence._some_columns(table, ["x1", "x401"])
    assert list(found.names) == [f"x{k}" for k in sorted(places | {1, 401})]
    few = table.select(names[:200])
    assert _row_dependence._some_columns(few, []) is few
    assert _row_dependence._some_columns(table.select(names[:201]), []).n_columns == 200


def test_parts():
    assert np.unique(_row_dependence._cut(np.arange(1000.0))).tolist() == list(
        range(50)
    )
    found = _row_dependence._cut(np.arange(95.0)[::-1])
    assert found.tolist() == [(94 - k) * 9 // 95 for k in range(95)]
    assert _row_dependence._cut(np.arange(9.0)).tolist() == [0] * 9
    assert (
        _row_dependence._cut(np.repeat([1.0, 2.0], 10)).tolist() == [0] * 10 + [1] * 10
    )


def test_sorted():
    def is_sorted(values, parts=None):
        parts = np.zeros(len(values), int) if parts is None else np.array(parts)
        return _row_dependence._is_sorted(column(values), parts)

    assert is_sorted([1.0, 2, 2, 5])
    assert is_sorted([5.0, 2, 2, 1])
    assert not is_sorted([1.0, 3, 2, 5])
    assert not is_sorted([1.0, 1, 1])
    assert is_sorted([3.0, 3, 1, 1, 2, 2])  # equal ones stand together
    assert not is_sorted([3.0, 3, 1, 3, 2, 2])
    assert is_sorted(np.array([2, 2, 0, 0, 1, 1]))
    assert not is_sorted(np.array([2, 2, 0, 0, 1]))  # of five rows three are levels
    assert not is_sorted(np.array([0, 0, 1, 2]))
    assert not is_sorted(np.array([1, 1, 1, 1]))
    # Within parts: both levels stand together in each.
    assert is_sorted(np.array([0, 0, 1, 1, 0, 0, 1, 1]), [0] * 4 + [1] * 4)
    assert not is_sorted(np.array([0, 0, 1, 1, 0, 1, 0, 1]), [0] * 4 + [1] * 4)
    assert not is_sorted(np.array([0, 0, 0, 0, 1, 1, 1, 1]), [0] * 4 + [1] * 4)
    assert not is_sorted(np.arange(8.0), [0] * 4 + [1] * 4)


def test_parts_of_a_sorted_table():
    """By a column, then by another within; dates and gaps do not count."""
    a = np.repeat([*"ab"], 40)
    b = np.tile(np.repeat([*"uv"], 20), 2)
    quantity = np.arange(80.0) // 2
    for columns, n_parts in (
        ({"b": b, "a": a}, 4),
        ({"b": b}, 1),
        ({"a": a, "other": np.random.default_rng(0).choice([*"uv"], 80)}, 2),
        ({"date": a}, 1),
        ({"a": np.where(np.arange(80) == 3, None, a)}, 1),
        ({"q": quantity}, 8),
        ({"number": np.arange(80)}, 1),
        ({"few": np.arange(80.0) // 10}, 8),  # eight levels are cut to eight parts
        ({"few": np.arange(80.0) // 11}, 8),
    ):
        table = read_table(
            {k: list(v) for k, v in columns.items()} | {"y": [*"ab"] * 40}, "y"
        )
        parts = _row_dependence._sorted_parts(table)
        assert len(np.unique(parts)) == n_parts, columns.keys()


@pytest.mark.parametrize("kind", ["correlated", "rounded", "levels", "wide"])
def test_false_alarms_are_rare(kind):
    """100 tables whose rows are exchangeable, in three orders each.

    Its levels, one in a million in several columns, make no alarm in a thousand such
    tables; at one alarm in 100,000 two of 300 are seen less than once in 100,000 times.
    """
    alarms = 0
    for seed in range(100):
        random = np.random.default_rng([seed, len(kind)])
        n = 120
        X = random.normal(size=(n, 20 if kind == "wide" else 8))
        if kind == "correlated":
            X[:, 1:] = X[:, :1] + 0.5 * X[:, 1:]
        if kind == "rounded":
            X = np.round(2 * X)
        if kind == "levels":
            X[:, :4] = random.integers(0, [8, 12, 20, 40], (n, 4))
        y = X[:, 0] + random.normal(size=n)
        target = np.where(y > 0, "b", "a") if seed % 2 else y
        for order in (np.arange(n), np.argsort(y), np.argsort(X[:, -1], kind="stable")):
            alarms += len(codes_of(table_of(X[order], target[order])))
    assert alarms <= 1
    assert binom.sf(1, 300, 1e-5) < 1e-5
