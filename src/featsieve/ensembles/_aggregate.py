"""What aggregates of experts share: their samples, their training, their verdict."""

from __future__ import annotations

import hashlib
import math
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from featsieve._checks import (
    check_choice,
    check_integer,
    check_jobs,
    check_real,
    check_unused,
)
from featsieve._types import Array, Codes, Floats, Ints
from featsieve.data import Table, TableStream, open_stream
from featsieve.data.api import aligned_table, read_features
from featsieve.engine import derive_seed, root_seed, run_tasks
from featsieve.engine.api import is_dask_frame
from featsieve.ensembles._experts import (
    NONE,
    Expert,
    ExpertAnswers,
    class_quotas,
    combine_answers,
    fit_expert,
    sample_rows,
    split_classes,
)
from featsieve.exceptions import DataError, NoFeatureSelectedWarning
from featsieve.trees.api import TypedInput, read_classes, read_training

#: Rows of an expert's sample unless asked otherwise.
USUAL_SAMPLE = 10_000
#: Share of each class that tells, before experts are made, what is confused.
CONFUSION_SHARE = 1 / 3
#: Rows of each class that are tested for it at most.
CONFUSION_ROWS = 500
ROWS_AT_ONCE = 20_000
LEARNERS = ("c4.5", "5-nn")


