"""Draw the pictures of guides that no command prints.

Run after a change of what they show: python docs/make_pictures.py [NAME ...]
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from featsieve.datasets import make_copies, make_friedman, make_multiplexer
from featsieve.ensembles import (
    AdaBoostEnsembleClassifier,
    BaggingEnsembleClassifier,
    DivBoostEnsembleClassifier,
    PositiveVersusNegativeClassifier,
    SubsetEnsembleClassifier,
)
from featsieve.measures import pairwise_uncertainty
from featsieve.report import save_figure
from featsieve.report._style import steady_style
from featsieve.selectors import FCBFFilter, ForestSelector, ForwardSelector

IMAGES = Path(__file__).resolve().parent / "images"
REPRODUCED = IMAGES.parent / "guide" / "reproduced.rst"
INK, FAINT, BAND = "#1b1f24", "#6a737d", "#dfe3e8"
RED, BLUE, ORANGE, GREEN = "#b2182b", "#0072b2", "#d55e00", "#009e73"


def axes(width: float, height: float, title: str) -> tuple[Figure, Any]:
    figure = Figure(figsize=(width, height), layout="constrained")
    ax = figure.subplots()
    ax.set_title(title, loc="left", fontsize=11.5, fontweight="bold", color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(labelsize=8.5, colors=FAINT)
    return figure, ax


def draw_search() -> Figure:
    """Draw what every feature would have added, step by step: the guide's example."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 2] ** 2 + X[:, 5] ** 2 > 1.4).astype(int)
    steps = ForwardSelector().fit(X, y).steps_
    figure, ax = axes(6.4, 3.2, "What each feature would add")
    best = []
    for number, step in enumerate(steps, 1):
        values = dict(_candidates(step))
        chosen = max(values, key=values.__getitem__)
        best.append(values[chosen])
        others = [value for name, value in values.items() if name != chosen]
        ax.plot([number] * len(others), others, "o", color=FAINT, ms=4, alpha=0.7)
        label = f" {chosen}" + ("" if step["accepted"] else ", not better: the end")
        color = RED if step["accepted"] else FAINT
        ax.plot(number, values[chosen], "o", color=color, ms=7)
        ax.annotate(
            label, (number, values[chosen]), (6, -14), textcoords="offset points",
            fontsize=9, color=color,
        )  # fmt: skip
    ax.plot(range(1, len(best) + 1), best, color=RED, lw=1, zorder=0)
    ax.set_xticks(
        range(1, len(steps) + 1), [f"step {k + 1}" for k in range(len(steps))]
    )
    ax.set_xlim(0.7, len(steps) + 0.9)
    ax.set_ylabel("accuracy of neighbours", fontsize=9, color=FAINT)
    return figure


def _candidates(step: dict[str, Any]) -> list[tuple[str, float]]:
    return [(" ".join(each["features"]), each["value"]) for each in step["candidates"]]


def draw_shadows() -> Figure:
    """Draw how far features are ahead of their shadows: the guide's multiplexer."""
    table, truth = make_multiplexer(400, n_noise=8, random_state=0)
    selector = ForestSelector().fit(table, None)
    order = np.argsort(selector.scores_)
    figure, ax = axes(6.4, 3.6, "How far features are ahead of their shadows")
    ax.axvspan(-2, 2, color=BAND, zorder=0)
    for place, j in enumerate(order):
        color = RED if selector.support_[j] else FAINT
        ax.plot([0, selector.scores_[j]], [place] * 2, color=color, lw=1)
        ax.plot(selector.scores_[j], place, "o", color=color, ms=6)
    ax.set_yticks(range(len(order)), [table.names[j] for j in order])
    ax.set_xlabel(
        "standard deviations of chance; red: kept; grey: what chance gives",
        fontsize=9,
        color=FAINT,
    )
    assert set(selector.get_feature_names_out()) == set(truth.relevant)
    return figure


