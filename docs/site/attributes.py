"""Lets griffe read what stands behind `#:` on the line of an attribute as its docstring."""

import re

import griffe


class Attributes(griffe.Extension):
    def on_attribute_instance(self, *, attr: griffe.Attribute, **_: object) -> None:
        found = re.search(r"#: (.*)$", attr.source.splitlines()[0]) if attr.docstring is None and attr.source else None
        if found:
            text = found[1][0].upper() + found[1][1:] + "."
            attr.docstring = griffe.Docstring(text, lineno=attr.lineno, endlineno=attr.lineno, parent=attr)
