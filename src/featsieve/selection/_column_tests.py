"""Several tests of one column against the target, and one p-value from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from featsieve._types import Floats, Ints, Mask
from featsieve.data import MDLDiscretizer
from featsieve.engine import derive_seed
from featsieve.inference.api import (
    STAGE_WEIGHTS,
    Scoring,
    TalliedFeatures,
    associate,
    combine_p_values,
    permutation_test,
)
from featsieve.tallies import Tally

#: Returns rows per distinct number, ascending; called only if they are needed.
Runs = Callable[[], Ints]

#: The tests of a column and their weights, by what the target and the column are.
#: Plain effects, a rise or a fall, have most of the weight: "ranks", "normal" (scores)
#: and "means" compare a number between classes; of a quantity "ranks" is a correlation
#: of ranks, "means" one of its values with normal scores, "lines" one of values with
#: values. The others see shapes: "levels" is the table of levels or bins and classes
#: (of a quantity its thirds, which shows a spread that changes), "bins" compares the
#: ranks of a quantity in them, "cuts" looks for the places where the class changes,
#: "values" takes distinct numbers as levels, "mode" is the most frequent number against
#: the rest (0, 999), "gaps" missing against known.
PLAIN_OF_CLASSES = {"ranks": 0.2, "normal": 0.25, "means": 0.25}
PLAIN_OF_QUANTITY = {"ranks": 0.2, "means": 0.25, "lines": 0.25}
SHAPES_OF_CLASSES = {"levels": 0.15, "cuts": 0.15}
SHAPES_OF_QUANTITY = {"levels": 0.15, "bins": 0.15}
FURTHER = {"values": 0.15, "mode": 0.15, "gaps": 0.15}
NOMINAL_OF_CLASSES = {"levels": 1.0}
NOMINAL_OF_QUANTITY = {"bins": 0.5, "means": 0.3, "levels": 0.2}

#: Few rows cannot show a shape, and the weight that is given to one is missed where it
#: matters: between these numbers of rows the weight of shapes grows. So does that of
#: ranks, which see what normal scores do: an effect that few rows show must be strong
#: in one test, and each further one takes its part of the weight.
FEW_ROWS, ENOUGH_ROWS = 50, 1000

#: Of the stages after the first this part of their weight is left, however few rows.
LEAST_SUPPORT = 0.25

#: Rows that a cell must expect for the law of chi-square to hold (Cochran).
LEAST_EXPECTED = 5.0

#: Permutations of a column at most. P-values do not depend on the rate that is asked
#: for, so that a larger one never keeps less: nobody asks for a smaller rate than this.
MOST_DRAWS = 20_000
LEAST_RATE = 0.001


@dataclass(frozen=True, slots=True, eq=False)
class ColumnTests:
    """What is known of single columns before the tests that need permutations.

    `levels` is the table of every column: its levels, or bins of equal frequency; of
    `wide` columns, numbers of more than two values, further tests are made. `scores`
    are p-values by the name of their test, NaN where it is not made; `tables` further
    tables by name and column. `cut` returns the tallies of wide columns that MDL cuts,
    by position, with the rows per distinct number; None if they are not to be cut.
    """

    levels: list[Tally]
    class_totals: Ints
    wide: Mask
    is_quantity: bool = False
    scores: dict[str, Floats] = field(default_factory=dict)
    tables: dict[str, dict[int, Tally]] = field(default_factory=dict)
    cut: Callable[[], dict[int, tuple[Tally, Runs]]] | None = None


@dataclass(frozen=True, slots=True)
class Draws:
    """How far permutations go, and their seed."""

    most: int
    seed: int
    n_jobs: int | None


def weigh_columns(columns: ColumnTests, draws: Draws) -> tuple[Floats, list[Tally]]:
    """Test each column in several ways and combine the tests.

    Also returns the tallies that say most: cut ones where there are cuts. Columns that
    the other tests leave no doubt about are not cut anew in permutations.
    """
    n_columns = len(columns.levels)
    best = list(columns.levels)
    tests = dict(columns.scores)
    tests.update(_test_tables(columns, draws))
    weights = weights_of(columns)
    if columns.cut is not None:
        tests["cuts"] = np.where(columns.wide, 1.0, np.nan)
        undecided = _combined(tests, weights) > LEAST_RATE / n_columns
        cut = columns.cut()
        open_ones = [j for j in cut if undecided[j] and weights["cuts"][j] > 0]
        tests["cuts"][open_ones] = _test_cuts(
            [cut[j] for j in open_ones], columns.class_totals, draws
        )
        for j, (tally, _) in cut.items():
            best[j] = tally
    return _combined(tests, weights), best


def weights_of(columns: ColumnTests) -> dict[str, Floats]:
    """Return the weight of every test in every column."""
    support = shape_support(int(columns.class_totals.sum()))
    plain, shapes, nominal = (
        (PLAIN_OF_QUANTITY, SHAPES_OF_QUANTITY, NOMINAL_OF_QUANTITY)
        if columns.is_quantity
        else (PLAIN_OF_CLASSES, SHAPES_OF_CLASSES, NOMINAL_OF_CLASSES)
    )
    few = shapes | FURTHER | {"ranks": plain["ranks"]}
    number = plain | {name: weight * support for name, weight in few.items()}
    names = {*number, *nominal}
    return {
        name: np.where(columns.wide, number.get(name, 0.0), nominal.get(name, 0.0))
        for name in names
    }


def stage_weights(n_rows: int) -> dict[str, float]:
    """Return the weights of the stages; of few rows plain effects have most of it.

    What matters only together or in a forest must stand out there by far to be seen at
    all, and then does so at a smaller weight, too.
    """
    support = max(LEAST_SUPPORT, shape_support(n_rows))
    return {
        stage: weight * (support if stage in ("together", "context") else 1.0)
        for stage, weight in STAGE_WEIGHTS.items()
    }


def shape_support(n_rows: int) -> float:
    """Return how much weight so many rows leave to tests that see shapes, up to 1."""
    share = (n_rows - FEW_ROWS) / (ENOUGH_ROWS - FEW_ROWS)
    return float(np.clip(share, 0.0, 1.0))


def _combined(tests: dict[str, Floats], weights: dict[str, Floats]) -> Floats:
    names = sorted(tests)
    return combine_p_values(
        np.stack([tests[name] for name in names]),
        np.stack([weights[name] for name in names]),
    )


def _test_tables(columns: ColumnTests, draws: Draws) -> dict[str, Floats]:
    """Test tables of levels and classes: by chi-square, or by permutation if sparse."""
    n_columns = len(columns.levels)
    wanted = {"levels": dict(enumerate(columns.levels)), **columns.tables}
    weights = weights_of(columns)
    places = [
        (name, j)
        for name, tallies in wanted.items()
        for j in tallies
        if weights[name][j] > 0
    ]
    tallies = [wanted[name][j] for name, j in places]
    found = {name: np.full(n_columns, np.nan) for name in wanted}
    for (name, j), p_value in zip(
        places, table_p_values(tallies, columns.class_totals, draws), strict=True
    ):
        found[name][j] = p_value
    return found


def table_p_values(tallies: list[Tally], class_totals: Ints, draws: Draws) -> Floats:
    """Test tables of levels and classes, missing values being one of the levels.

    Where every cell expects five rows, by the law of chi-square; else by permutation,
    which is exact. Where no draw comes near, chi-square says how much further it is: no
    number of draws that anybody waits for would.
    """
    by_law = np.array([associate(tally.table).p_value for tally in tallies])
    sparse = [k for k, tally in enumerate(tallies) if _is_sparse(tally)]
    if not sparse:
        return by_law
    few = [tallies[k] for k in sparse]
    scoring = Scoring("information_gain", "level", None)
    test = permutation_test(
        TalliedFeatures(few, class_totals, lambda: [None] * len(few)),
        scoring.scores(few),
        scoring,
        alpha=LEAST_RATE,
        seed=derive_seed(draws.seed, "alone"),
        n_jobs=draws.n_jobs,
        max_draws=draws.most,
    )
    beyond = test.p_values * (test.draws + 1) < 1.5
    p_values = by_law.copy()
    p_values[sparse] = np.where(
        beyond, np.minimum(test.p_values, by_law[sparse]), test.p_values
    )
    return p_values


def _is_sparse(tally: Tally) -> bool:
    rows, classes = tally.table.sum(axis=1), tally.table.sum(axis=0)
    rows, classes = rows[rows > 0], classes[classes > 0]
    if len(rows) < 2 or len(classes) < 2:
        return False
    least = float(rows.min()) * float(classes.min()) / float(classes.sum())
    return least < LEAST_EXPECTED


def _test_cuts(
    cut: list[tuple[Tally, Runs]], class_totals: Ints, draws: Draws
) -> Floats:
    """Test columns cut by MDL; chosen with the class in sight, cuts have no other law.

    A column that is not cut scores nothing but by its missing values, which the table
    of levels has seen.
    """
    if not cut:
        return np.empty(0)
    tallies = [tally for tally, _ in cut]
    scoring = Scoring("information_gain", "level", MDLDiscretizer().price)
    test = permutation_test(
        TalliedFeatures(tallies, class_totals, lambda: [runs() for _, runs in cut]),
        scoring.scores(tallies),
        scoring,
        alpha=LEAST_RATE,
        seed=derive_seed(draws.seed, "cuts"),
        n_jobs=draws.n_jobs,
        max_draws=draws.most,
    )
    return test.p_values
