"""Features that are predictive only in a part of the rows, or only for one class."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from featsieve._kernels import RankedColumn
from featsieve.data import Column, Table
from featsieve.engine import run_tasks
from featsieve.filters._association_tests import (
    independence_p_value,
    merge_rare_levels,
)
from featsieve.measures import (
    PairAssociations,
    contingency_table,
    kendall_tau,
    spearman_correlation,
)
from featsieve.measures._concordance import concordance_by_class
from featsieve.measures._parts import plug_in

__all__ = [
    "LocalFinding",
    "cluster_rows",
    "find_local",
    "find_rescued",
    "local_record",
    "tell_place",
]

#: A class and its rest must both have so many rows in a cluster to be compared there.
LEAST_ROWS = 20

#: Numbers beyond so many standard deviations would make clusters of their own.
FARTHEST = 3.0

#: More levels than this say little about which rows are alike.
MOST_LEVELS = 50

#: Features so strongly associated with another stand for it when rows are clustered.
ALIKE = 0.5

#: Cluster (None: all rows), position of the class, effect, p-value.
Cell = tuple[int | None, int | None, float, float]


@dataclass(frozen=True, slots=True)
class LocalFinding:
    """The strongest evidence for one feature.

    `cluster` is None for all rows; `position` is that of the class, None for a
    quantity. `effect` is |C - D| over the pairs of a member and another row for a
    numeric feature, the share of the class's entropy that is explained for a nominal
    one, and |tau-b| for a quantity. `p_value` is adjusted for all comparisons.
    """

    feature: int
    cluster: int | None
    position: int | None
    effect: float
    p_value: float


def cluster_rows(table: Table, n_clusters: int, seed: int) -> NDArray[np.int32]:
    """Return the cluster of each row, by k-means of the encoded columns."""
    parts = [_encode(column) for column in table]
    points = np.concatenate(parts, axis=1)
    if points.shape[1] == 0:
        return np.zeros(table.n_rows, dtype=np.int32)
    wanted = min(n_clusters, len(np.unique(points, axis=0)))
    # One thread: sums then have one order, and threads that wait for each other cost
    # more than they add on a busy machine (20 times, measured).
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(wanted, n_init=4, random_state=seed % 2**32).fit(points)
    labels: NDArray[np.int32] = model.labels_
    return labels


def _encode(column: Column) -> NDArray[np.float64]:
    """Return a column as coordinates: one standard deviation, or two levels, apart."""
    if column.is_nominal:
        if column.n_levels > MOST_LEVELS:
            return np.empty((len(column.values), 0))
        levels = np.arange(column.n_levels)
        same = column.values[:, np.newaxis] == levels
        coordinates: NDArray[np.float64] = same / np.sqrt(2)
        return coordinates
    values = column.values.copy()
    known = np.isfinite(values)
    spread = values[known].std() if known.any() else 0.0
    if not spread > 0 or not np.isfinite(spread):
        return np.empty((len(values), 0))
    scaled = (values - values[known].mean()) / spread
    scaled = np.clip(np.where(np.isnan(scaled), 0.0, scaled), -FARTHEST, FARTHEST)
    return scaled[:, np.newaxis]


def find_local(
    table: Table,
    target: NDArray[Any],
    clusters: NDArray[np.int32],
    *,
    n_jobs: int | None,
) -> list[LocalFinding | None]:
    """Return the strongest local evidence for each feature, if there is any.

    Every feature is compared with each class against the rest, in all rows and in each
    cluster; p-values are adjusted for all these comparisons by Holm's procedure.
    """
    return _strongest(_compare(table, target, clusters, n_jobs))


def _compare(
    table: Table,
    target: NDArray[Any],
    clusters: NDArray[np.int32],
    n_jobs: int | None,
) -> list[list[Cell]]:
    """Return all comparisons of each feature."""
    places: list[tuple[int | None, NDArray[np.intp]]] = [
        (None, np.arange(table.n_rows, dtype=np.intp))
    ]
    places += [(int(g), np.flatnonzero(clusters == g)) for g in np.unique(clusters)]

    def look(position: int) -> list[Cell]:
        column = table.columns[position]
        found: list[Cell] = []
        for cluster, rows in places:
            part, other = column.take(rows), target[rows]
            if other.dtype == np.float64:
                found += [(cluster, None, *_with_quantity(part, other))]
            else:
                found += [(cluster, *each) for each in _with_classes(part, other)]
        return found

    tasks = [(j,) for j in range(table.n_columns)]
    return run_tasks(look, tasks, n_jobs=n_jobs, shared_memory=True)


def _strongest(cells: list[list[Cell]]) -> list[LocalFinding | None]:
    p_values = [cell[3] for each in cells for cell in each]
    adjusted = iter(_holm(np.array(p_values, dtype=np.float64)))
    findings: list[LocalFinding | None] = []
    for j, each in enumerate(cells):
        best: LocalFinding | None = None
        for cluster, position, effect, _ in each:
            finding = LocalFinding(j, cluster, position, effect, next(adjusted))
            if best is None or (finding.p_value, -finding.effect) < (
                best.p_value,
                -best.effect,
            ):
                best = finding
        findings.append(best)
    return findings


def find_rescued(
    table: Table,
    target: NDArray[Any],
    candidates: NDArray[np.bool_],
    *,
    n_clusters: int,
    seed: int,
    practical: float,
    significance: float,
    n_jobs: int | None,
) -> list[tuple[LocalFinding, NDArray[np.int32]]]:
    """Return candidates that are predictive somewhere, and the clusters of the rows.

    A cluster cut through a feature that matters and one that does not makes the two go
    together inside, and noise look predictive there. Hence what is found in a cluster
    must be found again in clusters made without the feature and those that go with it:
    in these a feature that is independent of all the others and of the class stays so.
    """
    labels = cluster_rows(table, n_clusters, seed)
    cells = _compare(table, target, labels, n_jobs)
    n_comparisons = sum(len(each) for each in cells)
    alike: PairAssociations | None = None
    rescued = []

    def passes(finding: LocalFinding) -> bool:
        return finding.p_value <= significance and finding.effect >= practical

    for finding in _strongest(cells):
        if finding is None or not candidates[finding.feature] or not passes(finding):
            continue
        if finding.cluster is None or n_clusters == 1:
            rescued.append((finding, labels))
            continue
        if alike is None:
            nominal = np.array([column.is_nominal for column in table])
            alike = PairAssociations([c.values for c in table], nominal=nominal)
        j = finding.feature
        apart = alike.row(j) < ALIKE
        apart[j] = False
        others = Table(tuple(table.columns[i] for i in np.flatnonzero(apart)))
        own = _own_clusters(others, table.n_rows, n_clusters, seed)
        again = _compare(Table((table.columns[j],)), target, own, None)[0]
        cluster, position, effect, p_value = min(again, key=lambda c: (c[3], -c[2]))
        p_value = min(1.0, p_value * n_comparisons)
        second = LocalFinding(j, cluster, position, effect, p_value)
        if passes(second):
            rescued.append((second, own))
    return rescued


def _own_clusters(
    others: Table, n_rows: int, n_clusters: int, seed: int
) -> NDArray[np.int32]:
    if others.n_columns == 0:
        return np.zeros(n_rows, dtype=np.int32)
    return cluster_rows(others, n_clusters, seed)


def _holm(p_values: NDArray[np.float64]) -> list[float]:
    """Return p-values adjusted for their number."""
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty(len(p_values))
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(steps))
    return [float(p) for p in adjusted]


def _with_classes(
    column: Column, classes: NDArray[np.int32]
) -> list[tuple[int, float, float]]:
    """Return class, effect and p-value of each class that can be compared."""
    known = ~column.missing
    values, classes = column.values[known], np.ascontiguousarray(classes[known])
    sizes = np.bincount(classes)
    enough = (sizes >= LEAST_ROWS) & (len(classes) - sizes >= LEAST_ROWS)
    some = np.flatnonzero(enough)
    if len(some) == 2 == np.count_nonzero(sizes):
        some = some[:1]  # two classes: the second says the same as the first
    if len(some) == 0:
        return []
    if column.is_nominal:
        return [(int(c), *_test_levels(values, classes == c)) for c in some]
    ranked = RankedColumn(np.ascontiguousarray(values))
    counts = concordance_by_class(ranked, classes, len(sizes))
    ranks = ranked.mid_ranks()
    centred = ranks - ranks.mean()
    n = len(ranks)
    square = float(centred @ centred) / (n * (n - 1))
    found = []
    for c in some.tolist():
        pairs = float(sizes[c]) * float(n - sizes[c])
        surplus = float(counts.concordant[c] - counts.discordant[c])
        # Mann and Whitney's U is (surplus + pairs) / 2; its variance under
        # independence is pairs times the mean square of the ranks.
        deviation = 2 * np.sqrt(pairs * square)
        p_value = 2 * stats.norm.sf(abs(surplus) / deviation) if deviation > 0 else 1.0
        found.append((c, abs(surplus) / pairs, float(p_value)))
    return found


def _test_levels(
    codes: NDArray[np.int32], member: NDArray[np.bool_]
) -> tuple[float, float]:
    """Return the share of the class's entropy that is explained, and its p-value."""
    table = contingency_table(codes, member.astype(np.int32), missing="ignore")
    table = merge_rare_levels(table)
    own = plug_in(table.sum(axis=0))
    if len(table) < 2 or own == 0:
        return 0.0, 1.0
    bits = max(0.0, own + plug_in(table.sum(axis=1)) - plug_in(table.ravel()))
    return min(1.0, bits / own), independence_p_value(table)


