"""W1f: from a frame to a fitted filter, beside the kernel that does the counting."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._harness import Contestant, Workload
from benchmarks.workloads.w1_gain import as_integer_frame, make_codes, measure
from featsieve.data import MDLDiscretizer
from featsieve.measures import information_gain
from featsieve.selectors import MeasureFilter


def fit_levels(data: tuple[Any, np.ndarray]) -> np.ndarray:
    return MeasureFilter(nominal="all").fit(*data).scores_


def fit_numbers(data: tuple[Any, np.ndarray]) -> np.ndarray:
    return MeasureFilter().fit(*data).scores_


def cut_and_measure(data: tuple[Any, np.ndarray]) -> np.ndarray:
    """Cut column by column, then count all in one pass, without the filter."""
    frame, y = data
    return information_gain(MDLDiscretizer().fit(frame, y).transform(frame), y)


SIZES = {
    "default": {"rows": 10_000, "columns": 1_000},
    "rows x2": {"rows": 20_000, "columns": 1_000},
    "columns x2": {"rows": 10_000, "columns": 2_000},
}

WORKLOADS = [
    Workload(
        name="W1f",
        title="MeasureFilter on a pandas frame of int64 levels, and its kernel alone",
        make=make_codes,
        sizes=SIZES,
        contestants=(
            Contestant("MeasureFilter", fit_levels, as_integer_frame, ours=True),
            Contestant("information_gain, uint8 F (the limit)", measure),
        ),
        targets="at most 0.03 CPU s",
        same=np.array_equal,
    ),
    Workload(
        name="W1n",
        title="the same frame as numbers, cut by MDL",
        make=make_codes,
        sizes=SIZES,
        contestants=(
            Contestant("MeasureFilter", fit_numbers, as_integer_frame, ours=True),
            Contestant("MDLDiscretizer, then gain", cut_and_measure, as_integer_frame),
        ),
        targets="at most 0.03 CPU s",
        same=np.array_equal,
    ),
]
