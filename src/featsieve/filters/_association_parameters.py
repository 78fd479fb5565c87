"""What the parameters of AssociationFilter must be."""

from __future__ import annotations

from typing import Any

from featsieve._checks import check_choice, check_integer, check_real
from featsieve.filters._probes import check_probes
from featsieve.measures._columns import ASSOCIATIONS

__all__ = ["POOLED", "check_association_parameters"]

RULES = ("probe", "t_test", "z_test", "fdr")

#: Rules that look at all sampled rows at once, not at the spread between samples.
POOLED = ("z_test", "fdr")


def check_association_parameters(owner: Any) -> None:
    """Raise unless every parameter is what it must be."""
    check_choice("association", owner.association, ASSOCIATIONS, owner)
    check_choice("rule", owner.rule, RULES, owner)
    check_choice("missing", owner.missing, ("ignore", "level"), owner)
    if isinstance(owner.n_samples, str):
        check_choice("n_samples", owner.n_samples, ("race",), owner)
        if owner.rule in POOLED:
            message = (
                f"n_samples='race' looks at the spread between samples, which "
                f"rule={owner.rule!r} does not. Use rule='probe' or 't_test', or "
                "say how many samples to take together."
            )
            raise ValueError(message)
    else:
        least = 1 if owner.rule in POOLED else 2
        check_integer("n_samples", owner.n_samples, owner, at_least=least)
    for name in ("correct_chance", "correct_overlap"):
        check_choice(name, getattr(owner, name), (True, False), owner)
    for name, least in (
        ("sample_size", 2),
        ("n_probes", 1),
        ("min_untied", 0),
        ("max_samples", 2),
    ):
        check_integer(name, getattr(owner, name), owner, at_least=least)
    for name, optional_least in (
        ("clusters", 1),
        ("n_permutations", 1),
        ("target_bins", 2),
    ):
        if getattr(owner, name) is not None:
            value = getattr(owner, name)
            check_integer(name, value, owner, at_least=optional_least)
    check_real("practical", owner.practical, owner, at_least=0, below=1)
    check_real("significance", owner.significance, owner, above=0, below=1)
    check_real("confidence", owner.confidence, owner, above=0, below=1)
    n = owner.n_permutations
    if owner.rule == "fdr" and n is not None and 1 / (n + 1) > owner.significance:
        message = (
            f"{n} permutations show no p-value below {1 / (n + 1):.2g}, so that no "
            f"feature can pass at significance={owner.significance:g}. Raise "
            "n_permutations, or leave it out."
        )
        raise ValueError(message)
    check_probes(owner.probes, owner, at_least=1)
