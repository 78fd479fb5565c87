"""The tables of the BIFS thesis, as far as its own definitions give them.

Features are numbered from 1, groups come in descending order, both as printed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from featsieve.data import Table, read_table
from featsieve.datasets import make_corral, make_tic_tac_toe
from featsieve.reproduce._data import DataFolder
from featsieve.reproduce._tables import (
    Cell,
    Listed,
    PublishedTable,
    Trial,
    Values,
    tables_of,
)
from featsieve.selectors import BIFSFilter, MeasureFilter

SOURCE = (
    "B. Sui, Information gain feature selection based on feature interactions, 2013"
)
GENERATED = {"corral": make_corral, "tic-tac-toe": make_tic_tac_toe}

# All groups, then the relevant ones, by alpha. Corral is A0 A1 B0 B1 I R.
AT_0 = {
    "corral": ("[1,2,3,4][5,6]", "[1,2,3,4]"),
    "monks-1": ("[1,2,3,6][2,3,4,5,6]", "[1,2,3,6][2,3,4,5,6]"),
    "monks-2": ("[1,2,3,4,5][1,2,3,4,6]", "[1,2,3,4,5][1,2,3,4,6]"),
    "monks-3": ("[1,2,3,4,5,6]", "[1,2,3,4,5,6]"),
}
AT_5 = {
    "corral": ("[1,2,3,4][5,6]", "[1,2,3,4]"),
    "monks-1": ("[5][1,2][4][3][6]", "[5][1,2]"),
    "monks-2": ("[3,5][4][6][1][2]", "[3,5][4][6][1][2]"),
    "monks-3": ("[2,4,5][1,4,5][6][3]", "[2,4,5][1,4,5]"),
}
# By alpha and beta.
TABLE_5_3 = {
    (0.0, 0.0): AT_0,
    (0.0, 0.2): AT_0,
    (0.05, 0.0): AT_5,
    (0.05, 0.2): AT_5 | {"monks-3": ("[2,4,5][1,4,5][6][3]", "[2,4,5]")},
    # Table 5.2, where all groups are not printed: those of 5.3 at alpha 0.05
    (0.05, 0.05): AT_5,
}
RANKINGS = {
    "corral": "6,1,4,2,3,5",
    "monks-1": "5,1,4,2,3,6",
    "monks-2": "5,4,6,1,2,3",
    "monks-3": "2,5,1,6,4,3",
}
# Printed as those of Corral.
GAINS = {
    "a5": 0.287031,
    "a1": 0.075273,
    "a4": 0.026312,
    "a2": 0.005838,
    "a3": 0.004708,
    "a6": 0.000758,
}
SPECT = """
[11, 16], [9, 11, 13], [5, 6, 7, 13], [5, 6, 9, 13], [2, 9, 13], [8, 11, 15, 22],
[6, 9, 13, 19], [1, 16], [8, 11, 15, 20], [2, 8, 15, 22], [6, 16, 19], [11, 20, 21],
[10, 16, 19], [8, 10, 15, 19, 22], [6, 8, 15, 19, 22], [3, 11, 20], [4, 15, 17],
[11, 14], [6, 8, 12, 15], [2, 20, 21], [1, 4, 7, 15], [7, 10, 14], [2, 8, 15, 20],
[4, 7, 10, 15], [3, 5, 7, 20], [1, 9, 15, 20], [5, 6, 16], [6, 7, 14], [1, 7, 15, 20],
[5, 6, 8, 15, 22], [9, 11, 15, 20], [4, 11, 15], [5, 8, 15, 20], [6, 19, 21],
[10, 18], [10, 19, 21], [5, 9, 15, 20], [5, 7, 15, 20], [4, 5, 6, 7, 15],
[3, 5, 6, 7], [1, 15, 22], [9, 10, 15, 19], [2, 9, 15, 20], [5, 20, 21],
[6, 9, 15, 19], [6, 9, 12, 15], [2, 4, 15], [2, 14], [4, 10, 15, 19], [5, 6, 21],
[3, 6, 19], [10, 14, 19], [5, 6, 9, 15], [4, 6, 15, 19], [6, 14, 19]
"""
CHAINS = (
    "The program behind the print joined pairs to groups without testing the last "
    "edge; the definitions of the thesis give fewer groups."
)
# Table 5.7: data set, alpha, beta, elimination: number of groups, of relevant ones,
# of features, and what is known.
TABLE_5_7: dict[str, tuple[float, float, str, tuple[int, int, int], str]] = {
    "soybean-large": (0.0, 0.0, "stop", (81, 32, 25), CHAINS),
    "zoo": (0.0, 0.0, "stop", (34, 6, 10), CHAINS),
    "tic-tac-toe": (0.05, 0.05, "full", (9, 7, 7), ""),
    "spect": (0.0, 0.03, "stop", (55, 7, 12), ""),
}


def load(data: DataFolder, name: str) -> Table:
    """Return a data set, every column of it nominal."""
    if name in GENERATED:
        return GENERATED[name]().table
    return data.once(
        ("nominal", name),
        lambda: read_table(data.file(name), target="class", nominal="all"),
    )


def fit(
    table: Table, alpha: float, beta: float, elimination: str = "stop"
) -> BIFSFilter:
    """Return the filter of the thesis, fitted."""
    selector = BIFSFilter(
        alpha, beta, elimination=elimination, verify=False, nominal="all"
    )
    return selector.fit(table, None)


def _numbers(selector: BIFSFilter, members: Any) -> tuple[int, ...]:
    names = selector.feature_names_in_.tolist()
    return tuple(names.index(name) + 1 for name in members)


def all_groups(selector: BIFSFilter) -> list[tuple[int, ...]]:
    """Return every group."""
    return [_numbers(selector, group["members"]) for group in selector.groups_]


def kept_groups(selector: BIFSFilter) -> list[tuple[int, ...]]:
    """Return the groups that are relevant."""
    return [
        _numbers(selector, group["members"])
        for group in selector.groups_
        if group["kept"]
    ]


def selected(selector: BIFSFilter) -> list[int]:
    """Return the features in ascending order."""
    return (selector.get_support(indices=True) + 1).tolist()


def parse(text: str) -> list[tuple[int, ...]]:
    """Return '[1, 2][5]' as [(1, 2), (5,)]."""
    return [
        tuple(int(number) for number in group.split(","))
        for group in re.findall(r"\[([\d, ]+)\]", text)
    ]


def told(groups: list[tuple[int, ...]]) -> str:
    """Return [(1, 2), (5,)] as '[1,2][5]'."""
    return "".join(f"[{listed(group)}]" for group in groups)


def listed(features: Any) -> str:
    """Return features as '1,2,5'."""
    return ",".join(str(number) for number in features)


def _select(
    name: str, alpha: float, beta: float, how: str, data: DataFolder, _: int
) -> Values:
    selector = fit(load(data, name), alpha, beta, how)
    everything, kept = all_groups(selector), kept_groups(selector)
    return {
        "all": told(everything),
        "relevant": told(kept),
        "features": listed(selected(selector)),
        "n_all": float(len(everything)),
        "n_relevant": float(len(kept)),
        "n_features": float(selector.support_.sum()),
    }


def _rank(name: str, data: DataFolder, _: int) -> Values:
    selector = MeasureFilter(nominal="all").fit(load(data, name), None)
    names = selector.feature_names_in_.tolist()
    order = [names.index(step["feature"]) + 1 for step in selector.steps_]
    gains = {f"gain of a{j + 1}": float(g) for j, g in enumerate(selector.scores_)}
    return {"ranking": listed(order), "sum": float(np.sum(selector.scores_)), **gains}


def _dataset(name: str) -> str | None:
    return None if name in GENERATED else name


def selection(name: str, alpha: float, beta: float, how: str = "stop") -> Trial:
    """Return what gives the groups and features of a data set."""
    run = partial(_select, name, alpha, beta, how)
    return Trial(f"bifs/{name}/{alpha}/{beta}/{how}", run, _dataset(name))


def ranking(name: str) -> Trial:
    """Return what gives the ranking by information gain."""
    return Trial(f"bifs/{name}/ranking", partial(_rank, name), _dataset(name))


def _groups(alpha: float, beta: float, what: str) -> Iterator[Cell]:
    for name, (everything, relevant) in TABLE_5_3[alpha, beta].items():
        trial = selection(name, alpha, beta)
        features = listed(sorted({f for group in parse(relevant) for f in group}))
        row = f"{name}{what}"
        yield Cell(row, "all groups", everything, trial, "all")
        yield Cell(row, "relevant groups", relevant, trial, "relevant")
        yield Cell(row, "features", features, trial, "features")


def _printed_in_part(alpha: float, beta: float) -> Iterator[Cell]:
    """Yield relevant groups and features, where all groups are not printed."""
    cells = _groups(alpha, beta, "")
    return (cell for cell in cells if cell.column != "all groups")


def _table_5_4() -> Iterator[Cell]:
    for name, order in RANKINGS.items():
        note = (
            "Four features of Corral tie; ours go by index." if name == "corral" else ""
        )
        yield Cell(name, "ranking by gain", order, ranking(name), "ranking", note=note)
    yield from _printed_in_part(0.05, 0.2)


def _table_5_7() -> Iterator[Cell]:
    columns = ("n_all", "n_relevant", "n_features")
    for name, (alpha, beta, how, counts, note) in TABLE_5_7.items():
        trial = selection(name, alpha, beta, how)
        for column, count in zip(columns, counts, strict=True):
            title = f"number of {column[2:]}".replace("of all", "of groups")
            title = title.replace("of relevant", "of relevant groups")
            yield Cell(name, title, float(count), trial, column, digits=0, note=note)
    spect = selection("spect", 0.0, 0.03)
    board = selection("tic-tac-toe", 0.05, 0.05, "full")
    relevant = parse(SPECT)[:7]
    features = listed(sorted({f for group in relevant for f in group}))
    yield Cell("spect", "all groups", told(parse(SPECT)), spect, "all")
    yield Cell("spect", "relevant groups", told(relevant), spect, "relevant")
    yield Cell("spect", "features", features, spect, "features")
    yield Cell("tic-tac-toe", "features", "1,3,4,5,6,7,9", board, "features")


def tables() -> list[PublishedTable]:
    """Return the tables of this work."""
    by_both = [key for key in TABLE_5_3 if key != (0.05, 0.05)]
    monks = ranking("monks-1")
    listed: tuple[Listed, ...] = (
        (
            "5.2",
            "Relevant groups and features of four synthetic sets (alpha = beta = 0.05)",
            _printed_in_part(0.05, 0.05),
        ),
        (
            "5.3",
            "Groups and features of four synthetic sets by alpha and beta",
            (cell for a, b in by_both for cell in _groups(a, b, f", {a}, {b}")),
        ),
        (
            "5.4",
            "Ranking by information gain, and the features of BIFS",
            _table_5_4(),
            "The printed ranking of Corral orders four features whose gains are equal, "
            "so it shows how their program broke ties.",
        ),
        (
            "5.5",
            "Accuracy of C4.5 and SMO on selected features",
            (),
            "It needs Weka's SMO with its settings, which are not printed.",
        ),
        (
            "5.6",
            "Information gain of each feature",
            (
                Cell(name, "gain", gain, monks, f"gain of {name}", digits=6)
                for name, gain in GAINS.items()
            ),
            "Printed as the gains of Corral, which are 0.181219 and four times "
            "0.105843; all six are those of MONK-1, to every digit.",
        ),
        (
            "5.7",
            "Groups and features of soy-large, zoo, tic-tac-toe and SPECT",
            _table_5_7(),
            f"Soy-large (81 groups) and zoo (34): {CHAINS}",
            "Tic-tac-toe: eliminating to the end gives the printed seven features; "
            "stopping at the first loss keeps an eighth, by the order of ties.",
        ),
    )
    return tables_of("bifs", SOURCE, listed)
