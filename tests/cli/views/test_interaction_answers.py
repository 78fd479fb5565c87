"""Answers of `interactions`: the same fields for one file and for parts."""

from __future__ import annotations

import csv
import itertools

import pytest

from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import Source
from featsieve.cli.views.interaction_answers import (
    LEAST_SHARE,
    MOST_REDUNDANT,
    _redundancies,
    _synergies,
    draw_graph,
    find_interactions,
    shorten,
    write_interactions,
)

ROWS = [
    f"{a},{b},{a},{'no' if a == b else 'yes'}"
    for a, b in itertools.product("uv", repeat=2)
    for _ in range(30)
]
TEXT = "\n".join(["a,b,copy,y", *ROWS, ""])


@pytest.fixture
def file(write):
    return write(TEXT)


def test_one_file_and_parts_tell_the_same(file, write):
    one = find_interactions(Source([file]), quiet=True, target="y", jobs=1)
    half = "\n".join(["a,b,copy,y", *ROWS[::2], ""])
    other = "\n".join(["a,b,copy,y", *ROWS[1::2], ""])
    parts = Source([write(half, "p0.csv"), write(other, "p1.csv")])
    several = find_interactions(parts, quiet=True, target="y", jobs=1)
    assert set(one) == set(several)
    for answer in (one, several):
        assert answer["n_interactions"] >= 1
        assert "b" in answer["interactions"][0]["members"]
        assert answer["pairs"][0]["synergy"] == pytest.approx(1)
        assert (answer["n_rows"], answer["n_pairs"]) == (120, 3)
        assert answer["target_entropy"] == pytest.approx(1)


def test_searches_for_one_file_are_refused_for_parts(file, write):
    parts = Source([file, write(TEXT, "other.csv")])
    with pytest.raises(UsageProblem, match="--min-synergy, --max-loss and --missing"):
        find_interactions(parts, quiet=True, target="y", max_loss=0.1)


def test_answers_are_shortened_and_written(file, tmp_path):
    answer = find_interactions(Source([file]), quiet=True, target="y", jobs=1)
    short = shorten(answer, 1)
    assert short["pairs"] == answer["pairs"][:1]
    assert len(answer["pairs"]) == 3
    write_interactions(answer, tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(encoding="utf-8") as out:
        rows = list(csv.DictReader(out))
    kinds = [row["kind"] for row in rows]
    assert kinds.count("interaction") == len(answer["interactions"])
    assert kinds.count("pair") == 3
    nothing = answer | {"interactions": [], "pairs": [], "redundant_pairs": []}
    write_interactions(nothing, tmp_path / "none.csv")
    head = (tmp_path / "none.csv").read_text("utf-8").splitlines()[0]
    assert head.startswith("kind,feature_1,feature_2,joint_gain")


def test_a_pure_triple_shares_its_bits_among_its_pairs():
    number = {"a": 0, "b": 1, "c": 2}
    pairs = [{"first": "a", "second": "b", "synergy": 0.2, "is_interaction": True}]
    found = [{"members": ["a", "b", "c"], "synergy": 0.9}]
    answer = {"pairs": pairs, "interactions": found}
    assert _synergies(answer, number) == [(0, 1, 0.2), (0, 2, 0.9), (1, 2, 0.9)]


def test_faint_redundancies_are_not_drawn():
    names = [f"f{k}" for k in range(MOST_REDUNDANT + 5)]
    number = {name: k for k, name in enumerate(names)}
    pair = {"first": "f0", "first_gain": 1.0, "second_gain": 1.0}
    strong = [pair | {"second": name, "synergy": -0.5} for name in names[1:]]
    faint = [pair | {"second": "f1", "synergy": -LEAST_SHARE / 2}]
    drawn = _redundancies({"redundant_pairs": strong + faint}, number)
    assert len(drawn) == MOST_REDUNDANT
    assert _redundancies({"redundant_pairs": faint}, number) == []


def test_the_graph_is_drawn(file, tmp_path):
    answer = find_interactions(Source([file]), quiet=True, target="y", jobs=1)
    draw_graph(answer, tmp_path / "graph.svg")
    assert "<svg" in (tmp_path / "graph.svg").read_text("utf-8")
