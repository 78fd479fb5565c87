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
from featsieve.datasets._genetics import make_epistasis
from featsieve.datasets._madelon import make_madelon_like
from featsieve.datasets._mixed import make_mixed
from featsieve.datasets._numeric import (
    make_class_mixture,
    make_copies,
    make_friedman,
    make_gaussian_xor,
    make_local_line,
    make_noise,
    make_rare_class,
    make_simple,
)
from featsieve.datasets._problem import Problem, Truth

__all__ = [
    "Problem",
    "Truth",
    "make_class_mixture",
    "make_copies",
    "make_corral",
    "make_epistasis",
    "make_friedman",
    "make_gaussian_xor",
    "make_hard",
    "make_led",
    "make_lenses",
    "make_local_line",
    "make_madelon_like",
    "make_mixed",
    "make_monks",
    "make_multiplexer",
    "make_noise",
    "make_parity",
    "make_rare_class",
    "make_simple",
    "make_tic_tac_toe",
    "make_xd6",
]
