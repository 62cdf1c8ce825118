"""Layouts of a real release, out of the schema snapshot."""

import json
from functools import cache
from pathlib import Path

from kafkawire.schema import MessageLayout, SchemaSet, from_snapshot, resolve

SNAPSHOT = Path(__file__).parents[3] / "corpus" / "schemas" / "4.4.0.json"


@cache
def schemas() -> SchemaSet:
    """Every message of 4.4.0."""
    return from_snapshot(json.loads(SNAPSHOT.read_text(encoding="utf-8")))


@cache
def real(message: str, version: int) -> MessageLayout:
    """The layout of a message of 4.4.0."""
    return resolve(schemas().find(message)[1], version)


@cache
def all_layouts() -> tuple[MessageLayout, ...]:
    """Every cell of 4.4.0."""
    return tuple(resolve(spec, version) for _, spec in schemas() for version in spec.valid_versions)
