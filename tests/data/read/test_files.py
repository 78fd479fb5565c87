"""CSV and Parquet: types of all rows, clear sentences for broken files."""

from __future__ import annotations

import csv
import gzip
import io
import random

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from featsieve.data import ColumnKind, read_table
from featsieve.data.read import _files
from featsieve.exceptions import DataError

FILE_SETTINGS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# No time in it: the name of a test must not change from second to second.
CUT_SHORT = gzip.compress(b"a,b\n" + b"1,2\n" * 9999, mtime=0)[:-20]


def read(tmp_path, data, name="a.csv", **options):
    path = tmp_path / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_table(path, **options)


def codes(table):
    return [note.code for note in table.notes]


def test_plain_csv(tmp_path):
    table = read(tmp_path, "age,colour,y\n31,red,yes\n?,,no\n42,blue,yes\n", target="y")
    np.testing.assert_array_equal(table["age"].values, [31, np.nan, 42])
    assert table["colour"].levels == ("blue", "red")
    assert table["colour"].values.tolist() == [1, -1, 0]
    assert table.target.levels == ("no", "yes")


@pytest.mark.parametrize("name", ["a.csv.gz", "a.tsv", "a.tab", "a.tsv.gz", "A.CSV"])
def test_suffixes(tmp_path, name):
    text = "a,b\n1,x\n2,y\n"
    if ".t" in name:
        text = text.replace(",", "\t")
    data = gzip.compress(text.encode()) if name.endswith("gz") else text
    table = read(tmp_path, data, name)
    assert table.names == ("a", "b")
    assert table["a"].values.tolist() == [1, 2]


def test_types_hold_for_all_rows_whatever_the_block(tmp_path, monkeypatch):
    rows = ["1,2020-01-01,1,1,,true"] * 400 + ["x,maybe,2.5,+3,7,false"]
    text = "a,b,c,d,e,f\n" + "\n".join(rows) + "\n"
    tables = []
    for block in (64, 200, 1 << 20):
        monkeypatch.setattr(_files, "BLOCK_BYTES", block)
        tables.append(read(tmp_path, text))
    first = tables[0]
    assert [c.kind.value for c in first] == ["nominal"] * 2 + ["numeric"] * 3 + [
        "nominal"
    ]
    assert codes(first)[0] == "text_in_numbers"
    assert "text in 1 of 401 rows" in first.notes[0].message
    assert "missing_values=['x']" in first.notes[0].message
    assert first["d"].values[-1] == 3
    for other in tables[1:]:
        assert other.notes == first.notes
        for column in first:
            assert other[column.name].levels == column.levels
            np.testing.assert_array_equal(other[column.name].values, column.values)


def test_a_row_longer_than_a_block(tmp_path):
    long = "x" * 3_000_000
    table = read(tmp_path, f"a,b\n{long},1\ny,2\n")
    assert table["a"].levels == (long, "y")


def test_dates_times_and_truth(tmp_path):
    text = "d,t,m,b\n1970-01-02,06:00:00,1970-01-01T12:00:00Z,true\n,,,False\n"
    table = read(tmp_path, text)
    np.testing.assert_array_equal(table["d"].values, [1, np.nan])
    np.testing.assert_array_equal(table["t"].values, [0.25, np.nan])
    np.testing.assert_array_equal(table["m"].values, [0.5, np.nan])
    assert table["b"].levels == (False, True)
    assert codes(table)[:3] == ["date"] * 3
    assert read(tmp_path, text, nominal=["d"])["d"].levels == ("1970-01-02",)


def test_nominal_numbers_keep_their_spelling(tmp_path):
    table = read(tmp_path, "a\n10\n007\n9\n", nominal=["a"])
    assert table["a"].levels == ("007", "9", "10")


def test_missing_values_replace_the_default(tmp_path):
    text = "a,b\n1,NA\n-999,x\n3,\n"
    assert read(tmp_path, text)["b"].n_missing == 2
    table = read(tmp_path, text, missing_values=[-999])
    assert table["a"].n_missing == 1
    assert table["b"].levels == ("NA", "x")


def test_target_kinds(tmp_path):
    text = "a,y\n" + "".join(f"{i},{i % 30}\n" for i in range(300))
    assert read(tmp_path, text, target="y").target.kind is ColumnKind.NOMINAL
    halves = text.replace("7\n", "7.5\n")
    assert read(tmp_path, halves, target="y").target.kind is ColumnKind.NUMERIC


def test_names(tmp_path):
    table = read(
        tmp_path, '"a\nx",<script>,\U0001f600,,<script>\n1,2,3,4,5\n6,7,8,9,0\n'
    )
    assert table.names == ("a\nx", "<script>", "\U0001f600", "column_4", "<script>_2")
    assert codes(table) == ["empty_name", "duplicate_name"]
    assert read(tmp_path, b"\xef\xbb\xbfa,b\n1,2\n").names == ("a", "b")


