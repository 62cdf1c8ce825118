"""Check a corpus beyond the format of each file."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.model import CellId
from wireproof.traffic.corpus.corpus_entry import AcceptedReading, Entry, GoldenEntry, MalformedEntry, Tree
from wireproof.traffic.corpus.corpus_errors import Problem
from wireproof.traffic.corpus.corpus_file import CorpusFile
from wireproof.traffic.corpus.corpus_folder import corpus_file_path

LayoutsOf: TypeAlias = Callable[[str, str], tuple[MessageLayout, MessageLayout | None]]
"""Maps module and cell to the layouts of the cell and its header; raises LookupError for an unknown cell."""


def lint_corpus_file(
    part: CorpusFile, place: str, layouts_of: LayoutsOf, *, in_folder: bool
) -> Iterator[Problem]:
    """Iterate over the problems of a file that was read: its name, the order of its entries, their values.

    Args:
        in_folder: True if `place` is a path that has to match the head.
    """
    if in_folder and not Path(place).resolve().as_posix().endswith(f"/{corpus_file_path(part.head)}"):
        yield Problem(place, 1, f"its content belongs in {corpus_file_path(part.head)}")
    versions = [CellId.parse(entry.cell).version for entry in part.entries]
    if versions != sorted(versions):
        yield Problem(place, 1, "the entries are not in the order of their versions")
    names: set[tuple[str, str, str]] = set()
    for number, entry in enumerate(part.entries, 2):
        name = entry.cell, entry.provenance, entry.name
        if name in names:
            yield Problem(place, number, f"{entry.cell} has two entries {entry.name!r}")
        names.add(name)
        for message in _faults(part.head.module, entry, layouts_of):
            yield Problem(place, number, message)


def _faults(module: str, entry: Entry, layouts_of: LayoutsOf) -> Iterator[str]:
    try:
        layout, header = layouts_of(module, entry.cell)
    except LookupError:
        yield f"{entry.cell} is not a known cell"
        return
    match entry:
        case GoldenEntry():
            if (entry.header is None) != (header is None):
                yield "either the entry or its message has a header, but not both"
            yield from faults_of_value(layout, entry.value, "value")
            if header is not None and entry.header is not None:
                yield from faults_of_value(header, entry.header, "header")
        case MalformedEntry(verdict=AcceptedReading(value=value, header=head)):
            yield from faults_of_value(layout, value, "value")
            if header is not None and head is not None:
                yield from faults_of_value(header, head, "header")
        case MalformedEntry():
            pass


def faults_of_value(layout: MessageLayout, tree: Tree, member: str) -> Iterator[str]:
    """Iterate over the reasons why a tree is not the canonical JSON of a value."""
    form = canonical(layout)
    try:
        same = form.to_json(form.from_tree(tree)) == _text(tree)
    except CodecError as error:
        yield f"its {member} does not fit {layout.name} version {layout.version}: {error}"
        return
    if not same:
        yield f"its {member} is not in canonical form"


def _text(tree: Tree) -> str:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
