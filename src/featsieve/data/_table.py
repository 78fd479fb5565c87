"""The table every method works on: typed columns, and notes on what is odd in them."""

from __future__ import annotations

import enum
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa

from featsieve._types import Array, Mask


class Effect(enum.Enum):
    """What a fact does to its column in `featsieve.select`.

    Examples
    --------
    >>> Effect("drop") is Effect.DROP
    True
    """

    DROP = "drop"  # set aside, and the ledger gives the fact as the reason
    WARN = "warn"  # kept, with a warning
    MENTION = "mention"  # kept, and said


class FactKind(NamedTuple):
    """What all facts of a code have in common.

    `of_columns` says that the columns alone show it, so that it is found again in any
    table that holds them; the others are known to who reads the source.
    """

    effect: Effect
    title: str
    of_columns: bool = False


_DROP, _WARN, _MENTION = Effect.DROP, Effect.WARN, Effect.MENTION

#: Every kind of fact by its code: the one place that says what becomes of a column.
KINDS: dict[str, FactKind] = {
    # What cannot help, whatever the target.
    "all_missing": FactKind(_DROP, "No value at all", True),
    "constant": FactKind(_DROP, "One value only", True),
    "row_id": FactKind(_DROP, "Row numbers and IDs", True),
    "identical": FactKind(_DROP, "Identical columns", True),
    "uncounted": FactKind(_DROP, "Too many levels to be counted"),
    # What may be right, and often is not.
    "leak": FactKind(_WARN, "Leaks?", True),
    "mostly_missing": FactKind(_WARN, "Mostly missing", True),
    "many_levels": FactKind(_WARN, "Many levels", True),
    "sentinel": FactKind(_WARN, "Values that may stand for missing", True),
    "numbers_as_text": FactKind(_WARN, "Numbers read as text"),
    "text_in_numbers": FactKind(_WARN, "Text among numbers"),
    "large_integers": FactKind(_WARN, "Whole numbers too large to be exact"),
    "left_out_of_pairs": FactKind(_WARN, "Left out of pairs"),
    # What a person should know.
    "one_value": FactKind(_MENTION, "One value or none", True),
    "date": FactKind(_MENTION, "Dates and times"),
    "sampled_rows": FactKind(_MENTION, "Drawn rows"),
    # The target.
    "constant_target": FactKind(_WARN, "A target of one value", True),
    "rare_class": FactKind(_WARN, "Rare classes", True),
    "missing_target": FactKind(_WARN, "Rows without a target"),
    "target_kind": FactKind(_WARN, "Classes or quantity?"),
    # The rows.
    "repeated_rows": FactKind(_WARN, "Rows that are there more than once"),
    "grouped_rows": FactKind(_WARN, "Rows that belong together"),
    "serial_rows": FactKind(_WARN, "Rows that follow each other"),
    "row_options": FactKind(_MENTION, "How rows were exchanged"),
    # The source.
    "duplicate_name": FactKind(_WARN, "Names that occur twice"),
    "empty_name": FactKind(_WARN, "Columns without a name"),
    "instance_weights": FactKind(_WARN, "Weights of rows"),
    "separator": FactKind(_WARN, "Another separator?"),
    "unbalanced_quotes": FactKind(_WARN, "Unbalanced quotes"),
}


@dataclass(frozen=True, slots=True)
class Note:
    """A fact about the data that a person should know before trusting a result.

    Parameters
    ----------
    code : str
        What it is, for programs: ``"constant"``, ``"all_missing"``, ``"identical"``,
        ``"row_id"``, ``"date"``, ``"sentinel"``, ``"leak"``, ``"mostly_missing"``,
        ``"many_levels"``, ``"text_in_numbers"``, ``"missing_target"``, …
    column : str or None
        The column it is about; None when it is about the whole table.
    message : str
        One sentence for people, with the way out where there is one.
    other : str or None, default=None
        The column that `column` is a copy of.

    Examples
    --------
    >>> note = Note("constant", "veil", "Column 'veil' is 'p' in every row.")
    >>> note.effect, note.reason
    (<Effect.DROP: 'drop'>, "is 'p' in every row")
    """

    code: str
    column: str | None
    message: str
    other: str | None = None

    @property
    def effect(self) -> Effect:
        """What `featsieve.select` does with the column."""
        return KINDS[self.code].effect

    @property
    def title(self) -> str:
        """What facts of this code are called above a list of them."""
        return KINDS[self.code].title

    @property
    def reason(self) -> str:
        """The message without the name of the column, to stand beside it."""
        return self.message.removeprefix(f"Column {self.column!r} ").rstrip(".")


