"""Scripts of requests with the wanted answers, which must not depend on earlier requests.

Most codecs with state have it by accident: a reused buffer, a view into the caller's bytes, a cursor that an
error does not reset.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import (
    STOPPED_EARLY,
    UNASKED,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Reencoded,
    Refused,
    Reply,
    Request,
    Unsupported,
)
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import differing_bytes, judge_decoded, wrong_reply
from wireproof.proof.checks.difference_kinds import ACCEPTED
from wireproof.proof.checks.evidence_text import around, reply_words

_TAIL = b"\x00"
_BEFORE = bytes(range(251, 0, -7))
_AFTER = b"\xff\x00\x7f" * 5
"""Bytes around a value within a larger buffer: a codec that reads them finds valid lengths and markers."""


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """One question, and the right answer.

    Attributes:
        wants: the value's canonical binary for `Decode`, the bytes for `Encode`; None if only a refusal is
            right.
        again: the bytes that a codec must write if it can only decode and encode in one step; None if
            several bytes are right.
        path: the field that the question is about, if there is one.
    """

    check: Check
    request: Request
    wants: bytes | None
    again: bytes | None = None
    path: str = ""


@dataclass(frozen=True, slots=True)
class ScriptValue:
    """A value that is known to be right, with its canonical binary and its bytes."""

    value: dict[str, Any]
    expected: bytes
    data: bytes


def state_script(value: dict[str, Any], expected: bytes, data: bytes) -> Iterator[ScriptStep]:
    """The questions about one value whose bytes and canonical binary are known to be right.

    The order matters: a good input comes directly after the refused ones.
    """
    for length in range(len(data)):
        yield ScriptStep(Check.CUT, Decode(data[:length]), None)
    yield ScriptStep(Check.RECOVER, Decode(data), expected, data)
    yield ScriptStep(Check.TAIL, Decode(data + _TAIL), None)
    yield ScriptStep(Check.RECOVER, Decode(data), expected, data)
    yield ScriptStep(Check.BUFFER, Decode(data, _BEFORE, _AFTER), expected, data)
    yield ScriptStep(Check.REPEAT, Encode(value), data)
    yield ScriptStep(Check.REPEAT, Encode(value), data)


def fresh_script(
    value: dict[str, Any], expected: bytes, data: bytes, *, first: int, variable: bool = False
) -> list[ScriptStep]:
    """The questions about one value for a process that has just started.

    Args:
        first: selects the first question by its remainder modulo three: bytes to read, a value to write, or
            truncated bytes, whose answer `state_script` judges.
        variable: whether other bytes than the first time are right, too.
    """
    read = ScriptStep(Check.FRESH, Decode(data), expected, None if variable else data)
    written = [] if variable else [ScriptStep(Check.FRESH, Encode(value), data)]
    match first % 3:
        case 0:
            return [read, *written]
        case 1:
            return [*written, read]
        case _:
            return [ScriptStep(Check.FRESH, Decode(data[:-1]), None), read, *written]


def many_script(large: ScriptValue, small: ScriptValue) -> Iterator[ScriptStep]:
    """The questions about a small value after a large one, and about the large one after it was cut short."""
    yield ScriptStep(Check.REPEAT, Encode(large.value), large.data)
    yield ScriptStep(Check.REPEAT, Encode(small.value), small.data)
    yield ScriptStep(Check.CUT, Decode(large.data[:-1]), None)
    yield ScriptStep(Check.RECOVER, Decode(small.data), small.expected, small.data)
    yield ScriptStep(Check.RECOVER, Decode(large.data), large.expected, large.data)
    yield ScriptStep(Check.RECOVER, Decode(small.data), small.expected, small.data)


def judge_neighbour(
    subject: str, other: Cell, before: Sequence[Reply], after: Sequence[Reply]
) -> tuple[Divergence, ...]:
    """Compare the answers about another version before and after this version was asked for.

    Answers that were wrong before are judged in that version's own cell.
    """
    summary = f"version {other.version} is answered otherwise once this version was asked for"
    return tuple(
        wrong_reply(Check.INTERLEAVE, subject, summary, two, reply_words(one))
        for one, two in zip(before, after, strict=True)
        if isinstance(one, Encoded | Decoded | Reencoded)
        and one != two
        and not (isinstance(two, Unsupported) and two.reason in UNASKED)
    )


def judge_step(layout: MessageLayout, subject: str, step: ScriptStep, reply: Reply) -> Divergence | None:
    """Return the divergence of a reply; None if it is the wanted reply."""
    match step, reply:
        case (_, Unsupported()) | (ScriptStep(wants=bytes(), again=None), Reencoded()):
            return None  # the answer was proven before, and this question has no wanted bytes
        case ScriptStep(again=bytes() as again), Reencoded(data):
            if data == again:
                return None
            summary = "written again as other bytes than the first time"
            return differing_bytes(layout, step.check, subject, summary, data, again)
        case ScriptStep(wants=None), Refused() if not _stopped_too_early(step, reply):
            return None
        case ScriptStep(wants=None), _:
            summary, at = f"{step.check.row.verifies.lower()}: not here", _length(step.request)
            return wrong_reply(
                step.check, subject, summary, reply, "refuses", path=step.path, offset=at, otherwise=ACCEPTED
            )
        case ScriptStep(wants=bytes() as wants), Encoded(data):
            if data == wants:
                return None
            return differing_bytes(
                layout, step.check, subject, "other bytes than the first time", data, wants
            )
        case ScriptStep(wants=bytes() as wants), Decoded(value):
            invalid, other = "decoded to no valid value", "decoded to another value than the first time"
            found = judge_decoded(layout, step.check, subject, value, wants, invalid=invalid, other=other)
            return next(found, None)
        case ScriptStep(wants=wants), _:
            return wrong_reply(
                step.check, subject, "a good input is not answered", reply, around(wants or b"", 0)
            )


def _stopped_too_early(step: ScriptStep, reply: Refused) -> bool:
    """Return whether a codec read a value and left bytes other than the tail."""
    tail = step.check is Check.TAIL and reply.offset == (_length(step.request) or 0) - len(_TAIL)
    return reply.error == STOPPED_EARLY and not tail


def _length(request: Request) -> int | None:
    return len(request.data) if isinstance(request, Decode) else None


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
    yield ScriptStep(Check.BUFFER, Decode(data, _BEFORE, _AFTER_RECORDS), expected)
    if all(batch.get("compression", 0) == 0 for batch in value["batches"]):
        yield ScriptStep(Check.REPEAT, Encode(value), data)
        yield ScriptStep(Check.REPEAT, Encode(value), data)


def checksum_script(expected: bytes, data: bytes) -> Iterator[ScriptStep]:
    """Iterate over calls with one changed byte in each batch: in the checksum or the bytes it covers.

    The last call is about the unchanged set.

    Args:
        expected: the canonical binary of the set's value.
    """
    ends = list(_batch_ends(data))
    for start, end in zip([0, *ends], ends, strict=False):
        covered = list(_under_checksum(data, start, end))
        for at in sorted({*covered[:_CHECKSUM_BYTES], covered[len(covered) // 2], covered[-1]}):
            changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
            yield ScriptStep(Check.CHECKSUM, Decode(changed), None)
    yield ScriptStep(Check.RECOVER, Decode(data), expected)


_CHECKSUM_BYTES: Final = 4
_AFTER_RECORDS: Final = b"\xff\x00\x7f" * 9


def _batch_ends(data: bytes) -> Iterator[int]:
    end = 0
    while end + 17 <= len(data):
        end += 12 + int.from_bytes(data[end + 8 : end + 12], "big")
        if end > len(data):
            return
        yield end


def _under_checksum(data: bytes, start: int, end: int) -> Iterator[int]:
    """Iterate over the offsets of a batch's checksum and of the bytes that it covers; without the magic."""
    yield from range(*((start + 17, end) if data[start + 16] == 2 else (start + 12, start + 16)))
    if data[start + 16] != 2:
        yield from range(start + 17, end)
