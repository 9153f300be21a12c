"""Comparison: agents of this library and of others on public worlds, by one protocol (docs/field.md)."""
