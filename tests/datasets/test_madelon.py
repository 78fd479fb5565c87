import numpy as np
import pytest

from featsieve.datasets import make_madelon_like


def matrix(table, stem, count):
    return np.column_stack([table[f"{stem}_{i + 1}"].values for i in range(count)])


def test_default_size_is_the_challenge():
    table, truth = make_madelon_like(random_state=0)
    assert (table.n_rows, table.n_columns) == (2000, 500)
    assert len(truth.groups) == 5
    assert len(truth.relevant) + len(truth.harmless) == 20
    assert len(truth.irrelevant) == 480
    assert table.names != tuple(sorted(table.names))


def test_combinations_are_linear_in_the_informative_features():
    table, truth = make_madelon_like(400, n_features=40, random_state=1)
    informative = matrix(table, "informative", 5)
    for name in truth.harmless:
        target = table[name].values
        _, residual, rank, _ = np.linalg.lstsq(informative, target, rcond=None)
        assert rank == 5
        assert residual.item() < 1e-18 * len(target)


def test_repeats_stand_with_what_they_repeat():
    problem = make_madelon_like(60, n_features=40, n_repeated=20, random_state=2)
    table, truth = problem
    home = {name: group for group in truth.groups for name in group}
    assert len(problem.details["repeats"]) == 20
    for copy, source in problem.details["repeats"].items():
        assert np.array_equal(table[copy].values, table[source].values)
        if source.startswith("informative"):
            assert home[copy] == home[source]
        else:
            assert {copy, source} <= set(truth.harmless)


@pytest.mark.parametrize("n_informative", [2, 3, 5])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_informative_feature_decides_some_class(n_informative, seed):
    # Far apart clusters: the signs name the corner, and the corner has one class.
    table, _ = make_madelon_like(
        2000,
        n_features=n_informative,
        n_informative=n_informative,
        n_combinations=0,
        n_repeated=0,
        separation=1000,
        label_noise=0,
        random_state=seed,
    )
    corners = matrix(table, "informative", n_informative) > 0
    label = {}
    for corner, code in zip(map(tuple, corners), table["class"].values, strict=True):
        assert label.setdefault(corner, code) == code
    assert len(label) == 2**n_informative
    assert sum(label.values()) == 2 ** (n_informative - 1)
    for i in range(n_informative):
        assert any(
            label[corner] != label[(*corner[:i], not corner[i], *corner[i + 1 :])]
            for corner in label
        )


def test_probes_carry_nothing():
    table, _ = make_madelon_like(2000, n_features=120, random_state=3)
    probes = matrix(table, "noise", 100)
    correlations = np.corrcoef(probes, table["class"].values, rowvar=False)[-1, :-1]
    assert np.abs(correlations).max() < 4.5 / np.sqrt(2000)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"n_features": 19}, "'n_features' .* must be an int >= 20. Got 19"),
        ({"n_informative": 1}, "'n_informative' .* >= 2 and <= 10. Got 1"),
        ({"separation": 0}, "'separation' .* must be a number .*> 0. Got 0"),
    ],
)
def test_checks(bad, message):
    with pytest.raises(ValueError, match=message):
        make_madelon_like(**bad)
