"""All published tables, work by work."""

from featsieve.reproduce import published_tables


def test_tables_are_called_by_their_work_and_number():
    tables = published_tables()
    works = {name.partition("-")[0] for name in tables}
    assert works == {"bifs", "ensembles", "forests", "subsets", "fs2boost", "largedata"}
    assert all(table.name == name for name, table in tables.items())
