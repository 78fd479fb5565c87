"""Numbers, bars, progress: how things look."""

from __future__ import annotations

import io
import sys
import time

import pytest

from featsieve._text import visible
from featsieve.cli._main import PLAIN, protect_streams
from featsieve.cli.views import output as _output
from featsieve.cli.views.output import (
    SafeConsole,
    bar,
    bullet,
    number,
    percent,
    plural,
    probability,
    sparkline,
    two_sided_bar,
    working,
)


@pytest.mark.parametrize(
    ("share", "shown"),
    [
        (0, ""),
        (1e-9, "▏"),
        (0.5, "██"),
        (0.53, "██▏"),
        (1, "████"),
        (2, "████"),
        (-1, ""),
    ],
)
def test_bar(share, shown):
    assert bar(share, 4) == shown


@pytest.mark.parametrize(
    ("share", "shown", "colour"),
    [
        (1, "   │███", "red"),
        (0.5, "   │█▌ ", "red"),
        (0, "   │   ", "red"),
        (-0.5, " ▐█│   ", "blue"),
        (-2, "███│   ", "blue"),
        (-1e-9, "  ▐│   ", "blue"),
    ],
)
def test_two_sided_bar(share, shown, colour):
    text = two_sided_bar(share, 3)
    assert text.plain == shown
    inked = [span for span in text.spans if "█" in text.plain[span.start : span.end]]
    assert all(span.style == colour for span in inked)


def test_sparkline():
    assert sparkline([0, 1, 4, 8]) == " ▁▄▇"
    assert sparkline([1, 1000]) == "▁▇"
    assert sparkline([0, 0]) == ""
    assert sparkline([]) == ""


@pytest.mark.parametrize(
    ("function", "value", "shown"),
    [
        (percent, 0, "0 %"),
        (percent, 0.001, "<1 %"),
        (percent, 0.127, "13 %"),
        (percent, 0.999, ">99 %"),
        (percent, 1, "100 %"),
        (probability, 0.00099, "<0.001"),
        (probability, 0.0125, "0.013"),
        (probability, 1, "1.000"),
        (number, 3.0, "3"),
        (number, -0.123456, "-0.1235"),
        (number, 1234567.8, "1234568"),
        (number, 1e12, "1e+12"),
    ],
)
def test_numbers(function, value, shown):
    assert function(value) == shown


def test_plural():
    assert plural(1, "row") == "1 row"
    assert plural(0, "class") == "0 classes"
    assert plural(12_000, "row") == "12,000 rows"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain [b]", "plain [b]"),
        ("a\nb\tc\x1b[31m\x00", "a\\nb\\tc\\x1b[31m\\x00"),
        ("\u202eabc\u2028", "\\u202eabc\\u2028"),
        ("\udcff", "\\udcff"),
        ("👨\u200d👩\u200d👧", "👨\u200d👩\u200d👧"),
        ("é日本", "é日本"),
    ],
)
def test_visible(text, shown):
    assert visible(text) == shown


def test_console_prints_text_as_it_is():
    stream = io.StringIO()
    SafeConsole(file=stream, width=60).print("[red]1[/red] :smile: 'x'")
    assert stream.getvalue() == "[red]1[/red] :smile: 'x'\n"


def test_bullet_hangs():
    stream = io.StringIO()
    SafeConsole(file=stream, width=10).print(bullet("one two three", indent=1))
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    assert lines == [" - one two", "   three"]


def test_streams_replace_what_they_cannot_encode(monkeypatch):
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    monkeypatch.setattr(sys, "stderr", io.StringIO())  # cannot be reconfigured
    protect_streams()
    sys.stdout.write("▌█● … ü")
    sys.stdout.flush()
    assert raw.getvalue() == b"##* ~ ?"


def test_plain_replacements_keep_the_width():
    assert all(len(plain) == 1 and plain.isascii() for plain in PLAIN.values())


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_only_on_a_terminal_and_only_when_slow(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(_output, "SECONDS_BEFORE_PROGRESS", 0.05)

    def shown(stream, *, quiet, seconds):
        monkeypatch.setattr(sys, "stderr", stream)
        with working("Reading [x].csv", quiet=quiet):
            time.sleep(seconds)
        return stream.getvalue()

    assert "Reading [x].csv" in shown(Terminal(), quiet=False, seconds=0.4)
    assert shown(Terminal(), quiet=False, seconds=0) == ""
    assert shown(Terminal(), quiet=True, seconds=0.1) == ""
    assert shown(io.StringIO(), quiet=False, seconds=0.1) == ""
