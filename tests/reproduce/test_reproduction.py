"""What a reproduction found, as data and as a page."""

from featsieve.reproduce import Cell, PublishedTable, Reproduction, Trial


def found():
    trial = Trial("t", lambda _data, _run: {}, "set", per_repeat=1, most=10)
    cells = (
        Cell("row", "one", "yes", trial, "word"),
        Cell("row", "two", "no", trial, "word"),
        Cell("row", "three", 1.0, trial, "lost"),
    )
    runs = [{"values": {"word": "yes"}, "seconds": 2.0}]
    table = PublishedTable("work-1", "Title", "Source", cells)
    return Reproduction.of(
        [table],
        {"t": runs},
        has=lambda _: False,
        about=lambda name: f"about {name}",
        repeats=1,
        seconds=3.0,
    )


def test_verdicts_are_counted_and_work_is_summed():
    whole = found()
    assert whole.verdicts | {"same": 1, "differs": 1, "not run": 1} == whole.verdicts
    assert (whole.work, whole.tables[0]["seconds"]) == (2.0, 2.0)
    assert whole.tables[0]["missing"] == ["set"]
    assert whole.tables[0]["about_data"] == {"set": "about set"}


def test_a_page_is_written(tmp_path):
    found().report(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "work-1" in text
