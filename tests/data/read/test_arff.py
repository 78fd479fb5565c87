"""ARFF: the format in all its corners, and clear errors with line numbers."""

from __future__ import annotations

import gzip
import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from featsieve.data import ColumnKind, read_table
from featsieve.exceptions import DataError

FULL = """% a comment
@RELATION 'the weather'

@attribute 'out look' {sunny, 'part ly', "it's", unused}   % levels
@Attribute temp REAL
@attribute count integer
@attribute note string
@attribute day date "yyyy-MM-dd HH:mm"
@attribute play {yes,no}
@data
% another comment
sunny, 85.5, 1, 'it\\'s', "1970-01-02 12:00", no

'part ly',?,-2,?,?,yes   % trailing comment
"it's",1e2,3,'50% off, "now"',"1970-01-01 00:00",?
sunny,1,1,x,"1970-01-01 00:00",no,{2.5}
{0 'part ly', 3 sparse, 4 "1970-01-03 00:00"}
{1 7.5, 3 'a, b', 5 no}, {3}
"""


def read(tmp_path, text, name="a.arff", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_table(path, **options)


def test_everything_at_once(tmp_path):
    table = read(tmp_path, FULL)
    look, play = table["out look"], table["play"]
    assert look.levels == ("sunny", "part ly", "it's", "unused")
    assert look.values.tolist() == [0, 1, 2, 0, 1, 0]
    assert play.values.tolist() == [1, 0, -1, 1, 0, 1]
    np.testing.assert_array_equal(table["temp"].values, [85.5, np.nan, 100, 1, 0, 7.5])
    assert table["count"].values.tolist() == [1, -2, 3, 1, 0, 0]
    note = table["note"]
    assert [note.levels[c] if c >= 0 else None for c in note.values] == [
        *("it's", None, '50% off, "now"', "x", "sparse", "a, b"),
    ]
    np.testing.assert_array_equal(table["day"].values, [1.5, np.nan, 0, 0, 2, 0])
    codes = [n.code for n in table.notes]
    assert codes == ["instance_weights", "date"]
    assert table.notes[0].message.startswith("2 rows carry an instance weight")


def test_target_by_position_and_gzip(tmp_path):
    table = read(
        tmp_path,
        gzip.compress(FULL.replace("?\n", "no\n").encode()),
        "a.arff.gz",
        target=-1,
    )
    assert table.target.name == "play"
    assert table.target.levels == ("yes", "no")


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_line_endings_and_blanks(tmp_path, ending):
    head = "@relation r\n@attribute a{x,y}\n@attribute\tb\tnumeric\n@data\n"
    text = head + "x\t1\ny 2\n x , 3 \n"
    table = read(tmp_path, "\ufeff" + text.replace("\n", ending))
    assert table["a"].values.tolist() == [0, 1, 0]
    assert table["b"].values.tolist() == [1, 2, 3]


def test_quoted_question_mark_is_a_value(tmp_path):
    head = "@relation r\n@attribute a {x,'?'}\n@attribute s string\n@data\n"
    table = read(tmp_path, head + "?,?\n'?','?'\nx,b\n")
    assert table["a"].levels == ("x", "?")
    assert table["a"].values.tolist() == [-1, 1, 0]
    assert table["s"].levels == ("?", "b")
    assert table["s"].values.tolist() == [-1, 0, 1]


def test_no_rows(tmp_path):
    table = read(
        tmp_path, "@relation r\n@attribute a {x,y}\n@attribute b real\n@data\n"
    )
    assert table.n_rows == 0
    assert table["a"].levels == ("x", "y")
    assert table["b"].kind is ColumnKind.NUMERIC


def test_overrides(tmp_path):
    text = "@relation r\n@attribute a {3,1}\n@attribute b real\n@data\n1,5\n3,4\n"
    table = read(tmp_path, text, numeric=["a"], nominal=["b"])
    assert table["a"].values.tolist() == [1, 3]
    assert table["b"].levels == (4, 5)


HEAD = "@relation r\n@attribute a {x,y}\n@attribute b numeric\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no @attribute line"),
        ("@relation r\n@data\n1\n", "has no @attribute line"),
        (HEAD, "has no @data line"),
        (HEAD + "what\n@data\n", "Line 4 .* is neither @relation"),
        (HEAD + "@data\nx,1\nz,2\n", "Line 6 .*'z' is not a declared value of 'a'"),
        (HEAD + "@data\nx,1\n%c\nx,abc\n", "Line 7 .*'abc' is not a number"),
        (HEAD + "@data\nx,1_0\n", "'1_0' is not a number"),
        (HEAD + "@data\nx\n", "Line 5 .* has 1 values where 2 are declared"),
        (HEAD + "@data\nx,1,2\n", "Line 5 .* has 3 values where 2 are declared"),
        (HEAD + "@data\n{5 x}\n", "'5 x' is not '<attribute number> <value>'"),
        (HEAD + "@data\n{0 x, 0 y}\n", "is not '<attribute number> <value>'"),
        (HEAD + "@data\n{0 x\n", "no closing brace"),
        (HEAD + "@attribute c relational\n", "Line 4 .*relational attributes"),
        (HEAD + "@attribute c {x,y\n", "Line 4 .*no closing brace"),
        (HEAD + "@attribute c {x,x}\n", "declares the value 'x' twice"),
        (HEAD + "@attribute 'c\n", "Line 4 .*not understood"),
        (HEAD + "@attribute c date 'QQ'\n", "date pattern 'QQ' of 'c'"),
        (HEAD + "@attribute c date 'yyyy yyyy'\n", "date pattern 'yyyy yyyy'"),
        (HEAD + "@attribute c date\n@data\nx,1,soon\n", "'soon' is not a date"),
        (HEAD + "@attribute c string\n@data\n{0 x}\n", "leaves out the text 'c'"),
        (HEAD + "@data\nx,inf\n", "infinity in 1 of 1 rows"),
        (b"\xff\xfe", "encoding='latin-1'"),
        (gzip.compress(FULL.encode(), mtime=0)[:-9], None),
    ],
)
def test_errors_name_the_line_and_the_way_out(tmp_path, text, message):
    name = "a.arff" if message else "a.arff.gz"
    with pytest.raises(DataError, match=message or "may be damaged") as error:
        read(tmp_path, text, name)
    assert "\n" not in str(error.value)


