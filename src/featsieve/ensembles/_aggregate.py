"""What aggregates of experts share: their samples, their training, their verdict."""

from __future__ import annotations

import hashlib
import math
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from featsieve._checks import check_choice, check_integer, check_jobs, check_real
from featsieve.data import Table, TableStream, open_stream
from featsieve.data._inputs import read_features, read_target
from featsieve.data._matrix import aligned_table
from featsieve.engine import derive_seed, is_dask_frame, root_seed, run_tasks
from featsieve.ensembles._class_samples import (
    class_quotas,
    sample_rows,
    split_classes,
)
from featsieve.ensembles._combination import NONE, combine_answers
from featsieve.ensembles._experts import Expert, ExpertAnswers, fit_expert
from featsieve.exceptions import (
    DataError,
    DroppedRowsWarning,
    NoFeatureSelectedWarning,
)

__all__ = ["BaseClassAggregate"]

#: Rows of an expert's sample unless asked otherwise.
USUAL_SAMPLE = 10_000
#: Share of each class that tells, before experts are made, what is confused.
CONFUSION_SHARE = 1 / 3
#: Rows of each class that are tested for it at most.
CONFUSION_ROWS = 500
ROWS_AT_ONCE = 20_000
LEARNERS = ("c4.5", "5-nn")


