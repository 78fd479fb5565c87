"""What leaves the library: foreign text made safe to show, files written whole."""

from __future__ import annotations

import contextlib
import difflib
import os
import secrets
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path


def nearest(word: object, names: Sequence[str], most: int = 3) -> list[str]:
    """Return the names that somebody may have meant, best first, capitals or not."""
    wanted = str(word).strip().casefold()
    same = [name for name in names if name.strip().casefold() == wanted]
    near = difflib.get_close_matches(str(word), names, n=most)
    return list(dict.fromkeys([*same, *near]))[:most]


def visible(text: object) -> str:
    """Return the text with control and direction characters spelled out."""
    return "".join(
        character
        if _harmless(character)
        else character.encode("unicode_escape").decode("ascii")
        for character in str(text)
    )


def shortened(name: str, longest: int) -> str:
    """Return a name of at most about so many characters, its middle left out."""
    if len(name) <= longest:
        return name or "(no name)"
    half = longest // 2
    return f"{name[: half - 1]}…{name[-half:]}"


def _harmless(character: str) -> bool:
    if ord(character) & 0xFFFE == 0xFFFE:  # no characters, and not allowed in XML
        return False
    # The zero-width joiner builds emoji, and does nothing else.
    category = unicodedata.category(character)
    return category not in ("Cc", "Cf", "Cs", "Zl", "Zp") or character == "\u200d"


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


def write_whole(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, whole or not at all; line ends stay as they are."""
    with (
        whole_file(path) as beside,
        beside.open("w", encoding="utf-8", newline="") as stream,
    ):
        stream.write(text)
