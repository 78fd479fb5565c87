"""Whether features tell anything once others are known: by orders, and drawn anew."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from featsieve._types import Array, Codes, Floats, Positions
from featsieve.data import Column
from featsieve.inference._exchange import FREE, Exchange, permutation_p_value
from featsieve.inference._score_tests import normal_scores, rank_columns
from featsieve.measures import information_gain, joint_codes, symmetrical_uncertainty

#: Joint codes that are kept at a time; each is one int32 per row.
REMEMBERED_CODES = 256


class TupleGains:
    """What sets of features tell about a class together.

    Parameters
    ----------
    codes : ndarray of shape (n_rows, n_features)
        Codes; negative is missing.
    classes : ndarray of int32 of shape (n_rows,)
        Class codes.
    missing : {"level", "ignore"}
        Whether missing is one more level, or rows with any missing value of the set
        are left out.
    weights : ndarray of float64 of shape (n_rows,) or None
        Weight of each row.
    """

    def __init__(
        self, codes: Array, classes: Codes, missing: str, weights: Floats | None
    ) -> None:
        self.codes = codes
        self.classes = classes
        self.missing = missing
        self.weights = weights
        self._gains: dict[tuple[int, ...], float] = {(): 0.0}
        self._joint = functools.lru_cache(maxsize=REMEMBERED_CODES)(self._join)

    def __call__(self, features: Iterable[int]) -> float:
        """Return the joint gain of a set of features, in bits."""
        key = tuple(sorted(set(features)))
        if key not in self._gains:
            self._gains[key] = float(
                information_gain(
                    self.cells(key),
                    self.classes,
                    weights=self.weights,
                    missing="ignore",
                )
            )
        return self._gains[key]

    def cells(self, features: Iterable[int]) -> Codes:
        """Return the joint value of a set of features in every row, as one code."""
        return self._joint(tuple(sorted(set(features))))

    def _join(self, key: tuple[int, ...]) -> Codes:
        cells = np.zeros(len(self.classes), dtype=np.int32)
        unknown = np.zeros(len(cells), dtype=bool)
        n_cells = 1
        for feature in key:
            column = self.codes[:, feature]
            unknown |= column < 0
            # Once every row is a cell of its own, more features divide nothing.
            if n_cells < len(cells):
                cells = joint_codes(cells, column)
                n_cells = int(cells.max()) + 1
        if self.missing == "ignore":
            cells[unknown] = -1
        return cells

    def best_partition(
        self, features: Iterable[int]
    ) -> tuple[float, tuple[tuple[int, ...], ...]]:
        """Return the most that a split of the set into parts tells, and the parts.

        Definition 4 of the BIFS thesis: a set is a real interaction if it tells more
        than every partition of it into at least two parts, the gains of whose parts are
        added. Found by recursion over subsets, O(3^k).
        """
        whole = tuple(sorted(set(features)))

        @functools.cache
        def best(
            members: tuple[int, ...],
        ) -> tuple[float, tuple[tuple[int, ...], ...]]:
            return max(
                (self(members), (members,)),
                split(members),
                key=lambda found: found[0],
            )

        def split(
            members: tuple[int, ...],
        ) -> tuple[float, tuple[tuple[int, ...], ...]]:
            champion: tuple[float, tuple[tuple[int, ...], ...]] = (-np.inf, ())
            first, others = members[0], members[1:]
            # The part that holds the first member, and the best of what is left.
            for size in range(len(others)):
                for some in itertools.combinations(others, size):
                    rest = tuple(m for m in others if m not in some)
                    gain, parts = best(rest)
                    total = self((first, *some)) + gain
                    if total > champion[0] + 1e-12:
                        champion = (total, ((first, *some), *parts))
            return champion

        if len(whole) < 2:
            return 0.0, ()
        return split(whole)


#: Draws of one test; enough to reject at a level of 0.05 shared by twenty sets.
MOST_DRAWS = 999
STOP_AFTER = 20

#: Draws of the test of a synergy; p-values below 1 % are enough to say "real".
SYNERGY_DRAWS = 199

#: Rows per cell of given and tested features below which a test sees nothing.
ROWS_PER_CELL = 5

#: Rows above which a test is made on a sample: more would only sharpen a clear answer.
MOST_ROWS = 20_000


def conditioning_set(
    gains: TupleGains, features: tuple[int, ...], others: list[int]
) -> tuple[int, ...]:
    """Return those of the others that could stand in for the features.

    Those that resemble the features most come first, since what is like them can
    displace them; as many as leave several rows to a cell, since beyond that no test
    has any power. Of equal ones the earlier is preferred.
    """
    own = gains.cells(features)
    likeness = [
        symmetrical_uncertainty(gains.codes[:, other], own, weights=gains.weights)
        for other in others
    ]
    chosen: tuple[int, ...] = ()
    # Renamed levels are counted in another order, which the last digit may show.
    for k in np.argsort(-np.round(likeness, 12), kind="stable").tolist():
        wider = (*chosen, others[k])
        n_cells = int(gains.cells((*wider, *features)).max(initial=-1)) + 1
        if n_cells * ROWS_PER_CELL <= len(gains.classes):
            chosen = wider
    return chosen


def conditional_p_value(
    gains: TupleGains,
    features: tuple[int, ...],
    given: tuple[int, ...],
    seed: int,
    exchange: Exchange = FREE,
) -> float:
    """Test that `features` tell nothing about the class beyond `given`.

    The class is permuted inside the cells of the given features, which keeps what they
    tell and breaks all else; exact, and stopped early where the answer is no.
    """
    random = np.random.default_rng(seed)
    cells = gains.cells(given)
    joint = gains.cells((*given, *features))
    # Left out where missing values are ignored; otherwise missing is a level.
    rows = np.flatnonzero(joint >= 0)
    if len(rows) > MOST_ROWS:
        rows = rows[random.choice(len(rows), MOST_ROWS, replace=False)]
    rows = rows[np.argsort(cells[rows], kind="stable")]
    joint, classes = joint[rows], gains.classes[rows]
    n_classes = int(classes.max(initial=0)) + 1
    return permutation_p_value(
        lambda order: _information(joint, classes[order], n_classes),
        len(rows),
        exchange.take(rows).within(cells[rows]),
        random,
        most_draws=MOST_DRAWS,
        stop_after=STOP_AFTER,
        tie=1e-9,
    )


def synergy_p_value(
    gains: TupleGains,
    members: tuple[int, ...],
    seed: int,
    exchange: Exchange = FREE,
) -> float:
    """Test that a set tells no more about the class than its best split into parts.

    Plug-in gains of many cells are large on any small sample, which flatters the whole
    set; under permuted classes it is flattered in the same way.
    """
    everyone = range(len(members))
    codes = gains.codes[:, list(members)]

    def synergy(order: Positions) -> float:
        weights = None if gains.weights is None else gains.weights[order]
        moved = TupleGains(codes, gains.classes[order], gains.missing, weights)
        return moved(everyone) - moved.best_partition(everyone)[0]

    return permutation_p_value(
        synergy,
        len(gains.classes),
        exchange,
        np.random.default_rng(seed),
        most_draws=SYNERGY_DRAWS,
        stop_after=STOP_AFTER,
    )


def _information(joint: Codes, classes: Codes, n_classes: int) -> float:
    """Return Σ c log2 c over the cells: all of the gain that permuting can change."""
    counts = np.bincount(joint.astype(np.int64) * n_classes + classes)
    counts = counts[counts > 1]
    return float(counts @ np.log2(counts))


#: Draws that the columns themselves are held against: the least p-value is .025.
DRAWS = 39

#: A number of so many values is drawn as a nominal column is.
MOST_LEVELS = 8

#: Steps of a logistic regression.
STEPS = 100


class ConditionalDraws:
    """Columns like the given ones, that have nothing of the target but what others say.

    A drawn column has the values of the real one. It goes with the directions that are
    given as that does, and with nothing else. A number is what these fit of its normal
    scores and the rest of another row, the same one for all numbers, so that these go
    together as they did; the sum is replaced by the value of its rank. Whether a value
    is missing, and levels of a nominal column or of a number that has few values, are
    drawn from the shares that a logistic regression fits.

    Parameters
    ----------
    columns : sequence of Column
        The columns.
    given : ndarray of shape (n_rows, n_given)
        Orthonormal directions, centred.
    """

    def __init__(self, columns: Sequence[Column], given: Floats) -> None:
        self._columns, self._given = tuple(columns), given
        self._n_rows = len(given)
        self._all = np.arange(self._n_rows)
        # What is fitted is nearer to the rows than the truth is; the rest makes up.
        n_free = max(self._n_rows - 1 - given.shape[1], 1)
        self._stretch = np.sqrt(max(self._n_rows - 1, 1) / n_free)
        self._parts = [self._prepare(column) for column in columns]

    def draw(self, random: np.random.Generator) -> tuple[Column, ...]:
        """Return the columns, drawn anew."""
        donors = random.permutation(self._n_rows)
        return tuple(
            replace(column, values=self._values(column, parts, donors, random))
            for column, parts in zip(self._columns, self._parts, strict=True)
        )

    def _prepare(self, column: Column) -> _Parts:
        """Return what to draw from; the last level is that of missing values."""
        missing = column.missing
        known = np.unique(column.values[~missing])
        if column.is_nominal or len(known) <= MOST_LEVELS:
            levels = np.append(known, -1 if column.is_nominal else np.nan)
            codes = np.full(self._n_rows, len(known))
            codes[~missing] = np.searchsorted(known, column.values[~missing])
            return _Parts(self._fitted(np.eye(len(levels))[codes]), levels)
        scores = normal_scores(rank_columns(column.values[np.newaxis]))[0]
        if missing.any():
            constant = np.ones((self._n_rows, 1))
            lines = np.hstack([constant, self._given])
            fit = lines @ np.linalg.lstsq(lines[~missing], scores[~missing])[0]
        else:
            fit = self._given @ (self._given.T @ scores)
        # The rest of a row without a value is that of any row with one.
        pool = np.flatnonzero(~missing)
        donors = np.where(missing, pool[self._all % len(pool)], self._all)
        rest = ((scores - fit) * self._stretch)[donors]
        shares = self._fitted(np.column_stack([~missing, missing]).astype(np.float64))
        return _Parts(shares, np.sort(column.values[~missing]), fit, rest)

    def _fitted(self, flags: Floats) -> Floats:
        """Return the shares of levels in every row; where all have one, just that."""
        one = flags.all(axis=0).any()
        return flags if one else fitted_shares(flags, self._given)

    def _values(
        self,
        column: Column,
        parts: _Parts,
        donors: Positions,
        random: np.random.Generator,
    ) -> Array:
        sums = parts.shares.cumsum(axis=1)
        points = random.random(self._n_rows) * sums[:, -1]
        codes = (points[:, np.newaxis] >= sums).sum(axis=1)
        if parts.fit is None or parts.rest is None:
            return parts.values[codes].astype(column.values.dtype)
        rows = np.flatnonzero(codes == 0)
        scores = (parts.fit + parts.rest[donors])[rows]
        values = np.full(self._n_rows, np.nan)
        # As many known values as rows, spread evenly over those of the column.
        places = (np.arange(len(rows)) + 0.5) * len(parts.values) / max(len(rows), 1)
        chosen = parts.values[places.astype(np.intp)]
        values[rows[np.argsort(scores, kind="stable")]] = chosen
        return values


class _Parts(NamedTuple):
    """What a column is drawn from.

    The shares of its levels in every row, and the values of these; of a number with
    many values the shares of known and missing ones, the known ones sorted, what is
    fitted of its scores, and the rest.
    """

    shares: Floats
    values: Floats
    fit: Floats | None = None
    rest: Floats | None = None


def fitted_shares(flags: Floats, given: Floats) -> Floats:
    """Return the shares of levels in every row, by a logistic regression on directions.

    `flags` has a column of zeros and ones per level. Every step uses the bound that
    Böhning has given for the curvature, so the likelihood never falls; it ends early,
    before shares of rows that can be separated are 0 and 1.
    """
    seen = flags.any(axis=0)
    mean = flags.mean(axis=0)
    begin = np.where(seen, np.log(np.where(seen, mean, 1.0)), -np.inf)
    constant = np.full((len(flags), 1), 1 / np.sqrt(len(flags)))
    directions = np.hstack([constant, given])
    weights = np.zeros((directions.shape[1], flags.shape[1]))
    shares = np.broadcast_to(mean, flags.shape)
    for _ in range(STEPS):
        weights += 2 * directions.T @ (flags - shares)
        power = begin + directions @ weights
        shares = np.exp(power - power.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
    return shares


def drawn_p_value(
    loss: Callable[[Sequence[Column]], float],
    columns: Sequence[Column],
    given: Floats,
    seed: int,
    n_draws: int = DRAWS,
) -> float:
    """Return the p-value of columns beside what is given, by what a learner loses.

    `loss` says how much a learner errs that sees the columns beside the given ones. If
    it errs less than with every draw of them, the p-value is 1 / (`n_draws` + 1); the
    first draw that does as well ends the test, as Besag and Clifford have it. A column
    that only stands in for the given ones is as good as its draws.
    """
    draws = ConditionalDraws(columns, given)
    random = np.random.default_rng(seed)
    found = loss(columns)
    for drawn in range(1, n_draws + 1):
        if loss(draws.draw(random)) <= found:
            return 1 / drawn
    return 1 / (n_draws + 1)