def draw_members() -> Figure:
    """Draw test errors against the number of members."""
    X, y = make_friedman(n_rows=1000, random_state=1).table.to_pandas()
    figure, ax = axes(6.4, 3.2, "Errors fall as members are added")
    kinds = {
        "bagging": (BaggingEnsembleClassifier, BLUE, "-"),
        "AdaBoost": (AdaBoostEnsembleClassifier, ORANGE, "--"),
        "DivBoost": (DivBoostEnsembleClassifier, GREEN, "-."),
    }
    for name, (kind, color, dash) in kinds.items():
        errors = []
        for seed in range(5):
            ensemble = kind(n_estimators=100, random_state=seed).fit(X[:300], y[:300])
            said = ensemble.staged_predict(X[300:])
            errors.append([float((each != y[300:]).mean()) for each in said])
        # Boosting may end before: its last members then speak for it.
        full = [each + each[-1:] * (100 - len(each)) for each in errors]
        mean = np.mean(full, axis=0)
        ax.plot(np.arange(1, 101), mean, dash, color=color, lw=1.5, label=name)
    ax.set_xscale("log")
    ax.set_xticks([1, 3, 10, 30, 100], ["1", "3", "10", "30", "100"])
    ax.set_xlabel("members", fontsize=9, color=FAINT)
    ax.set_ylabel("error on 700 new rows", fontsize=9, color=FAINT)
    ax.legend(frameon=False, fontsize=9)
    return figure


