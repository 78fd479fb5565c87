"""Do learners lose anything when they see the selected features only?

Run with ``python -m benchmarks.recovery.real_tables [folder] [--folds 5x2]
[--rows 2000] [--tables sonar,vehicle] [--json real.json] [--resume]``; the folder holds
tables with a meta.json each (FEATSIEVE_SHARED/data, or ../shared/data). A random forest
and five nearest neighbours are compared on all features and on those that
`featsieve.select` keeps, which sees the training rows of each fold only; each table is
tried as it is, and with a permuted copy of every feature beside it. There a third
contestant is told which columns are the copies and drops exactly those: what it gains
is what there is to be gained. Of larger tables a sample of rows is taken. A difference
counts as significant by the corrected resampled t-test at 0.05; as there are many
tests, those that stay so when Holm's procedure is applied to all of them are marked
too. Results are written after every table, and ``--resume`` goes on with them; about 15
CPU minutes in all. Folds are drawn by ``--seed``: what is tuned is tuned on others.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.feature_selection import SelectorMixin

import featsieve
from benchmarks._machine import describe_machine, installed_versions
from featsieve.data import Table, read_table
from featsieve.evaluation import holm_adjusted
from featsieve.selection import SieveSelector

#: The target is a number of rings.
QUANTITIES = ("abalone",)
LEVEL = 0.05
LEARNERS = ("forest", "5-nn")
#: Means over folds that differ by less are equal but for rounding.
TIE = 1e-12


def default_folder() -> Path:
    beside = Path(__file__).parents[2].parent / "shared"
    return Path(os.environ.get("FEATSIEVE_SHARED", beside)) / "data"


def load(folder: Path, n_rows: int) -> Table:
    """Return the training rows of a table, a sample of them if they are many."""
    about = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    nominal = [name for name, kind in about["kinds"].items() if kind == "nominal"]
    source = folder / about["files"]["train"]
    if source.suffix == ".parquet":
        frame = pd.read_parquet(source)
    else:
        texts = dict.fromkeys(nominal, str)
        frame = pd.read_csv(source, dtype=texts, keep_default_na=False, na_values=[""])
    if len(frame) > n_rows:
        frame = frame.sample(n_rows, random_state=0)
    # A class of which a fold may have no row cannot be learnt or scored there.
    if folder.name not in QUANTITIES:
        count = frame["class"].map(frame["class"].value_counts())
        frame = frame[count >= 5].astype({"class": str})
    kind = "numeric" if folder.name in QUANTITIES else "nominal"
    return read_table(frame, "class", nominal=nominal, target_kind=kind)


def with_noise(table: Table, seed: int) -> Table:
    """Return the table with a copy of every feature whose rows are shuffled."""
    random = np.random.default_rng(seed)
    copies = [
        replace(
            column.take(random.permutation(len(table))),
            name=f"shuffled {column.name}",
        )
        for column in table
    ]
    return Table((*table, *copies), table.target)


class WithoutShuffled(SelectorMixin, BaseEstimator):
    """Drops the shuffled copies: it is told how many of the first columns are none."""

    def __init__(self, n_kept: int = 1) -> None:
        self.n_kept = n_kept

    def fit(self, X: Any, y: Any = None) -> WithoutShuffled:  # noqa: ARG002  (no use)
        self.n_features_in_ = np.shape(X)[1]
        return self

    def _get_support_mask(self) -> Any:
        return np.arange(self.n_features_in_) < self.n_kept


def compare_one(
    table: Table, options: argparse.Namespace, *, noise: bool
) -> list[dict[str, Any]]:
    """Return, for each learner, how it does on all and on the selected features."""
    selectors = {"all": None, "select": SieveSelector(n_jobs=1)}
    if noise:
        selectors["told"] = WithoutShuffled(table.n_columns // 2)
    classes = table.target is not None and table.target.is_nominal
    forest = RandomForestClassifier if classes else RandomForestRegressor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        comparison = featsieve.compare(
            table,
            selectors=selectors,
            estimators=[("forest", forest(options.trees, n_jobs=1)), "5-nn"],
            cv=options.folds,
            n_jobs=1,
            random_state=options.seed,
        )
    if comparison.failures:
        raise RuntimeError(str(comparison.failures[0]))
    document = comparison.to_dict()
    mean = {(row["selector"], row["estimator"]): row for row in document["table"]}
    tests = [
        test
        for test in document["tests"]
        if {test["first"], test["second"]} == {"all", "select"}
    ]
    return [
        {
            "learner": test["estimator"],
            "all": mean["all", test["estimator"]]["score"],
            "selected": mean["select", test["estimator"]]["score"],
            "n_features": table.n_columns,
            "n_kept": mean["select", test["estimator"]]["n_features"],
            "told": mean["told", test["estimator"]]["score"] if noise else None,
            "p_value": test["p_value"],
        }
        for test in tests
    ]


def verdict(row: dict[str, Any]) -> str:
    """Return the difference in words, and a star if it outlives Holm's procedure."""
    gain = row["selected"] - row["all"]
    if row["p_value"] >= LEVEL:
        if abs(gain) <= TIE:
            return "equal"
        return "better" if gain > 0 else "not worse"
    star = "*" if row["holm"] < LEVEL else ""
    return ("BETTER" if gain > 0 else "WORSE") + star


