"""Choose features by asking a learner: accuracy, any score, or what boosting sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np

from featsieve._checks import (
    check_choice,
    check_function,
    check_integer,
    check_real,
    check_unused,
    warn_caller,
)
from featsieve._types import Positions
from featsieve.data.api import Training
from featsieve.engine import root_seed
from featsieve.exceptions import DataError, InterruptedSearchWarning
from featsieve.measures.api import check_rounds
from featsieve.selectors._base import BaseSelector, count_wanted
from featsieve.selectors.search._choose_criterion import (
    CRITERIA,
    choose_criterion,
    learner_rows,
    read_splits,
)
from featsieve.selectors.search._criteria import Criterion
from featsieve.selectors.search._search import (
    Moves,
    Rules,
    Search,
    Trace,
    Unit,
    find_pairs,
    fingerprint,
    read_moves,
)

DIRECTIONS = ("forward", "backward", "floating")
SCOPES = ("rounds_and_criterion", "rounds")


@dataclass(eq=False, repr=False)
class ForwardSelector(BaseSelector):
    """Add the feature that helps a learner most, as long as one does.

    Subsets are valued by the accuracy of a learner, by any scorer, or by Z, which
    boosting the learner optimises: the mean of exp(−y F(x)), small if the boosted votes
    F agree with the labels y. Without an estimator the learner is nearest neighbours of
    our own, which takes tables of any kind and needs no training: rows vote for their
    neighbours, never for themselves.

    Parameters
    ----------
    estimator : classifier or None, default=None
        None is leave-one-out nearest neighbours with ties included: squared differences
        of numbers in standard deviations, 0 or 1 for levels, 1 where a value is
        missing. A plain ``KNeighborsClassifier``, with or without a scaler before it,
        is recognised and evaluated up to a hundred times faster, with the same scores.
    scoring : str or callable, default="accuracy"
        ``"accuracy"`` (SFS), ``"boosting_z"`` (FS²Boost), ``"boosting_z_conflict"``
        (iFS²Boost: rows weigh less the more the classes of equal descriptions
        contradict each other), the name of a scikit-learn scorer, or a scorer.
    direction : {"forward", "backward", "floating"}, default="forward"
        Add features to none, take features from all, or add them and, after every
        addition, remove those whose removal gives the best subset of its size so far.
    tol : float or None, default=None
        What a feature must improve the criterion by, at least: a share of Z (None is
        0.01), or a difference of scores (None is 0: any improvement).
    n_features_to_select : int, float or None, default=None
        Choose exactly so many, or this share, whatever `tol` says.
    max_selected : int or None, default=None
        Choose at most so many.
    patience : int, default=0
        Steps without improvement before the search ends. A plateau, where two features
        help only together, is crossed with 1.
    fixed_features : sequence of str or int, default=None
        Features that are always there.
    feature_groups : sequence of sequences of str or int, default=None
        Features that come and go together; others are groups of their own.
    start : "pairs", sequence of str or int, or None, default=None
        Features to begin with; or pairs that `BIFSFilter` finds, any
        of which may be added in one step: one feature of a pure interaction tells
        nothing, so that a search by single features cannot see it.
    n_rounds : int, default=50
        Rounds of boosting at most.
    n_neighbors : int, default=3
        Neighbours that vote, if there is no estimator.
    boosting_vote : {"real", "sign"}, default="real"
        For boosting: votes from −1 to 1, for which an estimator needs
        ``predict_proba``, or −1, 0 and 1.
    conflict_scope : {"rounds_and_criterion", "rounds"}, default="rounds_and_criterion"
        For ``"boosting_z_conflict"``: whether conflicts also weigh less when subsets
        are compared.
    cv : int, splitter, iterable, "resubstitution" or None, default=None
        Rows that vote for, or train for, others. None is leave-one-out without an
        estimator, else five folds; a list of ``(train, test)`` is taken as it is;
        "resubstitution" lets rows vote for themselves.
    trace : path, dict or None, default=None
        A file in which everything evaluated is kept; if it exists, the search goes on
        from there. Or the `trace_` of an earlier search.
    progress : callable or None, default=None
        Called after every evaluation with a dict: ``n_evaluated``, ``features`` and
        ``value`` of the best subset so far, ``n_steps``.
    n_jobs : int or None, default=None
        Subsets that are evaluated at a time; any number gives the same answer.
    random_state : int, RandomState or None, default=0
        Seed of draws by weight (estimators without ``sample_weight``) and of the
        interaction scan.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        What having the feature was worth when it was last tried: the improvement of the
        criterion, more is better.
    ranking_ : ndarray of int of shape (n_features,)
        Chosen features in the order they came, then those taken away, the last one
        first, then the others by score.
    selected_ : ndarray of int
        The kept features, in the order they came.
    value_ : float
        Their criterion.
    steps_ : list of dict
        Every step: ``action`` ("add" or "remove"), ``features``, ``value``, ``subset``
        afterwards, ``accepted`` (whether the answer includes it) and ``candidates``
        with the criterion of each.
    trace_ : dict
        All subsets that were evaluated, with their values, as plain lists.
    n_subsets_evaluated_ : int
        How many subsets this `fit` evaluated.
    interrupted_ : bool
        Whether the search was ended by Ctrl-C. The answer is then the best so far.

    See Also
    --------
    featsieve.measures.boosting_z : The criterion of one subset.
    featsieve.selectors.BIFSFilter : Finds features that matter only together.

    Notes
    -----
    Cost without an estimator: n² times the subsets evaluated, and no matrix of n²
    distances: 128 KiB per job for a block of rows (a few of these when searching
    backward), and 4 bytes for every neighbour of every row. Where rows repeat, so that
    half of them or fewer differ in the features at hand, different rows are compared
    only once. Of equal features the first is taken. Where rows are equally near to a
    row, a ``KNeighborsClassifier`` chooses by the shape of its tree; such rows are left
    to that tree, which makes tables full of ties slower.

    References
    ----------
    M. Sebban, R. Nock, "Contribution of boosting in wrapper models", PKDD 1999.
    P. Pudil, J. Novovičová, J. Kittler, "Floating search methods in feature selection",
    Pattern Recognition Letters 15, 1994.

    Examples
    --------
    The class is whether the first two numbers add up to more than 0.

    >>> import numpy as np
    >>> from featsieve.selectors import ForwardSelector
    >>> X = np.random.default_rng(0).normal(size=(200, 6))
    >>> y = (X[:, 0] + X[:, 1] > 0).astype(int)
    >>> selector = ForwardSelector(scoring="boosting_z").fit(X, y)
    >>> selector.selected_
    array([0, 1])
    >>> [(step["features"], round(step["value"], 2)) for step in selector.steps_]
    [(('x0',), 0.88), (('x1',), 0.26), (('x3',), 0.35)]
    """

    estimator: Any = None
    scoring: Any = "accuracy"
    _: KW_ONLY
    direction: str = "forward"
    tol: float | None = None
    n_features_to_select: int | float | None = None
    max_selected: int | None = None
    patience: int = 0
    fixed_features: Any = None
    feature_groups: Any = None
    start: Any = None
    n_rounds: int = 50
    n_neighbors: int = 3
    boosting_vote: str = "real"
    conflict_scope: str = "rounds_and_criterion"
    cv: Any = None
    trace: Any = None
    progress: Callable[[dict[str, Any]], None] | None = None
    target_bins: int | None = None
    n_jobs: int | None = None
    random_state: Any = 0

    # Without weights, which not every learner takes.
    def fit(self, X: Any, y: Any) -> Self:  # type: ignore[override]
        """Search for the features that help most.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A frame (pandas, polars, pyarrow), an array, or anything else that
            `featsieve.data.read_table` reads from memory. An estimator gets columns of
            what was passed.
        y : array-like of shape (n_rows,)
            The class. Rows without one are left out, with a warning.
        """
        return super().fit(X, y)

    def _check_parameters(self) -> None:
        check_choice("direction", self.direction, DIRECTIONS, self)
        check_choice("conflict_scope", self.conflict_scope, SCOPES, self)
        check_rounds(self, self.n_rounds, self.n_neighbors, self.boosting_vote)
        check_integer("patience", self.patience, self, at_least=0)
        check_function("progress", self.progress, self, "one dictionary")
        if self.estimator is not None and not hasattr(self.estimator, "fit"):
            raise ValueError(
                f"The 'estimator' parameter of {type(self).__name__} must be an "
                "estimator, or None for nearest neighbours. "
                f"Got {self.estimator!r} instead."
            )
        if self.tol is not None:
            check_real("tol", self.tol, self)
        if self.max_selected is not None:
            check_integer("max_selected", self.max_selected, self, at_least=1)
        if self.start is not None and self.direction == "backward":
            raise ValueError(
                "A backward search begins with all features, and start names some. "
                "Use direction='forward' or 'floating', or leave start out."
            )
        if isinstance(self.start, str):
            check_choice("start", self.start, ("pairs",), self)
        if not callable(self.scoring) and not isinstance(self.scoring, str):
            check_choice("scoring", self.scoring, (*CRITERIA, "a scorer"), self)
        self._check_modes()

    def _check_modes(self) -> None:
        """Raise if a parameter is set that the others make idle."""
        boosts = isinstance(self.scoring, str) and self.scoring.startswith("boosting")
        scoring = f"scoring={self.scoring!r}"
        if not boosts:
            way_out = "use scoring='boosting_z'"
            check_unused(("n_rounds", "boosting_vote"), self, scoring, way_out)
        if self.scoring != "boosting_z_conflict":
            way_out = "use scoring='boosting_z_conflict'"
            check_unused(["conflict_scope"], self, scoring, way_out)
        if self.n_features_to_select is not None:
            unused = ("tol", "max_selected", "patience")
            mode, way_out = "n_features_to_select", "leave n_features_to_select out"
            check_unused(unused, self, mode, way_out)
        if self.estimator is None:
            return
        mode, way_out = "an estimator", "leave the estimator out"
        check_unused(["n_neighbors"], self, mode, way_out)
        real = boosts and self.boosting_vote == "real"
        if real and not hasattr(self.estimator, "predict_proba"):
            raise ValueError(
                "boosting_vote='real' needs predict_proba, which "
                f"{type(self.estimator).__name__} does not have. Use "
                "boosting_vote='sign', or another estimator."
            )

    def _fit(self, training: Training) -> Positions:
        rows = learner_rows(training, trained=self.estimator is not None)
        splits = read_splits(self, rows)
        seed = root_seed(self.random_state)
        criterion = choose_criterion(self, training, rows, splits, seed)
        moves = self._read_moves(training)
        rules = self._rules(training.table.n_columns, criterion, moves)
        trace = self._open_trace(training, splits, seed)

        def tell() -> None:
            if self.progress is not None:
                subset, value = _best_so_far(search, trace)
                self.progress(
                    {
                        "n_evaluated": trace.n_evaluated,
                        "features": tuple(trace.names[j] for j in subset),
                        "value": value,
                        "n_steps": len(search.steps),
                    }
                )

        def evaluate(subsets: list[Unit]) -> list[float]:
            return trace.evaluate(subsets, criterion, tell)

        search = Search(moves, rules, evaluate, criterion.nothing)
        self.interrupted_ = False
        try:
            search.run()
        except KeyboardInterrupt:
            if not trace.values:
                raise
            self.interrupted_ = True
            trace.save()
            message = (
                f"The search was interrupted after {trace.n_evaluated} subsets; the "
                "best subset so far is kept. Pass trace=selector.trace_ to go on."
            )
            warn_caller(message, InterruptedSearchWarning)
        self._conclude(search, trace, training.table.names)
        return _best_first(search, self.selected_)

    def _read_moves(self, training: Training) -> Moves:
        pairs: list[tuple[int, int]] = []
        if isinstance(self.start, str):
            pairs = find_pairs(training, self.random_state, self.n_jobs)
        return read_moves(
            training.table.names,
            feature_groups=self.feature_groups,
            fixed_features=self.fixed_features,
            start=None if isinstance(self.start, str) else self.start,
            pairs=pairs,
        )

    def _rules(self, n_features: int, criterion: Criterion, moves: Moves) -> Rules:
        rules = Rules(
            direction=self.direction,
            greater_is_better=criterion.greater_is_better,
            tolerance=(criterion.tolerance if self.tol is None else self.tol),
            relative=criterion.relative,
            slack=criterion.slack,
            n_wanted=count_wanted(self.n_features_to_select, n_features, self),
            most=self.max_selected,
            patience=self.patience,
        )
        size = moves.size([*moves.fixed, *moves.start])
        if rules.limit is not None and size > rules.limit:
            raise DataError(
                f"{size} features are fixed or to start with, and at most "
                f"{rules.limit} may be chosen. Raise n_features_to_select or "
                "max_selected, or name fewer."
            )
        return rules

    def _open_trace(self, training: Training, splits: Any, seed: int) -> Trace:
        columns = [part for c in training.table for part in (c.values, c.levels)]
        settings = [self.estimator, self.scoring, self.n_rounds, self.n_neighbors]
        settings += [self.boosting_vote, self.conflict_scope, self.cv is None, seed]
        if isinstance(self.cv, str):
            settings.append(self.cv)
        parts = [rows for split in splits or [] for rows in split]
        target = [training.target.codes, training.target.classes]
        names = training.table.names
        mark = fingerprint([names, *columns, *target, *settings, *parts])
        return Trace(mark, names, self.trace)

    def _conclude(self, search: Search, trace: Trace, names: tuple[str, ...]) -> None:
        subset, value = _best_so_far(search, trace)
        self._keep(subset)
        self.value_ = value
        self.scores_ = np.zeros(len(names))
        for unit, gain in search.gains.items():
            # A score that could not be computed is infinitely bad; scores stay finite.
            self.scores_[list(search.moves.units[unit])] = np.nan_to_num(gain)
        self.n_subsets_evaluated_ = trace.n_evaluated
        self.trace_ = trace.as_dict()

        def told(units: Any) -> tuple[str, ...]:
            return tuple(names[j] for j in search.moves.features(units))

        self.steps_ = [
            {
                "action": step["action"],
                "features": told(step["units"]),
                "value": step["value"],
                "subset": told(step["subset"]),
                "accepted": step["accepted"],
                "candidates": [
                    {"features": told(units), "value": each}
                    for units, each in step["candidates"]
                ],
            }
            for step in search.steps
        ]


def _best_so_far(search: Search, trace: Trace) -> tuple[tuple[int, ...], float]:
    """Return the accepted subset, or, before there is one, the best that was tried."""
    if search.best_value is not None:
        return search.moves.features(search.best), search.best_value
    if not trace.values:
        return (), float("nan")
    tried = list(trace.values.items())
    return tried[search.rules.first_of_best([value for _, value in tried])]


def _best_first(search: Search, selected: Positions) -> Positions:
    """Return those kept, those that went, the last first, then the others."""
    moves = search.moves
    gains = {
        feature: search.gains.get(u, -np.inf)
        for u, unit in enumerate(moves.units)
        for feature in unit
    }
    kept = selected.tolist()
    if search.rules.direction == "backward":
        fixed = set(moves.features(moves.fixed))
        kept.sort(key=lambda j: (j not in fixed, -gains[j], j))
    removed = [step for step in reversed(search.steps) if step["action"] == "remove"]
    gone = [j for step in removed for j in moves.features(step["units"])]
    others = sorted(gains, key=lambda j: (-gains[j], j))
    return np.array(list(dict.fromkeys([*kept, *gone, *others])), dtype=np.intp)
