"""Write files whole or not at all: a full disk leaves what was there before."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path beside a file, which takes its place when the block ends well.

    If the block fails, nothing of it is left, and the file is as it was. What is no
    plain file (a terminal, a pipe) is yielded as it is.
    """
    wanted = Path(path)
    if wanted.exists() and not wanted.is_file():
        yield wanted
        return
    place = wanted.resolve()  # a link stays a link, and the two are on one disk
    name = f".{place.stem[:40]}.{secrets.token_hex(6)}{place.suffix}"
    beside = place.with_name(name)
    try:
        yield beside
        with beside.open("rb") as stream:  # the disk may find itself full only now
            os.fsync(stream.fileno())
        if place.exists():
            beside.chmod(place.stat().st_mode & 0o777)
        beside.replace(place)
    except BaseException as error:
        beside.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(beside)):
            error.filename = str(wanted)  # the name that the caller knows
        raise


def write_whole(path: str | os.PathLike[str], text: str, *, newline: str = "") -> None:
    """Write a text in UTF-8, whole or not at all; line ends stay as they are."""
    with (
        whole_file(path) as beside,
        beside.open("w", encoding="utf-8", newline=newline) as stream,
    ):
        stream.write(text)
