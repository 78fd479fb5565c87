"""Show interactions to people: those found, pairs of both kinds, what is kept."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from featsieve._text import visible
from featsieve.cli.views.answers import print_notes
from featsieve.cli.views.output import (
    Shown,
    count,
    grid_of,
    name_cell,
    percent,
    plural,
    probability,
    sentence,
    two_sided_bar,
)

#: A person reads no further; files and JSON hold everything.
MOST_GROUPS, MOST_PAIRS, MOST_REDUNDANT = 20, 10, 5
MOST_KEPT = 30
#: What is shown as 0.0000 bits is not told by both.
LEAST_SHOWN = 0.00005


def print_interactions(
    console: Console, answer: dict[str, Any], *, top: int | None, quiet: bool
) -> None:
    """Show the tables, the verdict in words, and what to be careful about."""
    title = Text("What features tell together about ", "bold")
    console.print(title.append(visible(repr(answer["target"]))))
    legend = (
        f"{plural(answer['n_rows'], 'row')}, {plural(len(answer['classes']), 'class')}"
        "; gains in bits"
    )
    console.print(sentence(legend, "dim"))
    _print_groups(console, answer)
    _print_pairs(console, answer, top or MOST_PAIRS)
    _print_redundant(console, answer, top or MOST_REDUNDANT)
    console.print()
    console.print(_verdict(answer))
    console.print(_kept(answer))
    if quiet:
        return
    if _luck_is_shown(answer, top or MOST_PAIRS):
        text = (
            "Many levels make synergy by luck: of the pairs above, some show more bits "
            "than that and permuted classes make as much. Trust p, not the bits."
        )
        console.print(sentence(text, "dim"))
    print_notes(console, answer)


def _print_title(console: Console, title: str, legend: str) -> None:
    console.print()
    line = Text(title, "bold")
    line.append(f"  {legend}", "not bold dim")
    console.print(line)


def _print_groups(console: Console, answer: dict[str, Any]) -> None:
    found = answer["interactions"]
    if not found:
        return
    legend = "synergy: beyond the best split into parts; ● kept"
    _print_title(console, "Interactions found", legend)
    columns = (
        Shown("features", _members, "name"),
        Shown("together", lambda row: _bits(row["joint_gain"]), "figure", least=60),
        Shown("synergy", lambda row: _bits(row["synergy"]), "figure"),
        Shown(
            "per feature",
            lambda row: _bits(row["gain_per_feature"]),
            "figure",
            least=72,
        ),
        Shown("p", lambda row: _probability(row["p_value"]), "figure"),
        Shown("", _kind, least=60),
        Shown("", lambda row: _mark(row["kept"])),
    )
    faint = [row for row in found if row["is_real"] is False]
    console.print(grid_of(found[:MOST_GROUPS], columns, console.width, faint))
    hidden = len(found) - MOST_GROUPS
    if hidden > 0:
        text = f"… and {plural(hidden, 'interaction')} more; --out FILE saves all."
        console.print(sentence(text, "dim"))


def _mark(good: bool) -> Text:
    return Text("●", "not dim green") if good else Text("·", "dim")


def _members(row: dict[str, Any]) -> Text:
    """Return the names, and for a chain the parts that tell as much."""
    text = Text(visible(" + ".join(row["members"])), overflow="fold")
    if row["is_real"] is False:
        parts = " | ".join(" + ".join(part) for part in row["best_split"])
        text.append("\n" + visible(f"chain of {parts}"))
    return text


def _kind(row: dict[str, Any]) -> str:
    if row["is_real"] is None:
        return "not verified"
    return f"real {len(row['members'])}-way" if row["is_real"] else "chain"


def _bits(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _probability(p: float | None) -> str:
    return "–" if p is None else probability(p)


def _print_pairs(console: Console, answer: dict[str, Any], top: int) -> None:
    rows = answer["pairs"][:top]
    if not rows:
        return
    tested = "q_value" in rows[0]
    legend = "most evidence first; ● interaction" if tested else "most synergy first"
    title = "Best pair" if answer["n_pairs"] == 1 else "Best pairs"
    _print_title(console, title, f"of {count(answer['n_pairs'])}; {legend}")
    # Luck has large bars where levels are many; what is found sets the scale.
    good = [row["synergy"] for row in rows if row["is_interaction"]]
    scale = max(map(abs, good or [row["synergy"] for row in rows])) or 1.0
    columns = _pair_columns(console.width, scale)
    if tested:
        columns += [
            Shown("p", lambda row: probability(row["p_value"]), "figure"),
            Shown("q", lambda row: probability(row["q_value"]), "figure", least=80),
            Shown("", lambda row: _mark(row["is_interaction"])),
        ]
    faint = [row for row in rows if not row["is_interaction"]]
    console.print(grid_of(rows, columns, console.width, faint))


def _print_redundant(console: Console, answer: dict[str, Any], top: int) -> None:
    rows = [row for row in answer["redundant_pairs"] if row["synergy"] < -LEAST_SHOWN]
    rows = rows[:top]
    if not rows:
        return
    _print_title(console, "Most redundant pairs", "both tell the same bits")
    columns = _pair_columns(console.width, max(-row["synergy"] for row in rows))
    columns.append(Shown("of weaker", _share_of_weaker, "figure"))
    console.print(grid_of(rows, columns, console.width))


def _share_of_weaker(row: dict[str, Any]) -> str:
    weaker = min(row["first_gain"], row["second_gain"])
    return percent(min(-row["synergy"] / weaker, 1.0) if weaker > 0 else 0.0)


def _pair_columns(width: int, scale: float) -> list[Shown]:
    """Return the columns of pairs; a narrow terminal has no room for a bar."""
    half = 7 if width >= 110 else 4 if width >= 80 else 3
    return [
        Shown("first", lambda row: name_cell(row["first"]), "name"),
        Shown("alone", lambda row: _bits(row["first_gain"]), "figure", least=80),
        Shown("second", lambda row: name_cell(row["second"]), "name"),
        Shown("alone", lambda row: _bits(row["second_gain"]), "figure", least=80),
        Shown("together", lambda row: _bits(row["joint_gain"]), "figure", least=80),
        Shown(
            "synergy", lambda row: f"{row['synergy']:+.4f}".replace("-", "−"), "figure"
        ),
        Shown(
            "",
            lambda row: two_sided_bar(row["synergy"] / scale, half),
            least=60,
            size=2 * half + 1,
        ),
    ]


def _verdict(answer: dict[str, Any]) -> Text:
    n, n_features = answer["n_interactions"], answer["n_features"]
    if n_features < 2:
        return sentence("One feature has nothing to interact with.", "bold")
    found = plural(n, "interaction") if n else "No interaction"
    text = f"{found} among {plural(n_features, 'feature')}"
    if answer["min_synergy"] != "auto":
        least = answer["min_synergy_used"]
        text += f" with more than {least:g} bits of synergy in each pair"
        return sentence(f"{text}; --min-synergy auto tests against chance.", "bold")
    text += f" at a false discovery rate of {100 * answer['fdr']:g} %"
    least = answer["detectable_synergy"]
    if least is not None and least >= answer["target_entropy"]:
        text += "; so few rows could not have shown any"
    elif least is not None:
        text += f"; between two typical features, one from {least:.2g} bits on would "
        text += "have been found"
    return sentence(f"{text}.", "bold")


def _luck_is_shown(answer: dict[str, Any], top: int) -> bool:
    """Whether a pair on show has more bits than would do for a typical pair."""
    least = answer["detectable_synergy"]
    return least is not None and any(
        row["synergy"] > least and not row["is_interaction"]
        for row in answer["pairs"][:top]
    )


def _kept(answer: dict[str, Any]) -> Text:
    names = [row["feature"] for row in answer["features"] if row["kept"]]
    if not names:
        return sentence(
            "No feature is kept: none tells about the target beyond chance."
        )
    more = f" and {len(names) - MOST_KEPT} more" if len(names) > MOST_KEPT else ""
    of = f"{count(len(names))} of {plural(answer['n_features'], 'feature')}"
    return sentence(f"Kept {of}: {', '.join(names[:MOST_KEPT])}{more}.")
