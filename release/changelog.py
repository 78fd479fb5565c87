"""Move the fragments of changelog.d into CHANGELOG.md under a version and a date.

``python release/changelog.py 0.1.0 2026-12-01`` writes; without arguments it prints
what the next version would say.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
KINDS = {"added": "Added", "changed": "Changed", "fixed": "Fixed", "removed": "Removed"}
NOTHING = "Nothing has been released yet.\n"


def fragments() -> dict[str, list[Path]]:
    """Return the fragments of each kind; one of an unknown kind is an error."""
    found: dict[str, list[Path]] = {kind: [] for kind in KINDS}
    for path in sorted((ROOT / "changelog.d").glob("*.md")):
        if path.name == "README.md":
            continue
        kind = path.suffixes[0].removeprefix(".")
        if kind not in found:
            message = f"{path.name} must end in .{'.md, .'.join(KINDS)}.md"
            raise SystemExit(message)
        found[kind].append(path)
    return found


def section(title: str) -> str:
    """Return the text of one version."""
    lines = [f"## {title}", ""]
    for kind, paths in fragments().items():
        if paths:
            lines += [f"### {KINDS[kind]}", ""]
            lines += [f"- {path.read_text().strip()}" for path in paths]
            lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Print the next section, or move it into the changelog."""
    if len(sys.argv) < 3:
        sys.stdout.write(section("Unreleased"))
        return
    path = ROOT / "CHANGELOG.md"
    text = path.read_text()
    head, _, rest = text.partition("\n## ")
    head = head.replace(NOTHING, "")
    new = section(f"{sys.argv[1]} ({sys.argv[2]})")
    path.write_text(head.rstrip() + "\n\n" + new + (f"\n## {rest}" if rest else ""))
    for paths in fragments().values():
        for fragment in paths:
            fragment.unlink()


if __name__ == "__main__":
    main()
