"""What is odd about a column or a table, decided once, from rows or from counts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from featsieve._kernels import CutPrice, apply_cuts, mdl_cuts
from featsieve._types import Array, Floats, Ints, Mask, Positions
from featsieve.data._looks import GLANCE, Look
from featsieve.data._table import Column, Effect, Note, Table
from featsieve.measures import target_association
from featsieve.tallies import Tally

# With fewer rows, "all values differ" says little: ten numbers of ten differ by chance
# four times in 10,000.
LEAST_ROWS_FOR_ID = 10
# Row numbers of which some are gone, or that do not begin at 0 or 1, could be a design
# (doses, settings) in small tables. Thirty numbers out of 45 all differ by chance twice
# in a million; a greater share of gaps would be no row number.
LEAST_ROWS_FOR_STEPS = 30
MOST_PLACES_PER_ROW = 1.5
# If so many columns, and most of those that are numbers, are permutations, then the
# table holds ranks.
LEAST_RANKS = 3
# The name tells that numbers without a pattern are names: prices may all differ, too.
ID_NAME = re.compile(
    r"(?i)(^|[^a-z])(ids?|key|idx|row|nr|uuid|guid)([^a-z]|$)|^index$"
    r"|(?-i:[a-z](ID|Id|Key)$)"
)
# Years and days that follow each other number the rows, and trends run along them.
TIME_NAME = re.compile(
    r"(?i)(^|[^a-z])(year|quarter|month|week|day|date|hour|minute|second|time|t)s?"
    r"([^a-z]|$)"
)

# More than half: then the column says less by its values than by their absence.
MUCH_MISSING = 0.5

# A level needs some rows to say anything: five are what a chi-square test asks for. A
# handful of levels does no harm in any table, a thousand are too many to look at.
LEAST_ROWS_PER_LEVEL = 5
FEW_LEVELS, MANY_LEVELS = 20, 1000

# Numbers that people and machines write for "no value": nines, and the ends of the
# ranges of whole numbers in 16 and 32 bits.
NINES = frozenset(sign * (10.0**k - 1) for k in range(2, 11) for sign in (-1, 1))
ENDS = (-(2.0**15), 2.0**15 - 1, 2.0**16 - 1, -(2.0**31), 2.0**31 - 1, 2.0**32 - 1)
SENTINELS = NINES.union(ENDS)
LEAST_REPEATS = 3  # once or twice is an outlier
# Texts that stand for "no value" and hardly ever for anything else; "none", "unknown"
# and "other" are answers.
_GAPS = ["n/a", "#n/a", "na", "<na>", "nan", "null", "#null!", "missing", "(missing)"]
MISSING_TEXTS = frozenset(
    ["?", "-", "--", ".", "N.A.", "n.a.", ""]
    + [spelt for gap in _GAPS for spelt in (gap, gap.upper(), gap.capitalize())]
    + ["NaN"]
)

# A column that knows this part of a class by heart, or ranks rows like a quantity does,
# looks like a leak. Small classes are given away by chance, and so are all by a level
# of their own for every few rows.
LEAK, LEAK_CORRELATION = 0.98, 0.995
LEAST_ROWS_FOR_LEAK, LEAST_ROWS_OF_CLASS = 30, 10

# A column is "numbers with some text" from this share of numbers on. However often it
# stands there, one word among this many numbers is no level.
SHARE_OF_NUMBERS = 0.9
NUMBERS_BESIDE_A_WORD = 5
#: Text that is a number to people: what it looks like, and how to make it one.
DISGUISES = (
    (
        re.compile(r"[+-]?[1-9]\d{0,2}([,' ]\d{3})+(\.\d+)?"),
        "numbers with marks between thousands",
        "Leave the marks out, or read the table with pandas and `thousands=`,",
    ),
    (
        re.compile(r"[+-]?(\d+|\d{1,3}([. ']\d{3})+),\d+"),
        "numbers with a decimal comma",
        "Say `decimal=','`",
    ),
    (
        re.compile(
            r"[$€£¥] ?[+-]?\d+([.,]\d+)?"
            r"|[+-]?\d+([.,]\d+)?( ?[$€£¥%‰°]| [^\W\d]{1,4})"
        ),
        "numbers with a unit",
        "Leave the unit out",
    ),
)


def column_facts(looks: Sequence[Look]) -> list[Note]:
    """Return what single columns show, whatever the order of rows and columns."""
    notes: list[Note] = []
    ids = [_id_by(look) for look in looks]
    numbers = sum(not look.is_nominal for look in looks)
    ranks = max(LEAST_RANKS, numbers // 2 + 1)
    if ids.count("pattern") >= ranks:
        ids = [None if by == "pattern" else by for by in ids]
    for look, by in zip(looks, ids, strict=True):
        if by is not None:
            far = ", as far as counts tell" if look.capped else ""
            text = f"looks like a row number or an ID{far}; it cannot help on new rows."
            notes.append(_about(look, "row_id", text))
        else:
            notes.extend(_facts_of(look))
    return notes


def _about(look: Look, code: str, text: str) -> Note:
    return Note(code, look.name, f"Column {look.name!r} {text}")


def _facts_of(look: Look) -> Iterator[Note]:
    if look.n_missing == look.n_rows:
        yield _about(look, "all_missing", "has no value in any row.")
        return
    only = look.only_value
    if only is not None:
        gaps = " or missing" if look.n_missing else ""
        code = "one_value" if look.n_missing else "constant"
        yield _about(look, code, f"is {only}{gaps} in every row.")
        if not look.n_missing:
            return
    share = look.n_missing / look.n_rows
    if share > MUCH_MISSING:
        text = f"has no value in {100 * share:.0f} % of the rows."
        yield _about(look, "mostly_missing", text)
    if look.is_nominal:
        yield from _level_facts(look)
    elif not look.is_date:
        yield from _sentinel_numbers(look)


def _id_by(look: Look) -> str | None:
    """Return by what a column is an ID: its texts, its name or its pattern."""
    if look.n_rows < LEAST_ROWS_FOR_ID or look.n_missing or look.is_date:
        return None
    if not look.is_nominal:
        return _numbers_by(look)
    if "text_in_numbers" in look.noted or not look.all_differ():
        return None
    if "numbers_as_text" not in look.noted:
        return "text"
    numbers = look.spelt_numbers()  # quantities in text may all differ
    return None if numbers is None else _numbers_by(numbers)


def _numbers_by(look: Look) -> str | None:
    """Return by what numbers are IDs: the name of the column, or their pattern."""
    named = ID_NAME.search(look.name) is not None
    timed = TIME_NAME.search(look.name) is not None
    # A glance at a few values rules most columns out.
    if not named and (timed or not _is_steps(look, look.glance_step())):
        return None
    if not look.whole() or not look.all_differ():
        return None
    if named:
        return "name"
    return "pattern" if _is_steps(look, look.step()) else None


def _is_steps(look: Look, step: float) -> bool:
    """Whether different multiples of `step` leave few places of their range empty."""
    if not step:
        return False
    low, high = look.range
    places, n_rows = (high - low) / step + 1, look.n_rows
    if places == n_rows and step == 1 and low in (0, 1):
        return True
    return n_rows >= LEAST_ROWS_FOR_STEPS and places <= MOST_PLACES_PER_ROW * n_rows


def _level_facts(look: Look) -> Iterator[Note]:
    n_levels = look.n_present if len(look.levels) > FEW_LEVELS else 0
    known = look.n_rows - look.n_missing
    crowded = n_levels > FEW_LEVELS and n_levels * LEAST_ROWS_PER_LEVEL > known
    if crowded or n_levels > MANY_LEVELS:
        text = f"has {n_levels:,} levels in {known:,} rows; rare ones say little."
        yield _about(look, "many_levels", text)
    if "text_in_numbers" in look.noted or len(look.levels) < 3:
        return
    gaps = sorted(MISSING_TEXTS.intersection(look.levels))
    found = [gap for gap in gaps if look.count_of(look.levels.index(gap))]
    if found:
        yield _sentinel(look, found)


def _sentinel_numbers(look: Look) -> Iterator[Note]:
    """Yield a note on numbers that lie far outside of the others, and often.

    Far is further than the others reach, or negative where no other number is.
    """
    if look.capped or not SENTINELS.intersection(look.range):
        return
    (low, high), counts = look.apart_from(SENTINELS)
    if low >= high:
        return
    found = []
    for value, count in counts.items():
        beyond = max(low - value, value - high)
        alone = low >= 0 and value <= -99
        if count >= LEAST_REPEATS and (beyond > high - low or alone):
            found.append(value)
    if found:
        yield _sentinel(look, [int(value) for value in found])


def _sentinel(look: Look, values: Sequence[Any]) -> Note:
    shown = ", ".join(repr(value) for value in values)
    text = (
        f"holds {shown}, which may stand for a missing value. If so, say "
        f"`missing_values=[{shown}]`."
    )
    return _about(look, "sentinel", text)


def copy_fact(name: str, other: str) -> Note:
    """Return the note on a column that equals another in every row."""
    text = f"Column {name!r} is identical to column {other!r}."
    return Note("identical", name, text, other)


def target_facts(name: str, levels: Sequence[Any], counts: Ints) -> Iterator[Note]:
    """Yield what is odd about classes, from the rows of each."""
    if np.count_nonzero(counts) == 1:
        text = f"Target {name!r} has one class, so nothing can explain it."
        yield Note("constant_target", name, text)
    rare = np.flatnonzero(counts == 1)
    if len(rare) > 5:
        text = f"{len(rare)} of {len(levels)} classes of target {name!r} have one row."
        yield Note("rare_class", name, text)
        return
    for code in rare.tolist():
        text = f"Class {levels[code]!r} of target {name!r} has one row."
        yield Note("rare_class", name, text)


def leak_fact(name: str) -> Note:
    """Return the note on a column that knows the target too well to be true."""
    text = (
        f"Column {name!r} gives away the target, or a class of it: a leak? Ask when it "
        "becomes known."
    )
    return Note("leak", name, text)


def gives_away(counts: Ints, share: float = LEAK) -> bool:
    """Whether levels × classes, missing as a level, tell this share of a class.

    Columns of few rows per level do so by chance and are not asked.
    """
    table = counts[counts.sum(axis=1) > 0].astype(np.float64)
    classes, n_rows = table.sum(axis=0), table.sum()
    if n_rows < LEAST_ROWS_FOR_LEAK or len(table) * LEAST_ROWS_PER_LEVEL > n_rows:
        return False
    asked = np.minimum(classes, n_rows - classes) >= LEAST_ROWS_OF_CLASS
    table, classes = table[:, asked], classes[asked]
    levels = counts[counts.sum(axis=1) > 0].sum(axis=1, keepdims=True)
    left = (levels * _bits(table / levels)).sum(axis=0)
    whole = n_rows * _bits(classes / n_rows)
    return bool((left <= (1 - share) * whole).any())


def _bits(share: Floats) -> Floats:
    """Return the entropy of belonging or not, given the share that does."""
    rest = 1 - share
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -share * np.log2(share) - rest * np.log2(rest)
    return np.nan_to_num(bits, copy=False)


def ranks_like(
    correlation: float, n_known: int, share: float = LEAK_CORRELATION
) -> bool:
    """Whether a rank correlation with a quantity is that of a leak."""
    return n_known >= LEAST_ROWS_FOR_LEAK and abs(correlation) >= share


def date_fact(name: str, word: str) -> Note:
    """Return the note on a column of dates, durations or times of day."""
    since = " since 1970-01-01" if word == "dates" else ""
    text = f"Column {name!r} holds {word} and is read as days{since}."
    return Note("date", name, text)


def disguise_fact(
    name: str, levels: Sequence[Any], is_number: Mask, counts: Ints | None
) -> Note | None:
    """Return a note on text that seems to be numbers, all or most of it.

    `is_number` says which levels spell a number; if any does, `counts` are the rows of
    each level.
    """
    if counts is None or not is_number.any():
        return _in_disguise(name, levels)
    share = counts[is_number].sum() / max(counts.sum(), 1)
    one_word = is_number.sum() == len(is_number) - 1 >= NUMBERS_BESIDE_A_WORD
    if share == 1 and any(isinstance(level, str) for level in levels):
        text = (
            f"Column {name!r} holds numbers as text and is read as nominal. Say "
            f"`numeric=[{name!r}]` if they are quantities."
        )
        return Note("numbers_as_text", name, text)
    if share == 1 or not (share >= SHARE_OF_NUMBERS or one_word):
        return None
    words = [levels[k] for k in np.flatnonzero(~is_number & (counts > 0)).tolist()]
    shown = ", ".join(sorted(repr(word) for word in words)[:3])
    more = ", …" if len(words) > 3 else ""
    text = (
        f"Column {name!r} holds text in {counts[~is_number].sum()} of {counts.sum()} "
        f"rows with a value. Mark it as missing with `missing_values=[{shown}{more}]` "
        f"or as nominal with `nominal=[{name!r}]`."
    )
    return Note("text_in_numbers", name, text)


def _in_disguise(name: str, levels: Sequence[Any]) -> Note | None:
    if len(levels) < 2 or set(map(type, levels)) != {str}:
        return None
    for pattern, what, way in DISGUISES:
        if all(pattern.fullmatch(level.strip()) for level in levels):
            text = (
                f"Column {name!r} holds {what}, such as {min(levels)!r}, and is read "
                f"as nominal. {way} if they are quantities."
            )
            return Note("numbers_as_text", name, text)
    return None


#: Columns whose head is like that of another are compared by so many values.
SAMPLE = 1024
#: A column that does not give away the target nearly in so many rows does not in all.
MOST_ROWS, NEARLY = 20_000, 0.9


def table_facts(table: Table) -> list[Note]:
    """Return what the columns of a table and its target show."""
    if not table.n_rows:
        return []
    noted = noted_codes(table.source_notes)
    looks = [Look(column, noted.get(column.name, ())) for column in table]
    notes = column_facts(looks)
    gone = {note.column for note in notes if note.effect is Effect.DROP}
    varied = [column for column in table if column.name not in gone]
    notes.extend(_copies(varied))
    gone = {note.column for note in notes if note.effect is Effect.DROP}
    if table.target is None or table.target.n_missing:
        return notes
    varied = [column for column in varied if column.name not in gone]
    leaks = map(leak_fact, _leaks(varied, table.target))
    return [*_target_facts(table.target), *notes, *leaks]


def noted_codes(notes: Sequence[Note]) -> dict[str | None, set[str]]:
    """Return the codes of notes on every column."""
    codes: dict[str | None, set[str]] = {}
    for note in notes:
        codes.setdefault(note.column, set()).add(note.code)
    return codes


def _target_facts(target: Column) -> Iterator[Note]:
    if target.is_nominal:
        counts = np.bincount(target.values + 1, minlength=target.n_levels + 1)[1:]
        yield from target_facts(target.name, target.levels, counts)
    elif target.values.min() == target.values.max():
        text = f"Target {target.name!r} has one value, so nothing can explain it."
        yield Note("constant_target", target.name, text)


def _copies(columns: list[Column]) -> Iterator[Note]:
    """Yield a note for each column that equals an earlier one."""
    for n_rows in (GLANCE, SAMPLE):
        heads = [_fingerprint(column, column.values[:n_rows]) for column in columns]
        common = Counter(heads)
        columns = [
            c for c, head in zip(columns, heads, strict=True) if common[head] > 1
        ]
    groups: dict[tuple[object, ...], list[Column]] = {}
    for column in columns:
        values = column.values
        # Few columns come this far; reading here and there is slower than the head.
        spread = _fingerprint(column, values[:: max(1, len(values) // SAMPLE)])
        earlier = groups.setdefault(spread, [])
        for other in earlier:
            if other.levels == column.levels and _equal(other, column):
                yield copy_fact(column.name, other.name)
                break
        else:
            earlier.append(column)


def _fingerprint(column: Column, sample: Array) -> tuple[object, ...]:
    return column.kind, column.n_levels, (sample + 0).tobytes()  # -0.0 is 0.0


def _equal(a: Column, b: Column) -> bool:
    return bool(np.array_equal(a.values, b.values, equal_nan=not a.is_nominal))


def _leaks(columns: list[Column], target: Column) -> Iterator[str]:
    """Yield the columns that know the target too well to be true."""
    find = _class_leaks if target.is_nominal else _quantity_leaks
    rows = _some_rows(target)
    if len(rows) < len(target.values):
        some = [column.take(rows) for column in columns]
        names = set(find(some, target.take(rows), NEARLY))
        columns = [column for column in columns if column.name in names]
    yield from find(columns, target)


def _some_rows(target: Column) -> Positions:
    """Return rows that show a leak if all do: of each class some, of small ones all."""
    classes = [np.arange(len(target.values))]
    if target.is_nominal:
        classes = [np.flatnonzero(target.values == k) for k in range(target.n_levels)]
    most = max(MOST_ROWS // max(len(classes), 1), 1)
    return np.concatenate([rows[:: -(-len(rows) // most) or 1] for rows in classes])


def _class_leaks(
    columns: list[Column], target: Column, share: float = LEAK
) -> Iterator[str]:
    price = CutPrice.FAYYAD_IRANI
    for column in columns:
        codes = column.values
        if not column.is_nominal:
            values = np.ascontiguousarray(codes)
            cuts = mdl_cuts(values, target.values, target.n_levels, None, price)
            codes = apply_cuts(values, cuts)
        if gives_away(Tally.from_codes(codes, target.values).table, share):
            yield column.name


def _quantity_leaks(
    columns: list[Column], target: Column, share: float = LEAK_CORRELATION
) -> Iterator[str]:
    numeric = [column for column in columns if not column.is_nominal]
    if not numeric:
        return
    found = target_association(
        [column.values for column in numeric], target.values, association="spearman"
    )
    for column, correlation in zip(numeric, found, strict=True):
        n_known = len(target.values) - column.n_missing
        if ranks_like(correlation, n_known, share):
            yield column.name
