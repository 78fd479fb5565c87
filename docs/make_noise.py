"""Write docs/guide/noise.rst: how often rules of AssociationFilter keep noise.

Run from the root of the repository after a change of the rules:

    python -m benchmarks.recovery.associations --journal noise.journal
    python docs/make_noise.py noise.journal [more.journal ...]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guide" / "noise.rst"
sys.path.insert(0, str(ROOT))

from benchmarks.recovery.associations import (  # noqa: E402
    LEVEL,
    SHARE,
    Outcome,
    cases,
    outcomes,
)
from benchmarks.recovery.noise_tables import CONTINUOUS  # noqa: E402

HEAD = f"""\
How often noise is kept
=======================

Written by ``docs/make_noise.py`` from the runs of
``python -m benchmarks.recovery.associations``: {{n_cases}} of
{{n_all}} cases, {{n_seeds}} tables each; a dash stands for what was not run.
{{verdict}}

Every table has noise of ten shapes (normal, Cauchy, counts, binary, rare values, 80 %
missing, 3 and 20 levels, 20 levels with gaps, 4 rows per level) beside 5 features that
matter. Rates are those of the shape that is kept most often, with the 95 % interval of
Clopper and Pearson, which counts as many independent trials as would vary as much
between seeds.

The tests promise {LEVEL}; probes 1/21 for numbers without ties, which have 20 of them,
and 1/11 for others, which have 10; ``fdr`` that of what it keeps no more than {SHARE}
is noise, on average. :doc:`filters` says what the rules do.
"""
BORDER = """
Exactly at the threshold
------------------------

Features whose association is 0.1, what the tests ask for to be exceeded; "4 levels" are
nominal ones, by symmetrical uncertainty. The promise is 0.01.
"""
CLUSTERS = """
Local relevance
---------------

Tables of 2,000 rows in which noise was rescued by ``n_clusters=k``; the promise is 0.01
of all tables, not of features.
"""
RACE = """
Races
-----

``n_subsamples="race"``, which looks several times and stops when it is sure.
"""


def grid(header: list[str], rows: Iterable[list[str]]) -> str:
    """Return a table of reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in [header, *rows]:
        for place, cell in enumerate(row):
            lines.append(f"   {'*' if place == 0 else ' '} - {cell}".rstrip())
    return "\n" + "\n".join(lines) + "\n"


def title(text: str) -> str:
    return f"\n{text}\n{'-' * len(text)}\n"


def control(found: list[Outcome]) -> str:
    """Return a table with a row for each association, for each data set."""
    header = [
        "association",
        "``t_test``",
        "``z_test``",
        "``probe``, no ties",
        "``probe``, others",
        "``fdr``, noise of kept",
        "found by ``t_test``, ``probe``, ``fdr``",
    ]
    text = ""
    for table in dict.fromkeys(outcome.case.table for outcome in found):
        rows = []
        own = [outcome for outcome in found if outcome.case.table == table]
        for association in dict.fromkeys(outcome.case.association for outcome in own):
            by_rule = {o.case.rule: o for o in own if o.case.association == association}
            probe = by_rule.get("probe")
            shares = [o for rule, o in by_rule.items() if rule.startswith("fdr")]
            rows.append(
                [
                    f"``{association}``",
                    *(shown(by_rule.get(rule)) for rule in ("t_test", "z_test")),
                    *by_law(probe),
                    "; ".join(
                        f"{o.share}{' by permutation' * ('perm' in o.case.rule)}"
                        for o in shares
                    )
                    or "–",
                    ", ".join(
                        f"{by_rule[rule].found:.2f}" if rule in by_rule else "–"
                        for rule in ("t_test", "probe", "fdr")
                    ),
                ]
            )
        text += title(table) + grid(header, rows)
    return text


def shown(outcome: Outcome | None) -> str:
    return "–" if outcome is None else str(outcome.worst())


def by_law(outcome: Outcome | None) -> list[str]:
    """Return the worst rate of those against 20 probes, and of the others."""
    if outcome is None:
        return ["–", "–"]
    law = [kind for kind in CONTINUOUS if outcome.case.promises(kind) < 1 / 20]
    rest = [kind for kind in outcome.rates if kind not in law]
    return [str(outcome.worst(kinds)) for kinds in (law, rest)]


def race(found: list[Outcome]) -> str:
    header = ["table", "association", "rule", "no ties", "others", "found"]
    rows = []
    for o in found:
        rates = by_law(o) if "probe" in o.case.rule else [str(o.worst())] * 2
        rule = f"``{o.case.rule.split(',')[0]}``"
        name = f"``{o.case.association}``"
        rows.append([o.case.table, name, rule, *rates, f"{o.found:.2f}"])
    return grid(header, rows)


def plain(found: list[Outcome]) -> str:
    rows = []
    for o in found:
        association = "levels" if "levels" in o.case.table else o.case.association
        rows.append([o.case.table, f"``{association}``", o.case.rule, shown(o)])
    return grid(["table", "association", "rule", "kept"], rows)


def write(records: Iterable[dict[str, Any]]) -> str:
    """Return the page, from records of the journal."""
    every = outcomes(records, None)
    # A case that was cut short is left out.
    n_seeds = max(outcome.seeds for outcome in every)
    found = [outcome for outcome in every if outcome.seeds == n_seeds]
    parts: dict[str, list[Outcome]] = {}
    for outcome in found:
        parts.setdefault(outcome.case.part, []).append(outcome)
    broken = [outcome for outcome in found if outcome.broken]
    verdict = "In none does the interval lie above the promise."
    if broken:
        verdict = f'In {len(broken)} the interval lies above the promise, marked "!".'
    text = HEAD.format(
        n_cases=len(found), n_all=len(cases()), n_seeds=n_seeds, verdict=verdict
    )
    text += control(parts.get("tables", []))
    for name, opening, tell in (
        ("race", RACE, race),
        ("clusters", CLUSTERS, plain),
        ("border", BORDER, plain),
    ):
        if name in parts:
            text += opening + tell(parts[name])
    return text


def main() -> None:
    records: list[dict[str, Any]] = []
    for path in sys.argv[1:]:
        lines = Path(path).read_text("utf-8").splitlines()
        records += [json.loads(line) for line in lines[1:]]
    PAGE.write_text(write(records), "utf-8")


if __name__ == "__main__":
    main()
