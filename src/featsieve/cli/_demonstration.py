"""The story that `featsieve demo` tells."""

from __future__ import annotations

import shlex
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
from rich.console import Console

from featsieve.cli._errors import UsageProblem
from featsieve.cli._inspection import inspect_table, print_inspection
from featsieve.cli._interaction_search import (
    Search,
    check_drawable,
    draw_graph,
    find_interactions,
)
from featsieve.cli._interaction_tables import print_interactions
from featsieve.cli._options import Source
from featsieve.cli._output import bullet, plural, sentence
from featsieve.cli._ranking import Question, print_ranking, rank_features
from featsieve.data import Table
from featsieve.datasets import Truth, make_mixed

__all__ = ["run_demo"]

FILE = "customers.csv"
GRAPH = "interactions.svg"
# Chosen to tell the story cleanly: of seeds 0 to 5, four have a feature that is above
# chance by luck (router, line, income, ...), as a false discovery rate allows.
SEED = 2
TOP = 15
TOP_PAIRS = 5
#: Reads as a number in CSV and is a name, as happens in real tables.
NOMINAL = "dialling_code"


def run_demo(console: Console, folder: Path) -> None:
    """Write the table, inspect it, rank it, and compare with the truth."""
    table, truth = make_mixed(random_state=SEED)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    write_csv(table, path)
    target = table.target.name
    source = Source(path, nominal=[NOMINAL])
    shown = f"{table.n_rows:,} invented customers are in {str(path)!r}. The commands "
    console.print(sentence(f"{shown}below can be repeated and changed."))
    console.print()
    _print_command(console, "inspect", path, "--target", target, "--nominal", NOMINAL)
    found = inspect_table(source, target, quiet=False)
    print_inspection(console, found, show_all=False, quiet=True)
    console.print()
    options = ("--target", target, "--nominal", NOMINAL, "--top", str(TOP))
    _print_command(console, "rank", path, *options)
    answer = rank_features(source, Question(target), quiet=False)
    print_ranking(console, answer, top=TOP, quiet=False)
    console.print()
    above = {row["feature"] for row in answer["ranking"] if row["above_chance"]}
    _lead_over(console, truth, above)
    graph = folder / GRAPH
    drawn = _can_draw()
    options = ("--target", target, "--nominal", NOMINAL, "--top", str(TOP_PAIRS))
    drawing = ("--graph", str(graph)) if drawn else ()
    _print_command(console, "interactions", path, *options, *drawing)
    found = find_interactions(source, Search(target), quiet=False)
    print_interactions(console, found, top=TOP_PAIRS, quiet=True)
    if drawn:
        draw_graph(found, graph)
        console.print(f"Written to {str(graph)!r}.", style="dim", soft_wrap=True)
    console.print()
    together = {tuple(row["members"]) for row in found["interactions"]}
    _print_truth(console, truth, above, together)


def _can_draw() -> bool:
    """Whether the extra that draws is installed; the story does without, too."""
    try:
        check_drawable()
    except UsageProblem:
        return False
    return True


def write_csv(table: Table, path: Path) -> None:
    """Write features and target as a plain CSV file, missing values as empty cells."""
    X, y = table.to_arrow()
    assert table.target is not None  # every built-in table has one
    X = X.append_column(table.target.name, y)
    columns = [
        column.cast(column.type.value_type)
        if pa.types.is_dictionary(column.type)
        else column
        for column in X.columns
    ]
    plain = pa.Table.from_arrays(columns, names=X.column_names)
    options = pa_csv.WriteOptions(quoting_style="needed", include_header=True)
    pa_csv.write_csv(plain, path, options)


def _print_command(console: Console, command: str, path: Path, *options: str) -> None:
    line = shlex.join(["featsieve", command, str(path), *options])
    console.print(sentence(f"$ {line}", "bold cyan"), soft_wrap=True)


def _lead_over(console: Console, truth: Truth, above: set[str]) -> None:
    """Say what no ranking can see, which is why there is a further command."""
    together = {name for group in truth.interactions for name in group}
    missed = [name for name in truth.relevant if name in together - above]
    if missed:
        text = (
            f"{' and '.join(missed)} matter as well, by construction, and are not "
            "found: alone, each is a fair coin. What features tell only together, "
            "the next command looks for."
        )
        console.print(sentence(text))
        console.print()


def _print_truth(
    console: Console, truth: Truth, above: set[str], together: set[tuple[str, ...]]
) -> None:
    found = above | {name for members in together for name in members}
    known = [name for name in truth.relevant if name in found]
    missed = [name for name in truth.relevant if name not in found]
    wrong = sorted(found.intersection(truth.irrelevant))
    pairs = [" + ".join(members) for members in sorted(together)]
    console.print(sentence("The truth about this table", "bold"))
    lines = [
        f"matter by construction: {plural(len(truth.relevant), 'feature')}",
        f"found: {len(known)} ({', '.join(known)})",
        f"found only together: {', '.join(pairs) or 'none'}",
        f"missed: {', '.join(missed) or 'none'}",
        f"found by mistake: {', '.join(wrong) or 'none'}",
    ]
    for line in lines:
        console.print(bullet(line))
    if set(truth.interactions) & together:
        text = (
            "Customers whose router does not fit their line tend to go: no ranking of "
            "single features can see that."
        )
        console.print(sentence(text, "dim"))