@dataclass(eq=False, repr=False)
class BaseClassAggregate(ClassifierMixin, TypedInput):
    """What both aggregates share: samples, experts, combination.

    Parameters
    ----------
    estimator : {"c4.5", "5-nn"} or classifier, default="c4.5"
        The learner of every expert. "c4.5" is `featsieve.trees.C45Classifier`; "5-nn"
        has numeric columns scaled by their range, nominal values 0 or 1 apart, missing
        ones 1 from everything. A classifier of another library gets numbers: medians
        for gaps, one column per level; one with ``kneighbors`` breaks ties by distance.
    sample_size : int or None, default=None
        Rows of each expert's sample; None is the number of rows given, at most 10,000.
    positive_share : float, default=0.5
        Share of the sample that the expert's own classes have, equally.
    boost : float, default=0.5
        Share of the other rows that goes to classes by how much they are confused with
        the expert's; the rest is shared equally. 0 measures no confusion.
    bootstrap_cap : int, default=10
        How many times its size a class that is too small is drawn at most.
    selector : selector or None, default=None
        Chooses the features of each expert from its sample, for instance
        ``CFSFilter()``. Where it keeps nothing, all are kept.
    fallback : {"best", "none"}, default="best"
        Where every expert says "other": the class with the greatest posterior all the
        same, or `none_label`, as published.
    none_label : object, default="none"
        What stands for no class.
    ties : {"first", "random"}, default="first"
        Equal scores (and distances) go to the first expert, or by a lot that depends
        on the seed and on what the experts say of the row.
    n_jobs : int or None, default=None
        Experts at a time.
    random_state : int, RandomState or None, default=None
        Seed of samples and learners.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    groups_ : list of ndarray
        The classes of each expert.
    experts_ : list
        The experts; each has `positives`, `features`, `n_rows`, `n_different`, `model`.
    confusion_ : ndarray of shape (n_classes, n_classes) or None
        Share of each class that a single model takes for another.
    """

    estimator: Any = "c4.5"
    _: KW_ONLY
    sample_size: int | None = None
    positive_share: float = 0.5
    boost: float = 0.5
    bootstrap_cap: int = 10
    selector: Any = None
    fallback: str = "best"
    none_label: Any = "none"
    ties: str = "first"
    nominal: Any = None
    numeric: Any = None
    n_jobs: int | None = None
    random_state: Any = None

    @abstractmethod
    def _choose_groups(self) -> list[list[int]]:
        """Return the classes of each expert, which may look at `confusion_`."""

    @abstractmethod
    def _needs_confusion(self) -> bool: ...

    def fit(self, X: Any, y: Any) -> Self:
        """Draw a sample for each expert and train it.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            A frame (pandas, polars, pyarrow), an array, or anything else that
            `featsieve.data.read_table` reads from memory. A
            `featsieve.data.TableStream` or a Dask DataFrame is passed over once, and
            as many rows of every class as an expert can ask for are drawn from it.
        y : array-like of shape (n_rows,)
            The class. Rows without one are left out, with a warning. None for a
            stream, which names its target itself; for a Dask DataFrame the name of its
            target, or a Dask Series.
        """
        self._check_parameters()
        check_jobs(self.n_jobs, self)
        if isinstance(X, TableStream) or is_dask_frame(X):
            X, y = self._draw_rows(X, y), None
        table, target, *_ = read_training(self, X, y, None)
        codes = self._settle_classes(target["classes"])
        self._reference = table.take(np.arange(0))
        seed = root_seed(self.random_state)
        self._tie_seed = derive_seed(seed, "ties")
        self.confusion_ = (
            self._measure_confusion(table, codes, seed)
            if self._needs_confusion()
            else None
        )
        groups = self._choose_groups()
        self.groups_ = [self.classes_[group] for group in groups]
        self._fit_experts(table, codes, groups, seed)
        return self

    def _draw_rows(self, source: Any, y: Any) -> Table:
        """Return rows of a table that need not fit into memory, in one pass over it.

        What is drawn of a class is as much as any expert may ask of it, and enough for
        the measure of confusion, so that no class runs short which has the rows.
        """
        kinds = {"nominal": self.nominal, "numeric": self.numeric}
        if is_dask_frame(source):
            stream = open_stream(*_dask_target(self, source, y), **kinds)
        else:
            stream = source
            if y is not None or any(kind is not None for kind in kinds.values()):
                raise DataError(
                    f"{type(self).__name__} takes the target and the kinds of columns "
                    "from the stream. Say `fit(stream, None)`, and name them in "
                    "`open_stream`."
                )
        n_per_class = USUAL_SAMPLE
        if self.sample_size is not None:
            share = max(self.positive_share, 1 - self.positive_share)
            most = math.ceil(share * self.sample_size)
            n_per_class = max(most, round(CONFUSION_ROWS / CONFUSION_SHARE))
        return stream.class_sample(n_per_class, random_state=self.random_state)

    def _read_target(self, y: Any, table: Table) -> tuple[dict[str, Any], Any]:
        return read_classes(self, y, table.n_rows)

    def _settle_classes(self, codes: Codes) -> Codes:
        """Remember the classes that occur, and return codes into them."""
        present, settled = np.unique(codes, return_inverse=True)
        self.classes_: Array = self.classes_[present]
        self.n_classes_ = len(self.classes_)
        if self.n_classes_ < 2:
            raise DataError(
                f"{type(self).__name__} needs rows of at least two classes. Got one "
                f"class: {self.classes_.tolist()[0]!r}."
            )
        return settled.astype(np.int32)

    def _check_parameters(self) -> None:
        if isinstance(self.estimator, str) or not hasattr(self.estimator, "fit"):
            check_choice("estimator", self.estimator, LEARNERS, self)
        if self.sample_size is not None:
            check_integer("sample_size", self.sample_size, self, at_least=2)
        check_real("positive_share", self.positive_share, self, above=0, below=1)
        check_real("boost", self.boost, self, at_least=0, most=1)
        check_integer("bootstrap_cap", self.bootstrap_cap, self, at_least=1)
        check_choice("fallback", self.fallback, ("best", "none"), self)
        check_choice("ties", self.ties, ("first", "random"), self)
        if self.fallback == "best":
            way_out = "use fallback='none'"
            check_unused(["none_label"], self, "fallback='best'", way_out)
        if not (self.selector is None or hasattr(self.selector, "get_params")):
            raise ValueError(
                f"The 'selector' parameter of {type(self).__name__} must be a selector "
                f"or None. Got {self.selector!r} instead."
            )

    def _sample_size(self, n_rows: int) -> int:
        return self.sample_size or min(max(n_rows, 2), USUAL_SAMPLE)

    def _measure_confusion(self, table: Table, codes: Codes, seed: int) -> Floats:
        """Return which share of each class a single model takes for which other."""
        k = self.n_classes_
        tested = split_classes(codes, CONFUSION_SHARE, seed)
        # Classes out of reach of the sampler: those rows are for the other part.
        learning = np.where(tested, -1, codes).astype(np.int32)
        testing = np.where(tested, codes, -1).astype(np.int32)
        each = max(self._sample_size(len(codes)) // k, 1)
        rows = sample_rows(
            learning,
            dict.fromkeys(range(k), each),
            derive_seed(seed, "single"),
            cap=self.bootstrap_cap,
        )
        single = fit_expert(
            *(table, codes, rows, np.arange(k), k, self.estimator, None),
            derive_seed(seed, "single model"),
        )
        # Small classes are tested with what they have, once each.
        rows = sample_rows(
            testing,
            dict.fromkeys(range(k), CONFUSION_ROWS),
            derive_seed(seed, "confusion"),
            cap=1,
        )
        said = single.answer(table.take(rows)).winners()
        counts = np.zeros((k, k + 1))
        np.add.at(counts, (codes[rows], said), 1)
        confusion = counts[:, :k] / np.maximum(counts.sum(axis=1), 1)[:, None]
        np.fill_diagonal(confusion, 0)
        return confusion

    def _fit_experts(
        self, table: Table, codes: Codes, groups: list[list[int]], seed: int
    ) -> None:
        k = self.n_classes_
        tasks = []
        for group in groups:
            positives = np.array(group, dtype=np.int64)
            # Named by its classes, so that an expert is the same in any company.
            purpose = ",".join(map(str, group))
            quotas = class_quotas(
                positives,
                self.confusion_,
                k,
                sample_size=self._sample_size(table.n_rows),
                positive_share=self.positive_share,
                boost=self.boost,
            )
            rows = sample_rows(
                codes,
                quotas,
                derive_seed(seed, "sample", purpose),
                cap=self.bootstrap_cap,
            )
            how = (self.estimator, self.selector, derive_seed(seed, purpose))
            tasks.append((table, codes, rows, positives, k, *how))
        with warnings.catch_warnings():
            # An expert without features would know nothing, so it keeps all of them.
            warnings.simplefilter("ignore", NoFeatureSelectedWarning)
            experts = run_tasks(fit_expert, tasks, n_jobs=self.n_jobs)
        self.experts_: list[Expert] = experts

    def predict(self, X: Any) -> Array:
        """Return the class that the surest expert says.

        Returns
        -------
        ndarray of shape (n_rows,)
            Classes; where every expert says "other", what `fallback` asks for.
        """
        codes, _ = self._decide(X)
        if self.fallback == "best" or (codes != NONE).all():
            return self.classes_[codes]
        answers = np.empty(len(codes), dtype=object)
        answers[:] = self.classes_[codes]
        answers[codes == NONE] = self.none_label
        return answers

    def predict_proba(self, X: Any) -> Floats:
        """Return how probable each class is.

        The value of a class is the greatest posterior that an expert who accepts the
        row gives it. Classes of experts who say "other" come below the answer: their
        posterior relative to that of "other", times the answer's. The values are then
        scaled to add up to one.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_classes)
            In the order of ``classes_``. Experts learn from samples with designed
            shares of classes, so these are scores rather than frequencies.
        """
        return self._decide(X)[1]

    def _decide(self, X: Any) -> tuple[Ints, Floats]:
        check_is_fitted(self)
        nominal = [j for j, c in enumerate(self._reference) if c.is_nominal]
        table = read_features(self, X, reset=False, nominal=nominal)
        table = aligned_table(table, self._reference)
        if not table.n_rows:
            return np.empty(0, np.int64), np.empty((0, self.n_classes_))
        blocks = [
            (table, np.arange(start, min(start + ROWS_AT_ONCE, table.n_rows)))
            for start in range(0, table.n_rows, ROWS_AT_ONCE)
        ]
        decided = run_tasks(self._decide_block, blocks, n_jobs=self.n_jobs)
        return (
            np.concatenate([codes for codes, _ in decided]),
            np.vstack([shares for _, shares in decided]),
        )

    def _decide_block(self, table: Table, rows: Ints) -> tuple[Ints, Floats]:
        k = self.n_classes_
        block = table.take(rows)
        given = [expert.answer(block) for expert in self.experts_]
        answers = np.column_stack([each.winners() for each in given])
        scores = _winning(answers, [each.posteriors for each in given])
        assert scores is not None
        nearness = _winning(answers, [each.nearness for each in given])
        lots = None if self.ties == "first" else _lots(answers, scores, self._tie_seed)
        codes = combine_answers(answers, scores, nearness, k, lots=lots)
        values = _class_values(given, answers, scores, k)
        if self.fallback == "best":
            codes = np.where(codes == NONE, values.argmax(axis=1), codes)
        # The answer is the most probable class also where others are as probable.
        found = np.flatnonzero(codes != NONE)
        values[found, codes[found]] = np.nextafter(values[found].max(axis=1), 2)
        totals = values.sum(axis=1, keepdims=True)
        values = np.where(totals > 0, values / np.where(totals > 0, totals, 1), 1 / k)
        return codes, values


def _dask_target(aggregate: Any, frame: Any, y: Any) -> tuple[Any, str]:
    """Return a Dask DataFrame with its target as the last column, and its name."""
    columns = list(frame.columns)
    if isinstance(y, str):
        if y not in columns:
            known = ", ".join(map(repr, columns[-5:]))
            raise DataError(
                f"The Dask DataFrame has no column {y!r} to be the target. Its last "
                f"columns are {known}."
            )
        return frame[[*(name for name in columns if name != y), y]], y
    if not hasattr(y, "npartitions"):
        raise DataError(
            f"{type(aggregate).__name__} needs the name of the target, or a Dask "
            f"Series, beside a Dask DataFrame. Got {type(y).__name__} instead."
        )
    target = str(y.name)
    while target in columns:
        target += "_"
    return frame.assign(**{target: y}), target


def _winning(answers: Ints, values: Sequence[Floats | None]) -> Floats | None:
    """Return what stands behind each expert's answer; None if some have nothing."""
    columns = []
    for j, each in enumerate(values):
        if each is None:
            return None
        columns.append(np.take_along_axis(each, answers[:, j : j + 1], axis=1))
    return np.hstack(columns)


def _class_values(
    given: Sequence[ExpertAnswers], answers: Ints, scores: Floats, k: int
) -> Floats:
    """Return a value for each class that is greatest for the answer."""
    accepted = answers != k
    best = np.where(accepted, scores, 0).max(axis=1)
    nobody = ~accepted.any(axis=1)
    values = np.zeros((len(answers), k))
    for j, each in enumerate(given):
        posteriors = each.posteriors[:, :k]
        others = np.maximum(each.posteriors[:, k], 1e-300)[:, None]
        below = np.minimum(posteriors / others, 1) * best[:, None]
        refused = np.where(nobody[:, None], posteriors, below)
        mine = np.where(accepted[:, j : j + 1], posteriors, refused)
        np.maximum(values, mine, out=values)
    return values


def _lots(answers: Ints, scores: Floats, seed: int) -> NDArray[np.uint64]:
    """Return a lot for each row that depends on what experts say of it, and the seed.

    So a row has the same class in any company.
    """
    said = np.hstack([answers.astype(np.float64), scores])
    lots = [
        hashlib.blake2b(row.tobytes(), digest_size=8, key=seed.to_bytes(8, "little"))
        for row in np.ascontiguousarray(said)
    ]
    return np.array([int.from_bytes(lot.digest(), "little") for lot in lots], np.uint64)
