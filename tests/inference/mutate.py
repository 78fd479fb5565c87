"""Change one thing after another in the code that decides, and see that a test fails.

``make mutate`` runs mutmut over every module of `inference` and over the verdict code
of `selection`, each with the test file of its name only; ``make mutate MODULES="probes
alone"`` runs some, ``MODULES="probes --ending 37"`` a fifth of their changes, whose
number ends in 3 or 7. mutmut changes what is inside functions; the numbers that modules
name outside of them are changed here. A change that no test notices is listed and fails
the target, unless `survivors.toml` says why it changes no answer.
"""

from __future__ import annotations

import ast
import fnmatch
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / "build" / "mutate"
FOUND = WORK / "found.json"

#: What decides in `selection`; of `inference` all modules do but those that prepare.
VERDICTS = ("redundancy", "alone")
PREPARING = ("coding", "tallied_features")

#: How a mutant may end that a test noticed.
DEAD = ("killed", "timeout", "segfault")

#: Shrinking a failure to the smallest takes most of the time, and nobody reads it.
PROFILE = """
from hypothesis import Phase
settings.register_profile(
    "mutated", settings.get_profile("featsieve"), derandomize=True, database=None,
    phases=[Phase.explicit, Phase.generate],
)
settings.load_profile("mutated")
"""

