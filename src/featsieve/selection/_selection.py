"""What a selection knows, and what can be done with it."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from featsieve._text import nearest, write_whole
from featsieve.data import Note, Table
from featsieve.data.api import (
    is_frame,
    plain_input,
    table_values,
    take_columns,
    unique_names,
)
from featsieve.exceptions import DataError
from featsieve.selection._ledger import explain_row, ledger_frame, verdict_words
from featsieve.selection._summary import FORMAT, VERSION

#: Without these nothing can be said; the rest may be empty.
PARTS = (
    "target",
    "table",
    "features",
    "ledger",
    "interactions",
    "notes",
    "computation",
)


class Selection:
    """The features that were kept, and the evidence on every column.

    Made by `featsieve.select`; all of it is in one plain dictionary, so it can be
    stored and read again.

    Parameters
    ----------
    summary : dict
        What `to_dict` returns.
    library : {"pandas", "polars", "pyarrow"} or None, default=None
        Whose frames `ledger` comes in; None is the first that is installed.

    Attributes
    ----------
    features : list of str
        The features to keep, strongest first.
    possible : list of str
        Columns some of which matter although rows are too few to say which, best first;
        not among the features unless that was asked for.
    dropped : list of str
        All columns that are not kept, in the order of the table.
    ledger : frame
        One row per column: ``feature``, ``kind``, ``verdict``, ``kept``, ``stage``,
        ``score`` with its interval ``low`` to ``high``, ``p_value`` and the
        ``threshold`` it was held against, ``displaced_by``, ``interchangeable_with``,
        ``partners``, ``where``, ``note``, ``missing_share``, ``n_levels``.
    interchangeable : list of list of str
        Sets of columns any one of which could be kept: first the one that is, then
        those that these rows do not show to be any worse, its copies among them.
    interactions : list of dict
        Sets of columns that tell more (or, of kind "redundancy", less) together than
        apart: ``members``, ``joint_gain``, ``synergy``, ``p_value``, ``kept``.
    notes : list of dict
        What a person should know of the data.
    code : str
        The lines of Python that give this selection again. A table in memory is called
        ``data`` there, and values of a target ``target``.

    Examples
    --------
    >>> import featsieve
    >>> from featsieve.datasets import make_simple
    >>> table, truth = make_simple(n_noise=3, random_state=0)
    >>> selection = featsieve.select(table, verbose=False)
    >>> selection
    Selection(2 of 12 features: x2, x1)
    >>> print(selection.code, end="")
    import featsieve
    <BLANKLINE>
    selection = featsieve.select(data, random_state=0)
    >>> featsieve.selection.Selection.from_json(selection.to_json()).features
    ['x2', 'x1']
    """

    def __init__(self, summary: dict[str, Any], library: str | None = None) -> None:
        self._summary = summary
        self._library = library

    @property
    def features(self) -> list[str]:
        """The features to keep, strongest first."""
        return list(self._summary["features"])

    @property
    def possible(self) -> list[str]:
        """Columns some of which matter, though rows do not show which, best first."""
        rows = [r for r in self._summary["ledger"] if r["verdict"] == "possible"]
        rows.sort(key=lambda row: row["p_value"])  # stable: ties as in the table
        return [row["feature"] for row in rows]

    @property
    def interchangeable(self) -> list[list[str]]:
        """Sets of columns any one of which could be kept, first the one that is."""
        rows = {row["feature"]: row for row in self._summary["ledger"]}
        sets = ([n, *rows[n]["interchangeable_with"]] for n in self.features)
        return [members for members in sets if len(members) > 1]

    @property
    def dropped(self) -> list[str]:
        """The columns that are not kept, in the order of the table."""
        return [r["feature"] for r in self._summary["ledger"] if not r["kept"]]

    @property
    def ledger(self) -> Any:
        """Every decision, one row per column, in the library of the caller."""
        return ledger_frame(self._summary["ledger"], self._library)

    @property
    def interactions(self) -> list[dict[str, Any]]:
        """What columns tell together."""
        return [dict(found) for found in self._summary["interactions"]]

    @property
    def notes(self) -> list[dict[str, Any]]:
        """What looks odd in the data, or limits the answer."""
        return [dict(note) for note in self._summary["notes"]]

    @property
    def code(self) -> str:
        """The lines of Python that give this selection again."""
        return str(self._summary["computation"]["code"])

    def verdict(self, feature: str, *, in_words: bool = False) -> str:
        """Return the verdict on a column.

        Parameters
        ----------
        feature : str
            Its name.
        in_words : bool, default=False
            With whom it is relevant or redundant, where, or why it is unusable.

        Returns
        -------
        str
            Such as ``"relevant together"``, in words ``"relevant together with 'x'"``.
        """
        row = self._row(feature)
        return verdict_words(row) if in_words else str(row["verdict"])

    def explain(self, feature: str) -> str:
        """Say in plain words what became of a column, and why.

        Parameters
        ----------
        feature : str
            Its name.

        Returns
        -------
        str
            One paragraph.
        """
        return explain_row(self._row(feature), self._summary)

    def _row(self, feature: str) -> dict[str, Any]:
        rows = {row["feature"]: row for row in self._summary["ledger"]}
        if feature in rows:
            return dict(rows[feature])
        near = nearest(feature, list(rows), 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        message = f"The table has no column {feature!r}.{hint}"
        raise KeyError(message)

    def transform(self, X: Any) -> Any:
        """Return a table with the selected features only, in their order in the table.

        Parameters
        ----------
        X : frame, array or Table
            Columns as in the table that was selected from; a frame may have others
            besides, such as the target.

        Returns
        -------
        frame, array or Table
            Of the kind that came in.
        """
        chosen = set(self.features)
        names = [row["feature"] for row in self._summary["ledger"]]
        if isinstance(X, Table):
            self._demand(X.names)
            return X.select([name for name in X.names if name in chosen])
        X = plain_input(X)
        if isinstance(X, Table):  # a mapping or rows with names
            self._demand(X.names)
            return table_values(X.select([n for n in names if n in chosen]), "default")
        if hasattr(X, "iloc") or is_frame(X):  # pandas allows repeated names
            return take_columns(X, self._places(X, names, chosen))
        array = np.asarray(X)
        if array.ndim != 2:
            message = (
                f"X must have rows and columns. Got {array.ndim} axes; give one row as "
                "[row]."
            )
            raise DataError(message)
        return array[:, self._positions(array.shape[1], names, chosen)]

    def _places(self, X: Any, names: list[str], chosen: set[str]) -> list[int]:
        """Return where in a frame the chosen columns are."""
        given = list(getattr(X, "column_names", X.columns))
        texts = [str(name) for name in given]
        wanted = [name for name in names if name in chosen]
        if all(texts.count(name) == 1 for name in wanted):
            return [texts.index(name) for name in wanted]
        renamed: list[Note] = []
        told_apart = unique_names(given, renamed)
        if not renamed:  # all names are what they were: one is not there
            self._demand(told_apart)
        target = self._summary["target"]["name"]
        if len(texts) == len(names):  # repeated names, told apart in reading
            return self._positions(len(texts), names, chosen)
        if len(texts) == len(names) + 1 and target in texts:
            return self._positions(len(texts), names, chosen, texts.index(target))
        self._demand(told_apart)
        message = "Column names of X must differ. Rename the repeated ones."
        raise DataError(message)

    def _demand(self, given: Sequence[str]) -> None:
        """Raise unless all chosen features are among the names that are given."""
        missing = [name for name in self.features if name not in given]
        if missing:
            near = nearest(missing[0], given, 1)
            hint = f" Did you rename it {near[0]!r}?" if near else ""
            message = f"X has no column {missing[0]!r}, which was selected.{hint}"
            raise DataError(message)

    def _positions(
        self,
        n_columns: int,
        names: list[str],
        chosen: set[str],
        target: int | None = None,
    ) -> list[int]:
        """Return the positions of the chosen columns, stepping over the target."""
        places = [j for j, name in enumerate(names) if name in chosen]
        if n_columns == len(names):
            return places
        if target is None:
            asked = self._summary["computation"]["parameters"].get("target")
            target = asked % n_columns if isinstance(asked, int) else None
        if n_columns == len(names) + 1 and target is not None:
            return [j + (j >= target) for j in places]
        message = (
            f"X must have the {len(names)} columns that were selected from. Got "
            f"{n_columns}."
        )
        raise DataError(message)

    def to_pipeline(self) -> Any:
        """Return a scikit-learn transformer that selects anew on what it is fitted to.

        In cross-validation it sees the training rows only, so nothing leaks from the
        test rows into the selection.

        Returns
        -------
        SieveSelector
            Not fitted, with the parameters of this selection.
        """
        from featsieve.selection._sieve_selector import SieveSelector  # noqa: PLC0415  (a circle)

        asked = self._summary["computation"]["parameters"]
        if asked.get("method", "auto") != "auto":
            message = (
                "to_pipeline is for method='auto'; put the selector itself into the "
                "pipeline."
            )
            raise ValueError(message)
        return SieveSelector(
            max_selected=asked["max_selected"],
            fdr=asked["fdr"],
            min_features=asked["min_features"],
            include_possible=asked["include_possible"],
            costs=asked["costs"],
            time_budget=asked["time_budget"],
            random_state=asked["random_state"],
        )

    def report(self, path: str | os.PathLike[str]) -> Path:
        """Write a page to look at: one HTML file that needs nothing else.

        Parameters
        ----------
        path : str or path
            Where to write it.

        Returns
        -------
        Path
            The same.
        """
        from featsieve.report import selection_page  # noqa: PLC0415  (needs an extra)

        place = Path(path)
        write_whole(place, selection_page(self._summary))
        return place

    def to_dict(self) -> dict[str, Any]:
        """Return all that is known as plain data.

        Returns
        -------
        dict
            Strings, numbers, truth values, None, lists and dictionaries only.
        """
        copy: dict[str, Any] = json.loads(self.to_json())
        return copy

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return all that is known as JSON, and write it if a path is given.

        Parameters
        ----------
        path : str, path or None, default=None
            A file to write.

        Returns
        -------
        str
            The text.
        """
        text = json.dumps(self._summary, ensure_ascii=False, allow_nan=False, indent=1)
        if path is not None:
            write_whole(path, text + "\n")
        return text

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> Self:
        """Read a selection again.

        Parameters
        ----------
        source : str or path
            The text of `to_json`, or the path of a file that holds it.

        Returns
        -------
        Selection
            With the same content.
        """
        text = str(source)
        if isinstance(source, os.PathLike) or not text.lstrip().startswith(("{", "[")):
            if not Path(source).is_file():
                message = f"There is no file {text!r} to read a selection from."
                raise DataError(message)
            text = Path(source).read_text(encoding="utf-8")
        try:
            summary = json.loads(text)
        except json.JSONDecodeError as error:
            message = f"This is not the JSON of a selection: {error}."
            raise DataError(message) from None
        if not isinstance(summary, dict) or summary.get("format") != FORMAT:
            message = "This JSON is not a selection; `Selection.to_json` writes one."
            raise DataError(message)
        if summary.get("version") != VERSION:
            message = (
                f"The selection is of version {summary.get('version')!r}, and this "
                f"featsieve reads version {VERSION}."
            )
            raise DataError(message)
        gone = [part for part in PARTS if part not in summary]
        if gone:
            message = f"The selection has no {gone[0]!r}; the file may be cut short."
            raise DataError(message)
        return cls(summary)

    def __repr__(self) -> str:
        kept, n_columns = self.features, len(self._summary["ledger"])
        shown = ", ".join(kept[:6]) + (", …" if len(kept) > 6 else "")
        return f"Selection({len(kept)} of {n_columns} features: {shown or 'none'})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Selection):
            return NotImplemented
        return self._summary == other._summary

    __hash__ = None  # type: ignore[assignment]  # it holds lists and can be compared

    def _repr_html_(self) -> str:
        try:
            from featsieve.report import selection_card  # noqa: PLC0415  (an extra)
        except ImportError:
            return f"<pre>{html.escape(repr(self))}</pre>"
        return str(selection_card(self._summary))
