"""The printed code of a selection: it runs, and gives the same selection."""

from __future__ import annotations

import gzip
import html
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_classif

import featsieve
from cli.running import run
from featsieve.data import open_stream, read_table
from featsieve.selection import Selection, SieveSelector
from featsieve.selectors import BIFSFilter, MeasureFilter

N_ROWS = 120


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, N_ROWS)
    return pd.DataFrame(
        {
            "größe": (y + random.normal(0, 0.5, N_ROWS)).round(3),
            "farbe": np.where(random.random(N_ROWS) < 0.2 + 0.6 * y, "grün", "blau"),
            "code": random.integers(1, 4, N_ROWS),
            "twin": y + random.normal(0, 0.7, N_ROWS).round(2),
            "y": np.where(y == 1, "ja", "nein"),
        }
    )


def write_csv(rows, path, **how):
    rows.to_csv(path, index=False, **how)
    return path


def write_arff(rows, path):
    head = "@relation r\n@attribute größe numeric\n@attribute farbe {blau,grün}\n"
    head += "@attribute code numeric\n@attribute twin numeric\n@attribute y {ja,nein}\n"
    text = rows.to_csv(index=False, header=False)
    path.write_text(f"{head}@data\n{text}", encoding="latin-1")
    return path


@pytest.fixture(scope="module")
def place(rows, tmp_path_factory):
    """A folder with the table in every form, in which code is run."""
    folder = tmp_path_factory.mktemp("place")
    write_csv(rows, folder / "plain.csv")
    write_csv(rows, folder / "table.tsv", sep="\t")
    write_csv(rows, folder / "comma.csv", sep=";", decimal=",")
    write_csv(rows, folder / "latin.csv", encoding="latin-1")
    write_csv(rows, folder / "both.csv", sep=";", decimal=",", encoding="latin-1")
    rows.to_parquet(folder / "table.parquet")
    write_arff(rows, folder / "table.arff")
    packed = gzip.compress((folder / "plain.csv").read_bytes())
    (folder / "packed.csv.gz").write_bytes(packed)
    for name in ("parts", "marked"):
        (folder / name).mkdir()
        for k in range(3):
            part = rows[k * 40 : (k + 1) * 40]
            how = {"sep": ";", "decimal": ","} if name == "marked" else {}
            write_csv(part, folder / name / f"{k}.csv", **how)
    return folder


def repeated(code, **names):
    """Run printed code and return the selection that it makes."""
    exec(code, names)
    return names["selection"]


def assert_same(selection, again):
    for part in ("features", "ledger", "target"):
        assert selection.to_dict()[part] == again.to_dict()[part]
    assert selection.code == again.code


FILES = {
    "CSV": ("plain.csv", {}),
    "TSV": ("table.tsv", {}),
    "decimal comma": ("comma.csv", {"separator": ";", "decimal": ","}),
    "latin-1": ("latin.csv", {"encoding": "latin-1"}),
    "all of it": ("both.csv", {"separator": ";", "decimal": ",", "encoding": "cp1252"}),
    "Parquet": ("table.parquet", {}),
    "ARFF": ("table.arff", {"encoding": "latin-1"}),
    "gzip": ("packed.csv.gz", {}),
    "folder": ("parts", {}),
    "folder with marks": ("marked", {"separator": ";", "decimal": ","}),
    "pattern": ("parts/[01].csv", {}),
    "list": (["parts/0.csv", "parts/2.csv"], {}),
}


@pytest.mark.parametrize(("data", "how"), FILES.values(), ids=FILES)
def test_code_repeats_the_selection_of_files(place, data, how, monkeypatch):
    monkeypatch.chdir(place)
    selection = featsieve.select(data, "y", verbose=False, n_jobs=1, **how)
    assert "größe" in selection.features
    assert selection.ledger["kind"][0] == "numeric"
    assert f"featsieve.select({data!r}, target='y', " in selection.code
    assert_same(selection, repeated(selection.code))


@pytest.mark.parametrize(("data", "how"), FILES.values(), ids=FILES)
def test_code_on_the_page_of_the_command_line(place, data, how, monkeypatch, tmp_path):
    monkeypatch.chdir(place)
    page = tmp_path / "page.html"
    options = [word for name, value in how.items() for word in (f"--{name}", value)]
    files = data if isinstance(data, list) else [data]
    result = run("select", *files, "-t", "y", "--json", "--report", page, *options)
    assert result.exit_code == 0, result.stderr
    selection = Selection(json.loads(result.stdout))
    shown = re.search(r'<code id="code">(.*?)</code>', page.read_text("utf-8"), re.S)
    code = html.unescape(shown[1])
    assert code == selection.code
    assert_same(selection, repeated(code))


