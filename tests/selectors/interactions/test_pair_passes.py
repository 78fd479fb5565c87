"""Joint counts of pairs over a stream: any cut of the rows gives the same."""

from __future__ import annotations

import numpy as np
import pytest

from featsieve.data import open_stream, read_table
from featsieve.exceptions import DataError
from featsieve.measures import information_gain, joint_codes
from featsieve.selectors import stream_interactions
from featsieve.selectors.interactions._pair_passes import MOST_LEVELS, Coding


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
    from featsieve.data.api import Codes, Numbers

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
