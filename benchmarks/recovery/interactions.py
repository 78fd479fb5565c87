"""How often BIFSFilter finds true interactions, and how often any in noise.

Run with `python -m benchmarks.recovery.interactions [--seeds 10] [--noise 100]`.
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np

from featsieve import datasets
from featsieve.exceptions import NoFeatureSelectedWarning, WeakEvidenceWarning
from featsieve.inference._conditional_test import TupleGains, conditional_p_value
from featsieve.selectors import BIFSFilter

# name, generator, least number of ten seeds that must find the truth (None: no target)
PROBLEMS = [
    ("XOR + 48 noise", lambda s: datasets.make_parity(
        1000, n_bits=2, n_noise=48, label_noise=0.1, random_state=s), 10),
    ("XOR + 998 noise", lambda s: datasets.make_parity(
        2000, n_bits=2, n_noise=998, label_noise=0.1, random_state=s), 9),
    ("corral + 14 noise", lambda s: datasets.make_corral(
        200, n_noise=14, random_state=s), None),
    ("monks-1 + 10 noise", lambda s: datasets.make_monks(
        1, sample="train", n_noise=10, random_state=s), 8),
    ("monks-2 + 10 noise", lambda s: datasets.make_monks(
        2, sample="train", n_noise=10, random_state=s), None),
    ("monks-3 + 10 noise", lambda s: datasets.make_monks(
        3, sample="train", n_noise=10, random_state=s), 8),
    ("gaussian XOR + 20 noise", lambda s: datasets.make_gaussian_xor(
        500, n_noise=20, random_state=s), 10),
    ("multiplexer-6 + 20 noise", lambda s: datasets.make_multiplexer(
        600, n_address=2, n_noise=20, random_state=s), 8),
    ("multiplexer-11 + 20 noise", lambda s: datasets.make_multiplexer(
        2000, n_address=3, n_noise=20, random_state=s), None),
    ("epistasis 2-way among 100", lambda s: datasets.make_epistasis(
        1600, n_loci=2, heritability=0.2, n_noise=98, random_state=s), 8),
    ("parity-3 + 27 noise", lambda s: datasets.make_parity(
        1000, n_bits=3, n_noise=27, random_state=s), 9),
    ("epistasis 3-way among 20", lambda s: datasets.make_epistasis(
        1600, n_loci=3, heritability=0.2, n_noise=17, random_state=s), 7),
]  # fmt: skip

# rows, features, levels, classes
NOISE = [
    (200, 50, 2, 2),
    (200, 50, 5, 2),
    (2000, 50, 3, 2),
    (2000, 50, 4, 3),
    (200, 500, 2, 2),
    (200, 500, 3, 2),
    (2000, 500, 2, 2),
    (2000, 500, 5, 2),
]


def recover(seeds: int, only: str | None = None) -> None:
    print(
        f"{'problem':28} {'found':>7} {'exact':>6} {'recall':>7} {'false':>6} {'s':>6}"
    )
    for name, make, wanted in PROBLEMS:
        if only and only not in name:
            continue
        found = exact = 0
        recall, false = [], []
        start = time.perf_counter()
        for seed in range(seeds):
            table, truth = make(seed)
            selector = BIFSFilter(n_jobs=2, verify=False).fit(table, None)
            kept = set(selector.get_feature_names_out())
            relevant = set(truth.relevant)
            found += relevant <= kept
            exact += relevant == kept
            recall.append(len(relevant & kept) / max(1, len(relevant)))
            false.append(len(kept & set(truth.irrelevant)))
        each = (time.perf_counter() - start) / seeds
        target = "" if wanted is None else f"(target {wanted * seeds / 10:g})"
        print(
            f"{name:28} {found:>3}/{seeds:<3} {exact:>6} {np.mean(recall):>7.2f} "
            f"{np.mean(false):>6.2f} {each:>6.2f} {target}",
            flush=True,
        )


def evidence(seeds: int) -> None:
    """Show that the rows of monks-3 do not carry its third feature.

    Even a test that is told a2 and a5, and only asks which column adds to them, seldom
    prefers a4 to ten columns of noise: it matters in one row of twelve.
    """
    print("\nmonks-3: p-value of a4 given a2 and a5, and the best column of noise")
    better = 0
    for seed in range(seeds):
        table, _ = datasets.make_monks(3, sample="train", n_noise=10, random_state=seed)
        codes = np.column_stack([column.values for column in table])
        gains = TupleGains(codes, table.target.values, "level", None)
        place = {name: j for j, name in enumerate(table.names)}
        given = (place["a2"], place["a5"])
        p = {
            name: conditional_p_value(gains, (j,), given, seed)
            for name, j in place.items()
            if name == "a4" or name.startswith("noise")
        }
        noise = min(value for name, value in p.items() if name != "a4")
        better += p["a4"] < noise
        print(f"  seed {seed}: a4 {p['a4']:.3f}, noise {noise:.3f}")
    print(f"  a4 is preferred in {better} of {seeds}")


def alarm(runs: int) -> None:
    print(f"\n{'pure noise':32} any interaction   any feature   s/run")
    for n_rows, n_features, levels, classes in NOISE:
        interactions = features = 0
        start = time.perf_counter()
        for seed in range(runs):
            random = np.random.default_rng([seed, n_rows, n_features, levels])
            codes = random.integers(0, levels, (n_rows, n_features))
            target = random.integers(0, classes, n_rows)
            selector = BIFSFilter(nominal="all", n_jobs=2).fit(codes, target)
            interactions += bool(selector.interactions_)
            features += bool(selector.support_.any())
        each = (time.perf_counter() - start) / runs
        what = f"{n_rows} rows, {n_features} x {levels} levels, {classes} classes"
        print(
            f"{what:40} {interactions / runs:>8.3f} {features / runs:>12.3f} "
            f"{each:>8.2f}",
            flush=True,
        )


def main() -> None:
    warnings.simplefilter("ignore", NoFeatureSelectedWarning)
    warnings.simplefilter("ignore", WeakEvidenceWarning)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--noise", type=int, default=100)
    parser.add_argument("--only", default=None)
    options = parser.parse_args()
    recover(options.seeds, options.only)
    if not options.only:
        evidence(options.seeds)
    if options.noise:
        alarm(options.noise)


if __name__ == "__main__":
    main()