def test_header_only(tmp_path):
    for text in ("a,b\n", "a,b"):
        table = read(tmp_path, text)
        assert table.names == ("a", "b")
        assert table.n_rows == 0


def test_other_separator_is_suspected(tmp_path):
    assert "separator" in codes(read(tmp_path, "a;b\n1;2\n"))
    assert read(tmp_path, "a;b\n1;2\n", separator=";").names == ("a", "b")


def test_encodings(tmp_path):
    data = "ä\né\n".encode("latin-1")
    with pytest.raises(DataError, match="encoding='latin-1'"):
        read(tmp_path, data)
    assert read(tmp_path, data, encoding="latin-1")["ä"].levels == ("é",)
    with pytest.raises(DataError, match="encoding='utf-16'"):
        read(tmp_path, "a\n1\n".encode("utf-16"))
    assert read(tmp_path, "a\n1\n".encode("utf-16"), encoding="utf-16").n_rows == 1


def test_unclosed_quote_is_noted(tmp_path):
    assert "unbalanced_quotes" in codes(read(tmp_path, 'a,b\n1,"2\n3,4\n'))
    assert "unbalanced_quotes" not in codes(read(tmp_path, 'a,b\n1,"2\n3"\n'))


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "a.csv", "is empty"),
        (b"\n\n", "a.csv", "is empty"),
        (b"a,b\n1,2\n3\n", "a.csv", r"^Row 1 of .* names, 2\. Got 1"),
        (b"a,b\n1,2,3\n", "a.csv", r"^Row 0 of .* names, 2\. Got 3"),
        (b"a,b\n1,2\n", "a.csv.gz", "may be damaged"),
        (CUT_SHORT, "a.csv.gz", "may be damaged"),
        (b"", "a.parquet", "may be damaged"),
        (b"PAR1 nonsense PAR1", "a.parquet", "may be damaged"),
        (b"a,\0b\n1,2\n3,4\n", "a.csv", "holds a null character"),
        (b"a\n1\ninf\n", "a.csv", "infinity in 1 of 2 rows"),
    ],
)
def test_broken_files_give_one_sentence(tmp_path, data, name, message):
    with pytest.raises(DataError, match=message) as error:
        read(tmp_path, data, name)
    assert "\n" not in str(error.value)
    assert error.value.__cause__ is None


def test_parquet(tmp_path):
    frame = pd.DataFrame(
        {
            "n": [1, None, 3],
            "s": ["b", None, "a"],
            "c": pd.Categorical(["u", "v", None], ["v", "w", "u"], ordered=True),
            "c.d": pd.to_datetime(["1970-01-02", None, "1970-01-03"]),
            "b": [True, False, True],
        }
    )
    path = tmp_path / "a.parquet"
    frame.to_parquet(path, row_group_size=2)
    table = read_table(path, target="b")
    np.testing.assert_array_equal(table["n"].values, [1, np.nan, 3])
    assert table["s"].levels == ("a", "b")
    assert table["s"].values.tolist() == [1, -1, 0]
    assert table["c"].values.tolist() == [
        table["c"].levels.index("u"),
        table["c"].levels.index("v"),
        -1,
    ]
    np.testing.assert_array_equal(table["c.d"].values, [1, np.nan, 2])
    assert table.target.levels == (False, True)
    data = path.read_bytes()
    for cut in (len(data) // 2, len(data) - 1):
        with pytest.raises(DataError, match="may be damaged"):
            read(tmp_path, data[:cut], "b.parquet")


@given(
    rows=st.lists(
        st.tuples(
            st.one_of(st.none(), st.floats(allow_infinity=False, width=32)),
            st.integers(-(2**60), 2**60),
            st.one_of(st.none(), st.integers(-9, 9)),
            st.one_of(st.none(), st.sampled_from("zyxabc")),
            st.sampled_from("qp"),
        ),
        min_size=1,
    ),
    size=st.integers(1, 20),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_row_groups_of_parquet_make_no_difference(tmp_path, rows, size):
    kinds = [pa.float64(), pa.int64(), pa.int64(), pa.string(), pa.string()]
    columns = [
        pa.array(c, k) for c, k in zip(zip(*rows, strict=True), kinds, strict=True)
    ]
    table = pa.table(dict(zip("fijst", columns, strict=True)))
    wanted = read_table(table)
    for n_rows in (size, len(rows)):
        path = tmp_path / "a.parquet"
        pq.write_table(table, path, row_group_size=n_rows)
        got = read_table(path)
        assert got.notes == wanted.notes
        for a, b in zip(got, wanted, strict=True):
            assert (a.kind, a.levels) == (b.kind, b.levels)
            np.testing.assert_array_equal(a.values, b.values)
            assert a.values.flags.writeable


def test_parquet_names_and_nominal_integers(tmp_path):
    path = tmp_path / "a.pq"
    columns = [pa.array([2**60, 1]), pa.array(["x", "y"]), pa.array([[1], [2]])]
    pq.write_table(pa.Table.from_arrays(columns[:2], names=["a", "a"]), path)
    table = read_table(path, nominal=["a"])
    assert table.names == ("a", "a_2")
    assert table["a"].levels == (1, 2**60)
    pq.write_table(pa.Table.from_arrays(columns, names=["a", "b", "c"]), path)
    with pytest.raises(DataError, match="Column 'c' holds values of type list"):
        read_table(path)
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), path)
    assert read_table(path).n_rows == 0


CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters="\r\x00"), min_size=1, max_size=8
)


@FILE_SETTINGS
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12))
def test_text_survives_the_csv_module(tmp_path, rows):
    buffer = io.StringIO()
    writer = csv.writer(buffer, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerow(["a", "b"])
    writer.writerows(rows)
    table = read(tmp_path, buffer.getvalue(), nominal="all", missing_values=[])
    for j, column in enumerate(table):
        got = [column.levels[code] if code >= 0 else None for code in column.values]
        assert got == [row[j] for row in rows]


FLOATS = st.floats(allow_nan=True, allow_infinity=False)


@FILE_SETTINGS
@given(values=st.lists(FLOATS, min_size=1, max_size=20))
def test_numbers_survive_pandas_and_polars(tmp_path, values):
    frame = pd.DataFrame({"a": values, "b": range(len(values))})
    table = read(tmp_path, frame.to_csv(index=False))
    np.testing.assert_array_equal(table["a"].values, values)
    pl.DataFrame({"a": values}).write_parquet(tmp_path / "a.parquet")
    np.testing.assert_array_equal(
        read_table(tmp_path / "a.parquet")["a"].values, values
    )


SEEDS = [
    b'a,b,c\n1,x,2.5\n2,"y ""q"" z",?\n3,"l1\nl2",-1e5\nNA,,0\n',
    b"id,when,t,flag\n1,2020-01-01,10:30:00,true\n2,2020-01-02T10:00:00Z,11:00,FALSE\n",
    b'a\n1\n2\n\n""\n9007199254740993\n',
]
PIECES = [b'"', b",", b"\n", b"\r", b"\x00", b"\xff", b"inf", b"1e999", b"\xf0\x9f\x98"]


def test_mutated_files_give_a_table_or_a_data_error(tmp_path):
    rng = random.Random(0)
    for _ in range(400):
        data = bytearray(rng.choice(SEEDS))
        for _ in range(rng.randrange(1, 6)):
            place = rng.randrange(len(data) + 1)
            if rng.random() < 0.5:
                data[place:place] = rng.choice(PIECES)
            else:
                del data[place : place + rng.randrange(1, 9)]
        try:
            table = read(tmp_path, bytes(data))
        except DataError as error:
            assert "\n" not in str(error)  # noqa: PT017  (an answer is as good)
        else:
            assert all(len(column.values) == len(table) for column in table)


@FILE_SETTINGS
@given(data=st.binary(max_size=80))
def test_random_bytes_give_a_table_or_a_data_error(tmp_path, data):
    for name in ("a.csv", "a.csv.gz", "a.parquet"):
        try:
            table = read(tmp_path, data, name)
        except DataError:
            continue
        assert all(len(column.values) == len(table) for column in table)


@pytest.mark.published
def test_shared_datasets_have_the_kinds_of_their_description(shared_dir):
    import json

    for meta in sorted(shared_dir.glob("data/*/meta.json")):
        about = json.loads(meta.read_text())
        kinds = about["kinds"]
        nominal = [name for name, kind in kinds.items() if kind == "nominal"]
        path = meta.parent / about["files"]["train"]
        if path.stat().st_size > 3_000_000:
            continue
        table = read_table(path, target=about["target"], nominal=nominal)
        assert table.names == tuple(kinds), meta
        for name, kind in kinds.items():
            if kind in ("nominal", "numeric"):  # else ordinal, which either may be
                assert table[name].kind.value == kind, (meta, name)


def test_a_header_whose_quote_is_never_closed_is_not_called_empty(tmp_path):
    path = tmp_path / "open.csv"
    path.write_text('"a,b,y\n1,2,3\n')
    with pytest.raises(DataError, match="quote that is never closed"):
        read_table(path)


def test_cells_that_do_not_fit_suggest_the_separator_in_the_names(tmp_path):
    path = tmp_path / "decimal_commas.csv"
    path.write_text("a;b\n1;2,5\n")
    with pytest.raises(DataError, match=r"Got 2; if ';' stands between columns, say"):
        read_table(path)
    path.write_text("a\n1,2\n")
    with pytest.raises(DataError, match="Got 2; check separators and quotes"):
        read_table(path)
