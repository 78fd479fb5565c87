"""How all pictures are drawn and written, whatever the user has set."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from featsieve._checks import check_integer
from featsieve._text import visible
from featsieve._writing import whole_file, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK, FAINT, RULE = "#1b1f24", "#6a737d", "#a9b1ba"
LABEL_SIZE, SMALL_SIZE, TITLE_SIZE = 8.5, 8.0, 11.5  # points
#: No date, so that the same picture gives the same file.
METADATA: dict[str, dict[str, Any]] = {
    ".png": {"Software": "featsieve"},
    ".pdf": {"Creator": "featsieve", "CreationDate": None},
    ".svg": {"Creator": "featsieve", "Date": None},
}
MOST_PIXELS = 2**16  # of a side: what matplotlib can paint


@contextmanager
def steady_style() -> Iterator[None]:
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


def plain_axes(axes: Any, title: str = "") -> None:
    """Leave out the frame above and at the right, and write the title."""
    if title:
        axes.set_title(
            visible(title), fontsize=TITLE_SIZE, color=INK, loc="left", parse_math=False
        )
    axes.spines[["top", "right"]].set_visible(False)


def figure_svg(figure: Figure) -> str:
    """Return a figure as SVG, the same bytes for the same figure.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        The picture.

    Returns
    -------
    str
        An SVG document; words stay text, so that they can be searched.

    Examples
    --------
    >>> from featsieve.report import figure_svg, relevance_plot
    >>> "age" in figure_svg(relevance_plot(["age"], [0.3]))
    True
    """
    stream = io.BytesIO()
    with steady_style():
        figure.savefig(stream, format="svg", metadata=METADATA[".svg"])
    svg = stream.getvalue().decode("utf-8")
    describe = getattr(figure, "describe_svg", None)
    return svg if describe is None else describe(svg)


def describe_svg(figure: Figure, describe: Callable[[str], str]) -> None:
    """Let a figure say in words what its SVG shows."""
    figure.describe_svg = describe  # type: ignore[attr-defined]


def save_figure(path: str | Path, figure: Figure, *, dpi: int = 150) -> Path:
    """Write a figure to a .svg, .png or .pdf file.

    Parameters
    ----------
    path : str or Path
        The file; its suffix tells the format.
    figure : matplotlib.figure.Figure
        The picture.
    dpi : int, default=150
        Dots per inch of a .png file.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from featsieve.report import relevance_plot, save_figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_figure(f"{folder}/age.svg", relevance_plot(["age"], [0.3])).name
    'age.svg'
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in METADATA:
        raise ValueError(
            "The 'path' parameter of save_figure must end in .svg, .png or .pdf. Got "
            f"{str(path)!r} instead."
        )
    check_integer("dpi", dpi, "save_figure", at_least=1)
    side = max(figure.get_size_inches()) * dpi
    if suffix == ".png" and side >= MOST_PIXELS:
        raise ValueError(
            f"The 'figure' parameter of save_figure must have sides of less than "
            f"{MOST_PIXELS} dots. Got {side:.0f} instead. Lower 'dpi', draw less (of a "
            "tree: max_depth=, max_nodes=) or save it as .svg."
        )
    if suffix == ".svg":
        write_whole(path, figure_svg(figure))
        return path
    with steady_style(), whole_file(path) as beside:
        figure.savefig(beside, format=suffix[1:], dpi=dpi, metadata=METADATA[suffix])
    return path
