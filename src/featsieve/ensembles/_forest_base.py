"""What forests for classes and for numbers share: growing, relevance, neighbours."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from featsieve._checks import (
    check_choice,
    check_function,
    check_integer,
    check_jobs,
    check_real,
    check_unused,
)
from featsieve._types import Codes, Floats, Ints
from featsieve.data import Table
from featsieve.engine import derive_seed, root_seed, run_tasks
from featsieve.ensembles._forest_left_out import ensemble_importance, tree_importance
from featsieve.ensembles._forest_sampling import (
    UNITS,
    feature_intervals,
    gain_chances,
    mean_gains,
    most_uniform,
    target_complexity,
    tree_chances,
)
from featsieve.trees.api import (
    Forest,
    ForestGrower,
    GainSums,
    RandomGrowth,
    bag_weights,
    check_random_growth,
    feature_matrix,
    read_training,
    row_matrix,
    rows_left_out,
)

SAMPLINGS = ("uniform", "confidence", "gain", "tree", "local")
BOOTSTRAPS = (True, False, "distinct")
#: Parameters that trees share with the forest.
MEMBER_PARAMETERS = (*(own.name for own in fields(RandomGrowth)), "nominal", "numeric")


@dataclass(kw_only=True, eq=False, repr=False)
class BaseForest(RandomGrowth):
    """Base of forests: owns `fit` and everything that reads the trees.

    A subclass says how to read the target and what its rows count as.

    Parameters
    ----------
    n_estimators : int, default=100
        Trees.
    feature_sampling : {"uniform", "confidence", "gain", "tree", "local"}, \
