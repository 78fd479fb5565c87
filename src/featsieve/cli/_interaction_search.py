"""Find interactions: all that is shown, written or drawn is in a plain dictionary."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import featsieve
from featsieve.cli._answers import (
    check_answerable,
    choose_target_bins,
    data_notes,
    note_cut_target,
    write_rows,
)
from featsieve.cli._counted_answers import (
    count_stream_pairs,
    counted_notes,
    describe_stream,
)
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli._output import plural, working
from featsieve.data import Table
from featsieve.data._inputs import read_target
from featsieve.exceptions import NoFeatureSelectedWarning, WeakEvidenceWarning
from featsieve.filters import BIFSFilter, Interaction
from featsieve.measures import entropy, gains_of_tuples
from featsieve.report import save_interaction_graph

__all__ = [
    "Search",
    "check_drawable",
    "draw_graph",
    "find_interactions",
    "shorten",
    "write_interactions",
]

#: Redundancies in the picture: enough to see the families of features, few enough to
#: see the interactions among them.
MOST_REDUNDANT = 30
#: Less of the weaker feature's gain than this is told by both: not worth a line.
LEAST_SHARE = 0.1
#: And less than this of the strongest redundancy is often mere noise.
LEAST_OF_STRONGEST = 0.05


@dataclass(frozen=True, slots=True)
class Search:
    """What is asked about a table."""

    target: str | None
    alpha: float | str = "auto"
    beta: float | str = "auto"
    fdr: float = 0.05
    max_degree: int | None = None
    missing: str = "level"
    target_bins: int | None = None
    jobs: int = -1
    seed: int = 0


def find_interactions(source: Source, search: Search, *, quiet: bool) -> dict[str, Any]:
    """Read the table and look for interactions among its features."""
    if source.is_stream:
        return _scan_stream(source, search, quiet=quiet)
    with working(f"Reading {source.path.name}", quiet=quiet):
        table = source.read(search.target)
    target = check_answerable(table, source)
    notes = data_notes(table)
    target_bins = choose_target_bins(target, search.target_bins, notes)
    selector = BIFSFilter(
        search.alpha,
        search.beta,
        max_degree=search.max_degree,
        missing=search.missing,
        fdr=search.fdr,
        target_bins=target_bins,
        n_jobs=search.jobs,
        random_state=search.seed,
    )
    n_pairs = table.n_columns * (table.n_columns - 1) // 2
    with working(f"Looking at {plural(n_pairs, 'pair')} of features", quiet=quiet):
        notes = _fit(selector, table) + notes
        found = _describe(selector, table)
    classes = [str(level) for level in selector.classes_]
    if target_bins is not None:
        note_cut_target(target.name, classes, notes)
    return {
        "featsieve": featsieve.__version__,
        "data": str(source.path),
        "target": target.name,
        "classes": classes,
        "n_rows": table.n_rows,
        "n_features": table.n_columns,
        "n_pairs": n_pairs,
        "unit": "bits",
        "alpha": search.alpha,
        "beta": search.beta,
        "fdr": search.fdr,
        "max_degree": search.max_degree,
        "missing": search.missing,
        "target_bins": target_bins,
        "seed": search.seed,
        "alpha_used": _finite(selector.alpha_),
        "detectable_synergy": _finite(
            getattr(selector, "detectable_synergy_", math.nan)
        ),
        **found,
        "notes": notes,
    }


def _scan_stream(source: Source, search: Search, *, quiet: bool) -> dict[str, Any]:
    """Look at all pairs of a table that is read part by part."""
    if search.alpha != "auto" or search.beta != "auto" or search.missing != "level":
        message = (
            "Several files are scanned for pairs with missing values as a level and "
            "tested; --alpha, --beta and --missing are for a single file."
        )
        raise UsageProblem(message)
    with working(f"Opening {source.label}", quiet=quiet):
        stream = source.open(search.target)
    with source.where():
        found, counted, target_bins = count_stream_pairs(
            stream, search.target_bins, jobs=search.jobs, quiet=quiet
        )
    notes = counted_notes(counted, stream.target)
    known = {note["column"] for note in notes}
    for note in found.notes:
        if note.code == "many_levels" and note.column not in known:
            row = {"code": note.code, "column": note.column, "message": note.message}
            notes.append(row)
    classes = [str(level) for level in found.classes]
    if target_bins is not None:
        note_cut_target(stream.target, classes, notes)
    return {
        "featsieve": featsieve.__version__,
        "data": source.label,
        "target": stream.target,
        "classes": classes,
        "n_rows": found.n_rows,
        "n_features": len(counted.columns),
        "n_pairs": len(found.synergy),
        "unit": "bits",
        "alpha": search.alpha,
        "beta": search.beta,
        "fdr": search.fdr,
        "max_degree": search.max_degree,
        "missing": search.missing,
        "target_bins": target_bins,
        "seed": search.seed,
        "alpha_used": None,
        "detectable_synergy": None,
        **describe_stream(found, counted, search.fdr),
        "notes": notes,
    }


def _fit(selector: BIFSFilter, table: Table) -> list[dict[str, Any]]:
    """Fit, and return as notes what the filter warns of."""
    notes = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        selector.fit(table, None)
    for warning in caught:
        if issubclass(warning.category, WeakEvidenceWarning):
            text = str(warning.message).replace("`alpha`", "--alpha")
            text = text.replace("alpha='auto'", "--alpha auto")
            notes.append({"code": "weak_evidence", "column": None, "message": text})
        elif not issubclass(warning.category, NoFeatureSelectedWarning):
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    return notes


def _describe(selector: BIFSFilter, table: Table) -> dict[str, Any]:
    """Return interactions, pairs and features, with what each feature tells alone."""
    codes = np.column_stack(
        [selector.discretizer_.code(j, column) for j, column in enumerate(table)]
    )
    classes = read_target(
        selector, table.target, table.n_rows, n_bins=selector.target_bins
    ).codes

    def gains(sets: Iterable[tuple[int, ...]]) -> NDArray[np.float64]:
        return gains_of_tuples(
            codes, classes, sets, missing=selector.missing, n_jobs=selector.n_jobs
        )

    own = selector.gains_.tolist()
    redundant = selector.redundant_pairs_
    overlap = zip(
        redundant["first"].tolist(), redundant["second"].tolist(), strict=True
    )
    return {
        "target_entropy": float(entropy(classes)),
        "n_interactions": len(selector.interactions_),
        "n_kept": int(selector.support_.sum()),
        "interactions": [_as_row(each) for each in selector.interactions_],
        "pairs": _pair_rows(selector.pairs_, table.names, own),
        "redundant_pairs": _pair_rows(
            redundant | {"joint_gain": gains(overlap)}, table.names, own
        ),
        "features": [
            {
                "feature": column.name,
                "kind": column.kind.value,
                "gain": own[j],
                "kept": bool(selector.support_[j]),
            }
            for j, column in enumerate(table)
        ],
    }


def _as_row(found: Interaction) -> dict[str, Any]:
    return {
        "members": list(found.members),
        "joint_gain": found.joint_gain,
        "synergy": _finite(found.synergy),
        "gain_per_feature": found.gain_per_feature,
        "p_value": found.p_value,
        "best_split": [list(part) for part in found.best_split],
        "is_real": found.is_real,
        "kept": found.kept,
    }


def _pair_rows(
    pairs: dict[str, Any], names: tuple[str, ...], own: list[float]
) -> list[dict[str, Any]]:
    order = ("joint_gain", "synergy", "is_interaction", "p_value", "q_value")
    columns = {key: pairs[key].tolist() for key in order if key in pairs}
    firsts, seconds = pairs["first"].tolist(), pairs["second"].tolist()
    return [
        {
            "first": names[i],
            "second": names[j],
            "first_gain": own[i],
            "second_gain": own[j],
            **{key: values[k] for key, values in columns.items()},
        }
        for k, (i, j) in enumerate(zip(firsts, seconds, strict=True))
    ]


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def shorten(answer: dict[str, Any], top: int | None) -> dict[str, Any]:
    """Return the answer with the `top` best pairs of each kind."""
    short = {key: answer[key][:top] for key in ("pairs", "redundant_pairs")}
    return answer | short


def write_interactions(answer: dict[str, Any], path: Path) -> None:
    """Write all in one table: a row for each interaction and each pair."""
    sizes = [len(found["members"]) for found in answer["interactions"]]
    most = max([2, *sizes])
    rows = [
        _flat("interaction", found["members"], most, found)
        for found in answer["interactions"]
    ]
    for kind in ("pair", "redundant_pair"):
        rows += [
            _flat(kind, [pair["first"], pair["second"]], most, pair)
            for pair in answer[f"{kind}s"]
        ]
    # Without any row, still a head; it is the same for all.
    rows = rows or [dict.fromkeys(_flat("", ["", ""], most, {}))]
    write_rows(path, rows, answer)


def _flat(
    kind: str, members: list[str], most: int, found: dict[str, Any]
) -> dict[str, Any]:
    names = [*members, *[None] * (most - len(members))]
    fields = ("joint_gain", "synergy", "gain_per_feature", "p_value", "q_value")
    return (
        {"kind": kind}
        | {f"feature_{k}": name for k, name in enumerate(names, 1)}
        | {key: found.get(key) for key in (*fields, "is_real", "kept")}
    )


def check_drawable() -> None:
    """Complain about a missing extra before the work is done, not after it."""
    if find_spec("matplotlib") is None:
        message = "--graph needs matplotlib: pip install featsieve[report]"
        raise UsageProblem(message)


def draw_graph(answer: dict[str, Any], path: Path) -> None:
    """Draw what interacts, what is kept and what tells the same."""
    features = answer["features"]
    number = {row["feature"]: k for k, row in enumerate(features)}
    save_interaction_graph(
        path,
        [row["feature"] for row in features],
        [row["gain"] for row in features],
        _synergies(answer, number) + _redundancies(answer, number),
        selected=[row["kept"] for row in features],
        groups=[
            [number[name] for name in found["members"]]
            for found in answer["interactions"]
        ],
        show_isolated=False,
        title=f"What features tell about {answer['target']!r} together",
    )


def _synergies(
    answer: dict[str, Any], number: dict[str, int]
) -> list[tuple[int, int, float]]:
    """Return the pairs within interactions; those of a pure triple share its bits."""
    known = {
        frozenset((pair["first"], pair["second"])): pair["synergy"]
        for pair in answer["pairs"]
        if pair["is_interaction"]
    }
    edges: dict[tuple[int, int], float] = {}
    for found in answer["interactions"]:
        members = found["members"]
        for k, first in enumerate(members):
            for second in members[k + 1 :]:
                bits = known.get(frozenset((first, second)), found["synergy"])
                if bits is not None and bits > 0:
                    edges.setdefault((number[first], number[second]), bits)
    return [(i, j, bits) for (i, j), bits in edges.items()]


def _redundancies(
    answer: dict[str, Any], number: dict[str, int]
) -> list[tuple[int, int, float]]:
    """Return pairs that tell much of the same."""
    pairs = answer["redundant_pairs"]
    strongest = max((-pair["synergy"] for pair in pairs), default=0.0)
    edges = [
        (number[pair["first"]], number[pair["second"]], pair["synergy"])
        for pair in pairs
        if -pair["synergy"] >= LEAST_OF_STRONGEST * strongest
        and -pair["synergy"]
        >= LEAST_SHARE * min(pair["first_gain"], pair["second_gain"])
    ]
    return edges[:MOST_REDUNDANT]
