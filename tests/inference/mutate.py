"""Change one thing after another in the code that decides, and see that a test fails.

``make mutate`` runs mutmut over every module of `inference` and over the verdict code
of `selection`, each with the test file of its name only; ``make mutate MODULES="probes
alone"`` runs some. A change that no test notices is listed and fails the target, unless
`survivors.toml` says why it changes no answer.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import json
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
    settings = SETTINGS.format(source=source, test=test_of(source))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    (WORK / "pyproject.toml").write_text(project + settings, encoding="utf-8")


def run_inside() -> None:
    """Run mutmut in the copy and write down what survived, and how many did not."""
    # The editable install would lead back to the original.
    sys.meta_path[:] = [f for f in sys.meta_path if "Redirect" not in type(f).__name__]
    sys.path[:] = [p for p in sys.path if Path(p).resolve() != ROOT / "src"]
    from mutmut.__main__ import _run
    from mutmut.mutation.diff_apply import get_diff_for_mutant
    from mutmut.stats import status_by_exit_code

    try:
        _run((), 2)
    except SystemExit as stopped:
        if stopped.code not in (0, None):
            raise
    endings = {}
    for path in Path("mutants/src").rglob("*.meta"):
        endings.update(json.loads(path.read_text("utf-8"))["exit_code_by_key"])
    alive = {}
    for name, code in endings.items():
        if status_by_exit_code[code] not in DEAD:
            diff = get_diff_for_mutant(name).splitlines()
            changed = [d for d in diff if d[:1] in "+-" and d[:3] not in ("---", "+++")]
            alive[name] = [status_by_exit_code[code], *changed]
    found = {"n_mutants": len(endings), "alive": alive}
    FOUND.write_text(json.dumps(found), encoding="utf-8")


def is_listed(name: str, lines: list[str], rules: list[dict[str, str]]) -> bool:
    """Return whether a reason is given for a survivor, and mark the rule as used."""
    function = name.rsplit(".", 1)[1].rsplit("__mutmut", 1)[0].replace("ǁ", ".")
    added = " ".join(line[1:].strip() for line in lines if line.startswith("+"))
    for rule in rules:
        where = rule["where"]
        place = f"{name.rsplit('.', 2)[1]}:{function.removeprefix('x').lstrip('_.')}"
        same = added == rule["change"]
        part = len(rule["change"]) > 2 and rule["change"] in added
        if fnmatch.fnmatch(place, where) and (same or part):
            rule["used"] = "yes"
            return True
    return False


def check(source: Path, rules: list[dict[str, str]]) -> int:
    """Change one module and return how many survivors have no reason."""
    started = time.monotonic()
    prepare(source)
    command = [sys.executable, str(Path(__file__).resolve()), "--inside"]
    done = subprocess.run(
        command, cwd=WORK, check=False, capture_output=True, text=True
    )
    if not FOUND.exists():
        sys.exit(
            f"{source}: mutmut failed.\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
    found = json.loads(FOUND.read_text("utf-8"))
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
        return run_inside()
    listed = Path(__file__).with_name("survivors.toml").read_text("utf-8")
    rules = tomllib.loads(listed)["equivalent"]
    n_unlisted = sum(check(source, rules) for source in sources(sys.argv[1:]))
    unused = [rule for rule in rules if "used" not in rule]
    if unused and not sys.argv[1:]:
        print("Reasons for survivors that there are not:", *unused, sep="\n  ")
        n_unlisted += len(unused)
    return sys.exit(1 if n_unlisted else 0)


if __name__ == "__main__":
    main()
