"""Do learners lose anything when they see the selected features only?

Run with ``python -m benchmarks.recovery.real_tables [folder] [--folds 5x2]
[--rows 2000] [--tables sonar,vehicle] [--selectors select,cfs] [--learners boosting]
[--seconds 60] [--why] [--noise] [--json real.json]``; the folder holds tables with a
meta.json each (FEATSIEVE_SHARED/data, or ../shared/data). Of larger tables a sample of
rows is taken.

Selection is nested in the cross-validation: every selector sees the training rows of a
fold only, then four learners are fitted to the columns it kept and scored on the test
rows, by balanced accuracy or R². All get the same numbers: missing ones are the median
of the training rows, a nominal column is one column for each of its levels, and for
logistic regression and neighbours columns have equal spread. Peers select as in
`benchmarks.recovery.methods`. mRMR keeps as many columns as `select` did in the fold.
Where nothing is kept, the best guess without columns is scored. A selector that takes
more than ``--seconds`` of CPU time in a fold is not finished on that table.

``--why`` adds the columns back that `select` dropped, one verdict at a time, which
shows what a loss is due to. ``--noise`` puts a shuffled copy beside every column; the
selector "told" knows which are the copies.

Results are written after every selector of a table; the same command goes on with the
file, and with more tables, selectors or learners it adds to it. ``--print-only`` prints
what the file has. Folds are drawn by ``--seed``: what is tuned is tuned on others.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import balanced_accuracy_score, r2_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import featsieve
from benchmarks._machine import describe_machine, installed_versions
from benchmarks.recovery import methods
from benchmarks.recovery.real_summary import NOT_FINISHED, Cell, show
from featsieve.data import Table, read_table
from featsieve.data.api import MatrixEncoder
from featsieve.evaluation import repeated_folds
from featsieve.selectors import CFSFilter, MRMRFilter

#: The target is a number of rings.
QUANTITIES = ("abalone",)
#: Of the rows of a file whose training part is larger than a sample.
SAMPLE_SEED = 0


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
        frame = frame.sample(n_rows, random_state=SAMPLE_SEED)
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
            name=f"{SHUFFLED}{column.name}",
        )
        for column in table
    ]
    return Table((*table, *copies), table.target)


SHUFFLED = "shuffled "


@dataclass(frozen=True, slots=True)
class Fold:
    """The training rows of a fold, and what `select` kept of it, if it was asked."""

    train: Table
    seed: int
    selected: Cell | None

    @property
    def verdicts(self) -> dict[str, str]:
        """What `select` said of every column."""
        if self.selected is None or "verdicts" not in self.selected:
            raise ValueError("select must have finished on this fold before")
        return self.selected["verdicts"]


Found = tuple[list[str], dict[str, Any]]
Selector = Callable[[Fold], Found]


def _select(fold: Fold) -> Found:
    selection = featsieve.select(
        fold.train, random_state=fold.seed, n_jobs=1, verbose=False
    )
    verdicts = {row["feature"]: row["verdict"] for row in selection.to_dict()["ledger"]}
    return selection.features, {"verdicts": verdicts}


def _estimator(build: Callable[..., Any], **settings: Any) -> Selector:
    """Return a selector of ours that needs classes."""

    def run(fold: Fold) -> Found:
        assert fold.train.target is not None
        bins = None if fold.train.target.is_nominal else 5
        selector = build(target_bins=bins, **settings).fit(fold.train, None)
        return selector.get_feature_names_out().tolist(), {}

    return run


def _same_number(fold: Fold) -> Found:
    if fold.selected is None or fold.selected["kept"] is None:
        raise ValueError("select must have finished on this fold before")
    n_kept = len(fold.selected["kept"])
    if not n_kept:
        return [], {}
    return _estimator(MRMRFilter, n_features_to_select=n_kept)(fold)


def _peer(method: methods.Method) -> Selector:
    def run(fold: Fold) -> Found:
        problem: Any = SimpleNamespace(table=fold.train, options={})
        return method(problem, fold.seed), {}

    return run


def _adding(*verdicts: str) -> Selector:
    """Return `select` without these verdicts: their columns are kept as well."""

    def run(fold: Fold) -> Found:
        said = fold.verdicts
        assert fold.selected is not None
        kept = {name for name, verdict in said.items() if verdict in verdicts}
        return [name for name in said if name in kept | set(fold.selected["kept"])], {}

    return run


SELECTORS: dict[str, Selector] = {
    "all": lambda fold: (list(fold.train.names), {}),
    "select": _select,
    "CFS": _estimator(CFSFilter),
    "mRMR": _same_number,
    "L1": _peer(methods.l1_model),
    "SelectFdr": _peer(methods.f_test),
    "RFECV": _peer(methods.rfecv),
    "Boruta": _peer(methods.boruta),
}
#: What `select` dropped is kept, one reason at a time.
REASONS: dict[str, Selector] = {
    "+ redundant": _adding("redundant"),
    "+ not told apart": _adding("not told apart"),
    "+ possible": _adding("possible"),
    "+ irrelevant": _adding("irrelevant", "unusable"),
}
TOLD: dict[str, Selector] = {
    "told": lambda fold: (
        [name for name in fold.train.names if not name.startswith(SHUFFLED)],
        {},
    )
}
ANY_SELECTOR = SELECTORS | REASONS | TOLD

#: Names of learners, and what builds them from a seed, for classes and for quantities.
LEARNERS: dict[str, tuple[Callable[[int], Any], Callable[[int], Any]]] = {
    "logistic": (
        lambda _: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        lambda _: make_pipeline(StandardScaler(), Ridge()),
    ),
    "boosting": (
        lambda seed: HistGradientBoostingClassifier(random_state=seed),
        lambda seed: HistGradientBoostingRegressor(random_state=seed),
    ),
    "forest": (
        lambda seed: RandomForestClassifier(100, n_jobs=1, random_state=seed),
        lambda seed: RandomForestRegressor(100, n_jobs=1, random_state=seed),
    ),
    "5-nn": (
        lambda _: make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
        lambda _: make_pipeline(StandardScaler(), KNeighborsRegressor(5)),
    ),
}


class OutOfTimeError(BaseException):
    """Is no Exception, so that nobody takes it for a failure of a part."""


@contextlib.contextmanager
def cpu_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTimeError once so much CPU time is used, as the next line begins."""

    def stop(*_: Any) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run_selector(name: str, fold: Fold, seconds: float) -> Cell:
    """Return what a selector kept, how long it took, or why it kept nothing."""
    begin = time.process_time()
    cell: Cell = {"kept": None, "error": None, "scores": {}}
    try:
        with cpu_limit(seconds):
            kept, more = ANY_SELECTOR[name](fold)
            # In one order for all, which learners that draw columns depend on.
            cell["kept"] = [name for name in fold.train.names if name in set(kept)]
            cell |= more
    except OutOfTimeError:
        cell["error"] = NOT_FINISHED
    except Exception as error:
        cell["error"] = f"{type(error).__name__}: {error}"
    cell["seconds"] = round(time.process_time() - begin, 3)
    return cell


