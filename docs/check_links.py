"""Check the built pages: every link within them must lead somewhere.

Sphinx checks what the sources refer to; this checks what came of it, the gallery, the
reference and the theme's own links included, and that pages have a source.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

DOCS = Path(__file__).resolve().parent
PAGES = DOCS / "_build" / "html"
#: What Sphinx makes of no source.
OWN = {"genindex.html", "py-modindex.html", "search.html"}


class Page(HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.anchors.update(known[key] or "" for key in ("id", "name") if key in known)
        for key in ("href", "src"):
            if known.get(key) and tag in ("a", "img", "link", "script", "source"):
                self.links.append(str(known[key]))


def html_files(folder: Path) -> list[Path]:
    """Return the pages, without the templates that the theme leaves beside them."""
    return sorted(set(folder.rglob("*.html")) - set(folder.glob("_static/**/*.html")))


def broken_links(folder: Path) -> list[str]:
    """Return a line for every link that leads nowhere."""
    pages = {path.resolve(): Page(path) for path in html_files(folder)}
    found = []
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            aim = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            there = aim.exists() and not (
                anchor and aim in pages and anchor not in pages[aim].anchors
            )
            if not there:
                found.append(f"{path.relative_to(folder)}: {link}")
    return found


def orphans(folder: Path, sources: Path) -> list[str]:
    """Return the pages that no source stands behind."""
    found = []
    for path in html_files(folder):
        name = path.relative_to(folder)
        if name.name not in OWN and not (sources / name).with_suffix(".rst").exists():
            found.append(str(name))
    return found


def main() -> int:
    """Print what is wrong; return whether anything is."""
    wrong = broken_links(PAGES)
    wrong += [f"{name}: no source" for name in orphans(PAGES, DOCS)]
    for line in wrong:
        sys.stdout.write(f"{line}\n")
    sys.stdout.write(
        f"{len(html_files(PAGES))} pages, {len(wrong)} links or pages are wrong.\n"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
