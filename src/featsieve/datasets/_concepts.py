"""Boolean and other nominal concepts of the machine-learning literature.

References: G. H. John, R. Kohavi and K. Pfleger, "Irrelevant features and the subset
selection problem", ICML 1994 (corral); S. B. Thrun et al., "The MONK's problems",
CMU-CS-91-197, 1991; L. Breiman et al., "Classification and regression trees", 1984,
section 2.6.1 (LED); S. W. Wilson, "Classifier systems and the animat problem", Machine
Learning 2, 1987 (multiplexer).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featsieve._checks import check_choice, check_integer, check_real, check_that
from featsieve._docs import described_like
from featsieve._types import Array, Ints, Mask
from featsieve.datasets._problem import (
    BITS,
    COMMON,
    Draft,
    Problem,
    bit_columns,
    nominal_column,
    nominal_noise,
    numbered,
)

# The rows, in counting order, where Correlated is wrong in the published 32 rows.
_CORRAL_WRONG = (4, 6, 8, 10, 14, 16, 24, 31)

_MONKS_DOMAINS = ((1, 2, 3), (1, 2, 3), (1, 2), (1, 2, 3), (1, 2, 3, 4), (1, 2))
_MONKS_TRAIN_ROWS = {1: 124, 2: 169, 3: 122}
_MONKS_3_NOISE = 0.05  # 6 of the 122 published training labels are wrong
_MONKS_INTERACTIONS = {
    1: (("a1", "a2"),),
    2: (("a1", "a2", "a3", "a4", "a5", "a6"),),
    3: (("a4", "a5"), ("a2", "a5")),
}
_MONKS_RELEVANT = {
    1: ("a1", "a2", "a5"),
    2: ("a1", "a2", "a3", "a4", "a5", "a6"),
    3: ("a2", "a4", "a5"),
}

# Segments: top, upper left, upper right, middle, lower left, lower right, bottom.
_LED_DIGITS = (
    "1110111 0010010 1011101 1011011 0111010 1101011 1101111 1010010 1111111 1111011"
)

_CUBE_BITS = 20  # a full cube of more bits is millions of rows


@described_like(COMMON)
def make_corral(
    n_rows: int | None = None,
    *,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Four bits that matter in pairs, a bit that does not, and a bit that tempts.

    The class is (A0 and A1) or (B0 and B1). Irrelevant is a fair coin. Correlated
    equals the class with probability 0.75: it tells more about the class than any other
    feature does alone, yet nothing that the four others do not tell. Its place in the
    truth is therefore ``harmless``.

    Parameters
    ----------
    n_rows : int or None, default=None
        None for the published 32 rows: every combination of the first five features
        once, Correlated right in 24 of them. Otherwise rows are drawn at random.
    n_noise : int, default=0
        Extra fair bits.

    Examples
    --------
    >>> problem = make_corral()
    >>> right = problem.table["Correlated"].values == problem.table["class"].values
    >>> problem.table.n_rows, int(right.sum())
    (32, 24)
    """
    draft = Draft("make_corral", n_noise, label_noise, random_state)
    if n_rows is None:
        bits = _cube((2,) * 5)
        wrong = np.isin(np.arange(len(bits)), _CORRAL_WRONG)
    else:
        bits = draft.rng.integers(2, size=(draft.rows(n_rows), 5))
        wrong = draft.rng.random(len(bits)) < 0.25
    a0, a1, b0, b1, _ = bits.T
    labels = (a0 & a1) | (b0 & b1)
    names = ("A0", "A1", "B0", "B1", "Irrelevant", "Correlated")
    columns = bit_columns(names, np.column_stack([bits, labels ^ wrong]))
    return draft.problem(
        columns + draft.noise(len(bits), nominal_noise(BITS)),
        draft.classes(labels),
        relevant=names[:4],
        interactions=(names[:2], names[2:4]),
        harmless=("Correlated",),
    )