def draw_copies() -> Figure:
    """Draw how much every two columns tell about each other, and which are kept."""
    table, _ = make_copies(random_state=0)
    order = sorted(range(table.n_columns), key=lambda j: table.names[j])
    ranks = np.argsort(np.argsort([column.values for column in table]))
    codes = (8 * ranks // table.n_rows).T  # eighths of the rows
    shared = np.asarray(pairwise_uncertainty(codes))[np.ix_(order, order)]
    kept = set(FCBFFilter().fit(table, None).get_feature_names_out())
    figure, ax = axes(6.4, 5.2, "Five families of copies, and whom FCBF keeps")
    image = ax.imshow(shared, cmap="Greys", vmin=0, vmax=1)
    names = [table.names[j] for j in order]
    ax.set_yticks(range(len(names)), names)
    ax.set_xticks([])
    for label in ax.get_yticklabels():
        if label.get_text() in kept:
            label.set(color=RED, fontweight="bold")
    bar = figure.colorbar(image, ax=ax, shrink=0.6)
    bar.set_label("symmetrical uncertainty", fontsize=9, color=FAINT)
    bar.ax.tick_params(labelsize=8, colors=FAINT)
    return figure


def draw_experts() -> Figure:
    """Draw whom the experts of the guide's example learn from, beside the table."""
    random = np.random.default_rng(0)
    centres = np.array([[0, 0], [1, 0], [8, 0], [9, 0]])
    code = random.choice(4, 1000, p=[0.5, 0.4, 0.08, 0.02])
    X = centres[code] + random.normal(size=(1000, 2))
    names = ["ash", "elm", "fir", "oak"]
    model = PositiveVersusNegativeClassifier(random_state=0).fit(
        X, np.array(names)[code]
    )
    rows = {"the table": np.bincount(code, minlength=5)}
    for group, expert in zip(model.groups_, model.experts_, strict=True):
        label = f"the expert for {' and '.join(group)}"
        rows[label] = np.bincount(expert.labels, minlength=5)
    figure, ax = axes(6.4, 2.2, "A sample made for each expert")
    colors = (BLUE, ORANGE, GREEN, RED, BAND)
    for place, counts in enumerate(rows.values()):
        left = 0
        for name, color, count in zip([*names, "other"], colors, counts, strict=True):
            ax.barh(place, count, left=left, color=color, height=0.62)
            if count:
                ink = INK if name == "other" else "white"
                text = name if count > 40 else ""
                ax.text(
                    left + count / 2, place, text, ha="center", va="center",
                    fontsize=9, color=ink,
                )  # fmt: skip
            left += count
    ax.set_yticks(range(len(rows)), list(rows), fontsize=9)
    ax.invert_yaxis()
    ax.set_xlabel(
        f"rows; the {rows['the table'][3]} of oak are drawn up to ten times each",
        fontsize=9,
        color=FAINT,
    )
    return figure


def draw_strategies() -> Figure:
    """Draw how ensembles do by where their columns come from: the guide's bits."""
    X, y = make_multiplexer(
        900, n_address=2, n_noise=14, random_state=0
    ).table.to_pandas()
    names = (
        "random",
        "information_gain",
        "feature_boosting",
        "pair_gain",
        "cumulative_gain",
    )
    figure, ax = axes(6.4, 2.8, "Where the columns of members come from")
    for place, strategy in enumerate(names):
        scores = [
            SubsetEnsembleClassifier(strategy, subset_size=6, random_state=seed)
            .fit(X[:600], y[:600])
            .score(X[600:], y[600:])
            for seed in range(5)
        ]
        ax.plot(scores, [place] * 5, "o", color=BLUE, ms=6, alpha=0.5)
        ax.plot(np.mean(scores), place, "|", color=INK, ms=16, mew=2)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(-0.5, len(names) - 0.5)
    ax.set_xlabel(
        "share right of 300 new rows: five seeds, and their mean",
        fontsize=9,
        color=FAINT,
    )
    return figure


def draw_stream() -> Figure:
    """Draw the two ways from parts of a table to an answer."""
    figure, ax = axes(6.4, 2.7, "From parts to an answer")
    ax.set_axis_off()
    ax.set_xlim(-0.5, 100.5)
    ax.set_ylim(0, 44)

    def box(
        place: tuple[float, float], size: tuple[float, float], text: str, color: str
    ) -> None:
        style = "round,pad=0,rounding_size=1.2"
        ax.add_patch(FancyBboxPatch(place, *size, style, fc="white", ec=color, lw=1.2))
        ax.text(
            place[0] + size[0] / 2, place[1] + size[1] / 2, text, ha="center",
            va="center", fontsize=9, color=INK, linespacing=1.4,
        )  # fmt: skip

    def arrow(start: tuple[float, float], end: tuple[float, float]) -> None:
        style = "-|>,head_length=4,head_width=2.5"
        ax.add_patch(FancyArrowPatch(start, end, arrowstyle=style, color=FAINT, lw=1))

    for number, y in enumerate((33, 22, 11), 1):
        name = f"part {number}" if number < 3 else "part n"
        box((0, y), (14, 7), name, FAINT)
        box((23, y), (18, 7), "its counts", BLUE)
        arrow((14.5, y + 3.5), (22.5, y + 3.5))
        arrow((41.5, y + 3.5), (49.5, 25.5))
    box((50, 20), (16, 11), "counts of\nall rows", BLUE)
    box((76, 20), (24, 11), "ranking, pairs: as\nof a table in memory", BLUE)
    arrow((66.5, 25.5), (75.5, 25.5))
    box((50, 2), (16, 9), "rows drawn", ORANGE)
    box((76, 2), (24, 9), "trees, forests,\nRelief, triples", ORANGE)
    ax.plot([7, 7], [10.5, 6.5], color=FAINT, lw=1)
    arrow((6.5, 6.5), (49.5, 6.5))
    arrow((66.5, 6.5), (75.5, 6.5))
    ax.text(
        28, 2.5, "by the numbers of rows, whatever the parts", fontsize=8, color=FAINT,
        ha="center",
    )  # fmt: skip
    return figure


def draw_reproduced() -> Figure:
    """Draw the verdicts on the cells of every work, as the page of all cells has them.

    The run behind it takes long; what it found stands in that page.
    """
    lines = REPRODUCED.read_text("utf-8").split("   :class: numbers\n", 2)[1]
    table = [line.strip() for line in lines.splitlines() if line.startswith('   "')]
    header, *rows = csv.reader(table)
    verdicts = header[2:]
    works: dict[str, list[int]] = {}
    for name, _, *cells in rows[:-1]:  # the last is the sum
        counts = works.setdefault(name.split("-")[0], [0] * len(verdicts))
        for place, cell in enumerate(cells):
            counts[place] += 0 if cell == "–" else int(cell)
    figure, ax = axes(6.4, 3.0, "Cells of published tables, run again")
    colors = {
        "same": "#08519c",
        "within 2 s.e.": "#4292c6",
        "within 3 s.e.": "#9ecae1",
        "differs": ORANGE,
        "other rows": BAND,
    }
    left = np.zeros(len(works))
    for place, verdict in enumerate(verdicts):
        values = np.array([counts[place] for counts in works.values()])
        color = colors[verdict]
        ax.barh(list(works), values, left=left, color=color, label=verdict, height=0.7)
        left += values
    ax.invert_yaxis()
    ax.set_xlabel("cells; s.e.: standard errors", fontsize=9, color=FAINT)
    ax.set_xlim(0, 1.35 * left.max())  # room for the legend
    ax.legend(frameon=False, fontsize=8.5, loc="lower right")
    return figure


def main() -> None:
    pictures = {
        "search": draw_search,
        "shadows": draw_shadows,
        "members": draw_members,
        "copies": draw_copies,
        "experts": draw_experts,
        "strategies": draw_strategies,
        "stream": draw_stream,
        "reproduced": draw_reproduced,
    }
    wanted = sys.argv[1:] or list(pictures)
    with steady_style():
        for name in wanted:
            draw = pictures[name]
            save_figure(IMAGES / f"{name}.svg", draw())


if __name__ == "__main__":
    main()
