"""featsieve select: its answers, its table, its files, its errors."""

from __future__ import annotations

import csv
import gzip
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import featsieve
from cli.running import only_line, run
from featsieve.cli.views.demo import write_csv
from featsieve.datasets import make_mixed, make_noise


@pytest.fixture(scope="module")
def customers(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "customers.csv"
    write_csv(make_mixed(500, n_noise=2, random_state=2).table, path)
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Cells that a reader would change: leading zeros, dates, gaps, quotes."""
    random = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("data") / "small.csv"
    lines = ["code,day,quoted,noise,y"]
    for i in range(60):
        y = i % 2
        code = f"00{y}{random.integers(5)}"
        day = f"2021-0{1 + 2 * y + random.integers(2)}-0{random.integers(1, 9)}"
        lines.append(f'{code},{day},"a, {y}",{random.normal():.3f},{"ny"[y]}')
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_json_equals_the_library(customers):
    result = run("select", customers, "-t", "class", "--json", "--seed", 3)
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    answer = json.loads(result.stdout)
    ours = featsieve.select(customers, "class", random_state=3, verbose=False)
    assert answer["features"] == ours.features
    assert answer["ledger"] == ours.to_dict()["ledger"]
    assert answer["computation"]["random_state"] == 3


def test_table_tells_verdicts_with_partners_and_displacers(customers):
    result = run("select", customers, "-t", "class", "--nominal", "dialling_code")
    assert result.exit_code == 0, result.stderr
    text = " ".join(result.stdout.split())
    assert "Features that matter for 'class'" in text
    assert "relevant together with 'line'" in text
    assert "dialling_code (with city)" in text
    assert "unusable: customer_id (looks like a row number or an ID; it" in text
    assert "of 19 features kept for 'class' (false discovery rate 5 %)" in text


def test_narrow_terminals_get_fewer_columns(customers):
    result = run("select", customers, "-t", "class", "-q", env={"COLUMNS": "50"})
    assert result.exit_code == 0
    assert "interval" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 50


def test_options_reach_the_selection(customers):
    words = "--max-selected 2 --fdr 0.01 --time-budget 30 --jobs 1 --json"
    result = run("select", customers, "-t", "class", *words.split())
    answer = json.loads(result.stdout)
    assert len(answer["features"]) <= 2
    asked = answer["computation"]["parameters"]
    assert (asked["fdr"], asked["time_budget"]) == (0.01, 30.0)


def test_a_minimum_is_reached_and_told(small):
    words = ["--min-features", "2", "--include-possible", "--json"]
    answer = json.loads(run("select", small, "-t", "y", *words).stdout)
    asked = answer["computation"]["parameters"]
    assert (asked["min_features"], asked["include_possible"]) == (2, True)
    assert len(answer["features"]) >= 2
    words = ["--min-features", "2", "--max-selected", "1"]
    result = run("select", small, "-t", "y", *words)
    assert result.exit_code != 0
    assert "Ask for no more than may be kept" in only_line(result)


def test_report_and_selected_columns(small, tmp_path):
    report, out = tmp_path / "report.html", tmp_path / "chosen.csv"
    result = run("select", small, "-t", "y", "--report", report, "--out", out)
    assert result.exit_code == 0, result.stderr
    assert "<html" in report.read_text(encoding="utf-8")
    assert str(out) in result.stdout
    with small.open(encoding="utf-8") as stream:
        before = list(csv.DictReader(stream))
    with out.open(encoding="utf-8") as stream:
        after = list(csv.DictReader(stream))
    assert "noise" not in after[0]
    assert len(after[0]) >= 2
    for old, new in zip(before, after, strict=True):
        assert new.items() <= old.items()


@pytest.mark.parametrize("suffix", [".parquet", ".tsv"])
def test_other_formats(small, tmp_path, suffix):
    packed = tmp_path / "small.csv.gz"
    packed.write_bytes(gzip.compress(small.read_bytes()))
    out = tmp_path / f"chosen{suffix}"
    result = run("select", packed, "-t", "y", "--out", out, "--json")
    assert result.exit_code == 0, result.stderr
    kept = json.loads(result.stdout)["features"]
    if suffix == ".parquet":
        table = pq.read_table(out)
        names = table.column_names
        assert table.num_rows == 60
    else:
        names = out.read_text(encoding="utf-8").splitlines()[0].split("\t")
    assert sorted(names) == sorted([*kept, "y"])


def test_parquet_in_and_out(small, tmp_path):
    source, out = tmp_path / "small.parquet", tmp_path / "chosen.csv"
    frame = pd.read_csv(small, dtype={"code": str}, parse_dates=["day"])
    frame.to_parquet(source)
    result = run("select", source, "-t", "y", "--out", out, "-q")
    assert result.exit_code == 0, result.stderr
    assert list(pd.read_csv(out).columns)[-1] == "y"


def test_arff_in(tmp_path):
    source = tmp_path / "small.arff"
    rows = "\n".join(f"{i % 2},{i % 7},{'ny'[i % 2]}" for i in range(60))
    source.write_text(
        "@relation r\n@attribute a {0,1}\n@attribute b numeric\n"
        f"@attribute y {{n,y}}\n@data\n{rows}\n"
    )
    out = tmp_path / "chosen.parquet"
    result = run("select", source, "-t", "y", "--out", out, "-q")
    assert result.exit_code == 0, result.stderr
    assert pq.read_table(out).column_names == ["a", "y"]


CLASSES = [i % 2 for i in range(80)]


def chosen_columns(tmp_path, source, target, suffix, *options):
    out = tmp_path / f"chosen{suffix}"
    result = run("select", source, "-t", target, "-o", out, "-q", *options)
    assert result.exit_code == 0, result.stderr
    if suffix == ".parquet":
        return pq.read_table(out).to_pydict()
    return pd.read_csv(out, dtype=str, keep_default_na=False).to_dict("list")


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_repeated_names_stay_with_their_own_cells(tmp_path, suffix):
    source = tmp_path / "table.csv"
    rows = [f"{10 * k},{k},{k + 5}" for k in CLASSES]
    source.write_text("\n".join(["a,a,b", *rows]), encoding="utf-8-sig")
    got = chosen_columns(tmp_path, source, "a_2", suffix, "--encoding", "UTF8")
    assert [int(cell) for cell in got["a_2"]] == CLASSES  # the target, not the last
    others = {"a": [10 * k for k in CLASSES], "b": [k + 5 for k in CLASSES]}
    kept = {name: cells for name, cells in got.items() if name != "a_2"}
    assert kept
    for name, cells in kept.items():
        assert [int(cell) for cell in cells] == others[name]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_names_of_a_parquet_file_may_repeat_or_be_empty(tmp_path, suffix):
    source = tmp_path / "table.parquet"
    noise = [(7 * i) % 5 for i in range(80)]
    columns = [pa.array([k * 2.5 for k in CLASSES]), pa.array(noise), pa.array(CLASSES)]
    for names, chosen in ((["", "x", "y"], "column_1"), (["a", "a", "y"], "a")):
        pq.write_table(pa.Table.from_arrays(columns, names=names), source)
        got = chosen_columns(tmp_path, source, "y", suffix)
        assert [float(cell) for cell in got[chosen]] == [k * 2.5 for k in CLASSES]
        assert [int(cell) for cell in got["y"]] == CLASSES


def test_what_was_read_as_missing_is_missing_in_parquet_and_nothing_else(tmp_path):
    source = tmp_path / "table.csv"
    cells = [
        (f"{i}.5" if k else "?", "n/a" if k else "ok") for i, k in enumerate(CLASSES)
    ]
    rows = [f"{a},{b},{k}" for (a, b), k in zip(cells, CLASSES, strict=True)]
    for name in ("size", "state"):  # each tells all, so one of them is kept
        keep = [0, 2] if name == "size" else [1, 2]
        lines = [",".join(row.split(",")[j] for j in keep) for row in rows]
        source.write_text("\n".join([f"{name},y", *lines]))
        got = chosen_columns(tmp_path, source, "y", ".parquet")[name]
        if name == "size":
            assert got == [i + 0.5 if k else None for i, k in enumerate(CLASSES)]
        else:
            assert got == [b for _, b in cells]
    lines = [f"{i if k else '-999.0'},{k}" for i, k in enumerate(CLASSES)]
    source.write_text("\n".join(["size,y", *lines]))
    options = ("--missing-values", "-999")
    got = chosen_columns(tmp_path, source, "y", ".parquet", *options)["size"]
    assert got == [i if k else None for i, k in enumerate(CLASSES)]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_long_cells_and_line_breaks_are_copied(tmp_path, suffix):
    source = tmp_path / "table.csv"
    cells = [
        "L" * 1_200_000 if i < 2 else "ab"[k] + "\n," for i, k in enumerate(CLASSES)
    ]  # longer than a block, and than csv's own limit
    rows = [f'"{cell}",{k}' for cell, k in zip(cells, CLASSES, strict=True)]
    source.write_text("\n".join(["text,y", *rows]))
    assert chosen_columns(tmp_path, source, "y", suffix)["text"] == cells


def test_noise_is_said_to_be_noise(tmp_path):
    path = tmp_path / "noise.csv"
    write_csv(make_noise(80, n_noise=4, random_state=0).table, path)
    result = run("select", path, "-t", "class")
    assert result.exit_code == 0
    assert "None of 4 features tells about 'class' beyond chance." in result.stdout


def test_notes_are_shown_unless_quiet(tmp_path):
    path = tmp_path / "leak.csv"
    table = make_mixed(400, leak=True, n_noise=0, random_state=0).table
    write_csv(table, path)
    shown = run("select", path, "-t", "class").stdout
    assert "Column 'closing_fee' gives away" in " ".join(shown.split())
    assert "gives away" not in run("select", path, "-t", "class", "-q").stdout


@pytest.mark.parametrize(
    ("words", "message", "code"),
    [
        (["--report", "page.pdf"], "--report 'page.pdf' does not tell a format", 2),
        (["--out", "table.xlsx"], "--out 'table.xlsx' does not tell a format", 2),
        (["--fdr", "2"], "2 is not between 0 and 1", 2),
        (["--time-budget", "0"], "not a number of seconds above 0", 2),
        (["--time-budget", "inf"], "not a number of seconds above 0", 2),
        (["--scheduler", "tcp://host:8786"], "--scheduler needs --engine dask", 2),
        (["--max-selected", "0"], "0 is less than 1", 2),
        (["--min-features", "0"], "0 is less than 1", 2),
    ],
)
def test_wrong_options(small, words, message, code):
    result = run("select", small, "-t", "y", *words)
    assert result.exit_code == code
    assert message in only_line(result)


def test_without_target(small):
    result = run("select", small)
    assert result.exit_code == 2
    assert "Which column is to be explained?" in only_line(result)


def test_report_without_jinja_is_refused_before_the_work(small, monkeypatch, tmp_path):
    from featsieve.cli.views import select as _selecting

    monkeypatch.setattr(_selecting, "find_spec", lambda _: None)
    result = run("select", small, "-t", "y", "--report", tmp_path / "r.html")
    assert result.exit_code == 2
    assert "pip install 'featsieve[report]'" in only_line(result)


def test_long_answers_are_cut(tmp_path):
    random = np.random.default_rng(0)
    x = random.normal(size=(2000, 45))
    y = x.sum(axis=1).round(3)
    columns = {f"x{j}": x[:, j] for j in range(45)}
    path = tmp_path / "wide.csv"
    pd.DataFrame({**columns, "y": y}).to_csv(path, index=False)
    result = run("select", path, "-t", "y", "--time-budget", 5)
    assert result.exit_code == 0, result.stderr
    assert "more; --json and --report have all" in result.stdout


@pytest.fixture
def parts(small, tmp_path):
    """The small table in two files."""
    folder = tmp_path / "parts"
    folder.mkdir()
    header, *rows = small.read_text(encoding="utf-8").splitlines()
    for k, some in enumerate((rows[:20], rows[20:])):
        text = "\n".join([header, *some]) + "\n"
        (folder / f"{k}.csv").write_text(text, encoding="utf-8")
    return folder


def test_several_files_are_one_table(small, parts, tmp_path):
    whole = json.loads(run("select", small, "-t", "y", "--json").stdout)
    page = tmp_path / "page.html"
    files = sorted(parts.iterdir())
    for data in ([parts], files):
        result = run("select", *data, "-t", "y", "--json", "--report", page)
        assert result.exit_code == 0, result.stderr
        answer = json.loads(result.stdout)
        assert answer["features"] == whole["features"]
        assert answer["ledger"] == whole["ledger"]
        assert page.exists()
    assert answer["title"] == "0.csv and 1 more → y"
    named = repr([str(file) for file in files])
    assert f"select({named}, target='y'" in answer["computation"]["code"]


def test_outputs_do_not_fall_among_the_parts(parts, tmp_path):
    files = sorted(parts.iterdir())
    words = ("-t", "y", "--out")
    result = run("select", *files, *words, files[1])
    assert result.exit_code == 2
    assert "is DATA itself" in only_line(result)
    result = run("rank", parts, *words, parts / "ranking.csv")
    assert result.exit_code == 2
    assert "lies in DATA" in only_line(result)
    result = run("select", parts, *words, tmp_path / "kept.csv")
    assert result.exit_code == 2
    assert "--out takes the columns out of one file" in only_line(result)


def test_parts_need_a_target(parts):
    result = run("select", parts)
    assert result.exit_code == 2
    assert "Say --target NAME" in only_line(result)


def test_code_names_columns_as_python_does(small):
    words = ("--nominal", "code,day", "--missing-values", "x,-9", "--json")
    result = run("select", small, "-t", "y", *words)
    code = json.loads(result.stdout)["computation"]["code"]
    assert "nominal=['code', 'day']" in code
    assert "missing_values=['x', '-9', -9.0]" in code


def test_a_report_takes_few_modules(customers, tmp_path):
    # What a reader has to open who follows the main job through; imports do not count.
    (tmp_path / "run.py").write_text(
        "import sys, threading\n"
        "from featsieve.cli._main import main\n"
        "import featsieve.cli.views.select, featsieve.report\n"
        "entered = set()\n"
        "def enter(frame, event, _):\n"
        "    if event == 'call' and frame.f_code.co_name != '<module>':\n"
        "        entered.add(frame.f_globals.get('__name__', ''))\n"
        "threading.setprofile(enter)\n"
        "sys.setprofile(enter)\n"
        "try:\n    main()\n"
        "finally:\n"
        "    sys.setprofile(None)\n"
        "    print(*sorted(m for m in entered if m.startswith('featsieve')))\n",
        encoding="utf-8",
    )
    words = f"run.py select {customers} -t class --quiet --jobs 1 --report page.html"
    result = subprocess.run(
        [sys.executable, *words.split()],
        capture_output=True,
        check=True,
        text=True,
        cwd=tmp_path,
    )
    entered = result.stdout.splitlines()[-1].split()
    assert (tmp_path / "page.html").exists()
    assert "featsieve.report._selection_page" in entered
    assert len(entered) < 70, entered
