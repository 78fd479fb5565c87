"""featsieve interactions: its answers, its tables, its errors, its picture."""

from __future__ import annotations

import csv
import json
from xml.etree import ElementTree

import numpy as np
import pyarrow.parquet as pq
import pytest

from cli.running import CHURN, only_line, run
from featsieve.cli.views import interaction_answers as _interaction_search
from featsieve.cli.views.demo import write_csv
from featsieve.data import read_table
from featsieve.datasets import make_parity
from featsieve.selectors import BIFSFilter


def answer_of(*words):
    result = run("interactions", *words, "--json")
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return json.loads(result.stdout)


def told(result):
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    return " ".join(result.stdout.split())


@pytest.fixture
def parity(tmp_path):
    """An exclusive or of x1 and x2 among noise."""
    path = tmp_path / "parity.csv"
    table, _ = make_parity(300, n_bits=2, n_noise=4, random_state=0)
    write_csv(table, path)
    return path


@pytest.fixture
def overlap(write):
    """Two copies, and a noisy third."""
    random = np.random.default_rng(0)
    a = random.integers(3, size=200)
    b = np.where(random.random(200) < 0.2, random.integers(3, size=200), a)
    y = np.where(random.random(200) < 0.2, random.integers(3, size=200), a)
    rows = zip(a, a, b, y, strict=True)
    text = "".join(f"a{i},c{j},b{k},y{c}\n" for i, j, k, c in rows)
    return write("a,copy,b,y\n" + text)


def test_json_equals_the_library(parity):
    answer = answer_of(parity, "--target", "class")
    table = read_table(parity, "class")
    selector = BIFSFilter().fit(table, None)
    assert answer["n_interactions"] == len(selector.interactions_) == 1
    for row, found in zip(answer["interactions"], selector.interactions_, strict=True):
        assert row["members"] == list(found.members) == ["x1", "x2"]
        assert row["best_split"] == [list(part) for part in found.best_split]
        for field in (
            "joint_gain",
            "synergy",
            "gain_per_feature",
            "p_value",
            "is_real",
        ):
            assert row[field] == getattr(found, field)
        assert row["kept"] == found.kept
    names = np.array(table.names)
    for kind in ("pairs", "redundant_pairs"):
        known = getattr(selector, f"{kind}_")
        rows = answer[kind]
        assert [row["first"] for row in rows] == names[known["first"]].tolist()
        assert [row["second"] for row in rows] == names[known["second"]].tolist()
        for field in set(known) - {"first", "second"}:
            assert [row[field] for row in rows] == known[field].tolist()
    features = answer["features"]
    assert [row["kept"] for row in features] == selector.support_.tolist()
    assert answer["n_kept"] == selector.support_.sum()
    assert answer["detectable_synergy"] == selector.detectable_synergy_
    assert answer["min_synergy_used"] == selector.min_synergy_


def test_own_gains_add_up(churn, overlap):
    for path, target in ((churn, "churn"), (overlap, "y")):
        answer = answer_of(path, "-t", target)
        gains = {row["feature"]: row["gain"] for row in answer["features"]}
        for row in answer["pairs"] + answer["redundant_pairs"]:
            assert row["first_gain"] == gains[row["first"]]
            apart = row["first_gain"] + row["second_gain"]
            assert row["joint_gain"] - apart == pytest.approx(row["synergy"])


def test_options_reach_the_filter(churn):
    options = "--min-synergy 0.1 --max-loss 0.05 --max-degree 3 --missing ignore"
    answer = answer_of(
        churn, "-t", "churn", *options.split(), *["-j", "1", "--seed", "3"]
    )
    selector = BIFSFilter(
        0.1, 0.05, max_degree=3, missing="ignore", random_state=3
    ).fit(read_table(churn, "churn"), None)
    found = [tuple(row["members"]) for row in answer["interactions"]]
    assert found == [each.members for each in selector.interactions_]
    assert found
    assert [row["kept"] for row in answer["features"]] == selector.support_.tolist()
    assert "p_value" not in answer["pairs"][0]
    assert answer["detectable_synergy"] is None
    assert (answer["min_synergy"], answer["max_loss"]) == (0.1, 0.05)
    words = ["--min-synergy", "0.1", "--max-loss", "0.05", "--fdr", "0.2"]
    idle = run("interactions", churn, "-t", "churn", *words)
    assert only_line(idle).startswith("--fdr does nothing with numbers for")


