"""The problems of the recovery board: generated, the answer known, in families.

The first 30 have independent rows and, but for copies, independent columns. Those of
dependence are in `dependent_columns`, `dependent_rows` and `plain_effects`.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.recovery import dependent_columns, dependent_rows, plain_effects
from featsieve import datasets
from featsieve.datasets import Problem

__all__ = ["FAMILIES", "NOISE", "PROBLEMS"]

Maker = Callable[[int], Problem]


def _noise(n_rows: int, kind: str, n_noise: int) -> Maker:
    return lambda s: datasets.make_noise(
        n_rows, feature_kind=kind, n_noise=n_noise, random_state=s
    )


_FIRST: dict[str, Maker] = {
    "corral + 14 noise": lambda s: datasets.make_corral(
        200, n_noise=14, random_state=s),
    "monks-1 + 10 noise": lambda s: datasets.make_monks(
        1, sample="train", n_noise=10, random_state=s),
    "monks-2 + 10 noise": lambda s: datasets.make_monks(
        2, sample="train", n_noise=10, random_state=s),
    "monks-3 + 10 noise": lambda s: datasets.make_monks(
        3, sample="train", n_noise=10, random_state=s),
    "XOR + 48 noise": lambda s: datasets.make_parity(
        1000, n_bits=2, n_noise=48, label_noise=0.1, random_state=s),
    "XOR + 998 noise": lambda s: datasets.make_parity(
        2000, n_bits=2, n_noise=998, label_noise=0.1, random_state=s),
    "parity-3 + 27 noise": lambda s: datasets.make_parity(
        1000, n_bits=3, n_noise=27, random_state=s),
    "multiplexer-6 + 20 noise": lambda s: datasets.make_multiplexer(
        600, n_address=2, n_noise=20, random_state=s),
    "multiplexer-11 + 20 noise": lambda s: datasets.make_multiplexer(
        2000, n_address=3, n_noise=20, random_state=s),
    "led24": lambda s: datasets.make_led(1000, n_noise=17, random_state=s),
    "xd6 + 10 noise": lambda s: datasets.make_xd6(500, n_noise=10, random_state=s),
    "hard": lambda s: datasets.make_hard(1000, random_state=s),
    "friedman class + 40 noise": lambda s: datasets.make_friedman(
        500, n_noise=40, random_state=s),
    "friedman regression + 40 noise": lambda s: datasets.make_friedman(
        500, target_kind="numeric", n_noise=40, random_state=s),
    "simple + 30 noise": lambda s: datasets.make_simple(
        300, n_noise=30, random_state=s),
    "gaussian XOR + 20 noise": lambda s: datasets.make_gaussian_xor(
        500, n_noise=20, random_state=s),
    "local line + 20 noise": lambda s: datasets.make_local_line(
        500, n_noise=20, random_state=s),
    "madelon-like 500": lambda s: datasets.make_madelon_like(2000, random_state=s),
    "copies 5 x 3 + 60 noise": lambda s: datasets.make_copies(
        500, n_noise=60, random_state=s),
    "mixed": lambda s: datasets.make_mixed(2000, random_state=s),
    "five-class mixture + 40 noise": lambda s: datasets.make_class_mixture(
        1000, n_noise=40, random_state=s),
    "rare class + 30 noise": lambda s: datasets.make_rare_class(
        3000, n_noise=30, random_state=s),
    "epistasis 2-way among 100": lambda s: datasets.make_epistasis(
        1600, n_loci=2, n_noise=98, random_state=s),
    "epistasis 3-way among 20": lambda s: datasets.make_epistasis(
        1600, n_loci=3, n_noise=17, random_state=s),
}  # fmt: skip

_FIRST_NOISE: dict[str, Maker] = {
    f"noise {kind} {columns}, {rows} rows": _noise(rows, kind, columns)
    for rows in (300, 3000)
    for kind, columns in (("continuous", 100), ("binary", 100), ("levels", 50))
}

#: Family to problems; those of noise have nothing to find.
FAMILIES: dict[str, dict[str, Maker]] = {
    "first 24": _FIRST,
    "correlated columns": dependent_columns.CORRELATED,
    "proxies": dependent_columns.PROXIES,
    "noise pairs": dependent_columns.NOISE_PAIRS,
    "dependent rows": dependent_rows.ROWS,
    "pairs in dependent rows": dependent_rows.PAIRS,
    "weak effects": plain_effects.WEAK,
    "few rows": plain_effects.FEW_ROWS,
    "odd columns": plain_effects.ODD,
    "pure noise, independent": _FIRST_NOISE,
    "pure noise, dependent columns": (
        dependent_columns.CORRELATED_NOISE | plain_effects.ODD_NOISE
    ),
    "pure noise, dependent rows": dependent_rows.ROWS_NOISE,
    "pure noise, pairs in dependent rows": dependent_rows.PAIRS_NOISE,
}
PROBLEMS: dict[str, Maker] = {
    name: make for problems in FAMILIES.values() for name, make in problems.items()
}
#: Problems with nothing to find.
NOISE = frozenset(
    name
    for family, problems in FAMILIES.items()
    if family.startswith("pure noise")
    for name in problems
)
