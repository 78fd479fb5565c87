"""What a comparison shows is what it knows, and foreign text stays text."""

from __future__ import annotations

import json
import math
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.naive_bayes import GaussianNB

import featsieve
from comparison.races import Unlucky, table
from featsieve.comparison import Comparison
from featsieve.comparison._comparison import standings

SCORES = {
    "a": [0.90, 0.80, 0.85, 0.95],
    "b": [0.70, 0.75, 0.65, 0.60],
    "c": [0.88, 0.82, 0.80, 0.90],
}
CHOSEN = {"a": [[0, 1]] * 4, "b": [[0], [1], [2], [0, 1]], "c": [[0, 1, 2]] * 4}


def setup_of(**changes):
    return {
        "selectors": list(SCORES),
        "estimators": ["nb"],
        "n_splits": 4,
        "n_features": 3,
        "test_ratio": 1 / 3,
        "alpha": 0.05,
    } | changes


def record(name, split, scores, features):
    return {
        "split": split,
        "selector": name,
        "features": features,
        "n_features": 2 if features is None else len(features),
        "error": None,
        "select_seconds": split + 1.0,
        "scores": {
            learner: {
                "score": score,
                "seconds": 2.0 * (split + 1),
                "error": None if score is not None else "ValueError: no",
            }
            for learner, score in scores.items()
        },
    }


def records_of(scores=SCORES, chosen=CHOSEN):
    return [
        record(name, split, {"nb": score}, chosen[name][split])
        for name, own in scores.items()
        for split, score in enumerate(own)
    ]


def rows_of(found, part="table"):
    return {row["selector"]: row for row in found[part]}


def corrected_t(differences, ratio):
    """Return t and p of Nadeau and Bengio's test."""
    n = len(differences)
    error = math.sqrt((1 / n + ratio) * np.var(differences, ddof=1))
    t = np.mean(differences) / error
    return t, 2 * stats.t.sf(abs(t), n - 1)


def test_means_spreads_and_intervals():
    row = rows_of(standings(setup_of(), records_of()))["a"]
    assert row["score"] == pytest.approx(0.875)
    # Deviations of 0.025, 0.075, 0.025 and 0.075 with three degrees of freedom.
    spread = math.sqrt(2 * (0.025**2 + 0.075**2) / 3)
    assert row["score_std"] == pytest.approx(spread)
    half = stats.t.ppf(0.975, 3) * spread * math.sqrt(1 / 4 + 1 / 3)
    assert row["score_low"] == pytest.approx(0.875 - half)
    assert row["score_high"] == pytest.approx(0.875 + half)
    assert (row["n_features"], row["n_features_std"]) == (2, 0)
    assert row["select_seconds"] == 2.5  # of 1, 2, 3 and 4
    assert row["fit_seconds"] == 5
    assert (row["n_splits"], row["n_failed"]) == (4, 0)


def test_stability_is_one_for_the_same_and_less_for_others():
    rows = rows_of(standings(setup_of(), records_of()))
    assert rows["a"]["stability"] == 1
    assert rows["b"]["stability"] < 0.5
    assert rows["b"]["n_features_std"] == pytest.approx(0.5)  # of 1, 1, 1 and 2
    assert rows["c"]["stability"] is None  # everything is always the same


def test_shares_of_splits_in_which_features_were_chosen():
    found = standings(setup_of(), records_of())
    assert found["selected"]["b"] == [0.5, 0.5, 0.25]
    assert found["selected"]["c"] == [1, 1, 1]
    new = CHOSEN | {"b": [None] * 4}
    found = standings(setup_of(), records_of(chosen=new))
    assert found["selected"]["b"] is None
    assert rows_of(found)["b"]["stability"] is None


