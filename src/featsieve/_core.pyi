"""Native kernels of featsieve; import them through featsieve._kernels."""

from collections.abc import Sequence
import enum
from typing import Annotated, overload

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

@overload
def count_levels(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.int32]: ...

@overload
def count_levels(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.int32]: ...

@overload
def count_levels(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)]) -> NDArray[numpy.int32]:
    """Largest code + 1 of every column."""

@overload
def class_entropies(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, missing: Missing) -> NDArray[numpy.float64]: ...

@overload
def class_entropies(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, missing: Missing) -> NDArray[numpy.float64]: ...

@overload
def class_entropies(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, missing: Missing) -> NDArray[numpy.float64]:
    """Per column: total, known, H(x), H(y), H(x, y), levels, classes, cells."""

@overload
def class_tables(codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]: ...

@overload
def class_tables(codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]: ...

@overload
def class_tables(codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, levels: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.int64]:
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

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
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

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
        """Encode the codes for counting."""

    def gains(self, features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], begins: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NDArray[numpy.float64]:
        """One gain per set features[begins[k]:begins[k + 1]]."""

class TripleScore(enum.Enum):
    """What triples are ranked by."""

    THIRD_ORDER = 0

    JOINT_GAIN = 1

    SYNERGY = 2

class TripleScanner:
    """Joint information gain of triples of features."""

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None: ...

    @overload
    def __init__(self, codes: Annotated[NDArray[numpy.int32], dict(shape=(None, None), device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, missing: Missing, instructions: Instructions | None = None, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> None:
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
