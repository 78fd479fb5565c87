"""How often the rules of AssociationFilter keep a feature that knows nothing.

Run with `python -m benchmarks.recovery.associations --journal FILE [--seeds 200]
[--parts tables,race,clusters,border] [--jobs 1]`; the same command goes on where it was
stopped. Every association, rule and kind of target; `docs/make_noise.py FILE` writes
what was found into the guide.

Rates are per feature, with a 95 % interval of Clopper and Pearson; features of one
table are not independent (they share samples and probes), so the interval counts as
many trials as would vary as much between seeds. A rate whose interval lies above the
promise is marked with "!".
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import featsieve
from benchmarks.recovery.noise_tables import (
    CONTINUOUS,
    Made,
    border_table,
    few_columns,
    make_table,
)
from featsieve._journal import Journal
from featsieve.engine import stream_tasks
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.selectors import AssociationFilter

#: Seeds in one record of the journal.
SEEDS_AT_ONCE = 20

ASSOCIATIONS = (
    "kendall",
    "gamma",
    "spearman",
    "pearson",
    "winsorised_pearson",
    "symmetrical_uncertainty",
)

LEVEL, SHARE = 0.01, 0.1
RULES: dict[str, dict[str, Any]] = {
    "t_test": {"rule": "t_test"},
    "z_test": {"rule": "z_test"},
    "probe": {"rule": "probe"},
    "fdr": {"rule": "fdr", "fdr": SHARE},
}
RACES: dict[str, dict[str, Any]] = {
    "t_test, race": {"rule": "t_test", "n_subsamples": "race"},
    "probe, race": {"rule": "probe", "n_subsamples": "race"},
}
PERMUTED = {"rule": "fdr", "fdr": SHARE, "n_permutations": 300}

# rows, sample size, shares of classes (none: a quantity)
TABLES: dict[str, tuple[int, int, tuple[float, ...]]] = {
    "4,000 rows, samples of 400, 2 classes": (4000, 400, (0.5, 0.5)),
    "4,000 rows, samples of 400, 5 classes of 60 to 2 %": (
        *(4000, 400),
        (0.6, 0.2, 0.12, 0.06, 0.02),
    ),
    "1,000 rows, samples of 500 that overlap, 3 classes": (1000, 500, (0.4, 0.3, 0.3)),
    "150 rows, samples of 75 that overlap, 2 classes": (150, 75, (0.5, 0.5)),
    "2,000 rows, samples of 200, a quantity": (2000, 200, ()),
}
#: Those that every association is tried on: two classes, several, a quantity.
MAIN = (
    "150 rows, samples of 75 that overlap, 2 classes",
    "4,000 rows, samples of 400, 5 classes of 60 to 2 %",
    "2,000 rows, samples of 200, a quantity",
)
FIVE = (0.2,) * 5
LOCAL: dict[str, Callable[[int], Made]] = {
    "noise, 2 classes": partial(make_table, 2000, (0.5, 0.5), signal=False),
    "noise, 5 classes": partial(make_table, 2000, FIVE, signal=False),
    "noise, a quantity": partial(make_table, 2000, (), signal=False),
    "5 that matter, 2 classes": partial(make_table, 2000, (0.5, 0.5)),
    "5 that matter, 5 classes": partial(make_table, 2000, FIVE),
    "5 that matter, a quantity": partial(make_table, 2000, ()),
    "1 of 3 matters, 2 classes": partial(few_columns, 3),
    "1 of 6 matters, 2 classes": partial(few_columns, 6),
}
# rows, sample size, classes (0: a quantity)
BORDERS: dict[str, tuple[int, int, int]] = {
    "4,000 rows, samples of 400, 2 classes": (4000, 400, 2),
    "150 rows, samples of 75 that overlap, 2 classes": (150, 75, 2),
    "4,000 rows, samples of 400, 3 classes": (4000, 400, 3),
    "150 rows, samples of 75 that overlap, 3 classes": (150, 75, 3),
    "4,000 rows, samples of 400, a quantity": (4000, 400, 0),
    "150 rows, samples of 75 that overlap, a quantity": (150, 75, 0),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A rule on a table, and how often it may keep noise.

    `promises` go by kind of feature; `per_fit` says that any noise at all counts.
    """

    part: str
    table: str
    association: str
    rule: str
    make: Callable[[int], Made] = field(compare=False)
    parameters: dict[str, Any]
    promises: Callable[[str], float] = field(compare=False)
    per_fit: bool = False

    @property
    def name(self) -> str:
        return "; ".join((self.part, self.table, self.association, self.rule))

    def run(self, begin: int, end: int) -> dict[str, Any]:
        """Return how many features of each kind were kept, seed by seed."""
        kept: dict[str, list[int]] = {}
        of: dict[str, int] = {}
        shares = []
        started = time.process_time()
        for seed in range(begin, end):
            table, target, kinds = self.make(seed)
            selector = AssociationFilter(
                self.association, random_state=seed, **self.parameters
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NoFeatureSelectedWarning)
                support = selector.fit(table, target).support_
            if self.per_fit:  # the rule itself is another case
                rescued = {found["feature"] for found in selector.local_}
                support = np.array([name in rescued for name in table.names])
            for kind, mask in kinds.items():
                kept.setdefault(kind, []).append(int(support[mask].sum()))
                of[kind] = int(mask.sum())
            true = kinds.get("true", np.zeros(len(support), dtype=bool))
            shares.append(float(support[~true].sum() / max(1, support.sum())))
        seconds = time.process_time() - started
        return {
            "case": self.name,
            "begin": begin,
            "end": end,
            "kept": kept,
            "of": of,
            "shares": shares,
            "seconds": seconds,
        }


