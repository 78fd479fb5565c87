"""Answers about tables that are read part by part."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from featsieve.cli._answers import TARGET_BINS
from featsieve.cli._errors import QuestionError, shell_words
from featsieve.cli._output import counting
from featsieve.data import TableStream
from featsieve.data._counted import CountedTable
from featsieve.exceptions import DroppedRowsWarning
from featsieve.filters import StreamInteractions, stream_interactions
from featsieve.measures import counted_gain

__all__ = [
    "count_stream",
    "count_stream_pairs",
    "counted_notes",
    "describe_stream",
]

#: Pairs in an answer: more than anybody reads, fewer than all of a wide table.
MOST_PAIRS = 1000


def stream_classes(
    stream: TableStream, target_bins: int | None, *, jobs: int, quiet: bool
) -> int | None:
    """Read the target; return into how many classes a quantity is cut."""
    doing, total = f"Reading the target {stream.target!r}", stream.n_rows_if_known
    with counting(doing, total, quiet=quiet) as progress:
        classes_wanted = None
        if stream.target_is_quantity(n_jobs=jobs, progress=progress):
            classes_wanted = target_bins or TARGET_BINS
        rule, labels = stream.class_rule(classes_wanted, n_jobs=jobs)
    if rule.n_classes < 2:
        message = (
            f"Target {stream.target!r} is {str(labels[0])!r} in every row, so nothing "
            "can explain it. Choose another --target, or add rows of other classes."
        )
        raise QuestionError(message)
    if not stream.names:
        message = f"There is no column beside the target {stream.target!r}."
        raise QuestionError(message)
    return classes_wanted


def count_stream(
    stream: TableStream, target_bins: int | None, *, jobs: int, quiet: bool
) -> tuple[CountedTable, int | None]:
    """Count all columns by class; return into how many classes a quantity was cut."""
    classes_wanted = stream_classes(stream, target_bins, jobs=jobs, quiet=quiet)
    with (
        warnings.catch_warnings(),
        counting("Counting", stream.n_rows, quiet=quiet) as progress,
    ):
        warnings.simplefilter("ignore", DroppedRowsWarning)
        counted = stream.count(
            target_bins=classes_wanted, n_jobs=jobs, progress=progress
        )
    return counted, classes_wanted


def count_stream_pairs(
    stream: TableStream, target_bins: int | None, *, jobs: int, quiet: bool
) -> tuple[StreamInteractions, CountedTable, int | None]:
    """Count all pairs, with a bar for each pass, and columns on the way."""
    wanted = stream_classes(stream, target_bins, jobs=jobs, quiet=quiet)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DroppedRowsWarning)
        with counting("Counting", stream.n_rows, quiet=quiet) as progress:
            stream.count_numbers(target_bins=wanted, n_jobs=jobs, progress=progress)
        with counting(
            "Counting pairs", stream.n_rows, then="Testing pairs", quiet=quiet
        ) as progress:
            found = stream_interactions(
                stream, target_bins=wanted, n_jobs=jobs, progress=progress
            )
    return found, stream.count(target_bins=wanted), wanted


def counted_notes(counted: CountedTable, target: str) -> list[dict[str, Any]]:
    """Return what looks wrong, in words of the command line."""
    return [
        {
            "code": note.code,
            "column": note.column,
            "message": shell_words(note.message, target),
        }
        for note in counted.notes
    ]


def describe_stream(
    found: StreamInteractions, counted: CountedTable, fdr: float
) -> dict[str, Any]:
    """Return interactions, pairs and features as the answer for one file has them."""
    own = dict(zip(found.names, found.gains.tolist(), strict=True))
    order = np.argsort(-found.synergy, kind="stable")
    good = (found.q_values <= fdr) & (found.synergy > 0)
    rows = [_pair(found, own, int(k), bool(good[k])) for k in order[:MOST_PAIRS]]
    worst = order[::-1][:MOST_PAIRS]
    redundant = [
        _pair(found, own, int(k), False) for k in worst if found.synergy[k] < 0
    ]
    interactions = [
        {
            "members": [row["first"], row["second"]],
            "joint_gain": row["joint_gain"],
            "synergy": row["synergy"],
            "gain_per_feature": row["joint_gain"] / 2,
            "p_value": row["p_value"],
            "best_split": [[row["first"]], [row["second"]]],
            "is_real": True,
            "kept": True,
        }
        for row in rows
        if row["is_interaction"]
    ]
    members = {name for row in interactions for name in row["members"]}
    return {
        "target_entropy": _entropy(counted),
        "n_interactions": len(interactions),
        "n_kept": len(members),
        "interactions": interactions,
        "pairs": rows,
        "redundant_pairs": redundant,
        "features": [
            {
                "feature": column.name,
                "kind": column.kind.value,
                "gain": own.get(column.name, 0.0),
                "kept": column.name in members,
            }
            for column in counted.columns
        ],
    }


def _pair(
    found: StreamInteractions, own: dict[str, float], k: int, good: bool
) -> dict[str, Any]:
    first, second = found.names[found.first[k]], found.names[found.second[k]]
    return {
        "first": first,
        "second": second,
        "first_gain": own[first],
        "second_gain": own[second],
        "joint_gain": float(found.joint_gain[k]),
        "synergy": float(found.synergy[k]),
        "is_interaction": good,
        "p_value": float(found.p_values[k]),
        "q_value": float(found.q_values[k]),
    }


def _entropy(counted: CountedTable) -> float:
    """Return the entropy of the class: what a column that names it would tell."""
    table = np.diag(counted.class_totals)
    return counted_gain(np.vstack([table, np.zeros_like(table[:1])]))