SETTINGS = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = ["{source}"]
pytest_add_cli_args = ["-p", "no:cacheprovider", "-p", "no:xdist"]
pytest_add_cli_args_test_selection = ["{test}"]
use_git_change_detection = false
"""


def sources(wanted: list[str]) -> list[Path]:
    """Return the files to change, relative to the root."""
    package = ROOT / "src" / "featsieve"
    files = {path.stem[1:]: path for path in package.glob("inference/_[!_]*.py")}
    files = {name: path for name, path in files.items() if name not in PREPARING}
    files |= {name: package / f"selection/_{name}.py" for name in VERDICTS}
    unknown = set(wanted) - set(files)
    if unknown:
        sys.exit(f"No such module: {', '.join(unknown)}. There are: {sorted(files)}.")
    return [files[name].relative_to(ROOT) for name in wanted or sorted(files)]


def test_of(source: Path) -> Path:
    """Return the test file of a module, relative to the root."""
    return Path("tests") / source.parent.name / f"test{source.stem}.py"


def prepare(source: Path) -> None:
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
    settings = SETTINGS.format(source=source, test=test_of(source))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (WORK / "pyproject.toml").write_text(project + settings, encoding="utf-8")


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


def passes(test: Path) -> bool:
    """Whether a file of tests passes in the copy."""
    command = [sys.executable, str(Path(__file__).resolve()), "--test", str(test)]
    return not subprocess.run(
        command, cwd=WORK, check=False, capture_output=True
    ).returncode


def change_constants(source: Path, test: Path) -> tuple[int, dict[str, list[str]]]:
    """Change one constant after another; return how many, and what no test noticed."""
    place = WORK / source
    text = place.read_text("utf-8")
    changes = constants(text)
    if changes and not passes(test):
        sys.exit(f"{test} fails in the copy as it is.")
    alive = {}
    for number, (name, changed) in enumerate(changes):
        place.write_text(changed, encoding="utf-8")
        if passes(test):
            pairs = zip(text.splitlines(), changed.splitlines(), strict=True)
            lines = next([f"-{old}", f"+{new}"] for old, new in pairs if old != new)
            key = f"featsieve.{source.stem}.{name}__mutmut_{number}"
            alive[key] = ["survived", *lines]
    place.write_text(text, encoding="utf-8")
    return len(changes), alive


def use_the_copy() -> None:
    """Have imports find the copy; the editable install would find the original."""
    sys.meta_path[:] = [f for f in sys.meta_path if "Redirect" not in type(f).__name__]
    sys.path[:] = [p for p in sys.path if Path(p).resolve() != ROOT / "src"]


def test_inside(test: str) -> None:
    """Run one file of tests in the copy."""
    use_the_copy()
    sys.path[:0] = [str(Path("src").resolve()), str(Path("tests").resolve())]
    import pytest

    import featsieve

    assert Path(featsieve.__file__).is_relative_to(WORK)
    options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    sys.exit(pytest.main([*options, test]))


def run_inside(endings: str) -> None:
    """Run mutmut in the copy and write down what survived, and how many did not."""
    use_the_copy()
    from mutmut.__main__ import _run
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.stats import status_by_exit_code

    try:
        _run(tuple(f"*{ending}" for ending in endings), 2)
    except SystemExit as stopped:
        if stopped.code not in (0, None):
            raise
    codes = {}
    for path in Path("mutants/src").rglob("*.meta"):
        codes.update(json.loads(path.read_text("utf-8"))["exit_code_by_key"])
    codes = {
        name: code for name, code in codes.items() if name.endswith(tuple(endings))
    }
    alive = {}
    for name, code in codes.items():
        if status_by_exit_code[code] not in DEAD:
            diff = get_diff_for_mutant(name).splitlines()
            changed = [d for d in diff if d[:1] in "+-" and d[:3] not in ("---", "+++")]
            alive[name] = [status_by_exit_code[code], *changed]
    found = {"n_mutants": len(codes), "alive": alive}
    FOUND.write_text(json.dumps(found), encoding="utf-8")


def is_listed(name: str, lines: list[str], rules: list[dict[str, str]]) -> bool:
    """Return whether a reason is given for a survivor, and mark the rule as used."""
    function = name.rsplit(".", 1)[1].rsplit("__mutmut", 1)[0].replace("ǁ", ".")
    place = f"{name.rsplit('.', 2)[1]}:{function.removeprefix('x').lstrip('_.')}"
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


def check(source: Path, rules: list[dict[str, str]], endings: str) -> int:
    """Change one module and return how many survivors have no reason."""
    started = time.monotonic()
    prepare(source)
    command = [sys.executable, str(Path(__file__).resolve()), "--inside", endings]
    done = subprocess.run(
        command, cwd=WORK, check=False, capture_output=True, text=True
    )
    if not FOUND.exists():
        sys.exit(
            f"{source}: mutmut failed.\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
    found = json.loads(FOUND.read_text("utf-8"))
    n_constants, alive = change_constants(source, test_of(source))
    found["n_mutants"] += n_constants
    found["alive"] |= alive
    unlisted = {
        name: lines
        for name, lines in found["alive"].items()
        if not is_listed(name, lines[1:], rules)
    }
    minutes = (time.monotonic() - started) / 60
    print(
        f"{source}: {found['n_mutants']} changes, {len(found['alive'])} survive, "
        f"{len(unlisted)} without a reason ({minutes:.1f} minutes)",
        flush=True,
    )
    for name, (status, *lines) in unlisted.items():
        print(f"  {name}: {status}", *lines, sep="\n    ", flush=True)
    return len(unlisted)


def main() -> None:
    """Check the modules that are named, or all."""
    if "--inside" in sys.argv:
        return run_inside(sys.argv[-1])
    if "--test" in sys.argv:
        return test_inside(sys.argv[-1])
    listed = Path(__file__).with_name("survivors.toml").read_text("utf-8")
    rules = tomllib.loads(listed)["equivalent"]
    modules, endings = sys.argv[1:], "0123456789"
    if "--ending" in modules:
        *modules, _, endings = modules
    n_unlisted = sum(check(source, rules, endings) for source in sources(modules))
    unused = [rule for rule in rules if "used" not in rule]
    if unused and not sys.argv[1:]:  # all of all modules
        print("Reasons for survivors that there are not:", *unused, sep="\n  ")
        n_unlisted += len(unused)
    return sys.exit(1 if n_unlisted else 0)


if __name__ == "__main__":
    main()
