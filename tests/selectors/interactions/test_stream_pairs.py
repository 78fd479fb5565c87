"""Pairs of a stream: gains of the rows to the bit, and honest tests."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from featsieve.data import open_stream, read_table
from featsieve.data.api import Codes, Numbers
from featsieve.data.stream import _parquet_parts
from featsieve.exceptions import DataError, DroppedRowsWarning
from featsieve.measures import information_gain, joint_codes, pairwise_gain
from featsieve.selectors import stream_interactions
from featsieve.selectors.interactions import _stream_pairs
from featsieve.selectors.interactions._stream_pairs import MOST_LEVELS, Coding


def noisy_xor(n_rows=4000, seed=0, noise=0.2):
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(
        random.integers(0, 3, (n_rows, 6)), columns=list("abcdef")
    ).astype(str)
    frame["number"] = random.normal(size=n_rows)
    flipped = random.random(n_rows) < noise
    frame["y"] = np.where((frame["a"] == frame["b"]) ^ flipped, "p", "n")
    frame.loc[::50, "c"] = None
    return frame


def test_gains_are_those_of_all_rows():
    frame = noisy_xor()
    found = stream_interactions(open_stream([frame[:999], frame[999:]], "y"))
    letters = list("abcdef")
    codes = np.column_stack(
        [pd.factorize(frame[c], sort=True)[0] for c in letters]
    ).astype(np.int32)
    expected = pairwise_gain(codes, (frame["y"] == "p").to_numpy().astype(np.int32))
    mine = (found.first < 6) & (found.second < 6)
    assert found.names[:6] == tuple(letters)
    assert np.array_equal(found.joint_gain[mine], expected.joint_gain)
    assert np.array_equal(found.synergy[mine], expected.synergy)
    assert found.best(1e-6)[0][:2] == ("a", "b")
    assert len(found.best(1e-6)) == 1


def test_parts_jobs_and_files_do_not_matter(tmp_path):
    frame = noisy_xor(600)
    whole = stream_interactions(open_stream(frame, "y"))
    for k in range(3):
        frame[k::3].to_parquet(tmp_path / f"{k}.parquet")
    parts = stream_interactions(open_stream(tmp_path, "y"), n_jobs=2)
    assert np.array_equal(whole.joint_gain, parts.joint_gain)
    assert np.array_equal(whole.p_values, parts.p_values)
    frame.to_csv(tmp_path / "x.csv", index=False)
    text = stream_interactions(open_stream(tmp_path / "x.csv", "y"))
    assert np.allclose(whole.synergy, text.synergy, atol=1e-12)


def test_values_missing_only_where_the_class_is_do_not_matter():
    frame = noisy_xor(600)
    gone = frame[:20].assign(a=None, number=np.nan, y=None)
    with pytest.warns(DroppedRowsWarning, match="20 of 620 rows"):
        found = stream_interactions(open_stream([frame, gone], "y"))
    whole = stream_interactions(open_stream(frame, "y"))
    assert np.array_equal(found.joint_gain, whole.joint_gain)
    assert np.array_equal(found.p_values, whole.p_values)


def test_noise_is_rarely_called_an_interaction():
    found = 0
    for seed in range(40):
        frame = noisy_xor(1000, seed, noise=0.5)
        found += bool(stream_interactions(open_stream(frame, "y")).best(0.05))
    assert found <= 6  # 2 expected; 7 or more of 40 has a chance of half a percent


def test_columns_of_many_levels_stay_out_with_a_note():
    frame = noisy_xor(600).assign(town=[f"t{k % 40}" for k in range(600)])
    found = stream_interactions(open_stream(frame, "y"))
    assert "town" not in found.names
    assert [n.column for n in found.notes if n.code == "left_out_of_pairs"] == ["town"]


def test_one_feature_has_no_pair():
    frame = noisy_xor(50)[["a", "y"]]
    found = stream_interactions(open_stream(frame, "y"))
    assert len(found.synergy) == 0
    assert found.best() == []


def test_bins_are_checked():
    with pytest.raises(ValueError, match="'n_bins' parameter of stream_interactions"):
        stream_interactions(open_stream(noisy_xor(20), "y"), n_bins=1)


def same(one, other):
    assert one.names == other.names
    assert one.n_rows == other.n_rows
    assert one.notes == other.notes
    for field in ("gains", "joint_gain", "synergy", "p_values", "q_values"):
        assert np.array_equal(getattr(one, field), getattr(other, field)), field


def same_counts(one, other):
    """Compare the counts of columns, which a scan for pairs leaves behind."""
    one, other = one.count(), other.count()
    assert one.class_totals.tolist() == other.class_totals.tolist()
    for a, b in zip(one.columns, other.columns, strict=True):
        assert (a.name, a.kind, a.levels) == (b.name, b.kind, b.levels)
        assert np.array_equal(a.counts, b.counts)
        assert np.array_equal(a.missing, b.missing)


def write(folder, parts):
    folder.mkdir(exist_ok=True)
    for k, part in enumerate(parts):
        part.to_parquet(folder / f"{k:03}.parquet", index=False)
    return folder


def mixed_table(n_rows=300, seed=0):
    random = np.random.default_rng(seed)
    frame = noisy_xor(n_rows, seed)
    frame["kind"] = pd.Categorical(
        random.choice(["s", "m", "l"], n_rows), ["s", "m", "l", "xl"], ordered=True
    )
    frame["late"] = [f"v{k * 12 // n_rows}" for k in range(n_rows)]  # new ones to come
    frame["many"] = [f"v{k * 40 // n_rows}" for k in range(n_rows)]  # too many, late
    frame["flag"] = random.random(n_rows) < 0.5
    frame["count"] = random.integers(0, 9, n_rows)
    frame.loc[::9, "number"] = np.nan
    frame.loc[5:9, "y"] = None
    frame.loc[7:9, "a"] = "only without a class"
    return frame


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.DroppedRowsWarning")
@pytest.mark.parametrize("n_parts", [1, 2, 7, 100])
@pytest.mark.parametrize("batch", [None, 7])
def test_files_and_batches_make_no_difference(tmp_path, monkeypatch, n_parts, batch):
    frame = mixed_table()
    whole = open_stream(frame, "y")
    expected = stream_interactions(whole)
    if batch is not None:
        monkeypatch.setattr(_parquet_parts, "GROUP_ROWS", 0)
        monkeypatch.setattr(_parquet_parts, "BATCH_ROWS", batch)
    rows = np.array_split(np.arange(len(frame)), n_parts)
    order = np.random.default_rng(n_parts).permutation(n_parts)
    folder = write(tmp_path / "p", [frame.iloc[rows[k]] for k in order])
    for n_jobs in (1, 2):
        stream = open_stream(folder, "y")
        same(stream_interactions(stream, n_jobs=n_jobs), expected)
        same_counts(stream, whole)
    assert "many" not in expected.names
    left_out = [n.column for n in expected.notes if n.code == "left_out_of_pairs"]
    assert left_out == ["many"]


LEVELS = st.sampled_from(["p", "q", "r", "s", None])


@pytest.mark.filterwarnings("ignore::featsieve.exceptions.DroppedRowsWarning")
@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(
        st.tuples(
            LEVELS, LEVELS, st.integers(-2, 2), st.sampled_from(["yes", "no", None])
        ),
        min_size=4,
        max_size=40,
    ),
    ends=st.lists(st.integers(0, 40), max_size=5),
    most=st.integers(2, 4),
)
def test_any_cutting_into_parts_gives_what_rows_in_memory_give(rows, ends, most):
    frame = pd.DataFrame(rows, columns=["a", "b", "n", "y"])
    if frame["y"].nunique() < 2:
        frame.loc[:1, "y"] = ["yes", "no"]
    text = {"a": pd.StringDtype(), "b": pd.StringDtype(), "y": pd.StringDtype()}
    frame = frame.astype(text)
    places = [0, *sorted(min(end, len(frame)) for end in ends), len(frame)]
    with (
        tempfile.TemporaryDirectory() as name,
        mock.patch.object(_stream_pairs, "MOST_LEVELS", most),
    ):
        parts = [frame[a:b] for a, b in itertools.pairwise(places)]
        whole, stream = (
            open_stream(frame, "y"),
            open_stream(write(Path(name), parts), "y"),
        )
        same(stream_interactions(stream, n_jobs=2), stream_interactions(whole))
        same_counts(stream, whole)


def test_a_column_without_a_type_in_some_files_is_missing_there(tmp_path):
    frame = noisy_xor(300)
    parts = [frame[:100].assign(a=None), frame[100:], frame[:50].assign(a=None)]
    blank = pa.Table.from_pandas(parts[0], preserve_index=False)
    at = blank.schema.get_field_index("a")
    blank = blank.set_column(at, "a", pa.nulls(100))
    folder = write(tmp_path / "p", parts)
    pq.write_table(blank, folder / "000.parquet")
    stream, whole = open_stream(folder, "y"), open_stream(pd.concat(parts), "y")
    same(stream_interactions(stream, n_jobs=2), stream_interactions(whole))
    same_counts(stream, whole)


def test_texts_may_be_wanted_as_numbers_and_numbers_as_names(tmp_path):
    frame = noisy_xor(400)
    random = np.random.default_rng(3)
    frame["text"] = [f"{v:.2f}" for v in random.normal(size=400)]
    frame["code"] = random.integers(0, 4, 400) / 2
    asked = {"numeric": ["text"], "nominal": ["code"]}
    whole = stream_interactions(open_stream(frame, "y", **asked))
    folder = write(tmp_path / "p", [frame[:150], frame[150:]])
    same(stream_interactions(open_stream(folder, "y", **asked)), whole)
    assert {"text", "code"} <= set(whole.names)


def test_a_damaged_row_group_is_told(tmp_path):
    folder = write(tmp_path / "p", [noisy_xor(2000), noisy_xor(2000, 1)])
    path = folder / "001.parquet"
    place = pq.read_metadata(path).row_group(0).column(2).data_page_offset
    content = bytearray(path.read_bytes())
    content[place : place + 40] = b"\xff" * 40
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"001\.parquet.*cannot be read"):
        stream_interactions(open_stream(folder, "y"), n_jobs=2)


def test_a_file_that_changed_is_read_anew(tmp_path):
    folder = write(tmp_path / "p", [noisy_xor(300)])
    before = stream_interactions(open_stream(folder, "y"))
    write(folder, [noisy_xor(400, 1)])
    after = stream_interactions(open_stream(folder, "y"))
    same(after, stream_interactions(open_stream(noisy_xor(400, 1), "y")))
    assert after.n_rows != before.n_rows


def test_columns_may_be_called_anything(tmp_path):
    frame = noisy_xor(300).rename(columns={"a": "ARROW:schema", "b": "ARROW-schema"})
    folder = write(tmp_path / "p", [frame[:100], frame[100:]])
    whole = stream_interactions(open_stream(frame, "y"))
    same(stream_interactions(open_stream(folder, "y")), whole)
    twice = pa.table([frame["c"], frame["d"], frame["y"]], names=["x", "x", "y"])
    pq.write_table(twice, tmp_path / "twice.parquet")
    found = stream_interactions(open_stream(tmp_path / "twice.parquet", "y"))
    other = stream_interactions(open_stream(frame[["c", "d", "y"]], "y"))
    assert np.array_equal(found.gains, other.gains)


def rows_of(n=240):
    random = np.random.default_rng(0)
    a, b = random.integers(0, 2, (2, n))
    words = np.array(["no", "yes"])
    c = random.choice(["u", "v", None], n)
    return {"a": words[a], "b": words[b], "c": c, "y": words[a ^ b]}


def parts_of(rows, n_parts):
    cuts = np.array_split(np.arange(len(rows["y"])), n_parts)
    return [{name: values[cut] for name, values in rows.items()} for cut in cuts]


def found(rows, n_parts, **options):
    stream = open_stream(parts_of(rows, n_parts), "y", **options)
    return stream_interactions(stream)


def told(answer):
    """Return the answer by pairs of names, in plain numbers."""
    names = np.array(answer.names, dtype=object)
    pairs = zip(names[answer.first], names[answer.second], strict=True)
    numbers = (answer.joint_gain, answer.synergy, answer.p_values)
    return dict(
        zip(pairs, zip(*(n.tolist() for n in numbers), strict=True), strict=True)
    )


@pytest.mark.parametrize("n_parts", [2, 7])
def test_parts_do_not_matter(n_parts):
    rows = rows_of()
    assert told(found(rows, n_parts)) == told(found(rows, 1))


def test_gains_are_those_of_rows_in_memory():
    rows = rows_of()
    pairs = told(found(rows, 3))
    table = read_table({name: rows[name] for name in "abc"}, rows["y"])
    codes = np.column_stack([column.values for column in table]).astype(np.int32)
    y = table.target.values.astype(np.int32)
    for (one, other), (joint, synergy, _) in pairs.items():
        members = [table.names.index(one), table.names.index(other)]
        together = joint_codes(*codes[:, members].T)
        assert joint == pytest.approx(information_gain(together, y))
        parts = sum(information_gain(codes[:, j], y, missing="level") for j in members)
        assert synergy == pytest.approx(joint - parts)
    assert max(pairs, key=lambda pair: pairs[pair][1]) == ("a", "b")


def test_names_that_come_late_are_levels_too():
    rows = rows_of()
    rows["c"] = np.array(["early"] * 200 + ["late"] * 40, dtype=object)
    rows["y"] = np.where(rows["c"] == "late", "yes", rows["y"])
    assert told(found(rows, 6)) == told(found(rows, 1))


def test_columns_of_many_names_stay_out_wherever_rows_are_cut():
    rows = rows_of()
    rows["c"] = np.array([f"k{k % (MOST_LEVELS + 1)}" for k in range(240)])
    for n_parts in (1, 5):
        assert list(told(found(rows, n_parts))) == [("a", "b")]
    assert told(found(rows, 5)) == told(found(rows, 1))


def test_numbers_and_names_in_one_column_are_refused():
    rows = rows_of()
    parts = parts_of(rows, 2)
    parts[1]["c"] = np.arange(120.0)
    with pytest.raises(DataError, match="'c'"):
        stream_interactions(open_stream(parts, "y"))


def test_codings_give_every_code_its_level():
    cuts = Coding(np.array([1.5, 2.5]), {}, 3, 4)
    codes, levels = cuts.codes(Numbers(np.array([1.0, 2.0, 9.0, np.nan])))
    assert codes.tolist() == [0, 1, 2, -1]
    assert levels.tolist() == [0, 1, 2, 3]  # the last one is missing
    names = Coding(None, {"b": 0, "a": 1}, 2, 3)
    codes, levels = names.codes(Codes(np.array([1, 0, -1], np.int32), ["a", "b"]))
    assert levels[codes].tolist() == [0, 1, 2]
    unseen = names.codes(Codes(np.array([0], np.int32), ["z"]))
    assert unseen[1].tolist() == [2, 2]
    numbers = Coding(None, {5.0: 0, 3.0: 1}, 2, 3)
    codes, levels = numbers.codes(Numbers(np.array([3.0, 5.0, 3.0])))
    assert levels[codes].tolist() == [1, 0, 1]
