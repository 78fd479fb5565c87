"""Whether rows look as if they belonged together, before anybody says so.

Four signs: rows that are there more than once, or nearly so, a column within whose
levels both the target and other columns are alike (patients, machines, places), and
neighbours that are alike (time). What is found is a note with the option to pass. The
thresholds let tables whose rows are exchangeable pass, however they are sorted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import f as f_law
from scipy.stats import rankdata

from featsieve._types import Floats, Positions
from featsieve.data import Column, Note, Table
from featsieve.data.api import ANY_ORDER, TIME_NAME, RowDesign, scattered
from featsieve.inference._score_tests import rank_columns
from featsieve.measures import joint_codes

#: Pairs of equal rows, and their share among pairs that are equal in half the columns:
#: of few columns of few levels many rows are equal in half of them by chance.
LEAST_PAIRS, SHARE_OF_PAIRS = 10, 0.5

#: One of so many parts of the columns may differ between rows that are alike.
N_LEFT_OUT = 4

#: Share of rows that differ from each other; with fewer, rows are of a few kinds.
LEAST_DISTINCT = 0.1

#: Share of rows that are equal in all columns whose targets are equal, too.
SHARE_OF_TARGETS = 0.8

#: Levels of an identifier, and rows per level: more are a kind of rows, not a unit.
LEAST_GROUPS, MOST_PER_GROUP = 8, 50

#: A column whose name does not say that it names units is doubted more: kinds of rows
#: (services, codes) have many rows each, or a few kinds have most of them. Units have
#: fewer rows, and the number of their levels that counts (1 / Σ share²) is at least
#: this part of all.
MOST_PER_UNNAMED, LEAST_EVEN = 30, 0.25

#: Evidence that the target or a column is alike within groups: a p-value and a share of
#: the variance; and the columns of which this must hold.
GROUP_LEVEL, LEAST_ICC = 1e-6, 0.05
SHARE_OF_GROUPED, LEAST_GROUPED = 0.3, 3

#: Floats that name units leave few places of their range empty, or the column is
#: called by what has several rows each.
MOST_PLACES = 1.5
UNIT_NAME = re.compile(
    r"(?i)(^|[^a-z])(ids?|key|nr|no|code|patient|subject|person|user|customer|client|"
    r"group|cluster|site|school|hospital|clinic|ward|centre|center|store|shop|plant|"
    r"farm|sensor|station|family|household|machine|device|batch|session|animal)"
    r"([^a-z]|$)|(?-i:[a-z](ID|Id|Key|No)$)"
)

#: Of numbers, levels are held against the ones beside them, which a quantity lies
#: between and a name does not; this share of levels may be special.
MOST_SPECIAL = 0.1

#: Correlation of neighbouring rows times the root of their number; and the columns of
#: which this must hold.
LEAST_SERIAL = 6.0
SHARE_OF_SERIAL, LEAST_SERIAL_COLUMNS = 0.2, 2

#: Parts that a quantity is cut into, within which neighbours are compared.
N_PARTS = 50
ROWS_PER_PART = 10

#: With fewer rows nothing can be told.
LEAST_ROWS = 20

#: More rows or columns are not needed to see it.
MOST_ROWS, MOST_COLUMNS = 20_000, 200


@dataclass(frozen=True, slots=True, eq=False)
class Dependence:
    """What was found: a note for people, and what to do about it.

    `rows` are those that stay of repeated ones, None if all do.
    """

    note: Note
    rows: Positions | None = None
    design: RowDesign = ANY_ORDER


def repeated_rows(table: Table) -> Dependence | None:
    """Return the first of all equal rows, if rows are repeated and not just alike.

    Row numbers do not count. The columns are split in two halves; copies of rows agree
    in both, rows that happen to agree in one seldom agree in the other.
    """
    target = table.target
    kept = [column for column in table if not _all_differ(column)]
    # A copy in the other half would make all rows agree in both that agree in one.
    usable = list({column.values.tobytes(): column for column in kept}.values())
    if target is None or len(usable) < 2 or table.n_rows < LEAST_ROWS:
        return None
    both, own = _hash_of_repeats(usable), _row_hash([target])
    if both is None:
        return None
    whole = _pair(both, own)
    n_both = _n_pairs(whole)
    if n_both < LEAST_PAIRS or n_both < SHARE_OF_TARGETS * _n_pairs(both):
        return None
    kinds = [len(np.unique(column.values)) for column in (*usable, target)]
    if math.prod(kinds) <= table.n_rows:
        return None  # there are no more kinds of rows, so that some must be equal
    first = np.sort(np.unique(whole, return_index=True)[1])
    few = len(first) < max(LEAST_ROWS, LEAST_DISTINCT * table.n_rows)
    if few and not _are_measured(usable, first):
        return None  # few kinds of rows, not copies of some
    n_copies = table.n_rows - len(first)
    text = (
        f"{n_copies} of {table.n_rows} rows repeat others in every column and the "
        "target; each is counted once in tests. Say `groups=None` if they were seen "
        "independently."
    )
    return Dependence(Note("repeated_rows", None, text), rows=first)


def nearly_repeated_rows(table: Table) -> Dependence | None:
    """Return groups of rows that agree in all measured columns but a few.

    As when a row was copied and only a date, a draw or a comment is new. Up to a
    quarter of the columns may differ; where they stand in the table is not asked.
    """
    usable = [column for column in table if not _all_differ(column)]
    if len(usable) < 2 * N_LEFT_OUT or table.n_rows < LEAST_ROWS:
        return None
    for left_out in range(N_LEFT_OUT):
        kept = [c for k, c in enumerate(usable) if k % N_LEFT_OUT != left_out]
        hashes = _hash_of_repeats(kept)
        if hashes is None:
            continue
        first, codes = np.unique(hashes, return_index=True, return_inverse=True)[1:]
        if not _are_measured(kept, first):
            continue
        n_alike = table.n_rows - len(first)
        text = (
            f"{n_alike} of {table.n_rows} rows repeat others in three quarters of the "
            "columns or more, as rows of one unit do; they are taken as groups. Say "
            "`groups=` with the name of the unit, or `groups=None` if rows are "
            "independent."
        )
        design = RowDesign(groups=codes.astype(np.intp))
        return Dependence(Note("grouped_rows", None, text), design=design)
    return None


def _hash_of_repeats(columns: list[Column]) -> NDArray[np.uint64] | None:
    """Return what equal rows share, if more rows are equal than can be by chance."""
    halves = [_row_hash(columns[k::2]) for k in range(2)]
    both = _pair(*halves)
    n_equal = _n_pairs(both)
    in_one = max(_n_pairs(half) for half in halves)
    return None if n_equal < max(LEAST_PAIRS, SHARE_OF_PAIRS * in_one) else both


def hidden_groups(table: Table) -> Dependence | None:
    """Return the column that names groups of rows which belong together, if any."""
    target = table.target
    n = table.n_rows
    if target is None or n < LEAST_ROWS:
        return None
    table = _some_columns(table, [c.name for c in table if _may_name_groups(c)])
    outcome = _as_numbers(target)
    numbers: dict[str, Floats] = {}
    for column in table:
        if not _may_name_groups(column):
            continue
        codes = np.unique(column.values, return_inverse=True)[1]
        is_alike = _alike_within if column.is_nominal else _apart_from_neighbours
        if not is_alike(outcome, codes):
            continue
        numbers = numbers or {other.name: _as_numbers(other) for other in table}
        others = [own for name, own in numbers.items() if name != column.name]
        count = sum(is_alike(own, codes) for own in others)
        if count >= max(LEAST_GROUPED, SHARE_OF_GROUPED * len(others)):
            n_groups = int(codes.max()) + 1
            text = (
                f"Rows of the same {column.name!r} ({n_groups} of them) are alike in "
                f"the target and in {count} columns, as rows of one patient are; they "
                f"are taken as groups. Say `groups={column.name!r}` if that is right, "
                "`groups=None` if not."
            )
            design = RowDesign(groups=codes.astype(np.intp))
            note = Note("grouped_rows", column.name, text)
            return Dependence(note, design=design)
    return None


def hidden_time(table: Table) -> Dependence | None:
    """Return the order of rows as time, if rows are like the ones before them."""
    target = table.target
    n = table.n_rows
    if target is None or n < LEAST_ROWS:
        return None
    if n > MOST_ROWS:
        table = table.take(np.arange(MOST_ROWS))
        target = table.target
        assert target is not None  # it was there before
    sorted_parts = _sorted_parts(table)
    outcome = _as_numbers(target)
    if _is_sorted(target, np.zeros(table.n_rows, dtype=np.intp)):
        return None  # the order is that of the target, so it is not that of time
    if _serial(outcome, sorted_parts) <= LEAST_SERIAL:
        return None
    # What rows share through the target is taken out, or every effect were a series.
    parts = _joint(sorted_parts, _parts(target))
    # Levels in turn are a design more often than a series.
    columns = [c for c in _some_columns(table, []) if not c.is_nominal]
    slope = None if target.is_nominal else outcome
    found = [
        _serial(_apart_from(_as_numbers(c), parts, slope), sorted_parts) > LEAST_SERIAL
        for c in columns
    ]
    if sum(found) < max(LEAST_SERIAL_COLUMNS, SHARE_OF_SERIAL * table.n_columns):
        return None
    text = (
        f"Rows are like the rows before them, in the target and in {sum(found)} "
        "columns, as in a series of time; they are taken in this order. Say `time=` "
        "with the moment of each row if that is right, `groups=` if rows of one unit "
        "stand together, `groups=None` if the order means nothing."
    )
    design = RowDesign(time=np.arange(n, dtype=np.intp))
    return Dependence(Note("serial_rows", None, text), design=design)


def look_for_dependence(table: Table) -> list[Dependence]:
    """Return what the rows of a table with a target show, in the order to act upon.

    Groups explain neighbours that are alike, so time is asked for only without them.
    """
    found = []
    known = [column.name for column in table if not column.missing.all()]
    table = table.select(known)
    repeats = repeated_rows(table)
    if repeats is not None and repeats.rows is not None:
        found.append(repeats)
        table = table.take(repeats.rows)
    other = nearly_repeated_rows(table) or hidden_groups(table) or hidden_time(table)
    if other is not None:
        found.append(other)
    return found


def _are_measured(columns: list[Column], rows: Positions) -> bool:
    """Whether two columns and half of them have no value twice in these rows.

    Whole numbers do not count: they may be levels.
    """
    values = [column.values[rows] for column in columns if not column.is_nominal]
    count = sum(len(np.unique(v)) == len(v) and not _is_whole(v) for v in values)
    return count >= max(2, len(columns) / 2)


def _all_differ(column: Column) -> bool:
    """Whether a column numbers the rows: whole numbers or names, all different."""
    values = column.values
    if not column.is_nominal and not _is_whole(values):
        return False
    return len(np.unique(values)) == len(values)


def _is_whole(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return bool(np.all(known == np.floor(known)))


def _row_hash(columns: Iterable[Column]) -> NDArray[np.uint64]:
    """Return a number per row that is equal for equal rows."""
    total: NDArray[np.uint64] | None = None
    for place, column in enumerate(columns):
        if column.is_nominal:
            bits = column.values.astype(np.int64).view(np.uint64)
        else:
            values = column.values + 0.0  # -0.0 is 0.0
            values[np.isnan(values)] = np.nan
            bits = values.view(np.uint64)
        mixed = scattered(bits + np.uint64((place + 1) * 0x9E3779B97F4A7C15 % 2**64))
        total = mixed if total is None else total + mixed
    assert total is not None  # callers pass some
    return total


def _pair(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return scattered(a + np.uint64(0x9E3779B97F4A7C15) * (scattered(b) | np.uint64(1)))


def _n_pairs(hashes: NDArray[np.uint64]) -> int:
    counts = np.unique(hashes, return_counts=True)[1]
    return int((counts * (counts - 1) // 2).sum())


def _some_columns(table: Table, always: list[str]) -> Table:
    """Return columns spread over the table, and those that must be among them."""
    if table.n_columns <= MOST_COLUMNS:
        return table
    places = np.linspace(0, table.n_columns - 1, MOST_COLUMNS).astype(int)
    names = table.names
    chosen = {names[j] for j in places.tolist()}.union(always)
    return table.select([name for name in names if name in chosen])


def _may_name_groups(column: Column) -> bool:
    """Whether a column could name units of several rows each."""
    if column.n_missing or not (column.is_nominal or _is_whole(column.values)):
        return False
    n = len(column.values)
    levels, counts = np.unique(column.values, return_counts=True)
    if not max(LEAST_GROUPS, n / MOST_PER_GROUP) <= len(levels) <= n / 2:
        return False
    if UNIT_NAME.search(column.name):
        return True
    # Floats that are names leave no gaps.
    dense = column.is_nominal or levels[-1] - levels[0] < MOST_PLACES * len(levels)
    is_even = n**2 >= LEAST_EVEN * len(levels) * float(counts @ counts)
    return bool(dense and is_even and n <= MOST_PER_UNNAMED * len(levels))


def _as_numbers(column: Column) -> Floats:
    """Return a column in numbers: ranks, or a column for each frequent level."""
    if not column.is_nominal:
        filled = np.where(column.missing, np.nanmedian(column.values), column.values)
        return rank_columns(filled[np.newaxis]).ranks.T
    codes, counts = np.unique(column.values, return_counts=True)
    frequent = codes[np.argsort(-counts, kind="stable")[: max(1, len(codes) - 1)]][:8]
    return (column.values[:, np.newaxis] == frequent).astype(np.float64)


def _alike_within(values: Floats, codes: Positions) -> bool:
    """Whether values are alike within groups, beyond doubt and by a share that counts.

    One-way analysis of variance, several columns being taken as one.
    """
    sizes = np.bincount(codes).astype(np.float64)
    between, within = len(sizes) - 1, len(codes) - len(sizes)
    if between < 1 or within < 1:
        return False
    means = _means(values, codes)
    left = float(((values - means) ** 2).sum())
    told = float(((means - values.mean(axis=0)) ** 2).sum())
    freedom = (values.shape[1] * between, values.shape[1] * within)
    return _is_beyond_doubt(told / between, left / within, freedom, sizes.mean())


def _apart_from_neighbours(values: Floats, codes: Positions) -> bool:
    """Whether levels of a number differ from the mean of the levels on both sides.

    Those of a quantity do not; a few special values may, and are left out.
    """
    sizes = np.bincount(codes).astype(np.float64)
    n_inner, within = len(sizes) - 2, len(codes) - len(sizes)
    if n_inner < 3 or within < 1:
        return False
    sums = np.stack([np.bincount(codes, own) for own in values.T], axis=1)
    means = sums / sizes[:, np.newaxis]
    left = float(((values - means[codes]) ** 2).sum()) / within
    bend = means[1:-1] - (means[:-2] + means[2:]) / 2
    spread = 1 / sizes[1:-1] + (1 / sizes[:-2] + 1 / sizes[2:]) / 4
    squares = np.sort((bend**2).sum(axis=1) / spread)
    # Without the largest the rest is too small, so the test is on the safe side.
    count = max(3, int(n_inner * (1 - MOST_SPECIAL)))
    told = float(squares[:count].mean())
    freedom = (values.shape[1] * count, values.shape[1] * within)
    return _is_beyond_doubt(told, left, freedom, float(np.mean(1 / spread)))


def _is_beyond_doubt(
    told: float, left: float, freedom: tuple[float, float], size: float
) -> bool:
    """Whether a variance between groups of a size is more than that within them."""
    if left <= 0:
        return told > 0
    ratio = told / left
    icc = (ratio - 1) / (ratio - 1 + size)
    return float(f_law.sf(ratio, *freedom)) < GROUP_LEVEL and icc > LEAST_ICC


def _means(values: Floats, codes: Positions) -> Floats:
    counts = np.bincount(codes)[:, np.newaxis]
    sums = np.stack([np.bincount(codes, own) for own in values.T], axis=1)
    means: Floats = (sums / np.maximum(counts, 1))[codes]
    return means


def _sorted_parts(table: Table) -> Positions:
    """Return parts of rows that stand together because the table was sorted.

    By a column, by another within its levels, and so on. Columns of dates and times do
    not count: that is what order may mean.
    """
    parts = np.zeros(table.n_rows, dtype=np.intp)
    columns = [
        column
        for column in table
        if not (TIME_NAME.search(column.name) or column.n_missing)
        and not _all_differ(column)
    ]
    while True:
        further = [column for column in columns if _is_sorted(column, parts)]
        if not further:
            return parts
        column = further[0]
        columns = [other for other in columns if other is not column]
        codes: Positions = np.unique(column.values, return_inverse=True)[1]
        if int(codes.max()) >= table.n_rows / ROWS_PER_PART:
            codes = _cut(codes)
        parts = _joint(parts, codes)


def _is_sorted(column: Column, parts: Positions) -> bool:
    """Whether equal values of a part stand together, or numbers rise or fall."""
    steps = np.diff(column.values)
    one_way = (steps >= 0).all() or (steps <= 0).all()
    if not column.is_nominal and not parts.any() and steps.any() and one_way:
        return True
    new = (steps != 0) | (np.diff(parts) != 0)
    if np.count_nonzero(new) >= len(parts) / 2:
        return False  # nothing stands together; the rule, and quickly seen
    codes = np.unique(column.values, return_inverse=True)[1]
    cells = _joint(parts, codes)
    n_cells, n_parts = int(cells.max()) + 1, int(parts.max()) + 1
    n_runs = 1 + int(np.count_nonzero(cells[1:] != cells[:-1]))
    return n_runs == n_cells > n_parts and n_cells <= len(cells) / 2


def _cut(values: Positions | Floats) -> Positions:
    n_parts = max(1, min(N_PARTS, len(values) // ROWS_PER_PART))
    ranks = rankdata(values, method="min") - 1
    return (ranks * n_parts // len(values)).astype(np.intp)


def _parts(target: Column) -> Positions:
    if target.is_nominal:
        codes: Positions = np.unique(target.values, return_inverse=True)[1]
        return codes
    return _cut(target.values)


def _joint(a: Positions, b: Positions) -> Positions:
    return joint_codes(a.astype(np.int32), b.astype(np.int32)).astype(np.intp)


def _apart_from(values: Floats, parts: Positions, slope: Floats | None) -> Floats:
    """Return values less the means of parts and what goes along a slope in them."""
    values = values - _means(values, parts)
    if slope is None:
        return values
    along = slope - _means(slope, parts)
    products = np.bincount(parts, (along * values)[:, 0])
    squares = np.bincount(parts, (along * along)[:, 0])
    steepness = products / np.where(squares > 0, squares, 1.0)
    return np.asarray(values - along * steepness[parts][:, np.newaxis])


def _serial(values: Floats, parts: Positions) -> float:
    """Return how much rows are like the next one of their part, in deviations."""
    values = values - _means(values, parts)
    by_part = np.argsort(parts, kind="stable")
    values, same = values[by_part], parts[by_part][1:] == parts[by_part][:-1]
    count = int(np.count_nonzero(same))
    whole = float((values**2).sum()) / len(values)
    if count < LEAST_ROWS or whole <= 0:
        return 0.0
    shared = float((values[1:] * values[:-1])[same].sum()) / count
    # Within small parts chance makes neighbours differ; that is left alone.
    return shared / whole * float(np.sqrt(count))