def show(rows: list[dict[str, Any]]) -> None:
    """Print a line for each table and a count of the verdicts."""
    for row, adjusted in zip(
        rows, holm_adjusted([row["p_value"] for row in rows]), strict=True
    ):
        row["holm"] = float(adjusted)
    print(f"\n{'table':26} {'features kept':>15}  {'forest: all, selected':34}5-nn")
    for noise in (False, True):
        print("with a shuffled copy of every feature" if noise else "as it is")
        chosen = [row for row in rows if row["noise"] == noise]
        for name in dict.fromkeys(row["table"] for row in chosen):
            own = {row["learner"]: row for row in chosen if row["table"] == name}
            first = own["forest"]
            kept = f"{first['n_kept']:.1f} of {first['n_features']}"
            cells = (
                f"{row['all']:.3f} {row['selected']:.3f} {verdict(row):18}"
                for row in (own[learner] for learner in LEARNERS)
            )
            print(f"  {name:24} {kept:>15}  {'  '.join(cells)}")
        for learner in LEARNERS:
            own_rows = [row for row in chosen if row["learner"] == learner]
            if own_rows:
                print(f"  {learner}: {summary(own_rows, 'selected')}")
            if own_rows and noise:
                print(f"    copies dropped: {summary(own_rows, 'told')}")
    cpu = {(row["table"], row["noise"]): row["cpu_seconds"] for row in rows}
    print("capitals: significant at 0.05 by itself; *: also by Holm over all tests")
    print(f"significantly worse: {worse(rows)}")
    print(f"{sum(cpu.values()) / 60:.1f} CPU minutes")


def worse(rows: list[dict[str, Any]]) -> str:
    """Return which cells are worse at 0.05, each by itself and by Holm's procedure."""
    cells = [
        f"{row['table']}{' + noise' * row['noise']}, {row['learner']} "
        f"(p = {row['p_value']:.3f}, Holm {row['holm']:.3f})"
        for row in rows
        if verdict(row).startswith("WORSE")
    ]
    by_chance = LEVEL / 2 * len(rows)
    return f"{'; '.join(cells) or 'none'} ({by_chance:.1f} expected by chance)"


def summary(rows: list[dict[str, Any]], which: str) -> str:
    """Return on how many tables a choice does better, the same and worse than all."""
    gains = np.array([row[which] - row["all"] for row in rows])
    equal = np.abs(gains) <= TIE
    text = (
        f"better on {np.count_nonzero((gains > 0) & ~equal)} of {len(rows)}, equal on "
        f"{np.count_nonzero(equal)}, worse on {np.count_nonzero((gains < 0) & ~equal)}"
        f" (mean {gains.mean():+.4f})"
    )
    if which != "selected":
        return text
    told = [verdict(row) for row in rows]
    return text + (
        f"; significantly better on {sum(word.startswith('BETTER') for word in told)}, "
        f"significantly worse on {sum(word.startswith('WORSE') for word in told)} "
        f"(Holm: {told.count('BETTER*')} and {told.count('WORSE*')})"
    )


def run(options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Add the tables that are not there yet; write after each of them."""
    wanted = options.tables.split(",") if options.tables else None
    done = {(row["table"], row["noise"]) for row in rows}
    for meta in sorted(options.folder.glob("*/meta.json")):
        name = meta.parent.name
        if name.startswith("_") or (wanted is not None and name not in wanted):
            continue
        plain = load(meta.parent, options.rows)
        for noise in (False, True):
            if (name, noise) in done:
                continue
            begin = time.process_time()
            table = with_noise(plain, 0) if noise else plain
            found = compare_one(table, options, noise=noise)
            seconds = time.process_time() - begin
            about = {"table": name, "noise": noise, "cpu_seconds": round(seconds, 1)}
            rows.extend({**about, **row} for row in found)
            print(f"{name}{' + noise' * noise}: {seconds:.1f} s", flush=True)
            write(options, rows)


def write(options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    if options.json is None:
        return
    document = {
        "machine": describe_machine(),
        "versions": installed_versions(),
        "folds": options.folds,
        "rows": options.rows,
        "seed": options.seed,
        "tables": rows,
    }
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(document, indent=1), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--folds", default="5x2")
    parser.add_argument("--seed", type=int, default=0, help="of the folds")
    parser.add_argument("--rows", type=int, default=2000, help="at most so many")
    parser.add_argument("--trees", type=int, default=100, help="of the forest")
    parser.add_argument("--tables", help="their names, comma-separated; else all")
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument("--resume", action="store_true", help="go on with that file")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"There is no folder {options.folder}.")
    rows: list[dict[str, Any]] = []
    if options.resume and options.json is not None and options.json.exists():
        rows = json.loads(options.json.read_text(encoding="utf-8"))["tables"]
    run(options, rows)
    show(rows)


if __name__ == "__main__":
    main()
