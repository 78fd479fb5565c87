"""Native kernels of featsieve; import them through featsieve._kernels."""

from collections.abc import Sequence
import enum
from typing import Annotated, Any, Final, overload

import numpy
from numpy.typing import NDArray


class CutPrice(enum.Enum):
    """How the price of a cut is reckoned."""

    FAYYAD_IRANI = 0

    BETTER = 1

    KONONENKO = 2

def mdl_cuts(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, price: CutPrice) -> NDArray[numpy.float64]:
    """Ascending cut points of one numeric column."""

def tie_runs(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]:
    """Lengths of the runs of equal values, ascending."""

def apply_cuts(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cuts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
    """Number of cuts below each value; -1 for NaN."""

@overload
def encode_bytes(values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.uint8] | None: ...

@overload
def encode_bytes(values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.uint8] | None: ...

@overload
def encode_bytes(values: Annotated[NDArray[numpy.int64], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.uint8] | None: ...

@overload
def encode_bytes(values: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.uint8] | None:
    """
    Whole numbers 0..255 as bytes, one row of the result per column of the input; None if any value is something else.
    """

class TextCoder:
    """
    Numbers texts of Arrow columns in order of appearance; -1 for missing ones.
    """

    def __init__(self) -> None: ...

    def code_offsets(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], text: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], validity: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, offset: int, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Write the codes of a column of large strings."""

    @property
    def levels(self) -> list[str]:
        """The texts, by code."""

def recode_levels(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], used: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write table[code + 1] to `out`, which may be `codes`, and mark by code + 1 which levels occur.
    """

def greatest_size(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """The greatest distance from zero, NaN left out; 0 if there is no value."""

def whole_to_double(values: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> float:
    """
    Turn whole numbers into doubles where they stand; return the greatest distance from zero.
    """

class Missing(enum.Enum):
    """What becomes of rows with a missing value."""

    LEVEL = 0

    IGNORE = 1

    SPREAD = 2

class Measure(enum.Enum):
    """What is computed from a table."""

    INFORMATION_GAIN = 0

    GAIN_RATIO = 1

    SYMMETRICAL_UNCERTAINTY = 2

def count_levels(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.int32]:
    """Largest code + 1 of every column."""

def class_entropies(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, missing: Missing) -> NDArray[numpy.float64]:
    """Per column: total, known, H(x), H(y), H(x, y), levels, classes, cells."""

def class_tables(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]:
    """
    The tables of all columns, flat: (levels + 1) × classes each, the last row of each for missing values.
    """

def expected_information(row_totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
    """Mean mutual information, in bits, over all tables with these margins."""

def table_null(level_totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], class_totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], observed: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], measure: Measure, missing: Missing, max_draws: int, stop_after: int, seed: int) -> NDArray[numpy.int64]:
    """Per observed score: permutations that reached it, permutations drawn."""

def mdl_null(runs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_missing: int, class_totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], observed: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], price: CutPrice, measure: Measure, missing: Missing, max_draws: int, stop_after: int, seed: int) -> NDArray[numpy.int64]:
    """Per observed score: permutations that reached it, permutations drawn."""

def mdl_null_together(runs: Sequence[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], observed: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], class_totals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], price: CutPrice, measure: Measure, missing: Missing, max_draws: int, stop_after: int, seed: int) -> NDArray[numpy.int64]:
    """
    mdl_null of many features on the same permutations; results one after another.
    """

class NeighbourVote(enum.Enum):
    """What neighbours say."""

    REAL = 0

    SIGN = 1

class ConflictScope(enum.Enum):
    """What conflicting labels weigh less in."""

    NONE = 0

    ROUNDS = 1

    ROUNDS_AND_CRITERION = 2

