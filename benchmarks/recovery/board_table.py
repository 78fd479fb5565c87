"""The recovery board as the table of the README, from the files that the board wrote.

Run with ``python -m benchmarks.recovery.board_table board.json [more.json ...]``; files
are joined, and a run that several of them have is taken from the last. "Ours" is on the
very problems and seeds that the method of the row ended; problems on which it was
stopped or that it cannot take are counted beside. With ``--families`` it is the table
of one method by family and problem.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.recovery.board import STOPPED, count_slower, print_totals
from benchmarks.recovery.methods import METHODS, OURS
from benchmarks.recovery.problems import NOISE
from benchmarks.recovery.summary import (
    MEASURES,
    Run,
    family_table,
    has_scores,
    mean_of_means,
)

HEAD = (
    f"| method | {' | '.join(f'{told} | ours' for told in MEASURES.values())} "
    "| noise left alone | CPU s a run | ours | slower than ours | problems, runs |\n"
    f"|---|{'---|---|' * len(MEASURES)}---|---|---|---|---|"
)


def joined(paths: list[Path]) -> list[Run]:
    """Return the runs of all files, each once."""
    runs: dict[tuple[str, str, int], Run] = {}
    for path in paths:
        for run in json.loads(path.read_text(encoding="utf-8"))["runs"]:
            runs[run["problem"], run["method"], run["seed"]] = run
    return list(runs.values())


def table_row(method: str, runs: list[Run], ours: dict[tuple[str, int], Run]) -> str:
    """Return the line of a method, or nothing if it was never run."""
    own = [run for run in runs if run["method"] == method]
    ended = [r for r in own if has_scores(r) and (r["problem"], r["seed"]) in ours]
    if not ended:
        return ""
    same = [ours[run["problem"], run["seed"]] for run in ended]
    noise = [run["f1"] for run in ended if run["problem"] in NOISE]
    stopped = {
        r["problem"]: match[1]
        for r in own
        if (match := STOPPED.fullmatch(r["status"])) is not None
    }
    told = f"{len({run['problem'] for run in ended})}, {len(ended)}"
    if stopped:
        told += f"; {len(stopped)} over {max(stopped.values(), key=float)} s"
    quiet = "told" if method.endswith("told k") else f"{sum(noise):.0f} of {len(noise)}"

    def pair(field: str, digits: int) -> list[str]:
        return [f"{mean_of_means(part, field):.{digits}f}" for part in (ended, same)]

    seconds = pair("cpu_seconds", 2)
    if method == OURS:
        name, dash = f"**`{method.replace(' ', '.')}`**", ""
        cells = [cell for f in MEASURES for cell in (f"**{pair(f, 3)[0]}**", dash)]
        cells += [f"**{quiet}**", seconds[0], dash, dash, told]
    else:
        name = method
        cells = [cell for field in MEASURES for cell in pair(field, 3)]
        cells += [quiet, *seconds, count_slower(own, ours).replace("/", " of "), told]
    return f"| {' | '.join([name, *cells])} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument(
        "--totals", action="store_true", help="as the board prints them"
    )
    parser.add_argument("--families", action="store_true", help="by family, problem")
    parser.add_argument("--method", default=OURS, help="whose families")
    options = parser.parse_args()
    runs = joined(options.files)
    if options.totals:
        print_totals(runs)
        return
    if options.families:
        own = [run for run in runs if run["method"] == options.method]
        print("\n".join(family_table(own)))
        return
    ours = {
        (run["problem"], run["seed"]): run
        for run in runs
        if run["method"] == OURS and has_scores(run)
    }
    lines = {method: table_row(method, runs, ours) for method in METHODS}
    means = {
        method: mean_of_means(
            [r for r in runs if r["method"] == method and has_scores(r)], "f1"
        )
        for method in lines
        if lines[method]
    }
    print(HEAD)
    for method in sorted(means, key=lambda m: (m != OURS, -means[m])):
        print(lines[method])


if __name__ == "__main__":
    main()
