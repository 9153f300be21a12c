"""What MkDocs does besides reading docs/: pages that come from elsewhere in the tree, and links between all of them.

Pages that are made here: CHANGELOG and CONTRIBUTING as they stand in the tree; the manual page, by mandoc; the C
interface, from the headers (headers.py); the Python interface, from its docstrings (mkdocstrings); the gallery, from
films.txt. Figures get a dark variant (figures.py), formulas become MathML (formulas.mjs), and functions that a page
names as `src/FILE.c:NAME` get the number of their line. SFNEC_FILMS names the folder of the films and SFNEC_PLAYGROUND
the page of the playground, if they are there; SFNEC_PACKAGES is the folder of the packages of package.json. build.sh
sets them.
"""

from __future__ import annotations

import ast
import json
import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT / "scripts")]
import figures  # noqa: E402
import headers  # noqa: E402
from pages import blocks  # noqa: E402

# files of the tree that are pages, and what they are called on the site; the other pages are docs/NAME.md
PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
ALIASES = {"README.md": "index.md"}  # files of the tree that have a page of their own on the site
SHIM = "javascripts/iframe-worker.js"  # lets the search work from a file, where browsers allow no workers
GAME = "app/playground.html"
# pages of the Python interface: title, what it is, names. Public names that no page has go to the last one
PYTHON = {
    "agent": ("Agent", "An agent and its tasks.", ["Agent", "Task", "Preset", "Option", "presets", "options"]),
    "environments": (
        "Environments",
        "The library's environments, alone and for Gymnasium.",
        ["World", "EnvironmentKind", "environments", "gym", "discrete"],
    ),
    "studies": ("Studies", "Running studies, and their results.", ["run", "Results", "command"]),
    "training": (
        "Training",
        "What happens while an agent learns.",
        ["Progress", "Episode", "callbacks", "loggers"],
    ),
    "answers": ("Answers and errors", "What an agent answers, and how calls fail.", ["Evaluation", "Explanation"]),
}

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


def _python() -> dict[str, str]:
    """The pages of everything that `sfnec.__all__` names, and of the public modules."""
    tree = ast.parse((ROOT / "python/sfnec/__init__.py").read_text(encoding="utf-8"))
    public = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    )
    named = {name for _, _, names in PYTHON.values() for name in names}
    PYTHON["answers"][2].extend(name for name in public if name not in named)
    index = ["# The Python interface", "Made from the docstrings. The guide is [Python](../python.md)."]
    pages = {}
    for page, (title, what, names) in PYTHON.items():
        links = "\n".join(f"- [`sfnec.{name}`][sfnec.{name}]" for name in names)
        index.append(f'## [{title}](python/{page}.md)\n\n{what}\n\n<div class="names" markdown>\n\n{links}\n\n</div>')
        pages[f"python/{page}.md"] = "\n\n".join([f"# {title}", what, *(f"::: sfnec.{name}" for name in names)]) + "\n"
    return {"python.md": "\n\n".join(index) + "\n", **pages}


def _films() -> list[list[str]]:
    """The blocks of films.txt: file name, what is seen, and the commands."""
    text = (Path(__file__).parent / "films.txt").read_text(encoding="utf-8")
    blocks = [[line for line in block.splitlines() if not line.startswith("#")] for block in text.split("\n\n")]
    return [block for block in blocks if block]


def _gallery() -> str:
    folder = _folder("SFNEC_FILMS")
    about = "Saved agents play, without learning. [Watch and film an agent](watch.md) explains what is drawn."
    out = ["# Gallery", about]
    for name, seen, *commands in _films():
        out.append(f"## {name[0].upper()}{name[1:].replace('-', ' ')}\n\n{seen}")
        if folder and (folder / f"{name}.gif").exists():
            out.append(f"![An episode: {name.replace('-', ' ')}](films/{name}.gif)")
        out.append("\n".join(f"    {command}" for command in commands))
    return "\n\n".join(out) + "\n"


