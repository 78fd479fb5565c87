"""How often the rules of AssociationFilter keep a feature that knows nothing.

Run with `python -m benchmarks.recovery.associations [--seeds 200] [--part PART]`. Every
table has noise of ten shapes beside five features that do matter. Rates are per noise
feature, with a 95 % interval of Clopper and Pearson; features of one table are not
independent (they share samples and probes), so the interval counts as many trials as
would vary as much between seeds. A rate whose interval lies above the promise is marked
with "!". "found" is the share of the features that matter.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import stats

from featsieve.data import Column, ColumnKind, Table
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.filters import AssociationFilter

N_EACH = 2

# name, parameters, the promised rate for noise: of copies and laws of two values, and
# of laws of continuous numbers, against which there are twice as many probes
RULES: dict[str, tuple[dict[str, Any], float, float]] = {
    "t_test": ({"rule": "t_test"}, 0.01, 0.01),
    "z_test": ({"rule": "z_test"}, 0.01, 0.01),
    "probe": ({"rule": "probe"}, 1 / 11, 1 / 21),
    "fdr": ({"rule": "fdr", "significance": 0.1}, np.nan, np.nan),
    "t_test, race": ({"rule": "t_test", "n_samples": "race"}, 0.01, 0.01),
    "probe, race": ({"rule": "probe", "n_samples": "race"}, 1 / 11, 1 / 21),
}

# rows, sample size, shares of classes (none: a quantity)
TABLES: dict[str, tuple[int, int, tuple[float, ...]]] = {
    "4,000 rows, 10 samples of 400, 2 classes": (4000, 400, (0.5, 0.5)),
    "4,000 rows, 10 samples of 400, 5 classes of 60 to 2 %": (
        *(4000, 400),
        (0.6, 0.2, 0.12, 0.06, 0.02),
    ),
    "1,000 rows, 10 samples of 500 (they overlap), 3 classes": (
        *(1000, 500),
        (0.4, 0.3, 0.3),
    ),
    "150 rows, 10 samples of 75 (they overlap), 2 classes": (150, 75, (0.5, 0.5)),
    "2,000 rows, 10 samples of 200, a quantity": (2000, 200, ()),
}

ASSOCIATIONS = (
    "gamma",
    "spearman",
    "pearson",
    "winsorised_pearson",
    "symmetrical_uncertainty",
)


Draw = Callable[[int, np.random.Generator], np.ndarray]


def with_gaps(values: np.ndarray, gap: float, rng: np.random.Generator) -> np.ndarray:
    """Return values of which 80 % are missing."""
    return np.where(rng.random(len(values)) < 0.8, gap, values)


# shape: levels (0: numbers, -1: a quarter of the rows), values
SHAPES: dict[str, tuple[int, Draw]] = {
    "normal": (0, lambda n, rng: rng.normal(size=n)),
    "cauchy": (0, lambda n, rng: rng.standard_cauchy(size=n)),
    "counts": (0, lambda n, rng: rng.poisson(1.0, n)),
    "binary": (0, lambda n, rng: rng.random(n) < 0.3),
    "rare": (0, lambda n, rng: rng.random(n) < 0.01),
    "gaps": (0, lambda n, rng: with_gaps(rng.normal(size=n), np.nan, rng)),
    "3 levels": (3, lambda n, rng: rng.choice(3, n, p=[0.8, 0.15, 0.05])),
    "20 levels": (20, lambda n, rng: rng.integers(20, size=n)),
    "20, gaps": (20, lambda n, rng: with_gaps(rng.integers(20, size=n), -1, rng)),
    "sparse": (-1, lambda n, rng: rng.integers(n // 4, size=n)),
}
NOISE = tuple(SHAPES)
#: Held against twice as many probes.
CONTINUOUS = ("normal", "cauchy", "gaps")


def make_table(
    n_rows: int, shares: tuple[float, ...], seed: int, n_each: int = N_EACH
) -> tuple[Table, Any, dict[str, np.ndarray]]:
    """Return a table, its target, and which columns are of which kind."""
    rng = np.random.default_rng([seed, n_rows, len(shares)])
    cause = rng.normal(size=n_rows)
    quantity = cause + rng.normal(size=n_rows)
    target: Any = quantity
    if shares:
        cuts = np.quantile(quantity, np.cumsum(shares)[:-1])
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
    add("true", np.digitize(cause + rng.normal(size=n_rows) / 3, [-0.5, 0.5]), 3)
    for kind in NOISE * n_each:
        n_levels, draw = SHAPES[kind]
        add(kind, draw(n_rows, rng), n_rows // 4 if n_levels < 0 else n_levels)
    named = np.array(kinds)
    return Table(tuple(columns)), target, {k: named == k for k in dict.fromkeys(kinds)}


def clopper_pearson(values: list[float], n_each: int) -> tuple[float, float, float]:
    """Return a mean of shares and its interval, as of independent trials."""
    each = np.array(values)
    mean, n = float(each.mean()), float(len(each) * n_each)
    if 0 < mean < 1:
        independent = mean * (1 - mean) / n
        seen = each.var(ddof=1) / len(each)
        n = min(n, n * independent / seen) if seen > 0 else n
    hits = mean * n
    lower = stats.beta.ppf(0.025, hits, n - hits + 1) if hits > 0 else 0.0
    upper = stats.beta.ppf(0.975, hits + 1, n - hits) if hits < n else 1.0
    return mean, float(lower), float(upper)


def tell(values: list[float], n_each: int, promise: float) -> str:
    mean, lower, upper = clopper_pearson(values, n_each)
    mark = "!" if lower > promise else " "
    return f"{mean:.3f} ({lower:.3f}-{upper:.3f}){mark}"


def control(title: str, association: str, rules: list[str], seeds: int) -> None:
    """Print a line per rule: how often each shape of noise is kept."""
    n_rows, sample_size, shares = TABLES[title]
    print(f"\n{title}; association {association!r}; {seeds} seeds, {N_EACH} of a shape")
    head = " ".join(f"{kind:>20}" for kind in NOISE)
    print(f"  {'rule':13} {head}  found  s/fit  promise")
    for name in rules:
        parameters, promise, promise_continuous = RULES[name]
        measured: dict[str, list[float]] = {k: [] for k in (*NOISE, "share", "true")}
        start = time.process_time()
        for seed in range(seeds):
            table, target, kinds = make_table(n_rows, shares, seed)
            selector = AssociationFilter(
                association, sample_size=sample_size, random_state=seed, **parameters
            ).fit(table, target)
            kept = selector.support_
            for kind, mask in kinds.items():
                measured[kind].append(float(kept[mask].mean()))
            false = kept[~kinds["true"]].sum()
            measured["share"].append(float(false / max(1, kept.sum())))
        each = (time.process_time() - start) / seeds
        limits = {k: promise_continuous if k in CONTINUOUS else promise for k in NOISE}
        told = " ".join(f"{tell(measured[k], N_EACH, limits[k]):>20}" for k in NOISE)
        words = f"<= {promise:.3f}, continuous {promise_continuous:.3f}"
        if name == "fdr":
            share = np.array(measured["share"])
            half = 1.96 * share.std(ddof=1) / np.sqrt(seeds)
            words = f"false share of kept {share.mean():.3f} ± {half:.3f} <= 0.1"
        found = np.mean(measured["true"])
        print(f"  {name:13} {told}  {found:.3f}  {each:.3f}  {words}", flush=True)


# association, shift of a unit normal between two equal classes that makes it 0.1
BORDER = [("kendall", 0.2519), ("pearson", 0.2010)]


def border(seeds: int) -> None:
    """Print how often a feature exactly at the threshold passes the tests."""
    print(f"\nfeatures whose association is 0.1, the threshold; {seeds} seeds, 20 each")
    for n_rows, size in ((4000, 400), (1000, 500), (150, 75)):
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
                told = tell(passed, 20, 0.01)
                print(f"  {name:40} {told}  promise <= 0.01", flush=True)


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
    shares = tuple(np.full(n_classes, 1 / n_classes)) if n_classes else ()
    table, target, kinds = make_table(2000, shares, seed)
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
    print(f"  {'table':26} clusters {'in a fit':>20} {'a feature':>20}  promise")
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
            told = f"{tell(fits, 1, 0.01):>20} {tell(features, 10, 0.01):>20}"
            print(f"  {title:26} {n_clusters:8} {told}  in a fit <= 0.01", flush=True)


PARTS = ("tables", "race", "associations", "rescue", "border")


def main() -> None:
    warnings.simplefilter("ignore", NoFeatureSelectedWarning)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--part", choices=PARTS, default=None)
    parser.add_argument("--table", type=int, choices=range(len(TABLES)), default=None)
    options = parser.parse_args()
    wanted = PARTS if options.part is None else (options.part,)
    titles = list(TABLES)
    if options.table is not None:
        titles = [titles[options.table]]
    rules = ["t_test", "z_test", "probe", "fdr"]
    if "tables" in wanted:
        for title in titles:
            control(title, "kendall", rules, options.seeds)
    if "race" in wanted:
        control(titles[0], "kendall", ["t_test, race", "probe, race"], options.seeds)
    if "associations" in wanted:
        for title in titles:
            for association in ASSOCIATIONS:
                control(title, association, rules[:3], options.seeds)
    if "rescue" in wanted:
        rescue(options.seeds)
    if "border" in wanted:
        border(options.seeds)


if __name__ == "__main__":
    main()
