"""featsieve rank: its answers, its table, its errors."""

from __future__ import annotations

import csv
import importlib
import json
import os
import sys
import warnings
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from cli.running import CHURN, only_line, run
from featsieve.data import EqualWidthDiscretizer, read_table
from featsieve.datasets import make_mixed
from featsieve.exceptions import NoFeatureSelectedWarning
from featsieve.selectors import MeasureFilter


def ranking(*words):
    result = run("rank", *words, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return json.loads(result.stdout)


def test_json_equals_the_library(churn):
    answer = ranking(churn, "--target", "churn")
    table = read_table(churn, "churn")
    selector = MeasureFilter(fdr=0.05).fit(table, None)
    by_name = {row["feature"]: row for row in answer["ranking"]}
    assert set(by_name) == set(table.names)
    rows = [by_name[name] for name in table.names]
    for field in ("score", "p_value", "q_value", "n_permutations"):
        known = getattr(selector, {"n_permutations": field + "_"}.get(field, ""), None)
        known = getattr(selector, f"{field}s_") if known is None else known
        assert [row[field] for row in rows] == known.tolist()
    assert [row["rank"] for row in rows] == selector.ranking_.tolist()
    assert [row["above_chance"] for row in rows] == selector.support_.tolist()
    assert answer["n_above_chance"] == selector.support_.sum()
    assert [row["rank"] for row in answer["ranking"]] == list(range(1, 7))
    assert by_name["plan"] | {"score": 0} == by_name["plan"] | {
        "kind": "nominal",
        "n_levels": 2,
        "n_missing": 1,
        "missing_share": 1 / 12,
        "score": 0,
    }


@pytest.mark.parametrize("measure", ["gain-ratio", "symmetrical_uncertainty"])
def test_options_reach_the_filter(churn, measure):
    options = "--missing ignore --bins equal-width --n-bins 3 --no-test --jobs 1"
    answer = ranking(churn, "-t", "churn", "--measure", measure, *options.split())
    selector = MeasureFilter(
        measure.replace("-", "_"),
        missing="ignore",
        discretizer=EqualWidthDiscretizer(3),
    ).fit(read_table(churn, "churn"), None)
    scores = {row["feature"]: row["score"] for row in answer["ranking"]}
    assert scores == dict(
        zip(selector.feature_names_in_, selector.scores_.tolist(), strict=True)
    )
    assert all(row["p_value"] is None for row in answer["ranking"])
    assert answer["n_above_chance"] is None
    assert answer["measure"] == measure.replace("-", "_")


def test_seed_and_fdr_reach_the_test(churn):
    answer = ranking(churn, "-t", "churn", "--seed", "7", "--fdr", "0.2")
    table = read_table(churn, "churn")
    selector = MeasureFilter(fdr=0.2, random_state=7).fit(table, None)
    p_values = {row["feature"]: row["p_value"] for row in answer["ranking"]}
    assert [p_values[name] for name in table.names] == selector.p_values_.tolist()


def test_table_for_people(churn):
    result = run("rank", churn, "--target", "churn")
    assert result.exit_code == 0
    assert result.stderr == ""
    lines = result.stdout.splitlines()
    assert lines[0].strip() == "What each feature alone tells about 'churn'"
    best = next(line for line in lines if " usage " in line)
    assert "numeric" in best
    assert "8 %" in best  # one of twelve is missing
    assert "████" in best
    assert best.rstrip().endswith("●")
    constant = next(line for line in lines if " country " in line)
    assert "1 level" in constant
    assert "0.0000" in constant
    assert constant.rstrip().endswith("·")
    text = " ".join(result.stdout.split())
    assert "of 6 features tell about 'churn' beyond chance" in text
    assert "(false discovery rate 5 %)" in text
    assert "features that tell only together look like noise" in text
    assert "Column 'country' is 'NO' in every row." in text


def test_quiet_keeps_table_and_verdict_only(churn):
    result = run("rank", churn, "--target", "churn", "--quiet")
    assert "beyond chance" in result.stdout
    assert "Column 'country'" not in result.stdout
    assert "only together" not in result.stdout
    assert result.stderr == ""


def test_top_shows_so_many(churn):
    result = run("rank", churn, "--target", "churn", "--top", "1")
    assert " usage " in result.stdout
    assert " country " not in result.stdout
    assert len(ranking(churn, "--target", "churn", "--top", "2")["ranking"]) == 2
    assert len(ranking(churn, "--target", "churn", "--top", "99")["ranking"]) == 6


def test_luck_of_an_id_is_told(write):
    random = np.random.default_rng(0)
    rows = [f"name{i},{i % 2},{random.integers(3)}" for i in range(60)]
    text = "id,copy,noise,y\n"
    text += "\n".join(f"{row},{'ab'[i % 2]}" for i, row in enumerate(rows))
    result = run("rank", write(text + "\n"), "--target", "y")
    told = " ".join(result.stdout.split())
    assert "'id' (60 levels) ranked above features that do tell" in told


def test_none_above_chance(write):
    path = write("a,b,y\n" + "".join(f"{i % 2},{i % 3},{i // 6}\n" for i in range(12)))
    result = run("rank", path, "--target", "y")
    assert result.exit_code == 0
    assert "None of 2 features tells about 'y' beyond chance" in result.stdout


def test_without_test_no_p_values(churn):
    result = run("rank", churn, "--target", "churn", "--no-test")
    assert "6 features, not tested against chance." in result.stdout
    assert "●" not in result.stdout
    assert " q" not in result.stdout.splitlines()[2]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_lines_fit_the_terminal(width, tmp_path):
    path = tmp_path / "mixed.csv"
    from featsieve.cli.views.demo import write_csv

    write_csv(make_mixed(200, random_state=0).table, path)
    result = run(
        "rank", path, "--target", "class", "--quiet", env={"COLUMNS": str(width)}
    )
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= width
    # Numbers are never cut, only names.
    numbers = [line for line in result.stdout.splitlines() if "●" in line]
    assert all("…" not in line.split(maxsplit=2)[2] for line in numbers[1:])


def test_many_features_are_cut_for_people_not_for_programs(write, tmp_path):
    names = [f"f{i}" for i in range(60)]
    rows = "".join(
        ",".join(str((i * j) % 5) for j in range(60)) + f",{'ab'[i % 2]}\n"
        for i in range(20)
    )
    path = write(",".join([*names, "y"]) + "\n" + rows)
    out = tmp_path / "ranking.csv"
    result = run("rank", path, "--target", "y", "--no-test", "--out", out)
    assert "… and 10 features more; --top 60 shows all" in result.stdout
    assert len(out.read_text().splitlines()) == 61


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "json"])
def test_out_holds_the_ranking(churn, tmp_path, suffix):
    out = tmp_path / f"ranking.{suffix}"
    out.write_text("old")
    result = run("rank", churn, "--target", "churn", "--out", out, "--top", "3")
    assert result.exit_code == 0
    assert f"Written to {str(out)!r}." in " ".join(result.stdout.split("\n"))
    wanted = ranking(churn, "--target", "churn", "--top", "3")["ranking"]
    if suffix == "json":
        rows = json.loads(out.read_text(encoding="utf-8"))["ranking"]
    elif suffix == "parquet":
        rows = pq.read_table(out).to_pylist()
    else:
        with out.open(encoding="utf-8", newline="") as stream:
            delimiter = "\t" if suffix == "tsv" else ","
            rows = list(csv.DictReader(stream, delimiter=delimiter))
        wanted = [
            {key: "" if value is None else str(value) for key, value in row.items()}
            for row in wanted
        ]
    assert rows == wanted


