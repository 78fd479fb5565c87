"""`featsieve inspect`: how a table was understood, and what looks wrong in it."""

from __future__ import annotations

from typing import Annotated

import typer

from featsieve.cli._options import (
    DataArgument,
    DebugOption,
    EncodingOption,
    JsonOption,
    MissingValuesOption,
    NominalOption,
    NumericOption,
    QuietOption,
    SeparatorOption,
    Source,
    TargetOption,
)

__all__ = ["inspect"]


def inspect(
    data: DataArgument,
    target: TargetOption = None,
    show_all: Annotated[
        bool,
        typer.Option("--all", "-a", help="Show every column and note of a wide table."),
    ] = False,
    nominal: NominalOption = None,
    numeric: NumericOption = None,
    missing_values: MissingValuesOption = None,
    separator: SeparatorOption = None,
    encoding: EncodingOption = "utf-8",
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    debug: DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Show how every column of a table was understood, and what looks wrong.

    Nothing is repaired: what is noted here you can mend in the file or with the
    options --nominal, --numeric and --missing-values, which `rank` takes as well.

    Example: featsieve inspect customers.csv --target churn
    """
    source = Source([data], nominal, numeric, missing_values, separator, encoding)
    # Late, so that `--help` need not wait for numpy and pyarrow.
    from featsieve.cli._output import SafeConsole, print_json, working

    with working("Starting", quiet=quiet or as_json):
        from featsieve.cli._inspection import inspect_table, print_inspection

    found = inspect_table(source, target, quiet=quiet or as_json)
    if as_json:
        print_json(found)
    else:
        print_inspection(SafeConsole(), found, show_all=show_all, quiet=quiet)