def score(learner: str, train: Table, test: Table, kept: list[str], seed: int) -> float:
    """Return the score on test rows of a learner that saw some columns only."""
    assert train.target is not None
    assert test.target is not None
    classes = train.target.is_nominal
    y, y_test = train.target.values, test.target.values
    if kept:
        model = LEARNERS[learner][0 if classes else 1](seed)
        encoder = MatrixEncoder(one_hot=True).fit(train.select(kept))
        X = encoder.transform(train.select(kept))
        X_test = encoder.transform(test.select(kept))
    else:
        model = DummyClassifier() if classes else DummyRegressor()
        X, X_test = np.zeros((len(y), 1)), np.zeros((len(y_test), 1))
    said = model.fit(X, y).predict(X_test)
    value = balanced_accuracy_score if classes else r2_score
    return round(float(value(y_test, said)), 6)


class Record:
    """The cells of a run, kept in a file."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._path: Path | None = options.json
        self._setup = {"folds": options.folds, "rows": options.rows}
        self._setup |= {"seed": options.seed, "seconds": options.seconds}
        self.tables: dict[str, Any] = {}
        self.cells: list[Cell] = []
        if self._path is None or not self._path.exists():
            return
        document = json.loads(self._path.read_text(encoding="utf-8"))
        if document["setup"] != self._setup:
            message = (
                f"{self._path} was made with {document['setup']}, not {self._setup}. "
                "Choose another file."
            )
            raise SystemExit(message)
        self.tables, self.cells = document["tables"], document["cells"]

    def find(self, table: str, selector: str, fold: int) -> Cell | None:
        place = (table, selector, fold)
        for cell in self.cells:
            if (cell["table"], cell["selector"], cell["fold"]) == place:
                return cell
        return None

    def score_of(
        self, table: str, fold: int, kept: list[str], learner: str
    ) -> float | None:
        """Return the score of any selector that kept the same columns."""
        for cell in self.cells:
            same = (cell["table"], cell["fold"], cell["kept"]) == (table, fold, kept)
            if same and learner in cell["scores"]:
                return cell["scores"][learner]
        return None

    def write(self) -> None:
        if self._path is None:
            return
        document = {
            "machine": describe_machine(),
            "versions": installed_versions(),
            "setup": self._setup,
            "tables": self.tables,
            "cells": self.cells,
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(document), encoding="utf-8")


def fold_counts(text: str) -> tuple[int, int]:
    folds, _, times = text.partition("x")
    return int(folds), int(times or 1)


def run_table(
    name: str, table: Table, record: Record, options: argparse.Namespace
) -> None:
    """Add what is not there yet; write after every selector."""
    target = table.target
    assert target is not None
    splits = repeated_folds(
        target.values,
        *fold_counts(options.folds),
        stratified=target.is_nominal,
        random_state=options.seed,
    )
    train_rows, test_rows = map(len, splits[0])
    record.tables[name] = {
        "n_rows": table.n_rows,
        "n_features": table.n_columns,
        "n_splits": len(splits),
        "test_ratio": test_rows / train_rows,
    }
    for selector in options.selectors:
        begin = time.process_time()
        for fold, (train, test) in enumerate(splits):
            cell = record.find(name, selector, fold)
            if cell is None:
                before = record.find(name, "select", fold)
                seen = Fold(table.take(train), options.seed + fold, before)
                cell = run_selector(selector, seen, options.seconds)
                cell |= {"table": name, "selector": selector, "fold": fold}
                record.cells.append(cell)
            if cell["kept"] is None:
                break  # the other folds would say the same
            for learner in options.learners:
                if learner not in cell["scores"]:
                    known = record.score_of(name, fold, cell["kept"], learner)
                    cell["scores"][learner] = (
                        score(
                            learner,
                            table.take(train),
                            table.take(test),
                            cell["kept"],
                            options.seed + fold,
                        )
                        if known is None
                        else known
                    )
        seconds = time.process_time() - begin
        if seconds > 0.1:
            print(f"{name}, {selector}: {seconds:.1f} s", flush=True)
        record.write()


def run(options: argparse.Namespace, record: Record) -> None:
    """Run the tables from the least to the largest."""
    tables = []
    for meta in options.folder.glob("*/meta.json"):
        name = meta.parent.name
        asked = options.tables is None or name in options.tables
        if asked and not name.startswith("_"):
            tables.append((name, load(meta.parent, options.rows)))
    tables.sort(key=lambda each: (each[1].n_rows * each[1].n_columns, each[0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, table in tables:
            run_table(name, table, record, options)
            if options.noise:
                noisy = with_noise(table, SAMPLE_SEED)
                run_table(f"{name} + noise", noisy, record, options)


def _names(known: dict[str, Any]) -> Callable[[str], list[str]]:
    def check(text: str) -> list[str]:
        names = text.split(",")
        if unknown := [name for name in names if name not in known]:
            message = f"{unknown[0]!r} is not one of {', '.join(known)}"
            raise argparse.ArgumentTypeError(message)
        return names

    return check


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=default_folder())
    parser.add_argument("--folds", default="5x2")
    parser.add_argument("--seed", type=int, default=0, help="of the folds")
    parser.add_argument("--rows", type=int, default=2000, help="at most so many")
    parser.add_argument("--tables", type=lambda text: text.split(","), help="names")
    parser.add_argument(
        "--selectors", type=_names(ANY_SELECTOR), default=list(SELECTORS)
    )
    parser.add_argument("--learners", type=_names(LEARNERS), default=list(LEARNERS))
    parser.add_argument("--seconds", type=float, default=60, help="for a selection")
    parser.add_argument("--why", action="store_true", help="add back what was dropped")
    parser.add_argument("--noise", action="store_true", help="beside shuffled copies")
    parser.add_argument("--json", type=Path, help="where results are kept")
    parser.add_argument("--print-only", action="store_true")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"There is no folder {options.folder}.")
    options.selectors += [*(REASONS if options.why else ())]
    options.selectors += [*(TOLD if options.noise else ())]
    record = Record(options)
    if not options.print_only:
        run(options, record)
    show(record.tables, record.cells, options.selectors, options.learners)


if __name__ == "__main__":
    main()
