"""Where data sets come from, and what they must be."""

import gzip
import io
import json
import re
from pathlib import Path
from urllib.error import URLError

import numpy as np
import pytest
import sklearn
from sklearn import datasets
from sklearn.utils import Bunch

from cli.running import only_line, run
from featsieve.exceptions import DataError
from featsieve.reproduce import _data, published_tables, reproduce
from featsieve.reproduce._data import (
    NAMES,
    NOT_THERE,
    SOURCES,
    DataFolder,
    Source,
    class_codes,
    default_folder,
    fetch_datasets,
    mark_of,
    numbers,
    typed_table,
)
from reproduce.openml import answer


def test_every_data_set_of_a_table_has_a_source_or_a_reason():
    wanted = {name for table in published_tables().values() for name in table.datasets}
    assert wanted <= SOURCES.keys() | NOT_THERE.keys()


def test_kinds_count_the_columns():
    assert sum(SOURCES["abalone"].nominal) == 1
    assert len(SOURCES["covertype"].nominal) == len(NAMES["covertype"]) == 54
    assert SOURCES["labor"].nominal == tuple(kind == "c" for kind in "nnnncncnncnccccc")


def test_marks_and_numbers_are_of_one_data_set_each():
    marks = [source.mark for source in SOURCES.values()]
    assert len(set(marks)) == len(marks)
    assert all(len(mark) == 16 for mark in marks)
    numbers = [s.data_id for s in SOURCES.values() if s.data_id is not None]
    assert len(set(numbers)) == len(numbers)


@pytest.fixture
def folder(tmp_path):
    own = tmp_path / "votes"
    own.mkdir()
    (own / "train.csv").write_text("a,b,class\ny,1,d\nn,2,r\n,3,r\ny,,d\n")
    return tmp_path


def test_votes_are_numbers_and_rows_complete(folder):
    X, y = numbers(DataFolder(folder), "votes")
    assert X.tolist() == [[1, 1], [-1, 2], [0, 3]]
    assert y.tolist() == [0, 1, 1]


def test_kinds_come_from_the_description(folder):
    data = DataFolder(folder)
    with pytest.raises(DataError, match="kinds of columns"):
        typed_table(data, "votes")
    kinds = {"a": "nominal", "b": "nominal"}
    (folder / "votes" / "meta.json").write_text(json.dumps({"kinds": kinds}))
    table = typed_table(data, "votes")
    assert all(column.is_nominal for column in table)
    assert typed_table(data, "votes") is table, "read once"


def test_only_the_latest_tables_are_kept():
    data = DataFolder(None)
    made = []
    for name in ("a", "b", "c", "d", "a", "e", "a", "b"):
        data.once((name,), lambda name=name: made.append(name))
    assert made == ["a", "b", "c", "d", "e", "b"]


def test_classes_are_needed(folder):
    data = DataFolder(folder)
    X, _ = numbers(data, "votes")
    from featsieve.data import read_table

    with pytest.raises(DataError, match="must have classes"):
        class_codes(read_table(np.asarray(X)))


COINS = {
    "side": ["heads", "tails", None, "heads", "tails", "tails"],
    "face, or 1": [1.0, 2.5, np.nan, 0.0, 4.0, -3.0],
    "year": [1.0, 2.0, 1.0, 1.0, 2.0, np.nan],
}
CLASSES = ["gold", "tin", "tin", "gold", "tin", "gold"]
KINDS = (True, False, True)  # a year is a name, whatever OpenML calls it


@pytest.fixture
def asked(monkeypatch):
    """OpenML with one table; a list of what it was asked for."""
    questions = []

    def fetch_openml(**question):
        questions.append(question["data_id"])
        return answer("Coins", COINS, CLASSES)

    monkeypatch.setattr(datasets, "fetch_openml", fetch_openml)
    monkeypatch.setitem(SOURCES, "coins", source("0"))
    return questions


def source(mark, n_rows=6, n_test=0, **more):
    given = {"data_id": 7, "name": "coins", "n_classes": 2} | more
    return Source(
        "coins",
        given["data_id"],
        given["name"],
        KINDS,
        n_rows,
        n_test,
        given["n_classes"],
        mark,
    )


def test_every_data_set_of_the_tables_has_a_source_or_a_reason():
    needed = {name for t in published_tables().values() for name in t.datasets}
    assert needed == set(SOURCES) | set(NOT_THERE)
    assert len({s.data_id for s in SOURCES.values() if s.data_id}) == len(SOURCES) - 2
    for each in SOURCES.values():
        assert len(each.mark) == 16, each.folder
        assert each.data_id or callable(getattr(datasets, each.name)), each.folder
        assert not each.names or len(each.names) == len(each.nominal), each.folder


