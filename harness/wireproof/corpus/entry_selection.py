"""Candidates of a capture -> entries: of each cell the few that show all that any of them shows."""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.corpus.candidates import Candidate
from wireproof.corpus.corpus_entry import Golden, Provenance, Tree
from wireproof.corpus.set_cover import covering
from wireproof.fingerprint import Fingerprint, Fingerprinter
from wireproof.model import CellId

__all__ = ["Choice", "Offer", "choose", "entry_from", "merged", "shown_by", "time_text"]

_RANK: Final = {each: rank for rank, each in enumerate(Provenance)}


@dataclass(frozen=True, slots=True)
class Offer:
    """The fingerprint of one candidate, and its size."""

    fingerprint: Fingerprint
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One that was chosen.

    Attributes:
        index: its place among what was offered.
        name: of the entry: the first thing that it adds.
    """

    index: int
    name: str


def choose(
    prints: Fingerprinter,
    offers: Sequence[Offer],
    there: Sequence[Fingerprint] = (),
    names: Collection[str] = (),
) -> list[Choice]:
    """Those that show together what any shows and no entry that is there does, each before those that add
    less to it.

    Args:
        offers: of one cell and provenance, in the order of their places.
        there, names: of the entries of that cell and provenance which the corpus has already.
    """
    numbering = prints.fingerprint_bits([*(each.fingerprint for each in offers), *there])
    met = 0
    for shown in there:
        met |= numbering.bits(shown)
    bits = [numbering.bits(each.fingerprint) for each in offers]
    offered = [(each & ~met, offer.size_bytes) for each, offer in zip(bits, offers, strict=True)]
    taken = set(names)
    choices = []
    for index in _by_gain(offered, covering(offered)):
        name = _unique(numbering.name(bits[index] & ~met), taken)
        met |= bits[index]
        taken.add(name)
        choices.append(Choice(index, name))
    return choices


def shown_by(
    entry: Golden, prints: Fingerprinter, layout: MessageLayout, header: MessageLayout | None
) -> Fingerprint:
    """The fingerprint of an existing entry.

    Raises:
        CodecError: its values are none of its message.
    """
    head = {} if header is None else _value(header, entry.header or {})
    return prints.fingerprint(head, _value(layout, entry.value))


def entry_from(candidate: Candidate, name: str, release: str) -> Golden:
    """A candidate that was chosen."""
    layout, header, whence = candidate.layout, candidate.header, candidate.whence
    head, body = candidate.data[: candidate.head_bytes], candidate.data[candidate.head_bytes :]
    return Golden(
        str(CellId(release, layout.name, layout.version)),
        whence.provenance,
        name,
        body,
        _tree(layout, compile_layout(layout).decode(body)),
        head,
        None if header is None else _tree(header, compile_layout(header).decode(head[PREFIX_BYTES:])),
        about={
            "listener": whence.listener,
            **({"client": whence.client} if whence.client else {}),
            "time": time_text(whence.time_ns),
            "redaction": dict(candidate.replaced),
        },
    )


def merged(there: Iterable[Golden], new: Iterable[Golden]) -> list[Golden]:
    """All entries of a message in the order of a file: by version, then by provenance, then as they came."""
    every = [*there, *new]
    return sorted(every, key=lambda entry: (CellId.parse(entry.cell).version, _RANK[entry.provenance]))


def _by_gain(offered: Sequence[tuple[int, int]], indices: Collection[int]) -> list[int]:
    """The chosen ones, each before those that add less to it: every one of them adds something."""
    left, met = list(indices), 0
    order = []
    while left:
        best = max(
            left, key=lambda index: ((offered[index][0] & ~met).bit_count(), -offered[index][1], -index)
        )
        left.remove(best)
        met |= offered[best][0]
        order.append(best)
    return order


def _unique(name: str, names: Collection[str]) -> str:
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
    """As entries tell it: UTC, to milliseconds."""
    moment = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{time_ns // 1_000_000 % 1000:03}Z"
