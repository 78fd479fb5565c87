"""Draw docs/images/*.svg: what the commands show on the demo table.

Run after a change of the output: python docs/make_screenshots.py
"""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path

from rich.terminal_theme import TerminalTheme

from featsieve.cli._demonstration import (
    FILE,
    NOMINAL,
    SEED,
    TOP,
    TOP_PAIRS,
    write_csv,
)
from featsieve.cli._inspection import inspect_table, print_inspection
from featsieve.cli._interaction_search import Search, draw_graph, find_interactions
from featsieve.cli._interaction_tables import print_interactions
from featsieve.cli._options import Source
from featsieve.cli._output import SafeConsole
from featsieve.cli._ranking import Question, print_ranking, rank_features
from featsieve.datasets import make_lenses, make_mixed
from featsieve.trees import C45Tree

IMAGES = Path(__file__).resolve().parent / "images"
WIDTH = 92
# Readable on white and on black pages alike.
THEME = TerminalTheme(
    (27, 31, 36),
    (222, 226, 230),
    [
        (27, 31, 36),
        (240, 113, 120),
        (126, 200, 130),
        (236, 190, 90),
        (110, 170, 240),
        (200, 150, 230),
        (100, 200, 210),
        (222, 226, 230),
    ],
)


def console() -> SafeConsole:
    return SafeConsole(
        record=True,
        width=WIDTH,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
    )


def save(picture: SafeConsole, name: str, options: str) -> None:
    command = f"featsieve {name} {FILE} --target class {options}"
    text = picture.export_svg(title=command, theme=THEME, unique_id=name)
    # No fonts from the network: a reader's own monospace font will do.
    start, end = text.index("@font-face"), text.index(f".{name}-matrix")
    text = text[:start].rstrip() + "\n\n    " + text[end:]
    text = text.replace("Fira Code, monospace", "ui-monospace, Menlo, monospace")
    (IMAGES / f"{name}.svg").write_text(text, encoding="utf-8")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    table = make_mixed(random_state=SEED).table
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        write_csv(table, Path(FILE))
        source = Source(Path(FILE), nominal=[NOMINAL])
        picture = console()
        answer = rank_features(source, Question(table.target.name), quiet=True)
        print_ranking(picture, answer, top=TOP, quiet=False)
        save(picture, "rank", f"--nominal {NOMINAL} --top {TOP}")
        picture = console()
        found = inspect_table(source, table.target.name, quiet=True)
        print_inspection(picture, found, show_all=False, quiet=True)
        save(picture, "inspect", f"--nominal {NOMINAL}")
        picture = console()
        pairs = find_interactions(source, Search(table.target.name), quiet=True)
        print_interactions(picture, pairs, top=TOP_PAIRS, quiet=True)
        save(picture, "interactions", f"--nominal {NOMINAL} --top {TOP_PAIRS}")
        draw_graph(pairs, IMAGES / "interaction_graph.svg")
        os.chdir(IMAGES)
    tree = C45Tree(min_cases=1).fit(make_lenses().table, None)
    tree.plot().save(IMAGES / "tree.svg")


if __name__ == "__main__":
    main()
