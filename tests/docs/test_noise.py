"""The page of noise control is made from a run, and shows all of it."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(
    not (ROOT / "benchmarks").is_dir(), reason="benchmarks are not distributed"
)


@pytest.fixture(scope="module")
def make_noise():
    spec = importlib.util.spec_from_file_location(
        "make_noise", ROOT / "docs" / "make_noise.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def record(name, kept):
    kinds = ("normal", "cauchy", "gaps", "rare")
    return {
        "case": name,
        "begin": 0,
        "end": 20,
        "kept": {kind: [kept] * 20 for kind in kinds} | {"true": [5] * 20},
        "of": dict.fromkeys(kinds, 2) | {"true": 5},
        "shares": [0.0, 0.1] * 10,
        "seconds": 1.0,
    }


def test_a_broken_promise_is_marked(make_noise):
    table = "150 rows, samples of 75 that overlap, 2 classes"
    names = [f"tables; {table}; gamma; {rule}" for rule in ("t_test", "probe", "fdr")]
    page = make_noise.write([record(name, 0) for name in names])
    assert f"\n{table}\n{'-' * len(table)}\n" in page
    assert "In none does the interval lie above the promise." in page
    assert "     - 0.000 (0.000–0.088)\n" in page
    assert "!" not in page
    page = make_noise.write([record(names[0], 2), record(names[1], 0)])
    assert "In 1 the interval lies above the promise" in page
    assert "     - 1.000 (0.912–1.000)!\n" in page


def test_the_page_keeps_its_promises(make_noise):
    page = make_noise.PAGE.read_text(encoding="utf-8")
    assert "!" not in page
    for part in ("Races", "Local relevance", "Exactly at the threshold"):
        assert f"\n{part}\n" in page
    shown = {line.strip(" *-") for line in page.splitlines()}
    for association in (
        *("kendall", "gamma", "spearman", "pearson", "winsorised_pearson"),
        *("symmetrical_uncertainty", "levels"),
    ):
        assert f"``{association}``" in shown
