"""Draw docs/images: what the commands show on the demo table, and pictures of guides.

Run after a change of the output: python docs/make_screenshots.py
The picture of the report is made where Chromium is installed, and left alone elsewhere.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from rich.terminal_theme import TerminalTheme

from featsieve.cli._options import Source
from featsieve.cli.views.demo import (
    FILE,
    NOMINAL,
    SEED,
    TOP,
    TOP_PAIRS,
    write_csv,
)
from featsieve.cli.views.inspect import inspect_table, print_inspection
from featsieve.cli.views.interaction_answers import (
    draw_graph,
    find_interactions,
)
from featsieve.cli.views.interactions import print_interactions
from featsieve.cli.views.output import SafeConsole
from featsieve.cli.views.rank import print_ranking, rank_features
from featsieve.cli.views.select import print_selection, select_features
from featsieve.comparison import compare
from featsieve.datasets import (
    make_friedman,
    make_gaussian_xor,
    make_lenses,
    make_local_line,
    make_mixed,
    make_simple,
)
from featsieve.diversity import diversity_report
from featsieve.ensembles import (
    BaggingEnsembleClassifier,
    DivBoostEnsembleClassifier,
    RandomForestEnsembleClassifier,
)
from featsieve.report import (
    kappa_error_figure,
    relevance_plot,
    relevance_profile,
    save_figure,
)
from featsieve.selection import Selection
from featsieve.trees import C45Classifier

IMAGES = Path(__file__).resolve().parent / "images"
WIDTH = 92
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
#: Enough to show the overview and where the ledger begins.
PAGE_SIZE = (1100, 880)
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


def photograph(selection: Selection, path: Path) -> None:
    """Save the top of the report as a picture, if there is a browser to open it."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        page = Path(folder) / "report.html"
        selection.report(page)
        command = [
            browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
            f"--user-data-dir={folder}/profile", f"--screenshot={path}",
            f"--window-size={PAGE_SIZE[0]},{PAGE_SIZE[1]}", page.as_uri(),
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def draw_commands() -> Selection:
    """Draw what `inspect`, `rank`, `interactions` and `select` print."""
    table = make_mixed(random_state=SEED).table
    write_csv(table, Path(FILE))
    source = Source([Path(FILE)], nominal=[NOMINAL])
    picture = console()
    answer = rank_features(source, quiet=True, target=table.target.name)
    print_ranking(picture, answer, top=TOP, quiet=False)
    save(picture, "rank", f"--nominal {NOMINAL} --top {TOP}")
    picture = console()
    found = inspect_table(source, table.target.name, quiet=True)
    print_inspection(picture, found, show_all=False, quiet=True)
    save(picture, "inspect", f"--nominal {NOMINAL}")
    picture = console()
    pairs = find_interactions(source, quiet=True, target=table.target.name)
    print_interactions(picture, pairs, top=TOP_PAIRS, quiet=True)
    save(picture, "interactions", f"--nominal {NOMINAL} --top {TOP_PAIRS}")
    draw_graph(pairs, IMAGES / "interaction_graph.svg")
    picture = console()
    selection = select_features(source, quiet=True, target=table.target.name)
    print_selection(picture, selection, quiet=True)
    save(picture, "select", f"--nominal {NOMINAL} --report report.html")
    return selection


def draw_trees() -> None:
    """Draw a tree, and what a forest tells: the examples of their guides."""
    tree = C45Classifier(min_cases=1).fit(make_lenses().table, None)
    tree.plot().save(IMAGES / "tree.svg")
    table = make_simple(random_state=0).table
    forest = RandomForestEnsembleClassifier(bootstrap="distinct", random_state=0)
    forest.fit(table, None)
    figure = relevance_plot(
        table.names,
        forest.relevance_,
        interval=forest.relevance_interval_,
        band=forest.chance_relevance_,
    )
    save_figure(IMAGES / "relevance.svg", figure)
    table = make_local_line(500, random_state=0).table
    forest = RandomForestEnsembleClassifier(random_state=0).fit(table, None)
    x1 = table["x1"].values
    figure = relevance_profile(
        table.names, forest.local_relevance_, x1, order_name="x1"
    )
    save_figure(IMAGES / "local_relevance.svg", figure)


def draw_comparisons() -> None:
    """Draw pairs of members, and ranks of selectors: the examples of their guides."""
    X, y = make_friedman(n_rows=600, random_state=1).table.to_pandas()
    clouds = {}
    for name, kind in {
        "bagging": BaggingEnsembleClassifier,
        "DivBoost": DivBoostEnsembleClassifier,
    }.items():
        ensemble = kind(random_state=0, n_estimators=30).fit(X[:200], y[:200])
        clouds[name] = diversity_report(ensemble, X[200:], y[200:]).kappa_error()
    save_figure(IMAGES / "kappa_error.svg", kappa_error_figure(clouds))
    comparison = compare(
        make_gaussian_xor(200, n_noise=10, random_state=0).table,
        selectors=["all", "relieff", "information-gain", "multisurf"],
        estimators=["5-nn"],
        cv="5x2",
    )
    text = comparison.critical_difference_svg()
    (IMAGES / "ranks.svg").write_text(text, encoding="utf-8")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        selection = draw_commands()
        os.chdir(IMAGES)
    photograph(selection, IMAGES / "report.png")
    draw_trees()
    draw_comparisons()


if __name__ == "__main__":
    main()
