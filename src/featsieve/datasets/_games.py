"""Small complete domains: every final board of a game, every patient of an optician.

References: D. W. Aha, tic-tac-toe endgame, UCI Machine Learning Repository, 1991;
J. Cendrowska, "PRISM: an algorithm for inducing modular rules", International Journal
of Man-Machine Studies 27, 1987 (lenses).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from featsieve._docs import described_like
from featsieve.datasets._problem import (
    COMMON,
    Draft,
    Problem,
    nominal_column,
    nominal_noise,
)

_BLANK = "b"
_SQUARE_LEVELS = (_BLANK, "o", "x")
_SQUARES = tuple(
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
_LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    *((0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)

_PATIENT = {
    "age": ("young", "pre-presbyopic", "presbyopic"),
    "spectacle-prescrip": ("myope", "hypermetrope"),
    "astigmatism": ("no", "yes"),
    "tear-prod-rate": ("reduced", "normal"),
}
_LENSES = ("hard", "none", "soft")


@described_like(COMMON)
def make_tic_tac_toe(
    *, n_noise: int = 0, label_noise: float = 0.0, random_state: Any = None
) -> Problem:
    """All final boards of tic-tac-toe; the class says whether x has won.

    Every game in which x moves first is played to its end and the distinct final
    boards are collected: 958, of which x has won 626. A square is x, o or b (blank).

    Parameters
    ----------
    n_noise : int, default=0
        Extra squares that hold b, o or x with equal chance.
    random_state : None, int, Generator or RandomState, default=None
        Set it to get the same noise again; the boards never vary.

    Returns
    -------
    Problem
        The table, sorted by board, and the truth: all nine squares matter and each of
        the eight lines is an interaction.

    Examples
    --------
    >>> table, truth = make_tic_tac_toe()
    >>> table.n_rows, int(table["class"].values.sum()), len(truth.interactions)
    (958, 626, 8)
    """
    draft = Draft("make_tic_tac_toe", n_noise, label_noise, random_state)
    boards = sorted(_final_boards())
    codes = np.array([[_SQUARE_LEVELS.index(s) for s in board] for board in boards])
    columns = [
        nominal_column(name, codes[:, i], _SQUARE_LEVELS)
        for i, name in enumerate(_SQUARES)
    ]
    won = np.array([_has_line(board, "x") for board in boards])
    return draft.problem(
        columns + draft.noise(len(boards), nominal_noise(_SQUARE_LEVELS)),
        draft.classes(won, ("negative", "positive")),
        relevant=_SQUARES,
        interactions=[tuple(_SQUARES[i] for i in line) for line in _LINES],
    )


def _final_boards() -> set[str]:
    final: set[str] = set()
    # Boards with the same number of moves; equal ones are played on only once.
    level = {_BLANK * 9}
    for player in "xoxoxoxox":
        moved = {
            board[:i] + player + board[i + 1 :]
            for board in level
            for i in range(9)
            if board[i] == _BLANK
        }
        ended = {board for board in moved if _has_line(board, player)}
        final |= ended
        level = moved - ended
    return final | level


def _has_line(board: str, player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in _LINES)


@described_like(COMMON)
def make_lenses(
    *, n_noise: int = 0, label_noise: float = 0.0, random_state: Any = None
) -> Problem:
    """Which contact lenses to fit: 24 patients, one for each combination of facts.

    Nothing is fitted when tears are reduced. With normal tears, soft lenses go to
    patients without astigmatism, except presbyopic myopes; hard lenses go to patients
    with astigmatism who are young or myopes; the others get none.

    Parameters
    ----------
    n_noise : int, default=0
        Extra features with the domains of the four in turn, evenly distributed.
    random_state : None, int, Generator or RandomState, default=None
        Set it to get the same noise again; the patients never vary.

    Returns
    -------
    Problem
        The table, in the published order, and the truth: all four features matter, and
        they form one interaction.

    Examples
    --------
    >>> table, truth = make_lenses()
    >>> [int((table["class"].values == i).sum()) for i in range(3)]
    [4, 15, 5]
    >>> table["class"].levels
    ('hard', 'none', 'soft')
    """
    draft = Draft("make_lenses", n_noise, label_noise, random_state)
    patients = list(itertools.product(*_PATIENT.values()))
    columns = [
        nominal_column(name, np.array([levels.index(p[i]) for p in patients]), levels)
        for i, (name, levels) in enumerate(_PATIENT.items())
    ]
    fitted = np.array([_LENSES.index(_lens(*patient)) for patient in patients])
    return draft.problem(
        columns + draft.noise(len(patients), nominal_noise(*_PATIENT.values())),
        draft.classes(fitted, _LENSES),
        relevant=tuple(_PATIENT),
        interactions=(tuple(_PATIENT),),
    )


def _lens(age: str, prescription: str, astigmatic: str, tears: str) -> str:
    if tears == "reduced":
        return "none"
    if astigmatic == "no":
        return "none" if (age, prescription) == ("presbyopic", "myope") else "soft"
    return "hard" if age == "young" or prescription == "myope" else "none"
