"""The page of a selection: its numbers are the dictionary's, and names stay names."""

from __future__ import annotations

import builtins
import json
import re

import numpy as np
import pytest

from featsieve.exceptions import DataError
from featsieve.report import _selection_page as module
from featsieve.report import selection_card, selection_page
from featsieve.report._selection_page import checked
from report import example_summary as example
from report.parsed_page import by_class, by_id, parse_page, text_of


@pytest.mark.parametrize(
    "make",
    [example.customers, example.hostile, example.houses, example.nothing_selected],
)
def test_whole_selections_stay_as_they_are(make):
    summary = make()
    wanted = {k: v for k, v in summary.items() if k not in ("format", "version")}
    assert checked(summary) == wanted
    assert checked(json.loads(json.dumps(summary))) == wanted


def test_what_may_be_left_out_is_filled_in():
    answer = checked(example.smallest())
    row = answer["ledger"][0]
    assert row["score"] is None
    assert row["alone"] == {
        "score": None,
        "p_value": None,
        "rank_association": None,
        "rank_p_value": None,
    }
    assert row["partners"] == []
    assert row["note"] == ""
    assert answer["interactions"] == []
    assert answer["local_relevance"] is None
    assert answer["computation"]["seconds"] == {}


def test_the_dictionary_is_not_changed():
    summary = example.smallest()
    before = json.dumps(summary)
    checked(summary)
    assert json.dumps(summary) == before


def test_numbers_of_numpy_and_unknown_keys_are_fine():
    summary = example.smallest() | {"later": "a key of another version"}
    summary["ledger"][0]["score"] = np.float32(0.5)
    summary["table"]["n_rows"] = np.int64(2)
    answer = checked(summary)
    assert answer["ledger"][0]["score"] == 0.5
    assert "later" not in answer


def with_row(**change):
    summary = example.smallest()
    summary["ledger"][0] |= change
    return summary


@pytest.mark.parametrize(
    ("summary", "told"),
    [
        (None, r"must be a dictionary with format 'featsieve-selection'.* Got None"),
        ({"format": "other"}, "Got 'other' instead"),
        (example.smallest() | {"version": 2}, "has version 2, this featsieve reads"),
        (example.smallest() | {"title": 3}, "'title' of the selection must be text"),
        (example.smallest() | {"ledger": {}}, "'ledger' of the selection must be a li"),
        (example.smallest() | {"target": None}, "'target' .* must be a dictionary"),
        (example.smallest() | {"probe_line": "x"}, "'probe_line' .* a finite number"),
        (with_row(verdict="good"), r"\"ledger\[0: 'a'\].verdict\" .* must be one of"),
        (with_row(kept=1), r"kept.* must be true or false. Got 1"),
        (with_row(score=float("nan")), "score.* must be a finite number. Got nan"),
        (with_row(score=True), "must be a finite number. Got True"),
        (with_row(feature=None), "feature.* of the selection must be text"),
        (with_row(n_levels=-1), "must be an int >= 0. Got -1"),
        (with_row(partners=[1]), r"partners\[0\].* must be text"),
        (with_row(alone=[]), "alone.* must be a dictionary"),
        (with_row(note="x" * 90, stage="y" * 90), r"Got 'y{56}\.\.\. instead"),
    ],
)
def test_what_is_wrong_is_told(summary, told):
    with pytest.raises(DataError, match=told):
        checked(summary)


def test_values_must_fill_the_map():
    summary = example.customers()
    summary["local_relevance"]["values"][1].pop()
    with pytest.raises(DataError, match="must be 4 lists of 24 numbers"):
        checked(summary)


def test_other_parts_are_checked():
    summary = example.customers()
    summary["computation"]["random_state"] = 0.5
    with pytest.raises(
        DataError, match=r"computation.random_state' .* an int. Got 0.5"
    ):
        checked(summary)
    summary = example.customers()
    summary["computation"]["parameters"] = []
    with pytest.raises(DataError, match=r"parameters' .* must be a dictionary"):
        checked(summary)
    summary = example.customers()
    summary["computation"]["seconds"] = {"alone": "long"}
    with pytest.raises(DataError, match=r"seconds.alone' .* a finite number"):
        checked(summary)


ALL = [
    example.customers,
    example.hostile,
    example.houses,
    example.nothing_selected,
    example.smallest,
]


