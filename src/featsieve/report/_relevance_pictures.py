"""Draw which features matter: everywhere, region by region, and by level of a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from featsieve._checks import check_integer, check_real
from featsieve._docs import described_like
from featsieve._text import shortened, visible
from featsieve._types import Floats
from featsieve.exceptions import DataError
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


BAND, RELEVANT = "#dfe3e8", "#b2182b"
#: Colour-blind readers tell these apart (Okabe and Ito); lines differ by dashes too.
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
DASHES = ("-", "--", "-.", ":")
LONGEST_LABEL = 24
LINE_HEIGHT = 0.24  # inches
#: Columns of a heat map: more would be narrower than a pixel.
MOST_STRIPES = 400


def relevance_plot(
    names: Sequence[str],
    relevance: ArrayLike,
    *,
    interval: ArrayLike | None = None,
    band: ArrayLike | None = None,
    max_shown: int = 40,
    unit: str = "bits",
    title: str = "How much features matter",
) -> Figure:
    """Draw the relevance of features, how sure it is, and what chance would give.

    A dot per feature with its interval, the most relevant on top. The grey band is
    where an irrelevant feature is expected; a dot whose interval lies above it is red.

    Parameters
    ----------
    names : sequence of str
        Names of the features; anything is shown literally, long ones are shortened.
    relevance : array-like of shape (n_features,)
        Relevance of each feature, such as ``relevance_`` of a forest.
    interval : array-like of shape (n_features, 2) or None, default=None
        Lower and upper bound of each relevance.
    band : array-like of shape (n_features, 2) or None, default=None
        Between which bounds each feature would be expected if it did not matter.
    max_shown : int, default=40
        Show at most so many features, the most relevant ones. The picture says how many
        there are.
    unit : str, default="bits"
        Unit of the relevance.
    title : str, default="How much features matter"
        Title of the picture.

    Returns
    -------
    matplotlib.figure.Figure
        The picture; it needs no display and is unknown to pyplot.

    See Also
    --------
    save_figure : Write it to a file.

    Examples
    --------
    >>> from featsieve.report import relevance_plot
    >>> figure = relevance_plot(
    ...     ["age", "height"], [0.31, 0.04],
    ...     interval=[[0.28, 0.34], [0.02, 0.06]], band=[[0.03, 0.05], [0.03, 0.05]],
    ... )
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['age', 'height']
    """
    check_integer("max_shown", max_shown, "relevance_plot", at_least=1)
    values = _vector(relevance, len(names), "relevance")
    bounds = _bounds(interval, len(names), "interval")
    expected = _bounds(band, len(names), "band")
    order = np.argsort(-values, kind="stable")[:max_shown]
    with steady_style():
        height = 1.0 + LINE_HEIGHT * len(order)
        figure, axes = _new_figure(6.4, height, title)
        for place, feature in enumerate(order):
            own = None if expected is None else expected[feature]
            if own is not None:
                axes.barh(place, own[1] - own[0], 0.8, own[0], color=BAND, linewidth=0)
            low, high = (values[feature],) * 2 if bounds is None else bounds[feature]
            above = own is None or low > own[1]
            colour = RELEVANT if above else FAINT
            axes.plot([low, high], [place] * 2, color=colour, linewidth=1.4)
            axes.plot(values[feature], place, "o", color=colour, markersize=4.5)
        _name_rows(axes, [names[feature] for feature in order])
        axes.set_ylim(len(order) - 0.5, -0.5)
        axes.set_xlim(left=min(0.0, float(values.min())))
        axes.set_xlabel(visible(f"relevance ({unit})"), fontsize=SMALL_SIZE)
        notes = [] if expected is None else ["grey: where chance would put it"]
        if len(order) < len(names):
            notes.append(f"{len(order)} of {len(names)} features")
        _footnote(figure, "; ".join(notes))
        return figure


@described_like(relevance_plot)
def local_relevance_map(
    names: Sequence[str],
    values: ArrayLike,
    order_by: ArrayLike,
    *,
    order_name: str = "rows",
    max_shown: int = 40,
    unit: str = "bits",
    title: str = "Where features matter",
) -> Figure:
    """Draw the local relevance of features as a heat map, rows ordered by a quantity.

    Parameters
    ----------
    values : array-like of shape (n_rows, n_features)
        Local relevance, such as ``local_relevance_`` of a forest.
    order_by : array-like of shape (n_rows,)
        What rows are ordered by, from left to right: usually the values of a feature.
        Rows where it is missing are left out. Where there are more rows than stripes,
        a stripe is the mean of neighbours.
    order_name : str, default="rows"
        What `order_by` is called.
    max_shown : int, default=40
        Show at most so many features: those of the greatest mean size.

    Returns
    -------
    matplotlib.figure.Figure
        The picture. Red: the feature tells about the row; blue: it leads astray.

    See Also
    --------
    relevance_profile : The same as lines, for a few features.

    Examples
    --------
    >>> from featsieve.report import local_relevance_map
    >>> figure = local_relevance_map(
    ...     ["x1", "x2"], [[0.9, 0.0], [0.1, 0.7], [0.8, -0.1]], [0.1, 0.5, 0.9],
    ...     order_name="x1",
    ... )
    >>> figure.axes[0].images[0].get_array().shape
    (2, 3)
    """
    check_integer("max_shown", max_shown, "local_relevance_map", at_least=1)
    table, key = _ordered(values, order_by, len(names))
    kept = np.argsort(-np.abs(table).mean(axis=0), kind="stable")[:max_shown]
    kept = np.sort(kept)
    stripes = _means(table[:, kept], MOST_STRIPES)
    most = float(np.abs(stripes).max()) or 1.0
    with steady_style():
        height = 1.3 + LINE_HEIGHT * len(kept)
        figure, axes = _new_figure(7.2, height, title)
        image = axes.imshow(
            stripes.T,
            aspect="auto",
            cmap="RdBu_r",
            vmin=-most,
            vmax=most,
            interpolation="nearest",
            extent=(0, 1, len(kept) - 0.5, -0.5),
        )
        _name_rows(axes, [names[feature] for feature in kept])
        places = np.linspace(0, 1, 5)
        shown = np.quantile(key, places, method="nearest")
        axes.set_xticks(places, [f"{value:.3g}" for value in shown])
        axes.tick_params(labelsize=SMALL_SIZE, colors=INK)
        axes.set_xlabel(
            visible(f"{len(key)} rows by {order_name}"),
            fontsize=SMALL_SIZE,
            parse_math=False,
        )
        bar = figure.colorbar(image, ax=axes, pad=0.02, fraction=0.05)
        bar.set_label(visible(f"local relevance ({unit})"), fontsize=SMALL_SIZE)
        bar.ax.tick_params(labelsize=SMALL_SIZE)
        if len(kept) < len(names):
            _footnote(figure, f"{len(kept)} of {len(names)} features")
        return figure


@described_like(local_relevance_map)
def relevance_profile(
    names: Sequence[str],
    values: ArrayLike,
    order_by: ArrayLike,
    *,
    order_name: str = "rows",
    n_regions: int = 20,
    max_shown: int = 6,
    unit: str = "bits",
    title: str = "What matters in which region",
) -> Figure:
    """Draw the mean local relevance of features, region by region.

    Parameters
    ----------
    n_regions : int, default=20
        Rows are cut into so many regions of equal size by `order_by`, if there are as
        many rows.

    Returns
    -------
    matplotlib.figure.Figure
        The picture, a line per feature.

    See Also
    --------
    local_relevance_map : All features and rows as a heat map.

    Examples
    --------
    >>> from featsieve.report import relevance_profile
    >>> figure = relevance_profile(
    ...     ["x1", "x2"], [[0.9, 0.0], [0.1, 0.7], [0.8, -0.1]], [0.1, 0.5, 0.9],
    ... )
    >>> figure.axes[0].lines[0].get_ydata().tolist()
    [0.9, 0.1, 0.8]
    """
    check_integer("n_regions", n_regions, "relevance_profile", at_least=1)
    check_integer("max_shown", max_shown, "relevance_profile", at_least=1)
    table, key = _ordered(values, order_by, len(names))
    kept = np.argsort(-np.abs(table).mean(axis=0), kind="stable")[:max_shown]
    heights, middles = _means(table[:, kept], n_regions), _means(key, n_regions)
    with steady_style():
        figure, axes = _new_figure(6.4, 4.0, title)
        for place, feature in enumerate(kept):
            axes.plot(
                middles,
                heights[:, place],
                color=LINES[place % len(LINES)],
                linestyle=DASHES[place % len(DASHES)],
                linewidth=1.6,
                marker="o",
                markersize=2.5,
                label=_label(names[feature]),
            )
        axes.axhline(0, color=RULE, linewidth=0.8, zorder=0)
        axes.tick_params(labelsize=SMALL_SIZE, colors=INK)
        axes.set_xlabel(visible(order_name), fontsize=SMALL_SIZE, parse_math=False)
        axes.set_ylabel(visible(f"local relevance ({unit})"), fontsize=SMALL_SIZE)
        legend = axes.legend(fontsize=SMALL_SIZE, frameon=False)
        for text in legend.get_texts():
            text.set_parse_math(False)
        if len(kept) < len(names):
            _footnote(figure, f"{len(kept)} of {len(names)} features")
        return figure


def _vector(values: Any, length: int, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (length,) or not np.isfinite(array).all() or not length:
        raise DataError(
            f"{name} must hold one finite number per name: {length}. Got shape "
            f"{array.shape}."
        )
    return array


def _bounds(values: Any, length: int, name: str) -> Floats | None:
    if values is None:
        return None
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (length, 2) or not np.all(array[:, 0] <= array[:, 1]):
        raise DataError(
            f"{name} must hold a lower and an upper bound per name, of shape "
            f"({length}, 2). Got shape {array.shape}."
        )
    return array


def _ordered(values: Any, order_by: Any, n_features: int) -> tuple[Floats, Floats]:
    """Return rows and what they are ordered by, in that order."""
    table = np.asarray(values, dtype=np.float64)
    key = np.asarray(order_by, dtype=np.float64)
    if table.ndim != 2 or table.shape[1] != n_features or key.shape != table.shape[:1]:
        raise DataError(
            f"values must have one column per name ({n_features}) and as many rows as "
            f"order_by. Got shapes {table.shape} and {key.shape}."
        )
    known = ~np.isnan(key)
    if not known.any() or not np.isfinite(table).all():
        raise DataError(
            "values must be finite, and order_by known in some row. Leave out rows "
            "without relevance."
        )
    order = np.flatnonzero(known)[np.argsort(key[known], kind="stable")]
    return table[order], key[order]


def _means(values: Floats, most: int) -> Floats:
    """Return the means of at most so many parts of about equal length."""
    parts = np.array_split(values, min(most, len(values)))
    return np.array([part.mean(axis=0) for part in parts])


def _new_figure(width: float, height: float, title: str) -> tuple[Figure, Any]:
    figure = new_figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    plain_axes(axes, title)
    axes.tick_params(labelsize=SMALL_SIZE, colors=INK)
    return figure, axes


def _name_rows(axes: Any, names: Sequence[str]) -> None:
    labels = [_label(name) for name in names]
    axes.set_yticks(range(len(labels)), labels, fontsize=LABEL_SIZE, parse_math=False)
    axes.tick_params(axis="y", length=0)


def _label(name: str) -> str:
    text = shortened(visible(name), LONGEST_LABEL)
    # matplotlib leaves names that begin so out of its legends.
    return f"\u200b{text}" if text.startswith("_") else text


def _footnote(figure: Any, text: str) -> None:
    if text:
        figure.supxlabel(text, fontsize=SMALL_SIZE, color=FAINT, x=0.99, ha="right")


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
