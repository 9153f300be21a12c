"""The record of public environments (benchmarks/compat): complete, of pinned versions, and as its page says."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from compat.__main__ import page, put_page, read, run, write
from compat.worlds import WORLDS, World

SOURCE = Path(os.environ["SFNEC_SOURCE"])
rows = read(SOURCE / "benchmarks/compat/results.csv")

# every environment is in the record once, by a version that is pinned
pinned = {
    name.lower(): version
    for name, _, version in (
        line.split("#")[0].strip().partition("==")
        for line in (SOURCE / "benchmarks/compat/requirements.txt").read_text().splitlines()
    )
}
keys = [f"{row['package']}:{row['id']}" for row in rows]
assert keys == [world.key for world in WORLDS] and len(set(keys)) == len(keys) >= 40, "the record is not complete"
assert all(pinned[row["package"]] == row["version"] for row in rows), "the record has other versions"

# none is silently wrong, and what is refused has a sentence
known = {"runs", "refused", "unavailable"}
assert all(row["outcome"] in known for row in rows), [row for row in rows if row["outcome"] not in known]
assert all(len(row["told"].split()) > 5 for row in rows if row["outcome"] == "refused")

# the page is made of it
text = (SOURCE / "docs/compat.md").read_text(encoding="utf-8")
assert page(rows) in text, "docs/compat.md is not made of the record: make compat"
with tempfile.TemporaryDirectory() as folder:
    copy = Path(folder) / "page.md"
    copy.write_text(text, encoding="utf-8")
    put_page(copy, rows)
    assert copy.read_text(encoding="utf-8") == text
    write(Path(folder) / "results.csv", rows[::-1])
    assert read(Path(folder) / "results.csv") == rows

# an environment that cannot be made is told, as is a program that ends
assert run(World("nothing", "Nothing-v0"), "sfnec-plan", 60)["outcome"] == "crashed"
