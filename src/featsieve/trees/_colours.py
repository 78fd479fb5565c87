"""Colours of classes, and of means in regression."""

from __future__ import annotations

import colorsys

import numpy as np
from numpy.typing import NDArray

from featsieve.trees._tree import Tree

__all__ = ["blended", "class_colours", "mean_positions"]

# Paul Tol's "bright" scheme: told apart by colour-blind readers.
BRIGHT = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee7733")
MEAN = BRIGHT[0]
GOLDEN_ANGLE = 0.381966  # of a turn: the next hue is far from all before it


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class; beyond seven they are only different."""
    colours = list(BRIGHT[:n_classes])
    for k in range(len(BRIGHT), n_classes):
        lightness = 0.45 + 0.1 * (k % 3)
        rgb = colorsys.hls_to_rgb(k * GOLDEN_ANGLE % 1, lightness, 0.5)
        colours.append("#" + "".join(f"{round(255 * part):02x}" for part in rgb))
    return colours


def blended(colour: str, share: float) -> str:
    """Return the colour mixed with white; at share 0 nothing of it is left."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - c) * share):02x}" for c in parts)


def mean_positions(tree: Tree) -> NDArray[np.float64]:
    """Return where the mean of each node lies between the least and the greatest."""
    means = tree.value[:, 0]
    known = means[np.isfinite(means)]
    if not known.size or known.min() == known.max():
        return np.where(np.isfinite(means), 0.5, 0.0)
    low, high = known.min() / 2, known.max() / 2  # halves: a difference can overflow
    positions: NDArray[np.float64] = (means / 2 - low) / (high - low)
    return np.nan_to_num(positions)
