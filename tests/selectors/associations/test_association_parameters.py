"""What the parameters of AssociationFilter must be."""

from __future__ import annotations

import pytest

from featsieve.selectors import AssociationFilter

X, Y = [[1.5], [2.5], [3.5], [4.5]], [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"association": "tau"}, "'association'"),
        ({"rule": "best"}, "'rule'"),
        ({"missing": "spread"}, "'missing'"),
        ({"n_subsamples": "all"}, "'n_subsamples'"),
        ({"n_subsamples": 1}, "'n_subsamples' .*>= 2"),
        ({"n_subsamples": 0, "rule": "z_test"}, "'n_subsamples' .*>= 1"),
        ({"n_subsamples": "race", "rule": "z_test"}, "spread between samples"),
        ({"n_subsamples": "race", "rule": "fdr"}, "spread between samples"),
        ({"correct_chance": 2}, "'correct_chance'"),
        ({"correct_overlap": "no"}, "'correct_overlap'"),
        ({"sample_size": 1}, "'sample_size' .*>= 2"),
        ({"n_probes": 0}, "'n_probes' .*>= 1"),
        ({"min_untied": -1}, "'min_untied' .*>= 0"),
        ({"max_subsamples": 1}, "'max_subsamples' .*>= 2"),
        ({"n_clusters": 0}, "'n_clusters' .*>= 1"),
        ({"n_permutations": 0}, "'n_permutations' .*>= 1"),
        ({"target_bins": 1}, "'target_bins' .*>= 2"),
        ({"practical": 1.0}, "'practical'"),
        ({"practical": -0.1}, "'practical'"),
        ({"alpha": 0.0}, "'alpha'"),
        ({"alpha": 1.0}, "'alpha'"),
        ({"fdr": 0.0, "rule": "fdr"}, "'fdr'"),
        ({"confidence": 1.0}, "'confidence'"),
        ({"confidence": 0.0}, "'confidence'"),
        ({"probes": ()}, "'probes'"),
        (
            {"rule": "fdr", "n_permutations": 18, "fdr": 0.05},
            "18 permutations show no p-value below 0.053",
        ),
    ],
)
def test_wrong_ones_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        AssociationFilter(**settings).fit(X, Y)


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"fdr": 0.1}, "fdr"),
        ({"n_permutations": 99}, "n_permutations"),
        ({"rule": "z_test", "n_probes": 3}, "n_probes"),
        ({"rule": "fdr", "correct_overlap": False}, "correct_overlap"),
        ({"max_subsamples": 9}, "max_subsamples"),
        ({"alpha": 0.2}, "alpha"),
        ({"min_untied": 3}, "min_untied"),
    ],
)
def test_what_a_mode_does_not_use_is_refused(settings, name):
    with pytest.raises(ValueError, match=name):
        AssociationFilter(**settings).fit(X, Y)


def test_the_least_that_is_possible_is_taken():
    # 19 permutations show a p-value of 1 / 20.
    settings = {"rule": "fdr", "n_permutations": 19, "fdr": 0.05}
    AssociationFilter(**settings, n_subsamples=1, sample_size=2)._check_parameters()
    racing = {"n_subsamples": "race", "max_subsamples": 2, "practical": 0.0}
    AssociationFilter(n_clusters=1, **racing)._check_parameters()
