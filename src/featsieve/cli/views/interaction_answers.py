"""Find interactions: all that is shown, written or drawn is in a plain dictionary."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import featsieve
from featsieve._types import Positions
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.answers import (
    check_answerable,
    choose_target_bins,
    count_stream,
    fit_noting,
    note_cut_target,
    shown_notes,
    take_row_options,
    write_rows,
)
from featsieve.cli.views.output import counting, plural, working
from featsieve.measures import information_gain
from featsieve.report import interaction_graph, save_figure
from featsieve.selectors import BIFSFilter, StreamInteractions, stream_interactions
from featsieve.tallies import Tally

#: Pairs in an answer: more than anybody reads, fewer than all of a wide table.
MOST_PAIRS = 1000
#: Redundancies in the picture: enough to see the families of features, few enough to
#: see the interactions among them.
MOST_REDUNDANT = 30
#: Less of the weaker feature's gain than this is told by both: not worth a line.
LEAST_SHARE = 0.1
#: And less than this of the strongest redundancy is often mere noise.
LEAST_OF_STRONGEST = 0.05


#: What may be asked of a search, by the names of `BIFSFilter`.
DEFAULTS = {
    "min_synergy": "auto",
    "max_loss": "auto",
    "fdr": 0.05,
    "max_degree": None,
    "missing": "level",
}


def find_interactions(
    source: Source,
    *,
    quiet: bool,
    target: str | None,
    target_bins: int | None = None,
    rows: dict[str, Any] | None = None,
    jobs: int = -1,
    seed: int = 0,
    **wishes: Any,
) -> dict[str, Any]:
    """Read the table and look for interactions among its features."""
    asked: dict[str, Any] = DEFAULTS | wishes
    options = asked | {"n_jobs": jobs, "random_state": seed}
    if source.is_stream:
        answer = _scan_stream(source, target, target_bins, options, quiet)
    else:
        answer = _search_table(source, target, target_bins, options, rows or {}, quiet)
    about, cut, found, notes = answer
    if cut is not None:
        note_cut_target(about["target"], about["classes"], notes)
    return {
        "featsieve": featsieve.__version__,
        "data": source.label,
        **about,
        "unit": "bits",
        **asked,
        "target_bins": cut,
        "seed": seed,
        **found,
        "notes": notes,
    }


Found = tuple[dict[str, Any], int | None, dict[str, Any], list[dict[str, Any]]]


def _search_table(
    source: Source,
    target: str | None,
    target_bins: int | None,
    asked: dict[str, Any],
    rows: dict[str, Any],
    quiet: bool,
) -> Found:
    with working(f"Reading {source.path.name}", quiet=quiet):
        table = source.read(target)
    table, taken = take_row_options(table, rows)
    goal = check_answerable(table, source)
    notes = shown_notes(table.notes, goal.name)
    cut = choose_target_bins(goal, target_bins, notes)
    selector = BIFSFilter(**asked, target_bins=cut)
    n_pairs = table.n_columns * (table.n_columns - 1) // 2
    with working(f"Looking at {plural(n_pairs, 'pair')} of features", quiet=quiet):
        notes = fit_noting(selector, table, taken) + notes
    own = dict(zip(table.names, selector.gains_.tolist(), strict=True))
    members = [name for name, kept in zip(own, selector.support_, strict=True) if kept]
    about = {
        "target": goal.name,
        "classes": [str(level) for level in selector.classes_],
        "n_rows": table.n_rows,
        "n_features": table.n_columns,
        "n_pairs": n_pairs,
    }
    detectable = getattr(selector, "detectable_synergy_", math.nan)
    found = {
        "min_synergy_used": _finite(selector.min_synergy_),
        "detectable_synergy": _finite(detectable),
        "target_entropy": selector.target_entropy_,
        "n_interactions": len(selector.interactions_),
        "n_kept": len(members),
        "interactions": [
            asdict(each) | {"synergy": _finite(each.synergy)}
            for each in selector.interactions_
        ],
        "pairs": _pair_rows(selector.pairs_, own),
        "redundant_pairs": _pair_rows(selector.redundant_pairs_, own),
        "features": _features(table.columns, own, members),
    }
    return about, cut, found, notes


def _scan_stream(
    source: Source,
    target: str | None,
    target_bins: int | None,
    asked: dict[str, Any],
    quiet: bool,
) -> Found:
    """Look at all pairs of a table that is read part by part, a bar for each pass."""
    if any(
        asked[key] != DEFAULTS[key] for key in ("min_synergy", "max_loss", "missing")
    ):
        raise UsageProblem(
            "Several files are scanned for pairs with missing values as a level and "
            "tested; --min-synergy, --max-loss and --missing are for a single file."
        )
    jobs = asked["n_jobs"]
    stream, counted, cut = count_stream(source, target, target_bins, jobs, quiet=quiet)
    doing, then = "Counting pairs", "Testing pairs"
    with (
        source.where(),
        counting(doing, stream.n_rows, then=then, quiet=quiet) as progress,
    ):
        found = stream_interactions(
            stream, target_bins=cut, n_jobs=jobs, progress=progress
        )
    about = {
        "target": stream.target,
        "classes": [str(level) for level in found.classes],
        "n_rows": found.n_rows,
        "n_features": len(counted.columns),
        "n_pairs": len(found.synergy),
    }
    described = _describe_stream(found, counted, asked["fdr"])
    return about, cut, described, shown_notes(found.notes, stream.target)


def _describe_stream(
    found: StreamInteractions, counted: Any, fdr: float
) -> dict[str, Any]:
    """Return interactions, pairs and features as the answer for one file has them."""
    own = dict(zip(found.names, found.gains.tolist(), strict=True))
    order = np.argsort(-found.synergy, kind="stable")
    pairs = {
        "first": found.first,
        "second": found.second,
        "joint_gain": found.joint_gain,
        "synergy": found.synergy,
        "is_interaction": (found.q_values <= fdr) & (found.synergy > 0),
        "p_value": found.p_values,
        "q_value": found.q_values,
    }

    def some(places: Positions) -> list[dict[str, Any]]:
        chosen = {key: values[places[:MOST_PAIRS]] for key, values in pairs.items()}
        return _pair_rows(chosen, own)

    rows = some(order)
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
    # A column that names the class would tell all of this.
    table = np.diag(counted.class_totals)
    entropy = information_gain(Tally(np.vstack([table, 0 * table[:1]])))
    return {
        "min_synergy_used": None,
        "detectable_synergy": None,
        "target_entropy": float(entropy),
        "n_interactions": len(interactions),
        "n_kept": len(members),
        "interactions": interactions,
        "pairs": rows,
        "redundant_pairs": some(order[::-1][found.synergy[order[::-1]] < 0]),
        "features": _features(counted.columns, own, members),
    }


def _features(
    columns: Iterable[Any], own: dict[str, float], members: Collection[str]
) -> list[dict[str, Any]]:
    return [
        {
            "feature": column.name,
            "kind": column.kind.value,
            "gain": own.get(column.name, 0.0),
            "kept": column.name in members,
        }
        for column in columns
    ]


def _pair_rows(pairs: dict[str, Any], own: dict[str, float]) -> list[dict[str, Any]]:
    """Return pairs of features by their positions in `own`, with what each tells."""
    names = list(own)
    order = ("joint_gain", "synergy", "is_interaction", "p_value", "q_value")
    columns = {key: pairs[key].tolist() for key in order if key in pairs}
    firsts, seconds = pairs["first"].tolist(), pairs["second"].tolist()
    return [
        {
            "first": names[i],
            "second": names[j],
            "first_gain": own[names[i]],
            "second_gain": own[names[j]],
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
        raise UsageProblem("--graph needs matplotlib: pip install featsieve[report]")


def draw_graph(answer: dict[str, Any], path: Path) -> None:
    """Draw what interacts, what is kept and what tells the same."""
    features = answer["features"]
    number = {row["feature"]: k for k, row in enumerate(features)}
    graph = interaction_graph(
        [row["feature"] for row in features],
        [row["gain"] for row in features],
        _synergies(answer, number) + _redundancies(answer, number),
        selected=[row["kept"] for row in features],
        feature_groups=[
            [number[name] for name in found["members"]]
            for found in answer["interactions"]
        ],
        show_isolated=False,
        title=f"What features tell about {answer['target']!r} together",
    )
    save_figure(path, graph)


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
