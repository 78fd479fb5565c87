"""What the real tables say together: differences, tests by Holm, average ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from featsieve.evaluation import (
    corrected_resampled_t_test,
    friedman_test,
    holm_adjusted,
)

__all__ = ["NOT_FINISHED", "Cell", "compare_with_all", "finished", "mean_ranks", "show"]

#: A selector on a fold of a table: what it kept, what learners made of it.
Cell = dict[str, Any]
Row = dict[str, Any]
NOT_FINISHED = "not finished"
LEVEL = 0.05
#: Means over folds that differ by less are equal but for rounding.
TIE = 1e-9


def finished(
    tables: dict[str, Any], cells: list[Cell], learner: str
) -> dict[tuple[str, str], np.ndarray]:
    """Return the scores on all folds, by table and selector that have all of them."""
    found: dict[tuple[str, str], dict[int, float]] = {}
    for cell in cells:
        if learner in cell["scores"]:
            of = found.setdefault((cell["table"], cell["selector"]), {})
            of[cell["fold"]] = cell["scores"][learner]
    return {
        (table, selector): np.array([of[fold] for fold in sorted(of)])
        for (table, selector), of in found.items()
        if len(of) == tables[table]["n_splits"]
    }


def compare_with_all(
    tables: dict[str, Any], cells: list[Cell], selector: str, learner: str
) -> list[Row]:
    """Return how each table differs from all columns, with p-values by Holm."""
    scores = finished(tables, cells, learner)
    rows: list[Row] = []
    for table, about in tables.items():
        if (table, "all") not in scores or (table, selector) not in scores:
            continue
        own, full = scores[table, selector], scores[table, "all"]
        verdict = corrected_resampled_t_test(own, full, about["test_ratio"])
        rows.append(
            {
                "table": table,
                "selector": selector,
                "learner": learner,
                "all": float(full.mean()),
                "gain": float((own - full).mean()),
                "p_value": verdict.p_value,
            }
        )
    adjusted = holm_adjusted([row["p_value"] for row in rows]) if rows else []
    for row, p_value in zip(rows, adjusted, strict=True):
        row["holm"] = float(p_value)
    return rows


def mean_ranks(
    tables: dict[str, Any], cells: list[Cell], selectors: list[str], learner: str
) -> tuple[list[float], int]:
    """Return the mean rank of each selector, 1 is best, over the tables all ended."""
    scores = finished(tables, cells, learner)
    common = [
        table
        for table in tables
        if all((table, selector) in scores for selector in selectors)
    ]
    if len(common) < 2 or len(selectors) < 2:
        return [float("nan")] * len(selectors), len(common)
    means = [[scores[table, name].mean() for name in selectors] for table in common]
    return friedman_test(np.round(means, 9)).mean_ranks.tolist(), len(common)


def show(
    tables: dict[str, Any],
    cells: list[Cell],
    selectors: list[str],
    learners: list[str],
) -> None:
    """Print a table for each learner, where `select` loses, and what was not ended."""
    for learner in learners:
        print(f"\n{learner}: difference to all columns")
        for line in _learner_lines(tables, cells, selectors, learner):
            print(line)
    for learner in learners:
        print(f"\n{learner}: each table, best first by what select gains")
        for line in _table_lines(tables, cells, selectors, learner):
            print(line)
    print("\nmean share of columns kept, CPU seconds a fold, tables ended:")
    for selector in selectors:
        print(_selector_line(tables, cells, selector))
    for cell in cells:
        if cell["error"] is not None and cell["selector"] in selectors:
            print(f"{cell['table']}, {cell['selector']}: {cell['error'][:100]}")


def _learner_lines(
    tables: dict[str, Any], cells: list[Cell], selectors: list[str], learner: str
) -> Iterator[str]:
    ranks, n_common = mean_ranks(tables, cells, selectors, learner)
    yield (
        f"  {'':18}{'tables':>7}{'mean':>9}{'better':>8}{'equal':>7}{'worse':>7}"
        f"{'sig. better':>13}{'sig. worse':>12}{'(Holm)':>8}"
        f"{'rank':>7} on {n_common} tables"
    )
    for selector, rank in zip(selectors, ranks, strict=True):
        rows = compare_with_all(tables, cells, selector, learner)
        if not rows:
            continue
        gains = np.array([row["gain"] for row in rows])
        sure = np.array([row["p_value"] < LEVEL for row in rows])
        holm = np.array([row["holm"] < LEVEL for row in rows])
        yield (
            f"  {selector:18}{len(rows):7}{gains.mean():+9.4f}"
            f"{np.sum(gains > TIE):8}{np.sum(np.abs(gains) <= TIE):7}"
            f"{np.sum(gains < -TIE):7}{np.sum(sure & (gains > 0)):13}"
            f"{np.sum(sure & (gains < 0)):12}{np.sum(holm & (gains < 0)):8}{rank:7.2f}"
        )


def _table_lines(
    tables: dict[str, Any], cells: list[Cell], selectors: list[str], learner: str
) -> Iterator[str]:
    """Yield a line for each table: what each selector gains; capitals mark p < .05."""
    rows = {
        selector: {
            row["table"]: row
            for row in compare_with_all(tables, cells, selector, learner)
        }
        for selector in selectors
    }
    others = [selector for selector in selectors if selector != "all"]
    yield f"  {'':26}{'all':>7}" + "".join(f"{name:>17}" for name in others)
    base = rows.get("select") or next(iter(rows.values()))
    for table in sorted(base, key=lambda name: -base[name]["gain"]):
        line = f"  {table:26}{base[table]['all']:7.3f}"
        for name in others:
            row = rows[name].get(table)
            told = "-" if row is None else f"{row['gain']:+.3f}"
            if row is not None and row["p_value"] < LEVEL:
                told += f" p={row['p_value']:.3f}" + "*" * (row["holm"] < LEVEL)
            line += f"{told:>17}"
        yield line


def _selector_line(tables: dict[str, Any], cells: list[Cell], selector: str) -> str:
    own = [
        cell
        for cell in cells
        if cell["selector"] == selector and cell["kept"] is not None
    ]
    if not own:
        return f"  {selector}: none"
    by_table: dict[str, list[Cell]] = {}
    for cell in own:
        by_table.setdefault(cell["table"], []).append(cell)
    ended = [
        table for table, of in by_table.items() if len(of) == tables[table]["n_splits"]
    ]
    shares = [
        np.mean([len(cell["kept"]) for cell in of]) / tables[table]["n_features"]
        for table, of in by_table.items()
    ]
    empty = sum(not cell["kept"] for cell in own)
    seconds = np.mean([cell["seconds"] for cell in own])
    return (
        f"  {selector:18}{np.mean(shares):6.2f}{seconds:8.2f} s{len(ended):5} tables; "
        f"nothing kept in {empty} of {len(own)} folds"
    )
