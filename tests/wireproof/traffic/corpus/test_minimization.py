"""A minimal corpus covers the same classes as the whole corpus, and no entry of it can be removed."""

from dataclasses import replace
from typing import Any

import pytest

from kafkawire.canonical import canonical
from tests.support.environments import small_corpus, small_environment
from tests.wireproof.traffic.corpus.small_layouts import ENVIRONMENT, layouts_of
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, MalformedEntry, Provenance
from wireproof.traffic.corpus.corpus_file import CorpusFile, CorpusKind, corpus_file_text, head_of
from wireproof.traffic.corpus.formatting import minimize, reasons_to_keep
from wireproof.traffic.fingerprint.fingerprinter import Fingerprinter

CELLS = [small_environment.cell("PingRequest", version) for version in (0, 3)]
GOLDEN, MALFORMED = small_corpus.parts_of(ENVIRONMENT, CELLS)


def part(kind, like, entries):
    return CorpusFile(head_of(kind, like.head, entries), tuple(entries))


def shown(entries):
    """Return the classes that entries cover, by cell and provenance."""
    eyes: dict[object, Any] = {}
    found: dict[tuple[str, str], set[object]] = {}
    for entry in entries:
        layout, header = layouts_of("clients", entry.cell)
        if isinstance(entry, MalformedEntry):
            points = reasons_to_keep(entry.framed, entry.change.mutation, entry.verdict)
            found.setdefault((entry.cell, entry.provenance), set()).update(points)
            continue
        eye = eyes.setdefault(entry.cell, Fingerprinter(header, layout))
        assert isinstance(entry, GoldenEntry)
        values = canonical(header).from_tree(entry.header), canonical(layout).from_tree(entry.value)
        key = entry.cell, entry.provenance
        looked = eye.fingerprint(*values)
        classes = eye.class_names(looked.bits)
        found.setdefault(key, set()).update([*classes, *looked.errors, looked.has_content])
    return found


@pytest.mark.parametrize("whole", [GOLDEN, MALFORMED], ids=["golden", "malformed"])
def test_the_minimal_corpus_covers_the_same_classes(whole):
    """No class is lost, each removed entry was covered by others, and the order stays."""
    smaller, gone = minimize(whole, layouts_of)

    assert shown(smaller.entries) == shown(whole.entries)
    assert [each for each in whole.entries if each not in gone] == list(smaller.entries)
    assert smaller.head == head_of(whole.head.kind, whole.head, smaller.entries)
    for index, entry in enumerate(smaller.entries):
        others = [*smaller.entries[:index], *smaller.entries[index + 1 :]]
        assert shown(others) != shown(smaller.entries), entry.name


@pytest.mark.parametrize("whole", [GOLDEN, MALFORMED], ids=["golden", "malformed"])
def test_minimizing_twice_changes_nothing(whole):
    """The second minimization changes no byte."""
    smaller, _ = minimize(whole, layouts_of)

    assert minimize(smaller, layouts_of) == (smaller, [])


def test_duplicates_are_removed_within_a_provenance():
    """Of two entries with the same classes the larger one is removed; one of another provenance stays."""
    smaller, _ = minimize(GOLDEN, layouts_of)
    first = smaller.entries[0]
    duplicate = replace(first, name="duplicate")
    seen = replace(first, provenance=Provenance.CAPTURED)
    again, gone = minimize(part(CorpusKind.GOLDEN, GOLDEN, [*smaller.entries, duplicate, seen]), layouts_of)

    assert gone == [duplicate]
    assert seen in again.entries
    assert corpus_file_text(again) != corpus_file_text(smaller)
