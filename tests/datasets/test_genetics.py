import itertools
import re

import numpy as np
import pytest

from featsieve.datasets import make_epistasis


def risks(problem, kept):
    """Return the risk for each combination of genotypes of the kept genes."""
    penetrance = problem.details["penetrance"]
    frequencies = problem.details["frequencies"]
    risk = {}
    for cell in itertools.product(range(3), repeat=penetrance.ndim):
        key = tuple(cell[i] for i in kept)
        weight = np.prod([frequencies[g] for i, g in enumerate(cell) if i not in kept])
        risk[key] = risk.get(key, 0.0) + weight * penetrance[cell]
    return risk


@pytest.mark.parametrize("n_loci", [2, 3])
@pytest.mark.parametrize("allele_frequency", [0.2, 0.3, 0.5])
@pytest.mark.parametrize("prevalence", [0.3, 0.5])
def test_no_proper_subset_of_the_genes_has_an_effect(
    n_loci, allele_frequency, prevalence
):
    problem = make_epistasis(
        10,
        n_loci=n_loci,
        allele_frequency=allele_frequency,
        prevalence=prevalence,
        heritability=0.05,
        random_state=0,
    )
    for size in range(n_loci):
        for kept in itertools.combinations(range(n_loci), size):
            values = list(risks(problem, kept).values())
            assert np.allclose(values, prevalence, rtol=0, atol=1e-12)


@pytest.mark.parametrize("n_loci", [2, 3])
@pytest.mark.parametrize("heritability", [0.01, 0.2, 0.6])
def test_heritability_by_hand(n_loci, heritability):
    problem = make_epistasis(
        10, n_loci=n_loci, heritability=heritability, prevalence=0.4, random_state=1
    )
    penetrance, (f0, f1, f2) = (
        problem.details["penetrance"],
        problem.details["frequencies"],
    )
    assert (f0, f1, f2) == pytest.approx((0.36, 0.48, 0.16))
    assert 0 <= penetrance.min() < penetrance.max() <= 1
    variance = sum(
        np.prod([(f0, f1, f2)[g] for g in cell]) * (penetrance[cell] - 0.4) ** 2
        for cell in itertools.product(range(3), repeat=n_loci)
    )
    assert variance / (0.4 * 0.6) == pytest.approx(heritability)
    assert problem.details["heritability"] == pytest.approx(heritability)


def test_the_sample_follows_the_table():
    problem = make_epistasis(40_000, heritability=0.3, random_state=2)
    table, details = problem.table, problem.details
    a, b, case = (table[n].values for n in ("snp_1", "snp_2", "class"))
    assert case.sum() == 20_000
    weights = np.outer(details["frequencies"], details["frequencies"])
    for cell in itertools.product(range(3), repeat=2):
        here = (a == cell[0]) & (b == cell[1])
        risk = details["penetrance"][cell]
        # With a prevalence of one half, a balanced sample is the population.
        assert abs(here.mean() - weights[cell]) < 0.015
        assert abs(case[here].mean() - risk) < 0.05
    for gene, group in itertools.product((a, b), (0, 1)):
        shares = np.bincount(gene[case == group]) / 20_000
        assert np.allclose(shares, details["frequencies"], atol=0.02)


def test_tables_differ_from_seed_to_seed():
    one, two = (make_epistasis(10, random_state=s).details for s in (0, 1))
    assert not np.allclose(one["penetrance"], two["penetrance"])


def test_noise_genes_are_in_hardy_weinberg_proportions():
    table, _ = make_epistasis(20_000, n_noise=5, random_state=0)
    frequencies = []
    for i in range(1, 6):
        shares = np.bincount(table[f"noise_{i}"].values, minlength=3) / 20_000
        allele_frequency = shares[1] / 2 + shares[2]
        assert abs(shares[2] - allele_frequency**2) < 0.01
        frequencies.append(allele_frequency)
    assert 0.04 < min(frequencies) < max(frequencies) < 0.51
    assert max(frequencies) - min(frequencies) > 0.05


def test_odd_number_of_rows_has_one_control_more():
    assert make_epistasis(11, random_state=0).table["class"].values.sum() == 5


def test_complete_heritability_is_feasible_at_even_alleles():
    # (1, -1, 1) x (1, -1, 1) has no margins at 1/4, 1/2, 1/4, and reaches 0 and 1.
    penetrance = make_epistasis(
        10, allele_frequency=0.5, heritability=1, random_state=0
    ).details["penetrance"]
    assert np.allclose(penetrance * (1 - penetrance), 0, atol=1e-9)


@pytest.mark.parametrize("n_loci", [2, 3])
def test_infeasible_heritability_says_what_is_feasible(n_loci):
    settings = {"n_loci": n_loci, "allele_frequency": 0.1, "random_state": 0}
    with pytest.raises(ValueError, match="'heritability' parameter of") as caught:
        make_epistasis(**settings, heritability=0.5)
    feasible = float(
        re.search(r"at most ([\d.e-]+), the largest", str(caught.value))[1]
    )
    made = make_epistasis(**settings, heritability=feasible)
    assert made.details["heritability"] == pytest.approx(feasible)
    with pytest.raises(ValueError, match="the largest found feasible"):
        make_epistasis(**settings, heritability=feasible * 1.02)


def test_largest_feasible_heritability_of_two_genes_by_hand():
    # With frequencies .64, .32, .04 the best table is g x g, g = (-9/16, 1, 1), scaled
    # to reach 1: heritability (.64 * (9/16)² + .36)² = .3164.
    with pytest.raises(ValueError, match=r"at most 0\.316, the largest"):
        make_epistasis(allele_frequency=0.2, heritability=0.32, random_state=0)


@pytest.mark.parametrize(
    "bad",
    [{"n_loci": 4}, {"heritability": 0}, {"allele_frequency": 0.6}, {"prevalence": 1}],
)
def test_checks(bad):
    name = next(iter(bad))
    with pytest.raises(ValueError, match=f"'{name}' parameter of make_epistasis must"):
        make_epistasis(**bad)
