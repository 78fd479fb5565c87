"""Notes, the kinds of facts they state, and the one effect that each kind has."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple


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
