"""`featsieve reproduce`: published tables beside ours."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from featsieve.cli import _options as options
from featsieve.cli._errors import UsageProblem
from featsieve.cli._options import at_least, option

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
    data: Path | None = option(
        None,
        "A folder for each data set, with train.csv or train.parquet and meta.json. "
        "Without it only generated data sets are run.",
        "DIR",
    ),
    fetch: bool = option(
        False,
        "Get data sets that are not in DIR from OpenML, and keep them there; without "
        "--data, beside those of scikit-learn.",
        flags="--fetch",
    ),
    repeats: int = option(
        5, "How often to repeat what chance plays a part in.", "N", at_least(1)
    ),
    full: bool = option(
        False, "As many runs as are published; takes hours.", flags="--full"
    ),
    listing: bool = option(
        False, "Show the names of tables, and run nothing.", flags="--list"
    ),
    journal: Path | None = option(
        None, "Keep every run here; the same command goes on after a kill.", "FILE"
    ),
    out: list[Path] | None = option(
        None,
        "Write the cells to a .csv, .tsv or .parquet file, all to .json, a page to "
        ".html; may be repeated.",
        "FILE",
        flags="--out -o",
    ),
    jobs: options.JobsOption = -1,
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Run tables of the works that featsieve is built on, beside what they print.

    Differences are in standard errors. What is known not to match is said with the
    table, and why.

    Example: featsieve reproduce bifs ensembles-5.2 --data uci --repeats 10 --journal
    tables.journal --out tables.html
    """
    for path in out or ():
        options.check_new_file("--out", path, (*options.OUT_SUFFIXES, *PAGES))
    if data is not None and not data.is_dir() and (data.exists() or not fetch):
        raise UsageProblem(
            f"--data {str(data)!r} is not a folder. It must hold a folder for each "
            "data set."
        )
    # Late, so that `--help` need not wait for numpy and scikit-learn.
    from featsieve.cli.views import output

    with output.working("Starting", quiet=quiet or as_json):
        from featsieve.cli.views import reproduce as view

    names = tables or []
    console = output.SafeConsole()
    if listing:
        answer = view.list_tables(names)
        if as_json:
            output.print_json(answer)
        else:
            view.print_list(console, answer, quiet=quiet)
        return
    found = view.run_tables(
        names,
        quiet=quiet or as_json,
        data_folder=data,
        n_repeats=repeats,
        full=full,
        fetch=fetch,
        journal=journal,
        n_jobs=jobs,
    )
    for path in out or ():
        view.write_reproduction(found, path)
    if as_json:
        output.print_json(found.to_dict())
        return
    view.print_reproduction(
        console, found, has_data=fetch or data is not None, quiet=quiet
    )
    if not quiet:
        output.tell_written(console, *(out or ()))
