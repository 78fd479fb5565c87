"""Options that several commands share, and the table they ask for."""

from __future__ import annotations

import csv
import inspect
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from featsieve.cli._errors import UsageProblem

if TYPE_CHECKING:
    from featsieve.data import Table, TableStream


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
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(allowed)}.")
        return word

    return check


def at_least(least: int) -> Callable[[int | None], int | None]:
    """Return a check that takes whole numbers from `least` on."""

    def check(value: int | None) -> int | None:
        if value is not None and value < least:
            raise typer.BadParameter(f"{value} is less than {least}.")
        return value

    return check


def _separator(value: str | None) -> str | None:
    if value is None:
        return None
    value = {"tab": "\t", "\\t": "\t", "space": " "}.get(value, value)
    if len(value) != 1 or not value.isascii():
        raise typer.BadParameter(f"{value!r} is not one character (say tab for a tab).")
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
        raise typer.BadParameter(f"{value:g} is not between 0 and 1.")
    return value


def check_out(
    option: str, out: Path | None, data: Sequence[Path], suffixes: tuple[str, ...]
) -> None:
    """Complain about a file to write before the work is done, not after it."""
    if out is None:
        return
    check_new_file(option, out, suffixes)
    for given in data:
        if given.is_dir() and out.resolve().is_relative_to(given.resolve()):
            raise UsageProblem(
                f"{option} {str(out)!r} lies in DATA {str(given)!r}, where all files "
                "are read. Choose another folder."
            )
        if out.exists() and given.exists() and out.samefile(given):
            message = f"{option} {str(out)!r} is DATA itself. Choose another name."
            raise UsageProblem(message)


def check_new_file(option: str, out: Path, suffixes: tuple[str, ...]) -> None:
    """Complain about a name that tells no format, or no place to write to."""
    if out.suffix.lower() not in suffixes:
        raise UsageProblem(
            f"{option} {str(out)!r} does not tell a format. Let its name end in one of "
            f"{', '.join(suffixes)}."
        )
    if out.is_dir():
        raise UsageProblem(f"{option} {str(out)!r} is a folder. Name a file in it.")
    if not out.parent.is_dir():
        raise UsageProblem(
            f"There is no folder {str(out.parent)!r} for {option} {str(out)!r}. Make "
            "it first, or choose another place."
        )


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


def option(
    default: Any,
    text: str,
    value: str | None = None,
    check: Callable[..., Any] | None = None,
    flags: str = "",
) -> Any:
    """Return an option: its default and help, what a value is called, its check."""
    names = flags.split()
    return typer.Option(default, *names, metavar=value, help=text, callback=check)


@dataclass(frozen=True, slots=True)
class Source:
    """Files and how to read them, as given on the command line."""

    files: Sequence[Path]
    nominal: list[str] | None = None
    numeric: list[str] | None = None
    missing_values: list[str] | None = None
    separator: str | None = None
    encoding: str = "utf-8"
    decimal: str = "."
    engine: str = "local"
    scheduler: str | None = None

    def __post_init__(self) -> None:
        """Refuse an address that would be passed over."""
        if self.scheduler is not None and self.engine != "dask":
            raise UsageProblem("--scheduler needs --engine dask. Say both, or neither.")

    @property
    def path(self) -> Path:
        """The file, the first of several, or the directory."""
        return self.files[0]

    @property
    def is_stream(self) -> bool:
        """Whether the table is read part by part, and never held as a whole."""
        patterns = any(mark in str(self.path) for mark in "*?[")
        folder = self.path.is_dir() or (patterns and not self.path.exists())
        return len(self.files) > 1 or folder or self.engine == "dask"

    @property
    def label(self) -> str:
        """What people call it."""
        others = len(self.files) - 1
        return f"{self.path} and {others} more" if others > 0 else str(self.path)

    @property
    def data(self) -> str | list[str]:
        """The paths as the library takes them; on a cluster one file is a list, too."""
        paths = [str(path) for path in self.files]
        return paths if len(paths) > 1 or self.engine == "dask" else paths[0]

    @property
    def reading(self) -> dict[str, Any]:
        """How to read them, as the library takes it."""
        return {
            "nominal": list_of_names(self.nominal),
            "numeric": list_of_names(self.numeric),
            "missing_values": list_of_values(self.missing_values),
            "separator": self.separator,
            "encoding": self.encoding,
            "decimal": self.decimal,
        }

    def open(self, target: str | None) -> TableStream:
        """Open the parts of a table; a target must be named."""
        from featsieve.data import open_stream

        if target is None:
            raise UsageProblem(which_target())
        return open_stream(self.data, target, **self.reading)

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

        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DroppedRowsWarning)
            return read_table(self.path, target, **self.reading)


