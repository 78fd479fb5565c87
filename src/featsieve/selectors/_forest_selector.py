"""Which features a random forest gains by, and whether chance would have too."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from featsieve._checks import (
    check_choice,
    check_flag,
    check_integer,
    check_real,
    check_unused,
)
from featsieve._types import Floats, Mask
from featsieve.data import Table
from featsieve.data.api import Training
from featsieve.engine import derive_seed, root_seed
from featsieve.exceptions import DataError
from featsieve.inference.api import (
    ShadowTest,
    benjamini_hochberg,
    exchange_of,
    expected_gain,
    feature_shapes,
    join_shadow_tests,
    mean_excess,
    shadow_test,
    t_test,
)
from featsieve.selectors._base import RowOptionsSelector
from featsieve.selectors._forest_data import (
    ForestData,
    deal_halves,
    likeness,
    order_data,
)
from featsieve.trees.api import (
    FAILED_DRAWS,
    TreeKind,
    check_chances,
    count_drawn,
    count_orders,
    grow_shadow_forest,
    grow_tried_forest,
    learn_chances,
    out_of_bag_error,
)

TESTS = ("calibrated", "t", "threshold")
POWERS = {True: 1.0, False: 0.0, "sqrt": 0.5}
#: Shadows of each feature, and of all together at the least.
LEAST_SHADOWS = 5
LEAST_SHADOWS_IN_ALL = 100
#: Trees if nothing else is said: so many per feature, within these bounds.
TREES_PER_FEATURE = 2
LEAST_TREES, MOST_TREES = 300, 3000
#: Trees of few rows are cheap, and few rows need them: as many as hold so many rows in
#: all, up to a thousand.
ROWS_IN_ALL, ENOUGH_TREES = 1_000_000, 1000
#: Trees on either half of the rows, of few features: so many draw each often enough.
LEARNT_TREES = 50
#: Learning takes an effort of 1 with so many trees, more with more, and at most.
TREES_PER_EFFORT, MOST_EFFORT = 200, 5.0
#: The rate or level if nothing else is said.
USUAL_LEVEL = 0.05
#: Levels of the path (thesis, table 8.7).
LEVELS = (0.05, 0.025, 0.01, 1e-3, 1e-4, 1e-6, 1e-9)


@dataclass(eq=False, repr=False)
class ForestSelector(RowOptionsSelector):
    """Keep the features by which the trees of a random forest gain more than chance.

    Trees draw features at random, so each is tried at many nodes, by itself and behind
    others: what matters only together is found too.

    ``test="calibrated"`` holds what a feature gains where it was drawn against what its
    shadows would have gained there. Shadows are copies of the feature with the rows
    permuted, fixed for the whole forest and never split on: same values, same ties,
    same gaps, no relation to the target. Nodes below a split on the same feature, or on
    one that tells much of it, do not count: what the feature could gain is gained there
    already. The mean gains, weighed by the complexity of nodes, are compared, and what
    shadows do in place of their feature says what chance does.

    ``test="t"`` and ``test="threshold"`` are published tests of the gains against a
    formula for the gain of an irrelevant feature. They take nodes for independent
    samples, which they are not: on pure noise they keep more the more trees there are,
    and they under-rate features of few values. They are here for comparison.

    Parameters
    ----------
    test : {"calibrated", "t", "threshold"}, default="calibrated"
        What gains are held against: shadows, or the published formula, by a one-sided
        t-test (RF HT) or by the mean alone (RF Thr).
    fdr : float, "oob" or None, default=None
        False discovery rate: at most this share of the kept features is expected to be
        noise (Benjamini and Hochberg). ``"oob"`` takes the level of the path from 0.05
        to 1e-9 at which a forest of the kept features has the least out-of-bag error.
        None is 0.05 with ``test="calibrated"`` unless `alpha` is given.
    alpha : float, "oob" or None, default=None
        Level at which each feature is tested by itself, as published, in place of
        `fdr`. None is 0.05 with ``test="t"`` unless `fdr` is given.
    n_estimators : int or None, default=None
        Trees; None is two per feature, at least 300 and at most 3000, and with
        ``test="calibrated"`` at least 1000 up to 1000 rows, a million over the number
        of rows beyond.
    node_complexity : bool or "sqrt", default=True
        Weigh what is gained at a node by the node's complexity in bits, by its square
        root, or not at all. Small nodes, deep in the trees, weigh more with the root.
    max_features : "auto", int, float, "sqrt", "log2" or None, default="auto"
        Features drawn per node, of which the one that is furthest ahead of its shadows
        is split on. ``"auto"`` grows two kinds of trees for ``test="calibrated"`` and
        adds up what they find: `n_estimators` of one feature per node, with the root of
        the complexity, which reach features that matter only together, and some of the
        square root of the number of features, which see where features matter behind
        others. For the published tests it is 1.
    n_shadows : int or None, default=None
        Shadows per feature, at least 2; None is 5, and more for less than 20 features.
    learn_chances : bool, default=True
        With ``test="calibrated"``, also learn on one half of the rows which features to
        draw and test them on the other half, and the other way round; so partners that
        matter only together are found among hundreds of other columns. From 100 rows
        on.
    n_thresholds : int or None, default=None
        Try only so many equally spaced thresholds per feature and node in the published
        tests, as their program seems to have done (77); None tries all.
    failed_draw : {"redraw", "leaf"}, default="redraw"
        When the drawn feature is constant in a node, in the published tests: draw
        another, or stop there, as their program seems to have done.
    feature_weights : array-like of shape (n_features,) or None, default=None
        Chance of each feature to be drawn; 0 is never drawn, nor kept. Features that
        are known to matter, given more weight, let others show what they do behind
        them.
    random_state : int, RandomState or None, default=0
        Seed of bags, draws and shadows.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        How far a feature is ahead of its shadows, in standard deviations of what chance
        does; in the published tests its mean gain above the formula, in bits.
    p_values_ : ndarray of shape (n_features,)
        How often chance alone would be as far ahead; not with ``test="threshold"``.
    q_values_ : ndarray of shape (n_features,)
        The same for the whole selection, by Benjamini and Hochberg.
    level_ : float
        The rate or level in the end; not with ``test="threshold"``.
    path_ : list of dict
        For levels from 0.05 to 1e-9: ``level``, ``n_features`` kept, and, where it was
        chosen by ``"oob"``, the ``oob_error``. Not with ``test="threshold"``.
    steps_ : list of dict
        Features from the greatest score to the least, with what was found.

    See Also
    --------
    MDLTreeSelector : Keeps what a single tree uses, or could use.
    featsieve.selectors.BIFSFilter : Searches pairs and triples one by one.
    featsieve.report.level_path_plot : Draws `path_`.

    Notes
    -----
    Cost per tree and level of (1 + n_shadows) sorted columns of the bag. A quantity is
    replaced by its ranks, and gains by shares of variance; the published tests need
    classes. Rows are drawn into bags by `sample_weight`, and each occurs in a bag once:
    a row of weight two is not two rows. Cases whose value is missing follow the
    heaviest branch. The order of rows does not matter, nor that of columns but for
    copies of one another.

    A column that differs in every row, nominal, tells nothing and is never kept.

    References
    ----------
    Ensemble algorithms and feature selection, 2007, sections 7.3 and 8.2 (algorithm 4,
    tables 8.5 to 8.7) for the published tests.

    Examples
    --------
    The class is the exclusive or of two bits, among six bits of noise.

    >>> from featsieve.datasets import make_parity
    >>> from featsieve.selectors import ForestSelector
    >>> table, truth = make_parity(400, n_bits=2, n_noise=6, random_state=0)
    >>> selector = ForestSelector().fit(table, None)
    >>> selector.get_feature_names_out().tolist()
    ['x1', 'x2']
    """

    _takes_quantities = True
    _collapses = True
    _keeps_classes = False

    test: str = "calibrated"
    _: KW_ONLY
    fdr: float | str | None = None
    alpha: float | str | None = None
    n_estimators: int | None = None
    node_complexity: bool | str = True
    max_features: int | float | str | None = "auto"
    n_shadows: int | None = None
    learn_chances: bool = True
    n_thresholds: int | None = None
    failed_draw: str = "redraw"
    feature_weights: Any = None
    n_jobs: int | None = None
    random_state: Any = 0

    def _check_parameters(self) -> None:
        check_choice("test", self.test, TESTS, self)
        for name in ("fdr", "alpha"):
            level = getattr(self, name)
            if isinstance(level, str):
                check_choice(name, level, ("oob",), self)
            elif level is not None:
                check_real(name, level, self, above=0, below=1)
        check_choice("node_complexity", self.node_complexity, tuple(POWERS), self)
        check_flag("learn_chances", self.learn_chances, self)
        check_choice("failed_draw", self.failed_draw, tuple(FAILED_DRAWS), self)
        for name, least in (("n_estimators", 1), ("n_shadows", 2), ("n_thresholds", 1)):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), self, at_least=least)
        mode = f"test={self.test!r}"
        if self.test == "calibrated":
            way_out = "use test='t' or 'threshold'"
            check_unused(("n_thresholds", "failed_draw"), self, mode, way_out)
        else:
            unused = ("n_shadows", "learn_chances")
            check_unused(unused, self, mode, "use test='calibrated'")
        if self.test == "threshold":
            check_unused(("fdr", "alpha"), self, mode, "use another test")
        if self.fdr is not None:
            way_out = "leave fdr out"
            check_unused(["alpha"], self, f"fdr={self.fdr!r}", way_out)

    def _fit(self, training: Training) -> None:
        data = order_data(training)
        hold = (
            self._hold_against_shadows
            if self.test == "calibrated"
            else self._hold_against_formula
        )
        scores, p_values = hold(data)
        tested = {}
        self.scores_ = data.restore(scores)
        self.support_ = self.scores_ > 0
        if p_values is not None:
            self.p_values_ = data.restore(p_values)
            self.q_values_ = benjamini_hochberg(self.p_values_)
            self.support_ = self._choose(data)
            tested = {"p_value": self.p_values_, "q_value": self.q_values_}
        self.steps_ = self._ranked_steps(training.table.names, **tested)

    def _hold_against_shadows(self, data: ForestData) -> tuple[Floats, Floats | None]:
        seed, kinds = root_seed(self.random_state), self._kinds(data.table)
        chances = self._chances(data)
        on_all = self._test_forests(data, kinds, chances, seed)
        halves = deal_halves(data, derive_seed(seed, "halves"))
        if not self.learn_chances or halves is None:
            return on_all.score, on_all.p_values
        effort = min(max(kinds[0].n_trees / TREES_PER_EFFORT, 1.0), MOST_EFFORT)
        on_halves = []
        for number, (seen, unseen) in enumerate((halves, halves[::-1])):
            own = derive_seed(seed, "half", number)
            part = data.take(seen)
            learnt = learn_chances(
                part.table,
                part.target,
                chances=chances,
                effort=effort,
                seed=own,
                n_jobs=self.n_jobs,
            )
            on_halves.append(self._test_learnt(data.take(unseen), learnt, own))
        test = join_shadow_tests(on_all, on_halves)
        return test.score, test.p_values

    def _test_learnt(
        self,
        data: ForestData,
        learnt: Floats,
        seed: int,
    ) -> Floats:
        """Return p-values of the features that rows not seen here have named.

        NaN for all others.
        """
        p_values = np.full(len(learnt), np.nan)
        drawn = np.flatnonzero(learnt)
        if len(drawn) == 0:
            return p_values
        # Partners meet in large nodes here, so these need no less weight.
        kinds = [TreeKind(LEARNT_TREES, 1, POWERS[self.node_complexity])]
        chances = np.ascontiguousarray(learnt[drawn])
        test = self._test_forests(data.select(drawn), kinds, chances, seed)
        p_values[drawn] = test.p_values
        return p_values

    def _test_forests(
        self,
        data: ForestData,
        kinds: list[TreeKind],
        chances: Floats | None,
        seed: int,
    ) -> ShadowTest:
        n_rows = data.table.n_rows
        n_shadows = self._count_shadows(data.table.n_columns)
        alike = likeness(data.table, n_jobs=self.n_jobs)
        n_orders = count_orders(alike.n_effective, n_shadows, n_rows)
        exchange = exchange_of(data.design)
        orders = None
        if not exchange.is_free:
            random = np.random.default_rng(derive_seed(seed, "shadows"))
            orders = exchange.orders(n_rows, random, n_orders)
        forests = grow_shadow_forest(
            data.table,
            data.target,
            kinds,
            n_shadows=n_shadows,
            n_orders=n_orders,
            row_chances=data.weights,
            row_groups=data.design.groups,
            orders=orders,
            chances=chances,
            used_up=alike.used_up,
            seed=seed,
            n_jobs=self.n_jobs,
        )
        return shadow_test(forests, feature_shapes(data.table), alike=exchange.is_free)

    def _hold_against_formula(self, data: ForestData) -> tuple[Floats, Floats | None]:
        if not data.design.is_free:
            message = (
                f"ForestSelector with test={self.test!r} takes rows for independent, "
                "and groups within which the target varies, or strata, say that they "
                "are not. Use test='calibrated'."
            )
            raise DataError(message)
        if "classes" not in data.target:
            message = (
                f"ForestSelector with test={self.test!r} needs classes, and the target "
                "is a continuous quantity. Use test='calibrated', or pass its values "
                "as text if they are classes."
            )
            raise DataError(message)
        kind = self._kinds(data.table)[0]
        sums = grow_tried_forest(
            data.table,
            data.target,
            expected_gain,
            n_trees=kind.n_trees,
            n_drawn=kind.n_drawn,
            n_thresholds=self.n_thresholds,
            failed_draw=FAILED_DRAWS[self.failed_draw],
            power=POWERS[self.node_complexity],
            row_chances=data.weights,
            chances=self._chances(data),
            seed=root_seed(self.random_state),
            n_jobs=self.n_jobs,
        )
        p_values = t_test(sums) if self.test == "t" else None
        return mean_excess(sums), p_values

    def _chances(self, data: ForestData) -> Floats | None:
        if self.feature_weights is None:
            return None
        chances = check_chances(self.feature_weights, data.table.n_columns)
        return np.ascontiguousarray(chances[data.columns])

    def _default_trees(self, n_features: int, n_rows: int) -> int:
        wanted = max(TREES_PER_FEATURE * n_features, LEAST_TREES)
        if self.test == "calibrated":
            wanted = max(wanted, min(ROWS_IN_ALL // max(n_rows, 1), ENOUGH_TREES))
        return min(wanted, MOST_TREES)

    def _kinds(self, table: Table) -> list[TreeKind]:
        """Return how many trees of which kind; the first draws fewest features."""
        n_features, n_trees = table.n_columns, self.n_estimators
        if n_trees is None:
            n_trees = self._default_trees(n_features, table.n_rows)
        power = POWERS[self.node_complexity]
        if not (isinstance(self.max_features, str) and self.max_features == "auto"):
            drawn = count_drawn(self.max_features, n_features, self)
            return [TreeKind(n_trees, drawn, power)]
        # As many trees as take about as long as the narrow ones.
        drawn = count_drawn("sqrt", n_features, self)
        n_wide = math.ceil(n_trees / max(3, drawn / 2))
        return [TreeKind(n_trees, 1, power / 2), TreeKind(n_wide, drawn, power)]

    def _count_shadows(self, n_features: int) -> int:
        if self.n_shadows is not None:
            return int(self.n_shadows)
        return max(LEAST_SHADOWS, math.ceil(LEAST_SHADOWS_IN_ALL / n_features))

    def _choose(self, data: ForestData) -> Mask:
        """Return who is kept at the level asked for, or at the best of the path."""
        by_rate = self.alpha is None and self.test == "calibrated"
        by_rate = by_rate or self.fdr is not None
        asked = self.fdr if by_rate else self.alpha
        decisive = self.q_values_ if by_rate else self.p_values_
        self.path_: list[dict[str, Any]] = [
            {"level": level, "n_features": int(np.count_nonzero(decisive <= level))}
            for level in LEVELS
        ]
        if isinstance(asked, str):
            errors: dict[int, float] = {}
            for step in self.path_:
                kept = decisive[data.columns] <= step["level"]
                n_kept = step["n_features"]
                if n_kept not in errors:  # sets are nested, so equal sizes are equal
                    errors[n_kept] = self._out_of_bag_error(data, kept)
                step["oob_error"] = errors[n_kept]
            # Of equal errors the strictest level.
            best = min(reversed(self.path_), key=lambda step: step["oob_error"])
            self.level_ = float(best["level"])
        else:
            self.level_ = USUAL_LEVEL if asked is None else float(asked)
        return np.asarray(decisive <= self.level_)

    def _out_of_bag_error(self, data: ForestData, kept: Mask) -> float:
        names = [data.table.names[j] for j in np.flatnonzero(kept)]
        return out_of_bag_error(
            data.table.select(names),
            data.target,
            seed=derive_seed(root_seed(self.random_state), "oob"),
            n_jobs=self.n_jobs,
        )
