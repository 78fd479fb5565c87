"""Where data sets come from, and what they must be."""

from featsieve.reproduce import published_tables
from featsieve.reproduce._sources import NAMES, NOT_THERE, SOURCES


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