def test_out_without_test_has_no_empty_columns(churn, tmp_path):
    out = tmp_path / "ranking.csv"
    run("rank", churn, "--target", "churn", "--out", out, "--no-test")
    assert "p_value" not in out.read_text().splitlines()[0]


def test_names_are_shown_literally(write):
    names = [
        "[red]",
        '"a\nb"',
        "<script>",
        "日本",
        ":smile:",
        "a\u202eb",
        "🙂",
        "x" * 80,
    ]
    rows = "".join(
        ",".join(str((i * (j + 2)) % 4) for j in range(8)) + f",{'uv'[i % 2]}\n"
        for i in range(16)
    )
    path = write(",".join(names) + ",y\n" + rows)
    result = run("rank", path, "--target", "y")
    assert result.exit_code == 0, result.stderr
    for shown in ("[red]", "a\\nb", "<script>", "日本", ":smile:", "a\\u202eb", "🙂"):
        assert shown in result.stdout
    assert "xxx…" in result.stdout
    answer = ranking(path, "--target", "y")
    assert {row["feature"] for row in answer["ranking"]} >= {"a\nb", "[red]", "🙂"}


def test_duplicate_names_get_numbers(write):
    answer = ranking(write("a,a,y\n1,2,u\n2,1,v\n3,3,u\n"), "--target", "y")
    assert {row["feature"] for row in answer["ranking"]} == {"a", "a_2"}
    assert "duplicate_name" in [note["code"] for note in answer["notes"]]


