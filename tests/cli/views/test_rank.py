"""Rankings for people and for programs."""

from __future__ import annotations

import csv

import pytest

from cli.showing import shown
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.rank import (
    TEST_FIELDS,
    load_measure,
    print_ranking,
    rank_features,
    write_ranking,
)
from featsieve.measures import information_gain


@pytest.fixture
def source(write):
    rows = "".join(f"{'uv'[k % 2]},{k % 3},{'pq'[k % 2]}\n" for k in range(60))
    return Source([write(f"same,other,y\n{rows}")])


def test_the_answer_has_scores_and_tests(source):
    answer = rank_features(source, quiet=True, target="y", jobs=1)
    assert [row["feature"] for row in answer["ranking"]] == ["same", "other"]
    assert answer["ranking"][0]["score"] == pytest.approx(1)
    assert answer["n_above_chance"] == 1
    assert (answer["unit"], answer["classes"]) == ("bits", ["p", "q"])
    text = shown(print_ranking, answer, top=None, quiet=False)
    assert "1 of 2 features tells about 'y' beyond chance" in text
    assert "Each feature was taken alone" in text
    assert "taken alone" not in shown(print_ranking, answer, top=None, quiet=True)


def test_without_a_test_there_are_no_p_values(source, tmp_path):
    answer = rank_features(source, quiet=True, target="y", fdr=None, jobs=1)
    assert answer["n_above_chance"] is None
    assert "not tested against chance" in shown(
        print_ranking, answer, top=1, quiet=True
    )
    write_ranking(answer, tmp_path / "out.csv", 1)
    with (tmp_path / "out.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["feature"] == "same"
    assert not set(TEST_FIELDS) & set(row)


def test_parts_have_the_same_scores(source, write):
    text = source.path.read_text("utf-8").splitlines(keepends=True)
    halves = [write("".join([text[0], *text[k::2]]), f"{k}.csv") for k in (1, 2)]
    one = rank_features(source, quiet=True, target="y", jobs=1)
    two = rank_features(Source(halves), quiet=True, target="y", jobs=1)
    assert [row["score"] for row in one["ranking"]] == [
        row["score"] for row in two["ranking"]
    ]


def test_quantities_are_cut(source):
    answer = rank_features(source, quiet=True, target="other", target_bins=2, jobs=1)
    assert answer["target_bins"] in (None, 2)  # whole numbers of few values are classes


@pytest.mark.parametrize("bins", ["equal-frequency", "equal-width", "mdl", "kononenko"])
def test_every_way_to_cut(source, bins):
    answer = rank_features(source, quiet=True, target="y", bins=bins, jobs=1)
    assert answer["n_bins"] == (5 if bins.startswith("equal") else None)


def test_measures_by_name():
    assert load_measure("featsieve.measures:information_gain") is information_gain
    for word, fault in (
        ("no_such_module_at_all:f", "there is no module 'no_such_module_at_all'"),
        ("featsieve.measures:nothing", "has no 'nothing'"),
        ("featsieve:PACKAGES", "'PACKAGES' is no function"),
    ):
        with pytest.raises(UsageProblem, match=fault):
            load_measure(word)
