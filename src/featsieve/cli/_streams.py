"""Standard output and error that never fail on a character, and one-line messages."""

from __future__ import annotations

import codecs
import contextlib
import os
import sys

from featsieve._text import visible

__all__ = ["protect_streams", "silence_stdout", "tell"]

# What an output without Unicode gets, of the same width each.
PLAIN = dict(zip("▏▎▍▌▋▊▉█▐│▁▂▃▄▅▆▇●·…–−’", "   ######|_..--==*.~--'", strict=True))


def protect_streams() -> None:
    """Replace what an output cannot encode, instead of failing in mid-table."""
    codecs.register_error("featsieve", _replace)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="featsieve")


def _replace(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)  # the streams only write
    bad = error.object[error.start : error.end]
    return "".join(PLAIN.get(character, "?") for character in bad), error.end


def tell(line: str) -> None:
    """Write one line to standard error, under the name of the program."""
    sys.stderr.write(f"featsieve: {visible(' '.join(line.split()))}\n")


def silence_stdout() -> None:
    """Give what is still buffered a place to go when the interpreter ends."""
    with contextlib.suppress(OSError, ValueError):  # standard output is no real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
