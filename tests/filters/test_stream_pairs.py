"""Pairs of a stream: gains of the rows to the bit, and honest tests."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from featsieve.data import open_stream
from featsieve.exceptions import DroppedRowsWarning
from featsieve.filters import stream_interactions
from featsieve.measures import pairwise_gain


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
    assert [n.column for n in found.notes if n.code == "many_levels"] == ["town"]


def test_one_feature_has_no_pair():
    frame = noisy_xor(50)[["a", "y"]]
    found = stream_interactions(open_stream(frame, "y"))
    assert len(found.synergy) == 0
    assert found.best() == []


def test_bins_are_checked():
    with pytest.raises(ValueError, match="'n_bins' parameter of stream_interactions"):
        stream_interactions(open_stream(noisy_xor(20), "y"), n_bins=1)
