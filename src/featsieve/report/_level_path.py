"""Draw what a selection keeps, and how well that predicts, by the level of its test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from featsieve._checks import check_real
from featsieve.exceptions import DataError
from featsieve.report._relevance_pictures import LINES, RELEVANT
from featsieve.report._style import (
    FAINT,
    INK,
    LABEL_SIZE,
    RULE,
    SMALL_SIZE,
    new_figure,
    plain_axes,
    steady_style,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COUNT, ERROR = "n_features", "oob_error"
PANELS = {COUNT: "features kept", ERROR: "out-of-bag error"}


def level_path_plot(
    level_path: Sequence[Mapping[str, Any]],
    *,
    level: float | None = None,
    title: str = "What is kept, by the level of the test",
) -> Figure:
    """Draw how many features are kept, and how well they predict, by level.

    Levels run from the widest at the left to the strictest at the right. Where the path
    tells errors they have a panel of their own below, since a count and an error have
    no common scale.

    Parameters
    ----------
    level_path : sequence of mappings
        ``path_`` of a `featsieve.selectors.ForestSelector`: in each ``level``,
        ``n_features``, and, if "oob" chose the level, ``oob_error``.
    level : float or None, default=None
        The level that was taken, such as ``level_``; it is marked in red.
    title : str, default="What is kept, by the level of the test"
        Title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; it needs no display and is unknown to pyplot.

    See Also
    --------
    save_figure : Write it to a file.
    featsieve.selectors.ForestSelector : Finds the path.

    Examples
    --------
    >>> from featsieve.report import level_path_plot
    >>> path = [
    ...     {"level": 0.05, "n_features": 40, "oob_error": 0.31},
    ...     {"level": 0.001, "n_features": 12, "oob_error": 0.18},
    ...     {"level": 1e-6, "n_features": 5, "oob_error": 0.24},
    ... ]
    >>> figure = level_path_plot(path, level=0.001)
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['features kept', 'out-of-bag error']
    """
    levels, panels = _read_path(level_path)
    places = range(len(levels))  # side by side, lest neighbours hide each other
    if level is not None:
        check_real("level", level, "level_path_plot", above=0, most=1)
    with steady_style():
        figure, all_axes = _new_panels(len(panels), title)
        for (name, values), axes, colour in zip(
            panels.items(), all_axes, LINES, strict=False
        ):
            axes.plot(places, values, "o-", color=colour, linewidth=1.4, markersize=4.5)
            axes.set_ylabel(PANELS[name], fontsize=SMALL_SIZE)
            for place, value in enumerate(values):
                axes.annotate(
                    f"{value:.0f}" if name == COUNT else f"{value:.3g}",
                    (place, value),
                    xytext=(0, 6),
                    textcoords="offset points",
                    ha="center",
                    fontsize=SMALL_SIZE,
                    color=FAINT,
                )
            axes.margins(x=0.06, y=0.2)
            if name == COUNT:
                axes.set_ylim(bottom=0)
            if level is not None:
                _mark(axes, levels, values, level)
        bottom = all_axes[-1]
        bottom.set_xticks(places, [f"{level:g}" for level in levels])
        told = "" if level is None else f"; red: {level:g} was taken"
        bottom.set_xlabel(f"level of the test{told}", fontsize=SMALL_SIZE)
        return figure


def _read_path(
    path: Sequence[Mapping[str, Any]],
) -> tuple[list[float], dict[str, list[float]]]:
    """Return levels from the widest on, and the numbers of each panel."""
    try:
        steps = sorted(path, key=lambda step: -float(step["level"]))
        names = [COUNT, *([ERROR] if any(ERROR in step for step in steps) else [])]
        levels = [float(step["level"]) for step in steps]
        panels = {name: [float(step[name]) for step in steps] for name in names}
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(
            "level_path must be the path_ of a fitted ForestSelector: 'level' and "
            "'n_features', both numbers, for each level, and 'oob_error' for all of "
            "them or for none."
        ) from error
    numbers = np.array([levels, *panels.values()])
    if not levels or not np.isfinite(numbers).all() or min(levels) <= 0:
        raise DataError(
            "level_path must have a level at least, finite numbers, and levels above 0."
        )
    return levels, panels


def _new_panels(n_panels: int, title: str) -> tuple[Figure, list[Any]]:
    figure = new_figure(figsize=(6.4, 1.0 + 2.0 * n_panels), layout="constrained")
    all_axes = list(figure.subplots(n_panels, sharex=True, squeeze=False)[:, 0])
    for axes in all_axes:
        axes.tick_params(labelsize=LABEL_SIZE, colors=INK)
        plain_axes(axes, title if axes is all_axes[0] else "")
    return figure, all_axes


def _mark(axes: Any, levels: list[float], values: list[float], level: float) -> None:
    # np.interp wants what it searches to grow.
    place = float(np.interp(-np.log(level), -np.log(levels), np.arange(len(levels))))
    axes.axvline(place, color=RULE, linewidth=0.8, linestyle="--", zorder=0)
    if level in levels:
        value = values[levels.index(level)]
        axes.plot(place, value, "o", color=RELEVANT, markersize=7, zorder=3)
