"""Draw pictures of guides that no command prints: a search, shadows, members, copies.

Run after a change of what they show: python docs/make_pictures.py
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from featsieve.datasets import make_copies, make_friedman, make_multiplexer
from featsieve.embedded import ForestSelector
from featsieve.ensembles import AdaBoostEnsemble, BaggingEnsemble, DivBoostEnsemble
from featsieve.filters import FCBFFilter
from featsieve.measures import pairwise_uncertainty
from featsieve.report import save_figure
from featsieve.report._style import house_style
from featsieve.wrappers import ForwardSelectionWrapper

IMAGES = Path(__file__).resolve().parent / "images"
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
    steps = ForwardSelectionWrapper().fit(X, y).steps_
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
        "standard deviations of chance; red: kept; grey: where chance is at home",
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
        "bagging": (BaggingEnsemble, BLUE, "-"),
        "AdaBoost": (AdaBoostEnsemble, ORANGE, "--"),
        "DivBoost": (DivBoostEnsemble, GREEN, "-."),
    }
    for name, (kind, color, dash) in kinds.items():
        errors = []
        for seed in range(5):
            ensemble = kind(n_members=100, random_state=seed).fit(X[:300], y[:300])
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


def main() -> None:
    pictures = {
        "search": draw_search,
        "shadows": draw_shadows,
        "members": draw_members,
        "copies": draw_copies,
    }
    with house_style():
        for name, draw in pictures.items():
            save_figure(IMAGES / f"{name}.svg", draw())


if __name__ == "__main__":
    main()
