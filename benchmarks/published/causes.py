"""Why cells of tables 5.2 to 5.13 of Lutu's thesis differ from ours, by experiment.

Run with `python -m benchmarks.published.causes FOLDER_OF_DATA [sparse abalone mushroom
kdd pairs]`. Each part tries what could make the printed numbers, on samples like those
of the thesis, and prints how near it comes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from featsieve.data import Table
from featsieve.inference._association_tests import Measuring
from featsieve.reproduce._data import DataFolder, class_codes
from featsieve.reproduce._largedata_tables import (
    PROBE_NAMES,
    added_gamma,
    fit,
    load,
    with_probes,
)

N_SETS = 20

# Tables 5.2 (samples of 500) and 5.12, 5.8 (of 1000): W and S stand for
# Wilderness_Area and Soil_Type.
AT_500 = "W4 .81 S12 .72 S1 .44 S38 .60 S39 .58 S2 .58 S4 .57 S6 .56 S22 .57 S10 .47"
AT_1000 = """
W4 .855 S2 .642 S40 .547 S38 .676 S4 .638 S1 .686 S3 .548 S6 .603 S13 .527 S39 .676
S21 .322 S35 .443 S12 .704 S34 .400 S19 .351 S22 .593 S18 .440 S26 .431 S17 .433
S10 .579 S5 .360 S16 .329 S11 .476 W2 .391 S30 .340 S14 .231 S8 .176 S37 .126 S9 .283
S28 .215 S27 .147 S23 .399 S20 .161 S24 .259 S31 .223 S33 .183 S32 .207 S29 .295
S25 .080 S15 .028
"""
# Table 5.12: the mean association of each with those chosen before it.
WITH_CHOSEN = """
0 .243 .146 .162 .164 .178 .185 .192 .199 .283 0 .020 .286 .021 .020 .287 .040 .038
.066 .295 .066 .084 .162 .221 .266 0 0 0 .018 .018 .017 .293 .052 .203 .250
"""
# Table 5.2, KDD Cup 99, Pearson's correlation: samples of 1000, of 500.
KDD = {
    "serror_rate": (0.51, 0.45),
    "num_compromised": (0.23, 0.26),
    "srv_serror_rate": (0.50, 0.43),
    "wrong_fragment": (0.21, 0.18),
    "dst_host_srv_serror_rate": (0.50, 0.43),
    "dst_host_srv_rerror_rate": (0.34, 0.27),
    "srv_rerror_rate": (0.35, 0.28),
    "hot": (0.11, 0.14),
    "dst_host_serror_rate": (0.51, 0.44),
    "rerror_rate": (0.34, 0.27),
}


def long_name(name: str) -> str:
    return {"W": "Wilderness_Area", "S": "Soil_Type"}[name[0]] + name[1:]


def read_pairs(text: str) -> dict[str, float]:
    words = text.split()
    return {
        long_name(n): float(v) for n, v in zip(words[::2], words[1::2], strict=True)
    }


def sparse(data: DataFolder) -> None:
    """Print how far rows added to every cell bring gamma to print."""
    table = load(data, "covertype")
    classes = class_codes(table)
    printed = {1000: read_pairs(AT_1000), 500: read_pairs(AT_500)}
    print("columns of two values, covertype: printed associations with the class")
    rng = np.random.default_rng(1)
    drawn = {
        size: [
            rng.choice(table.n_rows, size, replace=False) for _ in range(10 * N_SETS)
        ]
        for size in printed
    }
    for added in (0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0):
        off, z = [], []
        for size, values in printed.items():
            for name, value in values.items():
                column = table.columns[table.names.index(name)].values > 0
                found = np.array(
                    [
                        added_gamma(column[rows], classes[rows], max(added, 1e-12))
                        if column[rows].any()
                        else 0.0
                        for rows in drawn[size]
                    ]
                )
                sets = found.reshape(N_SETS, 10).mean(axis=1)
                spread = sets.std(ddof=1) * np.sqrt(1 + 1 / N_SETS)
                off.append(found.mean() - value)
                # Rounding adds to it, as does a column that is in no sample of ours.
                z.append(off[-1] / max(spread, 0.005, 0.1 * value * (spread == 0)))
        near = np.abs(z) < 3
        error = np.sqrt(np.mean(np.square(off)))
        print(
            f"  {added:4.2f} rows added: off by {error:.3f}, on average "
            f"{np.mean(off):+.3f}; {near.sum()} of {len(z)} within 3 s.e."
        )


def first_column(data: DataFolder) -> None:
    """Print what each class adds to the association of the first numeric column."""
    print("first numeric columns: share of the class times association, all rows")
    for name, feature, association, printed in (
        ("abalone", "Length", "gamma", 0.17),
        ("abalone", "Length", "pearson", 0.14),
        ("covertype", "Elevation", "gamma", 0.277),
    ):
        table = load(data, name)
        assert table.target is not None
        codes, column = class_codes(table), table.columns[table.names.index(feature)]
        measuring = Measuring(association, "ignore", 1, 5)
        parts = []
        for c in range(table.target.n_levels):
            member = (codes == c).astype(np.int32)
            nominal = np.zeros(1, dtype=bool)
            found = measuring.measure([column.values], nominal, member, None)[0]
            parts.append(member.mean() * found)
        told = ", ".join(
            f"{level} {part:.3f}"
            for level, part in zip(table.target.levels, parts, strict=True)
        )
        print(
            f"  {name}, {feature}, {association}: {told}; sum {sum(parts):.3f}, "
            f"printed {printed}"
        )


def abalone(data: DataFolder) -> None:
    """Print what spread would have made the t-test keep as few as printed."""
    first_column(data)
    table = load(data, "abalone")
    print("abalone: spread over samples that a feature of the printed mean fails with")
    for association, size, printed in (
        ("gamma", 1000, {"Length": 0.17, "Sex": 0.12}),
        ("gamma", 500, {"Length": 0.18, "Sex": 0.13}),
        ("pearson", 1000, {"Shucked_weight": 0.34, "Length": 0.14, "Sex": 0.12}),
        ("pearson", 500, {"Shucked_weight": 0.34, "Length": 0.15, "Sex": 0.13}),
    ):
        found = fit(table, association, size, 0)
        half = found.interval_[:, 1] - found.scores_
        for feature, mean in printed.items():
            own = half[table.names.index(feature)] / 2.262 * np.sqrt(10)
            needed = (mean - 0.1) * np.sqrt(10) / 2.821
            what = f"{association}, {size}, {feature}"
            print(f"  {what}: {needed:.3f} needed, {own:.3f} seen")


def mushroom(data: DataFolder) -> None:
    """Print how many features beat a probe that is too low by a factor."""
    table = load(data, "mushroom")
    n = table.n_columns
    print("mushroom, samples of 500: features above the Gaussian probe, printed 21")
    for factor in (1.0, 1 / 2, 1 / 3, 1 / 10, 0.0):
        kept = []
        for seed in range(N_SETS):
            found = fit(with_probes(table, seed), "gamma", 500, seed)
            probe = found.interval_[n] * factor
            kept.append(int(np.all(found.interval_[:n] > probe, axis=1).sum()))
        print(
            f"  {PROBE_NAMES[0]} times {factor:.2f}: {np.mean(kept):.1f}, "
            f"{min(kept)} to {max(kept)}"
        )
    found = fit(table, "gamma", 500, 0)
    half = (found.interval_[:, 1] - found.scores_) / 2.262
    passing = np.sort((found.scores_ - 0.1) / np.maximum(half, 1e-9))[::-1]
    print(
        "  t of the features against 0.1, 2.82 is needed, printed 2 pass:",
        " ".join(f"{t:.1f}" for t in passing[:14]),
    )


def kdd(data: DataFolder) -> None:
    """Print that no choice of rows makes the printed correlations."""
    table = load(data, "kddcup99-10pct")
    names = list(KDD)
    columns = tuple(table.columns[table.names.index(name)] for name in names)
    part = Table(columns, table.target)
    sets = {
        size: np.array([fit(part, "pearson", size, s).scores_ for s in range(N_SETS)])
        for size in (1000, 500)
    }
    spread = np.hypot(*(sets[size].std(axis=0, ddof=1) for size in (1000, 500)))
    print("KDD Cup 99, Pearson's correlation: print at 1000 and 500 rows, their")
    print("difference in standard errors of ours, ours from all rows and from distinct")
    frame = pd.DataFrame({c.name: c.values for c in table})
    first = ~frame.assign(target=class_codes(table)).duplicated().to_numpy()
    distinct = fit(part.take(first), "pearson", 1000, 0).scores_
    for j, (name, (many, few)) in enumerate(KDD.items()):
        z = (many - few) / max(spread[j], 0.005)
        ours = f"{sets[1000][:, j].mean():.2f}, distinct {distinct[j]:.2f}"
        print(f"  {name:26} {many:.2f} {few:.2f}  z {z:+5.1f}  ours {ours}")


Cells = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def gamma_of(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    total = a * d + b * c
    found: np.ndarray = (a * d - b * c) / np.where(total > 0, total, 1)
    return found


def z_of(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> np.ndarray:
    n, m, k = a + b + c + d, a + b, a + c
    variance = m * k * (n - m) * (n - k) / n**3
    found: np.ndarray = (a - m * k / n) / np.sqrt(np.where(variance > 0, variance, 1))
    return found


def added(cells: Cells) -> np.ndarray:
    a, b, c, d = (cell + 1 for cell in cells)
    return gamma_of(a, b, c, d)


READINGS: dict[str, Callable[[Cells], np.ndarray]] = {
    "gamma": lambda t: gamma_of(*t),
    "gamma, a row added to each cell": added,
    "tau-b, also Pearson's": lambda t: z_of(*t) / np.sqrt(sum(t)),
    "Somers' d of the first": lambda t: (
        t[0] / np.maximum(t[0] + t[1], 1) - t[2] / np.maximum(t[2] + t[3], 1)
    ),
    "Somers' d of the second": lambda t: (
        t[0] / np.maximum(t[0] + t[2], 1) - t[1] / np.maximum(t[1] + t[3], 1)
    ),
}
for bound in (1.0, 1.28, 1.645, 1.96, 2.33):
    READINGS[f"gamma, 0 unless |z| > {bound}"] = lambda t, z=bound: (
        gamma_of(*t) * (np.abs(z_of(*t)) > z)
    )
for least in (0.5, 1.0, 2.0):
    READINGS[f"gamma, 0 unless {least} rows expected in common"] = lambda t, e=least: (
        gamma_of(*t) * ((t[0] + t[1]) * (t[0] + t[2]) / sum(t) > e)
    )


def pairs(data: DataFolder) -> None:
    """Print how near readings of the association of two columns come to print."""
    table = load(data, "covertype")
    means = [float(value) for value in WITH_CHOSEN.split()]
    names = list(read_pairs(AT_1000))[: len(means)]
    X = np.column_stack([table.columns[table.names.index(n)].values for n in names])
    # The printed mean is over those chosen before.
    printed = np.array([mean * place for place, mean in enumerate(means)])
    rng = np.random.default_rng(1)
    sums: dict[str, Any] = dict.fromkeys(READINGS, 0.0)
    excluded = []
    for _ in range(40):
        some = X[rng.choice(len(X), 1000, replace=False)]
        a = some.T @ some
        m = some.sum(axis=0)
        b, c = m[:, None] - a, m - a
        cells = (a, b, c, len(some) - a - b - c)
        soil = np.flatnonzero((m > 0) & [name[0] == "S" for name in names])
        block = np.abs(gamma_of(*cells))[np.ix_(soil, soil)]
        excluded.append(np.mean(block[np.triu_indices(len(soil), 1)] == 1))
        for name, reading in READINGS.items():
            sums[name] = sums[name] + np.tril(np.abs(reading(cells)), -1).sum(axis=1)
    print("covertype: sums of associations with the features chosen before, table 5.12")
    print(f"  gamma of two types of soil is -1 in {np.mean(excluded):.1%} of pairs")
    for name, total in sums.items():
        ours = total[1:] / 40
        error = np.sqrt(np.mean((ours - printed[1:]) ** 2))
        same = np.corrcoef(ours, printed[1:])[0, 1]
        print(
            f"  {name:42} off by {error:5.2f}, correlation {same:+.2f}, "
            f"Wilderness_Area4 with Soil_Type2 {ours[0]:.3f} (printed .243)"
        )


PARTS: dict[str, Callable[[DataFolder], None]] = {
    "sparse": sparse,
    "abalone": abalone,
    "mushroom": mushroom,
    "kdd": kdd,
    "pairs": pairs,
}


def main() -> None:
    folder, *wanted = sys.argv[1:]
    data = DataFolder(Path(folder))
    for part in wanted or PARTS:
        PARTS[part](data)
        print()


if __name__ == "__main__":
    main()
