"""Problems with known answers, generated on the spot."""

from featsieve.datasets._concepts import (
    make_corral,
    make_hard,
    make_led,
    make_monks,
    make_multiplexer,
    make_parity,
    make_xd6,
)
from featsieve.datasets._games import make_lenses, make_tic_tac_toe
from featsieve.datasets._problem import Problem, Truth

__all__ = [
    "Problem",
    "Truth",
    "make_corral",
    "make_hard",
    "make_led",
    "make_lenses",
    "make_monks",
    "make_multiplexer",
    "make_parity",
    "make_tic_tac_toe",
    "make_xd6",
]
