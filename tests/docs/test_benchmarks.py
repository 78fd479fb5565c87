"""The page of benchmarks is made from results, and from nothing else."""

import importlib.util
import json
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "make_benchmarks.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_benchmarks", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def outcome(name, **facts):
    usual = {"name": name, "ours": False, "status": "ok", "seconds": None, "runs": 0}
    return usual | {"peak_mib": None, "ratio": None, "same": None, "growth": {}} | facts


def write(folder, when, outcomes, name="W2"):
    report = {
        "when": when,
        "machine": {"processor": "an abacus", "cores": 2, "python": "3"},
        "versions": {"featsieve": "0"},
        "settings": {},
        "workloads": [
            {
                "name": name,
                "title": "all pairs",
                "sizes": {"default": {"rows": 1000}},
                "targets": "",
                "outcomes": outcomes,
            }
        ],
    }
    path = folder / f"{when[:10]}-{name}.json"
    path.write_text(json.dumps(report), encoding="utf-8")


def test_says_so_when_there_is_nothing(script, tmp_path):
    assert "Nothing has been measured" in script.write_page(
        script.read_workloads(tmp_path)
    )


def test_shows_the_last_numbers_of_every_workload(script, tmp_path):
    ours = outcome("ours", ours=True, seconds=0.5, ratio=1.0, peak_mib=2.5)
    write(tmp_path, "2026-01-01T00:00:00", [ours | {"seconds": 9.0}])
    peer = outcome("peer_x", seconds=2.0, ratio=4.0, same=False)
    absent = outcome("absent", status="not installed")
    write(tmp_path, "2026-01-02T00:00:00", [ours, peer, absent])
    write(tmp_path, "2026-01-02T00:00:00", [ours], name="W10")
    (tmp_path / "recovery.json").write_text('{"scores": []}', encoding="utf-8")
    page = script.write_page(script.read_workloads(tmp_path))
    assert page.index("W2: all pairs\n-------------") < page.index("W10: all pairs")
    assert "rows = 1,000; measured 2026-01-02; an abacus; 2 cores; Python 3." in page
    assert "   * - **ours**\n     - 0.5000\n     - 1.00\n     - 2.5\n" in page
    assert "   * - peer\\_x\n     - 2.0000\n     - 4.00\n" in page
    assert "     - another result\n" in page
    assert "     - not installed\n" in page
    assert "9.0000" not in page
