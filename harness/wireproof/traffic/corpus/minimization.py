"""Minimization of a file: removal of entries that add nothing to the others of their cell and provenance."""

from collections.abc import Iterator, Sequence
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model.cell import RECORDS_MODULE
from wireproof.model.coverage.record_set_model import record_coverage_model
from wireproof.model.divergence import without_indices
from wireproof.model.malformed_input import Mutation
from wireproof.model.oracle import Refusal
from wireproof.traffic.corpus.corpus_entry import AcceptedReading, Entry, GoldenEntry, MalformedEntry
from wireproof.traffic.corpus.corpus_file import CorpusFile, head_of
from wireproof.traffic.corpus.entry_selection import covering, entry_fingerprint
from wireproof.traffic.corpus.formatting import LayoutsOf
from wireproof.traffic.fingerprint.fingerprinter import Fingerprinter

_ALIKE_BYTES: Final = 64
"""Malformed bytes have equal weight if their lengths differ by less."""


def minimize(part: CorpusFile, layouts_of: LayoutsOf) -> tuple[CorpusFile, list[Entry]]:
    """Remove the entries that add nothing; return the file and those entries. A second call removes none.

    Raises:
        LookupError: a cell is unknown.
        CodecError: an entry's values do not fit its message.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for index, entry in enumerate(part.entries):
        groups.setdefault((entry.cell, entry.provenance), []).append(index)
    removed: set[int] = set()
    for (cell, _), indices in groups.items():
        entries = [part.entries[index] for index in indices]
        shown = _shown(part.head.module, entries, *layouts_of(part.head.module, cell))
        needed = _needed(shown)
        removed.update(index for position, index in enumerate(indices) if position not in needed)
    kept = [entry for index, entry in enumerate(part.entries) if index not in removed]
    return CorpusFile(head_of(part.head.kind, part.head, kept), tuple(kept)), [
        part.entries[index] for index in sorted(removed)
    ]


def reasons_to_keep(framed: bool, mutation: Mutation, verdict: AcceptedReading | Refusal) -> Iterator[object]:
    """Iterate over the reasons to keep malformed bytes: the operator with Kafka's verdict, and the field."""
    outcome = verdict.error if isinstance(verdict, Refusal) else ("accepted", *verdict.leniencies)
    yield framed, mutation.operator.partition("-at-")[0].partition("=")[0], outcome
    yield framed, without_indices(mutation.path), isinstance(verdict, Refusal)


def _needed(shown: Sequence[tuple[int, int]]) -> set[int]:
    """Return the indices of a few entries that cover all classes; each covers one that no other does."""
    needed = set(covering(shown))
    for index in sorted(needed, key=lambda each: (shown[each][0].bit_count(), -shown[each][1], -each)):
        others = 0
        for other in needed - {index}:
            others |= shown[other][0]
        if not shown[index][0] & ~others:
            needed.remove(index)
    return needed


def _shown(
    module: str, entries: Sequence[Entry], layout: MessageLayout, header: MessageLayout | None
) -> list[tuple[int, int]]:
    """Return the classes of each entry of a cell as bits, and its weight."""
    golden = [each for each in entries if isinstance(each, GoldenEntry)]
    malformed = [each for each in entries if isinstance(each, MalformedEntry)]
    if malformed:
        return _classes_of_malformed(malformed)
    if module == RECORDS_MODULE:
        sets = record_coverage_model(layout.version)
        covered = [sets.look(canonical(layout).from_tree(each.value)) for each in golden]
    else:
        prints = Fingerprinter(header, layout)
        shown = [entry_fingerprint(each, prints, layout, header) for each in golden]
        numbering = prints.fingerprint_bits(shown)
        covered = [numbering.bits(each) for each in shown]
    return [(bits, len(each.frame)) for bits, each in zip(covered, golden, strict=True)]


def _classes_of_malformed(entries: Sequence[MalformedEntry]) -> list[tuple[int, int]]:
    numbers: dict[object, int] = {}
    found = []
    for entry in entries:
        bits = 0
        for point in reasons_to_keep(entry.framed, entry.change.mutation, entry.verdict):
            bits |= 1 << numbers.setdefault(point, len(numbers))
        found.append((bits, len(entry.data) // _ALIKE_BYTES))
    return found
