"""Features that are predictive only in a part of the rows, or only for one class."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import stats
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from featsieve._kernels import RankedColumn
from featsieve._types import Array, Codes, Floats, Mask, Positions
from featsieve.data import Column, Table
from featsieve.engine import run_tasks
from featsieve.evaluation import holm_adjusted
from featsieve.inference.api import associate, correlation_p_value, merge_rare_levels
from featsieve.measures import (
    PairAssociations,
    contingency_table,
    kendall_tau,
    spearman_correlation,
)
from featsieve.measures.api import concordance_by_class, plug_in

#: A class and its rest must both have so many rows in a cluster to be compared there.
LEAST_ROWS = 20

#: Numbers beyond so many standard deviations would make clusters of their own.
FARTHEST = 3.0

#: More levels than this say little about which rows are alike.
MOST_LEVELS = 50

#: Features so strongly associated with another stand for it when rows are clustered.
ALIKE = 0.5


#: Position of a class, or None; effect; p-value.
Answer = tuple[int | None, float, float]


class LocalFinding(NamedTuple):
    """Evidence for one feature in all rows (`cluster` is None) or in some.

    `position` is that of the class, None for a quantity. `effect` is |C - D| over the
    pairs of a member and another row for a numeric feature, the share of the class's
    entropy that is explained for a nominal one, and |tau-b| for a quantity.
    """

    feature: int
    cluster: int | None
    position: int | None
    effect: float
    p_value: float

    @property
    def strength(self) -> tuple[float, float]:
        """Small for strong evidence."""
        return self.p_value, -self.effect


def cluster_rows(table: Table, n_clusters: int, seed: int) -> Codes:
    """Return the cluster of each row, by k-means of the encoded columns."""
    parts = [_encode(column) for column in table]
    points = np.concatenate([np.empty((table.n_rows, 0)), *parts], axis=1)
    if points.shape[1] == 0:
        return np.zeros(table.n_rows, dtype=np.int32)
    wanted = min(n_clusters, len(np.unique(points, axis=0)))
    # One thread: sums then have one order, and threads that wait for each other cost
    # more than they add on a busy machine (20 times, measured).
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = KMeans(wanted, n_init=4, random_state=seed % 2**32).fit(points)
    return model.labels_


def _encode(column: Column) -> Floats:
    """Return a column as coordinates: one standard deviation, or two levels, apart."""
    if column.is_nominal:
        if column.n_levels > MOST_LEVELS:
            return np.empty((len(column.values), 0))
        levels = np.arange(column.n_levels)
        same = column.values[:, np.newaxis] == levels
        return same / np.sqrt(2)
    values = column.values.copy()
    known = np.isfinite(values)
    spread = values[known].std() if known.any() else 0.0
    if not spread > 0 or not np.isfinite(spread):
        return np.empty((len(values), 0))
    scaled = (values - values[known].mean()) / spread
    scaled = np.clip(np.where(np.isnan(scaled), 0.0, scaled), -FARTHEST, FARTHEST)
    return scaled[:, np.newaxis]


def compare(
    table: Table, target: Array, clusters: Codes, n_jobs: int | None
) -> list[list[LocalFinding]]:
    """Compare each feature with each class, in all rows and in each cluster."""
    places: list[tuple[int | None, Positions]] = [
        (None, np.arange(table.n_rows, dtype=np.intp))
    ]
    places += [(int(g), np.flatnonzero(clusters == g)) for g in np.unique(clusters)]

    def look(j: int) -> list[LocalFinding]:
        found: list[LocalFinding] = []
        for cluster, rows in places:
            part, other = table.columns[j].take(rows), target[rows]
            if other.dtype == np.float64:
                answers: list[Answer] = [(None, *_with_quantity(part, other))]
            else:
                answers = _with_classes(part, other)
            found += [LocalFinding(j, cluster, *answer) for answer in answers]
        return found

    tasks = [(j,) for j in range(table.n_columns)]
    return run_tasks(look, tasks, n_jobs=n_jobs, shared_memory=True)


def strongest(found: list[list[LocalFinding]]) -> list[LocalFinding | None]:
    """Return the strongest evidence for each feature, adjusted for all (Holm)."""
    p_values = [each.p_value for own in found for each in own]
    adjusted = iter(holm_adjusted(p_values).tolist())
    return [
        min(
            (each._replace(p_value=next(adjusted)) for each in own),
            key=lambda each: each.strength,
            default=None,
        )
        for own in found
    ]


def find_rescued(
    table: Table,
    target: Array,
    candidates: Mask,
    *,
    n_clusters: int,
    seed: int,
    practical: float,
    significance: float,
    n_jobs: int | None,
) -> list[tuple[LocalFinding, Codes]]:
    """Return candidates that are predictive somewhere, and the clusters of the rows.

    A cluster cut through a feature that matters and one that does not makes the two go
    together inside, and noise look predictive there. Hence what is found in a cluster
    must be found again in clusters made without the feature and those that go with it:
    in these a feature that is independent of all the others and of the class stays so.
    """
    labels = cluster_rows(table, n_clusters, seed)
    found = compare(table, target, labels, n_jobs)
    n_comparisons = sum(map(len, found))
    alike: PairAssociations | None = None
    rescued = []

    def passes(finding: LocalFinding) -> bool:
        return finding.p_value <= significance and finding.effect >= practical

    for finding in strongest(found):
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
        kept = tuple(table.columns[i] for i in np.flatnonzero(apart))
        own = cluster_rows(Table(kept, n_rows=table.n_rows), n_clusters, seed)
        again = compare(Table((table.columns[j],)), target, own, None)[0]
        second = min(again, key=lambda each: each.strength)
        p_value = min(1.0, second.p_value * n_comparisons)
        second = second._replace(feature=j, p_value=p_value)
        if passes(second):
            rescued.append((second, own))
    return rescued


def _with_classes(column: Column, classes: Codes) -> list[Answer]:
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
    found: list[Answer] = []
    for c in some.tolist():
        pairs = float(sizes[c]) * float(n - sizes[c])
        surplus = float(counts.concordant[c] - counts.discordant[c])
        # Mann and Whitney's U is (surplus + pairs) / 2; its variance under
        # independence is pairs times the mean square of the ranks.
        deviation = 2 * np.sqrt(pairs * square)
        p_value = 2 * stats.norm.sf(abs(surplus) / deviation) if deviation > 0 else 1.0
        found.append((c, abs(surplus) / pairs, float(p_value)))
    return found


def _test_levels(codes: Codes, member: Mask) -> tuple[float, float]:
    """Return the share of the class's entropy that is explained, and its p-value."""
    table = contingency_table(codes, member.astype(np.int32), missing="ignore")
    table = merge_rare_levels(table)
    own = plug_in(table.sum(axis=0))
    if len(table) < 2 or own == 0:
        return 0.0, 1.0
    bits = max(0.0, own + plug_in(table.sum(axis=1)) - plug_in(table.ravel()))
    return min(1.0, bits / own), associate(table).p_value


def _with_quantity(column: Column, target: Floats) -> tuple[float, float]:
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
    return abs(float(kendall_tau(values, y))), correlation_p_value(rho, len(y))


def local_record(
    finding: LocalFinding, names: tuple[str, ...], classes: Array, labels: Codes
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