def test_pairs_are_tested_and_adjusted_by_holm():
    found = standings(setup_of(), records_of())
    tests = {(row["first"], row["second"]): row for row in found["tests"]}
    assert list(tests) == [("a", "b"), ("a", "c"), ("b", "c")]
    plain = {}
    for (a, b), row in tests.items():
        differences = np.subtract(SCORES[a], SCORES[b])
        plain[a, b] = corrected_t(differences, 1 / 3)[1]
        assert row["difference"] == pytest.approx(differences.mean())
        assert row["p_value"] == pytest.approx(plain[a, b])
        assert row["low"] < row["difference"] < row["high"]
        assert row["n_splits"] == 4
    least, middle, most = sorted(plain, key=plain.get)
    assert tests[least]["adjusted_p_value"] == pytest.approx(3 * plain[least])
    expected = max(3 * plain[least], 2 * plain[middle])
    assert tests[middle]["adjusted_p_value"] == pytest.approx(expected)
    assert tests[most]["adjusted_p_value"] >= tests[middle]["adjusted_p_value"]
    for row in tests.values():
        assert row["different"] == (row["adjusted_p_value"] < 0.05)


def test_families_are_those_of_a_learner():
    scores = {"a": [0.9, 0.8, 0.85, 0.95], "b": [0.5, 0.45, 0.4, 0.6]}
    records = [
        record(name, split, {"nb": score, "tree": score / 2}, [0])
        for name, own in scores.items()
        for split, score in enumerate(own)
    ]
    setup = setup_of(selectors=["a", "b"], estimators=["nb", "tree"])
    found = standings(setup, records)
    assert [row["estimator"] for row in found["tests"]] == ["nb", "tree"]
    for row in found["tests"]:  # one test in each, so nothing is to be adjusted
        assert row["adjusted_p_value"] == row["p_value"]
    assert len(found["folds"]) == 16
    assert found["folds"][1]["estimator"] == "tree"


def test_mean_ranks_and_the_effective_number_of_blocks():
    ranks = standings(setup_of(), records_of())["ranks"]
    # By split: a c b, c a b, a c b, a c b.
    assert ranks["mean_ranks"] == [1.25, 3, 1.75]
    assert ranks["effective_blocks"] == pytest.approx(1 / (1 / 4 + 1 / 3))
    blocks = 12 / 7
    statistic = 12 * blocks / 12 * (0.75**2 + 1 + 0.25**2)
    assert ranks["statistic"] == pytest.approx(statistic)
    assert ranks["p_value"] == pytest.approx(stats.chi2.sf(statistic, 2))
    q = stats.studentized_range.ppf(0.95, 3, np.inf) / math.sqrt(2)
    expected = q * math.sqrt(3 * 4 / (6 * blocks))
    assert ranks["critical_difference"] == pytest.approx(expected, rel=1e-3)


def test_failures_rank_last_and_count_in_no_mean():
    scores = SCORES | {"a": [0.9, None, 0.85, 0.95]}
    found = standings(setup_of(), records_of(scores))
    row = rows_of(found)["a"]
    assert row["score"] == pytest.approx(0.9)
    assert (row["n_failed"], row["n_splits"]) == (1, 4)
    # In the second split c b a.
    assert found["ranks"]["mean_ranks"] == [1.5, 2.75, 1.75]
    tests = {(row["first"], row["second"]): row for row in found["tests"]}
    assert tests["a", "b"]["n_splits"] == 3
    assert found["failures"] == [
        {"selector": "a", "split": 1, "estimator": "nb", "error": "ValueError: no"}
    ]


def test_one_score_has_no_spread_and_none_has_no_mean():
    scores = SCORES | {"a": [0.9, None, None, None], "b": [None] * 4}
    found = standings(setup_of(), records_of(scores))
    rows = rows_of(found)
    assert (rows["a"]["score"], rows["a"]["score_std"]) == (0.9, None)
    assert rows["a"]["score_low"] is rows["b"]["score"] is None
    assert rows["b"]["n_failed"] == 4
    assert found["tests"] == []  # no two splits that both have
    alone = standings(setup_of(selectors=["b"]), records_of({"b": [None] * 4}, CHOSEN))
    assert alone["summary"] == ["With nb nothing could be scored."]
    assert alone["ranks"] is None


def test_a_selector_that_failed_is_told_once():
    records = records_of()
    records[0] |= {"error": "RuntimeError: no luck", "scores": {}, "features": None}
    found = standings(setup_of(), records)
    (failure,) = found["failures"]
    assert (failure["selector"], failure["split"]) == ("a", 0)
    assert failure["error"] == "RuntimeError: no luck"
    assert rows_of(found)["a"]["n_failed"] == 1


