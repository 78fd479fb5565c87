"""Foreign text made safe, what somebody may have meant, and files written whole."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from featsieve._text import nearest, visible, whole_file, write_whole


@given(st.text())
def test_nothing_is_left_that_a_terminal_obeys(text):
    shown = visible(text)
    for character in shown:
        assert (
            unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp")
            or character == "\u200d"
        )
    assert visible(shown) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größe ü", "größe ü"),
        ("a\x1b[31m", "a\\x1b[31m"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\u202eabc", "\\u202eabc"),
        ("\u200d", "\u200d"),
        ("\ufffe\U0001ffff", "\\ufffe\\U0001ffff"),
        (3, "3"),
    ],
)
def test_controls_are_spelled_out(text, shown):
    assert visible(text) == shown


def test_the_same_but_for_capitals_comes_first():
    names = ["colours", "colour", "Colour ", "size"]
    assert nearest("COLOUR", names) == ["colour", "Colour "]
    assert nearest("colours", names)[0] == "colours"
    assert nearest("colours", names, 1) == ["colours"]
    assert nearest("zzz", names) == []
    assert nearest(7, ["7", "77"])[0] == "7"


resource = pytest.importorskip("resource")  # not on Windows


PROGRAM = (sys.executable, "-m", "featsieve")


def left_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_writes_and_replaces(tmp_path):
    path = tmp_path / "answer.json"
    write_whole(path, "one\n")
    path.chmod(0o640)
    write_whole(path, "two\r\n")
    assert path.read_bytes() == b"two\r\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert left_in(tmp_path) == ["answer.json"]


def test_failure_leaves_what_was_there(tmp_path):
    path = tmp_path / "answer.csv"
    path.write_text("old")

    def write_half():
        with whole_file(path) as beside:
            beside.write_text("half")
            assert beside.suffix == ".csv"  # writers look at it
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_half()
    assert path.read_text() == "old"
    assert left_in(tmp_path) == ["answer.csv"]


def test_errors_name_the_file_that_was_wanted(tmp_path):
    path = tmp_path / "nowhere" / "answer.csv"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(path, "text")
    assert caught.value.filename == str(path)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with (
        pytest.raises(OSError, match="No space left") as caught,
        whole_file(tmp_path / "answer.csv"),
    ):
        raise full
    assert caught.value.filename == str(tmp_path / "answer.csv")


def test_links_stay_links_and_devices_devices(tmp_path):
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    write_whole("/dev/null", "gone")
    assert not os.path.isfile("/dev/null")  # noqa: PTH113 - a device, still


def limited():
    """Let no file grow beyond 100 bytes: every write then fails half-way."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "table.csv"
    random = np.random.default_rng(0)
    a, b = random.integers(0, 2, (2, 200))
    lines = [
        f"{x},{y},{z:.3f},{x ^ y}"
        for x, y, z in zip(a, b, random.normal(size=200), strict=True)
    ]
    path.write_text("a,b,noise,y\n" + "\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("rank", "--out", "out.csv"),
        ("rank", "--out", "out.json"),
        ("rank", "--out", "out.parquet"),
        (
            "interactions",
            "--min-synergy",
            "0.1",
            "--max-loss",
            "0.1",
            "--graph",
            "graph.png",
        ),
        ("select", "--out", "out.csv"),
        ("select", "--out", "out.parquet"),
        ("select", "--report", "report.html"),
        ("compare", "--cv", "2x1", "--report", "report.html"),
    ],
)
def test_full_disk_is_a_clear_error(table, tmp_path, words):
    path = tmp_path / words[-1]
    path.write_text("old")
    command, *options = words[:-1]
    done = subprocess.run(
        [*PROGRAM, command, table, "-t", "y", "--nominal", "y", "-q", *options, path],
        preexec_fn=limited,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert path.name in done.stderr
    assert "too large" in done.stderr.lower()
    assert "Traceback" not in done.stderr
    assert left_in(tmp_path) == [path.name]
    assert path.read_text() == "old"


def test_journals_keep_whole_records_on_a_full_disk(table, tmp_path):
    """A journal stays as before the record that had no room; a later run goes on."""
    path = tmp_path / "run.journal"

    def run(limit):
        words = ["compare", table, "-t", "y", "--nominal", "y", "--cv", "2x2", "-q"]
        return subprocess.run(
            [*PROGRAM, *words, "--journal", path, "--json"],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit,) * 2),
            capture_output=True,
            text=True,
            check=False,
        )

    done = run(3000)
    assert done.returncode == 1, done.stdout + done.stderr
    assert str(path) in done.stderr
    assert "too large" in done.stderr.lower()
    assert "Traceback" not in done.stderr
    records = path.read_bytes().splitlines(keepends=True)
    assert len(records) > 1
    assert all(json.loads(line) for line in records)
    assert records[-1].endswith(b"\n")
    assert run(10**6).returncode == 0
    assert path.read_bytes().startswith(b"".join(records))