_INSTALL = "This needs {0}, which is not installed. Say `pip install featsieve[{0}]`."


class ColumnKind(enum.Enum):
    """What the values of a column mean.

    Examples
    --------
    >>> ColumnKind("nominal") is ColumnKind.NOMINAL
    True
    """

    NUMERIC = "numeric"
    NOMINAL = "nominal"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One typed column.

    Parameters
    ----------
    name : str
        Unique within its table.
    kind : ColumnKind
        Numeric or nominal.
    values : ndarray of shape (n_rows,)
        Numeric: float64, missing is NaN. Nominal: int32 codes into `levels`, missing
        is -1.
    levels : tuple
        The values a nominal column may take, in declared order where one is declared,
        else sorted; levels need not occur. Empty for a numeric column.

    Examples
    --------
    >>> import numpy as np
    >>> codes = np.array([0, 1, -1], dtype=np.int32)
    >>> colour = Column("colour", ColumnKind.NOMINAL, codes, ("blue", "red"))
    >>> colour.n_missing, colour.n_levels
    (1, 2)
    """

    name: str
    kind: ColumnKind
    values: Array
    levels: tuple[Any, ...] = ()

    @property
    def is_nominal(self) -> bool:
        """Whether the column is nominal."""
        return self.kind is ColumnKind.NOMINAL

    @property
    def n_levels(self) -> int:
        """How many levels are declared (0 for a numeric column)."""
        return len(self.levels)

    @property
    def missing(self) -> Mask:
        """Mask of the rows whose value is missing."""
        return self.values < 0 if self.is_nominal else np.isnan(self.values)

    @property
    def n_missing(self) -> int:
        """How many values are missing."""
        return int(np.count_nonzero(self.missing))

    def take(self, rows: Array) -> Column:
        """Return the column at these rows (indices or a mask)."""
        return Column(self.name, self.kind, self.values[rows], self.levels)


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Typed columns of equal length, with or without a target.

    Parameters
    ----------
    columns : tuple of Column
        The features, in the order of the source.
    target : Column or None
        The class (nominal) or the quantity (numeric) to be explained.
    source_notes : tuple of Note
        What was noted on the way here, by who read the source.

    Examples
    --------
    >>> import numpy as np
    >>> age = Column("age", ColumnKind.NUMERIC, np.array([31.0, 42.0]))
    >>> table = Table((age,))
    >>> table.n_rows, table.names
    (2, ('age',))
    """

    columns: tuple[Column, ...]
    target: Column | None = None
    source_notes: tuple[Note, ...] = ()
    n_rows: int = -1
    _facts: tuple[Note, ...] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.n_rows < 0:
            source = self.columns[0] if self.columns else self.target
            rows = 0 if source is None else len(source.values)
            object.__setattr__(self, "n_rows", rows)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(column.name for column in self.columns)

    @property
    def n_columns(self) -> int:
        """The number of features."""
        return len(self.columns)

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is odd about the source and the columns; nothing was repaired silently.

        The columns are looked at when this is asked for the first time.
        """
        if self._facts is None:
            # Facts are about tables, which must be there first.
            from featsieve.data._facts import table_facts  # noqa: PLC0415

            object.__setattr__(self, "_facts", tuple(table_facts(self)))
        assert self._facts is not None  # set above
        told = (n for n in self.source_notes if not KINDS[n.code].of_columns)
        return (*told, *self._facts)

    def __len__(self) -> int:
        return self.n_rows

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, name: str) -> Column:
        for column in self.columns:
            if column.name == name:
                return column
        if self.target is not None and self.target.name == name:
            return self.target
        raise KeyError(name)

    def select(self, names: Sequence[str]) -> Table:
        """Return the table with these features only, in this order."""
        by_name = {column.name: column for column in self.columns}
        columns = tuple(by_name[name] for name in names)
        return Table(columns, self.target, self.source_notes, self.n_rows)

    def take(self, rows: Array) -> Table:
        """Return the table at these rows (indices or a mask)."""
        rows = np.asarray(rows)
        n_rows = int(np.count_nonzero(rows)) if rows.dtype == np.bool_ else len(rows)
        columns = tuple(column.take(rows) for column in self.columns)
        target = None if self.target is None else self.target.take(rows)
        return Table(columns, target, self.source_notes, n_rows)

    def to_pandas(self) -> tuple[Any, Any]:
        """Return ``(X, y)`` as a pandas frame and series.

        Nominal columns are categoricals with the levels in declared order. `y` is
        None without a target.

        Examples
        --------
        >>> import numpy as np
        >>> codes = np.array([1, 0, -1], dtype=np.int32)
        >>> size = Column("size", ColumnKind.NOMINAL, codes, ("small", "large"))
        >>> X, y = Table((size,)).to_pandas()
        >>> X["size"].tolist(), list(X["size"].cat.categories), y
        (['large', 'small', nan], ['small', 'large'], None)
        """
        try:
            import pandas as pd  # noqa: PLC0415  (optional)
        except ImportError:
            raise ImportError(_INSTALL.format("pandas")) from None

        def values(column: Column) -> Any:
            if not column.is_nominal:
                return pd.Series(column.values, name=column.name)
            try:
                categories = pd.Index(list(column.levels))
                plain = bool(column.levels) and categories.is_unique
            except UnicodeError:  # lone surrogates
                plain = False
            if not plain:
                categories = pd.Index(_level_texts(column.levels), dtype="str")
            codes = pd.Categorical.from_codes(column.values, categories=categories)
            return pd.Series(codes, name=column.name)

        X = pd.DataFrame(
            {column.name: values(column) for column in self.columns},
            index=pd.RangeIndex(self.n_rows),
        )
        return X, None if self.target is None else values(self.target)

    def to_polars(self) -> tuple[Any, Any]:
        """Return ``(X, y)`` as a polars frame and series.

        Nominal columns are enums of the levels as text, in declared order. `y` is None
        without a target.
        """
        try:
            import polars as pl  # noqa: PLC0415  (optional)
        except ImportError:
            raise ImportError(_INSTALL.format("polars")) from None

        def values(column: Column) -> Any:
            if not column.is_nominal:
                # Our NaN means missing, which polars calls null.
                return pl.Series(column.name, column.values, nan_to_null=True)
            texts = _level_texts(column.levels)
            levels = pl.Series(column.name, [*texts, None], dtype=pl.Enum(texts))
            return levels.gather(np.where(column.missing, len(texts), column.values))

        X = pl.DataFrame([values(column) for column in self.columns])
        return X, None if self.target is None else values(self.target)

    def to_arrow(self) -> tuple[Any, Any]:
        """Return ``(X, y)`` as a pyarrow table and array.

        Nominal columns are ordered dictionaries of the levels. `y` is None without a
        target.
        """

        def values(column: Column) -> Any:
            if not column.is_nominal:
                return pa.array(column.values, from_pandas=True)
            codes = pa.array(column.values, mask=column.missing)
            try:
                levels = pa.array(list(column.levels))
            except (pa.ArrowException, UnicodeError, OverflowError):
                levels = pa.array(_level_texts(column.levels))
            if pa.types.is_null(levels.type):
                levels = levels.cast(pa.string())
            return pa.DictionaryArray.from_arrays(codes, levels, ordered=True)

        arrays = [values(column) for column in self.columns]
        X = pa.Table.from_arrays(arrays, names=list(self.names))
        return X, None if self.target is None else values(self.target)


def _level_texts(levels: Sequence[Any]) -> list[str]:
    """Return the levels as different texts that any library takes."""
    texts: dict[str, None] = {}
    for level in levels:
        text = str(level).encode("utf-8", "backslashreplace").decode()
        while text in texts:
            text = f"{text} ({type(level).__name__})"
        texts[text] = None
    return list(texts)


#: Where a question came as no frame, the first that is installed answers.
PREFERRED = ("pandas", "polars", "pyarrow")
TYPES: dict[type, Any] = {
    bool: nw.Boolean,
    float: nw.Float64,
    int: nw.Int64,
    str: nw.String,
}


def frame_library(source: Any) -> str:
    """Return the library of a frame, or for anything else the first one installed."""
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
        name = str(frame.implementation)
        if name in PREFERRED:
            return name
    return next(name for name in PREFERRED if importlib.util.find_spec(name))


def make_frame(
    columns: Mapping[str, Sequence[Any]], kinds: Mapping[str, type], library: str
) -> Any:
    """Return a frame of "pandas", "polars" or "pyarrow"; None is missing in it."""
    backend: Any = library
    schema = nw.Schema({name: TYPES[kinds[name]]() for name in columns})
    return nw.from_dict(dict(columns), schema=schema, backend=backend).to_native()
