"""The least of a file: without what adds nothing to the other entries of its cell and provenance."""

from collections.abc import Iterator, Sequence
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.corpus.corpus_entry import Entry, Golden, Malformed, Taken
from wireproof.corpus.corpus_file import CorpusFile, head_of
from wireproof.corpus.entry_selection import shown_by
from wireproof.corpus.lint import LayoutsOf
from wireproof.corpus.set_cover import covering
from wireproof.coverage import record_coverage_model
from wireproof.fingerprint import Fingerprinter
from wireproof.model import RECORDS_MODULE, Mutation, Refusal
from wireproof.model.divergence import without_indices

__all__ = ["least", "shown_wrong"]

_ALIKE_BYTES: Final = 64
"""Wrong bytes whose lengths differ by less are alike."""


def least(part: CorpusFile, layouts_of: LayoutsOf) -> tuple[CorpusFile, list[Entry]]:
    """A file without what adds nothing, and what that was, in the order of the file. Of the least nothing
    goes any more.

    Raises:
        LookupError: a cell is not known.
        CodecError: an entry's values are none of its message.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for index, entry in enumerate(part.entries):
        groups.setdefault((entry.cell, entry.provenance), []).append(index)
    gone: set[int] = set()
    for (cell, _), indices in groups.items():
        entries = [part.entries[index] for index in indices]
        shown = _shown(part.head.module, entries, *layouts_of(part.head.module, cell))
        needed = _needed(shown)
        gone.update(index for place, index in enumerate(indices) if place not in needed)
    kept = [entry for index, entry in enumerate(part.entries) if index not in gone]
    return CorpusFile(head_of(part.head.kind, part.head, kept), tuple(kept)), [
        part.entries[index] for index in sorted(gone)
    ]


def shown_wrong(framed: bool, mutation: Mutation, verdict: Taken | Refusal) -> Iterator[object]:
    """The reasons to keep malformed bytes: the operator with Kafka's verdict, and the field."""
    word = verdict.error if isinstance(verdict, Refusal) else ("accepted", *verdict.laxities)
    yield framed, mutation.operator.partition("-at-")[0].partition("=")[0], word
    yield framed, without_indices(mutation.path), isinstance(verdict, Refusal)


def _needed(shown: Sequence[tuple[int, int]]) -> set[int]:
    """The few that show all, each of them something that no other does."""
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
    """The value classes of each entry of a cell, as bits, and its weight."""
    golden = [each for each in entries if isinstance(each, Golden)]
    malformed = [each for each in entries if isinstance(each, Malformed)]
    if malformed:
        return _all_wrong(malformed)
    if module == RECORDS_MODULE:
        sets = record_coverage_model(layout.version)
        looked = [sets.look(canonical(layout).from_tree(each.value)) for each in golden]
    else:
        prints = Fingerprinter(header, layout)
        shown = [shown_by(each, prints, layout, header) for each in golden]
        numbering = prints.fingerprint_bits(shown)
        looked = [numbering.bits(each) for each in shown]
    return [(bits, len(each.frame)) for bits, each in zip(looked, golden, strict=True)]


def _all_wrong(entries: Sequence[Malformed]) -> list[tuple[int, int]]:
    places: dict[object, int] = {}
    found = []
    for entry in entries:
        bits = 0
        for point in shown_wrong(entry.framed, entry.change.mutation, entry.verdict):
            bits |= 1 << places.setdefault(point, len(places))
        found.append((bits, len(entry.data) // _ALIKE_BYTES))
    return found
