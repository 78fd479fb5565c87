"""How often the rules of AssociationFilter keep a feature that knows nothing.

Run with `python -m benchmarks.recovery.associations [--seeds 200]`. Every table has
continuous, binary and nominal noise beside features that do matter; "gaps" is
continuous noise of which 80 % is missing, "sparse" nominal noise of 4 rows per level,
to which the promise of the tests against a practical threshold does not extend: scores
from few rows are high by luck. Rates are per noise feature, with the 95 % interval of a
mean over seeds; then comes the share of true features that are found.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from featsieve.data import Column, ColumnKind, Table
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.filters import AssociationFilter

N_EACH = 10

NOISE = ("continuous", "binary", "nominal", "gaps", "sparse")

# name, parameters, what the rule promises for noise
RULES: list[tuple[str, dict[str, Any], str]] = [
    ("t_test", {"rule": "t_test"}, "<= 0.01"),
    ("z_test", {"rule": "z_test"}, "<= 0.01"),
    ("probe, 1 of each law", {"rule": "probe", "n_probes": 1}, "<= 1/3, 1/2, 1/2"),
    ("probe, 10 of each law", {"rule": "probe"}, "<= 1/21, 1/11, 1/11"),
    ("fdr", {"rule": "fdr"}, "false share of kept <= 0.01"),
    ("fdr, 0.1", {"rule": "fdr", "significance": 0.1}, "false share of kept <= 0.1"),
    ("race, t_test", {"rule": "t_test", "n_samples": "race"}, "<= 0.01"),
    ("race, probe", {"rule": "probe", "n_samples": "race"}, "<= 1/21, 1/11, 1/11"),
]

# name, rows, sample size, classes (0: a quantity)
TABLES = [
    ("10,000 rows, samples of 1000, 2 classes", 10_000, 1000, 2),
    ("10,000 rows, samples of 1000, 5 classes", 10_000, 1000, 5),
    ("2,000 rows, samples of 500 (they overlap), 3 classes", 2_000, 500, 3),
    ("5,000 rows, samples of 500, a quantity", 5_000, 500, 0),
]


def make_table(
    n_rows: int, n_classes: int, seed: int
) -> tuple[Table, Any, dict[str, np.ndarray]]:
    """Return a table, its target, and which columns are of which kind."""
    rng = np.random.default_rng([seed, n_rows, n_classes])
    cause = rng.normal(size=n_rows)
    quantity = cause + rng.normal(size=n_rows)
    target: Any = quantity
    if n_classes:
        cuts = np.quantile(quantity, np.arange(1, n_classes) / n_classes)
        target = np.digitize(quantity, cuts).astype(str)
    columns, kinds = [], []

    def add(kind: str, values: np.ndarray, n_levels: int = 0) -> None:
        name = f"{kind} {len(columns)}"
        if n_levels:
            levels = tuple(range(n_levels))
            codes = values.astype(np.int32)
            columns.append(Column(name, ColumnKind.NOMINAL, codes, levels))
        else:
            columns.append(Column(name, ColumnKind.NUMERIC, values.astype(float)))
        kinds.append(kind)

    for strength in (1.0, 0.5):
        add("true", cause + rng.normal(size=n_rows) / strength)
        add("true", (cause + rng.normal(size=n_rows) / strength > 0) * 1.0)
    add("true", np.digitize(cause + rng.normal(size=n_rows), [-0.5, 0.5]), 3)
    for _ in range(N_EACH):
        add("continuous", rng.exponential(size=n_rows))
        add("binary", rng.random(n_rows) < 0.3)
        add("nominal", rng.choice(4, n_rows, p=[0.4, 0.3, 0.2, 0.1]), 4)
        values = rng.normal(size=n_rows)
        add("gaps", np.where(rng.random(n_rows) < 0.8, np.nan, values))
        add("sparse", rng.integers(n_rows // 4, size=n_rows), n_rows // 4)
    named = np.array(kinds)
    return Table(tuple(columns)), target, {k: named == k for k in dict.fromkeys(kinds)}


def rate(values: list[float]) -> str:
    mean = np.mean(values)
    half = 1.96 * np.std(values, ddof=1) / np.sqrt(len(values))
    return f"{mean:.4f} ± {half:.4f}"


def control(seeds: int, only: str | None) -> None:
    for title, n_rows, sample_size, n_classes in TABLES:
        print(f"\n{title}; {seeds} seeds, {N_EACH} noise features of each kind")
        head = " ".join(f"{kind:>17}" for kind in (*NOISE, "false share"))
        print(f"  {'rule':22} {head}  found  s/fit  promise")
        for name, parameters, promise in RULES:
            if only and only not in name:
                continue
            measured: dict[str, list[float]] = {
                k: [] for k in (*NOISE, "share", "true")
            }
            start = time.process_time()
            for seed in range(seeds):
                table, target, kinds = make_table(n_rows, n_classes, seed)
                selector = AssociationFilter(
                    sample_size=sample_size, random_state=seed, **parameters
                ).fit(table, target)
                kept = selector.support_
                for kind, mask in kinds.items():
                    measured[kind].append(float(kept[mask].mean()))
                false = kept[~kinds["true"]].sum()
                measured["share"].append(float(false / max(1, kept.sum())))
            each = (time.process_time() - start) / seeds
            told = " ".join(f"{rate(measured[k]):>17}" for k in (*NOISE, "share"))
            found = np.mean(measured["true"])
            print(f"  {name:22} {told}  {found:.3f}  {each:.3f}  {promise}", flush=True)


# association, shift of a unit normal between two equal classes that makes it 0.1
BORDER = [("kendall", 0.2519), ("pearson", 0.2010)]


def border(seeds: int) -> None:
    """Print how often a feature exactly at the threshold passes the tests."""
    print(f"\nfeatures whose association is 0.1, the threshold; {seeds} seeds")
    for n_rows, size in ((10_000, 1000), (2_000, 500)):
        for association, shift in BORDER:
            for rule, n_samples in (("t_test", 10), ("z_test", 10), ("t_test", "race")):
                passed = []
                for seed in range(seeds):
                    rng = np.random.default_rng([seed, 77])
                    y = np.repeat([0, 1], n_rows // 2)
                    X = rng.normal(size=(n_rows, 20)) + shift * y[:, None]
                    selector = AssociationFilter(
                        association,
                        rule=rule,
                        n_samples=n_samples,
                        sample_size=size,
                        random_state=seed,
                    ).fit(X, y)
                    passed.append(float(selector.support_.mean()))
                name = f"{n_rows} rows, {association}, {rule}, {n_samples}"
                print(f"  {name:40} {rate(passed):>17}  promise <= 0.01", flush=True)


def few_columns(n_columns: int, seed: int) -> tuple[Table, Any, np.ndarray]:
    """Return a table whose first column alone matters: clusters cut through it."""
    rng = np.random.default_rng([seed, n_columns, 78])
    X = rng.normal(size=(2000, n_columns))
    names = [f"x{j}" for j in range(n_columns)]
    columns = [
        Column(name, ColumnKind.NUMERIC, values)
        for name, values in zip(names, X.T, strict=True)
    ]
    y = (X[:, 0] + rng.normal(size=2000) > 0).astype(str)
    return Table(tuple(columns)), y, np.arange(n_columns) > 0


def mixed_columns(
    n_classes: int, seed: int, *, signal: bool
) -> tuple[Table, Any, np.ndarray]:
    """Return the table of `control`, with or without the features that matter."""
    table, target, kinds = make_table(2000, n_classes, seed)
    noise = ~kinds["true"]
    if signal:
        return table, target, noise
    chosen = np.flatnonzero(noise)
    return Table(tuple(table.columns[j] for j in chosen)), target, noise[chosen]


LOCAL: list[tuple[str, Callable[[int], tuple[Table, Any, np.ndarray]]]] = [
    ("noise, 2 classes", lambda s: mixed_columns(2, s, signal=False)),
    ("noise, 5 classes", lambda s: mixed_columns(5, s, signal=False)),
    ("noise, a quantity", lambda s: mixed_columns(0, s, signal=False)),
    ("5 that matter, 2 classes", lambda s: mixed_columns(2, s, signal=True)),
    ("5 that matter, 5 classes", lambda s: mixed_columns(5, s, signal=True)),
    ("1 of 3 matters", lambda s: few_columns(3, s)),
    ("1 of 6 matters", lambda s: few_columns(6, s)),
]


def rescue(seeds: int) -> None:
    """Print how often noise is rescued for what it seems to tell in a cluster."""
    print(f"\nnoise rescued by `clusters`, 2000 rows; {seeds} seeds")
    print(f"  {'table':26} clusters {'in a fit':>17} {'a feature':>17}  promise")
    for title, make in LOCAL:
        for n_clusters in (2, 4):
            fits, features = [], []
            for seed in range(seeds):
                table, target, noise = make(seed)
                selector = AssociationFilter(
                    rule="t_test",
                    sample_size=200,
                    clusters=n_clusters,
                    random_state=seed,
                ).fit(table, target)
                names = {found["feature"] for found in selector.local_}
                false = np.array([name in names for name in table.names]) & noise
                fits.append(float(false.any()))
                features.append(float(false.sum() / noise.sum()))
            told = f"{rate(fits):>17} {rate(features):>17}"
            print(f"  {title:26} {n_clusters:8} {told}  in a fit <= 0.01", flush=True)


def main() -> None:
    warnings.simplefilter("ignore", NoFeatureSelectedWarning)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", default=None)
    options = parser.parse_args()
    if options.only != "rescue":
        control(options.seeds, options.only)
    if options.only in (None, "rescue"):
        rescue(options.seeds)
    if not options.only:
        border(options.seeds)


if __name__ == "__main__":
    main()
