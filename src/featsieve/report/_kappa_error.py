"""Draw how accurate pairs of members are against how much they agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._text import visible
from featsieve._types import Floats
from featsieve.report._style import (
    FAINT,
    INK,
    new_figure,
    plain_axes,
    steady_style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Told apart by most eyes, also in print (Okabe and Ito).
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
#: Points of a cloud that are drawn; more would only make a blot and a large file.
MOST_POINTS = 3000


def kappa_error_figure(clouds: Mapping[str, tuple[ArrayLike, ArrayLike]]) -> Figure:
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
    save_figure : Write it to a file.

    Examples
    --------
    >>> from featsieve.diversity import kappa_error
    >>> from featsieve.report import kappa_error_figure
    >>> points = kappa_error([[0, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1]], [0, 1, 1, 1])
    >>> figure = kappa_error_figure({"three members": points})
    >>> figure.axes[0].get_xlabel()
    'kappa: agreement of two members beyond chance'
    """
    checked = _checked(clouds)
    with steady_style():
        return _draw(checked)


Cloud = tuple[str, Floats, Floats]


def _checked(clouds: Any) -> list[Cloud]:
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
        raise ValueError(
            "The 'clouds' parameter of kappa_error_figure must map names to pairs of "
            "vectors of equal length, not empty: kappa and error of pairs of members."
        )
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
    plain_axes(axes)
    axes.legend(frameon=False, loc="best")
    return figure
