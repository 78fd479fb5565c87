"""Everything that a release must pass, step by step; the first failure ends it.

The wheel is built from the source archive, as others will, and tried in environments of
its own: alone, with the newest versions of what featsieve needs, and with the oldest
that pyproject.toml allows. ``make release-check STEPS=try_oldest`` runs a single step.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST, WORK = ROOT / "dist", ROOT / "build" / "release"
LARGEST_WHEEL = 5_000_000
#: Packages that meet other libraries: frames, files, arrays, the command line.
TESTS = (
    "tests/data",
    "tests/selectors",
    "tests/inference",
    "tests/trees",
    "tests/reproduce",
    "tests/cli",
)
JOBS = os.environ.get("JOBS") or str(os.cpu_count() or 2)


def run(*words: str | Path, folder: Path = ROOT) -> None:
    """Run a program and show what it says; its failure is ours."""
    subprocess.run([str(word) for word in words], cwd=folder, check=True)


def tell(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def wheel() -> Path:
    """Return the wheel that was built."""
    (found,) = DIST.glob("*.whl")
    return found


def python_of(name: str) -> Path:
    """Return the interpreter of an environment."""
    return WORK / name / "bin" / "python"


def create(name: str) -> None:
    """Create an environment with a pip that knows groups of dependencies."""
    venv.create(WORK / name, with_pip=True, clear=True)
    install(name, "pip>=25.1")


def install(name: str, *words: str | Path) -> None:
    """Install into an environment."""
    run(python_of(name), "-m", "pip", "install", "--quiet", *words)


def build() -> None:
    """Build the source archive, and the wheel from it."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--quiet", "--outdir", DIST, ROOT)


def check_archives() -> None:
    """Check the metadata, the size and what lies in the wheel."""
    run(sys.executable, "-m", "twine", "check", "--strict", *DIST.iterdir())
    run(sys.executable, "-m", "check_wheel_contents", wheel())
    size = wheel().stat().st_size
    tell(f"The wheel has {size / 1e6:.2f} MB; {LARGEST_WHEEL / 1e6:.0f} are allowed.")
    if size > LARGEST_WHEEL:
        raise SystemExit(1)


def try_empty() -> None:
    """Install the wheel alone: it works, starts fast, and needs only free software."""
    create("empty")
    install("empty", wheel(), "packaging")
    for script in ("tests/wheel_smoke.py", "release/import_time.py"):
        run(python_of("empty"), ROOT / script, folder=WORK)
    run(python_of("empty"), ROOT / "release/licences.py", folder=WORK)


def try_newest() -> None:
    """Run tests with the newest versions; what warns there will break later."""
    create("newest")
    install("newest", "--group", "test", f"{wheel()}[report,pandas,polars]")
    run(python_of("newest"), "-m", "pytest", "-q", "-n", JOBS, *TESTS)


def try_oldest() -> None:
    """Run the same tests with the oldest versions that are allowed."""
    pins = WORK / "oldest.txt"
    with pins.open("w") as stream:
        subprocess.run(
            [sys.executable, ROOT / "release/oldest.py"], stdout=stream, check=True
        )
    tell(" ".join(pins.read_text().split()))
    create("oldest")
    install("oldest", "--group", "test", "--requirement", pins, wheel())
    run(python_of("oldest"), ROOT / "tests/wheel_smoke.py", folder=WORK)
    settings = ("-c", "release/pytest.ini")
    run(python_of("oldest"), "-m", "pytest", "-q", "-n", JOBS, *settings, *TESTS)


def check_papers() -> None:
    """Check that the changelog can be assembled and names one version everywhere."""
    run(sys.executable, ROOT / "release/changelog.py", "--check")


STEPS: tuple[Callable[[], None], ...] = (
    build,
    check_archives,
    try_empty,
    try_newest,
    try_oldest,
    check_papers,
)


def choose(names: Sequence[str]) -> list[Callable[[], None]]:
    """Return the steps of those names, in our order; all where none is named."""
    known = [step.__name__ for step in STEPS]
    unknown = sorted(set(names) - set(known))
    if unknown:
        message = f"There is no step {unknown[0]!r}. There are: {', '.join(known)}."
        raise SystemExit(message)
    return [step for step in STEPS if not names or step.__name__ in names]


def verdict(passed: Sequence[Callable[[], None]]) -> str:
    """Say what was checked, and what was not."""
    left = [step.__name__ for step in STEPS if step not in passed]
    if not left:
        return "Ready for release: every step passed."
    done = ", ".join(step.__name__ for step in passed)
    return f"Passed: {done}. Not checked: {', '.join(left)}. No word on the release."


def main() -> None:
    """Run all steps, or those that are named; only all of them make a release ready."""
    chosen = choose(sys.argv[1:])
    WORK.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    for number, step in enumerate(STEPS, 1):
        if step not in chosen:
            continue
        begin = time.perf_counter()
        tell(f"\n== {number} of {len(STEPS)}, {step.__name__}: {step.__doc__}")
        try:
            step()
        except subprocess.CalledProcessError as error:
            words = " ".join(map(str, error.cmd))
            message = f"== {step.__name__} failed: {words}"
            raise SystemExit(message) from None
        tell(f"== passed in {time.perf_counter() - begin:.0f} s")
    tell(f"\n{verdict(chosen)} It took {(time.perf_counter() - started) / 60:.0f} min.")


if __name__ == "__main__":
    main()
