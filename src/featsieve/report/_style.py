"""How all pictures are drawn and written, whatever the user has set."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from featsieve._writing import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["as_svg", "check_suffix", "house_style", "new_figure", "write_figure"]

#: No date, so that the same picture gives the same file.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": "featsieve"},
    ".pdf": {"Creator": "featsieve", "CreationDate": None},
    ".svg": {"Creator": "featsieve", "Date": None},
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw the same whatever the user has set: text stays text, ids are stable."""
    try:
        import matplotlib as mpl
        import matplotlib.style
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


def new_figure(**options: Any) -> Figure:
    """Return an empty figure that no window will show and that can measure its text."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(**options)
    FigureCanvasAgg(figure)
    return figure


def check_suffix(
    path: str | Path, suffixes: Sequence[str], owner: str, hint: str = ""
) -> Path:
    """Return the path, or raise unless it ends in a format that `owner` writes."""
    path = Path(path)
    if path.suffix.lower() not in suffixes:
        *others, last = suffixes
        listed = f"{', '.join(others)} or {last}" if others else last
        message = (
            f"The 'path' parameter of {owner} must end in {listed}. Got {str(path)!r} "
            f"instead.{hint}"
        )
        raise ValueError(message)
    return path


def write_figure(path: Path, figure: Figure, dpi: int, **options: Any) -> None:
    """Write a figure in the format that the suffix of `path` names."""
    suffix = path.suffix.lower()
    options |= {"format": suffix[1:], "dpi": dpi, "metadata": METADATA[suffix]}
    with house_style(), whole_file(path) as beside:
        figure.savefig(beside, **options)


def as_svg(figure: Figure, **options: Any) -> str:
    """Return a figure as the text of a .svg file."""
    stream = io.BytesIO()
    with house_style():
        figure.savefig(stream, format="svg", metadata=METADATA[".svg"], **options)
    return stream.getvalue().decode("utf-8")