def test_the_best_is_said_and_who_is_not_worse():
    (sentence,) = standings(setup_of(alpha=0.38), records_of())["summary"]
    assert sentence.startswith("With nb, a scores best: 0.875 with 2.0 of 3 features")
    assert sentence.endswith("not told apart from it: c.")
    # Of equal scores the one with fewer features is best.
    scores = {"a": SCORES["a"], "b": SCORES["a"], "c": SCORES["b"]}
    (sentence,) = standings(setup_of(), records_of(scores))["summary"]
    assert "b scores best" in sentence
    one = standings(setup_of(selectors=["a"]), records_of({"a": SCORES["a"]}))
    assert one["summary"][0].endswith("2.0 of 3 features.")
    apart = {"a": SCORES["a"], "b": SCORES["b"]}
    found = standings(setup_of(selectors=["a", "b"], alpha=0.3), records_of(apart))
    assert found["summary"][0].endswith("; all others are worse.")


def test_order_of_records_is_no_matter():
    records = records_of()
    assert standings(setup_of(), records[::-1]) == standings(setup_of(), records)


EVIL = "<script>alert('x')</script>"


class Page(HTMLParser):
    """Collects tags and text."""

    def __init__(self):
        super().__init__()
        self.tags, self.text = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes = dict(attrs)

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def comparison():
    X, y = table()
    frame = pd.DataFrame(X, columns=[EVIL, *"bcdef"])
    frame["tar\u202eget"] = np.where(y, EVIL, "no")
    return featsieve.compare(
        frame,
        "tar\u202eget",
        selectors={"all": None, EVIL: Unlucky(), "cfs": "cfs"},
        estimators={EVIL: GaussianNB()},
        cv="3x2",
    )


def test_json_gives_the_same_comparison(comparison):
    again = Comparison.from_json(comparison.to_json())
    assert again.to_dict() == json.loads(comparison.to_json())
    pd.testing.assert_frame_equal(again.table, comparison.table)
    assert repr(again) == repr(comparison)


def test_the_page_shows_the_numbers_and_escapes_names(comparison, tmp_path):
    path = comparison.report(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    page = Page()
    page.feed(text)
    assert "script" not in page.tags
    assert "link" not in page.tags
    shown = " ".join(page.text)
    assert EVIL in shown
    assert "\u202e" not in text
    for row in comparison.table.itertuples():
        assert f"{row.score:.4f}" in shown
    for sentence in comparison.summary:
        assert re.sub(r"\s+", " ", sentence) in re.sub(r"\s+", " ", shown)
    assert "no luck <b>today</b>" in shown
    assert not re.search(r"(src|href)\s*=\s*[\"']?http", text)


def test_notebooks_get_a_table(comparison):
    page = Page()
    page.feed(comparison._repr_html_())
    assert page.tags.count("tr") == 4
    assert "script" not in page.tags


def test_text_is_aligned(comparison):
    lines = repr(comparison).splitlines()
    assert lines[0].startswith("Comparison on 60 rows, 6 features")
    assert "\u202e" not in repr(comparison)
    assert len(lines) == 1 + 1 + 3 + 1


def test_picture_is_well_formed(comparison):
    root = ET.fromstring(comparison.critical_difference_svg())
    assert root.tag.endswith("svg")


def test_one_selector_has_no_picture():
    X, y = table()
    found = featsieve.compare(X, y, selectors=["all"], estimators=[GaussianNB()], cv=3)
    assert found.critical_difference_svg() == ""
    assert found.ranks is None
    assert "all scores best" in found.summary[0]


def test_a_learner_that_always_fails_is_said():
    X, y = table()
    bad = GaussianNB(var_smoothing=-1.0)
    found = featsieve.compare(X, y, selectors=["all", "cfs"], estimators=[bad], cv=3)
    assert found.summary == ["With GaussianNB nothing could be scored."]
    assert found.table["score"].isna().all()
    assert len(found.failures) == 6
    assert len(found.tests) == 0
