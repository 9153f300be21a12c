"""check.py SITE: every link, anchor and picture of a built site leads somewhere, and nothing is fetched from elsewhere.

Links to other sites are checked for their form alone: this needs no network.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page, and what it refers to: (tag, address)."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[tuple[str, str]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value or "")
            elif name in ("href", "src") and value is not None:
                self.links.append((tag, value))


def trouble(site: Path, pages: dict[Path, Page], path: Path, tag: str, address: str) -> str | None:
    """What is wrong with a link; None: nothing."""
    parts = urlsplit(address)
    if parts.scheme in ("data", "mailto"):
        return None
    if parts.scheme or parts.netloc:
        if tag != "a":
            return "is fetched from elsewhere"
        return None if parts.scheme in ("http", "https") and "." in parts.netloc else "is no address"
    # the page for what is not found stands anywhere, so its addresses begin at the top
    start = site if parts.path.startswith("/") and path.name == "404.html" else path.parent
    target = (start / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
    if target == site:
        target /= "index.html"
    if parts.path.startswith("/") and start != site or site not in target.parents:
        return "leads out of the site"
    if not target.is_file():
        return "is not there"
    if parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
        return "has no such anchor"
    return None


def main(folder: str) -> int:
    site = Path(folder).resolve()
    # the playground is an application of its own, not a page of links
    pages = {path: Page(path) for path in sorted(site.rglob("*.html")) if path.parent.name != "app"}
    bad = 0
    for path, page in pages.items():
        for tag, address in page.links:
            if said := trouble(site, pages, path, tag, address):
                print(f"{path.relative_to(site)}: {address} {said}", file=sys.stderr)
                bad += 1
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links, {bad} of them bad")
    return 1 if bad or len(pages) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
