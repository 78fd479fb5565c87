"""Move the fragments of changelog.d into CHANGELOG.md under a version and a date.

``python release/changelog.py 0.1.0 2026-12-01`` writes; without arguments it prints
what the next version would say, with ``--check`` only whether that can be done.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
TOPICS = {
    "select": "Selecting features",
    "measures": "Measures",
    "learn": "Trees and ensembles",
    "judge": "Judging and comparing",
    "data": "Data",
    "show": "Command line, pages and pictures",
    "": "More",
}
NOTHING = "Nothing has been released yet.\n"
#: Comes first of its topic.
FIRST = ("select", "measures", "trees", "compare", "read-table", "cli")


def fragments() -> dict[str, dict[str, list[Path]]]:
    """Return the fragments by kind and topic; what has neither is an error."""
    found: dict[str, dict[str, list[Path]]] = {
        kind: {topic: [] for topic in TOPICS} for kind in KINDS
    }
    folder = ROOT / "changelog.d"
    for path in sorted(folder.rglob("*.md"), key=_place):
        if path.name == "README.md":
            continue
        topic = "" if path.parent == folder else path.parent.name
        kind = path.suffixes[0].removeprefix(".")
        if kind not in KINDS or topic not in TOPICS:
            topics = ", ".join(filter(None, TOPICS))
            message = (
                f"{path.relative_to(folder)} must end in .{'.md, .'.join(KINDS)}.md "
                f"and lie in changelog.d or in one of {topics}."
            )
            raise SystemExit(message)
        found[kind][topic].append(path)
    return found


def _place(path: Path) -> tuple[bool, str]:
    return path.name.split(".")[0] not in FIRST, path.name


def section(title: str) -> str:
    """Return the text of one version."""
    lines = [f"## {title}", ""]
    for kind, topics in fragments().items():
        filled = {topic: paths for topic, paths in topics.items() if paths}
        if not filled:
            continue
        lines += [f"### {KINDS[kind]}", ""]
        for topic, paths in filled.items():
            if len(filled) > 1:
                lines += [f"**{TOPICS[topic]}**", ""]
            lines += [f"- {path.read_text().strip()}" for path in paths]
            lines.append("")
    return "\n".join(lines)


def check() -> None:
    """Fail if versions differ, or if a fragment lies where none belongs."""
    section("Unreleased")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    version = project["version"].partition(".dev")[0]
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(), re.M)
    if cited is None or cited[1] != version:
        message = f"CITATION.cff must say version {version}, as pyproject.toml."
        raise SystemExit(message)
    told = f"## {version} (" in (ROOT / "CHANGELOG.md").read_text()
    released = project["version"] == version
    if released and not told:
        message = f"CHANGELOG.md has no section {version}: python release/changelog.py."
        raise SystemExit(message)
    sys.stdout.write(f"Version {project['version']}, and the changelog fits.\n")


def write(version: str, date: str) -> None:
    """Move the fragments into the changelog."""
    path = ROOT / "CHANGELOG.md"
    head, _, rest = path.read_text().partition("\n## ")
    head = head.replace(NOTHING, "")
    new = section(f"{version} ({date})")
    path.write_text(head.rstrip() + "\n\n" + new + (f"\n## {rest}" if rest else ""))
    for topics in fragments().values():
        for paths in topics.values():
            for fragment in paths:
                fragment.unlink()


def main() -> None:
    """Print the next section, check it, or move it into the changelog."""
    if sys.argv[1:] == ["--check"]:
        check()
    elif len(sys.argv) == 3:
        write(*sys.argv[1:])
    else:
        sys.stdout.write(section("Unreleased"))


if __name__ == "__main__":
    main()