def lists_of_odd_things(rows):
    yield "frame", rows, "y", {}
    yield "polars", pl.from_pandas(rows), "y", {"fdr": 0.2}
    yield "array", rows[["größe", "code"]].to_numpy(), (rows["y"] == "ja").tolist(), {}
    yield "position", rows, np.int64(-1), {}
    yield "table with a target", read_table(rows, "y"), None, {}
    yield "stream", open_stream(rows, "y"), None, {}
    yield "limit", rows, "y", {"max_selected": 1, "time_budget": 3600.0}
    yield "costs", rows, "y", {"costs": {"größe": 2, "twin": np.float64(0.5)}}
    yield "nominal", rows, "y", {"nominal": ["code"], "random_state": 7}
    yield "all", rows, "y", {"numeric": "all", "nominal": ("farbe",)}
    yield "quantity", rows, "twin", {"target_kind": "numeric"}
    yield "infinite", rows, "y", {"missing_values": [float("inf"), "blau", np.nan, -1]}
    yield "ours", rows, "y", {"method": MeasureFilter("gain_ratio", fdr=0.2)}
    yield "plain", rows, "y", {"method": BIFSFilter()}
    yield "foreign", rows, "y", {"method": SelectKBest(f_classif, k=2)}
    nested = SelectFromModel(RandomForestClassifier(9, random_state=0), max_features=2)
    yield "nested", rows, "y", {"method": nested}


@pytest.mark.parametrize("which", range(16))
def test_code_repeats_options_on_what_is_in_memory(rows, which):
    _, data, target, options = list(lists_of_odd_things(rows))[which]
    selection = featsieve.select(data, target, verbose=False, n_jobs=1, **options)
    assert "select(data" in selection.code
    for name in options:
        assert f"{name}=" in selection.code
    assert_same(selection, repeated(selection.code, data=data, target=target))


def test_selectors_are_imported_from_where_they_are_public(rows):
    code = featsieve.select(rows, "y", method=SelectKBest(k=1), verbose=False).code
    assert "from sklearn.feature_selection import SelectKBest\n" in code
    assert "method=SelectKBest(k=1)" in code
    code = featsieve.select(rows, "y", method=BIFSFilter(), verbose=False).code
    assert code.startswith(
        "import featsieve\nfrom featsieve.selectors import BIFSFilter\n\n"
    )


def test_what_code_cannot_spell_has_the_name_of_its_parameter(rows):
    class Own(SelectKBest):
        pass

    own = Own(k=2)
    selection = featsieve.select(rows, "y", method=own, verbose=False)
    assert "method=method" in selection.code
    assert "import Own" not in selection.code
    assert_same(selection, repeated(selection.code, data=rows, method=own))


def test_a_pipeline_says_how_to_ask_without_it(rows):
    X, y = rows.drop(columns="y"), rows["y"].to_numpy()
    selector = SieveSelector(nominal=["code"], fdr=0.1).fit(X, y)
    again = repeated(selector.selection_.code, data=X, target=y)
    assert again.features == selector.selection_.features
    assert "nominal=['code']" in selector.selection_.code


@pytest.mark.parametrize("option", ["separator", "encoding", "decimal"])
def test_what_means_nothing_to_a_table_in_memory_is_refused(rows, place, option):
    value = {"separator": ";", "encoding": "latin-1", "decimal": ","}[option]
    with pytest.raises(featsieve.exceptions.DataError, match=f"`{option}=` is for"):
        featsieve.select(rows, "y", **{option: value})
    with pytest.raises(featsieve.exceptions.DataError, match="is a Parquet file"):
        featsieve.select(place / "table.parquet", "y", **{option: value})


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"min_features": 0}, "must be an int >= 1"),
        ({"include_possible": "yes"}, "'include_possible' parameter of select"),
        (
            {"min_features": 3, "max_selected": 2},
            "is 3, and 'max_selected' is 2. Ask for no more than may be kept",
        ),
        (
            {"min_features": 3, "method": MeasureFilter()},
            "'min_features' parameter of select needs the p-values of method='auto'",
        ),
        (
            {"include_possible": True, "method": MeasureFilter()},
            "'include_possible' parameter of select needs the p-values",
        ),
    ],
)
def test_wrong_wishes_for_numbers_of_columns(rows, asked, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        featsieve.select(rows, "y", verbose=False, **asked)
