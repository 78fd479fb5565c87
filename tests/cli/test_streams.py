"""Several files on the command line are one table, read part by part."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from cli.running import run
from featsieve.datasets import make_mixed


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    X, y = make_mixed(n_rows=1200, random_state=0).table.to_pandas()
    frame = X.drop(columns="customer_id").assign(plan=y)
    folder = tmp_path_factory.mktemp("parts")
    for k, rows in enumerate(np.array_split(np.arange(1200), 3)):
        frame.iloc[rows].to_csv(folder / f"{k}.csv", index=False)
    whole = tmp_path_factory.mktemp("whole") / "all.csv"
    frame.to_csv(whole, index=False)
    return folder, whole


def answer(*arguments):
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_ranking_is_that_of_one_file(parts):
    folder, whole = parts
    expected = answer("rank", whole, "--target", "plan")
    files = sorted(folder.glob("*.csv"))
    for data in ([folder], [folder / "*.csv"], files):
        found = answer("rank", *data, "--target", "plan")
        for key in ("ranking", "classes", "n_rows", "n_above_chance"):
            assert found[key] == expected[key]


def test_interactions_of_a_folder(parts, tmp_path):
    folder, _ = parts
    out = tmp_path / "pairs.csv"
    found = answer("interactions", folder, "-t", "plan", "--out", out)
    assert found["interactions"][0]["members"] == ["router", "line"]
    assert len(pd.read_csv(out)) == len(found["pairs"]) + len(
        found["redundant_pairs"]
    ) + len(found["interactions"])
    shown = run("interactions", folder, "-t", "plan")
    assert "router + line" in shown.stdout


def test_a_quantity_is_cut(parts):
    folder, _ = parts
    found = answer("rank", folder, "-t", "monthly_bill", "--target-bins", "3")
    assert len(found["classes"]) == 3
    assert found["notes"][0]["code"] == "target_cut"
    assert len(answer("rank", folder, "-t", "monthly_bill")["classes"]) == 5
    assert found["ranking"][0]["feature"] == "bill_before_tax"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["rank", "{folder}"], 2, "--target NAME"),
        (["rank", "{folder}", "-t", "plam"], 1, "Did you mean 'plan'"),
        (["rank", "{folder}", "-t", "country"], 1, "in every row"),
        (["rank", "{folder}/no*.csv", "-t", "plan"], 1, "no file matches"),
        (
            ["interactions", "{folder}", "-t", "plan", "--min-synergy", "0.1"],
            2,
            "single file",
        ),
    ],
)
def test_errors_are_one_sentence(parts, arguments, code, message):
    result = run(*(word.format(folder=parts[0]) for word in arguments))
    assert result.exit_code == code
    assert message in result.stderr.replace("\n", " ")
