"""What a comparison shows is what it knows, and foreign text stays text."""

import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import featsieve
from comparison.races import Unlucky, table
from featsieve.comparison import Comparison

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