class BaseClassAggregate(ClassifierMixin, BaseEstimator):
    """What both aggregates share: samples, experts, combination."""

    estimator: Any
    sample_size: int | None
    positive_share: float
    boost: float
    bootstrap_cap: int
    selector: Any
    fallback: str
    none_label: Any
    ties: str
    nominal: Any
    numeric: Any
    n_jobs: int | None
    random_state: Any

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

        Returns
        -------
        self
        """
        self._check_parameters()
        check_jobs(self.n_jobs, self)
        if isinstance(X, TableStream) or is_dask_frame(X):
            X, y = self._draw_rows(X, y), None
        table = read_features(
            self, X, reset=True, nominal=self.nominal, numeric=self.numeric
        )
        if isinstance(X, Table) and y is None:
            y = X.target
        target = read_target(self, y, table.n_rows)
        if target.rows is not None:
            dropped = table.n_rows - int(np.count_nonzero(target.rows))
            message = (
                f"{dropped} of {table.n_rows} rows have no class and are left out."
            )
            warnings.warn(message, DroppedRowsWarning, stacklevel=2)
            table = table.take(target.rows)
        codes = self._settle_classes(target.codes, target.classes)
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
                message = (
                    f"{type(self).__name__} takes the target and the kinds of columns "
                    "from the stream. Say `fit(stream, None)`, and name them in "
                    "`open_stream`."
                )
                raise DataError(message)
        n_per_class = USUAL_SAMPLE
        if self.sample_size is not None:
            share = max(self.positive_share, 1 - self.positive_share)
            most = math.ceil(share * self.sample_size)
            n_per_class = max(most, round(CONFUSION_ROWS / CONFUSION_SHARE))
        return stream.class_sample(n_per_class, random_state=self.random_state)

    def _settle_classes(
        self, codes: NDArray[np.int32], classes: Sequence[Any]
    ) -> NDArray[np.int32]:
        """Remember the classes that occur, and return codes into them."""
        present, settled = np.unique(codes, return_inverse=True)
        if len(present) < 2:
            message = (
                f"{type(self).__name__} needs rows of at least two classes. Got one "
                f"class: {classes[int(present[0])]!r}."
            )
            raise DataError(message)
        self.classes_ = np.array([classes[code] for code in present])
        self.n_classes_ = len(self.classes_)
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
        if not (self.selector is None or hasattr(self.selector, "get_params")):
            message = (
                f"The 'selector' parameter of {type(self).__name__} must be a selector "
                f"or None. Got {self.selector!r} instead."
            )
            raise ValueError(message)

    def _sample_size(self, n_rows: int) -> int:
        return self.sample_size or min(max(n_rows, 2), USUAL_SAMPLE)

    def _measure_confusion(
        self, table: Table, codes: NDArray[np.int32], seed: int
    ) -> NDArray[np.float64]:
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
        every = np.arange(k)
        settings = (self.estimator, None, derive_seed(seed, "single model"))
        single = fit_expert(table, codes, rows, every, k, settings)
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
        confusion: NDArray[np.float64] = (
            counts[:, :k] / np.maximum(counts.sum(axis=1), 1)[:, None]
        )
        np.fill_diagonal(confusion, 0)
        return confusion

    def _fit_experts(
        self,
        table: Table,
        codes: NDArray[np.int32],
        groups: list[list[int]],
        seed: int,
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
            settings = (self.estimator, self.selector, derive_seed(seed, purpose))
            tasks.append((table, codes, rows, positives, k, settings))
        with warnings.catch_warnings():
            # An expert without features would know nothing, so it keeps all of them.
            warnings.simplefilter("ignore", NoFeatureSelectedWarning)
            experts = run_tasks(fit_expert, tasks, n_jobs=self.n_jobs)
        self.experts_: list[Expert] = experts

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class that the surest expert says.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of shape (n_rows,)
            Classes; where every expert says "other", what `fallback` asks for.
        """
        codes, _ = self._decide(X)
        if self.fallback == "best" or (codes != NONE).all():
            labels: NDArray[Any] = self.classes_[codes]
            return labels
        answers = np.empty(len(codes), dtype=object)
        answers[:] = self.classes_[codes]
        answers[codes == NONE] = self.none_label
        return answers

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return how probable each class is.

        The value of a class is the greatest posterior that an expert who accepts the
        row gives it. Classes of experts who say "other" come below the answer: their
        posterior relative to that of "other", times the answer's. The values are then
        scaled to add up to one.

        Parameters
        ----------
        X : table of shape (n_rows, n_features)
            Columns as in `fit`.

        Returns
        -------
        ndarray of float64 of shape (n_rows, n_classes)
            In the order of ``classes_``. Experts learn from samples with designed
            shares of classes, so these are scores rather than frequencies.
        """
        return self._decide(X)[1]

    def _decide(self, X: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
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

    def _decide_block(
        self, table: Table, rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        k = self.n_classes_
        block = table.take(rows)
        given = [expert.answer(block) for expert in self.experts_]
        answers = np.column_stack([each.winners() for each in given])
        scores = _winning(answers, [each.posteriors for each in given])
        assert scores is not None
        nearness = _winning(answers, [each.nearness for each in given])
        lots = None if self.ties == "first" else _lots(answers, scores, self._tie_seed)
        codes, _ = combine_answers(answers, scores, nearness, k, lots=lots)
        values = _class_values(given, answers, scores, k)
        if self.fallback == "best":
            codes = np.where(codes == NONE, values.argmax(axis=1), codes)
        # The answer is the most probable class also where others are as probable.
        found = np.flatnonzero(codes != NONE)
        values[found, codes[found]] = np.nextafter(values[found].max(axis=1), 2)
        totals = values.sum(axis=1, keepdims=True)
        values = np.where(totals > 0, values / np.where(totals > 0, totals, 1), 1 / k)
        return codes, values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _dask_target(aggregate: Any, frame: Any, y: Any) -> tuple[Any, str]:
    """Return a Dask DataFrame with its target as the last column, and its name."""
    columns = list(frame.columns)
    if isinstance(y, str):
        if y not in columns:
            known = ", ".join(map(repr, columns[-5:]))
            message = (
                f"The Dask DataFrame has no column {y!r} to be the target. Its last "
                f"columns are {known}."
            )
            raise DataError(message)
        return frame[[*(name for name in columns if name != y), y]], y
    if not hasattr(y, "npartitions"):
        message = (
            f"{type(aggregate).__name__} needs the name of the target, or a Dask "
            f"Series, beside a Dask DataFrame. Got {type(y).__name__} instead."
        )
        raise DataError(message)
    target = str(y.name)
    while target in columns:
        target += "_"
    return frame.assign(**{target: y}), target


def _winning(
    answers: NDArray[np.int64], values: Sequence[NDArray[np.float64] | None]
) -> NDArray[np.float64] | None:
    """Return what stands behind each expert's answer; None if some have nothing."""
    columns = []
    for j, each in enumerate(values):
        if each is None:
            return None
        columns.append(np.take_along_axis(each, answers[:, j : j + 1], axis=1))
    return np.hstack(columns)


def _class_values(
    given: Sequence[ExpertAnswers],
    answers: NDArray[np.int64],
    scores: NDArray[np.float64],
    k: int,
) -> NDArray[np.float64]:
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


def _lots(
    answers: NDArray[np.int64], scores: NDArray[np.float64], seed: int
) -> NDArray[np.uint64]:
    """Return a lot for each row that depends on what experts say of it, and the seed.

    So a row has the same class in any company.
    """
    said = np.hstack([answers.astype(np.float64), scores])
    lots = [
        hashlib.blake2b(row.tobytes(), digest_size=8, key=seed.to_bytes(8, "little"))
        for row in np.ascontiguousarray(said)
    ]
    return np.array([int.from_bytes(lot.digest(), "little") for lot in lots], np.uint64)