def _with_quantity(column: Column, target: NDArray[np.float64]) -> tuple[float, float]:
    """Return effect and p-value of a column with a numeric target."""
    known = ~column.missing
    values, y = column.values[known], target[known]
    if len(y) < LEAST_ROWS or y.min() == y.max():
        return 0.0, 1.0
    if column.is_nominal:
        above = y > np.median(y)
        return _test_levels(values, above)
    # Spearman's test is as good, and the same in every SciPy.
    rho = float(spearman_correlation(values, y))
    if abs(rho) == 1:
        return 1.0, 0.0
    ratio = abs(rho) * np.sqrt((len(y) - 2) / (1 - rho**2))
    p_value = 2 * stats.t.sf(ratio, len(y) - 2)
    return abs(float(kendall_tau(values, y))), float(p_value)


def local_record(
    finding: LocalFinding,
    names: tuple[str, ...],
    classes: NDArray[Any],
    labels: NDArray[np.int32],
) -> dict[str, Any]:
    """Return a finding with the names of its feature and class."""
    cluster, position = finding.cluster, finding.position
    n_rows = len(labels) if cluster is None else int(np.sum(labels == cluster))
    return {
        "feature": names[finding.feature],
        "cluster": cluster,
        "n_rows": n_rows,
        "class": None if position is None else classes[position],
        "effect": finding.effect,
        "p_value": finding.p_value,
    }


def tell_place(record: dict[str, Any]) -> str:
    """Say in words where a feature is predictive."""
    where = "all rows"
    if record["cluster"] is not None:
        where = f"cluster {record['cluster']} ({record['n_rows']} rows)"
    what = "" if record["class"] is None else f" for class {record['class']!r}"
    return (
        f"effect {record['effect']:.3f}{what} in {where}, adjusted p "
        f"{record['p_value']:.2g}"
    )
