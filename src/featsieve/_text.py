"""Foreign text, made safe to show: on a terminal, in a picture, in a page."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Sequence


def nearest(word: object, names: Sequence[str], most: int = 3) -> list[str]:
    """Return the names that somebody may have meant, best first, capitals or not."""
    wanted = str(word).strip().casefold()
    same = [name for name in names if name.strip().casefold() == wanted]
    near = difflib.get_close_matches(str(word), names, n=most)
    return list(dict.fromkeys([*same, *near]))[:most]


def visible(text: object) -> str:
    """Return the text with control and direction characters spelled out."""
    return "".join(
        character if _harmless(character) else _spell(character)
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


def _spell(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
