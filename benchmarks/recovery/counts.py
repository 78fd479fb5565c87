"""What the search over counts finds in monks-2, and what it gives on permuted classes.

Run with ``python -m benchmarks.recovery.counts [--seeds 10] [--first 0] [--draws 20]``.
Monks-2 asks whether exactly two of six columns are at one of their levels: no two rows
of its table are alike, so tables of joint levels say nothing, but the number of columns
at their level does.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from benchmarks.recovery.problems import PROBLEMS
from featsieve.selection._material import prepare
from featsieve.selection._together import CountedSet, search_counts


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--problem", default="monks-2 + 10 noise")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--draws", type=int, default=20)
    options = parser.parse_args()

    def best(found: list[CountedSet]) -> CountedSet:
        return min(found, key=lambda each: each.p_value)

    exact = below = 0
    for seed in range(options.first, options.first + options.seeds):
        table, truth = PROBLEMS[options.problem](seed)
        material = prepare(table, seed, 1)
        codes, classes = material.codes_for(4), material.classes
        begin = time.process_time()
        found = best(search_counts(codes, classes))
        seconds = time.process_time() - begin
        names = sorted(table.names[j] for j in found.members)
        exact += names == sorted(group[0] for group in truth.groups)
        random = np.random.default_rng(seed)
        null = [
            best(search_counts(codes, random.permutation(classes))).p_value
            for _ in range(options.draws)
        ]
        below += sum(p < 0.05 for p in null)
        print(
            f"seed {seed}: {', '.join(names)}; likelihood ratio {found.ratio:.0f}, p "
            f"at most {found.p_value:.0e} over all sets, {seconds:.2f} CPU s; least "
            f"of permuted classes {min(null, default=1.0):.2g}",
            flush=True,
        )
    print(
        f"the true set in {exact} of {options.seeds} seeds; permuted classes below "
        f"0.05 in {below} of {options.seeds * options.draws} draws"
    )


if __name__ == "__main__":
    main()
