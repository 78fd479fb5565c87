"""Select features by the interactions they take part in (BIFS)."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve._checks import check_choice, check_flag, check_integer, check_real
from featsieve.engine import derive_seed, root_seed
from featsieve.exceptions import WeakEvidenceWarning
from featsieve.filters._base import BaseFilter, Training
from featsieve.filters._bifs_search import (
    SLACK,
    Group,
    eliminate,
    eliminate_by_test,
    group_features,
    rank_groups,
)
from featsieve.filters._coding import check_discretizer, code_columns
from featsieve.filters._interaction import describe_groups
from featsieve.filters._pair_scan import FoundPairs, ScanInput, find_pairs
from featsieve.filters._significance import CodedColumns, Scoring, permutation_test
from featsieve.filters._triple_scan import FoundTriples, find_triples
from featsieve.filters._tuple_gains import TupleGains
from featsieve.measures import pairwise_gain_blocks

__all__ = ["BIFSFilter"]

#: Bins of numeric features that MDL does not cut. Four: enough to see a pattern that
#: neither margin shows, few enough that pairs have sixteen well-filled cells.
BINS_WITHOUT_CUT = 4


class BIFSFilter(BaseFilter):
    """Keep features that matter together, and name the interactions.

    Two features interact if together they tell more about the class than the sum of
    what each tells alone: IG(i & j) − IG(i) − IG(j) > α. Maximal sets of features every
    two of which interact (cliques) are the groups; a feature without interaction is a
    group of one. Groups are then dropped from the weakest gain per feature on, as long
    as the remaining features lose at most β of their joint gain.

    With ``alpha="auto"`` an interaction must stand out from scans of permuted classes
    at the false discovery rate `fdr`, and triples are scanned as well, since a pure
    interaction of three shows in no pair. With ``beta="auto"`` a group must have shown
    itself at that rate, alone or by its interactions, and tell something that the
    remaining groups do not, by an exact conditional permutation test.

    Parameters
    ----------
    alpha : float or "auto", default="auto"
        Least synergy, in bits, of an interaction; a number gives the published method.
    beta : float or "auto", default="auto"
        Largest loss, in bits, at which a group may go.
    max_degree : int or None, default=None
        Largest group; larger cliques are replaced by all their parts of this size.
        Below 3, triples are not scanned.
    missing : {"level", "ignore"}, default="level"
        Whether missing values are a level of their own, or rows with a missing value
        of the set at hand are left out.
    elimination : {"stop", "full", "budget"}, default="stop"
        With a number for `beta`: end at the first group that is needed (as published),
        try all groups, or try all while the total loss stays within `beta`.
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
    nominal, numeric : sequence of str or int, "all" or None, default=None
        Columns whose kind is not the one of their type.
    target_bins : int or None, default=None
        Cut a numeric target into so many classes of about equal size.
    max_groups : int, default=10000
        Beyond this many cliques, which noise can make at a low `alpha`, `alpha` is
        raised to the least value that makes no more, with a warning.
    max_triples : int, default=100000
        Up to this many triples are scanned exhaustively; beyond, triples are grown
        from the most promising pairs.
    n_jobs : int or None, default=None
        Threads; any number gives the same answer.
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
        and ``is_interaction``; with ``alpha="auto"`` also ``p_value``, ``q_value``.
    redundant_pairs_ : dict of ndarray
        Pairs of most negative synergy, which tell the same: ``first``, ``second``,
        ``synergy``. Features that look like row IDs are left out.
    gains_ : ndarray of shape (n_features,)
        What each feature tells alone, in bits.
    graph_ : dict of list
        Neighbours of each feature in the interaction graph, by name.
    alpha_ : float
        The least synergy among the interactions found, or `alpha` as used.
    detectable_synergy_ : float
        With ``alpha="auto"``: the least synergy of a typical pair that would have been
        found.
    scores_ : ndarray of shape (n_features,)
        The greatest gain per feature of the groups a feature is in.
    ranking_, support_ : ndarray of shape (n_features,)
        Rank by score; which features are kept.
    steps_ : list of dict
        Groups in the order they were tried, with loss, p-value and whether kept.
    discretizer_ : discretizer
        The fitted discretizer.
    classes_ : ndarray
        The classes.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : ndarray of str
        Their names, when all are strings.

    See Also
    --------
    featsieve.measures.pairwise_gain : The scan alone.
    InformationGainFilter : Features one by one.

    Notes
    -----
    Cost: a scan of all pairs, p² n bit operations, 20 times (400 on few features) with
    permuted classes if ``alpha="auto"``. Ties: lowest index. The published tables of
    zoo and soybean come from a program that joined pairs without testing them; true
    cliques, as here, are fewer.

    References
    ----------
    The BIFS thesis, definitions 3 to 7 and figure 4.1. A. Jakulin, I. Bratko, "Testing
    the significance of attribute interactions", ICML 2004.

    Examples
    --------
    An exclusive or, which every ranking misses:

    >>> from featsieve.datasets import make_parity
    >>> from featsieve.filters import BIFSFilter
    >>> table, truth = make_parity(400, n_bits=2, n_noise=8, random_state=0)
    >>> selector = BIFSFilter().fit(table, None)
    >>> selector.get_feature_names_out().tolist() == list(truth.relevant)
    True
    >>> [interaction.members for interaction in selector.interactions_]
    [('x1', 'x2')]
    """

    def __init__(
        self,
        alpha: float | str = "auto",
        beta: float | str = "auto",
        *,
        max_degree: int | None = None,
        missing: str = "level",
        elimination: str = "stop",
        verify: bool = True,
        fdr: float = 0.05,
        discretizer: Any = None,
        nominal: Any = None,
        numeric: Any = None,
        target_bins: int | None = None,
        max_groups: int = 10_000,
        max_triples: int = 100_000,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.alpha = alpha
        self.beta = beta
        self.max_degree = max_degree
        self.missing = missing
        self.elimination = elimination
        self.verify = verify
        self.fdr = fdr
        self.discretizer = discretizer
        self.nominal = nominal
        self.numeric = numeric
        self.target_bins = target_bins
        self.max_groups = max_groups
        self.max_triples = max_triples
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _check_parameters(self) -> None:
        for name in ("alpha", "beta"):
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
        if self.target_bins is not None:
            check_integer("target_bins", self.target_bins, self, at_least=2)
        check_flag("verify", self.verify, self)
        check_integer("max_groups", self.max_groups, self, at_least=1)
        check_integer("max_triples", self.max_triples, self, at_least=0)
        check_discretizer(self.discretizer, self)

    def _fit(self, training: Training) -> None:
        seed = root_seed(self.random_state)
        columns, self.discretizer_, price = code_columns(
            training, self.discretizer, bins_without_cut=BINS_WITHOUT_CUT
        )
        data = _in_canonical_order(columns, self.missing, self.n_jobs)
        gains = TupleGains(data.codes, data.classes, data.missing, data.weights)
        self.gains_ = np.array([gains((j,)) for j in range(data.n_features)])
        edges, p_values = self._find_edges(data, seed)
        members, raised = group_features(
            data.n_features, edges, most=self.max_groups, max_degree=self.max_degree
        )
        if raised is not None:
            edges = [edge for edge in edges if edge[2] >= raised]
            self._say_raised(raised)
        if self.beta == "auto":
            members = self._drop_unproven(members, columns, price, seed)
        groups = rank_groups(members, gains)
        if self.beta == "auto":
            kept, steps = eliminate_by_test(groups, gains, self.fdr, seed)
        else:
            kept, steps = eliminate(groups, gains, float(self.beta), self.elimination)
        names = training.table.names
        self._tell(names, edges, groups, kept, steps)
        self.interactions_ = describe_groups(
            groups, kept, gains, names, p_values, verify=self.verify, seed=seed
        )

    def _find_edges(
        self, data: ScanInput, seed: int
    ) -> tuple[list[tuple[int, int, float]], dict[tuple[int, ...], float]]:
        """Return the edges of the graph, and p-values of tuples that were tested."""
        self.redundant_pairs_ = _most_redundant(data)
        if self.alpha != "auto":
            alpha = float(self.alpha)
            self.alpha_ = alpha
            self.pairs_ = _pairs_above(data, alpha + SLACK)
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
        self.alpha_ = float(found.min()) if len(found) else pairs.detectable
        self.pairs_ = {
            "first": pairs.first,
            "second": pairs.second,
            "joint_gain": pairs.joint_gain,
            "synergy": pairs.synergy,
            "is_interaction": pairs.significant,
            "p_value": pairs.p_value,
            "q_value": pairs.q_value,
        }
        counts = np.bincount(data.classes, weights=data.weights)
        shares = counts[counts > 0] / counts.sum()
        most = float(-(shares * np.log2(shares)).sum())
        if data.n_features > 1 and pairs.detectable > most / 2 and most > 0:
            found_from = (
                f"an interaction of two features is found from {pairs.detectable:.2g} "
                f"of {most:.2g} possible bits on"
                if pairs.detectable < most
                else "no interaction of two features could stand out from chance"
            )
            message = (
                f"{len(data.classes)} rows cannot show much: {found_from}. More rows "
                "or fewer features help; a number for `alpha` gives the published "
                "method, without this protection."
            )
            # Whoever called fit is four calls up: past _find_edges, _fit and fit.
            warnings.warn(message, WeakEvidenceWarning, stacklevel=5)

    def _say_raised(self, raised: float) -> None:
        self.alpha_ = raised
        message = (
            f"alpha={self.alpha} makes more than max_groups={self.max_groups} groups, "
            f"most of them by chance; alpha={raised:.6g} is used. Raise `alpha`, or "
            "say alpha='auto'."
        )
        warnings.warn(message, WeakEvidenceWarning, stacklevel=4)

    def _drop_unproven(
        self,
        members: list[tuple[int, ...]],
        columns: CodedColumns,
        price: Any,
        seed: int,
    ) -> list[tuple[int, ...]]:
        """Leave out single features that do not stand out from chance."""
        scoring = Scoring("information_gain", self.missing, price)
        scores = scoring.scores(columns.codes, columns.classes, columns.weights)
        test = permutation_test(
            columns,
            scores,
            scoring,
            alpha=self.fdr / 2,
            seed=derive_seed(seed, "singles"),
            n_jobs=self.n_jobs,
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
    columns: CodedColumns, missing: str, n_jobs: int | None
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
    return ScanInput(codes, columns.classes[order], weights, missing, n_jobs)


def _pairs_above(data: ScanInput, alpha: float) -> dict[str, NDArray[Any]]:
    """Return all pairs with a synergy above `alpha`, greatest first."""
    found: dict[str, list[NDArray[Any]]] = {
        name: [] for name in ("first", "second", "joint_gain", "synergy")
    }
    for block in pairwise_gain_blocks(
        data.codes,
        data.classes,
        missing=data.missing,
        weights=data.weights,
        n_jobs=data.n_jobs,
    ):
        chosen = block.synergy > alpha
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


def _most_redundant(data: ScanInput, keep: int = 100) -> dict[str, NDArray[Any]]:
    """Return the pairs of most negative synergy: they tell the same.

    Features with a level for every other row are left out, as they "tell" all there is
    to know by naming rows.
    """
    best: list[tuple[float, int, int]] = []
    names_rows = data.levels_present() > len(data.classes) / 2
    for block in pairwise_gain_blocks(
        data.codes,
        data.classes,
        missing=data.missing,
        weights=data.weights,
        n_jobs=data.n_jobs,
    ):
        naming = names_rows[block.first] | names_rows[block.second]
        low = np.flatnonzero((block.synergy < -SLACK) & ~naming)
        if len(low) > keep:
            low = low[np.argpartition(block.synergy[low], keep)[:keep]]
        columns = (block.synergy[low], block.first[low], block.second[low])
        best.extend(zip(*(c.tolist() for c in columns), strict=True))
        best = sorted(best)[:keep]
    return {
        "first": np.array([i for _, i, _ in best], dtype=np.int32),
        "second": np.array([j for _, _, j in best], dtype=np.int32),
        "synergy": np.array([s for s, _, _ in best], dtype=np.float64),
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
