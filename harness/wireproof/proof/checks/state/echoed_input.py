"""Detection of adapters that answer from their own input instead of asking the library.

Such an adapter agrees with Kafka in every case and proves nothing. Some answers give it away: bytes that no
encoder writes come back unchanged, or an answer depends on earlier questions.
"""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from wireproof.model.adapter import (
    Copy,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Equal,
    Equality,
    Reencode,
    Reencoded,
    Refused,
    Reply,
    Request,
)

TAIL: Final = b"\x00\x00"
"""The bytes that are put after a message, to test whether a decoder notices them."""

_AGAIN: Final = "again"
_GOOD: Final = (Decoded, Encoded, Reencoded)

Asked = tuple[str, Request]
"""A name for a request, and the request."""


class EncodedForms(NamedTuple):
    """Some bytes of one cell.

    Attributes:
        small, full: the canonical bytes of two values.
        lax: the value of `small` in bytes that decoders read and no encoder writes; None if there are none.
    """

    small_value: Mapping[str, object]
    small: bytes
    full_value: Mapping[str, object]
    full: bytes
    lax: bytes | None

    @property
    def cut(self) -> bytes:
        """Return unreadable bytes: the last one is missing."""
        return self.full[:-1]


def questions(forms: EncodedForms) -> Iterator[Asked]:
    """Yield the requests about a cell, in this order."""
    yield "small", Encode(dict(forms.small_value))
    yield "full", Encode(dict(forms.full_value))
    for name, data in _inputs(forms):
        yield from ((name, Decode(data)), (name, Reencode(data)), (name, Copy(data)))
    if forms.lax is not None:
        yield "lax", Equal(forms.small, forms.lax)
    yield "cut", Equal(forms.cut, forms.cut)
    yield _AGAIN, Encode(dict(forms.small_value))


def _inputs(forms: EncodedForms) -> Iterator[tuple[str, bytes]]:
    yield from (("small", forms.small), ("full", forms.full), ("tail", forms.small + TAIL))
    if forms.cut:
        yield "cut", forms.cut
    if forms.lax is not None:
        yield "lax", forms.lax


def judge_own_input(forms: EncodedForms, replies: Mapping[tuple[str, type], Reply]) -> Iterator[str]:
    """Yield a sentence for each answer that cannot come from the library.

    Args:
        replies: the replies by the name and the type of the request.
    """
    yield from _returned(forms, replies)
    yield from _compared(forms, replies)
    if forms.small != forms.full:
        yield from _constant(replies)
    before, after = replies.get(("small", Encode)), replies.get((_AGAIN, Encode))
    if isinstance(before, Encoded) and isinstance(after, Encoded) and before != after:
        yield "encode gives other bytes after it was asked to decode the same value"
    if isinstance(replies.get(("tail", Decode)), Decoded | Reencoded):
        yield "decode says that it read bytes after the message: its `consumed` is the length of the input"


def _returned(forms: EncodedForms, replies: Mapping[tuple[str, type], Reply]) -> Iterator[str]:
    """Iterate over sentences about replies with bytes that no codec writes."""
    for operation in (Reencode, Copy):
        word = operation.__name__.lower()
        for name, data, what in (
            ("cut", forms.cut, "bytes that nobody can read, for the last one is missing"),
            ("lax", forms.lax, "a form that no encoder writes"),
        ):
            reply = replies.get((name, operation))
            if isinstance(reply, Reencoded) and reply.data == data:
                yield f"{word} returns its input: {what}"


def _compared(forms: EncodedForms, replies: Mapping[tuple[str, type], Reply]) -> Iterator[str]:
    """Iterate over sentences about comparisons of bytes in place of objects."""
    same = replies.get(("lax", Equal))
    if isinstance(same, Equality) and not same.equal and _reads_alike(forms, replies):
        yield "equal compares its input: two forms of one value are not equal"
    cut = replies.get(("cut", Equal))
    read = [replies[key] for key in (("cut", Decode), ("cut", Reencode)) if key in replies]
    refused = read and all(isinstance(each, Refused) and each.read is None for each in read)
    if isinstance(cut, Equality) and cut.equal and refused:
        yield "equal compares its input: it finds bytes equal that decode refuses"


def _reads_alike(forms: EncodedForms, replies: Mapping[tuple[str, type], Reply]) -> bool:
    """Return whether the codec reads the lax form as the canonical one."""
    small, lax = replies.get(("small", Decode)), replies.get(("lax", Decode))
    return isinstance(lax, Decoded | Reencoded) and lax == small


def _constant(replies: Mapping[tuple[str, type], Reply]) -> Iterator[str]:
    same = {
        Encode: "encode gives the same bytes for different values",
        Decode: "decode gives the same value for different bytes",
    }
    for operation, what in same.items():
        small, full = replies.get(("small", operation)), replies.get(("full", operation))
        if isinstance(small, _GOOD) and small == full:
            yield what


def judge_order(
    before: Mapping[tuple[str, type], Reply], fresh: Mapping[tuple[str, type], Reply]
) -> Iterator[str]:
    """Yield a sentence for each answer that differs in a fresh process."""
    for (name, operation), reply in fresh.items():
        first, word = before.get((name, operation)), operation.__name__.lower()
        if isinstance(reply, _GOOD) != isinstance(first, _GOOD):
            yield f"{word} gives an answer in one process and not in a fresh one, or the reverse"
        elif isinstance(reply, _GOOD) and reply != first:
            yield f"{word} gives another answer in a fresh process: it depends on earlier questions"
