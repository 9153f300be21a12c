"""What MkDocs does besides reading docs/: pages that come from elsewhere in the tree, and links between all of them.

Pages that are made here: README, CHANGELOG and CONTRIBUTING as they stand in the tree; the manual page, by mandoc; the
C interface, from the headers (headers.py); the Python interface, from its docstrings (mkdocstrings); the gallery, from
films.txt. SFNEC_FILMS names the folder of the films and SFNEC_PLAYGROUND the page of the playground, if they are there;
SFNEC_PACKAGES is the folder of the packages of package.json. build.sh sets them.
"""

from __future__ import annotations

import ast
import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(Path(__file__).parent))
import headers  # noqa: E402

# files of the tree that are pages, and what they are called on the site; the other pages are docs/NAME.md
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
SHIM = "javascripts/iframe-worker.js"  # lets the search work from a file, where browsers allow no workers
GAME = "app/playground.html"
# public by their own names, besides what __all__ names
MODULES = ["gym", "discrete"]

_headers = [headers.read(path) for path in sorted((ROOT / "include/sfnec").glob("*.h"))]
_pages = [header for header in _headers if header.blocks]  # sfnec.h includes the others, and is their index
_declared = {name: f"reference/c/{place}".replace(".md", ".html") for name, place in headers.places(_headers).items()}


def _folder(variable: str) -> Path | None:
    """What an environment variable names, if it is there."""
    value = os.environ.get(variable)
    return Path(value) if value and Path(value).exists() else None


def _manual() -> str:
    command = ["mandoc", "-T", "markdown", str(ROOT / "docs/sfnec.1")]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # without the lines at the top and at the bottom of a printed page
    body = text.split("\n", 2)[2].rsplit("\n", 2)[0]
    return "# The command\n\n" + re.sub(r"^# ", "## ", body, flags=re.MULTILINE)


def _python() -> str:
    """Everything that `sfnec.__all__` names, the agent first."""
    tree = ast.parse((ROOT / "python/sfnec/__init__.py").read_text(encoding="utf-8"))
    public = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    )
    head = "# The Python interface\n\nMade from the docstrings; the guide is [sfnec in Python](../python.md)."
    return "\n\n".join([head, *(f"::: sfnec.{name}" for name in [*public, *MODULES])]) + "\n"


def _films() -> list[list[str]]:
    """The blocks of films.txt: file name, what is seen, and the commands."""
    text = (Path(__file__).parent / "films.txt").read_text(encoding="utf-8")
    blocks = [[line for line in block.splitlines() if not line.startswith("#")] for block in text.split("\n\n")]
    return [block for block in blocks if block]


def _gallery() -> str:
    folder = _folder("SFNEC_FILMS")
    out = ["# Gallery", "Saved agents play, without learning. [Watching an agent](watch.md) says what is drawn."]
    for name, seen, *commands in _films():
        out.append(f"## {name[0].upper()}{name[1:].replace('-', ' ')}\n\n{seen}")
        if folder and (folder / f"{name}.gif").exists():
            out.append(f"![An episode: {name.replace('-', ' ')}](films/{name}.gif)")
        out.append("\n".join(f"    {command}" for command in commands))
    return "\n\n".join(out) + "\n"


def on_config(config):
    config.extra["polyfills"] = [SHIM]
    return config


def on_files(files, config):
    def add(uri: str, **what: str) -> None:
        files.append(File.generated(config, uri, **what))

    for source, uri in PAGES.items():
        add(uri, abs_src_path=str(ROOT / source))
    add("reference/command.md", content=_manual())
    add("reference/python.md", content=_python())
    add("reference/c/index.md", content=headers.index(_headers))
    for header in _pages:
        add(f"reference/c/{header.page}", content=headers.page(header))
    add("gallery.md", content=_gallery())
    if films := _folder("SFNEC_FILMS"):
        for film in sorted(films.glob("*.gif")):
            add(f"films/{film.name}", abs_src_path=str(film))
    add(SHIM, abs_src_path=str(Path(os.environ["SFNEC_PACKAGES"]) / "node_modules/iframe-worker/shim/index.js"))
    if game := _folder("SFNEC_PLAYGROUND"):
        add(GAME, abs_src_path=str(game))
    return files


def _link(match: re.Match[str], home: str, page: str) -> str:
    """A link from a file of the tree as one of the site; what is not on the site stays as text."""
    text, target, anchor = match.groups()
    path = posixpath.normpath(posixpath.join(home, target))
    uri = PAGES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
    if uri and not uri.endswith(".1"):
        return f"{text}({posixpath.relpath(uri, posixpath.dirname(page) or '.')}{anchor or ''})"
    return text[1:-1] if (ROOT / path).exists() else match[0]


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    if page.parent is None:
        page.meta["hide"] = ["navigation"]  # it has no neighbours
    source = next((path for path, name in PAGES.items() if name == uri), f"docs/{uri}")
    if (ROOT / source).exists():
        home = posixpath.dirname(source)
        markdown = re.sub(
            r"(!?\[[^\[\]]*\])\((?![a-z]+:)([^()\s#]+)(#[^()\s]*)?\)", lambda m: _link(m, home, uri), markdown
        )
    if uri == "playground.md":
        there = files.get_file_from_path(GAME) is not None
        without = "This copy of the site was made without the playground; `make playground docs` makes one with it."
        note = f"[Open the playground]({GAME}){{ .md-button }}" if there else without
        markdown = markdown.replace("\n\n", f"\n\n{note}\n\n", 1)
    return markdown


def on_page_content(html, page, config, files):
    """Names of the C interface lead to their declarations, and pages that are named as in the tree to themselves."""
    folder = posixpath.dirname(page.file.dest_uri) or "."

    def name(match: re.Match[str]) -> str:
        before, text, after = match.groups()
        place = _declared.get(text)
        return f'{before}<a href="{posixpath.relpath(place, folder)}">{text}</a>{after}' if place else match[0]

    def document(match: re.Match[str]) -> str:
        return f'<a href="{posixpath.relpath(match[1], folder)}.html">{match[1].replace("-", " ")}</a>'

    html = re.sub(r"<code>docs/([\w-]+)\.md</code>", document, html)
    return re.sub(rf"(<code>|<span class=\"\w+\">)({headers.NAME})((?:\(\))?</(?:code|span)>)", name, html)
