"""Check a corpus beyond the format of each file."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.corpus.corpus_entry import Entry, Golden, Malformed, Taken, Tree
from wireproof.corpus.corpus_errors import Problem
from wireproof.corpus.corpus_file import CorpusFile
from wireproof.corpus.corpus_folder import corpus_file_path
from wireproof.model import CellId

__all__ = ["LayoutsOf", "faults_of_value", "lint_corpus_file"]

LayoutsOf: TypeAlias = Callable[[str, str], tuple[MessageLayout, MessageLayout | None]]
"""(module, cell) -> the layout of the cell, and that of its header; a LookupError where there is no such
cell."""


def lint_corpus_file(
    part: CorpusFile, place: str, layouts_of: LayoutsOf, *, in_folder: bool
) -> Iterator[Problem]:
    """Problems of a file that was read: its name, the order of its entries, their values.

    Args:
        in_folder: whether `place` is a path whose end must say what the file holds.
    """
    if in_folder and not Path(place).resolve().as_posix().endswith(f"/{corpus_file_path(part.head)}"):
        yield Problem(place, 1, f"what it holds belongs in {corpus_file_path(part.head)}")
    versions = [CellId.parse(entry.cell).version for entry in part.entries]
    if versions != sorted(versions):
        yield Problem(place, 1, "the entries are not in the order of their versions")
    names: set[tuple[str, str, str]] = set()
    for number, entry in enumerate(part.entries, 2):
        name = entry.cell, entry.provenance, entry.name
        if name in names:
            yield Problem(place, number, f"{entry.cell} has two entries {entry.name!r}")
        names.add(name)
        for words in _faults(part.head.module, entry, layouts_of):
            yield Problem(place, number, words)


def _faults(module: str, entry: Entry, layouts_of: LayoutsOf) -> Iterator[str]:
    try:
        layout, header = layouts_of(module, entry.cell)
    except LookupError:
        yield f"{entry.cell} is no cell that is known"
        return
    match entry:
        case Golden():
            if (entry.header is None) != (header is None):
                yield "it has a header where its message has none, or none where it has one"
            yield from faults_of_value(layout, entry.value, "value")
            if header is not None and entry.header is not None:
                yield from faults_of_value(header, entry.header, "header")
        case Malformed(verdict=Taken(value=value, header=head)):
            yield from faults_of_value(layout, value, "value")
            if header is not None and head is not None:
                yield from faults_of_value(header, head, "header")
        case Malformed():
            pass


def faults_of_value(layout: MessageLayout, tree: Tree, what: str) -> Iterator[str]:
    """The reasons why a tree is not the canonical JSON of a value; none where it is."""
    form = canonical(layout)
    try:
        same = form.to_json(form.from_tree(tree)) == _text(tree)
    except CodecError as error:
        yield f"its {what} is none of {layout.name} version {layout.version}: {error}"
        return
    if not same:
        yield f"its {what} is not written in canonical form"


def _text(tree: Tree) -> str:
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"))
