"""Selection: stored, read again, explained, applied."""

from __future__ import annotations

import html
import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

import featsieve
from featsieve.exceptions import DataError
from featsieve.selection import Selection, SieveSelector


def test_json_there_and_back(selection, tmp_path):
    again = Selection.from_json(selection.to_json())
    assert again == selection
    path = tmp_path / "selection.json"
    selection.to_json(path)
    assert Selection.from_json(path).features == selection.features
    assert Selection.from_json(str(path)) == selection
    assert selection != 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{nonsense", "not the JSON of a selection"),
        ('{"a": 1}', "is not a selection"),
        ('{"format": "featsieve-selection", "version": 99}', "of version 99"),
        ('{"format": "featsieve-selection", "version": 1}', "has no 'target'"),
        ("[]", "is not a selection"),
        ("", "There is no file ''"),
        ("nowhere.json", "There is no file 'nowhere.json'"),
    ],
)
def test_other_json_is_refused(text, message):
    with pytest.raises(DataError, match=message):
        Selection.from_json(text)


def test_features_and_dropped_share_the_columns(mixed, selection):
    assert sorted(selection.features + selection.dropped) == sorted(mixed.table.names)
    count = len(selection.features)
    assert repr(selection).startswith(f"Selection({count} of 23 features: ")


def test_explanations_name_partners_displacers_and_reasons(selection):
    assert "relevant together with 'line'" in selection.explain("router")
    assert "redundant with 'city'" in selection.explain("dialling_code")
    assert "unusable (is 'Freedonia' in every row)" in selection.explain("country")
    text = selection.explain("satisfaction")
    assert text.startswith("'satisfaction' is kept: strongly relevant.")
    assert "of its values are missing" in text
    assert selection.verdict("age") == "irrelevant"


def test_unknown_feature_gets_a_suggestion(selection):
    with pytest.raises(KeyError, match="Did you mean 'router'"):
        selection.explain("ruoter")
    with pytest.raises(KeyError, match="has no column 'zzzz'"):
        selection.verdict("zzzz")


def test_transform_keeps_the_order_of_the_table(mixed, selection):
    kept = [name for name in mixed.table.names if name in selection.features]
    assert list(selection.transform(mixed.table).names) == kept
    frame, _ = mixed.table.to_pandas()
    assert list(selection.transform(frame).columns) == kept
    assert list(selection.transform(frame[frame.columns[::-1]]).columns) == kept
    with pytest.raises(DataError, match="no column 'city'"):
        selection.transform(frame.drop(columns=["city", "age"]))
    with pytest.raises(DataError, match="rows and columns"):
        selection.transform(np.zeros(3))


def test_transform_never_takes_another_column_instead(mixed, selection):
    frame, y = mixed.table.to_pandas()
    name = selection.features[0]
    for given in (
        frame.drop(columns=name),
        frame.drop(columns=name).assign(y=y),  # as many columns as before
        frame.rename(columns={name: name.upper()}),
        mixed.table.select([other for other in mixed.table.names if other != name]),
        {other: frame[other] for other in frame if other != name},
    ):
        with pytest.raises(DataError, match=f"X has no column '{name}', which was"):
            selection.transform(given)
    with pytest.raises(DataError, match=f"Did you rename it '{name.upper()}'"):
        selection.transform(frame.rename(columns={name: name.upper()}))


def test_repeated_names_are_told_apart_by_place():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 200)
    values = np.column_stack([random.normal(size=200), y + random.normal(size=200) / 9])
    frame = pd.DataFrame(values, columns=["a", "a"])
    selection = featsieve.select(frame, y, verbose=False)
    assert selection.features == ["a_2"]
    np.testing.assert_array_equal(selection.transform(frame), values[:, 1:])


def test_pipeline_selects_anew(mixed):
    selection = featsieve.select(mixed.table, max_selected=3, fdr=0.1, verbose=False)
    selector = selection.to_pipeline()
    assert isinstance(selector, SieveSelector)
    assert selector.max_selected == 3
    assert selector.fdr == 0.1
    assert not hasattr(selector, "support_")
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 4))
    y = (X[:, 2] > 0).astype(int)
    model = make_pipeline(selector, KNeighborsClassifier()).fit(X, y)
    assert model[0].get_support().tolist() == [False, False, True, False]
    assert model.score(X, y) > 0.9


def test_pipeline_of_another_selector_is_the_selector(selection):
    summary = selection.to_dict()
    summary["computation"]["parameters"]["method"] = "SelectKBest()"
    with pytest.raises(ValueError, match="put the selector itself"):
        Selection(summary).to_pipeline()


def test_report_is_one_page(selection, tmp_path):
    path = selection.report(tmp_path / "report.html")
    text = path.read_text(encoding="utf-8")
    assert "<html" in text
    assert "router" in text
    assert len(text) < 1_000_000
    assert "router" in selection._repr_html_() or "city" in selection._repr_html_()


def test_selector_takes_quantities_and_frames(mixed):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 3))
    selector = SieveSelector().fit(X, X[:, 1] ** 2 + random.normal(size=200) * 0.1)
    assert selector.get_support().tolist() == [False, True, False]
    assert selector.scores_[1] == selector.scores_.max()
    assert len(selector.classes_) == 0
    frame, y = mixed.table.to_pandas()
    fitted = SieveSelector().fit(frame, y)
    assert set(fitted.get_feature_names_out()) == set(fitted.selection_.features)
    assert json.loads(fitted.selection_.to_json())["features"]


def test_card_does_without_the_extra(selection, monkeypatch):
    monkeypatch.setitem(sys.modules, "featsieve.report", None)
    assert selection._repr_html_() == f"<pre>{html.escape(repr(selection))}</pre>"


def test_rows_with_names_become_an_array():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 60)
    rows = [
        {"a": float(v + random.normal() / 4), "b": float(random.normal())} for v in y
    ]
    found = featsieve.select(rows, y, verbose=False)
    assert found.transform(rows).shape == (60, 1)


def test_few_rows_show_copies_too():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 60)
    data = {f"x{j}": y + random.normal(size=60) / 9 for j in range(3)}
    found = featsieve.select(data, y, verbose=False)
    assert len(found.features) == 1
    assert sorted(found.ledger["stage"]) == ["alone", "redundancy", "redundancy"]
