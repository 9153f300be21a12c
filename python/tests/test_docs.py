"""The Python code of README and docs/ runs: the blocks of a page one after the other, in a fresh folder."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sfnec

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^(?:<!-- not run: .* -->\n\n)?```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def code_of(page: Path) -> str:
    """The blocks of a page; those that a comment before them leaves out are missing."""
    text = page.read_text(encoding="utf-8")
    return "\n".join(match[1] for match in BLOCK.finditer(text) if not match[0].startswith("<!--"))


def pages() -> list[Path]:
    notes = ROOT / "docs/notebook"
    found = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if notes not in page.parents and code_of(page)]


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = code_of(page)
    # a page of an agent or an environment shows a few lines, without what everybody begins with
    exec(compile(code, str(page), "exec"), {"sfnec": sfnec, "__name__": "page"})


def test_broken_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nx = 1\n```\n\n<!-- not run: slow -->\n\n```python\n1 / 0\n```\n\n```python\nassert x == 2\n```\n"
    )
    with pytest.raises(AssertionError):
        exec(compile(code_of(page), str(page), "exec"), {})