default="uniform"
        How features are drawn for a node. "uniform": with equal chances. "confidence":
        after every tree by the most uniform distribution within the confidence
        intervals of the features' relevance so far (Algorithm 3). "gain": after every
        tree by the sum of the trees' mean gains, damped (eq. 7.6). "tree": by the gains
        of all features in one exhaustive MDL tree. "local": by what features have told
        about the very rows of the node in a first forest (Algorithm 5).
    bootstrap : bool or "distinct", default=True
        Grow every tree on as many rows as there are, drawn with replacement; with
        "distinct" a row counts once however often it is drawn. False grows all trees
        on all rows, and there is nothing out of bag.
    confidence : float, default=0.95
        Level of the intervals of relevance.
    damping : float, default=1.0
        How slowly "gain" sampling leaves equal chances behind (λ of eq. 7.6).
    n_jobs : int or None, default=None
        Trees, or blocks of rows, at a time. "confidence" and "gain" grow one tree after
        another whatever it says. The answer does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed of bags and draws.
    progress : callable or None, default=None
        Called as ``progress(grown, n_estimators)`` whenever a tree has been grown;
        "local" sampling grows twice as many.

    Attributes
    ----------
    relevance_interval_ : ndarray of shape (n_features, 2)
        Confidence interval of the relevance (eq. 7.9); wide for features that were
        hardly tried.
    local_relevance_ : ndarray of shape (n_rows, n_features)
        Relevance of every feature for every training row, computed when asked for.
    feature_chances_ : ndarray of shape (n_features,)
        Chances with which features were drawn for the last tree; equal ones if
        `feature_sampling` is "local", where every node has its own.
    feature_importances_ : ndarray of shape (n_features,)
        `relevance_` divided by its sum.
    node_counts_ : ndarray of shape (n_trees,)
        Nodes of each tree.
    """

    #: What a member is.
    _kind: ClassVar[Any]

    n_estimators: int = 100
    feature_sampling: str = "uniform"
    bootstrap: bool | str = True
    confidence: float = 0.95
    damping: float = 1.0
    n_jobs: int | None = None
    random_state: Any = None
    progress: Any = None
    nominal: Any = None
    numeric: Any = None

    @abstractmethod
    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        """Return the target for the grower, and the mask of rows that have one."""

    @abstractmethod
    def _greatest_gain(self, target: dict[str, Any]) -> float:
        """Return what a feature can gain at most."""

    @abstractmethod
    def _spread(self, target: dict[str, Any]) -> float:
        """Return what there is to gain in the training rows."""

    def _check_parameters(self) -> None:
        check_integer("n_estimators", self.n_estimators, self, at_least=1)
        check_choice("feature_sampling", self.feature_sampling, SAMPLINGS, self)
        check_choice("bootstrap", self.bootstrap, BOOTSTRAPS, self)
        check_real("confidence", self.confidence, self, above=0, below=1)
        check_real("damping", self.damping, self, above=0)
        if self.feature_sampling != "gain":
            mode = f"feature_sampling={self.feature_sampling!r}"
            check_unused(["damping"], self, mode, "use feature_sampling='gain'")
        check_random_growth(self)
        check_function("progress", self.progress, self, "two numbers")
        check_jobs(self.n_jobs, self)

    # Growing. -------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the trees.

        Parameters
        ----------
        sample_weight : array-like of shape (n_rows,), default=None
            Chance of each row to be drawn into a bag, up to a factor; its weight in
            every tree if nothing is drawn. Rows of weight 0 are left out.
        """
        self._check_parameters()
        table, target, weights, _ = read_training(self, X, y, sample_weight)
        self._seed = root_seed(self.random_state)
        grower = ForestGrower(self, table, target, weights)
        self._rows = row_matrix(table, grower.features)
        grown = self._grow(grower, table)
        self._forest = self._as_forest(grower, grown)
        self._target = target["classes" if "classes" in target else "numbers"]
        self._weights = weights
        self._keep_relevance(grower, [sums for _, sums in grown])
        return self

    def _grow(self, grower: ForestGrower, table: Table) -> list[Any]:
        sampling = self.feature_sampling
        n_forests = 2 if sampling == "local" else 1
        grower.tell(self.progress, n_forests * self.n_estimators)
        self.feature_chances_ = np.full(table.n_columns, 1 / table.n_columns)
        if sampling in {"confidence", "gain"}:
            return self._grow_in_turn(grower)
        if sampling == "tree":
            self.feature_chances_ = tree_chances(
                table, grower.target, grower.weights, self.n_thresholds
            )
            return self._grow_all(grower, "tree", self.feature_chances_)
        if sampling == "local":
            return self._grow_locally(grower)
        return self._grow_all(grower, "tree")

    def _grow_all(
        self,
        grower: ForestGrower,
        stage: str,
        chances: Floats | None = None,
        row_chances: Floats | None = None,
    ) -> list[Any]:
        """Grow trees that do not depend on each other."""

        def grow(number: int) -> Any:
            return grower.grow(*self._seeds(stage, number), chances, row_chances)

        tasks = [(number,) for number in range(self.n_estimators)]
        return run_tasks(grow, tasks, n_jobs=self.n_jobs, shared_memory=True)

    def _grow_in_turn(self, grower: ForestGrower) -> list[Any]:
        """Grow one tree after another, each by what the ones before have gained."""
        grown = []
        total: Any = 0
        mean_gain_sums: Any = 0
        most = self._greatest_gain(grower.target)
        unit = target_complexity(grower.target) / UNITS
        for number in range(self.n_estimators):
            arrays, sums = grower.grow(
                *self._seeds("tree", number), self.feature_chances_
            )
            grown.append((arrays, sums))
            total = total + sums
            if self.feature_sampling == "confidence":
                interval = feature_intervals(
                    GainSums.from_array(total), unit, self.confidence, most, failed=True
                )
                self.feature_chances_ = most_uniform(interval)
            else:
                mean_gain_sums = mean_gain_sums + mean_gains(GainSums.from_array(sums))
                self.feature_chances_ = gain_chances(
                    mean_gain_sums, self.damping * self._spread(grower.target)
                )
        return grown

    def _grow_locally(self, grower: ForestGrower) -> list[Any]:
        """Grow a forest to learn what features tell about each row, then by it."""
        first = self._grow_all(grower, "first")
        forest = self._as_forest(grower, first)
        target = grower.target["numbers" if forest.classes is None else "classes"]
        bags = [
            grower.bag(self._seeds("first", t)[0]) for t in range(self.n_estimators)
        ]
        left_out = rows_left_out(bags, grower.n_rows)
        relevance = forest.local_relevance(self._rows, target, left_out, self.n_jobs)
        return self._grow_all(grower, "tree", None, np.ascontiguousarray(relevance))

    def _as_forest(self, grower: ForestGrower, grown: list[Any]) -> Forest:
        classes = getattr(self, "classes_", None)
        labels = None if classes is None else classes.tolist()
        trees = [arrays for arrays, _ in grown]
        return Forest(trees, grower.features, labels, self.missing_branch)

    def _seeds(self, stage: str, number: int) -> tuple[int, int]:
        """Return the seeds of the bag and of the draws of features of one tree."""
        return (
            derive_seed(self._seed, stage, "bag", number),
            derive_seed(self._seed, stage, "features", number),
        )

    def _keep_relevance(self, grower: ForestGrower, sums: list[Floats]) -> None:
        total = GainSums.from_array(sum(sums[1:], sums[0]))
        achieved = total.phi - total.phi_failed
        whole = np.where(achieved > 0, achieved, 1.0)
        self.relevance_ = total.phi_gain / whole
        self.relevance_interval_ = feature_intervals(
            total,
            target_complexity(grower.target) / UNITS,
            self.confidence,
            self._greatest_gain(grower.target),
            failed=False,
        )
        self._gain_sums = total
        if "classes" in grower.target:
            lower, upper = total.phi_lower / whole, total.phi_upper / whole
            self.chance_relevance_ = np.column_stack([lower, upper])

    # Members. -------------------------------------------------------------------------

    @property
    def members_(self) -> list[Any]:
        """The trees as fitted estimators; they are made when first asked for."""
        check_is_fitted(self)
        cache = self._forest.cache
        if "members" not in cache:
            cache["members"] = list(map(self._member, range(self._forest.n_trees)))
        return cache["members"]

    def _member(self, number: int) -> Any:
        """Return one tree as an estimator."""
        given = {name: getattr(self, name) for name in MEMBER_PARAMETERS}
        member = self._kind(**given)
        member.random_state = self._seeds("tree", number)[1]
        for name in ("n_features_in_", "feature_names_in_", "classes_", "n_classes_"):
            if hasattr(self, name):
                setattr(member, name, getattr(self, name))
        member.tree_ = self._forest.tree(number)
        member.feature_importances_ = member.tree_.feature_importances()
        member.node_count_ = member.tree_.n_nodes
        return member

    @property
    def node_counts_(self) -> Ints:
        """Nodes of each tree, leaves included."""
        check_is_fitted(self)
        return self._forest.node_counts()

    @property
    def feature_importances_(self) -> Floats:
        """Each feature's part of all relevance, for tools that ask for it."""
        check_is_fitted(self)
        total = float(self.relevance_.sum())
        return self.relevance_ / total if total > 0 else self.relevance_

    def _matrix(self, X: Any) -> Floats:
        check_is_fitted(self)
        return feature_matrix(self, X, self._forest.features)

    def apply(self, X: Any) -> Codes:
        """Return the leaf of each row in each tree.

        Returns
        -------
        ndarray of int32 of shape (n_rows, n_trees)
            Node numbers of leaves.
        """
        matrix = self._matrix(X)
        return self._forest.leaves(matrix)

    def proximity(self, X: Any, Y: Any = None) -> Floats:
        """Return in which share of the trees two rows fall into the same leaf.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Rows, columns as in `fit`.
        Y : table of shape (n_others, n_features) or None, default=None
            Rows to compare them with; the same ones if None.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_others)
            From 0 to 1 (eq. 7.20). Only pairs that meet in a leaf cost time.
        """
        matrix = self._matrix(X)
        others = matrix if Y is None else self._matrix(Y)
        return self._forest.proximity(matrix, others, self.n_jobs)

    # What single rows say. ------------------------------------------------------------

    def _left_out(self) -> NDArray[np.uint8]:
        """Return the rows each tree has not learnt from: (n_trees, n_rows) flags."""
        cache = self._forest.cache
        if "left_out" not in cache:
            n_rows = len(self._rows)
            seeds = [self._seeds("tree", t)[0] for t in range(self._forest.n_trees)]
            bags = [
                bag_weights(self.bootstrap, n_rows, self._weights, seed)
                for seed in seeds
            ]
            cache["left_out"] = rows_left_out(bags, n_rows)
        return cache["left_out"]

    @property
    def local_relevance_(self) -> Floats:
        """Local relevance of every feature for every training row."""
        check_is_fitted(self)
        cache = self._forest.cache
        if "local_relevance" not in cache:
            cache["local_relevance"] = self._scaled(
                self._forest.local_relevance(
                    self._rows, self._target, self._left_out(), self.n_jobs
                )
            )
        return cache["local_relevance"]

    def _scaled(self, values: Floats) -> Floats:
        """Return local relevance in its unit."""
        return values

    def permutation_importance(
        self, *, form: str = "ensemble", n_repeats: int = 5
    ) -> Floats:
        """Return how much the out-of-bag error rises when a feature is shuffled.

        Parameters
        ----------
        form : {"ensemble", "tree"}, default="ensemble"
            Rise of the error of the whole forest, whose trees make up for each other
            (section 7.2.1), or mean rise of the errors of single trees (Breiman's).
        n_repeats : int, default=5
            Shuffles to average over.

        Returns
        -------
        ndarray of float64 of shape (n_features,)
            Rise of the share of wrong classes, or of the mean squared error. Near 0,
            and negative by chance, for features the forest can do without.
        """
        check_choice("form", form, ("ensemble", "tree"), self)
        check_integer("n_repeats", n_repeats, self, at_least=1)
        left_out = self._out_of_bag("permutation_importance")
        measure = ensemble_importance if form == "ensemble" else tree_importance
        rows = (self._rows, self._target, left_out)
        return measure(self._forest, *rows, self._seed, n_repeats, self.n_jobs)

    def _out_of_bag(self, name: str) -> NDArray[np.uint8]:
        """Return which rows each tree does not know, if there can be such rows."""
        check_is_fitted(self)
        if not self.bootstrap:
            raise AttributeError(
                f"{name!r} asks trees about rows they have not learnt from, and with "
                "bootstrap=False there are none. Fit with bootstrap=True."
            )
        return self._left_out()
