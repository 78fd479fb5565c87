"""Change one thing after another in the code that decides, and see that a test fails.

``make mutate`` changes every module of `inference`, the verdict code of `selection` and
what `trees` decides, and runs the test file of its name. ``MODULES="probes alone"``
takes some modules, of any of the three packages; after the names may come ``--sample
100``, so many changes of each module, always the same ones for the same ``--seed``;
``--again``, those that no test noticed last time; ``--jobs 1``, how many at a time.

mutmut says what to change inside of functions. The tests of a file are collected once,
and each change runs those that call the changed function, fastest first, in a process
forked from there, which may take three times as long as without a change and ten
seconds. The numbers that modules name outside of functions are changed here. A change
that no test notices is listed and fails the target, unless `survivors.toml` says why it
changes no answer.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import fnmatch
import hashlib
import importlib.util
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutate"
FOUND = WORK / "found.json"

#: What survived last time, by module.
LEFT = ROOT / "build" / "mutate-left"

#: What decides outside of `inference`; there all modules do but those that prepare.
DECIDING = {
    "selection": (
        "alone",
        "apart",
        "beside",
        "column_tests",
        "other_rates",
        "possible",
        "redundancy",
        "returned",
        "verdicts",
    ),
    "trees": ("learnt_chances",),
}
PREPARING = ("coding", "tallied_features")

#: Seconds of the processor for a change, beside three times what its tests take, and
#: bytes of memory: a loop without end or a table a thousand times as large is noticed.
SPARE_SECONDS, MOST_SECONDS, MOST_BYTES = 10, 600, 8 << 30

#: Shrinking a failure to the smallest takes most of the time, and nobody reads it.
PROFILE = """
from hypothesis import Phase
settings.register_profile(
    "mutated", settings.get_profile("featsieve"), derandomize=True, database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("mutated")
"""


def sources(wanted: list[str]) -> list[Path]:
    """Return the files to change, relative to the root."""
    package = ROOT / "src" / "featsieve"
    files = {path.stem[1:]: path for path in package.glob("inference/_[!_]*.py")}
    named = sorted(set(files) - set(PREPARING))
    for name, modules in DECIDING.items():
        files |= {path.stem[1:]: path for path in package.glob(f"{name}/_[!_]*.py")}
        named += modules
    unknown = set(wanted) - set(files)
    if unknown:
        sys.exit(f"No such module: {', '.join(unknown)}. There are: {sorted(files)}.")
    return [files[name].relative_to(ROOT) for name in wanted or named]


def test_of(source: Path) -> Path:
    """Return the test file of a module, relative to the root."""
    return Path("tests") / source.parent.name / f"test{source.stem}.py"


def prepare() -> None:
    """Lay out a copy in which nothing but the copy can be imported."""
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    for name in ("src", "tests"):
        shutil.copytree(
            ROOT / name, WORK / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    core = importlib.util.find_spec("featsieve._core")
    assert core is not None
    assert core.origin is not None
    if not (WORK / "src/featsieve" / Path(core.origin).name).exists():
        shutil.copy(core.origin, WORK / "src/featsieve")
    with (WORK / "tests/conftest.py").open("a", encoding="utf-8") as conftest:
        conftest.write(PROFILE)
    shutil.copy(ROOT / "pyproject.toml", WORK)


def constants(text: str) -> list[tuple[str, str]]:
    """Return names of constants of a module, and its text with one number changed.

    A whole number becomes one more, another one half as much again.
    """
    lines = text.splitlines(keepends=True)
    found = []
    for node in ast.parse(text).body:
        if not isinstance(node, ast.Assign):
            continue
        for number in ast.walk(node.value):
            value = getattr(number, "value", None)
            if not isinstance(number, ast.Constant) or type(value) not in (int, float):
                continue
            other = value + 1 if isinstance(value, int) else value * 1.5
            row, begin, end = (
                number.lineno - 1,
                number.col_offset,
                number.end_col_offset,
            )
            line = lines[row][:begin] + repr(other) + lines[row][end:]
            name = ast.unparse(node.targets[0]).strip("()")
            found.append((name, "".join([*lines[:row], line, *lines[row + 1 :]])))
    return found


def use_the_copy() -> None:
    """Have imports find the copy; the editable install would find the original."""
    sys.meta_path[:] = [f for f in sys.meta_path if "Redirect" not in type(f).__name__]
    sys.path[:] = [p for p in sys.path if Path(p).resolve() != ROOT / "src"]
    sys.path[:0] = [str(Path("src").resolve()), str(Path("tests").resolve())]
    sys.dont_write_bytecode = True  # it is told apart by seconds, changes take less


def fork(work: Callable[[], int], seconds: float = MOST_SECONDS) -> int:
    """Start a process that ends with what the work returns; return its number."""
    pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        limit = int(seconds) + 1
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        signal.alarm(10 * limit)
        status = work()
    finally:
        os._exit(status)


def outcomes(
    works: Iterator[tuple[str, Callable[[], int], float]], jobs: int
) -> dict[str, bool]:
    """Run works, so many at a time; return by name whether it ended with 0."""
    running: dict[int, str] = {}
    ended = {}
    for name, work, seconds in works:
        running[fork(work, seconds)] = name
        if len(running) >= jobs:
            pid, status = os.wait()
            ended[running.pop(pid)] = status == 0
    while running:
        pid, status = os.wait()
        ended[running.pop(pid)] = status == 0
    return ended


def run_pytest(test: str, *plugins: object) -> int:
    """Run pytest on a file of the copy."""
    options = ["-x", "-q", "-s", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return int(pytest.main([*options, "-o", "timeout=0", test], plugins=list(plugins)))


def change_constants(
    source: Path, test: str, again: list[str] | None
) -> dict[str, list[str]]:
    """Change one constant after another; return all, with lines if nobody noticed."""
    text = source.read_text("utf-8")
    found: dict[str, list[str]] = {}
    for number, (name, changed) in enumerate(constants(text)):
        key = f"{name}__mutmut_{number}"
        if again is not None and key not in again:
            continue
        source.write_text(changed, encoding="utf-8")
        survived = outcomes(iter([(key, lambda: run_pytest(test), MOST_SECONDS)]), 1)
        pairs = zip(text.splitlines(), changed.splitlines(), strict=True)
        lines = next([f"-{old}", f"+{new}"] for old, new in pairs if old != new)
        found[key] = lines if survived[key] else []
    source.write_text(text, encoding="utf-8")
    return found


class ManyChanges:
    """A plugin of pytest that runs the collected tests once for every change."""

    def __init__(self, module: str, chosen: list[str], jobs: int) -> None:
        self.module, self.chosen, self.jobs = module, chosen, jobs
        self.survived: dict[str, bool] = {}
        self.calls: set[str] = set()
        self.by_fixture: dict[str, set[str]] = {}

    def pytest_runtestloop(self, session: Any) -> bool | None:
        """Run the tests as they are, then those that a change concerns."""
        if session.testsfailed:
            return None  # pytest says what cannot be imported
        seconds, tests = self.survey(session)

        def works() -> Iterator[tuple[str, Callable[[], int], float]]:
            for name in self.chosen:
                concerned = tests.get(name.partition("__mutmut_")[0], [])
                limit = 3 * sum(seconds[k] for k in concerned) + SPARE_SECONDS
                yield name, self.work(session, name, concerned), limit

        self.survived = outcomes(works(), self.jobs)
        return True

    def work(self, session: Any, name: str, tests: list[int]) -> Callable[[], int]:
        """Return what runs some tests with a change, until one fails."""

        def run() -> int:
            from mutmut.mutation.trampoline import set_mutant_under_test

            set_mutant_under_test(f"{self.module}.{name}")
            for place, k in enumerate(tests):
                after = tests[place + 1] if place + 1 < len(tests) else None
                self.run_one(session, k, after)
                if session.testsfailed:
                    return 1
            return 0

        return run

    @staticmethod
    def run_one(session: Any, k: int, after: int | None) -> None:
        """Run the test at a place; what the one after it shares with it stays."""
        item = session.items[k]
        following = None if after is None else session.items[after]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def survey(self, session: Any) -> tuple[list[float], dict[str, list[int]]]:
        """Return how long tests take, and which call a function, fastest first."""
        written = WORK / "survey.json"

        def look() -> int:
            from mutmut.mutation import trampoline

            def record(name: str, caller: str | None = None) -> None:  # noqa: ARG001
                self.calls.add(name.rpartition(".")[2])

            trampoline.record_trampoline_hit = record
            trampoline.set_mutant_under_test("stats")
            seconds, called = [], []
            for k, item in enumerate(session.items):
                self.calls = set()
                started = time.process_time()
                self.run_one(session, k, k + 1 if k + 1 < len(session.items) else None)
                if session.testsfailed:
                    written.write_text(json.dumps(item.nodeid))
                    return 1
                seconds.append(time.process_time() - started)
                shared = [self.by_fixture.get(n, set()) for n in item.fixturenames]
                called.append(sorted(self.calls.union(*shared)))
            written.write_text(json.dumps([seconds, called]))
            return 0

        (passed,) = outcomes(iter([("", look, MOST_SECONDS)]), 1).values()
        found = json.loads(written.read_text())
        if not passed:
            sys.exit(f"{found} fails in the copy as it is.")
        seconds, called = found
        tests: dict[str, list[int]] = {}
        for k in sorted(range(len(seconds)), key=seconds.__getitem__):
            for name in called[k]:
                tests.setdefault(name, []).append(k)
        return seconds, tests

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Any:
        """Count what a fixture calls for all tests that use it, not for the first."""
        before, self.calls = self.calls, set()
        try:
            return (yield)
        finally:
            self.by_fixture.setdefault(fixturedef.argname, set()).update(self.calls)
            self.calls |= before


def choose(names: list[str], options: dict[str, Any]) -> list[str]:
    """Return the changes to make: all, those of last time, or a sample."""
    if options["again"] is not None:
        return [name for name in names if name in options["again"]]

    def lot(name: str) -> bytes:
        return hashlib.sha256(f"{options['seed']} {name}".encode()).digest()

    chosen = set(sorted(names, key=lot)[: options["sample"]])
    return [name for name in names if name in chosen]


def run_inside(source: Path, options: dict[str, Any]) -> None:
    """Change a module of the copy, and write down what survived of how many."""
    use_the_copy()
    from mutmut.mutation.file_mutation import mutate_file_contents

    text, test = source.read_text("utf-8"), str(test_of(source))
    found = change_constants(source, test, options["again"])
    mutated = mutate_file_contents(str(source), text)
    source.write_text(mutated.code, encoding="utf-8")
    names = list(mutated.mutant_names)
    module = ".".join(source.with_suffix("").parts[1:])
    changes = ManyChanges(module, choose(names, options), options["jobs"])
    status = run_pytest(test, changes)
    import featsieve

    assert Path(featsieve.__file__).is_relative_to(WORK)
    if set(changes.survived) != set(changes.chosen):
        sys.exit(status or 1)
    lines = mutated.code.splitlines()

    def body(name: str) -> list[str]:
        span = mutated.line_span_by_function_name[name]
        return [line.replace(name, "") for line in lines[span.start - 1 : span.end]]

    for name, survived in changes.survived.items():
        original = body(name.partition("__mutmut_")[0] + "__mutmut_orig")
        diff = difflib.ndiff(original, body(name)) if survived else ()
        found[name] = [d[0] + d[2:] for d in diff if d[0] in "+-"]
    n_possible = len(names) + len(constants(text))
    FOUND.write_text(json.dumps({"possible": n_possible, "made": found}))


def is_listed(
    module: str, name: str, lines: list[str], rules: list[dict[str, str]]
) -> bool:
    """Return whether a reason is given for a survivor, and mark the rule as used."""
    function = name.partition("__mutmut")[0].replace("ǁ", ".")
    place = f"{module}:{function.removeprefix('x').lstrip('_.')}"
    removed, added = (
        " ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+"
    )
    for rule in rules:
        if not fnmatch.fnmatch(place, rule["where"]):
            continue
        if "within" in rule:  # nothing but what the pattern matches is changed
            matches = re.sub(rule["within"], "", removed) == re.sub(
                rule["within"], "", added
            )
        else:
            part = len(rule["change"]) > 2 and rule["change"] in added
            matches = added == rule["change"] or part
        if matches:
            rule["used"] = "yes"
            return True
    return False


def check(source: Path, rules: list[dict[str, str]], given: argparse.Namespace) -> int:
    """Change one module and return how many survivors have no reason."""
    started = time.monotonic()
    prepare()
    left = LEFT / f"{source.stem}.json"
    again = json.loads(left.read_text("utf-8")) if given.again else None
    options = {"again": again} | {
        k: getattr(given, k) for k in ("sample", "seed", "jobs")
    }
    command = [sys.executable, str(Path(__file__).resolve()), "--inside", str(source)]
    done = subprocess.run(
        [*command, json.dumps(options)],
        cwd=WORK, check=False, capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode or not FOUND.exists():
        sys.exit(f"{source}: failed.\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    found = json.loads(FOUND.read_text("utf-8"))
    alive = {name: lines for name, lines in found["made"].items() if lines}
    LEFT.mkdir(exist_ok=True)
    left.write_text(json.dumps(list(alive)), encoding="utf-8")
    unlisted = {
        name: lines
        for name, lines in alive.items()
        if not is_listed(source.stem, name, lines, rules)
    }
    minutes = (time.monotonic() - started) / 60
    print(
        f"{source}: {len(found['made'])} of {found['possible']} changes, "
        f"{len(alive)} survive, {len(unlisted)} without a reason "
        f"({minutes:.1f} minutes)",
        flush=True,
    )
    for name, lines in unlisted.items():
        print(f"  {name}", *lines, sep="\n    ", flush=True)
    return len(unlisted)


def main() -> None:
    """Check the modules that are named, or all."""
    if "--inside" in sys.argv:
        return run_inside(Path(sys.argv[-2]), json.loads(sys.argv[-1]))
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="names of modules; all if none")
    parser.add_argument("--sample", type=int, help="so many changes per module")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--again", action="store_true", help="survivors of last time")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="at a time")
    given = parser.parse_args()
    listed = Path(__file__).with_name("survivors.toml").read_text("utf-8")
    rules = tomllib.loads(listed)["equivalent"]
    n_unlisted = sum(check(source, rules, given) for source in sources(given.modules))
    unused = [rule for rule in rules if "used" not in rule]
    if unused and not sys.argv[1:]:  # all of all modules
        print("Reasons for survivors that there are not:", *unused, sep="\n  ")
        n_unlisted += len(unused)
    return sys.exit(1 if n_unlisted else 0)


if __name__ == "__main__":
    main()