def test_tables_for_people(parity):
    result = run("interactions", parity, "--target", "class")
    text = told(result)
    lines = result.stdout.splitlines()
    assert lines[0].strip() == "What features tell together about 'class'"
    group = next(line for line in lines if line.startswith("x1 + x2"))
    assert "real 2-way" in group
    assert group.rstrip().endswith("●")
    pair = next(line for line in lines if line.startswith("x1 ") and "│████" in line)
    assert "<0.001" in pair
    assert pair.rstrip().endswith("●")
    assert "Best pairs of 15; most evidence first" in text
    assert "1 interaction among 6 features at a false discovery rate of 5 %;" in text
    assert "bits on would have been found." in text
    assert "Kept 2 of 6 features: x1, x2." in text


def test_redundant_pairs_are_shown(overlap):
    result = run("interactions", overlap, "--target", "y")
    lines = result.stdout.splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Most redundant"))
    first = lines[start + 3]
    assert first.split()[0] == "a"
    assert first.split()[2] == "copy"
    assert "████│" in first
    assert first.rstrip().endswith("100 %")


def test_with_a_number_nothing_is_tested(parity):
    result = run(
        "interactions", parity, "-t", "class", "--min-synergy", "0.5", "--max-loss", "0"
    )
    text = told(result)
    assert (
        "with more than 0.5 bits of synergy in each pair; --min-synergy auto tests"
        in text
    )
    assert "most synergy first" in text
    assert " q " not in text
    text = told(run("interactions", parity, "-t", "class", "--min-synergy", "0.999999"))
    assert "No interaction among" in text or "1 interaction among" in text


def test_chains_are_told(monkeypatch, parity):
    real = _interaction_search.find_interactions

    def with_chain(*args, **options):
        answer = real(*args, **options)
        chain = answer["interactions"][0] | {
            "members": ["x1", "x2", "noise_1"],
            "best_split": [["x1", "x2"], ["noise_1"]],
            "is_real": False,
            "kept": False,
        }
        huge = chain | {"is_real": None, "synergy": None, "p_value": None}
        answer["interactions"] += [chain, huge] + [chain] * 20
        return answer | {"n_interactions": 23}

    monkeypatch.setattr(_interaction_search, "find_interactions", with_chain)
    text = told(run("interactions", parity, "-t", "class"))
    assert "chain of x1 + x2 | noise_1" in text
    assert "\\n" not in text
    assert "not verified ·" in text
    assert "… and 3 interactions more; --out FILE saves all." in text


def test_quiet_keeps_tables_and_verdict_only(churn):
    loud = told(run("interactions", churn, "-t", "churn"))
    quiet = told(run("interactions", churn, "-t", "churn", "--quiet"))
    assert "Column 'customer' looks like a row number" in loud
    assert "Column 'customer'" not in quiet
    assert "cannot show much" not in quiet
    assert "interaction among 6 features" in quiet


def test_little_power_is_a_note_not_a_warning(churn):
    text = told(run("interactions", churn, "-t", "churn"))
    assert "12 rows cannot show much: an interaction of two features is found" in text
    assert "a number for --min-synergy gives the published method" in text
    codes = [note["code"] for note in answer_of(churn, "-t", "churn")["notes"]]
    assert codes[0] == "weak_evidence"


