"""Ours beside the printed tables of class-feature association from many samples.

Run with `python -m benchmarks.published.largedata [folder] [--seeds 10]`; the folder
holds covertype, kddcup99-10pct, abalone and mushroom (FEATSIEVE_SHARED/data, or
../shared/data). Printed are P. E. N. Lutu's tables 5.2 to 5.6 and 5.12 on feature
selection for large data sets. What the tables call Kendall's tau leaves ties out, so it
is compared with `association="gamma"`; intervals ignore that samples overlap.
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.filters import AssociationFilter
from featsieve.measures import class_association

FILES = {
    "covertype": "train.parquet",
    "kddcup99-10pct": "train.parquet",
    "abalone": "train.csv",
    "mushroom": "train.csv",
}

ATTACKS = {
    "dos": "back land neptune pod smurf teardrop",
    "probe": "ipsweep nmap portsweep satan",
    "r2l": "ftp_write guess_passwd imap multihop phf spy warezclient warezmaster",
    "u2r": "buffer_overflow loadmodule perl rootkit",
}

# Table 5.2, samples of 1000: Kendall, Pearson.
ABALONE = {
    "Diameter": (0.50, 0.41),
    "Shell_weight": (0.52, 0.40),
    "Height": (0.51, 0.37),
    "Whole_weight": (0.49, 0.38),
    "Viscera_weight": (0.49, 0.38),
    "Shucked_weight": (0.45, 0.34),
    "Length": (0.17, 0.14),
    "Sex": (0.12, 0.12),
}
FOREST = {
    "Wilderness_Area4": (0.86, 0.22),
    "Soil_Type12": (0.70, 0.14),
    "Soil_Type1": (0.69, 0.08),
    "Soil_Type38": (0.68, 0.12),
    "Soil_Type39": (0.68, 0.11),
    "Soil_Type2": (0.64, 0.07),
    "Soil_Type4": (0.64, 0.10),
    "Soil_Type6": (0.60, 0.08),
    "Soil_Type22": (0.59, 0.14),
    "Soil_Type10": (0.58, 0.13),
}
# Table 5.12, class-feature association.
FOREST_SEARCH = {
    "Slope": 0.124,
    "Horizontal_Distance_To_Fire_Points": 0.156,
    "Horizontal_Distance_To_Roadways": 0.158,
    "Soil_Type29": 0.295,
}
PROBE_NAMES = ("probe gaussian", "probe uniform", "probe binary")
# Tables 5.3 and 5.6: data, sample size: probes G U B, t-test Kendall, t-test Pearson.
COUNTS = [
    ("covertype", 500, (47, 47, 44), 35, 6),
    ("covertype", 1000, (49, 48, 47), 38, 6),
    ("kddcup99-10pct", 500, (36, 36, 36), 36, 26),
    ("kddcup99-10pct", 1000, (36, 36, 35), 30, 21),
    ("abalone", 500, (8, 8, 8), 6, 5),
    ("abalone", 1000, (8, 8, 8), 7, 5),
    ("mushroom", 500, (21, 15, 14), 2, None),
]
# Table 5.4: sample size, range of features above the Gaussian probe, and by Z-test.
SINGLE = [
    (100, "30-39", "13-23"),
    (500, "39-47", "31-37"),
    (1000, "43-49", "34-41"),
]


def load(folder: Path, name: str) -> Table:
    table = read_table(folder / name / FILES[name], target="class")
    assert table.target is not None
    labels = [table.target.levels[code] for code in table.target.values]
    if name == "abalone":
        labels = ["<=8" if r <= 8 else "9-10" if r <= 10 else ">=11" for r in labels]
    elif name == "kddcup99-10pct":
        group = {a: g for g, names in ATTACKS.items() for a in names.split()}
        labels = [group.get(label, label) for label in labels]
    names, codes = np.unique(np.array(labels), return_inverse=True)
    kind, levels = ColumnKind.NOMINAL, tuple(names.tolist())
    target = Column("class", kind, codes.astype(np.int32), levels)
    return Table(table.columns, target)


def with_probes(table: Table, seed: int) -> Table:
    """Return the table with one probe of each law as its last columns."""
    rng = np.random.default_rng([seed, 5])
    n = table.n_rows
    drawn = (rng.normal(500, 100, n), rng.integers(0, 1000, n), rng.integers(0, 2, n))
    added = [
        Column(name, ColumnKind.NUMERIC, values.astype(float))
        for name, values in zip(PROBE_NAMES, drawn, strict=True)
    ]
    return Table((*table.columns, *added), table.target)


def fit(table: Table, association: str, size: int, seed: int, **more: Any) -> Any:
    parameters: dict[str, Any] = {
        "rule": "t_test",
        "sample_size": size,
        "correct_overlap": False,
        "missing": "level",
        "random_state": seed,
        **more,
    }
    return AssociationFilter(association, **parameters).fit(table, None)


def spread(values: list[float], digits: int = 2) -> str:
    low, high = min(values), max(values)
    return f"{np.mean(values):.{digits}f} ({low:.{digits}f}-{high:.{digits}f})"


def means(title: str, table: Table, printed: dict[str, Any], seeds: int) -> None:
    print(
        f"\n{title}: mean over 10 samples of 1000; ours: mean (range of {seeds} seeds)"
    )
    print(f"  {'feature':36} {'Kendall':>8} {'ours':>20} {'Pearson':>8} {'ours':>20}")
    found = {
        association: [fit(table, association, 1000, seed) for seed in range(seeds)]
        for association in ("gamma", "pearson")
    }
    for name, values in printed.items():
        kendall, pearson = values if isinstance(values, tuple) else (values, None)
        j = table.names.index(name)
        ours = [spread([f.scores_[j] for f in found[a]]) for a in ("gamma", "pearson")]
        told = "" if pearson is None else f"{pearson:.2f}"
        print(f"  {name:36} {kendall:>8.3g} {ours[0]:>20} {told:>8} {ours[1]:>20}")


def counts(tables: dict[str, Table], seeds: int) -> None:
    print(f"\nTables 5.3 and 5.6: features kept; ours: range of {seeds} seeds")
    head = "  ".join(f"{n[6:]:>14}" for n in PROBE_NAMES)
    print(f"  {'data':16} {'size':>5}  {head}  {'t-test gamma':>14} {'Pearson':>14}")
    for name, size, probes, kendall, pearson in COUNTS:
        table = tables[name]
        n = table.n_columns
        by_probe: list[list[int]] = [[], [], []]
        by_test: list[int] = []
        by_pearson: list[int] = []
        for seed in range(seeds):
            found = fit(with_probes(table, seed), "gamma", size, seed)
            for k, kept in enumerate(by_probe):
                own = found.interval_[n + k]
                kept.append(int(np.all(found.interval_[:n] > own, axis=1).sum()))
            by_test.append(int(found.support_[:n].sum()))
            if pearson is not None:
                of_pearson = fit(table, "pearson", size, seed)
                by_pearson.append(int(of_pearson.support_.sum()))
        cells = [
            f"{p} | {min(k)}-{max(k)}" for p, k in zip(probes, by_probe, strict=True)
        ]
        cells.append(f"{kendall} | {min(by_test)}-{max(by_test)}")
        if pearson is not None:
            cells.append(f"{pearson} | {min(by_pearson)}-{max(by_pearson)}")
        print(f"  {name:16} {size:>5}  " + "  ".join(f"{c:>14}" for c in cells))


def single(table: Table, seeds: int) -> None:
    print(f"\nTable 5.4: covertype, single samples; ours: range of {seeds} seeds")
    for size, probe, test in SINGLE:
        above, passed = [], []
        for seed in range(seeds):
            more = {"rule": "z_test", "n_samples": 1}
            found = fit(with_probes(table, seed), "gamma", size, seed, **more)
            n = table.n_columns
            above.append(int(np.sum(found.scores_[:n] > found.scores_[n])))
            passed.append(int(found.support_[:n].sum()))
        print(
            f"  n = {size:>4}: above the Gaussian probe {probe} | "
            f"{min(above)}-{max(above)}; Z-test {test} | {min(passed)}-{max(passed)}"
        )


def absent(table: Table, seeds: int) -> None:
    """Table 5.5: rare features are absent from many samples."""
    print("\nTable 5.5: share of samples of 1000 in which the feature varies")
    printed = {
        "num_failed_logins": 0.7,
        "num_shells": 0.7,
        "num_access_files": 0.5,
        "su_attempted": 0.1,
    }
    found = [fit(table, "gamma", 1000, seed) for seed in range(seeds)]
    for name, share in printed.items():
        j = table.names.index(name)
        print(f"  {name:20} {share} | {spread([f.presence_[j] for f in found])}")


def whole(tables: dict[str, Table]) -> None:
    print("\nWhole tables (unit vectors of the specification)")
    for name in ("abalone", "mushroom"):
        table = tables[name]
        assert table.target is not None
        nominal = np.array([c.is_nominal for c in table])
        values = class_association(
            [c.values for c in table],
            table.target.values,
            association="gamma",
            nominal=nominal,
            missing="level",
        )
        pairs = zip(table.names, values, strict=True)
        print(f"  {name}: " + ", ".join(f"{n} {v:.4f}" for n, v in pairs))


def main() -> None:
    warnings.simplefilter("ignore", NoFeatureSelectedWarning)
    beside = Path(__file__).resolve().parents[3] / "shared"
    shared = Path(os.environ.get("FEATSIEVE_SHARED", beside))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=shared / "data")
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    tables = {name: load(options.folder, name) for name in FILES}
    whole(tables)
    means("Table 5.2, abalone", tables["abalone"], ABALONE, options.seeds)
    means("Table 5.2, covertype", tables["covertype"], FOREST, options.seeds)
    means("Table 5.12, covertype", tables["covertype"], FOREST_SEARCH, options.seeds)
    counts(tables, options.seeds)
    single(tables["covertype"], options.seeds)
    absent(tables["kddcup99-10pct"], options.seeds)


if __name__ == "__main__":
    main()
