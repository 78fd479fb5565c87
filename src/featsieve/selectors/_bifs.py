"""Select features by the interactions they take part in (BIFS)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from featsieve._checks import (
    check_choice,
    check_flag,
    check_integer,
    check_real,
    check_unused,
    warn_caller,
)
from featsieve._types import Array
from featsieve.data.api import Training
from featsieve.engine import derive_seed, root_seed
from featsieve.exceptions import WeakEvidenceWarning
from featsieve.inference.api import (
    BINS_WITHOUT_CUT,
    CodedColumns,
    Exchange,
    FoundPairs,
    FoundTriples,
    ScanInput,
    Scoring,
    TupleGains,
    code_columns,
    exchange_of,
    find_pairs,
    find_triples,
    permutation_test,
    tally_rows,
)
from featsieve.measures import entropy, pairwise_gain_blocks
from featsieve.selectors._base import RowOptionsSelector
from featsieve.selectors.interactions._groups import (
    SLACK,
    Group,
    describe_groups,
    eliminate,
    eliminate_by_test,
    group_features,
    rank_groups,
)


@dataclass(eq=False, repr=False)
class BIFSFilter(RowOptionsSelector):
    """Keep features that matter together, and name the interactions.

    Two features interact if together they tell more about the class than the sum of
    what each tells alone: IG(i & j) − IG(i) − IG(j) > `min_synergy` (α in the thesis).
    Maximal sets of features every two of which interact (cliques) are the groups; a
    feature without interaction is a group of one. Groups are then dropped from the
    weakest gain per feature on, as long as the remaining features lose at most
    `max_loss` (β) of their joint gain.

    With ``min_synergy="auto"`` an interaction must stand out from scans of permuted
    classes at the false discovery rate `fdr`, and triples are scanned as well, since a
    pure interaction of three shows in no pair. With ``max_loss="auto"`` a group must
    have shown itself at that rate, alone or by its interactions, and tell something
    that the remaining groups do not, by an exact conditional permutation test.

    Parameters
    ----------
    min_synergy : float or "auto", default="auto"
        Least synergy, in bits, of an interaction; a number gives the published method.
    max_loss : float or "auto", default="auto"
        Largest loss, in bits, at which a group may go.
    max_degree : int or None, default=None
        Largest group; larger cliques are replaced by all their parts of this size.
        Below 3, triples are not scanned.
    missing : {"level", "ignore"}, default="level"
        Whether missing values are a level of their own, or rows with a missing value
        of the set at hand are left out.
    elimination : {"stop", "full", "budget"}, default="stop"
        With a number for `max_loss`: end at the first group that is needed (as
        published), try all groups, or try all while the total loss stays within it.
    verify : bool, default=True
        Say of each group whether it tells more than its best split into parts, with a
        permutation p-value, or is a chain of smaller ones.
    fdr : float, default=0.05
        Error rate of the automatic choices: half of it goes to single features, half
        to interactions.
    discretizer : discretizer or None, default=None
        How numeric features are cut. None is MDL, and four bins of equal frequency
        where MDL finds no cut, since a feature that says nothing alone may still
        interact.
    max_groups : int, default=10000
        Beyond this many cliques, which noise can make at a low `min_synergy`, that is
        raised to the least value that makes no more, with a warning. There may always
        be as many as features.
    max_triples : int, default=100000
        Up to this many triples are scanned exhaustively; beyond, triples are grown
        from the most promising pairs.
    random_state : int, RandomState or None, default=0
        Seed of the permutations.

    Attributes
    ----------
    interactions_ : list of Interaction
        Groups of two or more features, strongest gain per feature first.
    groups_ : list of dict
        All groups, single features among them, strongest gain per feature first:
        ``members``, ``joint_gain``, ``gain_per_feature``, ``kept``.
    pairs_ : dict of ndarray
        The best pairs by evidence: ``first``, ``second``, ``joint_gain``, ``synergy``
        and ``is_interaction``; with ``min_synergy="auto"`` also ``p_value`` and
        ``q_value``.
    redundant_pairs_ : dict of ndarray
        Pairs of most negative synergy, which tell the same: ``first``, ``second``,
        ``synergy``, ``joint_gain``. Features that look like row IDs are left out.
    gains_ : ndarray of shape (n_features,)
        What each feature tells alone, in bits.
    target_entropy_ : float
        What there is to tell: bits of the class.
    graph_ : dict of list
        Neighbours of each feature in the interaction graph, by name.
    min_synergy_ : float
        The least synergy among the interactions found, or `min_synergy` as used.
    detectable_synergy_ : float
        With ``min_synergy="auto"``: the least synergy of a typical pair that would have
        been found.
    scores_ : ndarray of shape (n_features,)
        The greatest gain per feature of the groups a feature is in.
    steps_ : list of dict
        Groups in the order they were tried, with loss, p-value and whether kept.
    discretizer_ : discretizer
        The fitted discretizer.

    See Also
    --------
    featsieve.measures.pairwise_gain : The scan alone.
    MeasureFilter : Features one by one.

    Notes
    -----
    Cost: a scan of all pairs, p² n bit operations, 20 times (400 on few features) with
    permuted classes if ``min_synergy="auto"``. Ties: lowest index. The published tables
    of zoo and soybean come from a program that joined pairs without testing them; true
    cliques, as here, are fewer.

    References
    ----------
    The BIFS thesis, definitions 3 to 7 and figure 4.1. A. Jakulin, I. Bratko, "Testing
    the significance of attribute interactions", ICML 2004.

    Examples
    --------
    An exclusive or, which every ranking misses:

    >>> from featsieve.datasets import make_parity
    >>> from featsieve.selectors import BIFSFilter
    >>> table, truth = make_parity(400, n_bits=2, n_noise=8, random_state=0)
    >>> selector = BIFSFilter().fit(table, None)
    >>> selector.get_feature_names_out().tolist() == list(truth.relevant)
    True
    >>> [interaction.members for interaction in selector.interactions_]
    [('x1', 'x2')]
    """

    min_synergy: float | str = "auto"
    max_loss: float | str = "auto"
    _: KW_ONLY
    max_degree: int | None = None
    missing: str = "level"
    elimination: str = "stop"
    verify: bool = True
    fdr: float = 0.05
    discretizer: Any = None
    target_bins: int | None = None
    max_groups: int = 10_000
    max_triples: int = 100_000
    n_jobs: int | None = None
    random_state: Any = 0

    def _check_parameters(self) -> None:
        for name in ("min_synergy", "max_loss"):
            value = getattr(self, name)
            if isinstance(value, str):
                check_choice(name, value, ("auto",), self)
            else:
                check_real(name, value, self)
        if self.max_degree is not None:
            check_integer("max_degree", self.max_degree, self, at_least=1)
        check_choice("missing", self.missing, ("level", "ignore"), self)
        modes = ("stop", "full", "budget")
        check_choice("elimination", self.elimination, modes, self)
        check_real("fdr", self.fdr, self, above=0, below=1)
        check_flag("verify", self.verify, self)
        check_integer("max_groups", self.max_groups, self, at_least=1)
        check_integer("max_triples", self.max_triples, self, at_least=0)
        self._check_modes()

    def _check_modes(self) -> None:
        """Raise if a parameter is set that the others make idle."""
        tested = "use min_synergy='auto'"
        if self.min_synergy != "auto":
            check_unused(["max_triples"], self, "a number for min_synergy", tested)
        elif (self.max_degree or 3) < 3:
            way_out = "allow a max_degree of 3 or more"
            check_unused(["max_triples"], self, "max_degree below 3", way_out)
        if self.max_loss == "auto":
            way_out = "give max_loss a number"
            check_unused(["elimination"], self, "max_loss='auto'", way_out)
        elif self.min_synergy != "auto":
            mode = "numbers for min_synergy and max_loss"
            check_unused(["fdr"], self, mode, "use 'auto' for one of them")

    def _fit(self, training: Training) -> None:
        seed = root_seed(self.random_state)
        columns, self.discretizer_, price = code_columns(
            training, self.discretizer, bins_without_cut=BINS_WITHOUT_CUT
        )
        exchange = exchange_of(training.design)
        data = _in_canonical_order(columns, self.missing, self.n_jobs, exchange)
        self.target_entropy_ = float(entropy(data.classes, weights=data.weights))
        gains = TupleGains(data.codes, data.classes, data.missing, data.weights)
        self.gains_ = np.array([gains((j,)) for j in range(data.n_features)])
        edges, p_values = self._find_edges(data, seed)
        members, raised = group_features(
            data.n_features, edges, most=self.max_groups, max_degree=self.max_degree
        )
        if raised is not None:
            edges = [edge for edge in edges if edge[2] >= raised]
            self._say_raised(raised)
        if self.max_loss == "auto":
            members = self._drop_unproven(members, columns, price, seed, exchange)
        groups = rank_groups(members, gains)
        if self.max_loss == "auto":
            kept, steps = eliminate_by_test(
                groups, gains, self.fdr, seed, data.exchange
            )
        else:
            kept, steps = eliminate(
                groups, gains, float(self.max_loss), self.elimination
            )
        names = training.table.names
        self._tell(names, edges, groups, kept, steps)
        self.interactions_ = describe_groups(
            *(groups, kept, gains, names, p_values),
            verify=self.verify,
            seed=seed,
            exchange=data.exchange,
        )

    def _find_edges(
        self, data: ScanInput, seed: int
    ) -> tuple[list[tuple[int, int, float]], dict[tuple[int, ...], float]]:
        """Return the edges of the graph, and p-values of tuples that were tested."""
        self.redundant_pairs_ = _most_redundant(data)
        if self.min_synergy != "auto":
            min_synergy = float(self.min_synergy)
            self.min_synergy_ = min_synergy
            self.pairs_ = _pairs_above(data, min_synergy + SLACK)
            columns = ("first", "second", "synergy")
            rows = zip(*(self.pairs_[c].tolist() for c in columns), strict=True)
            return list(rows), {}
        triples_too = (
            self.max_triples > 0 and (self.max_degree or 3) >= 3 and data.n_features > 2
        )
        level = self.fdr / 4 if triples_too else self.fdr / 2
        pairs = find_pairs(data, fdr=level, seed=seed)
        triples = None
        if triples_too:
            triples = find_triples(
                data, pairs, fdr=level, seed=seed, most=self.max_triples
            )
        self._tell_evidence(data, pairs)
        return _edges_of(pairs, triples)

    def _tell_evidence(self, data: ScanInput, pairs: FoundPairs) -> None:
        self.detectable_synergy_ = pairs.detectable
        found = pairs.synergy[pairs.significant]
        self.min_synergy_ = float(found.min()) if len(found) else pairs.detectable
        self.pairs_ = {
            "first": pairs.first,
            "second": pairs.second,
            "joint_gain": pairs.joint_gain,
            "synergy": pairs.synergy,
            "is_interaction": pairs.significant,
            "p_value": pairs.p_value,
            "q_value": pairs.q_value,
        }
        most = self.target_entropy_
        if data.n_features > 1 and pairs.detectable > most / 2 and most > 0:
            found_from = (
                f"an interaction of two features is found from {pairs.detectable:.2g} "
                f"of {most:.2g} possible bits on"
                if pairs.detectable < most
                else "no interaction of two features could stand out from chance"
            )
            message = (
                f"{len(data.classes)} rows cannot show much: {found_from}. More rows "
                "or fewer features help; a number for `min_synergy` gives the "
                "published method, without this protection."
            )
            warn_caller(message, WeakEvidenceWarning)

    def _say_raised(self, raised: float) -> None:
        self.min_synergy_ = raised
        message = (
            f"min_synergy={self.min_synergy} makes more than max_groups="
            f"{self.max_groups} groups, most of them by chance; min_synergy="
            f"{raised:.6g} is used. Raise `min_synergy`, or say min_synergy='auto'."
        )
        warn_caller(message, WeakEvidenceWarning)

    def _drop_unproven(
        self,
        members: list[tuple[int, ...]],
        columns: CodedColumns,
        price: Any,
        seed: int,
        exchange: Exchange,
    ) -> list[tuple[int, ...]]:
        """Leave out single features that do not stand out from chance."""
        scoring = Scoring("information_gain", self.missing, price)
        features = tally_rows(columns)
        test = permutation_test(
            features,
            scoring.scores(features.tallies),
            scoring,
            alpha=self.fdr / 2,
            seed=derive_seed(seed, "singles"),
            n_jobs=self.n_jobs,
            exchange=exchange,
        )
        proven = test.q_values <= self.fdr / 2
        return [m for m in members if len(m) > 1 or proven[m[0]]]

    def _tell(
        self,
        names: tuple[str, ...],
        edges: list[tuple[int, int, float]],
        groups: list[Group],
        kept: list[bool],
        steps: list[dict[str, Any]],
    ) -> None:
        self.scores_ = np.zeros(len(names))
        self.support_ = np.zeros(len(names), dtype=bool)
        for group, stays in zip(groups, kept, strict=True):
            for feature in group.members:
                better = max(self.scores_[feature], group.gain_per_feature)
                self.scores_[feature] = better
                self.support_[feature] |= stays
        self.groups_ = [
            {
                "members": tuple(names[feature] for feature in group.members),
                "joint_gain": group.joint_gain,
                "gain_per_feature": group.gain_per_feature,
                "kept": stays,
            }
            for group, stays in reversed(list(zip(groups, kept, strict=True)))
        ]
        self.graph_: dict[str, list[str]] = {name: [] for name in names}
        for i, j, _ in sorted(edges):
            self.graph_[names[i]].append(names[j])
            self.graph_[names[j]].append(names[i])
        for step in steps:
            for key in ("group", "given"):
                if key in step:
                    step[key] = tuple(names[feature] for feature in step[key])
        self.steps_ = steps


def _in_canonical_order(
    columns: CodedColumns, missing: str, n_jobs: int | None, exchange: Exchange
) -> ScanInput:
    """Sort the rows by their content, so that their order does not touch the seeds."""
    hashes = columns.classes.astype(np.uint64)
    with np.errstate(over="ignore"):
        for j in range(columns.codes.shape[1]):
            hashes = hashes * np.uint64(0x9E3779B97F4A7C15) + columns.codes[
                :, j
            ].astype(np.int64).astype(np.uint64)
            hashes ^= hashes >> np.uint64(29)
    order = np.argsort(hashes, kind="stable")
    codes = np.asfortranarray(columns.codes[order])
    weights = None if columns.weights is None else columns.weights[order]
    own = exchange.take(order)
    return ScanInput(codes, columns.classes[order], weights, missing, n_jobs, own)


def _pairs_above(data: ScanInput, min_synergy: float) -> dict[str, Array]:
    """Return all pairs with a synergy above `min_synergy`, greatest first."""
    found: dict[str, list[Array]] = {
        name: [] for name in ("first", "second", "joint_gain", "synergy")
    }
    for block in pairwise_gain_blocks(data.codes, data.classes, **data.settings):
        chosen = block.synergy > min_synergy
        for name, parts in found.items():
            parts.append(getattr(block, name)[chosen])
    pairs = {
        name: np.concatenate(parts) if parts else np.empty(0)
        for name, parts in found.items()
    }
    order = np.lexsort((pairs["second"], pairs["first"], -pairs["synergy"]))
    pairs = {name: values[order] for name, values in pairs.items()}
    pairs["is_interaction"] = np.ones(len(order), dtype=bool)
    return pairs


def _most_redundant(data: ScanInput, keep: int = 100) -> dict[str, Array]:
    """Return the pairs of most negative synergy: they tell the same.

    Features with a level for every other row are left out, as they "tell" all there is
    to know by naming rows.
    """
    best: list[tuple[float, int, int, float]] = []
    names_rows = data.levels_present() > len(data.classes) / 2
    for block in pairwise_gain_blocks(data.codes, data.classes, **data.settings):
        naming = names_rows[block.first] | names_rows[block.second]
        low = np.flatnonzero((block.synergy < -SLACK) & ~naming)
        if len(low) > keep:
            low = low[np.argpartition(block.synergy[low], keep)[:keep]]
        columns = (block.synergy, block.first, block.second, block.joint_gain)
        best.extend(zip(*(c[low].tolist() for c in columns), strict=True))
        best = sorted(best)[:keep]
    return {
        "first": np.array([i for _, i, _, _ in best], dtype=np.int32),
        "second": np.array([j for _, _, j, _ in best], dtype=np.int32),
        "synergy": np.array([s for s, _, _, _ in best], dtype=np.float64),
        "joint_gain": np.array([g for _, _, _, g in best], dtype=np.float64),
    }


def _edges_of(
    pairs: FoundPairs, triples: FoundTriples | None
) -> tuple[list[tuple[int, int, float]], dict[tuple[int, ...], float]]:
    """Return edges of significant pairs and triples, and the p-values of both."""
    edges: dict[tuple[int, int], float] = {}
    p_values: dict[tuple[int, ...], float] = {}
    for k in np.flatnonzero(pairs.significant):
        pair = (int(pairs.first[k]), int(pairs.second[k]))
        edges[pair] = float(pairs.synergy[k])
        p_values[pair] = float(pairs.p_value[k])
    if triples is not None:
        for k in np.flatnonzero(triples.significant):
            a, b, c = (int(feature) for feature in triples.members[k])
            p_values[a, b, c] = float(triples.p_value[k])
            for pair in ((a, b), (a, c), (b, c)):
                edges.setdefault(pair, float(triples.synergy[k]))
    return [(i, j, s) for (i, j), s in sorted(edges.items())], p_values
