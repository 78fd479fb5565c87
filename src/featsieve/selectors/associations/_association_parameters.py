"""What the parameters of AssociationFilter must be."""

from __future__ import annotations

from typing import Any

from featsieve._checks import check_choice, check_integer, check_real, check_unused
from featsieve.inference.api import check_probes
from featsieve.measures.api import ASSOCIATIONS, measure_name

RULES = ("probe", "t_test", "z_test", "fdr")

#: Rules that look at all sampled rows at once, not at the spread between samples.
POOLED = ("z_test", "fdr")


def check_association_parameters(owner: Any) -> None:
    """Raise unless every parameter is what it must be."""
    check_choice("rule", owner.rule, RULES, owner)
    if not callable(owner.association):
        check_choice("association", owner.association, ASSOCIATIONS, owner)
    elif owner.rule != "probe":
        raise ValueError(
            f"association={measure_name(owner.association)} is a function of one's "
            f"own, whose scale is not known to rule={owner.rule!r}. Use rule='probe'."
        )
    check_choice("missing", owner.missing, ("ignore", "level"), owner)
    if isinstance(owner.n_subsamples, str):
        check_choice("n_subsamples", owner.n_subsamples, ("race",), owner)
        if owner.rule in POOLED:
            raise ValueError(
                f"n_subsamples='race' looks at the spread between samples, which "
                f"rule={owner.rule!r} does not. Use rule='probe' or 't_test', or "
                "say how many samples to take together."
            )
    else:
        least = 1 if owner.rule in POOLED else 2
        check_integer("n_subsamples", owner.n_subsamples, owner, at_least=least)
    for name in ("correct_chance", "correct_overlap"):
        check_choice(name, getattr(owner, name), (True, False), owner)
    for name, least in (
        ("sample_size", 2),
        ("n_probes", 1),
        ("min_untied", 0),
        ("max_subsamples", 2),
    ):
        check_integer(name, getattr(owner, name), owner, at_least=least)
    for name in ("n_clusters", "n_permutations"):
        if getattr(owner, name) is not None:
            check_integer(name, getattr(owner, name), owner, at_least=1)
    check_real("practical", owner.practical, owner, at_least=0, below=1)
    check_real("alpha", owner.alpha, owner, above=0, below=1)
    check_real("fdr", owner.fdr, owner, above=0, below=1)
    check_real("confidence", owner.confidence, owner, above=0, below=1)
    n = owner.n_permutations
    if owner.rule == "fdr" and n is not None and 1 / (n + 1) > owner.fdr:
        raise ValueError(
            f"{n} permutations show no p-value below {1 / (n + 1):.2g}, so that no "
            f"feature can pass at fdr={owner.fdr:g}. Raise "
            "n_permutations, or leave it out."
        )
    check_probes(owner.probes, owner, at_least=1)
    _check_modes(owner)


def _check_modes(owner: Any) -> None:
    """Raise if a parameter is set that the rule does not use."""
    rule = f"rule={owner.rule!r}"
    if owner.rule != "fdr":
        check_unused(("fdr", "n_permutations"), owner, rule, "use rule='fdr'")
    if owner.rule != "probe":
        check_unused(("probes", "n_probes"), owner, rule, "use rule='probe'")
    if owner.rule in POOLED:
        way_out = "use rule='probe' or 't_test'"
        check_unused(["correct_overlap"], owner, rule, way_out)
    racing = owner.n_subsamples == "race"
    if not racing:
        way_out = "use n_subsamples='race'"
        mode = f"n_subsamples={owner.n_subsamples!r}"
        check_unused(["max_subsamples"], owner, mode, way_out)
    if owner.n_clusters is None and not racing and owner.rule in ("probe", "fdr"):
        way_out = "use rule='t_test' or 'z_test'"
        check_unused(("alpha", "practical"), owner, rule, way_out)
    if owner.association != "gamma":
        way_out = "use association='gamma'"
        mode = f"association={owner.association!r}"
        check_unused(["min_untied"], owner, mode, way_out)
