"""ARFF files, as Weka writes and reads them: declared levels, quotes, sparse rows.

The format is described in Witten, Frank and Hall, "Data Mining", 3rd ed. (2011),
section 2.4, and in the Weka manual, chapter "ARFF".
"""

from __future__ import annotations

import datetime
import gzip
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from featsieve._types import Floats
from featsieve.data._looks import text_numbers
from featsieve.data._table import Note
from featsieve.data.read._encode import Codes, Numbers, Raw
from featsieve.data.read._files import clear_errors
from featsieve.data.read._settle import Loaded, Request, unique_names
from featsieve.exceptions import DataError

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"(?i)@attribute\s+({_QUOTED}|[^\s{{'\"][^\s{{]*)\s*(.*)$")
# The cell is stripped afterwards: a lazy match before \s* would cost n² on blanks.
_CELL = re.compile(rf"\s*(?:({_QUOTED})\s*|([^,]*))(?:,|$)")
_WORD = re.compile(rf"({_QUOTED})|(\S+)")
_SPARSE_CELL = re.compile(rf"\s*(\d+)\s+(?:({_QUOTED})\s*|([^,]*))(?:,|$)")
_WEIGHT = re.compile(r"^\{\s*[0-9.eE+-]+\s*\}$")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
# A quoted question mark is text, a bare one is missing; this stands for the first.
_QUOTED_MARK = "\ufdd0?"
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_JAVA = "yyyy yy MMMM MMM MM M dd d HH H hh h mm m ss s SSS a Z X XX XXX EEE EEEE"
_PYTHON = "Y y B b m m d d H H I I M M S S f p z z z z a A"
_JAVA_TO_PYTHON = dict(zip(_JAVA.split(), _PYTHON.split(), strict=True))
# Rows are gathered before they become columns; this bounds the Python objects alive.
CELLS_PER_BLOCK = 400_000


def load_arff(path: Path, request: Request, encoding: str) -> Loaded:
    """Load an ARFF file."""
    with clear_errors(path), _open(path, encoding) as stream:
        lines = enumerate(stream, start=1)
        attributes = _read_header(path, lines)
        notes: list[Note] = []
        names = unique_names([attribute.name for attribute in attributes], notes)
        rows = _Rows(path, attributes)
        rows.read(lines)
    if rows.n_weights:
        text = f"{rows.n_weights} rows carry an instance weight, which is not used. "
        text += "Make the weight a column if it matters."
        notes.append(Note("instance_weights", None, text))
    raws = [attribute.finish() for attribute in attributes]
    kinds = request.kinds(names)
    target = request.find_target(names)
    return Loaded(names, raws, kinds, target, notes=notes, n_rows=rows.n_rows)


def _open(path: Path, encoding: str) -> TextIO:
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        encoding = "utf-8-sig"
    if path.suffix.lower() == ".gz":
        return gzip.open(path, "rt", encoding=encoding)
    return path.open(encoding=encoding)


class _Nominal:
    """A nominal attribute: the declared levels, in declared order."""

    def __init__(self, name: str, levels: list[str], declared: bool = True) -> None:
        self.name = name
        self._levels = levels
        self._index = {"?": -1}
        self._index.update((level, i) for i, level in enumerate(levels) if level != "?")
        if "?" in levels:
            self._index[_QUOTED_MARK] = levels.index("?")
        self._declared = declared
        self._chunks: list[NDArray[np.int32]] = []

    @property
    def omitted(self) -> str:
        """What a sparse row means by leaving this attribute out."""
        if not self._declared:
            return ""  # which the caller does not accept
        first = self._levels[0] if self._levels else "?"
        return _QUOTED_MARK if self._levels[:1] == ["?"] else first

    def append(self, cells: Iterable[str]) -> int | None:
        """Add cells; return the place of the first that is not declared."""
        if not self._declared:
            for cell in cells:
                self._index.setdefault(cell, len(self._index) - 1)
        index = self._index
        codes = [index.get(cell, -2) for cell in cells]
        self._chunks.append(np.array(codes, dtype=np.int32))
        return codes.index(-2) if -2 in codes else None

    def wrong(self, cell: str) -> str:
        shown = ", ".join(repr(level) for level in self._levels[:5])
        more = ", …" if len(self._levels) > 5 else ""
        return (
            f"{cell!r} is not a declared value of {self.name!r} ({shown}{more}). "
            "Declare it or mark it as missing with ?."
        )

    def finish(self) -> Raw:
        codes = np.concatenate([np.empty(0, dtype=np.int32), *self._chunks])
        if self._declared:
            return Codes(codes, list(self._levels), declared=True)
        found = [key for key in self._index if key != "?"]
        return Codes(codes, [_shown(key) for key in found])


