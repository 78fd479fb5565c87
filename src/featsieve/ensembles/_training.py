"""The members of an ensemble while it is trained: grown, kept, and tried out of bag."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from featsieve._types import Array, Codes, Floats, Ints
from featsieve.data import Table
from featsieve.engine import derive_seed, run_tasks
from featsieve.ensembles._members import (
    Columns,
    Learner,
    MemberPlan,
    make_learner,
    make_rows,
)
from featsieve.exceptions import DataError
from featsieve.trees.api import row_matrix, tree_features

#: Members grown before anybody looks: at the error out of bag, or at the progress. Bags
#: of so many members are in memory.
_AT_A_TIME = 32


@dataclass(frozen=True, slots=True, eq=False)
class GrownMember:
    """A member and what it says about the training rows."""

    estimator: Any
    bag: Ints | None
    columns: Columns | None
    codes: Codes
    shares: Floats | None  # if members vote with them


@dataclass(kw_only=True, eq=False)
class Training:
    """Rows to learn from, and the members that have been kept so far.

    A method of making members differ calls `draw_bag` and `grow` (or `grow_all`) and
    says with `keep` which members stay, and how much their vote counts.
    """

    learner: Learner
    matrix: Floats  # the rows as numbers, for those who show members less
    codes: Codes
    n_classes: int
    given_weights: Floats | None  # by the user; None where all rows weigh the same
    seed: int
    vote: str = "majority"
    n_estimators: int
    n_iter_no_change: int | None = None
    n_jobs: int | None = None
    progress: Callable[[int, int], Any] | None = None
    #: Rows that tell how accurate a member is, if votes count as much; or "all".
    accuracy_on: str = "out_of_bag"

    def __post_init__(self) -> None:
        self.n_rows = len(self.codes)
        #: Weights that the next member would have got; for boosting to fill in.
        self.row_weights: Floats | None = None
        self.members: list[Any] = []
        self.columns: list[Columns | None] = []
        self.votes: list[float] = []
        #: Votes of members that did not see a row, and how many did not.
        self.oob_votes = np.zeros((self.n_rows, self.n_classes))
        self.oob_members = np.zeros(self.n_rows, dtype=np.int64)
        self._best_error = np.inf
        self._best_count = 0
        self._best_votes = (self.oob_votes, self.oob_members)

    @classmethod
    def on(
        cls,
        table: Table,
        codes: Codes,
        estimator: Any,
        classes: Array,
        *,
        named: bool = False,
        **settings: Any,
    ) -> Training:
        """Return a training of such members on a table, columns `named` or not."""
        features = tree_features(table)
        matrix = row_matrix(table, features)
        rows = make_rows(estimator, matrix, features, len(classes))
        return cls(
            learner=make_learner(estimator, table, rows, classes, named=named),
            matrix=matrix,
            codes=codes,
            n_classes=len(classes),
            **settings,
        )

    def trial(self, *, begin: int, total: int) -> Training:
        """Return a training on the same rows and seed that has kept nobody yet.

        Its progress counts from `begin` to `total`.
        """
        tell = self.progress
        if tell is None:
            return replace(self)
        return replace(self, progress=lambda grown, _: tell(begin + grown, total))

    def adopt(self, trial: Training) -> None:
        """Take the members of a trial, and their votes, for one's own."""
        for name in ("members", "columns", "votes", "oob_votes", "oob_members"):
            setattr(self, name, getattr(trial, name))
        self._best_count = len(self.members)
        self._best_votes = (self.oob_votes, self.oob_members)

    def oob_error(self) -> float:
        """Return the error of the votes out of bag so far.

        A row that every member has seen is answered with the most frequent class.
        """
        totals = np.bincount(
            self.codes, weights=self.given_weights, minlength=self.n_classes
        )
        said = self.oob_votes.argmax(axis=1)
        said[self.oob_members == 0] = totals.argmax()
        return float(np.average(said != self.codes, weights=self.given_weights))

    def uniform(self) -> Floats:
        """Return where weights start: those of the user, or equal ones; sum 1."""
        if self.given_weights is None:
            return np.full(self.n_rows, 1 / self.n_rows)
        return self.given_weights / self.given_weights.sum()

    def generator(self, *purpose: str | int) -> np.random.Generator:
        """Return random numbers for one purpose, the same whoever asks when."""
        return np.random.default_rng(derive_seed(self.seed, *purpose))

    def draw_bag(self, number: int, weights: Floats | None = None) -> Ints:
        """Return how often each row is drawn into a bag, by these or given weights."""
        generator = self.generator("bag", number)
        weights = self.given_weights if weights is None else weights
        if weights is None:
            drawn = generator.integers(0, self.n_rows, self.n_rows)
        else:
            sums = np.cumsum(weights)
            points = generator.random(self.n_rows) * sums[-1]
            drawn = np.searchsorted(sums, points, side="right")
            last = np.flatnonzero(weights)[-1]  # where rounding may lead beyond
            drawn = np.minimum(drawn, last)
        return np.bincount(drawn, minlength=self.n_rows)

    def plan_by_weights(
        self, number: int, weights: Floats, sampling: str, **more: Any
    ) -> MemberPlan:
        """Return a plan to draw a bag by these weights, or to weigh the rows by them.

        Weights of rows have mean 1, for learners that take a weight of 2 for two rows.
        """
        if sampling == "resample":
            return MemberPlan(number, bag=self.draw_bag(number, weights), **more)
        scaled = weights * (self.n_rows / weights.sum())
        return MemberPlan(number, weights=scaled, **more)

    def grow(self, plan: MemberPlan) -> GrownMember:
        """Return a new member; it is not kept yet."""
        return _grow_member(*self._task(plan))

    def _task(self, plan: MemberPlan) -> tuple[Any, ...]:
        seed = derive_seed(self.seed, "member", plan.number)
        return self.learner, plan, self.codes, seed, self.vote

    def grow_all(self, plans: Iterable[MemberPlan]) -> None:
        """Grow members that do not depend on each other, and keep them."""
        waiting = iter(plans)
        while True:
            # Drawn one by one, because a plan may hold a copy of the table.
            tasks = map(self._task, itertools.islice(waiting, _AT_A_TIME))
            shared = self.learner.shared_memory
            grown = run_tasks(
                _grow_member, tasks, n_jobs=self.n_jobs, shared_memory=shared
            )
            if not grown or not all(self.keep(member) for member in grown):
                return

    def keep(self, member: GrownMember, vote: float = 1.0) -> bool:
        """Let a member vote; return whether more members are wanted."""
        bag = np.ones(0) if member.bag is None else member.bag
        out = np.flatnonzero(bag == 0)
        if self.vote == "accuracy":
            aside = len(out) and self.accuracy_on == "out_of_bag"
            asked = out if aside else slice(None)
            vote *= float(np.mean(member.codes[asked] == self.codes[asked]))
        self.members.append(member.estimator)
        self.columns.append(member.columns)
        self.votes.append(vote)
        if len(out):
            if member.shares is None:
                self.oob_votes[out, member.codes[out]] += vote
            else:
                self.oob_votes[out] += vote * member.shares[out]
            self.oob_members[out] += 1
        if self.progress is not None:
            self.progress(len(self.members), self.n_estimators)
        return self.n_iter_no_change is None or self._still_improves()

    def _still_improves(self) -> bool:
        if not self.oob_members.any():
            raise DataError(
                "n_iter_no_change looks at rows out of bag, and every member has seen "
                "all rows. Draw bags (sampling='resample' or bootstrap=True), or set "
                "n_iter_no_change=None."
            )
        error = self.oob_error()
        count = len(self.members)
        if error < self._best_error:
            self._best_error, self._best_count = error, count
            self._best_votes = (self.oob_votes.copy(), self.oob_members.copy())
        assert self.n_iter_no_change is not None
        return count - self._best_count < self.n_iter_no_change

    def cut_to_best(self) -> None:
        """Forget the members after the one of least error out of bag."""
        if self.n_iter_no_change is None:
            return
        for kept in (self.members, self.columns, self.votes):
            del kept[self._best_count :]
        self.oob_votes, self.oob_members = self._best_votes


def _grow_member(
    learner: Learner, plan: MemberPlan, codes: Codes, seed: int, vote: str
) -> GrownMember:
    estimator = learner.fit(plan, codes, seed)
    rows = learner.rows_of(plan)
    shares = None
    if vote == "probability":
        shares = rows.shares(estimator, plan.columns)
        said = shares.argmax(axis=1).astype(np.int32)
    else:
        said = rows.codes(estimator, plan.columns)
    return GrownMember(estimator, plan.bag, plan.columns, said, shares)
