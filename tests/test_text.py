"""Foreign text, made safe; and what somebody may have meant."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve._text import nearest, visible


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text):
    shown = visible(text)
    for character in shown:
        assert (
            unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
            or character == "\u200d"
        )
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größe ü", "größe ü"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u202eabc", "\\u202eabc"),
        ("\u200d", "\u200d"),
        ("\ufffe\U0001ffff", "\\ufffe\\U0001ffff"),
        (3, "3"),
    ],
)
def test_controls_are_spelled_out(text, shown):
    assert visible(text) == shown


def test_the_same_but_for_capitals_comes_first():
    names = ["colours", "colour", "Colour ", "size"]
    assert nearest("COLOUR", names) == ["colour", "Colour "]
    assert nearest("colours", names)[0] == "colours"
    assert nearest("colours", names, 1) == ["colours"]
    assert nearest("zzz", names) == []
    assert nearest(7, ["7", "77"])[0] == "7"
