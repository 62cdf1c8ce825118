"""Blobs with a wrong label or a tail, and whether our codec and Kafka must read or refuse them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kafkawire.embedded.label import Label
from kafkawire.wire import write_int16, write_uvarint
from wireproof.model.embedding import EmbeddedBlob, Framing
from wireproof.model.kafka.releases import ReleaseFeature

_PREFIX_BYTES: Final = 2


@dataclass(frozen=True, slots=True)
class StrangeBlob:
    """One blob that differs from what was written.

    Attributes:
        name: a name that is unique within the cell.
        read: whether our codec must read it as the original value; else it must refuse it.
        oracle_reads: whether Kafka reads it; None if that is not required: extra or missing bytes of
            the body are judged with the body.
    """

    name: str
    blob: EmbeddedBlob
    read: bool
    oracle_reads: bool | None


def label_bytes(framing: Framing, data: bytes) -> int:
    """Return the number of bytes of a blob's data before the body."""
    match framing:
        case Framing.METADATA_RECORD | Framing.REMOTE_LOG_METADATA:
            ends = [index + 1 for index, byte in enumerate(data[:15]) if byte < 0x80]
            return ends[2] if len(ends) > 2 else len(data)
        case Framing.CONTROL_RECORD | Framing.STICKY:
            return 0
        case _:
            return min(_PREFIX_BYTES, len(data))


def strange_blobs(
    release: str, framing: Framing, label: Label, family: Sequence[Label], blob: EmbeddedBlob
) -> Iterator[StrangeBlob]:
    """The strange blobs that can be made from a right one.

    Args:
        release: the Kafka release, since releases read some blobs differently.
        family: all labels that its framing may have in the release.
    """
    head = label_bytes(framing, blob.data)
    for length in range(head):
        yield StrangeBlob(f"label/cut-at-{length}", replace(blob, data=blob.data[:length]), False, False)
    match framing:
        case Framing.METADATA_RECORD | Framing.REMOTE_LOG_METADATA:
            yield from _record_frames(release, label, family, blob, head)
        case Framing.CONTROL_RECORD:
            yield from _control_keys(family, blob)
        case Framing.STICKY:
            return
        case Framing.COORDINATOR_KEY:
            yield from _prefixes(blob, _unknown_numbers(family, label), read=False)
        case _:
            yield from _versions(release, framing, label, family, blob)


def _versions(
    release: str, framing: Framing, label: Label, family: Sequence[Label], blob: EmbeddedBlob
) -> Iterator[StrangeBlob]:
    newest = max(each.version for each in family)
    lowest = min(each.version for each in family)
    tolerant = framing in _TOLERANT
    unheld = framing is Framing.COORDINATOR_VALUE and not ReleaseFeature.CHECKED_COORDINATOR_VALUES.is_in(
        release
    )
    if not tolerant or label.version == newest:
        above = {"above": newest + 1, "highest": 0x7FFF}
        yield from _prefixes(blob, above, read=tolerant, held=not unheld)
    if tolerant and label.version == newest:
        longer = replace(blob, data=write_int16(newest + 1) + blob.data[_PREFIX_BYTES:] + b"\x00\x07")
        yield StrangeBlob("label/above-with-more", longer, True, True)
    yield from _prefixes(blob, {"below": lowest - 1, "lowest": -0x8000}, read=False, held=not unheld)


_TOLERANT: Final = (
    Framing.SUBSCRIPTION,
    Framing.ASSIGNMENT,
    Framing.TRANSACTION_MARKER,
    Framing.CONTROL_TYPE,
    Framing.CONNECT_METADATA,
    Framing.CONNECT_ASSIGNMENT,
)
"""The framings whose readers take an unknown version for the newest that they know."""


def _prefixes(
    blob: EmbeddedBlob, numbers: dict[str, int], *, read: bool, held: bool = True
) -> Iterator[StrangeBlob]:
    for name, number in numbers.items():
        data = write_int16(number) + blob.data[_PREFIX_BYTES:]
        yield StrangeBlob(f"label/{name}", replace(blob, data=data), read, read if held else None)


def _unknown_numbers(family: Sequence[Label], label: Label) -> dict[str, int]:
    known = {each.version if label.type is None else each.type or 0 for each in family}
    return {"unknown": max(known) + 1, "highest": 0x7FFF, "negative": -1}


def _record_frames(
    release: str, label: Label, family: Sequence[Label], blob: EmbeddedBlob, head: int
) -> Iterator[StrangeBlob]:
    body = blob.data[head:]
    frame, kind, version = blob.data[0], label.type or 0, label.version
    types = {each.type or 0 for each in family}
    newest = max(each.version for each in family if each.type == label.type)
    beyond = max(types) + 1

    def of(name: str, parts: Sequence[int], *, oracle_reads: bool | None = False) -> StrangeBlob:
        data = b"".join(map(write_uvarint, parts)) + body
        return StrangeBlob(f"label/{name}", EmbeddedBlob(data), False, oracle_reads)

    yield of("frame-above", (frame + 1, kind, version))
    yield of("frame-zero" if frame else "frame-two", (0 if frame else 2, kind, version))
    yield of("frame-too-large", (0x8000, kind, version))
    yield of("type-unknown", (frame, beyond, version))
    # 2.8 cuts types and versions down to 16 bits.
    cut = not ReleaseFeature.CHECKED_METADATA_RECORDS.is_in(release)
    yield of("type-too-large", (frame, 0x10000 + kind, version), oracle_reads=cut)
    yield of("version-too-large", (frame, kind, 0x8000), oracle_reads=None if cut else False)
    longer = bytes((frame | 0x80, 0)) + blob.data[1:]
    yield StrangeBlob("label/over-long", EmbeddedBlob(longer), True, True)
    yield StrangeBlob("label/tail", EmbeddedBlob(blob.data + b"\x00"), False, cut)
    # Kafka's serde does not check the version, only structs within the message do: it may read this blob.
    yield of("version-above", (frame, kind, newest + 1), oracle_reads=None)


def _control_keys(family: Sequence[Label], blob: EmbeddedBlob) -> Iterator[StrangeBlob]:
    key = blob.key or b""
    known = {each.type or 0 for each in family}

    def of(name: str, changed: bytes, *, read: bool = False) -> StrangeBlob:
        return StrangeBlob(f"label/{name}", replace(blob, key=changed), read, read)

    for length in range(len(key)):
        yield of(f"key-cut-at-{length}", key[:length])
    yield of("type-unknown", key[:2] + write_int16(max(known) + 1))
    yield of("type-transaction", key[:2] + write_int16(1))
    yield of("key-version-below", write_int16(-1) + key[2:])
    yield of("key-version-above", write_int16(1) + key[2:], read=True)
    yield of("key-longer", key + b"\x07", read=True)
