"""Does `featsieve.select` keep the same columns whatever seed it draws with?

Run with ``python -m benchmarks.recovery.same_answer [--problems AR(.9)] [--tables 4]
[--seeds 4] [--first 610]``. Every table is judged with so many seeds; what is printed
are the mean Jaccard index of the pairs of answers (columns in both over columns in
either) and how many columns each answer has. About half a CPU minute per table.
"""

from __future__ import annotations

import argparse
import itertools
import warnings

import numpy as np

import featsieve
from benchmarks.recovery.board import chosen
from benchmarks.recovery.problems import NOISE, PROBLEMS


def likeness(first: set[str], second: set[str]) -> float:
    """Return the Jaccard index; two empty answers are the same."""
    return len(first & second) / len(first | second) if first | second else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", default="AR(.9) 50")
    parser.add_argument("--tables", type=int, default=4)
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--first", type=int, default=610)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = []
    for name in chosen(list(PROBLEMS), options.problems):
        if name in NOISE:
            continue
        for table in range(options.first, options.first + options.tables):
            problem = PROBLEMS[name](table)
            answers = [
                featsieve.select(
                    problem.table, verbose=False, random_state=seed, **problem.options
                ).features
                for seed in range(options.seeds)
            ]
            pairs = itertools.combinations(map(set, answers), 2)
            found.append(float(np.mean([likeness(*pair) for pair in pairs])))
            sizes = ", ".join(str(len(answer)) for answer in answers)
            print(f"{name}, table {table}: {found[-1]:.3f} ({sizes} kept)", flush=True)
    print(f"mean {np.mean(found):.3f} of {len(found)} tables")


if __name__ == "__main__":
    main()
