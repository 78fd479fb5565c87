"""How pictures and pages look: settings, colours, templates, numbers and names."""

from __future__ import annotations

import io
import json
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from featsieve._checks import check_integer
from featsieve._text import visible, whole_file, write_whole

if TYPE_CHECKING:
    from jinja2 import Environment
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


TEMPLATES = Path(__file__).resolve().parent / "templates"


def new_environment() -> Environment:
    """Return an environment for our templates, without filters of its own."""
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError as error:
        message = "Reports need jinja2: pip install featsieve[report]"
        raise ImportError(message) from error
    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


#: Which colour of the palettes stands for which verdict, in every picture and table; in
#: the order in which they are always told, the good news first.
VERDICT_COLOURS = {
    "strongly relevant": "strong",
    "relevant together": "together",
    "relevant locally": "local",
    "possible": "limit",
    "filled in": "limit",
    "over the limit": "limit",
    "not told apart": "redundant",
    "redundant": "redundant",
    "irrelevant": "irrelevant",
    "unusable": "unusable",
}
VERDICTS = tuple(VERDICT_COLOURS)
KEPT_VERDICTS = VERDICTS[:3]
STAGES = (
    "screen",
    "alone",
    "together",
    "context",
    "beside",
    "redundancy",
    "returned",
    "limit",
)
# Text colours reach a contrast of 4.5 and marks of 3 on page, surface and raised, and
# colour-blind readers can tell the verdicts of kept features apart (both are tested).
LIGHT = {
    "page": "#f5f6f8",
    "surface": "#ffffff",
    "raised": "#eef1f4",
    "line": "#dce1e6",
    "ink": "#1b1f24",
    "quiet": "#535e6a",
    "accent": "#0b5cad",
    "strong": "#0b7a6b",
    "together": "#c2410c",
    "local": "#63308f",
    "limit": "#8a6a00",
    "redundant": "#2f7fcf",
    "irrelevant": "#7d8792",
    "unusable": "#4b5563",
    "warning": "#9a4a00",
    "warning-ground": "#fff4e5",
    "heat": "#0b5cad",
    "heat-negative": "#c2410c",
    "code": "#f2f4f7",
}
DARK = {
    "page": "#0f1317",
    "surface": "#171c22",
    "raised": "#202830",
    "line": "#313b45",
    "ink": "#e8ebee",
    "quiet": "#a6b0bb",
    "accent": "#7cb8f2",
    "strong": "#2cb3a0",
    "together": "#ff8d5c",
    "local": "#efbdf5",
    "limit": "#dcb23c",
    "redundant": "#5592e2",
    "irrelevant": "#7d8893",
    "unusable": "#b4bdc7",
    "warning": "#f5b067",
    "warning-ground": "#33250f",
    "heat": "#6fb3f7",
    "heat-negative": "#ff8d5c",
    "code": "#12171c",
}


def declarations(palette: dict[str, str], prefix: str = "") -> str:
    """Return the palette as custom properties of CSS."""
    return " ".join(f"--{prefix}{name}: {code};" for name, code in palette.items())


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


def format_seconds(value: float | None) -> str:
    """Return a time in a unit that suits it."""
    if value is None:
        return NOTHING
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


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round numbers within the bounds, about as many as asked for.

    Examples
    --------
    >>> ticks(0, 0.23)
    [0.0, 0.05, 0.1, 0.15, 0.2]
    """
    raw = (high - low) / about
    if not raw > 0:
        return [low]
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(k * step, 12) + 0.0 for k in range(first, last + 1)]
