"""Means, intervals and the table of a board, from runs made by hand."""

import math
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("benchmarks are not distributed", allow_module_level=True)

from benchmarks.recovery import methods, summary  # noqa: E402
from benchmarks.recovery.problems import FAMILIES, PROBLEMS  # noqa: E402

FIRST, SECOND = list(FAMILIES["proxies"])[:2]
QUIET = next(iter(FAMILIES["pure noise, dependent rows"]))


def run(problem, seed, f1, strict, selected=("x1",)):
    return {
        "problem": problem,
        "seed": seed,
        "status": "ok",
        "selected": list(selected),
        "f1": f1,
        "strict_f1": strict,
        "false_discovery_proportion": 1 - f1,
        "strict_false": 1 - strict,
    }


RUNS = [
    run(FIRST, 0, 1.0, 0.5),
    run(FIRST, 1, 0.8, 0.4),
    run(SECOND, 0, 0.6, 0.2),
    run(SECOND, 1, 0.6, 0.2),
    run(QUIET, 0, 1.0, 1.0, selected=()),
    run(QUIET, 1, 0.0, 0.0),
    {"problem": FIRST, "seed": 2, "status": "over 40 s"},
]


def test_means_are_over_problems_first():
    uneven = [*RUNS[:2], run(SECOND, 0, 0.0, 0.0)]
    assert summary.mean_of_means(uneven, "f1") == pytest.approx((0.9 + 0.0) / 2)
    assert math.isnan(summary.mean_of_means([], "f1"))


def test_the_interval_is_over_seeds_that_all_problems_have():
    two = RUNS[:4]  # means .8 and .7
    low, high = summary.seed_interval(two, "f1")
    # t(.975, 1) = 12.706; half width 12.706 × .0707 / √2 = .635
    assert (low, high) == (pytest.approx(0.115, abs=0.001), 1.0)
    assert summary.seed_interval([*two, run(FIRST, 7, 0.0, 0.0)], "f1") == (low, high)
    assert all(map(math.isnan, summary.seed_interval(RUNS[:1], "f1")))


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    # 1 − .025^(1/200) for none of 200; from tables of Clopper and Pearson for 5 of 50
    [(0, 200, 0.0, 0.0183), (200, 200, 0.9817, 1.0), (5, 50, 0.0333, 0.2181)],
)
def test_the_interval_of_a_share(hits, n, low, high):
    assert summary.share_interval(hits, n) == pytest.approx((low, high), abs=1e-4)


def test_the_table_has_families_problems_and_noise_left_alone():
    head, rule, *lines = "\n".join(summary.family_table(RUNS)).split("\n")
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert {line.count("|") for line in (head, rule, *lines)} == {8}
    by_name = {name.strip("*"): rest for name, *rest in cells}
    assert by_name["proxies"][0].startswith("0.750 (")
    assert by_name["proxies"][1].startswith("0.325 (")
    assert by_name[FIRST][4:] == ["", "2"]
    assert by_name[QUIET] == ["", "", "", "", "1 of 2 (0.01–0.99)", "2"]
    assert by_name["with something to find"][0].startswith("0.750 (")
    assert by_name["all"][-1] == "6"
    assert len("\n".join(summary.family_table(RUNS, problems=False)).split("\n")) == 6


def test_ours_gets_the_options_that_select_takes(monkeypatch):
    got = []

    def select(_, *, random_state, n_jobs, verbose, groups=None):
        got.append((random_state, n_jobs, verbose, groups))
        return type("Selection", (), {"features": ["x1"]})

    monkeypatch.setattr(methods.featsieve, "select", select)
    patients = PROBLEMS["noise: patients, class of the patient"](0)
    walks = PROBLEMS["noise: random walks"](0)
    assert methods.auto(patients, 3) == methods.auto(walks, 3) == ["x1"]
    assert got[0][3] is patients.options["groups"]
    assert got[1][3] is None