@described_like(COMMON)
def make_monks(
    problem: int = 1,
    *,
    sample: str | None = None,
    n_noise: int = 0,
    label_noise: float | None = None,
    random_state: Any = None,
) -> Problem:
    """Robots described by six attributes, and three rules about them.

    Attributes a1, a2, a4 take 1 to 3, a3 and a6 take 1 and 2, a5 takes 1 to 4.
    Problem 1: a1 = a2 or a5 = 1. Problem 2: exactly two of the six equal 1.
    Problem 3: (a5 = 3 and a4 = 1) or (a5 ≠ 4 and a2 ≠ 3).

    Parameters
    ----------
    problem : {1, 2, 3}, default=1
        Which rule.
    sample : {None, "train"}, default=None
        None for all 432 robots in counting order, "train" for a random sample, without
        repetition, of the size of the published training part (124, 169, 122).
    n_noise : int, default=0
        Extra attributes with the domains of a1 to a6 in turn, evenly distributed.
    label_noise : float or None, default=None
        Share of the rows that get the wrong class; None for the published share: 0.05
        in the training part of problem 3 (6 of 122 rows), else 0.

    Examples
    --------
    >>> table, truth = make_monks(1)
    >>> table.n_rows, int(table["class"].values.sum()), truth.interactions
    (432, 216, (('a1', 'a2'),))
    """
    owner = "make_monks"
    problem = check_integer("problem", problem, owner, at_least=1, most=3)
    check_choice("sample", sample, (None, "train"), owner)
    if label_noise is None:
        label_noise = _MONKS_3_NOISE if problem == 3 and sample == "train" else 0.0
    draft = Draft(owner, n_noise, label_noise, random_state)
    robots = _cube(tuple(map(len, _MONKS_DOMAINS))) + 1
    if sample == "train":
        size = _MONKS_TRAIN_ROWS[problem]
        robots = robots[draft.rng.choice(len(robots), size=size, replace=False)]
    columns = [
        nominal_column(name, robots[:, i] - 1, _MONKS_DOMAINS[i])
        for i, name in enumerate(numbered("a", 6))
    ]
    return draft.problem(
        columns + draft.noise(len(robots), nominal_noise(*_MONKS_DOMAINS)),
        draft.classes(_monks_rule(problem, robots)),
        relevant=_MONKS_RELEVANT[problem],
        interactions=_MONKS_INTERACTIONS[problem],
        name=f"monks-{problem}",
    )


def _monks_rule(problem: int, robots: Array) -> Mask:
    a1, a2, _, a4, a5, _ = robots.T
    if problem == 1:
        rule = (a1 == a2) | (a5 == 1)
    elif problem == 2:
        rule = np.count_nonzero(robots == 1, axis=1) == 2
    else:
        rule = ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3))
    return np.asarray(rule)


