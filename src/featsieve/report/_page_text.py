"""How numbers, names and counts read on a page."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from featsieve._text import visible

__all__ = [
    "NOTHING",
    "count_of",
    "format_number",
    "format_p_value",
    "format_seconds",
    "format_share",
    "json_for_script",
    "listed",
    "plain_value",
    "shown_name",
    "shown_text",
]

NOTHING = "–"
MINUS = "\u2212"
LONGEST_VALUE = 400


def format_number(value: float | None) -> str:
    """Return three significant digits; the page's script says the same."""
    if value is None:
        return NOTHING
    size = abs(value)
    if size == 0:
        return "0"
    sign = MINUS if value < 0 else ""
    if size < 0.0001:
        mantissa, exponent = f"{size:.1e}".split("e")
        return f"{sign}{mantissa}e{MINUS}{abs(int(exponent))}"
    if size < 0.001:
        return f"{sign}{size:.2g}"
    if size >= 999.5:
        return f"{sign}{size:,.0f}"
    return sign + f"{size:#.3g}".rstrip(".")


def format_p_value(value: float | None) -> str:
    """Return a p-value with three decimals, and none smaller than can be believed."""
    if value is None:
        return NOTHING
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def format_share(value: float | None) -> str:
    """Return a share as per cent."""
    if value is None:
        return NOTHING
    if 0 < value < 0.001:
        return "< 0.1 %"
    return f"{100 * value:.1f} %".replace(".0 %", " %")


def format_seconds(value: float) -> str:
    """Return a time in a unit that suits it."""
    if value < 0.9995:
        return f"{1000 * value:.0f} ms"
    if value < 99.95:
        return f"{value:.1f} s"
    minutes, seconds = divmod(round(value), 60)
    return f"{minutes:,} min {seconds} s"


def count_of(n: int, word: str) -> str:
    """Return how many, with the word in the right number."""
    return f"{n:,} {word}" + ("" if n == 1 else "s")


def listed(parts: Sequence[str]) -> str:
    """Return the parts as one does in speech: a, b and c."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def shown_name(name: object) -> str:
    """Return a foreign name so that it can be seen, whatever it holds."""
    plain = isinstance(name, str) and name.isascii() and name.isprintable()
    text = str(name) if plain else visible(name)
    return text if text.strip() else "(no name)"


def shown_text(text: object) -> str:
    """Return a foreign text of several lines so that it can be seen."""
    return "\n".join(visible(line) for line in str(text).split("\n"))


def plain_value(value: Any) -> str:
    """Return the value of a parameter as in Python, cut where nobody reads on."""
    text = visible(value if isinstance(value, str) else repr(value))
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def json_for_script(value: Any) -> str:
    r"""Return JSON that cannot end the script it stands in.

    Examples
    --------
    >>> json_for_script(["</script>"])
    '["\\u003c/script\\u003e"]'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