class NeighbourScanner:
    """How well neighbours in subsets tell the classes."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, left_out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, leave_one_out: bool = True, instructions: Instructions | None = None) -> None:
        """Columns by rows, in values and in codes of equal values."""

    def right(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_neighbours: int) -> NDArray[numpy.int64]:
        """Rows that are classified rightly, per subset."""

    def boosting(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_neighbours: int, n_rounds: int, vote: NeighbourVote, conflict: ConflictScope) -> NDArray[numpy.float64]:
        """Z after 1, 2, ... rounds, per subset."""

    def rounds(self, subset: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_neighbours: int, positive: int, n_rounds: int, vote: NeighbourVote, conflict: ConflictScope) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """r, alpha and Z of the rounds; weights and margins of the rows."""

class NeighbourVotes:
    """Classes of queries by the votes of the nearest rows."""

    def __init__(self, rows: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], queries: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], kinds: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], instructions: Instructions | None = None) -> None:
        """Both column by column."""

    def of_exactly(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_neighbours: int, n_classes: int, slack: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
        """By so many rows and no more; -1 where equal distances leave it open."""

    def with_ties(self, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_neighbours: int, order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int32]:
        """By these and all as near as the last; equal votes go by the order."""

class Instructions(enum.Enum):
    """Which instructions count; all give the same numbers."""

    PORTABLE = 0

    AVX2 = 1

    AVX512 = 2

class PairScore(enum.Enum):
    """What pairs are ranked by."""

    SYNERGY = 0

    JOINT_GAIN = 1

def best_instructions() -> Instructions:
    """The best counting instructions of this machine."""

def has_instructions(instructions: Instructions) -> bool:
    """Whether this machine has these counting instructions."""

class PairScanner:
    """Joint information gain of all pairs of features."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Encode the codes for scanning; a new permutation of the classes is a new scanner, which costs O(n p), far less than a scan.
        """

    @property
    def n_features(self) -> int:
        """The number of features."""

    def gains(self) -> NDArray[numpy.float64]:
        """Gain of every feature alone."""

    def block_begins(self) -> NDArray[numpy.int64]:
        """First features at which a scan may be cut at no cost, and the end."""

    def scan(self, begin: int, end: int, joint_gain: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], synergy: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Write the gains of all pairs (i, j), begin <= i < end and i < j, in order.
        """

    def scan_top(self, begin: int, end: int, k: int, score: PairScore) -> tuple[NDArray[numpy.int32], NDArray[numpy.int32], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """The best k of those pairs: first, second, joint gain, synergy."""

class TupleScanner:
    """Joint information gain of given sets of features."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Encode the codes for counting."""

    def gains(self, features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """One gain per set features[begins[k]:begins[k + 1]]."""

class ValueCounts:
    """Rows per value and class of a numeric column, part by part."""

    def __init__(self, n_classes: int, most_values: int) -> None: ...

    def add(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add rows; NaN is missing, rows of a negative class are left out."""

    def __getstate__(self) -> tuple[int, tuple[NDArray[numpy.uint64], NDArray[numpy.int64], NDArray[numpy.int64], int, float, float]]: ...

    def __setstate__(self, arg: tuple[int, tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], int, float, float]], /) -> None: ...

    def merge(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], dropped_bits: int, least: float, greatest: float) -> None:
        """Add what was counted elsewhere."""

    def table(self) -> tuple[NDArray[numpy.uint64], NDArray[numpy.int64], NDArray[numpy.int64], int, float, float]:
        """
        Ascending keys, counts per key and class, missing values per class, dropped bits, least and greatest value.
        """

class PairCounts:
    """Joint tables of all pairs with a class, part by part."""

    def __init__(self, levels: Sequence[int], n_classes: int, instructions: Instructions) -> None: ...

    def start(self, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        Take the classes of the next rows; those of a negative one are left out.
        """

    def write(self, j: int, codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """
        Take a feature in these rows, each code at its place and negative ones at the last; return the largest place.
        """

    def leave_out(self, j: int) -> None:
        """Take level 0 of a feature for all of these rows."""

    def finish(self) -> None:
        """Add the rows, of which every feature must have been written."""

    def change_levels(self, levels: Sequence[int], places: Sequence[Sequence[int]]) -> None:
        """Have other levels, places[j][a] for what was level a of feature j."""

    def margins(self, j: int) -> NDArray[numpy.int64]:
        """Rows per class and level of a feature that were finished here."""

    def merge_levels(self, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Sequence[int], features: Sequence[int], places: Sequence[Sequence[int]]) -> None:
        """
        Add what was counted elsewhere with other levels: feature j is features[j] there, and its level a is places[j][a] here.
        """

    def merge(self, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add what was counted elsewhere."""

    def counts(self) -> NDArray[numpy.int64]:
        """All tables, one after another."""

    def offset(self, i: int, j: int) -> int:
        """Where the table of a pair begins: classes × levels × levels."""

    def interactions(self, first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.int64]]:
        """
        X² and deviance of pairs from no three-way interaction, and degrees of freedom.
        """

    def gains(self) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """Joint gain and synergy of all pairs in order."""

def add_by_class(codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], table: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu')], missing: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Add rows to the table at the places of their codes."""

def counted_cuts(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], dropped_bits: int, price: CutPrice) -> NDArray[numpy.float64]:
    """MDL cuts of a counted column."""

def three_way_distances(table: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> tuple[float, float, int]:
    """
    X² and deviance of class × first × second counts from no three-way interaction, and degrees of freedom.
    """

def key_ranges(keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], dropped_bits: int) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """The smallest and the greatest number that count under each key."""

def counted_entropies(table: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], missing: Missing) -> NDArray[numpy.float64]:
    """
    Total, known, H(x), H(y), H(x, y), levels, classes, cells of (levels + 1) × classes counts, the last row for missing values.
    """

class ReliefScanner:
    """How neighbours of a row differ from it, by feature."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], expected: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], groups: Sequence[int], begins: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], factors: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], quantities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, instructions: Instructions | None = None) -> None:
        """Rows of mixed columns, class by class; the arrays stay where they are."""

    def nearest(self, anchors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_neighbours: int, sigma: float = 0.0, file_order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.uint8]]:
        """What anchors tell by the nearest rows of each class."""

    def near(self, anchors: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], same: float = 0.0) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.uint8]]:
        """What anchors tell by the rows that are nearer than usual."""

class SplitScore(enum.Enum):
    """What a split is scored by."""

    INFORMATION_GAIN = 0

    GAIN_RATIO = 1

    GINI = 2

    VARIANCE = 3

class MissingCases(enum.Enum):
    """Where a case goes whose value is missing."""

    FRACTIONAL = 0

    LARGEST = 1

class FailedDraw(enum.Enum):
    """What becomes of a node whose drawn features are constant."""

    REDRAW = 0

    LEAF = 1

class FeatureCost(enum.Enum):
    """Price of naming a feature in the MDL rule."""

    NONE = 0

    WITHOUT_KEY = 1

    FULL = 2

class GrowthRules:
    """All that sets one kind of tree apart from another."""

    def __init__(self) -> None: ...

    @property
    def score(self) -> SplitScore: ...

    @score.setter
    def score(self, arg: SplitScore, /) -> None: ...

    @property
    def missing(self) -> MissingCases: ...

    @missing.setter
    def missing(self, arg: MissingCases, /) -> None: ...

    @property
    def all_levels(self) -> bool: ...

    @all_levels.setter
    def all_levels(self, arg: bool, /) -> None: ...

    @property
    def j48(self) -> bool: ...

    @j48.setter
    def j48(self, arg: bool, /) -> None: ...

    @property
    def use_ratio(self) -> bool: ...

    @use_ratio.setter
    def use_ratio(self, arg: bool, /) -> None: ...

    @property
    def n_all_rows(self) -> int: ...

    @n_all_rows.setter
    def n_all_rows(self, arg: int, /) -> None: ...

    @property
    def minimum_share(self) -> bool: ...

    @minimum_share.setter
    def minimum_share(self, arg: bool, /) -> None: ...

    @property
    def min_cases(self) -> float: ...

    @min_cases.setter
    def min_cases(self, arg: float, /) -> None: ...

    @property
    def min_gap(self) -> float: ...

    @min_gap.setter
    def min_gap(self, arg: float, /) -> None: ...

    @property
    def penalty(self) -> bool: ...

    @penalty.setter
    def penalty(self, arg: bool, /) -> None: ...

    @property
    def actual_value(self) -> bool: ...

    @actual_value.setter
    def actual_value(self, arg: bool, /) -> None: ...

    @property
    def n_thresholds(self) -> int: ...

    @n_thresholds.setter
    def n_thresholds(self, arg: int, /) -> None: ...

    @property
    def min_weight(self) -> float: ...

    @min_weight.setter
    def min_weight(self, arg: float, /) -> None: ...

    @property
    def max_depth(self) -> int: ...

    @max_depth.setter
    def max_depth(self, arg: int, /) -> None: ...

    @property
    def description_length(self) -> bool: ...

    @description_length.setter
    def description_length(self, arg: bool, /) -> None: ...

    @property
    def feature_cost(self) -> FeatureCost: ...

    @feature_cost.setter
    def feature_cost(self, arg: FeatureCost, /) -> None: ...

    @property
    def n_drawn(self) -> int: ...

    @n_drawn.setter
    def n_drawn(self, arg: int, /) -> None: ...

    @property
    def failed_draw(self) -> FailedDraw: ...

    @failed_draw.setter
    def failed_draw(self, arg: FailedDraw, /) -> None: ...

class PruneRules:
    """How C4.5 cuts a tree back."""

    def __init__(self) -> None: ...

    @property
    def confidence(self) -> float: ...

    @confidence.setter
    def confidence(self, arg: float, /) -> None: ...

    @property
    def deviate(self) -> float: ...

    @deviate.setter
    def deviate(self, arg: float, /) -> None: ...

    @property
    def subtree_raising(self) -> bool: ...

    @subtree_raising.setter
    def subtree_raising(self, arg: bool, /) -> None: ...

    @property
    def j48(self) -> bool: ...

    @j48.setter
    def j48(self, arg: bool, /) -> None: ...

class TreeColumns:
    """Training columns, coded once for all trees grown on them."""

    def __init__(self, n_rows: int) -> None: ...

    def add_numeric(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """NaN is missing."""

    def add_nominal(self, levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: int) -> None:
        """A negative level is missing."""

    def select(self, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> TreeColumns:
        """These columns only, without coding them again."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

def grow_tree(columns: TreeColumns, rules: GrowthRules, *, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_classes: int = 0, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, row_chances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, seed: int = 0, prune: PruneRules | None = None, collapse: bool = False, observe: bool = False) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """
    The arrays of a tree, and of the features tried if that is to be observed.
    """

def extra_errors(weight: float, errors: float, rules: PruneRules) -> float:
    """Errors to add to those seen for C4.5's pessimistic estimate."""

class TreeRows:
    """Rows to send down trees."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """NaN is missing; nominal levels are numbers."""

    @property
    def n_rows(self) -> int: ...

class TreeRouter:
    """Leads rows through one tree."""

    def __init__(self, feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_children: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], level: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], fractional: bool) -> None:
        """Copies what it needs of the arrays."""

    def predict(self, rows: TreeRows, answers: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """Answers of the leaves of every row, by their shares of it."""

    def apply(self, rows: TreeRows) -> NDArray[numpy.int32]:
        """The leaf that holds the greatest share of each row."""

    def paths(self, rows: TreeRows) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32]]:
        """Where the nodes of each row begin, and the nodes."""

def predict_trees(routers: Sequence[TreeRouter], answers: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], rows: TreeRows) -> NDArray[numpy.float64]:
    """Sums over trees of what they answer."""

def draw_bag(n_rows: int, seed: int, *, chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, distinct: bool = False) -> NDArray[numpy.float64]:
    """How often each row is drawn, with replacement."""

def grow_member(columns: TreeColumns, rules: GrowthRules, *, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_classes: int = 0, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, value_codes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, row_chances: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, seed: int = 0, relevance: bool = False) -> tuple[dict[str, Any], object]:
    """The arrays of a tree, and sums of what each feature gained, if wanted."""

def classify_by_trees(routers: Sequence[TreeRouter], answers: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], classes: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], rows: TreeRows, left_out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> NDArray[numpy.int32]:
    """The class each tree gives each row; -1 for rows left out."""

def count_votes(routers: Sequence[TreeRouter], answers: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], classes: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]], rows: TreeRows, left_out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None) -> NDArray[numpy.float64]:
    """How many trees vote for each class of each row."""

def leaves_of_trees(routers: Sequence[TreeRouter], rows: TreeRows) -> NDArray[numpy.int32]:
    """The leaf of each row in each tree."""

def local_relevance(routers: Sequence[TreeRouter], information: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], rows: TreeRows, begin: int, end: int, *, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, left_out: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None = None, mean: bool = True) -> NDArray[numpy.float64]:
    """
    How much tests of each feature tell about the target of each row of a range.
    """

class LeafIndex:
    """Which rows are in which leaf."""

    def __init__(self, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """Of each row in each tree."""

    @property
    def n_rows(self) -> int: ...

    def shared(self, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float32]:
        """In how many trees rows are together."""

    def outcome_means(self, leaves: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], outcomes: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], own_row: int = -1) -> NDArray[numpy.float64]:
        """How well each tree does on rows that share leaves with these."""

class Exploration:
    """Shallow random trees that ask every feature at every node."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, is_nominal: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], instructions: Instructions | None = None) -> None: ...

    def grow(self, roots: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], depth: int, least_rows: int) -> dict[str, Any]:
        """
        Sums of the surprise of every feature over the nodes of each level, and the numbers of these nodes.
        """

class Shadows:
    """Row-permuted copies of training columns."""

    @overload
    def __init__(self, columns: TreeColumns, n_shadows: int, n_orders: int, seed: int) -> None: ...

    @overload
    def __init__(self, columns: TreeColumns, n_shadows: int, orders: Sequence[Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None: ...

    @property
    def n_shadows(self) -> int: ...

    def rows(self, column: int, shadow: int) -> NDArray[numpy.uint32]:
        """For each row: whose values it gets."""

def grow_with_shadows(shadows: Shadows, rules: GrowthRules, seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], power: float, *, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, n_classes: int = 0, numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, row_chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, row_groups: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, used_up_by: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> dict[str, Any]:
    """Sums over trees of what drawn features and their shadows gained."""

class TripleScore(enum.Enum):
    """What triples are ranked by."""

    THIRD_ORDER = 0

    JOINT_GAIN = 1

    SYNERGY = 2

class TripleScanner:
    """Joint information gain of triples of features."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """
        Encode the codes for scanning; a new permutation of the classes is a new scanner, which costs O(n p), far less than a scan.
        """

    @property
    def n_features(self) -> int:
        """The number of features."""

    def prepare(self, features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Count the pairs of these features; before scans that use them."""

    def scan(self, begin: int, end: int, gains: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu')]) -> None:
        """
        Write joint gain, third order and synergy of all triples i < j < k, begin <= i < end, in order.
        """

    def scan_top(self, begin: int, end: int, k: int, score: TripleScore) -> tuple[NDArray[numpy.int32], NDArray[numpy.float64]]:
        """The best k of those triples: members and gains."""

    def scan_with_pairs(self, firsts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], seconds: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None, 3), order='C', device='cpu')]) -> None:
        """Write the same for every pair with every other feature, in order."""

class RankedColumn:
    """A numeric column sorted once, for statistics of order."""

    def __init__(self, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Sort; NaN is missing."""

    @property
    def n_rows(self) -> int:
        """Rows, missing ones too."""

    @property
    def n_known(self) -> int:
        """Rows that are not missing."""

    @property
    def n_levels(self) -> int:
        """Different values."""

    @property
    def tied_pairs(self) -> int:
        """Pairs of known rows with the same value."""

    def mid_ranks(self) -> NDArray[numpy.float64]:
        """Mean rank of each row's value, from 1; NaN if missing."""

def encode_few_levels(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], most: int) -> NDArray[numpy.uint8] | None:
    """
    Codes by ascending value, 255 for NaN; None if there are more than `most`.
    """

class ConcordanceMeasure(enum.Enum):
    """What is made of concordant and discordant pairs."""

    TAU_B = 0

    GAMMA = 1

def concordance_counts(first: Sequence[RankedColumn], second: Sequence[RankedColumn]) -> NDArray[numpy.int64]:
    """
    Of each two columns: rows, concordant, discordant, tied in the first only, in the second only, in both.
    """

def concordance_row(first: RankedColumn, others: Sequence[RankedColumn], measure: ConcordanceMeasure, min_untied: int = 1) -> NDArray[numpy.float64]:
    """The measure of one column with each of the others."""

def class_concordance(column: RankedColumn, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> NDArray[numpy.int64]:
    """
    Of each class against the rest: its known rows, concordant, discordant pairs.
    """

class PairMeasure(enum.Enum):
    """What is made of the table of two coded columns."""

    SYMMETRICAL_UNCERTAINTY = 0

    TAU_B = 1

    GAMMA = 2

class LevelPairs:
    """Association of all pairs of coded columns."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], measure: PairMeasure, missing: Missing, min_untied: int = 1, instructions: Instructions | None = None) -> None:
        """Encode the codes for scanning."""

    @property
    def n_features(self) -> int:
        """The number of columns."""

    def scan(self, begin: int, end: int) -> NDArray[numpy.float64]:
        """The measure of all pairs (i, j), begin <= i < end and i < j, in order."""

    def row(self, i: int) -> NDArray[numpy.float64]:
        """The measure of column i with every column."""

class UncertaintyScanner:
    """Mutual information and symmetrical uncertainty of pairs of columns."""

    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)] | Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Encode the codes for scanning."""

    @property
    def n_features(self) -> int:
        """The number of features, the class not counted."""

    def row(self, column: int, measure: Measure) -> NDArray[numpy.float64]:
        """One column (the class is number n_features) against every feature."""

    def fill(self, begin: int, end: int, measure: Measure, matrix: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Write entries (i, j) and (j, i), begin <= i < end and i <= j."""

class CommonRows:
    """Rows that any two of many sets of rows have in common."""

    def __init__(self, flags: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], instructions: Instructions | None = None) -> None:
        """One row of bytes per set: 1 where a row is in it."""

    @property
    def n_blocks(self) -> int: ...

    block: Final[int] = ...
    """(arg: object, /) -> int"""

    def count(self, block: int) -> NDArray[numpy.uint32]:
        """The sets of a block against all from its first one on."""
