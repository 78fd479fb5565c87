"""Ours beside the printed tables of subset search on means over many samples.

Run with `python -m benchmarks.published.largedata_search [folder] [--seeds 5]`; data
and source as for `largedata`: tables 5.8 (correlation-based search with probes), 5.11,
5.12 and 5.13 (decision rules). Features go with the class by gamma; how the source
compared two features is not known, so both gamma and tau-b are shown. A nominal and a
numeric feature count as not associated. Beside the printed numbers stand those of
a slow prototype of the same reading, where there is one.
"""

from __future__ import annotations

import argparse
import os
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import spearmanr

from benchmarks.published.largedata import FILES, PROBE_NAMES, fit, load, with_probes
from featsieve.data import Table
from featsieve.data._inputs import Target
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.filters import DecisionRuleFilter
from featsieve.filters._associations import GivenAssociations
from featsieve.filters._base import Training
from featsieve.filters._measured_associations import SampledAssociations
from featsieve.filters._subset_search import greedy_forward

PAIRS = ("gamma", "kendall")
SIZES = {"covertype": 1000, "kddcup99-10pct": 1000, "abalone": 1000, "mushroom": 500}

# Table 5.8: at which step the probes (G, U, B) come in, and what is said of it.
ENTER = {
    "covertype": ((28, 27, 26), "prototype 40-43; printed merit at step 26 is 1.518"),
    "kddcup99-10pct": ((21, 22, None), "printed merit at step 21 is 1.309"),
}

# Tables 5.11 and 5.12: the chosen features in order.
KDD_NAMES = """
serror_rate dst_host_rerror_rate num_root wrong_fragment flag num_failed_logins
dst_host_serror_rate dst_host_srv_count srv_count dst_host_count hot service
num_access_files num_compromised count protocol_type srv_diff_host_rate src_bytes
root_shell num_shells num_file_creations dst_host_srv_rerror_rate
dst_host_same_src_port_rate dst_host_diff_srv_rate dst_host_same_srv_rate duration
dst_bytes dst_host_srv_diff_host_rate dst_host_srv_serror_rate diff_srv_rate
srv_rerror_rate rerror_rate
"""
# W and S stand for Wilderness_Area and Soil_Type.
FOREST_NAMES = """
W4 S2 S40 S38 S4 S1 S3 S6 S13 S39 S21 S35 S12 S34 S19 S22 S18 S26 S17 S10 S5 S16 S11 W2
S30 S14 S8 S37 S9 S28 S27 S23 S20 S24 S31 Horizontal_Distance_To_Fire_Points
Horizontal_Distance_To_Roadways Slope S33 S32 Elevation S29
"""
LONG = {"W": "Wilderness_Area", "S": "Soil_Type"}
FOREST_ORDER = [
    LONG[name[0]] + name[1:] if name[1:].isdigit() else name
    for name in FOREST_NAMES.split()
]

ORDERS = {
    "kddcup99-10pct": (
        "Table 5.11",
        KDD_NAMES.split(),
        "31 chosen, 27 of those printed (one seed)",
    ),
    "covertype": (
        "Table 5.12",
        FOREST_ORDER,
        "44-48, all those printed (tau-b); 12-18 (gamma)",
    ),
}

# Table 5.13: features chosen without pre-selection, after the probes G, U, B and after
# the t-test; then the prototype's ranges.
CHOSEN: dict[str, tuple[tuple[int | None, ...], str]] = {
    "covertype": ((42, 41, 41, 41, 36), "44-48, probes 43, t-test 39-42 (tau-b)"),
    "kddcup99-10pct": ((32, 34, 34, 34, 30), "31"),
    "abalone": ((3, 3, 3, 3, 2), "3 (gamma), 4 (tau-b)"),
    "mushroom": ((14, 14, 14, 14, None), "12-14"),
}
INPUTS = ("all", "gaussian", "uniform", "binary", "t-test")


def span(values: list[int]) -> str:
    low, high = min(values), max(values)
    return str(low) if low == high else f"{low}-{high}"


def search(table: Table, name: str, pairs: str, seed: int) -> DecisionRuleFilter:
    return DecisionRuleFilter(
        association="gamma",
        pair_association=pairs,
        mixed="zero",
        n_samples=10,
        sample_size=SIZES[name],
        missing="level",
        random_state=seed,
    ).fit(table, None)