class _Numeric:
    """A numeric, real or integer attribute."""

    omitted = "0"

    def __init__(self, name: str, integer: bool) -> None:
        self.name = name
        self._integer = integer
        self._chunks: list[Floats] = []

    def append(self, cells: Iterable[str]) -> int | None:
        """Add cells; return the place of the first that is not a number."""
        texts = pa.array(cells, pa.large_string())
        known = pc.not_equal(texts, "?")
        try:
            values = pc.if_else(known, texts, None).cast(pa.float64())
            self._chunks.append(values.to_numpy(zero_copy_only=False))
        except pa.ArrowException:
            parsed, good = text_numbers(texts)
            wrong = ~good & known.to_numpy(zero_copy_only=False)
            if wrong.any():
                return int(np.argmax(wrong))
            self._chunks.append(parsed)
        return None

    def wrong(self, cell: str) -> str:
        return (
            f"{cell!r} is not a number, but {self.name!r} is declared numeric. Correct "
            "it or mark it as missing with ?."
        )

    def finish(self) -> Raw:
        values = np.concatenate([np.empty(0), *self._chunks])
        return Numbers(values, self._integer)


class _Date:
    """A date attribute, in days since 1970-01-01."""

    def __init__(self, name: str, pattern: str) -> None:
        self.name = name
        self._pattern = pattern
        self._format = _python_format(name, pattern)
        self._known = {"?": np.nan}
        self._chunks: list[Floats] = []
        self.omitted = _EPOCH.strftime(self._format)

    def append(self, cells: Iterable[str]) -> int | None:
        """Add cells; return the place of the first that is not a date."""
        days = []
        for place, cell in enumerate(cells):
            if cell not in self._known:
                try:
                    moment = datetime.datetime.strptime(cell, self._format)
                    aware = moment.replace(tzinfo=moment.tzinfo or datetime.UTC)
                    self._known[cell] = (aware - _EPOCH).total_seconds() / 86_400
                except (ValueError, OverflowError):
                    return place
            days.append(self._known[cell])
        self._chunks.append(np.array(days, dtype=np.float64))
        return None

    def wrong(self, cell: str) -> str:
        return (
            f"{cell!r} is not a date of the form {self._pattern!r}, as declared for "
            f"{self.name!r}. Correct it or mark it as missing with ?."
        )

    def finish(self) -> Raw:
        return Numbers(np.concatenate([np.empty(0), *self._chunks]), date="dates")


_Attribute = _Nominal | _Numeric | _Date


def _python_format(name: str, pattern: str) -> str:
    """Translate a Java date pattern into one for `strptime`."""
    out: list[str] = []
    for literal, letters, other in re.findall(r"'([^']*)'|([A-Za-z]+)|(.)", pattern):
        for run in re.findall(r"((.)\2*)", letters):
            directive = f"%{_JAVA_TO_PYTHON.get(run[0], '')}"
            if directive == "%" or directive in out:
                raise DataError(
                    f"The date pattern {pattern!r} of {name!r} is not understood at "
                    f"{run[0]!r}. Declare the attribute as string or convert it."
                )
            out.append(directive)
        out.append((literal or other).replace("%", "%%"))
    return "".join(out)


def _read_header(path: Path, lines: Iterator[tuple[int, str]]) -> list[_Attribute]:
    attributes: list[_Attribute] = []
    for number, line in lines:
        text = _strip_comment(line).strip()
        word = text.split(None, 1)[0].lower() if text else ""
        if word == "@data":
            if attributes:
                return attributes
            break
        if word == "@attribute":
            try:
                attributes.append(_parse_attribute(text))
            except DataError as error:
                raise DataError(f"Line {number} of {str(path)!r}: {error}") from None
        elif word not in ("", "@relation"):
            raise DataError(
                f"Line {number} of {str(path)!r} is neither @relation, @attribute, "
                f"@data nor a comment: {text[:60]!r}. Check that this is an ARFF file."
            )
    lacking = "@data line" if attributes else "@attribute line"
    msg = f"{str(path)!r} has no {lacking}. Check that this is a whole ARFF file."
    raise DataError(msg)


def _parse_attribute(text: str) -> _Attribute:
    found = _ATTRIBUTE.match(text)
    if found is None:
        msg = f"{text[:60]!r} is not understood. Quote names that hold blanks."
        raise DataError(msg)
    name, kind = _unquote(found[1]), found[2].strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise DataError(f"the values of {name!r} have no closing brace. Add it.")
        inside = kind[1:-1].strip()
        levels = [_shown(cell) for cell in _split(inside)] if inside else []
        if len(set(levels)) < len(levels):
            twice = next(x for i, x in enumerate(levels) if x in levels[:i])
            raise DataError(f"{name!r} declares the value {twice!r} twice. Remove one.")
        return _Nominal(name, levels)
    word, _, rest = kind.partition(" ")
    word = word.lower()
    if word in ("numeric", "real", "integer"):
        return _Numeric(name, integer=word == "integer")
    if word == "string":
        return _Nominal(name, [], declared=False)
    if word == "date":
        pattern = rest.strip()
        if pattern[:1] in ("'", '"') and pattern[-1:] == pattern[:1]:
            pattern = pattern[1:-1]
        return _Date(name, pattern or "yyyy-MM-dd'T'HH:mm:ss")
    raise DataError(
        f"{name!r} is declared as {kind[:40]!r}. Use numeric, string, date or "
        "{value, …}; relational attributes are not read."
    )


