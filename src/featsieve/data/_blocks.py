"""CSV files in blocks: polars parses what is plain, pyarrow whatever is not.

Pyarrow sets the rules. Polars is faster by a third and follows the same rules in plain
rows (`_kernels.plain_rows`); a block that is not plain, or that polars refuses, is read
by pyarrow, so the outcome never depends on which of them is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from featsieve._kernels import plain_rows

__all__ = ["DEFAULT_MISSING", "LARGEST_BLOCK", "MixedBlocks", "SmallBlockError"]

DEFAULT_MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
# Polars takes about a millisecond per call; a block and its columns fit the caches.
BLOCK_BYTES = 1 << 22
LARGEST_BLOCK = 1 << 30
# Lines are shorter than this as a rule.
WINDOW_BYTES = 1 << 16
# Below this size importing polars takes longer than it saves.
FEWEST_BYTES = 1 << 26
SEPARATORS = ",;\t|"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class SmallBlockError(Exception):
    """A row is longer than a block."""


class MixedBlocks:
    """The blocks of one CSV file in UTF-8, each parsed by the reader that suits it.

    `types` are arrow types by column name; `parse` reads a block with pyarrow into
    lists of arrow arrays. Blocks have `step` bytes, longer rows aside.
    """

    def __init__(
        self,
        path: Path,
        separator: str,
        missing: Sequence[str],
        types: dict[str, Any],
        parse: Callable[[bytes], Iterator[list[Any]]],
    ) -> None:
        self._path = path
        self._separator = separator
        self._types = types
        self._parse = parse
        self._missing = list(missing)
        # Looking for these texts costs polars time. The usual ones are no numbers, so
        # a column of numbers that holds one is refused, and then they are named.
        self._nulls = None if {*missing} <= {*DEFAULT_MISSING} else self._missing
        if any(pa.types.is_timestamp(kind) for kind in types.values()):
            self._nulls = self._missing
        self._polars = _import_polars()
        self.step = BLOCK_BYTES

    @classmethod
    def suit(cls, path: Path, separator: str) -> bool:
        """Return whether polars is there and worth its import."""
        return (
            separator in SEPARATORS
            and path.stat().st_size >= FEWEST_BYTES
            and _import_polars() is not None
        )

    def read(self) -> Iterator[list[Any]] | None:
        """Return the columns block by block; None if the header is not plain."""
        with self._path.open("rb") as stream:
            start = stream.read(self.step)
        mark = len(BYTE_ORDER_MARK) if start.startswith(BYTE_ORDER_MARK) else 0
        header = start[mark : start.find(b"\n") + 1]
        end, n_rows = plain_rows(header, self._separator, len(self._types))
        return self._columns(mark + end) if n_rows == 1 else None

    def _columns(self, offset: int) -> Iterator[list[Any]]:
        n_bytes = self._path.stat().st_size
        size = self.step
        with self._path.open("rb", buffering=0) as stream:
            while data := _read_lines(stream, offset, size):
                at_end = offset + len(data) >= n_bytes
                # The last row may lack its line break.
                rows = data if data.endswith(b"\n") or not at_end else data + b"\n"
                end, n_rows = plain_rows(rows, self._separator, len(self._types))
                if at_end and n_rows is None:
                    rows, end = data, len(data)
                if end:
                    yield from self._block(rows[:end], n_rows)
                    offset += end
                    size = self.step
                elif (size := 2 * size) > LARGEST_BLOCK:
                    raise SmallBlockError

    def _block(self, block: bytes, n_rows: int | None) -> Iterator[list[Any]]:
        if block.startswith(BYTE_ORDER_MARK):
            # Within a file it is text; empty lines are skipped, and hide it.
            block, n_rows = b"\n" + block, None
        if n_rows is not None and self._polars is not None:
            table = self._parse_plain(block)
            if table is not None and table.num_rows == n_rows:
                for batch in table.to_batches():
                    yield batch.columns
                return
            # What it refuses once, such as blanks around numbers, will come again.
            self._polars = None
        yield from self._parse(block)

    def _parse_plain(self, block: bytes) -> Any:
        """Return the rows as polars reads them, None if it cannot."""
        pl = self._polars
        kinds = {pa.float64(): pl.Float64, pa.int64(): pl.Int64}
        schema = {  # by number: some names polars cannot hand over
            str(i): kinds.get(kind, pl.String)
            for i, kind in enumerate(self._types.values())
        }
        while True:
            try:
                frame = pl.read_csv(
                    block,
                    has_header=False,
                    schema=schema,
                    separator=self._separator,
                    null_values=self._nulls,
                )
                # The newest level is the form in which polars holds text. In one
                # chunk, because a call per chunk and column costs more than a copy.
                newest = pl.CompatLevel.newest()
                return self._with_times(frame.rechunk().to_arrow(compat_level=newest))
            except (pl.exceptions.PolarsError, pa.ArrowException):
                if self._nulls is not None:
                    return None
                self._nulls = self._missing

    def _with_times(self, table: Any) -> Any:
        for i, kind in enumerate(self._types.values()):
            if pa.types.is_timestamp(kind):
                times = table.column(i).cast(pa.large_string()).cast(kind)
                table = table.set_column(i, str(i), times)
        return table


def _read_lines(stream: Any, offset: int, size: int) -> bytes:
    """Return at most `size` bytes from `offset` on, ending with a line if possible.

    The end is looked for first, so that what is read need not be copied to cut it.
    """
    window = min(size, WINDOW_BYTES)
    stream.seek(offset + size - window)
    last = stream.read(window).rfind(b"\n")
    stream.seek(offset)
    data: bytes = stream.read(size - window + last + 1 if last >= 0 else size)
    return data


def _import_polars() -> Any:
    try:
        import polars as pl  # noqa: PLC0415 - optional, and slow to import
    except ImportError:
        return None
    return pl if hasattr(pl, "CompatLevel") else None
