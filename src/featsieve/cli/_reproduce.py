"""`featsieve reproduce`: published tables beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import (
    OUT_SUFFIXES,
    DebugOption,
    JobsOption,
    JsonOption,
    QuietOption,
    at_least,
    check_new_file,
)

__all__ = ["reproduce"]

PAGES = (".html", ".htm")


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TABLE",
            help="Names such as bifs-5.3, or of whole works: bifs, ensembles, forests, "
            "subsets, fs2boost, largedata. By default all that can be run.",
            show_default=False,
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="A folder for each data set, with train.csv or train.parquet and "
            "meta.json. Without it only generated data sets are run.",
        ),
    ] = None,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch",
            help="Get data sets that are not in DIR from OpenML, and keep them there; "
            "without --data, beside those of scikit-learn.",
        ),
    ] = False,
    repeats: Annotated[
        int,
        typer.Option(
            metavar="N",
            callback=at_least(1),
            help="How often to repeat what chance plays a part in.",
        ),
    ] = 5,
    full: Annotated[
        bool,
        typer.Option("--full", help="As many runs as are published; takes hours."),
    ] = False,
    listing: Annotated[
        bool, typer.Option("--list", help="Show the names of tables, and run nothing.")
    ] = False,
    journal: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep every run here; the same command goes on after a kill.",
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write the cells to a .csv, .tsv or .parquet file, all to .json, a "
            "page to .html; may be repeated.",
        ),
    ] = None,
    jobs: JobsOption = -1,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    debug: DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Run tables of the works that featsieve is built on, beside what they print.

    Differences are in standard errors. What is known not to match is said with the
    table, and why.

    Example: featsieve reproduce bifs ensembles-5.2 --data uci --repeats 10 --journal
    tables.journal --out tables.html
    """
    for path in out or ():
        check_new_file("--out", path, (*OUT_SUFFIXES, *PAGES))
    if data is not None and not data.is_dir() and (data.exists() or not fetch):
        message = (
            f"--data {str(data)!r} is not a folder. It must hold a folder for each "
            "data set."
        )
        raise UsageProblem(message)
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli._output import SafeConsole, print_json, tell_written, working

    with working("Starting", quiet=quiet or as_json):
        from featsieve.cli._reproducing import (
            Errand,
            list_tables,
            print_list,
            print_reproduction,
            run_tables,
            write_reproduction,
        )

    errand = Errand(tables or [], data, repeats, full, journal, jobs, fetch)
    console = SafeConsole()
    if listing:
        answer = list_tables(errand)
        if as_json:
            print_json(answer)
        else:
            print_list(console, answer, quiet=quiet)
        return
    found = run_tables(errand, quiet=quiet or as_json)
    for path in out or ():
        write_reproduction(found, path)
    if as_json:
        print_json(found.to_dict())
        return
    print_reproduction(console, found, has_data=fetch or data is not None, quiet=quiet)
    if not quiet:
        tell_written(console, *(out or ()))