class _Rows:
    """Splits data lines into cells and hands them to the attributes in blocks."""

    def __init__(self, path: Path, attributes: list[_Attribute]) -> None:
        self._path = path
        self._attributes = attributes
        self._rows: list[list[str]] = []
        self._numbers: list[int] = []
        self.n_rows = 0
        self.n_weights = 0

    def read(self, lines: Iterator[tuple[int, str]]) -> None:
        """Read all data lines."""
        width = len(self._attributes)
        most = max(1, CELLS_PER_BLOCK // width)
        for number, raw in lines:
            line = raw.strip()
            if "%" in line:
                line = _strip_comment(line).strip()
            if not line:
                continue
            cells = self._cells(line, number, width)
            if len(cells) != width:
                raise DataError(
                    f"Line {number} of {str(self._path)!r} has {len(cells)} values "
                    f"where {width} are declared: {line[:60]!r}. Quote values that "
                    "hold commas or blanks."
                )
            self._rows.append(cells)
            self._numbers.append(number)
            if len(self._rows) == most:
                self._flush()
        self._flush()

    def _cells(self, line: str, number: int, width: int) -> list[str]:
        if line[0] == "{":
            return self._sparse(line, number)
        if "'" not in line and '"' not in line and "\\" not in line:
            cells = [cell.strip() for cell in line.split(",")]
        else:
            cells = _split(line)
        if len(cells) == 1 and width > 1:
            cells = [_plain(a) if a else b for a, b in _WORD.findall(line)]
        if len(cells) == width + 1 and _WEIGHT.match(cells[-1]):
            self.n_weights += 1
            cells.pop()
        return cells

    def _sparse(self, line: str, number: int) -> list[str]:
        end = line.rfind("}")
        body, rest = line[1:end].strip(), line[end + 1 :].strip()
        weight = re.search(r"\}\s*,\s*\{([^{}'\"]*)$", line[:end]) if end > 0 else None
        if weight:
            body = line[1 : weight.start()].strip()
            self.n_weights += 1
        if end < 0 or rest:
            self._fail(number, "a sparse row has no closing brace. Add it.")
        given: dict[int, str] = {}
        position = 0
        while position < len(body):
            cell = _SPARSE_CELL.match(body, position)
            place = int(cell[1]) if cell and len(cell[1]) < 10 else -1
            if cell is None or not 0 <= place < len(self._attributes) or place in given:
                shown = body[position : position + 40]
                self._fail(number, f"{shown!r} is not '<attribute number> <value>'.")
                break
            given[place] = _plain(cell[2]) if cell[2] else cell[3].strip()
            position = cell.end()
        cells = [given.get(i, a.omitted) for i, a in enumerate(self._attributes)]
        if "" in cells and "" not in given.values():
            name = self._attributes[cells.index("")].name
            self._fail(number, f"a sparse row leaves out the text {name!r}. Add it.")
        return cells

    def _fail(self, number: int, text: str) -> None:
        raise DataError(f"Line {number} of {str(self._path)!r}: {text}") from None

    def _flush(self) -> None:
        if not self._rows:
            return
        columns = zip(*self._rows, strict=True)
        for attribute, cells in zip(self._attributes, columns, strict=True):
            wrong = attribute.append(cells)
            if wrong is not None:
                wording = attribute.wrong(_shown(cells[wrong]))
                self._fail(self._numbers[wrong], wording)
        self.n_rows += len(self._rows)
        self._rows, self._numbers = [], []


def _split(line: str) -> list[str]:
    """Split at commas outside quotes."""
    cells: list[str] = []
    position = 0
    while True:
        found = _CELL.match(line, position)
        if found is None:  # pragma: no cover  (the pattern takes anything)
            return [*cells, line[position:]]
        cells.append(_plain(found[1]) if found[1] else found[2].strip())
        position = found.end()
        if position >= len(line):
            return [*cells, ""] if found[0].endswith(",") else cells


def _plain(quoted: str) -> str:
    text = _unquote(quoted)
    return _QUOTED_MARK if text == "?" else text


def _shown(cell: str) -> str:
    return "?" if cell == _QUOTED_MARK else cell


def _unquote(text: str) -> str:
    if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
        return text

    def unescaped(found: re.Match[str]) -> str:
        code = found[1]
        return chr(int(code[1:], 16)) if len(code) == 5 else _ESCAPES.get(code, code)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", unescaped, text[1:-1])


def _strip_comment(line: str) -> str:
    """Cut a comment off: a % outside quotes, at the start or after a blank or comma."""
    quote = ""
    skip = False
    before = " "
    for i, char in enumerate(line):
        if skip:
            skip = False
        elif quote:
            skip = char == "\\"
            quote = "" if char == quote else quote
        elif before in " \t,{":
            if char == "%":
                return line[:i]
            if char in "'\"":
                quote = char
        before = char
    return line