@pytest.fixture(scope="module")
def customers():
    return example.customers()


@pytest.fixture(scope="module")
def tree(customers):
    return parse_page(selection_page(customers))


def about(number):
    """Return a number as the page tells it, or None for what is not known."""
    return None if number is None else pytest.approx(number, rel=1e-5)


def data_of(tree):
    return json.loads(by_id(tree, "data").text)


@pytest.mark.parametrize("make", ALL)
def test_page_is_well_formed_and_ids_are_its_own(make):
    tree = parse_page(selection_page(make()))
    ids = [element.get("id") for element in tree.iter() if element.get("id")]
    assert len(ids) == len(set(ids))
    for element in tree.iter():
        for attribute in ("aria-labelledby", "aria-describedby"):
            assert set((element.get(attribute) or "").split()) <= {
                *ids,
                "feature-name",  # made by the script
            }
        if element.tag == "a":
            assert element.get("href")[0] == "#"
            assert element.get("href")[1:] in ids


@pytest.mark.parametrize("make", ALL)
def test_same_dictionary_same_bytes(make):
    assert selection_page(make()) == selection_page(make())
    assert selection_card(make()) == selection_card(make())


@pytest.mark.parametrize("make", ALL)
def test_nothing_is_loaded_from_elsewhere(make):
    html = selection_page(make())
    tree = parse_page(html)
    for element in tree.iter():
        for name, value in element.attrib.items():
            if name.rpartition(":")[2] in ("src", "srcset", "action", "data"):
                pytest.fail(f"<{element.tag} {name}={value!r}>")
            if name.rpartition(":")[2] == "href":
                assert value.startswith(("#", "data:,")), value
    styles = "".join(e.text or "" for e in tree.iter("style"))
    assert "@import" not in styles
    assert "url(" not in styles
    assert "default-src 'none'" in html


def test_verdicts_are_counted(tree, customers):
    tiles = {
        tile.get("data-show"): text_of(by_class(tile, "number")[0])
        for tile in by_class(tree, "tile")
    }
    counts = {}
    for row in customers["ledger"]:
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    assert tiles == {verdict: str(count) for verdict, count in counts.items()}
    assert text_of(by_class(tree, "headline")[0]) == (
        "9 of 30 features are worth keeping: 6 strongly relevant, 2 relevant together "
        "and 1 relevant locally. 3 are redundant, 16 irrelevant and 2 unusable."
    )


def test_kept_features_are_listed_in_order(tree, customers):
    chips = [text_of(by_class(chip, "name")[0]) for chip in by_class(tree, "chip")]
    assert chips == customers["features"]
    assert text_of(by_id(tree, "kept-names")) == repr(customers["features"])


def test_rows_in_the_page_tell_the_numbers(tree, customers):
    rows = {row["feature"]: row for row in customers["ledger"]}
    body = by_id(tree, "ledger-table").find("tbody")
    assert len(body) == 30
    names = []
    for line in body:
        name = text_of(by_class(line, "name")[0])
        names.append(name)
        row = rows[name]
        told = [text_of(cell) for cell in line.findall("td")]
        assert told[1].removesuffix("kept") == row["verdict"]
        assert told[1].endswith("kept") == row["kept"]
        if row["score"] is None:
            assert told[2] == told[3] == "–"
            continue
        score = told[2].replace("e−", "e-").replace("−", "-")
        assert float(score) == pytest.approx(row["score"], rel=0.02)
        if row["p_value"] < 0.001:
            assert told[3] == "< 0.001"
        else:
            assert float(told[3]) == pytest.approx(row["p_value"], abs=0.0005)
        share = float(told[4].removesuffix(" %"))
        assert share == pytest.approx(100 * row["missing_share"], abs=0.05)
        assert told[5].endswith(row["note"])
    assert names[:9] == customers["features"]


