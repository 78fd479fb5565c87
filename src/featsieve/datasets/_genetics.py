"""Pure epistasis: genes that matter together and not at all alone.

Reference: R. J. Urbanowicz et al., "GAMETES: a fast, direct algorithm for generating
pure, strict, epistatic models with random architectures", BioData Mining 5:16, 2012.
"""

from __future__ import annotations

import functools
import itertools
import math
from typing import Any

import numpy as np
from scipy.optimize import linprog

from featsieve._checks import check_integer, check_real
from featsieve._docs import described_like
from featsieve._types import Floats
from featsieve.data import Column
from featsieve.datasets._problem import COMMON, Draft, Problem, nominal_column, numbered

_GENOTYPES = (0, 1, 2)  # copies of the minor allele
_NOISE_MAF = (0.05, 0.5)
_TRIES = 20  # random tables to start from before a heritability is called infeasible
_CLIMBS = 50  # linear programs from one start; the climb ends in far fewer


@described_like(COMMON)
def make_epistasis(
    n_rows: int = 1600,
    *,
    n_loci: int = 2,
    heritability: float = 0.2,
    allele_frequency: float = 0.4,
    prevalence: float = 0.5,
    n_noise: int = 0,
    label_noise: float = 0.0,
    random_state: Any = None,
) -> Problem:
    """Cases and controls that differ only in how two or three genes combine.

    Genotypes are 0, 1 or 2 copies of the minor allele, in Hardy–Weinberg proportions.
    The risk of disease is given by a random penetrance table over the genotypes of
    snp_1, snp_2 (and snp_3), in which every proper subset of the genes has the same
    risk whatever its genotypes: there is no marginal effect, and for three genes none
    of any pair. Half of the rows are cases.

    The table is K + c f: K the prevalence; f a random table projected on the space of
    zero margins (subtract the mean along each axis, weighted by the genotype
    frequencies); c chosen such that Var(penetrance) / (K (1 − K)) is the heritability.
    Where a random f would leave [0, 1], linear programs move it towards tables that
    carry more.

    Parameters
    ----------
    n_rows : int, default=1600
        Number of rows; one more control than cases when it is odd.
    n_loci : {2, 3}, default=2
        How many genes interact.
    heritability : float, default=0.2
        Share of the variance of disease that the genes explain.
    allele_frequency : float, default=0.4
        Minor-allele frequency of the interacting genes, at most 0.5.
    prevalence : float, default=0.5
        Share K of the diseased in the population (not in the sample).
    n_noise : int, default=0
        Extra genes, their minor-allele frequencies uniform between 0.05 and 0.5.

    Returns
    -------
    Problem
        The table and the truth. Details: ``"penetrance"`` (ndarray of shape (3, 3) or
        (3, 3, 3)), ``"frequencies"`` (of the genotypes 0, 1, 2), ``"prevalence"`` and
        ``"heritability"`` (as achieved).

    Raises
    ------
    ValueError
        If no table has the heritability asked for; the message says what is feasible.

    Examples
    --------
    >>> problem = make_epistasis(allele_frequency=0.5, random_state=0)
    >>> risk_by_snp_1 = problem.details["penetrance"] @ problem.details["frequencies"]
    >>> risk_by_snp_1.round(12).tolist()
    [0.5, 0.5, 0.5]
    """
    draft = Draft("make_epistasis", n_noise, label_noise, random_state)
    owner, n_rows = draft.owner, draft.rows(n_rows)
    n_loci = check_integer("n_loci", n_loci, owner, at_least=2, most=3)
    heritability = check_real("heritability", heritability, owner, above=0, most=1)
    allele_frequency = check_real(
        "allele_frequency", allele_frequency, owner, above=0, most=0.5
    )
    prevalence = check_real("prevalence", prevalence, owner, above=0, below=1)

    frequencies = _hardy_weinberg(allele_frequency)
    weights = functools.reduce(np.multiply.outer, [frequencies] * n_loci)
    penetrance = _pure_table(frequencies, weights, prevalence, heritability, draft.rng)
    cases = np.zeros(n_rows, dtype=np.int64)
    cases[: n_rows // 2] = 1
    draft.rng.shuffle(cases)
    cells = np.empty(n_rows, dtype=np.int64)
    for case, risk in ((1, penetrance), (0, 1 - penetrance)):
        chances = (weights * risk).ravel()
        chances /= chances.sum()
        rows = cases == case
        cells[rows] = draft.rng.choice(chances.size, size=rows.sum(), p=chances)
    genotypes = np.unravel_index(cells, penetrance.shape)

    names = numbered("snp_", n_loci)
    columns = [
        nominal_column(name, codes, _GENOTYPES)
        for name, codes in zip(names, genotypes, strict=True)
    ]
    return draft.problem(
        columns + draft.noise(n_rows, _gene),
        draft.classes(cases),
        relevant=names,
        interactions=(names,),
        name=f"epistasis-{n_loci}",
        details={
            "penetrance": penetrance,
            "frequencies": frequencies,
            "prevalence": prevalence,
            "heritability": _heritability(penetrance - prevalence, weights, prevalence),
        },
    )


def _gene(name: str, _: int, n_rows: int, rng: np.random.Generator) -> Column:
    frequencies = _hardy_weinberg(rng.uniform(*_NOISE_MAF))
    return nominal_column(name, rng.choice(3, size=n_rows, p=frequencies), _GENOTYPES)


def _hardy_weinberg(allele_frequency: float) -> Floats:
    q, p = 1 - allele_frequency, allele_frequency
    return np.array([q**2, 2 * p * q, p**2])


def _pure_table(
    frequencies: Floats,
    weights: Floats,
    prevalence: float,
    heritability: float,
    rng: np.random.Generator,
) -> Floats:
    """Return a penetrance table without margins, of the heritability asked for."""
    best = 0.0
    for _ in range(_TRIES):
        effect = _stretch(
            _without_margins(rng.standard_normal(weights.shape), frequencies),
            prevalence,
        )
        reached = _heritability(effect, weights, prevalence)
        for _ in range(_CLIMBS):
            if reached >= heritability:
                effect *= np.sqrt(heritability / reached)
                # Rounding may step over the bounds by one unit in the last place.
                return np.clip(prevalence + effect, 0.0, 1.0)
            effect = _climb(effect, frequencies, weights, prevalence)
            before, reached = reached, _heritability(effect, weights, prevalence)
            if reached <= before * (1 + 1e-9):
                break
        best = max(best, reached)
    raise ValueError(
        "The 'heritability' parameter of make_epistasis must be at most "
        f"{_rounded_down(best)}, the largest found feasible for these "
        f"'allele_frequency', 'prevalence' and 'n_loci'. Got {heritability!r} instead."
    )


def _rounded_down(value: float) -> float:
    """Keep three digits, so that what a message calls feasible is feasible."""
    digits = 2 - math.floor(math.log10(value))
    return float(round(math.floor(value * 10**digits) / 10**digits, digits))


def _without_margins(effect: Floats, frequencies: Floats) -> Floats:
    """Project on the tables whose weighted mean along every axis is zero."""
    for axis in range(effect.ndim):
        mean = np.tensordot(effect, frequencies, axes=(axis, 0))
        effect = np.subtract(effect, np.expand_dims(mean, axis))
    return effect


def _stretch(effect: Floats, prevalence: float) -> Floats:
    """Scale as far as prevalence + effect stays within [0, 1]."""
    factor = min((1 - prevalence) / effect.max(), prevalence / -effect.min())
    return np.multiply(effect, float(factor))


def _heritability(effect: Floats, weights: Floats, prevalence: float) -> float:
    return float((weights * effect**2).sum() / (prevalence * (1 - prevalence)))


def _climb(
    effect: Floats, frequencies: Floats, weights: Floats, prevalence: float
) -> Floats:
    """Return the feasible table that goes farthest in the direction of `effect`.

    The variance is convex, so maximising its linear approximation never lowers it.
    """
    solution = linprog(
        -(weights * effect).ravel(),
        A_eq=_margin_equations(frequencies, effect.ndim),
        b_eq=np.zeros(effect.ndim * 3 ** (effect.ndim - 1)),
        bounds=(-prevalence, 1 - prevalence),
    )
    # The solver keeps the equations to its tolerance only; we promise exact zeros.
    exact = _without_margins(solution.x.reshape(effect.shape), frequencies)
    return _stretch(exact, prevalence)


def _margin_equations(frequencies: Floats, n_loci: int) -> Floats:
    rows = []
    for axis in range(n_loci):
        for others in itertools.product(range(3), repeat=n_loci - 1):
            row = np.zeros((3,) * n_loci)
            line: tuple[Any, ...] = (*others[:axis], slice(None), *others[axis:])
            row[line] = frequencies
            rows.append(row.ravel())
    return np.array(rows)
