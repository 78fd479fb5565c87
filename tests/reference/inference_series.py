"""What is new in each row of a series, from the definition, row by row."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def news(values, codes=None):
    """Return values less their level and forecast; None if there is no memory."""
    n = len(values)
    known = [t for t in range(n) if not math.isnan(values[t])]
    series = [0] * n if codes is None else list(codes)
    most = min(8, len(known) // 20)
    if most == 0 or len({values[t] for t in known}) == 1:
        return None
    mean = sum(values[t] for t in known) / len(known)
    level, filled = {}, {}
    for code in set(series):
        own = [t for t in range(n) if series[t] == code]
        seen = [t for t in own if not math.isnan(values[t])]
        total = sum(values[t] - mean for t in seen)
        level[code] = total / len(seen) if seen else 0.0
        for t in own:
            before = [s for s in seen if s <= t]
            if seen:
                filled[t] = values[before[-1] if before else seen[0]] - mean
            else:
                filled[t] = 0.0
    y = [values[t] - mean - level[series[t]] for t in range(n)]
    terms = [[1.0] * n]
    if codes is None:
        terms += [
            [math.cos(k * math.pi * (t + 0.5) / n) for t in range(n)] for k in (1, 2)
        ]
    n_plain = len(terms)
    terms += [
        [past(filled, series, level, t, lag) for t in range(n)]
        for lag in range(1, most + 1)
    ]
    design, target = np.array(terms).T, np.array(y)
    best, chosen = information(target[known], np.zeros(len(known)), 1), None
    for size in range(n_plain, len(terms) + 1):
        part = design[known, :size]
        slopes = np.linalg.lstsq(part, target[known], rcond=None)[0]
        criterion = information(target[known], part @ slopes, size)
        if criterion < best - 1e-9:
            best, chosen = criterion, design[:, :size] @ slopes
    if chosen is None:
        return None if codes is None else target
    return target - chosen


def past(filled, series, level, t, lag):
    """Return the value so many rows ago in the series of a row, at most its first."""
    own = [s for s in range(len(series)) if series[s] == series[t]]
    place = max(own.index(t) - lag, 0)
    return filled[own[place]] - level[series[t]]


def information(target, fitted, size):
    """Return Bayes' information criterion of a least-squares fit."""
    left = max(float(np.sum((target - fitted) ** 2)), 1e-9 * float(np.sum(target**2)))
    return len(target) * math.log(left / len(target)) + size * math.log(len(target))


def scores_of_classes(flags, seed, codes=None):
    """Return scores of a normal law, rows of like forecasts ranked among each other."""
    found = news(flags, codes)
    if found is None:
        return None
    n = len(flags)
    chance = np.random.default_rng(seed).random((2, n))
    forecast = [round(float(flags[t] - found[t]), 9) + 0.0 for t in range(n)]
    order = sorted(range(n), key=lambda t: (forecast[t], chance[0][t]))
    n_parts = min(max(n // 20, 1), 20)
    scores = [0.0] * n
    for part in range(n_parts):
        rows = [t for place, t in enumerate(order) if place * n_parts // n == part]
        keys = {t: flags[t] + chance[1][t] / 2 for t in rows}
        for t in rows:
            rank = 1 + sum(keys[s] < keys[t] for s in rows)
            scores[t] = stats.norm.ppf((rank - 0.5) / len(rows))
    return scores