def test_three_rows(write):
    answer = ranking(write("a,y\n1,u\n2,v\n3,u\n"), "--target", "y")
    assert [row["feature"] for row in answer["ranking"]] == ["a"]


def test_numeric_target_is_cut_with_a_note(write):
    path = write("a,y\n" + "".join(f"{i % 7},{i + 0.5}\n" for i in range(40)))
    result = run("rank", path, "--target", "y")
    text = " ".join(result.stdout.split())
    assert "Target 'y' is a quantity; it was cut into 5 classes" in text
    answer = ranking(path, "--target", "y", "--target-bins", "3")
    assert (answer["target_bins"], len(answer["classes"])) == (3, 3)
    whole = ranking(path, "--target", "y", "--nominal", "y")
    assert (whole["target_bins"], len(whole["classes"])) == (None, 40)


def test_target_bins_without_need_is_told(churn):
    result = run("rank", churn, "--target", "churn", "--target-bins", "3")
    assert "--target-bins is not used" in " ".join(result.stdout.split())


def test_rows_without_target_are_noted_not_warned(write):
    path = write("a,y\n" + "1,u\n2,v\n" * 4 + "3,\n")
    result = run("rank", path, "--target", "y")
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "1 of 9 rows have no target 'y'" in result.stdout
    assert ranking(path, "--target", "y")["n_rows"] == 8


def test_reading_options(write):
    text = "code;größe;y\n" + "".join(
        f"{i % 3};{'-999' if i % 5 == 0 else i};{'uv'[i % 2]}\n" for i in range(20)
    )
    path = write(text, encoding="latin-1")
    options = ["--separator", ";", "--encoding", "latin-1", "--nominal", "code"]
    answer = ranking(path, "--target", "y", *options, "--missing-values", "-999")
    by_name = {row["feature"]: row for row in answer["ranking"]}
    assert by_name["code"]["n_levels"] == 3
    assert by_name["größe"]["n_missing"] == 4


def test_lists_are_repeated_or_separated_by_commas(write):
    path = write(
        '"a,b",c,d,y\n' + "".join(f"{i},{i},{i},{'uv'[i % 2]}\n" for i in range(3))
    )
    answer = ranking(path, "-t", "y", "--nominal", '"a,b",c', "--nominal", "d")
    assert {row["kind"] for row in answer["ranking"]} == {"nominal"}
    answer = ranking(path, "-t", "y", "--nominal", "all")
    assert {row["kind"] for row in answer["ranking"]} == {"nominal"}


def test_missing_numbers_in_parquet(tmp_path):
    import pyarrow as pa

    path = tmp_path / "data.parquet"
    columns = {"a": [1.0, -1.0, 2.0, -1.0], "y": ["u", "v", "u", "v"]}
    pq.write_table(pa.table(columns), path)
    answer = ranking(path, "--target", "y", "--missing-values", "-1")
    assert answer["ranking"][0]["n_missing"] == 2