def promised(rule: str, association: str, kind: str) -> float:
    """Return how often a feature that knows nothing may be kept."""
    if not rule.startswith("probe"):
        return LEVEL if "test" in rule else float("nan")
    # Two laws of ten probes each, or ten copies; see featsieve.inference._probes.
    law = kind in CONTINUOUS and (kind, association) != ("cauchy", "pearson")
    return 1 / 21 if law else 1 / 11


def cases() -> list[Case]:
    """Return all of them."""
    return [*_cases_of_tables(), *_cases_of_clusters(), *_cases_at_the_border()]


def _cases_of_tables() -> list[Case]:
    found = []

    def add(part: str, title: str, association: str, rule: str, more: Any) -> None:
        n_rows, size, shares = TABLES[title]
        # Probes promise less, and take longest.
        n_each = 1 if rule.startswith("probe") else 2
        make = partial(make_table, n_rows, shares, n_each=n_each)
        promises = partial(promised, rule, association)
        parameters = {"sample_size": size, **more}
        found.append(Case(part, title, association, rule, make, parameters, promises))

    for title in TABLES:
        for association in ASSOCIATIONS if title in MAIN else ASSOCIATIONS[:1]:
            for rule, more in RULES.items():
                add("tables", title, association, rule, more)
    add("tables", MAIN[0], "kendall", "fdr, permuted", PERMUTED)
    for rule, more in RACES.items():
        add("race", next(iter(TABLES)), "kendall", rule, more)
    for title in MAIN[
        1:
    ]:  # of so few rows as in the first there is nothing to race for
        for association in ("kendall", "pearson", "symmetrical_uncertainty"):
            for rule, more in RACES.items():
                add("race", title, association, rule, more)
    return found


def _cases_of_clusters() -> list[Case]:
    found = []
    for title, make in LOCAL.items():
        k = 2 if title.startswith("noise") else 4
        parameters = {"rule": "t_test", "sample_size": 200, "n_clusters": k}
        case = Case(
            *("clusters", title, "kendall", f"clusters={k}", make, parameters),
            *(lambda _: LEVEL, True),
        )
        found.append(case)
    return found


def _cases_at_the_border() -> list[Case]:
    found = []
    for title, (n_rows, size, n_classes) in BORDERS.items():
        for association in (*ASSOCIATIONS, "levels"):
            name, kind, row = association, "normal", title
            if association == "levels":
                name, kind, row = "kendall", "levels", f"{title}, 4 levels"
            table = partial(border_table, n_rows, n_classes, kind, name)
            rules = ["t_test", "z_test"]
            if n_rows == 4000 and name in {"kendall", "symmetrical_uncertainty"}:
                rules.append("t_test, race")
            for rule in rules:
                more = {"sample_size": size, **(RULES | RACES)[rule]}
                found.append(
                    Case("border", row, name, rule, table, more, lambda _: LEVEL)
                )
    return found


