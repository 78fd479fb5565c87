"""Blocks read by polars: the same table, notes and errors as from pyarrow alone."""

from __future__ import annotations

import itertools
import random
import re
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.data.test_files import FILE_SETTINGS, PIECES, SEEDS

from featsieve.data import _blocks, _files, _levels, read_table
from featsieve.data._encode import TextBuilder
from featsieve.data._levels import NUMBER_PATTERN
from featsieve.exceptions import DataError, DroppedRowsWarning


def outcome(path, **options):
    """Return all that can be seen of a table, or the error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedRowsWarning)
            table = read_table(path, **options)
    except DataError as error:
        return str(error)
    columns = [*table, *([] if table.target is None else [table.target])]
    return (
        [
            (c.name, c.kind, c.levels, c.values.dtype, c.values.tobytes())
            for c in columns
        ],
        table.notes,
        table.n_rows,
    )


@pytest.fixture
def both_ways(tmp_path, monkeypatch):
    """Return a function that reads bytes both ways and demands the same outcome."""

    def check(data, *, step=1 << 22, name="a.csv", **options):
        path = tmp_path / name
        path.write_bytes(data)
        monkeypatch.setattr(_blocks, "FEWEST_BYTES", 1 << 40)
        expected = outcome(path, **options)
        monkeypatch.setattr(_blocks, "FEWEST_BYTES", 0)
        monkeypatch.setattr(_blocks, "BLOCK_BYTES", step)
        # The sign of a NaN is no part of a table.
        got = outcome(path, **options)
        assert got == expected, data
        return got

    return check


@pytest.fixture
def calls(monkeypatch):
    """Count blocks by reader."""
    seen = {"polars": 0, "pyarrow": 0}
    plain, other = _blocks.MixedBlocks._parse_plain, _files.CsvFile.batches

    def count_plain(self, block):
        table = plain(self, block)
        seen["polars"] += table is not None
        return table

    def count_other(self, types, rows=None):
        seen["pyarrow"] += rows is not None
        return other(self, types, rows)

    monkeypatch.setattr(_blocks.MixedBlocks, "_parse_plain", count_plain)
    monkeypatch.setattr(_files.CsvFile, "batches", count_other)
    return seen


MIXED = b"".join(
    b'%d,%s,"level, %d",2020-01-%02d,%s\n'
    % (
        i,
        (b"%d.5e-3" % i, b"", b"NA")[i % 3],
        i % 5,
        i % 28 + 1,
        b"NY"[i % 2 : i % 2 + 1],
    )
    for i in range(300)
)


@pytest.mark.parametrize("step", [64, 1000, 1 << 22])
@pytest.mark.parametrize("start", [b"a,b,c,d,y\n", b"\xef\xbb\xbfa,b,c,d,y\r\n"])
def test_plain_files_are_read_by_polars(both_ways, calls, step, start):
    rows = MIXED if start.endswith(b"e\n") else MIXED.replace(b"\n", b"\r\n")
    for data in (start + rows, (start + rows).rstrip()):
        both_ways(data, step=step, target="y")
    assert calls["polars"] >= 2
    assert calls["pyarrow"] == 0


@pytest.mark.parametrize(
    "row",
    [
        b'1,"two\nlines"\n',
        b'1,a"b\n',
        b'1,"a"b\n',
        b'1,"a" \n',
        b"\n",
        b"1,a\r2,b\n",
        b" 1 ,a\n",
        b"\t1,a\n",
        b'" 1",a\n',
        b"\xef\xbb\xbf1,a\n",
        b"\xef\xbb\xbfx,a\n",
        b"1,\xef\xbb\xbfa\n",
    ],
)
def test_what_is_not_plain_is_read_by_pyarrow(both_ways, calls, row):
    data = b"a,b\n" + b"1,a\n" * 50 + row + b"2,b\n" * 50
    for step in (32, 1 << 22):
        both_ways(data, step=step)
    assert calls["polars"] >= 1


@pytest.mark.parametrize(
    "row",
    [
        b"x,a\n",
        b"1\n",
        b"1,2,3\n",
        b"1,\xff\n",
        b"\xff,a\n",
        b"1\x00,a\n",
        b"1,a\x00b\n",
        b'1,"never closed\n',
        b'1,"never closed',
        b'"',
        b"1,a",
        b"\r",
        b"inf,a\n",
        b"-Infinity,\n",
        b"NaN,NaN\n",
        b"-nan,-nan\n",
        b"?,?\n",
        b'"?","?"\n',
        b'"",""\n',
        b" ?, ?\n",
        b"+7,+7\n",
        b"1e400,1e-400\n",
        b"9007199254740993,9007199254740993\n",
        b"18446744073709551616,0x1F\n",
        b"2.5,\n",
        b"1_000,a\n",
        b"#1,a\n",
        b"2020-01-01,a\n",
        b"true,a\n",
        b'1,"say ""x"""\n',
        b'"1","a"\n',
        b'1,""""\n',
    ],
)
@pytest.mark.parametrize("target", [None, "a", "b"])
def test_nasty_rows(both_ways, row, target):
    for before in (b"1,a\n", b"2020-01-01 10:00:00,1.5\n", b"0.5,true\n"):
        for after in (b"", before * 3):
            data = b"a,b\n" + before * 40 + row + after
            for step in (100, 1 << 22):
                both_ways(data, step=step, target=target)
            both_ways(data, nominal=["a"], missing_values=["1", "a", "0.5"])
            both_ways(data, missing_values=[])