def which_target(names: Sequence[str] | None = None) -> str:
    """Return the question for a target, with the columns that it can be."""
    if names is None:
        return "Which column is to be explained? Say --target NAME."
    if not names:
        return "The table has no columns, so there is nothing to explain."
    shown = [repr(name) for name in names]
    if len(shown) > 12:  # the target is often the last column
        shown = [*shown[:8], "…", *shown[-3:]]
    listed = ", ".join(shown)
    return f"Which column is to be explained? Say --target NAME, with one of {listed}."


def takes_table(
    *, in_parts: bool, rows: bool = False
) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator for commands that read a table, and take it as `source`.

    Its name and the options that say how to read it are those of every such command,
    before ``--json``; of a table in parts also where it is counted. Where `rows`, there
    are options that say how rows belong together, which come as `rows`.
    """
    reading: dict[str, Any] = READING_OPTIONS | (PLACE_OPTIONS if in_parts else {})
    options = (ROW_OPTIONS if rows else {}) | reading

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        def run(data: Any, **given: Any) -> None:
            how = {name: given.pop(name) for name in reading}
            source = Source(data if in_parts else [data], **how)
            if rows:
                said = {name: given.pop(name) for name in ROW_OPTIONS}
                given["rows"] = _row_options(source, said)
            command(source=source, **given)

        keyword = inspect.Parameter.KEYWORD_ONLY
        hints = get_type_hints(command, include_extras=True)
        data = FilesArgument if in_parts else DataArgument
        shown = [inspect.Parameter("data", keyword, annotation=data)]
        for name, own in inspect.signature(command).parameters.items():
            if name == "as_json":
                shown += [
                    inspect.Parameter(
                        option, keyword, default=default, annotation=annotation
                    )
                    for option, (annotation, default) in options.items()
                ]
            if name not in ("source", "rows"):
                shown.append(own.replace(kind=keyword, annotation=hints[name]))
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in shown}
        return run

    return decorate


#: How to read a table: fields of `Source` with their types and options.
READING_OPTIONS: dict[str, Any] = {
    "nominal": (
        list[str] | None,
        option(
            None,
            "Columns that are names or codes, though they look like numbers: "
            "comma-separated, repeated, or 'all'.",
            "NAMES",
        ),
    ),
    "numeric": (
        list[str] | None,
        option(
            None, "Columns that are quantities, though they look like names.", "NAMES"
        ),
    ),
    "missing_values": (
        list[str] | None,
        option(
            None,
            "What stands for missing, instead of NA, N/A, NaN, null and ?; an empty "
            "cell always does.",
            "VALUES",
        ),
    ),
    "separator": (
        str | None,
        option(
            None,
            "What stands between cells, instead of a comma (a tab in .tsv and .tab).",
            "CHAR",
            _separator,
        ),
    ),
    "encoding": (str, option("utf-8", "Encoding of a text file.", "NAME", _encoding)),
    "decimal": (
        str,
        option(
            ".", "The mark before decimals in a text file.", ".|,", choice(".", ",")
        ),
    ),
}
PLACE_OPTIONS: dict[str, Any] = {
    "engine": (
        str,
        option(
            "local",
            "Where several files are counted: here, or on a Dask cluster.",
            "local|dask",
            choice("local", "dask"),
        ),
    ),
    "scheduler": (
        str | None,
        option(None, "Scheduler, with --engine dask.", "ADDRESS"),
    ),
}


#: How rows belong together, and the types and options for it.
ROW_OPTIONS: dict[str, Any] = {
    "groups": (
        str,
        option(
            "auto",
            "Column of what rows belong to, such as the patient; 'auto' looks for it, "
            "'none' says that rows are exchangeable.",
            "NAME",
        ),
    ),
    "time": (
        str | None,
        option(None, "Column of when each row was seen.", "NAME"),
    ),
    "strata": (
        str | None,
        option(None, "Column within which rows may be exchanged only.", "NAME"),
    ),
    "weights": (str | None, option(None, "Column of the weights of rows.", "NAME")),
}


def _row_options(source: Source, said: dict[str, str | None]) -> dict[str, Any]:
    """Return the options as the library takes them."""
    groups = said["groups"]
    named = {name: said[name] for name in ("time", "strata", "weights")}
    if groups not in ("auto", "none"):
        named["groups"] = groups
    for name, column in named.items():
        if column is not None and source.is_stream:
            message = (
                f"--{name} is about single rows, and of DATA in parts rows are counted "
                "only. Give one file, or leave it out."
            )
            raise UsageProblem(message)
    return {
        "groups": None if groups == "none" else groups,
        "time": named["time"],
        "strata": named["strata"],
        "sample_weight": named["weights"],
    }


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