def test_other_warnings_are_told(parity, monkeypatch):
    import warnings

    real = BIFSFilter.fit

    def warn(self, *args, **options):
        warnings.warn("odd things", UserWarning, stacklevel=1)
        return real(self, *args, **options)

    monkeypatch.setattr(BIFSFilter, "fit", warn)
    warnings.simplefilter("always")
    result = run("interactions", parity, "-t", "class")
    assert result.exit_code == 0
    assert only_line(result) == "warning: odd things"


def test_identifiers_are_not_called_redundant(tmp_path):
    from featsieve.datasets import make_mixed

    path = tmp_path / "mixed.csv"
    write_csv(make_mixed(300, random_state=0).table, path)
    options = ("--target", "class", "--max-degree", "2")
    result = run("interactions", path, *options)
    part = result.stdout.split("Most redundant pairs")[1]
    assert "customer_id" not in part.split("\n\n")[0]
    rows = answer_of(path, *options)["redundant_pairs"]
    assert rows
    assert not any("customer_id" in (row["first"], row["second"]) for row in rows)


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_lines_fit_the_terminal(width, tmp_path):
    from featsieve.datasets import make_mixed

    path = tmp_path / "mixed.csv"
    write_csv(make_mixed(300, random_state=0).table, path)
    options = ("--target", "class", "--quiet", "--max-degree", "2")
    result = run("interactions", path, *options, env={"COLUMNS": str(width)})
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= width
    # Numbers are never cut, only names.
    rows = [line for line in result.stdout.splitlines() if line.endswith(("●", "·"))]
    assert rows
    assert all(line.split()[-2].replace("<", "")[0].isdigit() for line in rows)


def test_top_shows_so_many(parity):
    result = run("interactions", parity, "-t", "class", "--top", "1")
    assert "noise_1" not in result.stdout.split("Most redundant")[0]
    answer = answer_of(parity, "-t", "class", "--top", "2")
    assert len(answer["pairs"]) == 2
    assert len(answer["features"]) == 6


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "json"])
def test_out_holds_interactions_and_pairs(parity, tmp_path, suffix):
    out = tmp_path / f"found.{suffix}"
    result = run("interactions", parity, "-t", "class", "--out", out, "--top", "2")
    assert f"Written to {str(out)!r}." in " ".join(result.stdout.split("\n"))
    wanted = answer_of(parity, "-t", "class", "--top", "2")
    if suffix == "json":
        assert json.loads(out.read_text(encoding="utf-8")) == wanted
        return
    if suffix == "parquet":
        rows = pq.read_table(out).to_pylist()
    else:
        with out.open(encoding="utf-8", newline="") as stream:
            delimiter = "\t" if suffix == "tsv" else ","
            rows = list(csv.DictReader(stream, delimiter=delimiter))
    kinds = [row["kind"] for row in rows]
    n_redundant = len(wanted["redundant_pairs"])
    expected = ["interaction", "pair", "pair", *["redundant_pair"] * n_redundant]
    assert kinds == expected
    assert (rows[0]["feature_1"], rows[0]["feature_2"]) == ("x1", "x2")
    assert float(rows[0]["synergy"]) == wanted["interactions"][0]["synergy"]
    assert float(rows[1]["q_value"]) == wanted["pairs"][0]["q_value"]


def test_out_of_a_single_feature_has_a_head(write, tmp_path):
    out = tmp_path / "found.csv"
    path = write("a,y\n" + "1,u\n2,v\n" * 8)
    assert run("interactions", path, "-t", "y", "--out", out).exit_code == 0
    assert out.read_text().startswith("kind,feature_1,feature_2,joint_gain,synergy")


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_graph_is_drawn(parity, tmp_path, suffix):
    out = tmp_path / f"graph.{suffix}"
    result = run("interactions", parity, "-t", "class", "--graph", out)
    assert result.exit_code == 0, result.stderr
    assert f"Written to {str(out)!r}." in " ".join(result.stdout.split("\n"))
    if suffix == "png":
        assert out.read_bytes().startswith(b"\x89PNG")
        return
    text = out.read_text(encoding="utf-8")
    ElementTree.fromstring(text)
    assert "What features tell about 'class' together" in text
    assert "x1 and x2: " in text
    assert "bits more together" in text