def test_without_target_columns_are_listed(churn, write):
    result = run("rank", churn)
    assert result.exit_code == 2
    line = only_line(result)
    assert "Say --target NAME, with one of 'customer', 'age', 'plan'" in line
    assert "'churn'." in line
    wide = write(",".join(f"c{i}" for i in range(30)) + "\n" + "1," * 29 + "1\n")
    assert "'c7', …, 'c27', 'c28', 'c29'." in only_line(run("rank", wide))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty. A table needs at least a line of column names."),
        ("a,y\n", "has column names and no rows to learn from."),
        ("y\nu\nv\n", "has no column beside the target 'y', so there is nothing"),
        (
            "a,y\n1,u\n2,u\n",
            "Target 'y' is 'u' in every row, so nothing can explain it.",
        ),
        ("a,y\n1,\n2,\n", "missing in all 2 rows. Choose another target or check `--m"),
        ("a,y\n1,2.5\n2,2.5\n", "Target 'y' is '2.5' in every row"),
        ("a,y\n1,u\n2,v,w\n", "must have as many cells as there are column names"),
        ("a,b\n1,u\n2,v\n", "no column 'y' (asked for as --target). The first columns"),
        ("a,yy\n1,u\n2,v\n", "Did you mean 'yy'?"),
    ],
)
def test_what_cannot_be_answered_is_told_in_one_line(write, text, told):
    result = run("rank", write(text), "--target", "y")
    assert result.exit_code == 1
    assert told in only_line(result)
    assert result.stdout == ""


def test_hints_speak_of_options_not_of_parameters(write):
    text = "a,y\n" + "".join(f"{i},{'uv'[i % 2]}\n" for i in range(30)) + "n/a,u\n"
    result = run("rank", write(text), "--target", "y", "--numeric", "a")
    assert result.exit_code == 1
    line = only_line(result)
    assert "with `--missing-values n/a` or as nominal with `--nominal a`." in line


def test_missing_file_and_directory(tmp_path):
    result = run("rank", tmp_path / "none.csv", "--target", "y")
    assert result.exit_code == 1
    assert "There is no file" in only_line(result)
    result = run("rank", tmp_path, "--target", "y")
    assert result.exit_code == 1
    assert "no CSV, TSV or Parquet files in" in only_line(result)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root reads all")
def test_unreadable_file(churn):
    churn.chmod(0)
    result = run("rank", churn, "--target", "churn")
    assert result.exit_code == 1
    assert "Permission denied" in only_line(result)


@pytest.mark.parametrize(
    ("out", "told"),
    [
        ("none/ranking.csv", "There is no folder"),
        ("ranking.xlsx", "does not tell a format. Let its name end in one of .csv"),
        ("folder.csv", "is a folder"),
        ("churn.csv", "is DATA itself"),
    ],
)
def test_out_is_checked_before_the_work(churn, tmp_path, monkeypatch, out, told):
    (tmp_path / "folder.csv").mkdir()
    monkeypatch.setattr("featsieve.data.read_table", None)
    result = run("rank", churn, "--target", "churn", "--out", tmp_path / out)
    assert result.exit_code == 2
    assert told in only_line(result)
    assert churn.read_text() == CHURN


@pytest.mark.parametrize(
    ("option", "told"),
    [
        (["--measure", "gini"], "'gini' is not one of information-gain, gain-ratio"),
        (["--bins", "7"], "'7' is not one of mdl, better"),
        (["--missing", "drop"], "'drop' is not one of level, ignore, spread."),
        (["--fdr", "5"], "5 is not between 0 and 1."),
        (["--jobs", "0"], "0 is neither a number of threads nor -1"),
        (["--n-bins", "1"], "1 is less than 2."),
        (["--n-bins", "3"], "--n-bins needs --bins equal-frequency or"),
        (["--target-bins", "1"], "1 is less than 2."),
        (["--seed", "-1"], "-1 is less than 0."),
    ],
)
def test_wrong_options(churn, option, told):
    result = run("rank", churn, "--target", "churn", *option)
    assert result.exit_code == 2
    assert told in only_line(result)


@pytest.mark.parametrize("bins", ["better", "equal-frequency", "equal_width"])
def test_every_way_to_cut(churn, bins):
    assert ranking(churn, "--target", "churn", "--bins", bins)["n_features"] == 6


