"""`featsieve inspect`: how a table was understood, and what looks wrong in it."""

from __future__ import annotations

from featsieve.cli import _options as options
from featsieve.cli._options import Source, option


@options.takes_table(in_parts=False)
def inspect(
    source: Source,
    target: options.TargetOption = None,
    show_all: bool = option(
        False, "Show every column and note of a wide table.", flags="--all -a"
    ),
    as_json: options.JsonOption = False,
    quiet: options.QuietOption = False,
    debug: options.DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Show how every column of a table was understood, and what looks wrong.

    Nothing is repaired: what is noted here you can mend in the file or with the
    options --nominal, --numeric and --missing-values, which `rank` takes as well.

    Example: featsieve inspect customers.csv --target churn
    """
    # Late, so that `--help` need not wait for numpy and pyarrow.
    from featsieve.cli.views.output import SafeConsole, print_json, working

    with working("Starting", quiet=quiet or as_json):
        from featsieve.cli.views.inspect import inspect_table, print_inspection

    found = inspect_table(source, target, quiet=quiet or as_json)
    if as_json:
        print_json(found)
    else:
        print_inspection(SafeConsole(), found, show_all=show_all, quiet=quiet)