def trace(table: Table, name: str, seeds: int) -> None:
    """Table 5.8: add features by merit to the last, and see when noise is preferred."""
    printed, remark = ENTER[name]
    told = ", ".join("not printed" if p is None else str(p) for p in printed)
    print(
        f"\nTable 5.8, {name}: step at which probes G, U, B come in: {told}; {remark}"
    )
    for pairs in PAIRS:
        steps: list[list[int]] = [[], [], []]
        peaks, merits, behind = [], [], []
        for seed in range(seeds):
            order, found = forward(with_probes(table, seed), name, pairs, seed)
            for k in range(3):
                steps[k].append(order.index(table.n_columns + k) + 1)
            peaks.append(int(np.argmax(found)) + 1)
            merits.append(max(found))
            first = min(each[-1] for each in steps)
            behind.append(table.n_columns + 1 - first)
        cells = ", ".join(span(each) for each in steps)
        print(
            f"  pairs by {pairs:8} {cells}; {span(behind)} features come after the "
            f"first probe; the merit peaks at {span(peaks)} features, "
            f"{min(merits):.3f}-{max(merits):.3f}",
            flush=True,
        )


def forward(
    table: Table, name: str, pairs: str, seed: int
) -> tuple[list[int], list[float]]:
    """Return all features in the order of a search by merit, and the merits."""
    assert table.target is not None
    target = Target(table.target.values, table.target.levels, None)
    measured = SampledAssociations(
        Training(table, target, None),
        "gamma",
        "level",
        None,
        n_samples=10,
        sample_size=SIZES[name],
        seed=seed,
        between=pairs,
        mixed="zero",
    )
    given = GivenAssociations(measured.with_class, measured.matrix())
    steps = greedy_forward(given, n_features=table.n_columns).steps
    return [s["feature"] for s in steps], [s["merit"] for s in steps]


def compare_orders(table: Table, name: str, seeds: int) -> None:
    """Tables 5.11 and 5.12: which features are chosen, probes among them, in order."""
    title, printed, known = ORDERS[name]
    print(f"\n{title}, {name}: {len(printed)} chosen, no probe; prototype: {known}")
    for pairs in PAIRS:
        sizes, common, noise, agree = [], [], [], []
        extra: Counter[str] = Counter()
        absent: Counter[str] = Counter()
        for seed in range(seeds):
            whole = with_probes(table, seed)
            found = search(whole, name, pairs, seed)
            chosen = [whole.names[j] for j in found.selected_]
            real = [n for n in chosen if n not in PROBE_NAMES]
            noise.append(len(chosen) - len(real))
            sizes.append(len(real))
            both = [n for n in real if n in printed]
            common.append(len(both))
            extra.update(set(real) - set(printed))
            absent.update(set(printed) - set(real))
            places = [printed.index(n) for n in both]
            rho = spearmanr(places, range(len(places))).statistic
            agree.append(float(rho))
        print(
            f"  pairs by {pairs:8} {span(sizes)} chosen, {span(common)} of those "
            f"printed, {span(noise)} probes; order of those in common: rho "
            f"{min(agree):.2f} to {max(agree):.2f}"
        )
        for what, counted in (("more", extra), ("absent", absent)):
            told = ", ".join(f"{n} {k}" for n, k in counted.most_common(8))
            print(f"    {what} (in how many seeds): {told or 'none'}", flush=True)


def chosen(tables: dict[str, Table], seeds: int) -> None:
    print(f"\nTable 5.13: features chosen, printed | ours, range of {seeds} seeds")
    head = " ".join(f"{n:>11}" for n in INPUTS)
    print(f"  {'data':15} {'pairs by':8} {head}  prototype")
    for name, (printed, known) in CHOSEN.items():
        table = tables[name]
        for pairs in PAIRS:
            kept: list[list[int]] = [[] for _ in INPUTS]
            for seed in range(seeds):
                for k, mask in enumerate(inputs(table, name, seed)):
                    part = Table(
                        tuple(table.columns[j] for j in np.flatnonzero(mask)),
                        table.target,
                    )
                    found = search(part, name, pairs, seed)
                    kept[k].append(int(found.support_.sum()))
            cells = [
                f"{'-' if p is None else p} | {span(k)}"
                for p, k in zip(printed, kept, strict=True)
            ]
            row = " ".join(f"{cell:>11}" for cell in cells)
            print(f"  {name:15} {pairs:8} {row}  {known}", flush=True)


def inputs(table: Table, name: str, seed: int) -> list[Any]:
    """Return masks: all features, those above each probe, those of the t-test."""
    n = table.n_columns
    found = fit(with_probes(table, seed), "gamma", SIZES[name], seed)
    above = [
        np.all(found.interval_[:n] > found.interval_[n + k], axis=1) for k in range(3)
    ]
    return [np.ones(n, dtype=bool), *above, found.support_[:n]]


def main() -> None:
    warnings.simplefilter("ignore", NoFeatureSelectedWarning)
    beside = Path(__file__).resolve().parents[3] / "shared"
    shared = Path(os.environ.get("FEATSIEVE_SHARED", beside))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=shared / "data")
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    tables = {name: load(options.folder, name) for name in FILES}
    for name in ENTER:
        trace(tables[name], name, options.seeds)
    for name in ORDERS:
        compare_orders(tables[name], name, options.seeds)
    chosen(tables, options.seeds)


if __name__ == "__main__":
    main()
