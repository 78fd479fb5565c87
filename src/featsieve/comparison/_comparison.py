"""What a comparison found: tables, tests, ranks, a page."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from featsieve._text import visible, write_whole
from featsieve.data.api import make_frame
from featsieve.report import critical_difference_svg
from featsieve.report.api import comparison_page

#: What is shown of the table where room is short, and how.
SHOWN = {
    "estimator": "{}",
    "selector": "{}",
    "score": "{:.4f}",
    "score_low": "{:.4f}",
    "score_high": "{:.4f}",
    "n_features": "{:.1f}",
    "stability": "{:.2f}",
    "select_seconds": "{:.3f}",
    "fit_seconds": "{:.3f}",
    "n_failed": "{}",
}


class Comparison:
    """Selectors and learners compared on rows that neither had seen.

    `featsieve.compare` makes it.

    Parameters
    ----------
    document : dict
        Everything, as plain data; `to_json` writes it.
    library : {"pandas", "polars", "pyarrow"}
        Library of the frames that the attributes below are.

    Attributes
    ----------
    table : frame
        One row per learner and selector: mean score with its spread and corrected
        interval, number of features, stability with interval, seconds, failures.
    tests : frame
        One row per learner and pair of selectors: the corrected resampled t-test,
        with p-values by Holm for all pairs of the learner together.
    folds : frame
        One row per split, selector and learner, as scored.
    ranks : dict or None
        Mean ranks of the selectors and their critical difference.
    failures : list of dict
        Which contestant failed on which split, and what it said.
    summary : list of str
        For each learner in words: who is best, who cannot be told from it.
    notes : list of str
        How rows belong together, if that was found, and who does not heed it.

    See Also
    --------
    featsieve.compare : Do the comparison.

    Examples
    --------
    >>> import featsieve
    >>> from featsieve.datasets import make_corral
    >>> problem = make_corral(random_state=0)
    >>> comparison = featsieve.compare(
    ...     problem.table, selectors=["all", "cfs"], estimators=["c4.5"], cv="4x2"
    ... )
    >>> comparison.table["selector"].tolist(), comparison.tests["first"].tolist()
    (['all', 'cfs'], ['all'])
    """

    def __init__(self, document: dict[str, Any], library: str = "pandas") -> None:
        self._document = document
        self._library = library

    @property
    def table(self) -> Any:
        """One row per learner and selector."""
        return self._frame("table")

    @property
    def tests(self) -> Any:
        """One row per learner and pair of selectors."""
        return self._frame("tests")

    @property
    def folds(self) -> Any:
        """One row per split, selector and learner."""
        return self._frame("folds")

    @property
    def ranks(self) -> dict[str, Any] | None:
        """Mean ranks of the selectors, and their critical difference."""
        return self._document["ranks"]

    @property
    def failures(self) -> list[dict[str, Any]]:
        """Which contestant failed where, and what it said."""
        return self._document["failures"]

    @property
    def summary(self) -> list[str]:
        """For each learner in words: who is best, who cannot be told from it."""
        return self._document["summary"]

    @property
    def notes(self) -> list[str]:
        """How rows belong together, if that was found, and who does not heed it."""
        return self._document["notes"]

    def _frame(self, part: str) -> Any:
        rows: list[dict[str, Any]] = self._document[part]
        names = COLUMNS[part]
        columns = {name: [row[name] for row in rows] for name in names}
        return make_frame(
            columns, {name: KINDS.get(name, float) for name in names}, self._library
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as lists, dictionaries, texts and numbers, or None."""
        return self._document

    def to_json(self) -> str:
        """Return everything as JSON, which `from_json` reads."""
        return json.dumps(self._document, indent=2, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str, library: str = "pandas") -> Comparison:
        """Return the comparison that `to_json` wrote, with frames of a library."""
        return cls(json.loads(text), library)

    def critical_difference_svg(self) -> str:
        """Return the critical-difference picture of the selectors as SVG.

        It is empty if there are fewer than two selectors or splits.
        """
        ranks = self.ranks
        if ranks is None:
            return ""
        return critical_difference_svg(
            ranks["selectors"],
            ranks["mean_ranks"],
            ranks["critical_difference"],
            not_different=ranks["groups"],
        )

    def report(self, path: str | Path) -> Path:
        """Write an .html page that needs no network and no other files."""
        path = Path(path)
        write_whole(path, comparison_page(self._document))
        return path

    def __repr__(self) -> str:
        rows = [list(SHOWN), *self._shown()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.ljust(width) if number < 2 else cell.rjust(width)
                for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            ).rstrip()
            for row in rows
        ]
        said = map(visible, (*self.summary, *self.notes))
        return "\n".join([self._heading(), *lines, *said])

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            inner = "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells)
            return f"<tr>{inner}</tr>"

        body = "".join(line(row, "td") for row in self._shown())
        said = "".join(
            f"<li>{html.escape(visible(text))}</li>"
            for text in (*self.summary, *self.notes)
        )
        return (
            f"<p>{html.escape(self._heading())}</p><table><thead>"
            f"{line(list(SHOWN), 'th')}</thead><tbody>{body}</tbody></table><ul>{said}"
            "</ul>"
        )

    def _heading(self) -> str:
        known = self._document
        return visible(
            f"Comparison on {known['n_rows']} rows, {known['n_features']} features, "
            f"target {known['target']!r}: {known['scoring']}, {known['cv']}"
        )

    def _shown(self) -> list[list[str]]:
        return [
            [
                "-" if row[name] is None else visible(form.format(row[name]))
                for name, form in SHOWN.items()
            ]
            for row in self._document["table"]
        ]


#: Kinds of the columns that are not numbers with decimals.
KINDS: dict[str, type] = {
    **dict.fromkeys(("selector", "estimator", "first", "second"), str),
    **dict.fromkeys(("split", "n_splits", "n_failed"), int),
    "different": bool,
}
#: Columns of the frames, also where they have no rows.
COLUMNS = {
    "table": (
        *("selector", "estimator", "score", "score_std", "score_low", "score_high"),
        *("n_features", "n_features_std", "stability", "stability_low"),
        *("stability_high", "select_seconds", "fit_seconds", "n_splits", "n_failed"),
    ),
    "tests": (
        *("estimator", "first", "second", "difference", "low", "high", "p_value"),
        *("adjusted_p_value", "different", "n_splits"),
    ),
    "folds": (
        *("split", "selector", "estimator", "score", "n_features", "select_seconds"),
        "fit_seconds",
    ),
}