def test_graph_of_redundancy(overlap, tmp_path):
    out = tmp_path / "graph.svg"
    run("interactions", overlap, "-t", "y", "--graph", out, "--quiet")
    assert '<g id="edge-0-1">' in out.read_text(encoding="utf-8")


def test_pure_triples_are_drawn(tmp_path):
    path, out = tmp_path / "parity.csv", tmp_path / "graph.svg"
    write_csv(make_parity(600, n_bits=3, n_noise=3, random_state=0).table, path)
    result = run("interactions", path, "-t", "class", "--graph", out)
    assert "real 3-way" in told(result)
    text = out.read_text(encoding="utf-8")
    for edge in ("edge-0-1", "edge-0-2", "edge-1-2"):
        assert f'<g id="{edge}">' in text
    assert '<g id="group-0">' in text


def test_graph_without_matplotlib(parity, tmp_path, monkeypatch):
    monkeypatch.setattr(_interaction_search, "find_spec", lambda _: None)
    monkeypatch.setattr("featsieve.data.read_table", None)  # before the work
    out = tmp_path / "graph.svg"
    result = run("interactions", parity, "-t", "class", "--graph", out)
    assert result.exit_code == 2
    assert only_line(result).endswith("pip install featsieve[report]")


def test_names_are_shown_literally(write, tmp_path):
    names = ["[red]", '"a\nb"', "<script>", "日本", "$x$", "a\u202eb", "🙂", "x" * 80]
    rows = "".join(
        ",".join(str((i * (j + 2)) % 4) for j in range(8)) + f",{'uv'[i % 2]}\n"
        for i in range(16)
    )
    path, out = write(",".join(names) + ",y\n" + rows), tmp_path / "graph.svg"
    words = ("-t", "y", "--top", "40", "--min-synergy", "0.01", "--max-degree", "2")
    result = run("interactions", path, *words, "--max-loss", "0", "--graph", out)
    text = told(result)
    for shown in ("[red]", "a\\nb", "<script>", "日本", "$x$", "a\\u202eb", "🙂"):
        assert shown in text
    ElementTree.fromstring(out.read_text(encoding="utf-8"))
    answer = answer_of(path, *words)
    assert {row["feature"] for row in answer["features"]} >= {"a\nb", "[red]", "🙂"}


def test_one_feature(write):
    path = write("a,y\n" + "1,u\n2,v\n" * 8)
    text = told(run("interactions", path, "--target", "y"))
    assert "One feature has nothing to interact with." in text
    assert "Kept 1 of 1 feature: a." in text
    answer = answer_of(path, "--target", "y")
    assert (answer["pairs"], answer["detectable_synergy"]) == ([], None)


def test_three_rows(write):
    path = write("a,b,y\n1,2,u\n2,1,v\n3,3,u\n")
    text = told(run("interactions", path, "--target", "y"))
    assert "No interaction among 2 features" in text
    assert "No feature is kept: none tells about the target beyond chance." in text
    assert "Best pair of 1;" in text


def test_eight_rows_cannot_show_an_exclusive_or(write):
    path = write("a,b,y\n" + "p,p,u\np,q,v\nq,p,v\nq,q,u\n" * 2)
    text = told(run("interactions", path, "--target", "y"))
    assert "of 5 %; so few rows could not have shown any." in text
    assert "8 rows cannot show much" in text


def test_all_constant(write, tmp_path):
    path = write("a,b,y\n" + "1,2,u\n1,2,v\n" * 8)
    graph = tmp_path / "graph.svg"
    text = told(run("interactions", path, "--target", "y", "--graph", graph))
    assert "No interaction among 2 features" in text
    assert "0 of 2 features shown" in graph.read_text(encoding="utf-8")