@pytest.mark.parametrize(
    "header", [b'"a\nb",c\n', b"\na,b\n", b'a"x,b\n', b"a,a\n", b",\n", b'"a","b"\n']
)
def test_headers(both_ways, header):
    both_ways(header + b"1,x\n2,y\n")
    both_ways(header)


def test_other_separators_and_packed_files(both_ways, calls):
    for mark in b";\t|":
        sep = bytes([mark])
        both_ways(MIXED.replace(b",", sep), separator=sep.decode())
    assert calls["polars"] == 3
    both_ways(b"a b\n1 2\n", separator=" ")
    both_ways("a,ä\n1,é\n".encode("latin-1"), encoding="latin-1")
    assert calls == {"polars": 3, "pyarrow": 0}


def test_a_row_longer_than_a_block(both_ways):
    both_ways(b"a,b\n1,%s\n2,y\n" % (b"x" * 5000), step=64)
    both_ways(b'a,b\n1,"%s"\n2,y\n' % (b"x\n" * 3000), step=64)


def test_a_row_longer_than_all_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(_blocks, "FEWEST_BYTES", 0)
    monkeypatch.setattr(_blocks, "BLOCK_BYTES", 16)
    monkeypatch.setattr(_blocks, "LARGEST_BLOCK", 1000)
    monkeypatch.setattr(_files, "LARGEST_BLOCK", 1 << 23)
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,%s\n2,y\n" % (b"x" * 5000))
    with pytest.raises(DataError, match="more than a gigabyte"):
        read_table(path)


def test_without_polars(both_ways, calls, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "polars", None)
    both_ways(b"a,b\n" + b"1,a\n" * 50)
    assert calls == {"polars": 0, "pyarrow": 0}


def test_what_polars_takes_for_a_number_is_one():
    """Else the outcome would depend on the reader; all words up to five letters."""
    pattern = re.compile(NUMBER_PATTERN)
    words = [
        "".join(letters)
        for n in range(1, 6)
        for letters in itertools.product("07.eE+- \tx_", repeat=n)
    ]
    words += ["".join(w) for w in itertools.product("+- ", "iInN", "nNfFaA", "fFnN")]
    words += [
        f"{s}{w}" for s in ("", "+", "-") for w in ("infinity", "Infinity", "INF")
    ]
    for kind, whole in ((pl.Float64, False), (pl.Int64, True)):
        rows = "\n".join(f"{word}," for word in words).encode()
        frame = pl.read_csv(
            rows,
            has_header=False,
            schema={"a": kind, "b": pl.String},
            ignore_errors=True,
        )
        accepted = [
            (word, value)
            for word, value in zip(words, frame["a"], strict=True)
            if value is not None
        ]
        assert len(accepted) > 100
        texts = _levels.text_array([word for word, _ in accepted])
        values, mask = _levels.text_numbers(texts)
        assert mask.all()
        np.testing.assert_array_equal(values, [value for _, value in accepted])
        for word, _ in accepted:
            assert pattern.match(word.strip())
            assert not whole or word.strip("+- \t").isdigit()


