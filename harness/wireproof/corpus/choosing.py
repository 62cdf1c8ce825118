"""Candidates of a capture -> entries: of each cell the few that show all that any of them shows."""

import json
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.schema import MessageLayout
from kafkawire.values import StructValue
from wireproof.corpus.cover import covering
from wireproof.corpus.entry import Golden, Provenance, Tree
from wireproof.corpus.gathering import Candidate
from wireproof.frames import Fingerprint

__all__ = ["bits_of", "chosen", "merged"]

_RANK: Final = {each: rank for rank, each in enumerate(Provenance)}


def chosen(
    candidates: Sequence[Candidate],
    fingerprint: Fingerprint,
    header: MessageLayout | None,
    release: str,
    there: Sequence[Golden] = (),
) -> list[Golden]:
    """Entries for what no entry that is there shows, named by the first thing that each adds.

    Args:
        candidates: of one cell and provenance, in the order of the capture.
        header: the layout of the header before the message; None where it has none.
        there: entries of that cell and provenance which the corpus has already.
    """
    if not candidates:
        return []
    met = 0
    for entry in there:
        met |= bits_of(entry, fingerprint, candidates[0].layout, header)
    offered = [(each.bits & ~met, len(each.data)) for each in candidates]
    names = {entry.name for entry in there}
    entries = []
    for index in _by_gain(offered, covering(offered)):
        fresh = candidates[index].bits & ~met
        met |= candidates[index].bits
        name = _unique(fingerprint.name(fresh), names)
        names.add(name)
        entries.append(_entry(candidates[index], name, header, release))
    return entries


def bits_of(
    entry: Golden, fingerprint: Fingerprint, layout: MessageLayout, header: MessageLayout | None
) -> int:
    """The fingerprint of an entry that is there.

    Raises:
        CodecError: its values are none of its message.
    """
    head = {} if header is None else _value(header, entry.header or {})
    return fingerprint.look(head, _value(layout, entry.value))


def merged(there: Iterable[Golden], new: Iterable[Golden]) -> list[Golden]:
    """All entries of a message in the order of a file: by version, then by provenance, then as they came."""
    every = [*there, *new]
    return sorted(every, key=lambda entry: (int(entry.cell.rpartition("/")[2]), _RANK[entry.provenance]))


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


def _entry(candidate: Candidate, name: str, header: MessageLayout | None, release: str) -> Golden:
    layout = candidate.layout
    return Golden(
        f"{release}/{layout.name}/{layout.version}",
        candidate.provenance,
        name,
        candidate.data[candidate.head_bytes :],
        _tree(layout, candidate.body),
        candidate.data[: candidate.head_bytes],
        None if header is None else _tree(header, candidate.header),
        about={
            "listener": candidate.listener,
            **({"client": candidate.client} if candidate.client else {}),
            "time": _time(candidate.time_ns),
            "redaction": dict(candidate.replaced),
        },
    )


def _tree(layout: MessageLayout, value: Tree) -> Tree:
    tree: Tree = json.loads(canonical(layout).to_json(dict(value)))
    return tree


def _value(layout: MessageLayout, tree: Tree) -> StructValue:
    value: StructValue = canonical(layout).from_tree(tree)
    return value


def _time(time_ns: int) -> str:
    moment = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{time_ns // 1_000_000 % 1000:03}Z"
