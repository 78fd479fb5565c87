"""The `featsieve` program: its commands, and what becomes of their errors."""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Sequence
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from featsieve._text import visible
from featsieve.cli._errors import FINE, INTERRUPTED, explain
from featsieve.cli._options import DebugOption, Settings
from featsieve.cli.commands.compare import compare
from featsieve.cli.commands.demo import demo
from featsieve.cli.commands.inspect import inspect
from featsieve.cli.commands.interactions import interactions
from featsieve.cli.commands.rank import rank
from featsieve.cli.commands.reproduce import reproduce
from featsieve.cli.commands.select import select


class FeatsieveGroup(TyperGroup):
    """Typer's group of commands, with errors told in one line."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,  # noqa: ARG002  (as Typer calls it)
        complete_var: str | None = None,  # noqa: ARG002  (as Typer calls it)
        standalone_mode: bool = True,  # noqa: ARG002  (as Typer calls it)
        windows_expand_args: bool = True,  # noqa: ARG002  (as Typer calls it)
        **extra: Any,
    ) -> NoReturn:
        """Run a command and leave the program with its exit code."""
        protect_streams()
        settings = Settings()
        words = list(sys.argv[1:] if args is None else args)
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                code = self._run(words, settings, **extra)
                sys.stdout.flush()
        except BrokenPipeError:  # the reader, such as `head`, has seen enough
            code = FINE
            silence_stdout()
        except KeyboardInterrupt:
            code = INTERRUPTED
        except Exception as error:
            line, code = explain(error)
            if settings.debug:
                traceback.print_exc()
            tell(line)
        sys.exit(code)

    def _run(self, words: list[str], settings: Settings, **extra: Any) -> int:
        try:
            with self.make_context("featsieve", words, obj=settings, **extra) as ctx:
                self.invoke(ctx)
        except typer.Exit as leaving:
            return leaving.exit_code
        return FINE


def _show_warning(
    message: Warning | str, category: type[Warning], *_: Any, **__: Any
) -> None:
    # What libraries say to each other's developers is nothing to a user.
    if not issubclass(category, DeprecationWarning | PendingDeprecationWarning):
        tell(f"warning: {message}")


app = typer.Typer(
    name="featsieve",
    cls=FeatsieveGroup,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: boxes double its time
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(short_help="Select the features that matter, and say why.")(select)
app.command(short_help="Show how each column is read, and what is odd.")(inspect)
app.command(short_help="Rank features by what each tells about a target.")(rank)
app.command(short_help="Find features that tell more together than apart.")(
    interactions
)
app.command(short_help="Compare selectors by what learners make of them.")(compare)
app.command(short_help="Run published tables again, ours beside print.")(reproduce)
app.command(short_help="Do all on a built-in table with a known answer.")(demo)


def _show_version(value: bool) -> None:
    if value:
        import featsieve

        typer.echo(f"featsieve {featsieve.__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    ctx: typer.Context,
    version: Annotated[  # noqa: ARG001  (its callback acts)
        bool,
        typer.Option(
            "--version",
            help="Show the version and leave.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
    debug: DebugOption = False,  # noqa: ARG001  (its callback hears it)
) -> None:
    """Which columns of a table matter for a target, and how sure we are of it.

    Start with `featsieve select DATA --target NAME --report report.html`. To look at
    one side of it: `featsieve inspect DATA`, `featsieve rank DATA --target NAME` and
    `featsieve interactions DATA --target NAME`. `featsieve demo` shows it on a built-in
    table.
    """
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


def main() -> NoReturn:
    """Run the command line."""
    try:
        app()
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED or (
            leaving.code and threading.active_count() > 1
        ):
            # Threads may still be busy in C++; Python's tidy end would trip over them
            # ("terminate called ...") or wait for them.
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(OSError, ValueError):
                    stream.flush()
            os._exit(int(leaving.code))
        raise
    raise AssertionError  # the group leaves the program itself


# What an output without Unicode gets, of the same width each.
PLAIN = dict(zip("▏▎▍▌▋▊▉█▐│▁▂▃▄▅▆▇●·…–−’", "   ######|_..--==*.~--'", strict=True))


def protect_streams() -> None:
    """Replace what an output cannot encode, instead of failing in mid-table."""
    codecs.register_error("featsieve", _replace)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="featsieve")


def _replace(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)  # the streams only write
    bad = error.object[error.start : error.end]
    return "".join(PLAIN.get(character, "?") for character in bad), error.end


def tell(line: str) -> None:
    """Write one line to standard error, under the name of the program."""
    sys.stderr.write(f"featsieve: {visible(' '.join(line.split()))}\n")


def silence_stdout() -> None:
    """Give what is still buffered a place to go when the interpreter ends."""
    with contextlib.suppress(OSError, ValueError):  # standard output is no real file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
