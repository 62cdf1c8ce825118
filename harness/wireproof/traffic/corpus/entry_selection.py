"""Selection of entries: for each cell the few candidates that cover all classes of all candidates."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import heapify, heappop, heappush

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.cell import CellId
from wireproof.traffic.corpus.candidates import Candidate
from wireproof.traffic.corpus.corpus_entry import GoldenEntry, Tree
from wireproof.traffic.fingerprint.fingerprinter import Fingerprint, Fingerprinter


def covering(candidates: Sequence[tuple[int, int]]) -> list[int]:
    """Choose candidates that together cover all bits of all candidates.

    Each step takes the candidate that adds most bits, then the lightest, then the first.

    Args:
        candidates: the bits of each candidate, and its weight.

    Returns:
        The indices of the chosen candidates in ascending order.
    """
    # The gain of a candidate only shrinks, so one whose gain is unchanged is the best.
    waiting = [(-bits.bit_count(), weight, index) for index, (bits, weight) in enumerate(candidates)]
    heapify(waiting)
    covered = 0
    chosen: list[int] = []
    while waiting:
        gain, weight, index = heappop(waiting)
        adds = (candidates[index][0] & ~covered).bit_count()
        if adds == -gain and adds:
            covered |= candidates[index][0]
            chosen.append(index)
        elif adds:
            heappush(waiting, (-adds, weight, index))
    return sorted(chosen)


@dataclass(frozen=True, slots=True)
class Offer:
    """The fingerprint of one candidate, and its size."""

    fingerprint: Fingerprint
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A chosen candidate: its position among the offers, and its name, the first class that it adds."""

    index: int
    name: str


def choose(
    prints: Fingerprinter,
    offers: Sequence[Offer],
    existing: Sequence[Fingerprint] = (),
    names: Collection[str] = (),
) -> list[Choice]:
    """Choose candidates that together cover every class which no existing entry covers.

    Args:
        offers: the offers of one cell and provenance, in the order of their locations.
        existing, names: the fingerprints and names of the corpus's entries of that cell and provenance.

    Returns:
        The choices, each before those that add less.
    """
    numbering = prints.fingerprint_bits([*(each.fingerprint for each in offers), *existing])
    covered = 0
    for fingerprint in existing:
        covered |= numbering.bits(fingerprint)
    bits = [numbering.bits(each.fingerprint) for each in offers]
    offered = [(each & ~covered, offer.size_bytes) for each, offer in zip(bits, offers, strict=True)]
    taken = set(names)
    choices = []
    for index in _by_gain(offered, covering(offered)):
        name = unused_name(numbering.name(bits[index] & ~covered), taken)
        covered |= bits[index]
        taken.add(name)
        choices.append(Choice(index, name))
    return choices


def entry_fingerprint(
    entry: GoldenEntry, prints: Fingerprinter, layout: MessageLayout, header: MessageLayout | None
) -> Fingerprint:
    """Return the fingerprint of an existing entry. Raises CodecError if its values do not fit its message."""
    head = {} if header is None else _value(header, entry.header or {})
    return prints.fingerprint(head, _value(layout, entry.value))


def entry_from(candidate: Candidate, name: str, release: str) -> GoldenEntry:
    """Make the entry of a chosen candidate."""
    layout, header, origin = candidate.layout, candidate.header, candidate.origin
    head, body = candidate.data[: candidate.head_bytes], candidate.data[candidate.head_bytes :]
    return GoldenEntry(
        str(CellId(release, layout.name, layout.version)),
        origin.provenance,
        name,
        body,
        _tree(layout, fastest_codec(layout).decode(body)),
        head,
        None if header is None else _tree(header, fastest_codec(header).decode(head[PREFIX_BYTES:])),
        about={
            "listener": origin.listener,
            **({"client": origin.client} if origin.client else {}),
            "time": time_text(origin.time_ns),
            "redaction": dict(candidate.replaced),
        },
    )


def _by_gain(offered: Sequence[tuple[int, int]], indices: Collection[int]) -> list[int]:
    """Return the chosen indices, each before those that add less; every one adds something."""
    left, covered = list(indices), 0
    order = []
    while left:
        best = max(
            left, key=lambda index: ((offered[index][0] & ~covered).bit_count(), -offered[index][1], -index)
        )
        left.remove(best)
        covered |= offered[best][0]
        order.append(best)
    return order


def unused_name(name: str, names: Collection[str]) -> str:
    """Return the name, with a number if it is among `names`."""
    number = 2
    found = name
    while found in names:
        found = f"{name}#{number}"
        number += 1
    return found


def _tree(layout: MessageLayout, value: StructValue) -> Tree:
    tree: Tree = json.loads(canonical(layout).to_json(value))
    return tree


def _value(layout: MessageLayout, tree: Tree) -> StructValue:
    value: StructValue = canonical(layout).from_tree(tree)
    return value


def time_text(time_ns: int) -> str:
    """Return a time as entries hold it: UTC, to milliseconds."""
    moment = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{time_ns // 1_000_000 % 1000:03}Z"
