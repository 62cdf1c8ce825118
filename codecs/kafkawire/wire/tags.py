"""Tagged fields (KIP-482, "Tag Sections"): a count, then for each field its tag, its size and its data.

All three numbers are unsigned varints; the tags of one section ascend strictly.
"""

from collections.abc import Mapping
from typing import Final

from kafkawire.errors import DecodeError, Fault
from kafkawire.wire.numbers import truncated
from kafkawire.wire.varints import read_uvarint, size_uvarint, write_uvarint

MAX_UNKNOWN_TAG: Final = 2**31 - 2
"""The highest tag that may be written (Kafka: `RawTaggedFieldWriter`, which reserves 2^31 - 1).

Kafka reads higher tags, but cannot write them again; here they are refused.
"""


def read_tag(data: bytes, pos: int, previous: int) -> tuple[int, int]:
    """The next field's tag, and the position of its size. `previous` is the tag before it, or -1.

    Raises:
        DecodeError: TRUNCATED; VARINT, also above `MAX_UNKNOWN_TAG`; TAG_ORDER.
    """
    tag, end = read_uvarint(data, pos)
    if tag > MAX_UNKNOWN_TAG:
        raise DecodeError(Fault.VARINT, "", f"tag {tag}; {MAX_UNKNOWN_TAG} at most", pos)
    if tag <= previous:
        raise DecodeError(Fault.TAG_ORDER, "", f"tag {tag} after tag {previous}", pos)
    return tag, end


def read_tag_size(data: bytes, pos: int) -> tuple[int, int]:
    """The size of a field's data in bytes, and the position where the data begins.

    Raises:
        DecodeError: VARINT; TRUNCATED, also if the data extends beyond the end.
    """
    size, start = read_uvarint(data, pos)
    if size > len(data) - start:
        raise truncated(data, start, size, pos)
    return size, start


def write_tags(fields: Mapping[int, bytes]) -> bytes:
    """A whole section, by ascending tag."""
    chunks = [write_uvarint(len(fields))]
    for tag in sorted(fields):
        chunks += (write_uvarint(tag), write_uvarint(len(fields[tag])), fields[tag])
    return b"".join(chunks)


def size_tags(sizes: Mapping[int, int]) -> int:
    """The bytes of a whole section; `sizes` holds for each tag the bytes of its data."""
    total = size_uvarint(len(sizes))
    for tag, size in sizes.items():
        total += size_uvarint(tag) + size_uvarint(size) + size
    return total
