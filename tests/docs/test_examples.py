"""The gallery runs, and what its texts claim is what its code prints."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
#: A line or two of each output that the text around it relies on.
CLAIMS = {
    "plot_1_exclusive_or": ["('router', 'line') synergy", "relevant together"],
    "plot_2_redundant_clusters": [
        "ranking, tested          5      15      0",
        "the sieve                5       0      0",
    ],
    "plot_3_local_relevance": ["0 {'x1'", "1 {'x1'"],
    "plot_4_parts_and_clusters": [
        "same scores: True",
        "router + line",
        "same p-values: True",
    ],
    "plot_5_comparing_selectors": ["With 5-nn, ReliefF scores best"],
    "plot_6_missing_values": ["lost  fractions  filled  guess"],
    "plot_7_diversity": ["bagging", "DivBoost"],
    "plot_8_level_of_a_test": ["published   level", "calibrated  level"],
    "plot_9_patients": ["2 kept: lab_1, lab_2", "Say `groups='patient'`"],
    "plot_10_time": ["Say `time=`", "later days   R²  -"],
}


def test_every_example_is_listed():
    assert {path.stem for path in EXAMPLES.glob("plot_*.py")} == set(CLAIMS)


def _local(names):
    first, second = names["forest"].local_relevance(names["rows"])[:, :2]
    assert first[0] > first[1]
    assert second[0] < second[1]


def _strict(names):
    published, calibrated = names["published"].path_, names["calibrated"].path_
    assert published[0]["n_features"] > 80
    assert published[-1]["oob_error"] < published[0]["oob_error"]
    errors = [step["oob_error"] for step in calibrated]
    assert errors[0] == min(errors)
    assert 15 < calibrated[0]["n_features"] < 25


def _honest(names):
    assert names["cheating"] > 0.8
    assert names["honest"].mean() < 0.65


def _diverse(names):
    reports = names["reports"]
    bagging = reports["bagging"]
    for name in ("AdaBoost", "DivBoost"):
        assert reports[name].member_error > bagging.member_error
        assert reports[name].ensemble_error <= bagging.ensemble_error
        assert reports[name].q_statistic < bagging.q_statistic


def _patients(names):
    assert len(names["loose"].features) > 5
    noise = names["loose"].ledger.query("feature not in ['lab_1', 'lab_2']")
    assert noise["p_value"].min() < 1e-4


def _walks(names):
    assert len(names["loose"].features) > 3
    assert names["honest"].features == names["asked"].features == ["price_1"]
    assert abs(names["correlation"]) > 0.8


HOLDS = {
    "plot_9_patients": _patients,
    "plot_10_time": _walks,
    "plot_3_local_relevance": _local,
    "plot_5_comparing_selectors": _honest,
    "plot_7_diversity": _diverse,
    "plot_8_level_of_a_test": _strict,
}


@pytest.mark.parametrize("name", sorted(CLAIMS))
def test_runs_and_prints_what_the_text_says(name, capsys):
    names = runpy.run_path(str(EXAMPLES / f"{name}.py"))
    printed = capsys.readouterr().out
    for claim in CLAIMS[name]:
        assert claim in printed
    if name in HOLDS:
        HOLDS[name](names)
