"""Draw how accurate pairs of members are against how much they agree."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from featsieve._checks import check_integer
from featsieve._text import visible
from featsieve.report._style import check_suffix, house_style, new_figure, write_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["kappa_error_figure", "save_kappa_error"]

INK, FAINT = "#1b1f24", "#6a737d"
#: Told apart by most eyes, also in print (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
#: Points of a cloud that are drawn; more would only make a blot and a large file.
MOST_POINTS = 3000
SUFFIXES = (".svg", ".png", ".pdf")


def kappa_error_figure(
    clouds: Mapping[str, tuple[ArrayLike, ArrayLike]],
) -> Figure:
    """Draw the kappa-error diagram of one ensemble or several.

    Every point is a pair of members: to the right if they agree, higher if they err.
    A cross marks the middle of each cloud. Of more than 3000 pairs, as many evenly
    chosen ones are drawn.

    Parameters
    ----------
    clouds : mapping of str to (kappa, error)
        For every ensemble what ``diversity_report(...).kappa_error()`` gives.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; it needs no display and is unknown to pyplot.

    See Also
    --------
    save_kappa_error : The same in a file.

    Examples
    --------
    >>> from featsieve.diversity import kappa_error
    >>> from featsieve.report import kappa_error_figure
    >>> points = kappa_error([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1]], [0, 1, 1, 1])
    >>> figure = kappa_error_figure({"three members": points})
    >>> figure.axes[0].get_xlabel()
    'kappa: agreement of two members beyond chance'
    """
    with house_style():
        return _draw(_checked(clouds, "kappa_error_figure"))


def save_kappa_error(
    path: str | Path,
    clouds: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    dpi: int = 150,
) -> Path:
    """Write the kappa-error diagram to a .svg, .png or .pdf file.

    Parameters
    ----------
    path : str or Path
        The file; its suffix tells the format.
    clouds : mapping of str to (kappa, error)
        For every ensemble what ``diversity_report(...).kappa_error()`` gives.
    dpi : int, default=150
        Dots per inch of a .png file.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from featsieve.report import save_kappa_error
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_kappa_error(f"{folder}/pairs.svg", {"bag": ([0.5], [0.2])}).name
    'pairs.svg'
    """
    path = check_suffix(path, SUFFIXES, "save_kappa_error")
    check_integer("dpi", dpi, "save_kappa_error", at_least=1)
    checked = _checked(clouds, "save_kappa_error")
    with house_style():
        figure = _draw(checked)
    write_figure(path, figure, dpi)
    return path


Cloud = tuple[str, NDArray[np.float64], NDArray[np.float64]]


def _checked(clouds: Any, owner: str) -> list[Cloud]:
    checked = []
    good = isinstance(clouds, Mapping) and bool(clouds)
    for name, points in clouds.items() if good else ():
        try:
            kappas, errors = (np.asarray(each, dtype=np.float64) for each in points)
        except (TypeError, ValueError):
            good = False
            break
        good = good and kappas.ndim == 1 and kappas.shape == errors.shape
        good = good and len(kappas) > 0
        checked.append((str(name), kappas, errors))
    if not good:
        message = (
            f"The 'clouds' parameter of {owner} must map names to pairs of vectors of "
            "equal length, not empty: kappa and error of pairs of members."
        )
        raise ValueError(message)
    return checked


def _draw(clouds: list[Cloud]) -> Figure:
    figure = new_figure(figsize=(6.0, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for number, (name, kappas, errors) in enumerate(clouds):
        colour = COLOURS[number % len(COLOURS)]
        step = -(-len(kappas) // MOST_POINTS)
        label = visible(name).replace("$", r"\$")
        shown = slice(None, None, step)
        axes.scatter(
            kappas[shown], errors[shown], s=6, color=colour, alpha=0.3, linewidths=0
        )
        middle = ([kappas.mean()], [errors.mean()])
        axes.scatter(*middle, s=90, color=INK, marker="P", zorder=3)
        axes.scatter(*middle, s=45, color=colour, marker="P", label=label, zorder=4)
    axes.set_xlabel("kappa: agreement of two members beyond chance", color=INK)
    axes.set_ylabel("mean error of the two", color=INK)
    axes.grid(color="#e3e6ea", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors=FAINT)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.legend(frameon=False, loc="best")
    return figure
