"""The story that `featsieve demo` tells."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
from rich.console import Console

from featsieve._text import whole_file
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.interaction_answers import (
    check_drawable,
    draw_graph,
    find_interactions,
)
from featsieve.cli.views.interactions import print_interactions
from featsieve.cli.views.output import bullet, plural, sentence, tell_written
from featsieve.cli.views.rank import print_ranking, rank_features
from featsieve.cli.views.select import (
    check_reportable,
    print_selection,
    select_features,
)
from featsieve.data import Table
from featsieve.datasets import Truth, make_mixed
from featsieve.selection import Selection

FILE = "customers.csv"
PAGE = "report.html"
GRAPH = "interactions.svg"
# Chosen to tell the story cleanly: of seeds 0 to 5, four have a feature that is above
# chance by luck (router, line, income, ...), as a false discovery rate allows.
SEED = 2
TOP = 10
TOP_PAIRS = 3
#: Reads as a number in CSV and is a name, as happens in real tables.
NOMINAL = "dialling_code"


def run_demo(console: Console, folder: Path) -> None:
    """Write the table, select from it, compare with the truth, and look behind it."""
    table, truth = make_mixed(random_state=SEED)
    folder.mkdir(parents=True, exist_ok=True)
    path, page = folder / FILE, folder / PAGE
    write_csv(table, path)
    target = table.target.name
    source = Source([path], nominal=[NOMINAL])
    shown = f"{table.n_rows:,} invented customers are in {str(path)!r}. The commands "
    console.print(sentence(f"{shown}below can be repeated and changed."))
    console.print()
    options = ("--target", target, "--nominal", NOMINAL)
    reporting = ("--report", str(page)) if _can(check_reportable) else ()
    _print_command(console, "select", path, *options, *reporting)
    selection = select_features(source, quiet=False, target=target, n_jobs=-1)
    print_selection(console, selection, quiet=True)
    if reporting:
        selection.report(page)
        tell_written(console, page)
    console.print()
    _print_truth(console, truth, selection)
    console.print()
    _look_behind(console, source, target, folder)
    if reporting:
        console.print()
        console.print(sentence("The report, to be opened in a browser:", "bold"))
        console.print(page.resolve().as_uri(), style="cyan", soft_wrap=True)


def _look_behind(console: Console, source: Source, target: str, folder: Path) -> None:
    """Show the ranking that misses the interaction, and the scan that finds it."""
    path = source.path
    options = ("--target", target, "--nominal", NOMINAL, "--top", str(TOP))
    _print_command(console, "rank", path, *options)
    answer = rank_features(source, quiet=False, target=target)
    print_ranking(console, answer, top=TOP, quiet=True)
    console.print()
    graph = folder / GRAPH
    drawn = _can(check_drawable)
    options = ("--target", target, "--nominal", NOMINAL, "--top", str(TOP_PAIRS))
    drawing = ("--graph", str(graph)) if drawn else ()
    _print_command(console, "interactions", path, *options, *drawing)
    found = find_interactions(source, quiet=False, target=target)
    print_interactions(console, found, top=TOP_PAIRS, quiet=True)
    if drawn:
        draw_graph(found, graph)
        tell_written(console, graph)


def _can(check: Callable[[], None]) -> bool:
    """Whether an extra is installed; the story does without, too."""
    try:
        check()
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
    with whole_file(path) as beside:
        pa_csv.write_csv(plain, beside, options)


def _print_command(console: Console, command: str, path: Path, *options: str) -> None:
    line = shlex.join(["featsieve", command, str(path), *options])
    console.print(sentence(f"$ {line}", "bold cyan"), soft_wrap=True)


def _print_truth(console: Console, truth: Truth, selection: Selection) -> None:
    """Hold the selection against what is known by construction."""
    kept = set(selection.features)
    hit = [group for group in truth.groups if kept.intersection(group)]
    missed = [group[0] for group in truth.groups if not kept.intersection(group)]
    wrong = sorted(kept.intersection(truth.irrelevant))
    pairs = [
        " + ".join(found["members"])
        for found in selection.interactions
        if found["kind"] == "synergy"
    ]
    copies = [
        name
        for group in truth.redundant
        for name in group
        if selection.verdict(name) == "redundant"
    ]
    console.print(sentence("The truth about this table", "bold"))
    lines = [
        f"matter by construction: {plural(len(truth.groups), 'feature')}, "
        f"{len(truth.redundant)} of them with a copy",
        f"found: {len(hit)}; missed: {', '.join(missed) or 'none'}; "
        f"kept by mistake: {', '.join(wrong) or 'none'}",
        f"copies set aside: {', '.join(copies) or 'none'}",
        f"found only together: {', '.join(pairs) or 'none'}",
    ]
    for line in lines:
        console.print(bullet(line))
    if pairs:
        text = (
            "Customers whose router does not fit their line tend to go: no ranking of "
            "single features can see that, as the next command shows."
        )
        console.print(sentence(text, "dim"))