def test_duplicate_names_and_latin(tmp_path):
    text = "@relation r\n@attribute é real\n@attribute é real\n@data\n1,2\n3,5\n"
    table = read(tmp_path, text.encode("latin-1"), encoding="latin-1")
    assert table.names == ("é", "é_2")


def test_many_rows_are_read_in_blocks(tmp_path):
    rows = "".join(f"{'xy'[i % 2]},{i}\n" for i in range(250_000))
    table = read(tmp_path, HEAD + "@data\n" + rows)
    assert table.n_rows == 250_000
    assert table["b"].values[-1] == 249_999
    with pytest.raises(DataError, match=r"Line 250005 .*'q' is not a number"):
        read(tmp_path, HEAD + "@data\n" + rows + "x,q\n")


def quote(text):
    out = text.replace("\\", "\\\\").replace("'", "\\'")
    return "'" + out.replace("\n", "\\n").replace("\r", "\\r") + "'"


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\ufdd0"), max_size=6)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=TEXT.filter(str.strip),
    levels=st.lists(TEXT, min_size=1, max_size=5, unique=True),
    data=st.data(),
)
def test_what_is_written_is_read(tmp_path, name, levels, data):
    cell = st.tuples(
        st.sampled_from([None, *levels]), st.none() | TEXT, st.floats(-9, 9)
    )
    rows = data.draw(st.lists(cell, max_size=8))
    lines = [
        "@relation r",
        f"@attribute {quote(name)} {{{','.join(map(quote, levels))}}}",
        "@attribute s string",
        "@attribute n numeric",
        "@data",
    ]
    for a, b, c in rows:
        shown = ["?" if x is None else quote(x) for x in (a, b)]
        lines.append(",".join([*shown, repr(c)]))
    table = read(tmp_path, "\n".join(lines) + "\n", nominal=["s"])
    column = table.columns[0]
    assert column.levels == tuple(levels)
    assert column.values.tolist() == [
        -1 if a is None else levels.index(a) for a, _, _ in rows
    ]
    text = table.columns[1]
    got = [text.levels[code] if code >= 0 else None for code in text.values]
    assert got == [b for _, b, _ in rows]
    assert table.columns[2].values.tolist() == [c for _, _, c in rows]


PIECES = ["'", '"', ",", "\n", "\\", "%", "{", "}", "?", "\x00", "@data\n", "{}", "1_0"]


def test_mutated_files_give_a_table_or_a_data_error(tmp_path):
    rng = random.Random(0)
    for _ in range(500):
        text = FULL
        for _ in range(rng.randrange(1, 6)):
            place = rng.randrange(len(text))
            cut = rng.randrange(0, 9)
            text = text[:place] + rng.choice([*PIECES, ""]) + text[place + cut :]
        try:
            table = read(tmp_path, text)
        except DataError as error:
            assert "\n" not in str(error)  # noqa: PT017  (an answer is as good)
        else:
            assert all(len(column.values) == len(table) for column in table)


@pytest.mark.published
def test_files_that_weka_brings_along(shared_dir):
    files = sorted((shared_dir / "oracle/weka/data").glob("*.arff"))
    assert files
    for path in files:
        table = read_table(path, target=-1)
        assert table.n_rows > 0
        assert table.target.kind is ColumnKind.NOMINAL
    weather = read_table(
        shared_dir / "oracle/weka/data/weather.numeric.arff", target=-1
    )
    assert weather.names == ("outlook", "temperature", "humidity", "windy")
    assert weather["outlook"].levels == ("sunny", "overcast", "rainy")
    assert weather.n_rows == 14