def test_data_of_the_script_are_the_numbers(tree, customers):
    data = data_of(tree)["ledger"]
    rows = {row["feature"]: row for row in customers["ledger"]}
    assert sorted(data["names"]) == sorted(rows)
    for name, line in zip(data["names"], data["rows"], strict=True):
        row = rows[name]
        values = line + [None] * (22 - len(line))
        assert data["verdicts"][values[0]] == row["verdict"]
        assert values[1] == int(row["kept"])
        assert data["kinds"][values[2]] == row["kind"]
        assert data["stages"][values[3]] == row["stage"]
        keys = ("score", "low", "high", "p_value", "probe", "missing_share")
        for value, key in zip(values[4:10], keys, strict=True):
            assert value == about(row[key])
        assert values[10] == row["n_levels"]
        assert data["texts"][values[11]] == row["note"]
        assert (None if values[12] is None else data["texts"][values[12]]) == row[
            "where"
        ]
        alone = row["alone"]
        keys = ("score", "p_value", "rank_association", "rank_p_value")
        for value, key in zip(values[13:17], keys, strict=True):
            assert value == about(alone[key])
        assert values[17] == about(row["context"]["score"])
        assert values[18] == about(row["context"]["p_value"])
        assert [data["names"][k] for k in values[19] or []] == row["partners"]
        assert [data["names"][k] for k in values[20] or []] == row["displaced_by"]
        others = [data["names"][k] for k in values[21] or []]
        assert others == row["interchangeable_with"]


def test_interactions_and_redundancy_are_told(tree, customers):
    section = by_id(tree, "interactions")
    rows = [
        [text_of(cell) for cell in row]
        for row in section.find(".//tbody").findall("tr")
    ]
    assert rows[0] == ["tenure_months × total_paid", "−0.192", "0.230", "< 0.001", "–"]
    assert rows[1][0] == "router_model × line_type"
    assert rows[3] == [
        "tenure_months × monthly_fee × age",
        "0.0340",
        "0.410",
        "0.010",
        "kept",
    ]
    tips = [e.get("data-tip") for e in by_class(section, "pair")]
    assert "region and dialling_code: 0.0400 bits told by both, p < 0.001" in tips
    assert len(tips) == 8  # four pairs, each on both sides
    groups = by_class(by_id(tree, "redundancy"), "groups")[0].findall("li")
    assert [text_of(group.find("h3")) for group in groups] == [
        f"Kept: {group['kept']}" for group in customers["redundancy"]
    ]
    assert "total_paid0.940" in text_of(groups[0])


def test_probes_and_their_line(tree, customers):
    section = by_id(tree, "relevance")
    assert "dashed line is what the best random probe of the same" in text_of(section)
    assert len(by_class(section, "probe")) == 28
    assert len(by_class(section, "rug")) == len(customers["probes"])
    strips = by_class(section, "strip")
    assert strips[0].get("aria-label") == (
        "strongly relevant, 0.214 bits, interval 0.191 to 0.237, p < 0.001; "
        "its probes reach 0.00520"
    )
    assert len(strips) == 28


def test_how_it_was_computed(tree, customers):
    section = by_id(tree, "computed")
    told = text_of(section)
    for words in ("fdr0.05", "max_selectedNone", "random_state0", "numpy 2.4.6"):
        assert words in told
    assert "rows used6,000 of 10,000" in told
    assert customers["computation"]["sampling"] in told
    assert "21 ms" in told
    assert "4.9 s" in told
    assert by_id(tree, "code").text == example.CODE


def test_notes_come_with_warnings_first(tree):
    notes = by_class(tree, "notes")[0].findall("li")
    assert [note.get("class") for note in notes] == ["warning", "warning", "note"]
    assert "2 warnings about the data." in text_of(by_id(tree, "overview"))


def test_sections_with_nothing_say_so():
    tree = parse_page(selection_page(example.nothing_selected()))
    told = {
        section.get("id"): [text_of(e) for e in by_class(section, "nothing")]
        for section in tree.iter("section")
    }
    assert told == {
        "overview": ["No feature was kept."],
        "ledger": [],
        "relevance": [],
        "interactions": ["No features were found that tell more together than apart."],
        "redundancy": ["No relevant feature tells what another tells already."],
        "local": ["No feature is relevant only in a part of the rows."],
        "notes": ["Nothing about the data looked odd."],
        "computed": [],
    }
    assert "No rows were left out by sampling." in text_of(by_id(tree, "computed"))
    told = text_of(by_class(tree, "headline")[0])
    assert told == "None of the 12 features is worth keeping: all are irrelevant."


def test_the_least_that_is_a_selection():
    tree = parse_page(selection_page(example.smallest()))
    told = text_of(by_id(tree, "relevance"))
    assert "No feature has a score" in told
    assert "No times were taken." in text_of(by_id(tree, "computed"))


