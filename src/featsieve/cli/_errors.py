"""One clear line for everything that can go wrong, and the exit code it means."""

from __future__ import annotations

import ast
import re
import shlex
from typing import Any

import typer

from featsieve.exceptions import DataError

FINE, CANNOT_ANSWER, WRONG_USAGE, INTERRUPTED = 0, 1, 2, 130

# Typer exports BadParameter only; whether its parent is click's or Typer's own copy
# of click depends on the version.
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[1]

# How our checks word a wrong parameter; any other ValueError is a bug of ours.
PARAMETER = re.compile(r"^The '(\w+)' parameter of \w+ (?=must be |does nothing )")
LONG_WORD = re.compile(r"\S{200,}")
HINT = re.compile(
    r"`(nominal|numeric|missing_values|separator|encoding|decimal|groups)=([^`]+)`"
)


class UsageProblem(Exception):  # noqa: N818  (the user's, not an error of ours)
    """The options do not fit together."""


class QuestionError(Exception):
    """The data are fine, and the question has no answer."""


def explain(error: BaseException) -> tuple[str, int]:
    """Return the line that tells a person what to do, and the exit code."""
    if isinstance(error, USAGE_ERROR):
        return _usage(error), WRONG_USAGE
    if isinstance(error, UsageProblem):
        return _shortened(str(error)), WRONG_USAGE
    return _shortened(_reason(error)), CANNOT_ANSWER


def _shortened(text: str) -> str:
    """Cut what no person reads: a name or a value of thousands of characters."""
    return LONG_WORD.sub(lambda match: f"{match[0][:80]}…{match[0][-20:]}", text)


def _reason(error: BaseException) -> str:
    text = str(error)
    if isinstance(error, DataError | QuestionError) or _is_of_cluster(error):
        return shell_words(text)
    if isinstance(error, ValueError) and PARAMETER.match(text):
        return PARAMETER.sub(lambda m: f"--{m[1].replace('_', '-')} ", text)
    if isinstance(error, ValueError) and text.startswith("The environment variable "):
        return text
    if isinstance(error, MemoryError):
        return (
            "There is not enough memory for this table. Leave out rows or columns, or "
            "use a machine with more."
        )
    if isinstance(error, OSError) and error.strerror:
        where = f" {str(error.filename)!r}" if error.filename else ""
        return f"Cannot open or write{where}: {error.strerror}."
    return (
        f"This should not have happened: {type(error).__name__}: "
        f"{text.rstrip('.') or 'no message'}. Run again with --debug and report what "
        "it shows."
    )


def _is_of_cluster(error: BaseException) -> bool:
    if not isinstance(error, RuntimeError):
        return False
    from featsieve.engine import ClusterError  # not needed to start

    return isinstance(error, ClusterError)


def _usage(error: Any) -> str:
    # Some versions put a guess in brackets, and some pairs of versions make it twice.
    text = error.format_message().strip()
    text = re.sub(r"\.? \((Did you mean .+\?)\)$", r". \1", text)
    text = re.sub(r"(Did you mean [^?]+\?) \1", r"\1", text)
    end = "" if text.endswith((".", "?", "!")) else "."
    path = error.ctx.command_path if error.ctx is not None else "featsieve"
    return f"{text}{end} See `{path} --help`."


def shell_words(message: str, target: str | None = None) -> str:
    """Say in options of the command line what the library says in parameters."""
    message = HINT.sub(_as_option, message)
    message = message.replace(
        "`target_kind='nominal'`", f"`--nominal {join_list([target or 'NAME'])}`"
    )
    reading, rows = "separator|encoding|decimal", "groups|time|strata"
    message = re.sub(rf"`({reading}|{rows})=`", r"`--\1`", message)
    message = message.replace("`missing_values`", "`--missing-values`")
    message = message.replace("take no sample_weight", "take no weights")
    return re.sub(r"\(asked for as (\w+)\)", r"(asked for as --\1)", message)


def _as_option(match: re.Match[str]) -> str:
    name, value = match.groups()
    value = re.sub(r"float\('(.*?)'\)", r"'\1'", value.replace(", …]", "]"))
    try:
        given = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return match[0]
    option = f"--{name.replace('_', '-')}"
    if isinstance(given, list):
        return f"`{option} {join_list([str(item) for item in given])}`"
    given = {"\t": "tab", None: "none"}.get(given, given)
    return f"`{option} {shlex.quote(str(given))}`"


def join_list(items: list[str]) -> str:
    """Return the items as one word of the shell that an option takes as a list."""
    quoted = [
        '"' + item.replace('"', '""') + '"' if re.search(r'[,"]', item) else item
        for item in items
    ]
    return shlex.quote(",".join(quoted))
