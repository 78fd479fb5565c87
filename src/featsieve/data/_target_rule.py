"""How the classes of a stream are read off its target."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_integer
from featsieve._kernels import apply_cuts
from featsieve.data._counted import CountedColumn
from featsieve.data._counting import ClassRule, ColumnTally
from featsieve.data._encode import Codes, Numbers
from featsieve.data._settle import Request, settle_target
from featsieve.data._table import ColumnKind
from featsieve.exceptions import DataError

__all__ = ["class_rule"]


def class_rule(
    column: CountedColumn,
    tally: ColumnTally,
    wanted: ColumnKind | None,
    request: Request,
    target_bins: int | None,
) -> tuple[ClassRule, tuple[Any, ...]]:
    """Return the rule and the labels of the classes, from the counted target."""
    target = column.name
    if not len(column.counts):
        message = f"Target {target!r} is missing in all rows. Choose another."
        raise DataError(message)
    in_text = tally.values is None
    raw: Codes | Numbers
    if column.is_nominal:
        each = np.arange(len(column.levels), dtype=np.int32)
        raw = Codes(each, list(column.levels), declared=True)
    else:
        raw = Numbers(column.bounds()[0], tally.integer and not in_text, tally.date)
    settled, _ = settle_target(
        target, raw, wanted, replace(request, missing_values=None), False
    )
    if settled.is_nominal and not column.dropped_bits:
        codes, labels = settled.values, settled.levels
        cuts = None
    else:
        cuts = _target_cuts(column, target_bins)
        edges = ["-inf", *(f"{cut:.6g}" for cut in cuts), "inf"]
        labels = tuple(f"({a}, {b}]" for a, b in itertools.pairwise(edges))
        codes = apply_cuts(column.bounds()[0], cuts)
    n = len(labels)
    quantity = cuts is not None
    if not column.given:
        values = column.bounds()[0]
        return ClassRule({}, values, codes, cuts, n, quantity), labels
    if column.is_nominal:
        places = {text: int(codes[int(at)]) for text, at in column.given.items()}
    else:  # numbers that stood in the file as text
        at = np.searchsorted(column.bounds()[0], list(column.given.values()))
        places = dict(zip(column.given, codes[at].tolist(), strict=True))
    return ClassRule(places, n_classes=n, quantity=quantity), labels


def _target_cuts(column: CountedColumn, target_bins: int | None) -> NDArray[np.float64]:
    if target_bins is not None:
        check_integer("target_bins", target_bins, "TableStream", at_least=2)
        return column.even_cuts(target_bins)
    message = (
        f"Classes are needed, and the target {column.name!r} is a continuous "
        f"quantity with {len(column.counts)} different values. Cut it with "
        "`target_bins=5`, or say `target_kind='nominal'` if they are classes."
    )
    raise DataError(message)
