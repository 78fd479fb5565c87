"""Options that several commands share, and the table they ask for."""

from __future__ import annotations

import csv
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from featsieve.cli._errors import UsageProblem

if TYPE_CHECKING:
    from featsieve.data import Table, TableStream

__all__ = [
    "OUT_SUFFIXES",
    "DataArgument",
    "DebugOption",
    "EncodingOption",
    "EngineOption",
    "FilesArgument",
    "JobsOption",
    "JsonOption",
    "MissingValuesOption",
    "NominalOption",
    "NumericOption",
    "QuietOption",
    "SchedulerOption",
    "SeedOption",
    "SeparatorOption",
    "Settings",
    "Source",
    "TargetBinsOption",
    "TargetOption",
    "at_least",
    "check_new_file",
    "check_out",
    "check_rate",
    "choice",
    "list_of_names",
    "list_of_values",
]


#: Formats that answers are written in.
OUT_SUFFIXES = (".csv", ".tsv", ".parquet", ".json")


@dataclass(slots=True)
class Settings:
    """What holds for the whole run; kept in Typer's context."""

    debug: bool = False


def _note_debug(ctx: typer.Context, value: bool) -> bool:
    if value and isinstance(ctx.obj, Settings):
        ctx.obj.debug = True
    return value


def choice(*allowed: str) -> Callable[[str], str]:
    """Return a check that takes one of `allowed`, with - or _ in it."""

    def check(value: str) -> str:
        word = value.strip().lower().replace("_", "-")
        if word not in allowed:
            message = f"{value!r} is not one of {', '.join(allowed)}."
            raise typer.BadParameter(message)
        return word

    return check


def at_least(least: int) -> Callable[[int | None], int | None]:
    """Return a check that takes whole numbers from `least` on."""

    def check(value: int | None) -> int | None:
        if value is not None and value < least:
            message = f"{value} is less than {least}."
            raise typer.BadParameter(message)
        return value

    return check


def _separator(value: str | None) -> str | None:
    if value is None:
        return None
    value = {"tab": "\t", "\\t": "\t", "space": " "}.get(value, value)
    if len(value) != 1 or not value.isascii():
        message = f"{value!r} is not one character (say tab for a tab)."
        raise typer.BadParameter(message)
    return value


def _encoding(value: str) -> str:
    try:
        "".encode(value)
    except LookupError:
        message = f"{value!r} is not an encoding; common ones: utf-8, latin-1, cp1252."
        raise typer.BadParameter(message) from None
    return value


def _jobs(value: int) -> int:
    if value == 0 or value < -1:
        message = f"{value} is neither a number of threads nor -1 for all cores."
        raise typer.BadParameter(message)
    return value


def check_rate(value: float) -> float:
    """Take a rate between 0 and 1."""
    if not 0 < value < 1:
        message = f"{value:g} is not between 0 and 1."
        raise typer.BadParameter(message)
    return value


def check_out(
    option: str, out: Path, data: Sequence[Path], suffixes: tuple[str, ...]
) -> None:
    """Complain before the work is done, not after it."""
    check_new_file(option, out, suffixes)
    for given in data:
        if given.is_dir() and out.resolve().is_relative_to(given.resolve()):
            message = (
                f"{option} {str(out)!r} lies in DATA {str(given)!r}, where all files "
                "are read. Choose another folder."
            )
            raise UsageProblem(message)
        if out.exists() and given.exists() and out.samefile(given):
            message = f"{option} {str(out)!r} is DATA itself. Choose another name."
            raise UsageProblem(message)


def check_new_file(option: str, out: Path, suffixes: tuple[str, ...]) -> None:
    """Complain about a name that tells no format, or no place to write to."""
    if out.suffix.lower() not in suffixes:
        message = (
            f"{option} {str(out)!r} does not tell a format. Let its name end in one of "
            f"{', '.join(suffixes)}."
        )
        raise UsageProblem(message)
    if out.is_dir():
        message = f"{option} {str(out)!r} is a folder. Name a file in it."
        raise UsageProblem(message)
    if not out.parent.is_dir():
        message = (
            f"There is no folder {str(out.parent)!r} for {option} {str(out)!r}. Make "
            "it first, or choose another place."
        )
        raise UsageProblem(message)


DataArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="Table to read: .csv, .tsv, .tab, .arff (each also .gz), .parquet, .pq.",
        show_default=False,
    ),
]
FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="DATA...",
        help="Table to read: .csv, .tsv, .tab, .arff (each also .gz), .parquet, .pq. "
        "Several files or a directory are one table, read part by part.",
        show_default=False,
    ),
]
EngineOption = Annotated[
    str,
    typer.Option(
        metavar="local|dask",
        help="Where several files are counted: here, or on a Dask cluster.",
        callback=choice("local", "dask"),
    ),
]
SchedulerOption = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Scheduler, with --engine dask."),
]
NominalOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Columns that are names or codes, though they look like numbers: "
        "comma-separated, repeated, or 'all'.",
    ),
]
NumericOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Columns that are quantities, though they look like names.",
    ),
]
MissingValuesOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="VALUES",
        help="What stands for missing, instead of NA, N/A, NaN, null and ?; an empty "
        "cell always does.",
    ),
]
SeparatorOption = Annotated[
    str | None,
    typer.Option(
        metavar="CHAR",
        help="What stands between cells, instead of a comma (a tab in .tsv and .tab).",
        callback=_separator,
    ),
]
EncodingOption = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Encoding of a text file.",
        callback=_encoding,
    ),
]
TargetOption = Annotated[
    str | None,
    typer.Option("--target", "-t", metavar="NAME", help="The column to be explained."),
]
TargetBinsOption = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        callback=at_least(2),
        help="Cut a numeric target into K classes of equal size; 5 by default.",
    ),
]
JobsOption = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Threads; -1 uses all cores. The answer is the same with any number.",
        callback=_jobs,
    ),
]
SeedOption = Annotated[
    int,
    typer.Option(metavar="N", callback=at_least(0), help="Seed of the permutations."),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print JSON for programs, and nothing else.")
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress, notes or hints.")
]
DebugOption = Annotated[
    bool,
    typer.Option(
        "--debug", help="Show the traceback of an error.", callback=_note_debug
    ),
]


@dataclass(frozen=True, slots=True)
class Source:
    """Files and how to read them, as given on the command line."""

    files: Sequence[Path]
    nominal: list[str] | None = None
    numeric: list[str] | None = None
    missing_values: list[str] | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    engine: str = "local"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        """Refuse an address that would be passed over."""
        if self.scheduler is not None and self.engine != "dask":
            message = "--scheduler needs --engine dask. Say both, or neither."
            raise UsageProblem(message)

    @property
    def path(self) -> Path:
        """The file, the first of several, or the directory."""
        return self.files[0]

    @property
    def is_stream(self) -> bool:
        """Whether the table is read part by part, and never held as a whole."""
        patterns = any(mark in self.path.name for mark in "*?[")
        folder = self.path.is_dir() or (patterns and not self.path.exists())
        return len(self.files) > 1 or folder or self.engine == "dask"

    @property
    def label(self) -> str:
        """What people call it."""
        others = len(self.files) - 1
        return f"{self.path} and {others} more" if others > 0 else str(self.path)

    def open(self, target: str | None) -> TableStream:
        """Open the parts of a table; a target must be named."""
        from featsieve.data import open_stream

        if target is None:
            message = "Which column is to be explained? Say --target NAME."
            raise UsageProblem(message)
        return open_stream(
            [str(path) for path in self.files],
            target,
            nominal=list_of_names(self.nominal),
            numeric=list_of_names(self.numeric),
            missing_values=list_of_values(self.missing_values),
            separator=self.separator,
            encoding=self.encoding,
        )

    @contextmanager
    def where(self) -> Iterator[None]:
        """Count where the command line says, within a block."""
        from featsieve.engine import use

        if self.engine == "local":
            yield
            return
        with ExitStack() as stack:
            try:
                stack.enter_context(use("dask", self.scheduler))
            except (ImportError, OSError, ValueError) as error:
                message = str(error)
                if message.startswith("There is no Dask client"):
                    message = "--engine dask needs --scheduler ADDRESS, its cluster."
                raise UsageProblem(message) from None
            yield

    def read(self, target: str | None) -> Table:
        """Read the table; rows without a target are in its notes, not in a warning."""
        from featsieve.data import read_table
        from featsieve.exceptions import DroppedRowsWarning

        if self.path.is_file():
            self.path.open("rb").close()  # a file we may not read is not damaged
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedRowsWarning)
            return read_table(
                self.path,
                target,
                nominal=list_of_names(self.nominal),
                numeric=list_of_names(self.numeric),
                missing_values=list_of_values(self.missing_values),
                separator=self.separator,
                encoding=self.encoding,
            )


def split_list(given: list[str] | None) -> list[str]:
    """Return the items of comma-separated, repeated lists; quotes protect commas."""
    items = (item for row in csv.reader(given or []) for item in row)
    return [item for item in items if item]


def list_of_names(given: list[str] | None) -> list[str] | str | None:
    """Return names of columns as the library takes them."""
    names = split_list(given)
    return "all" if names == ["all"] else names or None


def list_of_values(given: list[str] | None) -> list[Any] | None:
    """Return each value as text and, where it reads as a number, as that too."""
    if given is None:
        return None
    values: list[Any] = list(split_list(given))
    for text in values[:]:
        try:
            number = float(text)
        except ValueError:
            continue
        if not math.isnan(number):  # NaN is missing anyway
            values.append(number)
    return values