def on_config(config):
    config.extra["polyfills"] = [SHIM]
    version = re.search(r"project\(sfnec VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    config.site_name = f"sfnec {version}"
    return config


def on_files(files, config):
    def add(uri: str, **what: str) -> None:
        files.append(File.generated(config, uri, **what))

    for source, uri in PAGES.items():
        add(uri, abs_src_path=str(ROOT / source))
    add("reference/command.md", content=_manual())
    for page, content in _python().items():
        add(f"reference/{page}", content=content)
    add("reference/c/index.md", content=headers.index(_headers))
    for header in _pages:
        add(f"reference/c/{header.page}", content=headers.page(header))
    add("gallery.md", content=_gallery())
    if films := _folder("SFNEC_FILMS"):
        for film in sorted(films.glob("*.gif")):
            add(f"films/{film.name}", abs_src_path=str(film))
    for figure in sorted((ROOT / "docs/figures").glob("*.svg")):
        light, dark = figures.variants(figure.read_text(encoding="utf-8"))
        files.remove(files.get_file_from_path(f"figures/{figure.name}"))
        add(f"figures/{figure.name}", content=light)
        add(f"figures/{figure.stem}-dark.svg", content=dark)
    add(SHIM, abs_src_path=str(Path(os.environ["SFNEC_PACKAGES"]) / "node_modules/iframe-worker/shim/index.js"))
    if game := _folder("SFNEC_PLAYGROUND"):
        add(GAME, abs_src_path=str(game))
    return files


def _link(match: re.Match[str], home: str, page: str) -> str:
    """A link from a file of the tree as one of the site; what is not on the site stays as text."""
    text, target, anchor = match.groups()
    path = posixpath.normpath(posixpath.join(home, target))
    uri = PAGES.get(path) or ALIASES.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
    if uri and not uri.endswith(".1"):
        return f"{text}({posixpath.relpath(uri, posixpath.dirname(page) or '.')}{anchor or ''})"
    return text[1:-1] if (ROOT / path).exists() else match[0]


# ---- what stands in pages ----


def _formulas(markdown: str) -> str:
    """Formulas as MathML: blocks of the language math, and $`...`$ in a line."""
    pattern = re.compile(r"^```math\n(.*?)^```$|\$`(.+?)`\$", re.MULTILINE | re.DOTALL)
    found = list(pattern.finditer(markdown))
    if not found:
        return markdown
    asked = json.dumps([[match[1] or match[2], match[1] is not None] for match in found])
    command = ["node", str(Path(__file__).with_name("formulas.mjs")), os.environ["SFNEC_PACKAGES"]]
    made = iter(json.loads(subprocess.run(command, check=True, input=asked, capture_output=True, text=True).stdout))
    # the TeX that KaTeX keeps beside its MathML would be taken for Markdown
    plain = (re.sub(r"<annotation.*?</annotation>", "", each, flags=re.DOTALL) for each in made)
    block = '<div class="formula">{}</div>'
    return pattern.sub(lambda match: next(plain) if match[2] else block.format(next(plain)), markdown)


SHELL = re.compile(r"(?:sfnec|sfnec-bench|make|pip|cmake|ctest|cc|export|mpirun|sbatch|python3?|[A-Z]+=\S+ \w)\b")


def _coloured(markdown: str) -> str:
    """Indented transcripts and commands as fenced blocks with a language, so that they have colours."""
    lines = markdown.splitlines()
    for start, end, indent in reversed(list(blocks(lines))):
        first = lines[start].removeprefix("    ")
        if indent != "    " or lines[start - 1].startswith("```"):
            continue
        language = "console" if first.startswith("$ ") else "sh" if SHELL.match(first) else None
        if language:
            body = [line.removeprefix("    ") for line in lines[start:end]]
            lines[start:end] = [f"```{language}", *body, "```"]
    return "\n".join(lines) + "\n"


def _figures(markdown: str) -> str:
    """A figure in both themes; either opens alone, where it can be enlarged."""

    def both(match: re.Match[str]) -> str:
        text, path = match.groups()
        dark = path.replace(".svg", "-dark.svg")
        return "".join(
            f"[![{text}]({each}){{ .only-{theme} }}]({each})" for theme, each in (("light", path), ("dark", dark))
        )

    return re.sub(r"!\[([^\]]*)\]\(((?:\.\./)*figures/[\w-]+\.svg)\)", both, markdown)


def _line_of(path: str, name: str) -> int:
    """The line on which a function is defined."""
    pattern = re.compile(rf"^[a-z_][^;]*\b{name}\(")
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
        if pattern.match(line):
            return number
    raise SystemExit(f"docs: {path} defines no {name}")


def _sources(markdown: str) -> str:
    """`src/FILE.c:NAME` with the number of its line."""
    return re.sub(
        r"`(src/[\w/]+\.[ch]):(\w+)`",
        lambda match: f"`{match[2]}()` in `{match[1]}:{_line_of(match[1], match[2])}`",
        markdown,
    )


def on_page_markdown(markdown, page, config, files):
    uri = page.file.src_uri
    if page.parent is None:
        page.meta.setdefault("hide", ["navigation"])  # it has no neighbours
    source = next((path for path, name in PAGES.items() if name == uri), f"docs/{uri}")
    if (ROOT / source).exists():
        home = posixpath.dirname(source)
        markdown = re.sub(
            r"(!?\[[^\[\]]*\])\((?![a-z]+:)([^()\s#]+)(#[^()\s]*)?\)", lambda m: _link(m, home, uri), markdown
        )
    markdown = _formulas(_figures(_sources(_coloured(markdown))))
    if uri == "playground.md":
        there = files.get_file_from_path(GAME) is not None
        without = "This copy of the site was made without the playground; `make playground docs` makes one with it."
        frame = f'<iframe class="game" src="{GAME}" title="The playground" loading="lazy"></iframe>'
        button = f"[Open the playground]({GAME}){{ .md-button .md-button--primary }}"
        note = f"{button}\n\n{frame}" if there else without
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