def test_numeric_target_is_cut_with_a_note(write):
    path = write("a,b,y\n" + "".join(f"{i % 7},{i % 5},{i + 0.5}\n" for i in range(40)))
    text = told(run("interactions", path, "--target", "y"))
    assert "Target 'y' is a quantity; it was cut into 5 classes" in text
    answer = answer_of(path, "--target", "y", "--target-bins", "3")
    assert (answer["target_bins"], len(answer["classes"])) == (3, 3)
    assert answer["notes"][0]["code"] == "target_cut"


def test_target_bins_without_need_is_told(parity):
    result = run("interactions", parity, "--target", "class", "--target-bins", "3")
    assert "--target-bins is not used" in told(result)


def test_rows_without_target_are_noted_not_warned(write):
    path = write("a,b,y\n" + "1,2,u\n2,2,v\n" * 4 + "3,3,\n")
    assert "1 of 9 rows have no target 'y'" in told(
        run("interactions", path, "-t", "y")
    )


def test_reading_options(write):
    text = "code;größe;y\n" + "".join(
        f"{i % 3};{'-999' if i % 5 == 0 else i};{'uv'[i % 2]}\n" for i in range(20)
    )
    path = write(text, encoding="latin-1")
    options = ["--separator", ";", "--encoding", "latin-1", "--nominal", "code"]
    answer = answer_of(path, "-t", "y", *options, "--missing-values", "-999")
    kinds = {row["feature"]: row["kind"] for row in answer["features"]}
    assert kinds == {"code": "nominal", "größe": "numeric"}


def test_without_target_columns_are_listed(churn):
    result = run("interactions", churn)
    assert result.exit_code == 2
    assert "Say --target NAME, with one of 'customer', 'age'" in only_line(result)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty."),
        ("a,y\n", "has column names and no rows to learn from."),
        ("y\nu\nv\n", "no column beside the target 'y', so there is nothing to ask"),
        ("a,y\n1,u\n2,u\n", "Target 'y' is 'u' in every row"),
        ("a,y\n1,\n2,\n", "missing in all 2 rows."),
        ("a,yy\n1,u\n2,v\n", "Did you mean 'yy'?"),
    ],
)
def test_what_cannot_be_answered_is_told_in_one_line(write, text, reason):
    result = run("interactions", write(text), "--target", "y")
    assert result.exit_code == 1
    assert reason in only_line(result)
    assert result.stdout == ""


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--out", "none/found.csv"], "There is no folder"),
        (["--out", "found.xlsx"], "Let its name end in one of .csv"),
        (["--graph", "graph.pdf"], "--graph 'graph.pdf' does not tell a format. Let"),
        (["--graph", "none/graph.svg"], "for --graph 'none/graph.svg'. Make it first"),
        (["--min-synergy", "much"], "'much' is neither auto nor a number of bits."),
        (["--max-loss", "nan"], "'nan' is neither auto nor a number of bits."),
        (["--fdr", "5"], "5 is not between 0 and 1."),
        (["--max-degree", "1"], "1 is less than 2."),
        (["--missing", "spread"], "'spread' is not one of level, ignore."),
        (["--top", "0"], "0 is less than 1."),
        (["--jobs", "0"], "0 is neither a number of threads nor -1"),
    ],
)
def test_wrong_options(churn, monkeypatch, words, reason):
    monkeypatch.setattr("featsieve.data.read_table", None)
    result = run("interactions", churn, "--target", "churn", *words)
    assert result.exit_code == 2
    assert reason in only_line(result)
    assert churn.read_text() == CHURN


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
    answer = answer_of(path, "-t", "ill", "--groups", "patient")
    assert answer["n_features"] == 4
    assert {row["feature"] for row in answer["features"]} == {*"xyuv"}
    asked = answer_of(path, "-t", "ill")
    assert any("`--groups patient`" in note["message"] for note in asked["notes"])
    result = run("interactions", path, path, "-t", "ill", "--groups", "patient")
    assert "--groups is about single rows" in only_line(result)
