"""Class-feature association from many samples, of P. E. N. Lutu's thesis.

What the tables call Kendall's tau leaves ties out, so it is compared with gamma, for
columns of two values with a row added to every cell; samples are drawn without regard
to each other, and intervals ignore that they overlap.
Each printed number is of one set of ten samples, so z counts the spread between our
sets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from featsieve._types import Array, Codes, Floats, Mask, Positions
from featsieve.data import Column, ColumnKind, Table, read_table
from featsieve.data.api import Training
from featsieve.engine import derive_seed, root_seed
from featsieve.inference.api import Measuring
from featsieve.reproduce._data import DataFolder, class_codes
from featsieve.reproduce._tables import Cell, PublishedTable, Trial, Values, tables_of
from featsieve.selectors import AssociationFilter, DecisionRuleFilter
from featsieve.selectors.api import (
    Associations,
    Decision,
    SampledAssociations,
    SamplePlan,
    plan_samples,
)

SOURCE = "P. E. N. Lutu, Dataset selection for aggregate model implementation, 2010"

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
SINGLE = [(100, "30-39", "13-23"), (500, "39-47", "31-37"), (1000, "43-49", "34-41")]

# Table 5.5: share of samples of 1000 in which a rare feature varies.
PRESENCE = {
    "num_failed_logins": 0.7,
    "num_shells": 0.7,
    "num_access_files": 0.5,
    "su_attempted": 0.1,
}
SINGLE_SAMPLES = 10


def added_gamma(high: Mask, classes: Codes, added: float = 1.0) -> float:
    """Return gamma of a column of two values with each class, weighted by its share.

    Every class against the rest makes four cells, each of so many rows more. This
    reading fits the thesis best: its printed associations of columns of two values lie
    below gamma, the more so the rarer the second value is: 16 of 50 are within three
    standard errors. With a row added to each cell 47 are (`python -m
    benchmarks.published.causes`). The formula is not printed in what we have; this one
    was chosen among some fifteen by its fit to these numbers, so they are no proof.
    """
    sizes = np.bincount(classes).astype(float)
    own = np.bincount(classes, weights=high, minlength=len(sizes))
    n, n_high = len(high), float(np.count_nonzero(high))
    alike = (own + added) * (n - sizes - (n_high - own) + added)
    unlike = (n_high - own + added) * (sizes - own + added)
    return float(np.abs(alike - unlike) / (alike + unlike) @ sizes / n)


@dataclass(frozen=True, slots=True, eq=False)
class AddedRows(Measuring):
    """Measures gamma of columns of two values with added rows, all else as it is."""

    def measure(
        self, columns: list[Array], nominal: Mask, target: Array, weights: Floats | None
    ) -> Floats:
        """Return the association of each column with the target."""
        values = Measuring.measure(self, columns, nominal, target, weights)
        if self.association != "gamma":
            return values
        for j, column in enumerate(columns):
            low, high = column.min(), column.max()
            two = not nominal[j] and low < high and np.isin(column, (low, high)).all()
            if two:
                values[j] = added_gamma(column == high, target)
        return values


def association_with_class(
    table: Table, classes: Codes, n_subsamples: int, size: int, seed: int
) -> Floats:
    """Return means over samples, those that `SampledAssociations` draws."""
    measuring = AddedRows("gamma", "level", 1, 5)
    nominal = np.array([column.is_nominal for column in table], dtype=bool)
    plan = plan_samples(table.n_rows, n_subsamples, size, seed)
    found = []
    for sample in range(n_subsamples):
        rows = np.sort(plan.rows(sample))
        columns = [column.values[rows] for column in table]
        found.append(measuring.measure(columns, nominal, classes[rows], None))
    return np.mean(found, axis=0)


class RulesWithAddedRows(DecisionRuleFilter):
    """The search by rules, on associations with the class of `AddedRows`."""

    def _measure(
        self, training: Training, probes: list[Floats], seed: int
    ) -> Associations:
        associations = super()._measure(training, probes, seed)
        assert isinstance(associations, SampledAssociations)  # the search has samples
        assert self.n_subsamples is not None
        associations.with_class = association_with_class(
            training.table,
            training.target.codes,
            self.n_subsamples,
            self.sample_size,
            seed,
        )
        return associations


def load(data: DataFolder, name: str) -> Table:
    """Return a data set with the classes of the thesis."""
    return data.once(("largedata", name), lambda: _read(data, name))


def _read(data: DataFolder, name: str) -> Table:
    table = read_table(data.file(name), target="class", target_kind="nominal")
    codes = class_codes(table)
    assert table.target is not None
    labels = list(map(str, table.target.levels))
    if name == "abalone":
        rings = [float(label) for label in labels]
        labels = ["<=8" if r <= 8 else "9-10" if r <= 10 else ">=11" for r in rings]
    elif name == "kddcup99-10pct":
        group = {a: g for g, names in ATTACKS.items() for a in names.split()}
        labels = [group.get(label, label) for label in labels]
    levels, merged = np.unique(np.array(labels), return_inverse=True)
    target = Column(
        "class",
        ColumnKind.NOMINAL,
        merged.astype(np.int32)[codes],
        tuple(levels.tolist()),
    )
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


class SeparateSamples(AssociationFilter):
    """The filter with samples that are drawn one by one from all rows.

    Ours share no row while rows last: of a small table ten of them vary less than the
    samples of the thesis did, and would make its sampling error look like a difference.
    """

    positions: list[Positions]

    def _plan(self, n_rows: int, n_subsamples: int, seed: int) -> SamplePlan:
        assert len(self.positions) == n_subsamples, seed
        return SamplePlan(np.arange(n_rows), self.positions)

    def _decide_by_samples(
        self, training: Training, measuring: Measuring, seed: int
    ) -> Decision:
        return super()._decide_by_samples(training, _added(measuring), seed)

    def _decide_pooled(
        self, training: Training, measuring: Measuring, seed: int
    ) -> Decision:
        return super()._decide_pooled(training, _added(measuring), seed)


def _added(measuring: Measuring) -> AddedRows:
    values = {field.name: getattr(measuring, field.name) for field in fields(measuring)}
    return AddedRows(**values)


def fit(
    table: Table,
    association: str,
    size: int,
    seed: int,
    *,
    n_subsamples: int = 10,
    **more: Any,
) -> Any:
    """Return the filter of the thesis, fitted to samples drawn one by one."""
    n_rows, root = table.n_rows, root_seed(seed)
    size = min(size, n_rows)
    drawn = [
        plan_samples(n_rows, 1, size, derive_seed(root, "separate", k)).rows(0)
        for k in range(n_subsamples)
    ]
    rows = np.unique(np.concatenate(drawn))  # the others need not be looked at
    parameters: dict[str, Any] = {
        "rule": "t_test",
        "n_subsamples": n_subsamples,
        "sample_size": size,
        "correct_chance": False,
        "missing": "level",
        "random_state": seed,
        **({} if "rule" in more else {"correct_overlap": False}),
        **more,
    }
    selector = SeparateSamples(association, **parameters)
    selector.positions = [np.searchsorted(rows, np.sort(each)) for each in drawn]
    return selector.fit(table.take(rows), None)


def means(name: str, data: DataFolder, run: int) -> Values:
    """Return the mean association of every feature over ten samples."""
    table = load(data, name)
    found: dict[str, float] = {}
    for association in ("gamma", "pearson"):
        scores = fit(table, association, 1000, run).scores_
        for feature, score in zip(table.names, scores, strict=True):
            found[f"{feature}, {association}"] = float(score)
    return found


def _counts(name: str, size: int, data: DataFolder, run: int) -> Values:
    table = load(data, name)
    n = table.n_columns
    found = fit(with_probes(table, run), "gamma", size, run)
    values = {
        probe: float(np.all(found.interval_[:n] > found.interval_[n + k], axis=1).sum())
        for k, probe in enumerate(PROBE_NAMES)
    }
    by_pearson = fit(table, "pearson", size, run)
    values["t-test"] = float(found.support_[:n].sum())
    values["t-test, Pearson"] = float(by_pearson.support_.sum())
    return values


def _single(size: int, data: DataFolder, run: int) -> Values:
    """Return the ranges over ten single samples."""
    table = load(data, "covertype")
    n = table.n_columns
    above, passed = [], []
    for seed in range(run * SINGLE_SAMPLES, (run + 1) * SINGLE_SAMPLES):
        found = fit(
            with_probes(table, seed), "gamma", size, seed, rule="z_test", n_subsamples=1
        )
        above.append(float(np.sum(found.scores_[:n] > found.scores_[n])))
        passed.append(float(found.support_[:n].sum()))
    return {
        "probe, least": min(above),
        "probe, most": max(above),
        "test, least": min(passed),
        "test, most": max(passed),
    }


def _presence(data: DataFolder, run: int) -> Values:
    table = load(data, "kddcup99-10pct")
    found = fit(table, "gamma", 1000, run).presence_
    return {name: float(found[table.names.index(name)]) for name in PRESENCE}


def repeated(label: str, run: Any, name: str) -> Trial:
    """Return a trial of one set of ten samples of a data set."""
    return Trial(f"largedata/{label}", run, name, per_repeat=2, most=20)


def cell(  # noqa: PLR0917  (as a line of a table reads)
    row: str,
    column: str,
    value: float,
    trial: Trial,
    measure: str,
    digits: int,
    note: str = "",
) -> Cell:
    """Return a cell of one set of ten samples."""
    place = (row, column, float(value), trial, measure, digits)
    return Cell(*place, n_published=1, note=note)


def _table_5_2() -> Iterator[Cell]:
    for name, printed in (("abalone", ABALONE), ("covertype", FOREST)):
        trial = repeated(f"{name}/means", partial(means, name), name)
        for feature, (kendall, pearson) in printed.items():
            sparse = SPARSE if name == "covertype" else ""
            note = FIRST if feature == "Length" else sparse
            row = f"{name}, {feature}"
            yield cell(row, "Kendall", kendall, trial, f"{feature}, gamma", 2, note)
            note = {"Length": FIRST, "Soil_Type2": RARE}.get(feature, "")
            yield cell(row, "Pearson", pearson, trial, f"{feature}, pearson", 2, note)


def _counted() -> Iterator[tuple[tuple[Any, ...], Trial]]:
    for line in COUNTS:
        name, size = line[:2]
        label = f"{name}/counts/{size}"
        yield line, repeated(label, partial(_counts, name, size), name)


def _table_5_3() -> Iterator[Cell]:
    for (name, size, _, kendall, pearson), trial in _counted():
        row, note = f"{name}, {size}", TESTED.get(name, "")
        yield cell(row, "t-test, Kendall", kendall, trial, "t-test", 0, note)
        if pearson is not None:
            yield cell(
                row, "t-test, Pearson", pearson, trial, "t-test, Pearson", 0, note
            )


def _table_5_4() -> Iterator[Cell]:
    for size, probe, test in SINGLE:
        run = partial(_single, size)
        trial = repeated(f"covertype/single/{size}", run, "covertype")
        for what, printed in (("probe", probe), ("test", test)):
            for end, value in zip(("least", "most"), printed.split("-"), strict=True):
                column, row = f"{what}, {end}", f"samples of {size}"
                yield cell(row, column, int(value), trial, column, 0)


def _table_5_5() -> Iterator[Cell]:
    name = "kddcup99-10pct"
    trial = repeated(f"{name}/presence", _presence, name)
    for feature, share in PRESENCE.items():
        yield cell(feature, "share of samples", share, trial, feature, 1, SAMPLED)


def _table_5_6() -> Iterator[Cell]:
    for (name, size, probes, *_), trial in _counted():
        for probe, kept in zip(PROBE_NAMES, probes, strict=True):
            note = SAMPLED if name.startswith("kdd") else ""
            if (name, probe) == ("mushroom", "probe gaussian"):
                note = RANKED
            yield cell(f"{name}, {size}", f"above {probe}", kept, trial, probe, 0, note)


# What was tried is in benchmarks/published/causes.py, a part for each of these.
SPARSE = "with a row added to each cell 47 of 50 printed means are within 3 s.e."
RARE = "print has 0.09 at 500 rows; in 13 of 1,000 rows"
FIRST = (
    "equals what the class of 11 and more rings adds alone, 0.174 by gamma, 0.141 by "
    "Pearson; Diameter, almost collinear, has all three classes"
)
SAMPLED = (
    "cause not found; print has other means at 500 rows than at 1000 by up to 13 "
    "standard errors of random samples; neither all nor distinct rows give these means"
)
RANKED = (
    "21 is what a probe of 0 gives, in 20 of 20 sets; gamma goes by ranks, so this "
    "probe must do as the uniform one does"
)
TESTED = {
    "abalone": (
        "contradicts the means of table 5.2: to fail, 0.34 by Pearson needs a spread "
        "over samples of 0.27, seen 0.02, and the lowest mean by gamma one of 0.022, "
        "seen 0.013"
    ),
    "mushroom": (
        "probably a lost digit, 12: the twelfth feature has t = 3.4 against 0.1, the "
        "third 33, and 2.8 is needed"
    ),
    "kddcup99-10pct": SAMPLED,
}
KNOWN = (
    "The chapters with the formulas and with the way samples were drawn are not "
    "available; readings were chosen by fit. Of columns of two values gamma has one "
    "row added to each cell: of 50 printed means 47 are then within 3 standard errors, "
    "without it 16 (python -m benchmarks.published.causes)."
)


def tables() -> list[PublishedTable]:
    """Return the tables on samples, probes and tests."""
    listed = (
        ("5.2", "Mean association with the class, samples of 1000", _table_5_2()),
        ("5.3", "Features that a t-test keeps", _table_5_3()),
        ("5.4", "Features kept by single samples of covertype", _table_5_4()),
        ("5.5", "Samples in which rare features vary", _table_5_5()),
        ("5.6", "Features above probes", _table_5_6()),
    )
    return tables_of("largedata", SOURCE, listed, KNOWN)
