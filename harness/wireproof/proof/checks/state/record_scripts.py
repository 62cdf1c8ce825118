"""Scripts of calls about one record set: cut-off and spoiled bytes, and the set again after them."""

from collections.abc import Iterator
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model import Decode, Encode
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.state.call_scripts import ScriptStep

__all__ = ["checksum_script", "record_script"]


def record_script(layout: MessageLayout, value: dict[str, Any], data: bytes) -> Iterator[ScriptStep]:
    """Iterate over the calls about one set with valid bytes, in order."""
    form = canonical(layout)
    ends = list(_batch_ends(data))

    def cut_at(length: int, more: bytes = b"") -> bytes:
        whole = [end for end in ends if end <= length]
        tail = data[whole[-1] if whole else 0 : length] + more
        return form.to_binary({"batches": value["batches"][: len(whole)], "tail": tail})

    expected = form.to_binary(value)
    for length in range(len(data)):
        yield ScriptStep(Check.CUT_OFF, Decode(data[:length]), cut_at(length))
    yield ScriptStep(Check.CUT_OFF, Decode(data + b"\x00"), cut_at(len(data), b"\x00"))
    yield ScriptStep(Check.RECOVER, Decode(data), expected)
    for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        for at in _under_checksum(data, start, end):
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            yield ScriptStep(Check.CHECKSUM, Decode(changed), None, path=f"batches[{number}].crc")
    yield ScriptStep(Check.RECOVER, Decode(data), expected)
    yield ScriptStep(Check.BUFFER, Decode(data, _BEFORE, _AFTER), expected)
    if all(batch.get("compression", 0) == 0 for batch in value["batches"]):
        yield ScriptStep(Check.REPEAT, Encode(value), data)
        yield ScriptStep(Check.REPEAT, Encode(value), data)


def checksum_script(expected: bytes, data: bytes) -> Iterator[ScriptStep]:
    """Iterate over calls with a spoiled byte in each batch: in the checksum or the bytes it covers.

    The last call is about the unchanged set.

    Args:
        expected: the canonical binary of the set's value.
        data: its valid bytes.
    """
    ends = list(_batch_ends(data))
    for start, end in zip([0, *ends], ends, strict=False):
        covered = list(_under_checksum(data, start, end))
        for at in sorted({*covered[:_CHECKSUM_BYTES], covered[len(covered) // 2], covered[-1]}):
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            yield ScriptStep(Check.CHECKSUM, Decode(changed), None)
    yield ScriptStep(Check.RECOVER, Decode(data), expected)


_CHECKSUM_BYTES: Final = 4
_BEFORE: Final = bytes(range(251, 0, -7))
_AFTER: Final = b"\xff\x00\x7f" * 9


def _batch_ends(data: bytes) -> Iterator[int]:
    end = 0
    while end + 17 <= len(data):
        end += 12 + int.from_bytes(data[end + 8 : end + 12], "big")
        if end > len(data):
            return
        yield end


def _under_checksum(data: bytes, start: int, end: int) -> Iterator[int]:
    """Iterate over the offsets that a batch's checksum covers, and its own; without the magic."""
    yield from range(*((start + 17, end) if data[start + 16] == 2 else (start + 12, start + 16)))
    if data[start + 16] != 2:
        yield from range(start + 17, end)