@described_like(COMMON)
def make_parity(
    n_rows: int | None = 1000,
    *,
    n_bits: int = 2,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Fair bits whose exclusive or is the class.

    No proper subset of the `n_bits` bits carries any information about the class; all
    of them together determine it. Two bits are the XOR problem.

    Parameters
    ----------
    n_rows : int or None, default=1000
        Rows drawn at random; None for every combination of the bits once.
    n_bits : int, default=2
        How many bits the class is the parity of, at least 2.
    n_noise : int, default=0
        Distractors: extra fair bits.

    Examples
    --------
    >>> table, truth = make_parity(None, n_bits=2)
    >>> [column.values.tolist() for column in table], table["class"].values.tolist()
    ([[0, 0, 1, 1], [0, 1, 0, 1]], [0, 1, 1, 0])
    """
    draft = Draft("make_parity", n_noise, label_noise, random_state)
    n_bits = check_integer("n_bits", n_bits, draft.owner, at_least=2)
    bits = _bits(draft, n_rows, n_bits)
    names = numbered("x", n_bits)
    return draft.problem(
        bit_columns(names, bits) + draft.noise(len(bits), nominal_noise(BITS)),
        draft.classes(bits.sum(axis=1) % 2),
        relevant=names,
        interactions=(names,),
    )


@described_like(COMMON)
def make_multiplexer(
    n_rows: int | None = 1000,
    *,
    n_address: int = 2,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Address bits that say which of the data bits is the class.

    With c address bits there are 2^c data bits, 6, 11 or 20 bits in all for c = 2, 3,
    4. The first address bit counts most: address (1, 0) points to data bit 2. A data
    bit matters only in the rows that point to it.

    Parameters
    ----------
    n_rows : int or None, default=1000
        Rows drawn at random; None for every combination of the bits once (64, 2,048 or
        1,048,576 rows).
    n_address : int, default=2
        The number c of address bits, 1 to 6.
    n_noise : int, default=0
        Extra fair bits.

    Returns
    -------
    Problem
        The table and the truth. Each data bit interacts with all address bits.

    Examples
    --------
    >>> table, truth = make_multiplexer(None)
    >>> table.names, table.n_rows
    (('a0', 'a1', 'd0', 'd1', 'd2', 'd3'), 64)
    >>> truth.interactions[0]
    ('a0', 'a1', 'd0')
    """
    draft = Draft("make_multiplexer", n_noise, label_noise, random_state)
    n_address = check_integer("n_address", n_address, draft.owner, at_least=1, most=6)
    n_data = 2**n_address
    bits = _bits(draft, n_rows, n_address + n_data)
    address = bits[:, :n_address] @ (2 ** np.arange(n_address)[::-1])
    labels = bits[np.arange(len(bits)), n_address + address]
    address_names = numbered("a", n_address, start=0)
    data_names = numbered("d", n_data, start=0)
    names = address_names + data_names
    return draft.problem(
        bit_columns(names, bits) + draft.noise(len(bits), nominal_noise(BITS)),
        draft.classes(labels),
        relevant=names,
        interactions=[(*address_names, name) for name in data_names],
        name=f"multiplexer-{len(names)}",
    )


@described_like(COMMON)
def make_led(
    n_rows: int = 1000,
    *,
    n_features: int = 7,
    attribute_noise: float = 0.1,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Digits on a seven-segment display with faulty segments.

    The class is a digit, 0 to 9 with equal chance. The features led1 to led7 are its
    segments (top, upper left, upper right, middle, lower left, lower right, bottom),
    each inverted with probability `attribute_noise`.

    Parameters
    ----------
    n_features : {7, 24}, default=7
        24 adds the fair bits irrelevant1 to irrelevant17 (the LED-24 problem).
    attribute_noise : float, default=0.1
        Probability that a segment shows the wrong state.
    n_noise : int, default=0
        Extra fair bits, after the 7 or 24.

    Examples
    --------
    >>> table, truth = make_led(20, attribute_noise=0.0, random_state=0)
    >>> eight = int(table["class"].values.tolist().index(8))
    >>> [int(column.values[eight]) for column in table]
    [1, 1, 1, 1, 1, 1, 1]
    """
    draft = Draft("make_led", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    attribute_noise = check_real(
        "attribute_noise", attribute_noise, draft.owner, at_least=0, most=1
    )
    if n_features not in (7, 24):
        check_choice("n_features", n_features, (7, 24), draft.owner)
    shapes = np.array([list(map(int, digit)) for digit in _LED_DIGITS.split()])
    digits = draft.rng.integers(10, size=n_rows)
    faults = draft.rng.random((n_rows, 7)) < attribute_noise
    segments = shapes[digits] ^ faults
    names = numbered("led", 7)
    columns = bit_columns(names, segments)
    if n_features == 24:
        distractors = draft.rng.integers(2, size=(n_rows, 17))
        columns += bit_columns(numbered("irrelevant", 17), distractors)
    return draft.problem(
        columns + draft.noise(n_rows, nominal_noise(BITS)),
        draft.classes(digits, range(10)),
        relevant=names,
        name=f"led{n_features}",
    )


@described_like(COMMON)
def make_xd6(
    n_rows: int = 500,
    *,
    n_noise: int = 0,
    label_noise: float = 0.1,
    random_state: Any = None,
) -> Problem:
    """Nine fair bits that matter in threes, one that does not.

    The class is (x1 and x2 and x3) or (x4 and x5 and x6) or (x7 and x8 and x9).

    Parameters
    ----------
    n_noise : int, default=0
        Extra fair bits, after x10, which is one already.

    Examples
    --------
    >>> table, truth = make_xd6(n_noise=2, random_state=0)
    >>> truth.irrelevant
    ('x10', 'noise_1', 'noise_2')
    """
    draft = Draft("make_xd6", n_noise, label_noise, random_state)
    bits = draft.rng.integers(2, size=(draft.rows(n_rows), 10))
    triples = bits[:, :9].reshape(-1, 3, 3)
    labels = triples.min(axis=2).max(axis=1)
    names = numbered("x", 10)
    return draft.problem(
        bit_columns(names, bits) + draft.noise(len(bits), nominal_noise(BITS)),
        draft.classes(labels),
        relevant=names[:9],
        interactions=(names[:3], names[3:6], names[6:9]),
    )


@described_like(COMMON)
def make_hard(
    n_rows: int = 1000,
    *,
    attribute_noise: float = 0.1,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Parity of five bits, seen through faulty features.

    Ten fair bits; the class is the exclusive or of the first five; afterwards every
    feature is inverted with probability `attribute_noise`. At 0.1 the five observed
    bits still have the parity of the class with probability (1 + 0.8⁵) / 2 = 0.664.

    Parameters
    ----------
    attribute_noise : float, default=0.1
        Probability that a feature is inverted.
    n_noise : int, default=0
        Extra fair bits, after x6 to x10, which are such already.

    Examples
    --------
    >>> make_hard(random_state=0).truth.interactions
    (('x1', 'x2', 'x3', 'x4', 'x5'),)
    """
    draft = Draft("make_hard", n_noise, label_noise, random_state)
    n_rows = draft.rows(n_rows)
    attribute_noise = check_real(
        "attribute_noise", attribute_noise, draft.owner, at_least=0, most=1
    )
    bits = draft.rng.integers(2, size=(n_rows, 10))
    faults = draft.rng.random((n_rows, 10)) < attribute_noise
    names = numbered("x", 10)
    return draft.problem(
        bit_columns(names, bits ^ faults) + draft.noise(n_rows, nominal_noise(BITS)),
        draft.classes(bits[:, :5].sum(axis=1) % 2),
        relevant=names[:5],
        interactions=(names[:5],),
    )


def _bits(draft: Draft, n_rows: int | None, n_bits: int) -> Ints:
    """Draw fair bits, or return every combination when `n_rows` is None."""
    if n_rows is not None:
        return draft.rng.integers(2, size=(draft.rows(n_rows), n_bits))
    must_be = (
        f"an int for more than {_CUBE_BITS} bits, {n_bits} having {2**n_bits} rows"
    )
    check_that(n_bits <= _CUBE_BITS, "n_rows", n_rows, draft.owner, must_be)
    return _cube((2,) * n_bits)


def _cube(sizes: tuple[int, ...]) -> Ints:
    """Return every combination of codes once, the last column counting fastest."""
    grid = np.indices(sizes).reshape(len(sizes), math.prod(sizes))
    return np.ascontiguousarray(grid.T, dtype=np.int64)