def test_a_table_is_kept_in_the_layout_of_a_folder(asked, tmp_path):
    folder = tmp_path / "new" / "data"
    assert fetch_datasets(["coins"], folder) == {}
    assert asked == [7]
    table = typed_table(DataFolder(folder), "coins")
    assert table.names == tuple(COINS)
    assert [column.is_nominal for column in table] == list(KINDS)
    side, face, year = table
    assert [side.levels[c] if c >= 0 else None for c in side.values] == COINS["side"]
    np.testing.assert_array_equal(face.values, COINS["face, or 1"])
    assert [year.levels[c] if c >= 0 else None for c in year.values] == [
        *("1", "2", "1", "1", "2"),
        None,
    ]
    assert [table.target.levels[c] for c in table.target.values] == CLASSES
    assert fetch_datasets(["coins"], folder) == {}
    assert asked == [7], "once it is there nobody is asked"
    assert [file.name for file in folder.iterdir()] == ["coins"], "nothing half done"


def test_rows_that_were_not_checked_are_told(asked, tmp_path, monkeypatch):
    fetch_datasets(["coins"], tmp_path)
    note = DataFolder(tmp_path).note("coins")
    assert note == "OpenML's coins has other rows than those our numbers were " + (
        "checked with."
    )
    mark = mark_of(typed_table(DataFolder(tmp_path), "coins"))
    monkeypatch.setitem(SOURCES, "coins", source(mark))
    fetch_datasets(["coins"], tmp_path / "again")
    assert DataFolder(tmp_path / "again").note("coins") == ""
    assert DataFolder(tmp_path).note("nothing") == ""
    assert len(asked) == 2


@pytest.mark.parametrize("first", ["train", "test"])
@pytest.mark.usefixtures("asked")
def test_joined_files_are_parted_whichever_comes_first(first, tmp_path, monkeypatch):
    rows = {"train": slice(0, 4), "test": slice(4, 6)}
    if first == "test":
        rows = {"test": slice(0, 2), "train": slice(2, 6)}
    part = {name: values[rows["train"]] for name, values in COINS.items()}

    def only_training(**_):
        return answer("coins", part, CLASSES[rows["train"]])

    with monkeypatch.context() as patch:
        patch.setattr(datasets, "fetch_openml", only_training)
        patch.setitem(SOURCES, "coins", source("0", n_rows=4))
        fetch_datasets(["coins"], tmp_path / "alone")
    alone = typed_table(DataFolder(tmp_path / "alone"), "coins")
    monkeypatch.setitem(SOURCES, "coins", source(mark_of(alone), n_rows=4, n_test=2))
    assert fetch_datasets(["coins"], tmp_path) == {}
    folder = DataFolder(tmp_path)
    assert mark_of(typed_table(folder, "coins")) == mark_of(alone)
    test = typed_table(folder, "coins", "test")
    expected = CLASSES[rows["test"]]
    assert [test.target.levels[c] for c in test.target.values] == expected


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        (source("0", n_rows=4, n_test=2), "Which of them were for training"),
        (source("0", n_rows=5), "has 6 rows instead of 5"),
        (source("0", n_classes=3), "has 2 classes instead of 3"),
        (source("0", name="notes"), "Number 7 of OpenML is 'Coins', not 'notes'"),
    ],
)
def test_another_table_is_refused(asked, wanted, reason, tmp_path, monkeypatch):
    monkeypatch.setitem(SOURCES, "coins", wanted)
    reasons = fetch_datasets(["coins"], tmp_path)
    assert reason in reasons["coins"]
    assert asked == [7]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("asked")
def test_other_columns_and_other_errors_are_refused(tmp_path, monkeypatch):
    fewer = {name: COINS[name] for name in ("side", "year")}
    monkeypatch.setattr(
        datasets, "fetch_openml", lambda **_: answer("coins", fewer, CLASSES)
    )
    found = fetch_datasets(["coins"], tmp_path)
    assert found == {"coins": "OpenML's coins has 2 columns instead of 3."}

    def withdrawn(**_):
        message = "Dataset with data_id 7 not found."
        raise ValueError(message)

    monkeypatch.setattr(datasets, "fetch_openml", withdrawn)
    found = fetch_datasets(["coins"], tmp_path)
    assert found["coins"].endswith(
        "does not give its coins: Dataset with data_id 7 not found."
    )


def test_scikit_learns_own_fetchers(tmp_path, monkeypatch):
    data = np.array([[b"tcp", 1, 0.5], [b"udp", 2, 1.0], [b"tcp", 3, 0.0]], object)
    found = Bunch(
        data=data,
        target=np.array([b"normal.", b"smurf.", b"normal."], dtype=object),
        feature_names=["protocol", "count", "rate"],
    )
    monkeypatch.setattr(datasets, "fetch_kddcup99", lambda: found)
    monkeypatch.setattr(_data, "LARGE", 3)
    own = Source(
        "kdd",
        None,
        "fetch_kddcup99",
        (True, False, False),
        3,
        0,
        2,
        "0",
        ("a", "b", "c"),
    )
    monkeypatch.setitem(SOURCES, "kdd", own)
    assert fetch_datasets(["kdd"], tmp_path) == {}
    assert (tmp_path / "kdd" / "train.parquet").is_file()
    table = typed_table(DataFolder(tmp_path), "kdd")
    assert table.names == ("a", "b", "c")
    assert table.columns[0].levels == ("tcp", "udp")
    assert table.columns[2].values.tolist() == [0.5, 1.0, 0.0]
    assert table.target.levels == ("normal", "smurf")