PARTS = ("tables", "race", "clusters", "border")


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something was kept, its interval, and the promise."""

    mean: float
    lower: float
    upper: float
    promise: float

    @property
    def broken(self) -> bool:
        return self.lower > self.promise

    def __str__(self) -> str:
        mark = "!" if self.broken else ""
        return f"{self.mean:.3f} ({self.lower:.3f}–{self.upper:.3f}){mark}"


def clopper_pearson(
    shares: Iterable[float], n_each: int, promise: float = float("nan")
) -> Rate:
    """Return a mean of shares and its interval, as of independent trials."""
    each = np.array(list(shares))
    mean, n = float(each.mean()), float(len(each) * n_each)
    if 0 < mean < 1:
        independent = mean * (1 - mean) / n
        seen = each.var(ddof=1) / len(each) if len(each) > 1 else 0.0
        n = min(n, n * independent / seen) if seen > 0 else n
    hits = mean * n
    lower = stats.beta.ppf(0.025, hits, n - hits + 1) if hits > 0 else 0.0
    upper = stats.beta.ppf(0.975, hits + 1, n - hits) if hits < n else 1.0
    return Rate(mean, float(lower), float(upper), promise)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a case came to."""

    case: Case
    seeds: int
    seconds: float
    rates: dict[str, Rate]
    share: Rate
    found: float

    @classmethod
    def of(cls, case: Case, records: list[dict[str, Any]]) -> Outcome:
        """Return it, from records without seeds in common."""
        ordered = sorted(records, key=lambda record: record["begin"])
        of = ordered[0]["of"]
        kept = {
            kind: np.concatenate([record["kept"][kind] for record in ordered])
            for kind in of
        }
        noise = [kind for kind in of if kind != "true"]
        rates = {
            kind: clopper_pearson(kept[kind] / of[kind], of[kind], case.promises(kind))
            for kind in noise
        }
        if case.per_fit:
            any_kept = np.sum([kept[kind] for kind in noise], axis=0) > 0
            rates = {"a fit": clopper_pearson(any_kept, 1, LEVEL)}
        shares = np.concatenate([record["shares"] for record in ordered])
        half = 1.96 * shares.std(ddof=1) / np.sqrt(len(shares))
        share = Rate(shares.mean(), shares.mean() - half, shares.mean() + half, SHARE)
        seconds = sum(record["seconds"] for record in ordered)
        found = float(np.mean(kept["true"] / of["true"])) if "true" in of else np.nan
        return cls(case, len(shares), seconds / len(shares), rates, share, found)

    def worst(self, kinds: Iterable[str] | None = None) -> Rate:
        """Return the rate of the kind that is kept most often."""
        chosen = list(self.rates) if kinds is None else kinds
        return max((self.rates[kind] for kind in chosen), key=lambda rate: rate.mean)

    @property
    def broken(self) -> bool:
        """Whether the promise of the rule is broken for some kind of noise."""
        if self.case.rule.startswith("fdr"):
            return self.share.broken
        return any(rate.broken for rate in self.rates.values())

    def tell(self) -> str:
        """Return a line."""
        case = self.case
        told = "  ".join(f"{kind} {rate}" for kind, rate in self.rates.items())
        promise = f"promise {case.promises('normal'):.3f}"
        if case.rule.startswith("probe"):
            promise = "promise 0.048 or 0.091"
        if case.rule.startswith("fdr"):
            promise = f"false share of kept {self.share}, promise {SHARE}"
        found = "" if np.isnan(self.found) else f"; found {self.found:.3f}"
        return (
            f"{case.association}, {case.rule}: {promise}{found}; {self.seconds:.3f} s"
            f"\n    {told}"
        )


def outcomes(records: Iterable[dict[str, Any]], seeds: int | None) -> list[Outcome]:
    """Return what each case came to that was run at all."""
    by_case: dict[str, dict[int, dict[str, Any]]] = {}
    for record in records:
        if seeds is None or record["end"] <= seeds:
            by_case.setdefault(record["case"], {})[record["begin"]] = record
    return [
        Outcome.of(case, list(by_case[case.name].values()))
        for case in cases()
        if case.name in by_case
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--only", default="", help="words that names must hold")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    parts = options.parts.split(",")
    wanted = [c for c in cases() if c.part in parts and options.only in c.name]
    wanted.sort(key=lambda case: parts.index(case.part))
    setup = {"work": "noise", "version": featsieve.__version__}
    with Journal(options.journal, setup) as journal:
        done = {(record["case"], record["begin"]) for record in journal.records}
        work = [
            (case, begin, min(begin + SEEDS_AT_ONCE, options.seeds))
            for case in wanted
            for begin in range(0, options.seeds, SEEDS_AT_ONCE)
            if (case.name, begin) not in done
        ]
        for _, record in stream_tasks(Case.run, work, n_jobs=options.jobs):
            journal.append(record)
        names = {case.name for case in wanted}
        records = [r for r in journal.records if r["case"] in names]
    found = outcomes(records, options.seeds)
    for part_and_table in dict.fromkeys((o.case.part, o.case.table) for o in found):
        own = [o for o in found if (o.case.part, o.case.table) == part_and_table]
        print(f"\n{': '.join(part_and_table)}; {own[0].seeds} seeds")
        for outcome in own:
            print(f"  {outcome.tell()}")
    broken = [outcome.case.name for outcome in found if outcome.broken]
    print(f"\n{len(found)} cases, {len(broken)} keep more noise than promised")
    for name in broken:
        print(f"  {name}")


if __name__ == "__main__":
    main()
