"""Bytes that are wrong: what was done to them, what a codec said, and how that is judged."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeAlias

from kafkawire.schema.layout import MessageLayout
from wireproof.model.codec_ends import MutationSite


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change of valid bytes.

    Attributes:
        operator: what was done, such as ``truncate`` or ``length=-2``.
        path: the field it was done to; ``""`` is the message.
        offset: where, counted from the first byte.
        before, after: the bytes there, and those put in their place.
        fixes: further bytes that are put right in what comes out, so that the change is not caught by a
            checksum: (offset, bytes).
    """

    operator: str
    path: str
    offset: int
    before: bytes
    after: bytes
    fixes: tuple[tuple[int, bytes], ...] = ()

    @property
    def name(self) -> str:
        """Unique among the mutations of one encoding."""
        return f"{self.operator}@{self.offset}"

    def apply(self, data: bytes) -> bytes:
        """The changed bytes."""
        changed = data[: self.offset] + self.after + data[self.offset + len(self.before) :]
        for offset, right in self.fixes:
            changed = changed[:offset] + right + changed[offset + len(right) :]
        return changed


class MutationPart(Protocol):
    """A part of the mutations of one cell, which is asked once for each, in their order."""

    def enters(self, kind: str, field: str, number: int = 0) -> bool:
        """Return whether a place may have a mutation of the part that was not taken yet.

        Args:
            kind: of the place.
            field: its path without indices.
            number: the length or count at this place.
        """

    def takes(self, operator: str, kind: str, field: str, *, empty: bool = False) -> bool:
        """Return whether a mutation is in the part; it then is taken.

        Args:
            empty: whether what is changed is a length or count of nothing.
        """


class DecodeOutcome(StrEnum):
    """The outcome of one input."""

    ACCEPTED = "accepted"
    STOPPED = "stopped early"
    """It read a value, and says that bytes are left: those from `Answer.offset` on."""
    REFUSED = "refused"
    CRASHED = "crashed"
    """An error of a kind that the codec does not declare, or the end of its process."""
    HUNG = "hung"
    BLEW_UP = "blew up"
    """Memory out of proportion to the input."""
    LEFT_OUT = "left out"
    """Not judged: the codec's types cannot hold it, or inputs before it ended the process too often."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a codec in a limited process to one input.

    Attributes:
        value: canonical binary, where it was accepted.
        written: in place of the value: what the codec wrote again of what it had read, where our own codec
            does not read it.
        error: class of a refusal (our `Fault`) or of a crash; of what was left out the limit, or one of
            `UNASKED`; empty where reading is not claimed at all.
        path, offset: where, as far as the codec reports it; after an early stop, the number of bytes it read.
        cpu_s: processor time of the decoding alone.
    """

    outcome: DecodeOutcome
    value: bytes = b""
    error: str = ""
    message: str = ""
    path: str = ""
    offset: int | None = None
    cpu_s: float = 0.0
    written: bytes = b""


class MalformedVerdict(StrEnum):
    """A codec against Kafka on malformed input: acceptance and value count, wording never."""

    AGREE = "agree"
    STRICTER = "stricter"
    """It refuses what Kafka takes: advisory, passes."""
    LAXER = "laxer"
    DIFFERENT = "different"
    """Both take it, for different values."""
    CRASH = "crash"
    HANG = "hang"
    BLOW_UP = "blow-up"

    @property
    def passes(self) -> bool:
        return self in (MalformedVerdict.AGREE, MalformedVerdict.STRICTER)


MutationSites: TypeAlias = Sequence[MutationSite | None]


def placed(inputs: Sequence[bytes], sites: MutationSites) -> Iterator[tuple[bytes, MutationSite | None]]:
    """Each input with its site; None where no sites are given."""
    return zip(inputs, sites or [None] * len(inputs), strict=True)


class LimitedAdapter(Protocol):
    """A codec under test in a process of its own, with limits on memory and processor time."""

    @property
    def name(self) -> str: ...

    def decode_all(
        self, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """The answer to each body. An input that ends the process is found, and reported alone.

        Args:
            sites: of each input what was done to it and where; may be left out.
        """

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """The same for whole frames; the value of an answer is the header's and the body's joined."""

    def decode_records(self, magic: int, inputs: Sequence[bytes], sites: MutationSites = ()) -> list[Answer]:
        """The same for record sets, of this highest magic before they were changed."""

    def fresh(self) -> "LimitedAdapter | None":
        """The same codec in another process that was asked nothing yet, to be closed by the caller; None
        where it cannot be had."""

    def close(self) -> None:
        """End the process."""
