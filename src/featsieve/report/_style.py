"""How all pictures are drawn, whatever the user has set."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["house_style"]


@contextmanager
def house_style() -> Iterator[None]:
    """Draw the same whatever the user has set: text stays text, ids are stable."""
    try:
        import matplotlib as mpl  # noqa: PLC0415  (an optional extra)
        import matplotlib.style  # noqa: PLC0415
    except ImportError as error:
        message = "Pictures need matplotlib: pip install featsieve[report]"
        raise ImportError(message) from error
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "featsieve"}
    with (
        matplotlib.style.context("default"),
        mpl.rc_context(settings),
        warnings.catch_warnings(),
    ):
        # A reader's font may well have what ours lacks; in .png a box stands for it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from", append=False)
        yield
