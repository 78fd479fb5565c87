"""Show interactions to people: those found, pairs of both kinds, what is kept."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from featsieve._text import visible
from featsieve.cli._answers import print_notes
from featsieve.cli._output import (
    count,
    name_cell,
    percent,
    plural,
    probability,
    sentence,
    table_for_people,
    two_sided_bar,
)

__all__ = ["print_interactions"]

#: A person reads no further; files and JSON hold everything.
MOST_GROUPS, MOST_PAIRS, MOST_REDUNDANT = 20, 10, 5
MOST_KEPT = 30
#: What is shown as 0.0000 bits is not told by both.
LEAST_SHOWN = 0.00005


def print_interactions(
    console: Console, answer: dict[str, Any], *, top: int | None, quiet: bool
) -> None:
    """Show the tables, the verdict in words, and what to be careful about."""
    console.print(_heading(answer))
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


def _heading(answer: dict[str, Any]) -> Text:
    text = Text("What features tell together about ", "bold")
    text.append(visible(repr(answer["target"])))
    return text


def _print_title(console: Console, title: str, legend: str) -> None:
    console.print()
    line = Text(title, "bold")
    line.append(f"  {legend}", "not bold dim")
    console.print(line)


def _print_groups(console: Console, answer: dict[str, Any]) -> None:
    found = answer["interactions"]
    if not found:
        return
    width = console.width
    legend = "synergy: beyond the best split into parts; ● kept"
    _print_title(console, "Interactions found", legend)
    grid = table_for_people(width)
    grid.add_column("features")
    if width >= 60:
        grid.add_column("together", justify="right", no_wrap=True)
    grid.add_column("synergy", justify="right", no_wrap=True)
    if width >= 72:
        grid.add_column("per feature", justify="right", no_wrap=True)
    grid.add_column("p", justify="right", no_wrap=True)
    if width >= 60:
        grid.add_column("", no_wrap=True)
    grid.add_column("", no_wrap=True)
    for row in found[:MOST_GROUPS]:
        style = "" if row["is_real"] is not False else "dim"
        cells = [_members(row, style)]
        if width >= 60:
            cells.append(Text(f"{row['joint_gain']:.4f}", style))
        cells.append(Text(_bits(row["synergy"]), style))
        if width >= 72:
            cells.append(Text(f"{row['gain_per_feature']:.4f}", style))
        cells.append(Text(_probability(row["p_value"]), style))
        if width >= 60:
            cells.append(Text(_kind(row), style))
        cells.append(Text("●", "green") if row["kept"] else Text("·", "dim"))
        grid.add_row(*cells)
    console.print(grid)
    hidden = len(found) - MOST_GROUPS
    if hidden > 0:
        text = f"… and {plural(hidden, 'interaction')} more; --out FILE saves all."
        console.print(sentence(text, "dim"))


def _members(row: dict[str, Any], style: str) -> Text:
    """Return the names, and for a chain the parts that tell as much."""
    text = Text(visible(" + ".join(row["members"])), style, overflow="fold")
    if row["is_real"] is False:
        parts = " | ".join(" + ".join(part) for part in row["best_split"])
        text.append("\n" + visible(f"chain of {parts}"), "dim")
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
    wide = console.width >= 80
    # Luck has large bars where levels are many; what is found sets the scale.
    good = [row["synergy"] for row in rows if row["is_interaction"]]
    scale = max(map(abs, good or [row["synergy"] for row in rows])) or 1.0
    grid = _pair_grid(console.width)
    if tested:
        grid.add_column("p", justify="right", no_wrap=True)
    if tested and wide:
        grid.add_column("q", justify="right", no_wrap=True)
    if tested:
        grid.add_column("", no_wrap=True)
    for row in rows:
        found = row["is_interaction"]
        style = "" if found else "dim"
        cells = _pair_cells(row, console.width, scale, bright=found)
        if tested:
            cells.append(Text(probability(row["p_value"]), style))
        if tested and wide:
            cells.append(Text(probability(row["q_value"]), style))
        if tested:
            cells.append(Text("●" if found else "·", "green" if found else "dim"))
        grid.add_row(*cells)
    console.print(grid)


def _print_redundant(console: Console, answer: dict[str, Any], top: int) -> None:
    rows = [row for row in answer["redundant_pairs"] if row["synergy"] < -LEAST_SHOWN]
    rows = rows[:top]
    if not rows:
        return
    _print_title(console, "Most redundant pairs", "both tell the same bits")
    scale = max(-row["synergy"] for row in rows)
    grid = _pair_grid(console.width)
    grid.add_column("of weaker", justify="right", no_wrap=True)
    for row in rows:
        weaker = min(row["first_gain"], row["second_gain"])
        share = min(-row["synergy"] / weaker, 1.0) if weaker > 0 else 0.0
        cells = _pair_cells(row, console.width, scale, bright=True)
        cells.append(Text(percent(share)))
        grid.add_row(*cells)
    console.print(grid)


def _half_bar(width: int) -> int:
    """Return the cells of one side of a bar; a narrow terminal has no room for any."""
    return 7 if width >= 110 else 4 if width >= 80 else 3 if width >= 60 else 0


def _pair_grid(width: int) -> Grid:
    """Return a table of pairs, of fewer columns on a narrow terminal."""
    grid = table_for_people(width)
    for title in ("first", "second"):
        grid.add_column(title)
        if width >= 80:
            grid.add_column("alone", justify="right", no_wrap=True)
    if width >= 80:
        grid.add_column("together", justify="right", no_wrap=True)
    grid.add_column("synergy", justify="right", no_wrap=True)
    half = _half_bar(width)
    if half:
        grid.add_column("", no_wrap=True, width=2 * half + 1)
    return grid


def _pair_cells(
    row: dict[str, Any], width: int, scale: float, *, bright: bool
) -> list[Text]:
    style = "" if bright else "dim"
    cells = []
    for end in ("first", "second"):
        cells.append(name_cell(row[end], style))
        if width >= 80:
            cells.append(Text(f"{row[f'{end}_gain']:.4f}", style))
    if width >= 80:
        cells.append(Text(f"{row['joint_gain']:.4f}", style))
    cells.append(Text(f"{row['synergy']:+.4f}".replace("-", "−"), style))
    half = _half_bar(width)
    if half:
        cells.append(two_sided_bar(row["synergy"] / scale, half, bright=bright))
    return cells


def _verdict(answer: dict[str, Any]) -> Text:
    n, n_features = answer["n_interactions"], answer["n_features"]
    if n_features < 2:
        return sentence("One feature has nothing to interact with.", "bold")
    found = plural(n, "interaction") if n else "No interaction"
    text = f"{found} among {plural(n_features, 'feature')}"
    if answer["alpha"] != "auto":
        text += f" with more than {answer['alpha_used']:g} bits of synergy in each pair"
        return sentence(f"{text}; --alpha auto tests against chance.", "bold")
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