def test_marks_are_of_values_not_of_names(tmp_path):
    def marked(text):
        (tmp_path / "a").mkdir(exist_ok=True)
        (tmp_path / "a" / "train.csv").write_text(text)
        kinds = {"kinds": {"u": "nominal", "v": "numeric"}}
        (tmp_path / "a" / "meta.json").write_text(json.dumps(kinds))
        return mark_of(typed_table(DataFolder(tmp_path), "a"))

    plain = marked("u,v,class\na,1,x\nb,-0,y\n,,x\na,2,y\n")
    assert marked("u,v,class\nz,1.0,no\nb,0,yes\n,,no\nz,2,yes\n") == plain
    assert marked("u,v,class\na,1,x\na,-0,y\n,,x\na,2,y\n") != plain
    assert marked("u,v,class\na,1,x\nb,-0,y\n,,x\na,2.5,y\n") != plain
    assert marked("u,v,class\na,1,x\nb,-0,y\n,,y\na,2,x\n") != plain


def no_network(**_):
    reason = "Name or service not known"
    raise URLError(reason)


def test_no_network_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "fetch_openml", no_network)
    with pytest.raises(DataError, match=r"Cannot fetch 'monks-1'.*not known.*--data"):
        reproduce(["bifs-5.6"], fetch=True, data_folder=tmp_path)
    result = run("reproduce", "bifs-5.6", "--fetch", "--data", tmp_path / "new")
    assert result.exit_code == 1
    assert "Cannot fetch 'monks-1'" in only_line(result)


def test_nothing_is_fetched_unasked(tmp_path, monkeypatch):
    monkeypatch.setattr(datasets, "fetch_openml", no_network)
    found = reproduce(["bifs-5.6"], data_folder=tmp_path)
    assert found.tables[0]["missing"] == ["monks-1"]
    assert "--fetch" in run("reproduce", "bifs-5.6").stdout


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(DataError, match="Cannot keep data sets in"):
        fetch_datasets(["zoo"], file)
    result = run("reproduce", "bifs-5.6", "--fetch", "--data", file)
    assert "is not a folder" in only_line(result)


def test_what_cannot_be_had_is_told_with_its_table(tmp_path, monkeypatch):
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path))
    assert default_folder() == tmp_path / "featsieve"
    monkeypatch.setattr(datasets, "fetch_openml", lambda **_: answer("x", COINS, "ab"))
    page = tmp_path / "page.html"
    result = run("reproduce", "fs2boost-1", "--repeats", 1, "--fetch", "--out", page)
    assert result.exit_code == 0, result.stderr
    shown = " ".join(result.stdout.split())
    assert f"echocardiogram: {NOT_THERE['echocardiogram']}" in shown
    assert "vehicle: Number 54 of OpenML is 'x', not 'vehicle'." in shown
    assert "Not run for want of data: australian" in shown
    assert "only with months of survival" in page.read_text()
    listed = json.loads(run("reproduce", "fs2boost-1", "--list", "--json").stdout)
    assert listed[0]["not_fetchable"] == ["echocardiogram"]


@pytest.mark.parametrize("name", ["zoo", "kr-vs-kp"])
def test_real_answers_of_openml_give_the_rows_that_were_checked(
    name, tmp_path, monkeypatch
):
    """scikit-learn's tests keep what OpenML answers for two of the sets."""
    number = SOURCES[name].data_id
    kept = Path(sklearn.__file__).parent / f"datasets/tests/data/openml/id_{number}"
    if not kept.is_dir():
        pytest.skip("this scikit-learn came without its tests")

    def urlopen(request, *_args, **_more):
        url = getattr(request, "full_url", request)
        kinds = {"features": "api-v1-jdf", "qualities": "api-v1-jdq"}
        kind = re.search(r"json/data/(features|qualities|\d)", url)
        start = kinds.get(kind[1], "api-v1-jd-") if kind else "data-v1-dl"
        (file,) = kept.glob(f"{start}*")
        reply = io.BytesIO(gzip.decompress(file.read_bytes()))
        reply.info = dict
        return reply

    monkeypatch.setattr("sklearn.datasets._openml.urlopen", urlopen)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "home"))
    assert fetch_datasets([name], tmp_path) == {}
    assert DataFolder(tmp_path).note(name) == "", "value for value"