def test_a_cluster_needs_an_address(churn):
    pytest.importorskip("distributed")
    result = run("rank", churn, "--target", "churn", "--engine", "dask")
    assert result.exit_code == 2
    assert "--engine dask needs --scheduler ADDRESS" in only_line(result)


OWN = """
def purity(tally):
    shares = tally.counts[tally.level_totals > 0] / tally.total
    within = (shares**2 / shares.sum(axis=1, keepdims=True)).sum()
    return within - (shares.sum(axis=0) ** 2).sum()

def nothing(tally):
    return float("nan")

def broken(tally):
    return tally.counts[99]

number = 3
"""


@pytest.fixture
def own_module(tmp_path, monkeypatch):
    (tmp_path / "own_measures.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "own_broken.py").write_text("import not_there_at_all", "utf-8")
    (tmp_path / "own_leaving.py").write_text("raise SystemExit(3)", "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop("own_measures", None)


@pytest.mark.usefixtures("own_module")
def test_a_measure_of_ones_own(churn, tmp_path):
    options = ("-t", "churn", "--measure", "own_measures:purity", "--fdr", "0.5")
    answer = ranking(churn, *options)
    purity = importlib.import_module("own_measures").purity
    table = read_table(churn, "churn")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoFeatureSelectedWarning)
        selector = MeasureFilter(purity, fdr=0.5).fit(table, None)
    by_name = {row["feature"]: row for row in answer["ranking"]}
    rows = [by_name[name] for name in table.names]
    assert [row["score"] for row in rows] == selector.scores_.tolist()
    assert [row["p_value"] for row in rows] == selector.p_values_.tolist()
    assert answer["measure"] == "own_measures:purity"
    assert answer["unit"] is None
    lines = Path(churn).read_text("utf-8").splitlines()
    (tmp_path / "parts").mkdir()
    for k, some in enumerate((lines[1:5], lines[5:])):
        text = "\n".join([lines[0], *some, ""])
        (tmp_path / "parts" / f"{k}.csv").write_text(text, "utf-8")
    parts = ranking(tmp_path / "parts", *options)
    assert parts["ranking"] == answer["ranking"]
    shown = run("rank", churn, *options)
    assert "own_measures:purity" in shown.stdout


@pytest.mark.usefixtures("own_module")
@pytest.mark.parametrize(
    ("word", "why"),
    [
        ("not_there:purity", "there is no module 'not_there'"),
        ("own_broken:purity", "importing it failed: No module named 'not_there_at"),
        ("own_leaving:purity", "importing it failed: SystemExit: 3"),
        ("own_measures:gini", "module 'own_measures' has no 'gini'"),
        ("own_measures:number", "'number' is no function but 3"),
        ("own_measures:nothing", "own_measures:nothing must return a finite number"),
        ("own_measures:broken", "own_measures:broken failed on column"),
        ("hits", "'hits' is not one of information-gain"),
    ],
)
def test_what_is_amiss_with_a_measure_is_said(churn, word, why):
    result = run("rank", churn, "-t", "churn", "--measure", word)
    assert result.exit_code != 0
    assert why in only_line(result)


def test_rows_may_belong_together(tmp_path):
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(20), 6)
    own = random.normal(size=(20, 4)) * 3
    X = np.round(own[patient] + random.normal(size=(120, 4)), 3)
    lines = [
        f"{x},{y},{u},{v},p{who},{('no', 'yes')[who % 2]}"
        for (x, y, u, v), who in zip(X.tolist(), patient.tolist(), strict=True)
    ]
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(["x,y,u,v,patient,ill", *lines]))
    answer = ranking(path, "-t", "ill", "--groups", "patient")
    assert answer["n_features"] == 4
    assert {row["feature"] for row in answer["ranking"]} == {*"xyuv"}
    asked = ranking(path, "-t", "ill")
    assert any("`--groups patient`" in note["message"] for note in asked["notes"])
    result = run("rank", path, path, "-t", "ill", "--groups", "patient")
    assert "--groups is about single rows" in only_line(result)