NUMBERS = st.one_of(
    st.integers(-(10**20), 10**20).map(str),
    st.floats().map(repr),
    st.decimals(allow_nan=False, allow_infinity=False).map(str),
    st.sampled_from(["", "NA", "?", "nan", "+1", " 2", "1.", ".5", "1e5", "-0", "007"]),
)
DATES = st.one_of(
    st.dates().map(str),
    st.datetimes().map(str),
    st.sampled_from(["", "NA", "2020-01-01T00:00:00Z", "2020-01-01 10:00", "10:00:00"]),
)
WORDS = st.one_of(
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.sampled_from(["true", "false", "TRUE", "NA", "null", "", "a" * 13, 'say "x"']),
)
ENDS = st.sampled_from(["\n", "\n", "\n", "\r\n"])


def as_cell(word, quote):
    if quote or set(word) & set(',"\r\n'):
        return '"' + word.replace('"', '""') + '"'
    return word


@FILE_SETTINGS
@given(data=st.data())
def test_generated_files(both_ways, data):
    kinds = data.draw(
        st.lists(st.sampled_from([NUMBERS, DATES, WORDS]), min_size=2, max_size=4)
    )
    end = data.draw(ENDS)
    rows = data.draw(st.lists(st.tuples(*kinds), max_size=30))
    quoted = data.draw(st.booleans())
    lines = [",".join(f"c{i}" for i in range(len(kinds)))]
    lines += [",".join(as_cell(word, quoted) for word in row) for row in rows]
    text = end.join(lines) + data.draw(st.sampled_from(["", end]))
    both_ways(
        text.encode("utf-8", "surrogatepass"),
        step=data.draw(st.sampled_from([20, 200, 1 << 22])),
        target=data.draw(st.sampled_from([None, "c0", -1])),
        missing_values=data.draw(st.sampled_from([None, [], ["007", "a" * 13], [1]])),
    )


def test_mutated_files(both_ways):
    rng = random.Random(1)
    for _ in range(400):
        data = bytearray(rng.choice([*SEEDS[:2], b"a,b,c,d,y\n" + MIXED[:2000]]))
        for _ in range(rng.randrange(1, 4)):
            place = rng.randrange(len(data) + 1)
            if rng.random() < 0.5:
                data[place:place] = rng.choice(PIECES)
            else:
                del data[place : place + rng.randrange(1, 9)]
        both_ways(bytes(data), step=rng.choice([50, 1 << 22]))


@pytest.mark.published
def test_shared_datasets(shared_dir, monkeypatch):
    n_read = 0
    for path in sorted(shared_dir.glob("data/*/*.csv")):
        if path.stat().st_size > 3_000_000:
            continue
        monkeypatch.setattr(_blocks, "FEWEST_BYTES", 1 << 40)
        expected = outcome(path, target=-1)
        monkeypatch.setattr(_blocks, "FEWEST_BYTES", 0)
        monkeypatch.setattr(_blocks, "BLOCK_BYTES", 50_000)
        assert outcome(path, target=-1) == expected, path
        n_read += 1
    assert n_read


@pytest.mark.parametrize("missing", [(), ("", "b", "a long missing text")])
def test_text_builder(missing):
    import pyarrow as pa

    texts = [
        "a",
        None,
        "",
        "b",
        "a long text, beyond twelve",
        "a long missing text",
    ] * 3
    views = pa.array(texts, pa.string_view())
    large = pa.array(texts, pa.large_string())
    builder = TextBuilder(0, missing)
    pieces = [large[2:9], views[1:], views[:0], large, pa.array([None], large.type)]
    pieces.append(pa.array(["", ""], large.type))
    for piece in pieces:
        builder.append(piece)
    column = builder.finish()
    got = [None if code < 0 else column.levels[code] for code in column.codes]
    expected = [text for piece in pieces for text in piece.to_pylist()]
    assert got == [None if text in missing else text for text in expected]
    assert len(set(column.levels)) == len(column.levels)
