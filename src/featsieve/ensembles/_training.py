"""The members of an ensemble while it is trained: grown, kept, and tried out of bag."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from featsieve.engine import derive_seed, run_tasks
from featsieve.ensembles._members import Columns, Learner, Matrix, MemberPlan
from featsieve.exceptions import DataError

__all__ = ["GrownMember", "Settings", "Training"]

#: Members grown before anybody looks: at the error out of bag, or at the progress. Bags
#: of so many members are in memory.
_AT_A_TIME = 32


@dataclass(frozen=True, slots=True, eq=False)
class GrownMember:
    """A member and what it says about the training rows."""

    estimator: Any
    bag: NDArray[np.int64] | None
    columns: Columns | None
    codes: NDArray[np.int32]
    shares: Matrix | None  # if members vote with them


@dataclass(frozen=True, slots=True)
class Settings:
    """How members vote, and when there are enough."""

    vote: str
    n_members: int
    early_stopping: int | None
    n_jobs: int | None
    progress: Callable[[int, int], Any] | None
    #: Rows that tell how accurate a member is, if votes count as much: "out_of_bag" or
    #: "all".
    accuracy_on: str = "out_of_bag"


class Training:
    """Rows to learn from, and the members that have been kept so far.

    A method of making members differ calls `draw_bag` and `grow` (or `grow_all`) and
    says with `keep` which members stay, and how much their vote counts.
    """

    def __init__(
        self,
        learner: Learner,
        codes: NDArray[np.int32],
        n_classes: int,
        *,
        matrix: Matrix,
        weights: Matrix | None,
        seed: int,
        settings: Settings,
    ) -> None:
        self.codes = codes
        #: The rows as numbers, levels by number, for those who show members less.
        self.matrix = matrix
        self.n_classes = n_classes
        self.n_rows = len(codes)
        #: Weights that the user gave, None where all rows weigh the same.
        self.given_weights = weights
        self.seed = seed
        self._learner = learner
        self._settings = settings
        #: Weights that the next member would have got; for boosting to fill in.
        self.row_weights: Matrix | None = None
        self.members: list[Any] = []
        self.columns: list[Columns | None] = []
        self.votes: list[float] = []
        #: Votes of members that did not see a row, and how many did not.
        self.oob_votes = np.zeros((self.n_rows, n_classes))
        self.oob_members = np.zeros(self.n_rows, dtype=np.int64)
        self._likely = np.bincount(codes, weights=weights, minlength=n_classes).argmax()
        self._best_error = np.inf
        self._best_count = 0
        self._best_votes = (self.oob_votes, self.oob_members)

    def trial(self, *, begin: int, total: int) -> Training:
        """Return a training on the same rows and seed that has kept nobody yet.

        Its progress counts from `begin` to `total`.
        """
        tell = self._settings.progress
        progress = None
        if tell is not None:

            def progress(grown: int, _: int) -> None:
                tell(begin + grown, total)

        return Training(
            self._learner,
            self.codes,
            self.n_classes,
            matrix=self.matrix,
            weights=self.given_weights,
            seed=self.seed,
            settings=replace(self._settings, progress=progress),
        )

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
        seen = self.oob_members > 0
        said = np.where(seen, self.oob_votes.argmax(axis=1), self._likely)
        return float(np.average(said != self.codes, weights=self.given_weights))

    def uniform(self) -> Matrix:
        """Return where weights start: those of the user, or equal ones; sum 1."""
        if self.given_weights is None:
            return np.full(self.n_rows, 1 / self.n_rows)
        scaled: Matrix = self.given_weights / self.given_weights.sum()
        return scaled

    def generator(self, *purpose: str | int) -> np.random.Generator:
        """Return random numbers for one purpose, the same whoever asks when."""
        return np.random.default_rng(derive_seed(self.seed, *purpose))

    def draw_bag(self, number: int, weights: Matrix | None = None) -> NDArray[np.int64]:
        """Return how often each row is drawn into the bag of a member.

        As many rows as there are, with replacement, by `weights` or else by those of
        the user.
        """
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
        self, number: int, weights: Matrix, sampling: str, **more: Any
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
        return self._learner, plan, self.codes, seed, self._settings.vote

    def grow_all(self, plans: Iterable[MemberPlan]) -> None:
        """Grow members that do not depend on each other, and keep them."""
        waiting = iter(plans)
        while True:
            # Drawn one by one, because a plan may hold a copy of the table.
            tasks = map(self._task, itertools.islice(waiting, _AT_A_TIME))
            grown = run_tasks(
                _grow_member,
                tasks,
                n_jobs=self._settings.n_jobs,
                shared_memory=self._learner.shared_memory,
            )
            if not grown or not all(self.keep(member) for member in grown):
                return

    def keep(self, member: GrownMember, vote: float = 1.0) -> bool:
        """Let a member vote; return whether more members are wanted."""
        bag = np.ones(0) if member.bag is None else member.bag
        out = np.flatnonzero(bag == 0)
        if self._settings.vote == "accuracy":
            aside = len(out) and self._settings.accuracy_on == "out_of_bag"
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
        settings = self._settings
        if settings.progress is not None:
            settings.progress(len(self.members), settings.n_members)
        return settings.early_stopping is None or self._still_improves()

    def _still_improves(self) -> bool:
        if not self.oob_members.any():
            message = (
                "early_stopping looks at rows out of bag, and every member has seen "
                "all rows. Draw bags (sampling='resample' or bootstrap=True), or set "
                "early_stopping=None."
            )
            raise DataError(message)
        error = self.oob_error()
        count = len(self.members)
        if error < self._best_error:
            self._best_error, self._best_count = error, count
            self._best_votes = (self.oob_votes.copy(), self.oob_members.copy())
        assert self._settings.early_stopping is not None
        return count - self._best_count < self._settings.early_stopping

    def cut_to_best(self) -> None:
        """Forget the members after the one of least error out of bag."""
        if self._settings.early_stopping is None:
            return
        for kept in (self.members, self.columns, self.votes):
            del kept[self._best_count :]
        self.oob_votes, self.oob_members = self._best_votes


def _grow_member(
    learner: Learner, plan: MemberPlan, codes: NDArray[np.int32], seed: int, vote: str
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