def test_a_table_without_columns():
    summary = example.smallest() | {"features": [], "ledger": []}
    tree = parse_page(selection_page(summary))
    told = text_of(by_id(tree, "ledger"))
    assert "The table had no column beside the target." in told
    assert "There was no feature to judge." in text_of(tree)


def test_unit_of_a_numeric_target():
    tree = parse_page(selection_page(example.houses()))
    assert "bits" not in text_of(tree.find("body")).split()
    assert "0.4 share of variance told by both" in text_of(by_id(tree, "interactions"))


def test_hostile_names_are_text_everywhere():
    html = selection_page(example.hostile())
    tree = parse_page(html)
    assert not list(tree.iter("img"))
    scripts = list(tree.iter("script"))
    assert len(scripts) == 3
    own = re.sub(r'<script type="application/json".*?</script>', "", html, flags=re.S)
    for script in scripts:
        if script.get("type") is None:
            assert "hacked" not in script.text
    assert "<img" not in own
    assert "<!--" not in html
    assert "49" not in text_of(by_class(tree, "chips")[0])  # {{ 7*7 }} is no template
    for element in tree.iter():
        assert not [name for name in element.attrib if name.startswith("on")]
    data = data_of(tree)["ledger"]
    assert set(data["names"]) >= {
        "<img src=x onerror=window.hacked=1>",
        "</script><script>window.hacked=1</script>",
        "a\\u202eb\\x00c",
        "\\ud800 lone",
        "(no name)",
        "\\u2028\\u2029",
        "x" * 300,
        "__proto__",
    }
    raw = re.search(r'<script type="application/json" id="data">(.*?)</script>', html)
    assert not set("<>\u2028\u2029") & set(raw[1])


def test_hostile_card_is_text():
    tree = parse_page(selection_card(example.hostile()))
    assert not list(tree.iter("script"))
    assert not list(tree.iter("img"))
    assert tree.get("class") == "featsieve-card"


def test_card_tells_the_outcome_and_touches_nothing_else(customers):
    tree = parse_page(selection_card(customers))
    told = text_of(tree)
    assert "9 of 30 features are worth keeping" in told
    assert "2 warnings about the data" in told
    rows = tree.find(".//tbody").findall("tr")
    assert [text_of(row.find("th")) for row in rows] == customers["features"]
    style = re.sub(r"/\*.*?\*/", "", tree.find("style").text, flags=re.S)
    for selectors in re.findall(r"([^{}]+)\{", style):
        if not selectors.strip().startswith("@media"):
            for selector in selectors.split(","):
                assert ".featsieve-card" in selector
    assert not [e for e in tree.iter() if e.get("id")]


def test_card_of_many_says_how_many_more():
    summary = example.customers(n_noise=0)
    for k in range(20):
        row = summary["ledger"][0] | {"feature": f"more_{k}", "kept": True}
        summary["ledger"].append(row | {"verdict": "strongly relevant", "score": 0.1})
        summary["features"].append(f"more_{k}")
    tree = parse_page(selection_card(summary))
    assert len(tree.find(".//tbody")) == 12
    assert "and 17 more" in text_of(tree)


def test_size_for_many_features():
    page = selection_page(example.many(1000)).encode()
    assert len(page) < 600_000  # the promise is 1 MB
    tree = parse_page(page.decode())
    assert len(data_of(tree)["ledger"]["rows"]) == 1000
    assert len(by_id(tree, "ledger-table").find("tbody")) == 100
    assert "100 of 1,000 features shown." in text_of(by_id(tree, "ledger"))


@pytest.mark.parametrize("function", [selection_page, selection_card])
def test_without_jinja_the_way_out_is_told(function, customers, monkeypatch):
    real = builtins.__import__

    def fail(name, *rest, **options):
        if name.partition(".")[0] == "jinja2":
            raise ImportError(name)
        return real(name, *rest, **options)

    module._environment.cache_clear()
    monkeypatch.setattr(builtins, "__import__", fail)
    with pytest.raises(ImportError, match=r"pip install featsieve\[report\]"):
        function(customers)


def test_importing_the_room_does_not_import_jinja():
    import subprocess
    import sys

    code = "import sys, featsieve.report; assert 'jinja2' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
