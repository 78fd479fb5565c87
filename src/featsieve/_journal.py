"""A diary on disk that survives whatever happens to the program, and whose it is."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self

import joblib
import numpy as np

from featsieve.exceptions import DataError

try:
    import fcntl
except ImportError:  # Windows, where nothing guards against two runs at once
    fcntl = None  # type: ignore[assignment]


FORMAT = "featsieve journal 1"
#: Parameters that change how long an answer takes, and not the answer.
IDLE_PARAMETERS = ("n_jobs", "verbose")


class Journal:
    """Records of one run in a file of JSON lines, the first of which says which run.

    A line counts once its end of line is on disk. Each is flushed to the disk before
    `append` returns, so that a program killed at any moment loses at most the record
    it was writing; the torn line is cut off when the journal is opened again.

    Parameters
    ----------
    path : str or Path
        The file; made if it is not there.
    setup : mapping
        What the run is about, for people and as a guard: named texts. A file of
        another setup is refused.
    """

    def __init__(self, path: str | Path, setup: Mapping[str, str]) -> None:
        self.path = Path(path)
        self.records: list[dict[str, Any]] = []
        if not self.path.parent.is_dir():
            raise DataError(
                f"There is no folder {str(self.path.parent)!r} for the journal "
                f"{str(self.path)!r}. Make it first."
            )
        header = {"format": FORMAT, "setup": dict(setup)}
        # Opened for reading and writing without truncating it.
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        self._stream: IO[bytes] = os.fdopen(descriptor, "r+b", buffering=0)
        try:
            self._lock()
            self._resume(header)
        except BaseException:
            self._stream.close()
            raise

    def _lock(self) -> None:
        if fcntl is None:
            return
        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataError(
                f"The journal {str(self.path)!r} is in use by another run. Wait for "
                "it, or choose another file."
            ) from None

    def _resume(self, header: dict[str, Any]) -> None:
        """Read what is there, cut off a torn end, and write a header if need be."""
        whole = self._stream.read() or b""
        end = whole.rfind(b"\n") + 1
        lines = list(self._parsed(whole[:end]))
        # Nothing is written before it is certain that the file is ours.
        if not lines:
            if not _is_torn_header(whole):
                raise self._foreign_file()
            self._cut(0)
            self.append(header, keep=False)
            _sync_folder(self.path.parent)
            return
        self._check_setup(lines[0][1], header)
        if lines[-1][1] is None:  # a crash of the machine may leave zeros
            end = lines.pop()[0]
        for number, (_, line) in enumerate(lines, 1):
            if line is None:
                raise DataError(
                    f"Line {number} of the journal {str(self.path)!r} is damaged. "
                    "Remove the file to start again."
                )
        self._cut(end)
        self.records = [line for _, line in lines[1:] if line is not None]

    def _cut(self, end: int) -> None:
        self._stream.seek(end)
        self._stream.truncate()

    @staticmethod
    def _parsed(text: bytes) -> Iterator[tuple[int, dict[str, Any] | None]]:
        """Yield where each line starts, and what it holds: None if it is damaged."""
        start = 0
        for raw in text.splitlines(keepends=True):
            try:
                line = json.loads(raw)
            except ValueError:
                line = None
            yield start, line if isinstance(line, dict) else None
            start += len(raw)

    def _check_setup(
        self, found: dict[str, Any] | None, header: dict[str, Any]
    ) -> None:
        if found is None or found.get("format") != FORMAT:
            raise self._foreign_file()
        theirs, ours = found.get("setup", {}), header["setup"]
        changed = [key for key in ours | theirs if theirs.get(key) != ours.get(key)]
        if not changed:
            return
        was, now = _parts_that_differ(
            theirs.get(changed[0], "not there"), ours.get(changed[0], "not there")
        )
        raise DataError(
            f"The journal {str(self.path)!r} belongs to another run, with other "
            f"{', '.join(changed)} ({changed[0]}: {was!r} there, {now!r} now). Choose "
            "another file, or remove it to start again."
        )

    def _foreign_file(self) -> DataError:
        return DataError(
            f"{str(self.path)!r} is not a journal of featsieve. Choose another file "
            "for it."
        )

    def append(self, record: Mapping[str, Any], *, keep: bool = True) -> None:
        """Write a record, and return when it is on the disk.

        A full disk leaves the records before it, and none of this one.
        """
        line = json.dumps(record, allow_nan=False, separators=(",", ":")) + "\n"
        raw = memoryview(line.encode())
        start = self._stream.tell()
        try:
            while raw:  # an unbuffered write may take a part only
                raw = raw[self._stream.write(raw) or 0 :]
            os.fsync(self._stream.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):  # else it is cut off on the next opening
                self._cut(start)
            error.filename = str(self.path)
            raise
        if keep:
            self.records.append(json.loads(line))

    def close(self) -> None:
        """Close the file; another run may open it then."""
        self._stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_torn_header(whole: bytes) -> bool:
    """Whether the file is empty, or holds nothing but the start of a header."""
    opening = json.dumps({"format": FORMAT}, separators=(",", ":"))[:-1].encode()
    return whole[: len(opening)] == opening[: len(whole)] or not whole.strip(b"\0")


def _sync_folder(folder: Path) -> None:
    """Make sure that the name of a new file is on disk too."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _parts_that_differ(first: str, second: str, most: int = 60) -> tuple[str, str]:
    """Return both texts from a little before the place where they part."""
    same = (a == b for a, b in zip(first, second, strict=False))
    common = sum(1 for _ in itertools.takewhile(bool, same))
    start = max(common - most // 3, 0)
    before = "…" if start else ""

    def part(text: str) -> str:
        end = start + most
        return before + text[start:end] + ("…" if len(text) > end else "")

    return part(first), part(second)


def describe(thing: Any) -> str:
    """Return a text that is the same for the same object in any process."""
    return json.dumps(_description(thing), sort_keys=True, ensure_ascii=False)


def _description(thing: Any) -> Any:  # noqa: PLR0911  (one per kind of value)
    if isinstance(thing, np.generic):
        return _description(thing.item())
    if thing is None or isinstance(thing, (bool, int, float, str)):
        return repr(thing) if isinstance(thing, float) else thing
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        digest = hashlib.blake2b(np.ascontiguousarray(thing).tobytes(), digest_size=8)
        return f"array {thing.dtype}{thing.shape} {digest.hexdigest()}"
    if isinstance(thing, (list, tuple)):
        return [_description(item) for item in thing]
    if isinstance(thing, Mapping):
        return {str(key): _description(value) for key, value in thing.items()}
    if hasattr(thing, "get_params") and not isinstance(thing, type):
        parameters = {
            key: _description(value)
            for key, value in thing.get_params(deep=False).items()
            if key not in IDLE_PARAMETERS
        }
        return {_full_name(type(thing)): parameters}
    if isinstance(thing, type) or hasattr(thing, "__code__"):
        return _full_name(thing) + _body(thing)
    try:
        return f"{_full_name(type(thing))} {joblib.hash(thing)}"
    except Exception:  # what cannot be pickled is known by its class only
        return _full_name(type(thing))


def _body(thing: Any) -> str:
    """Return what tells a function from another of the same name."""
    code = getattr(thing, "__code__", None)
    if code is None:
        return ""
    plain = (bool, int, float, str, bytes)
    constants = [repr(each) for each in code.co_consts if isinstance(each, plain)]
    return f" {joblib.hash((code.co_code, code.co_names, constants))}"


def _full_name(thing: Any) -> str:
    """Return where a class comes from, with the version of its package."""
    package = thing.__module__.partition(".")[0]
    version = getattr(sys.modules.get(package), "__version__", "")
    return f"{thing.__module__}.{thing.__qualname__} {version}".rstrip()
