"""What is new in each row of a series: what its own past does not tell.

Two series that know nothing of each other go together far more often than chance
allows if both move slowly, and most of all if they wander. Taken less what its own past
foretells, a series is left with news that come without memory; and news of two series
can be compared as if rows came in any order. It is enough that either series has no
memory left, so that a forecast which is not quite right does little harm where both are
treated so. An effect that is there shows better in the news than in the series, since
the slow part of both is what hides it (the reason for generalised least squares).
"""

from __future__ import annotations

import numpy as np
from scipy.stats import norm, rankdata

from featsieve._types import Floats, Mask, Positions

#: Rows of the past that a forecast looks at, and rows of the series for each of them.
MOST_LAGS = 8
ROWS_PER_LAG = 20

#: Slow waves, of half a period and of a whole one over all rows: a drift.
N_WAVES = 2

#: A column whose values have this share of their variance left is taken as foretold.
NOTHING_LEFT = 1e-9


def innovations(values: Floats, series: Positions | None = None) -> Floats:
    """Return what is new in each row; the values themselves if they have no memory.

    Rows must be in the order of time. With `series`, a code for every row, each of them
    has a past and a level of its own. The forecast is linear in some of the last values
    and, for a single series, in a slow drift; how much it may use is settled by Bayes'
    information criterion. Missing values stay missing and are foretold as the last one
    that is known.

    Examples
    --------
    >>> walk = np.cumsum(np.random.default_rng(0).normal(size=500))
    >>> news = innovations(walk)
    >>> round(float(np.corrcoef(walk[1:], walk[:-1])[0, 1]), 2)
    0.99
    >>> abs(float(np.corrcoef(news[1:], news[:-1])[0, 1])) < 0.1
    True
    """
    known = ~np.isnan(values)
    count = int(known.sum())
    codes = np.zeros(len(values), dtype=np.intp) if series is None else series
    most = min(MOST_LAGS, count // ROWS_PER_LAG)
    unit = float(np.ptp(values[known])) if count else 0.0
    if most < 1 or unit == 0:
        return values
    # In units of its range: a solver takes small numbers beside large ones for none.
    centred = (values - float(values[known].mean())) / unit
    filled = _last_known(centred, known, codes)
    level = _levels_of_series(centred, known, codes)
    design = [_lag(filled - level, codes, lag) for lag in range(1, most + 1)]
    waves = _waves(len(values)) if series is None else []
    fitted = _best_forecast(centred - level, known, design, waves)
    if fitted is None:
        return values if series is None else unit * (centred - level)
    news: Floats = unit * (centred - level - fitted)
    return np.where(known, news, np.nan)


#: Rows of like pasts that are ranked among each other, and the parts they make at most.
ROWS_PER_PAST, MOST_PASTS = 20, 20


def class_innovations(
    flags: Floats, seed: int, series: Positions | None = None
) -> Floats | None:
    """Return what is new in each row of a series of two classes; None if all is.

    What is left of a class beyond its forecast still tells the class by its sign, and
    so keeps a memory. Instead rows of like forecasts are ranked among each other, ties
    by chance, as scores of a normal law: of the same law whatever the past (randomised
    quantile residuals; Dunn and Smyth, "Randomized quantile residuals", 1996).
    """
    news = innovations(flags, series)
    if news is flags:
        return None
    random = np.random.default_rng(seed)
    chance = random.random((2, len(flags)))
    n_pasts = int(np.clip(len(flags) // ROWS_PER_PAST, 1, MOST_PASTS))
    # Equal forecasts are parted by chance.
    places = np.lexsort((chance[0], np.round(flags - news, 9)))
    pasts = np.empty(len(flags), dtype=np.intp)
    pasts[places] = np.arange(len(flags)) * n_pasts // len(flags)
    scores = np.empty(len(flags))
    for past in range(n_pasts):
        rows = np.flatnonzero(pasts == past)
        ranks = rankdata(flags[rows] + chance[1, rows] / 2)
        scores[rows] = norm.ppf((ranks - 0.5) / len(rows))
    return scores


def _last_known(values: Floats, known: Mask, series: Positions) -> Floats:
    """Return values with gaps filled by the last one before, or the first after."""
    if known.all():
        return values
    filled = values.copy()
    for code in np.unique(series):
        rows = np.flatnonzero(series == code)
        own = np.flatnonzero(known[rows])
        if len(own) == 0:
            filled[rows] = 0.0
            continue
        last = np.searchsorted(own, np.arange(len(rows)), side="right") - 1
        filled[rows] = values[rows[own[np.maximum(last, 0)]]]
    return filled


def _levels_of_series(values: Floats, known: Mask, series: Positions) -> Floats:
    sums = np.bincount(series[known], values[known], minlength=int(series.max()) + 1)
    counts = np.bincount(series[known], minlength=len(sums))
    levels: Floats = (sums / np.maximum(counts, 1))[series]
    return levels


def _lag(values: Floats, series: Positions, lag: int) -> Floats:
    """Return the value so many rows ago; at the beginning of a series, its first.

    Not 0, which would make the first rows of all series stand out alike.
    """
    moved = np.empty_like(values)
    for code in np.unique(series):
        rows = np.flatnonzero(series == code)
        moved[rows] = values[rows[np.maximum(np.arange(len(rows)) - lag, 0)]]
    return moved


def _waves(n_rows: int) -> list[Floats]:
    time = np.pi * (np.arange(n_rows) + 0.5) / n_rows
    return [np.cos(k * time) for k in range(1, N_WAVES + 1)]


def _best_forecast(
    values: Floats, known: Mask, lags: list[Floats], waves: list[Floats]
) -> Floats | None:
    """Return the forecast by the best number of lags, or None if none is better."""
    design = np.column_stack([np.ones(len(values)), *waves, *lags])
    used, target = design[known], values[known]
    n, first = len(target), 1 + len(waves)
    gram, moments = used.T @ used, used.T @ target
    whole = float(target @ target)
    best, chosen = n * np.log(whole / n) + np.log(n), None
    for size in range(first, design.shape[1] + 1):
        part = slice(0, size)
        slopes = np.linalg.lstsq(gram[part, part], moments[part], rcond=1e-12)[0]
        left = max(whole - float(slopes @ moments[part]), NOTHING_LEFT * whole)
        criterion = n * np.log(left / n) + size * np.log(n)
        if criterion < best:
            best, chosen = criterion, slopes
    if chosen is None:
        return None
    forecast: Floats = design[:, : len(chosen)] @ chosen
    return forecast
