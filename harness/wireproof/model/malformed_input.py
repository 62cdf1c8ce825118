"""Malformed bytes: their mutation, the answer of a codec, and the verdict on it."""

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
        offset: the place of the change, counted from the first byte.
        before, after: the original bytes at this place, and the bytes that replace them.
        fixes: (offset, bytes) of further bytes to replace after the change, so that no checksum detects the
            change.
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
    """A part of the mutations of one cell. It is asked once for each mutation, in their order."""

    def enters(self, kind: str, field: str, number: int = 0) -> bool:
        """Return whether a place may have a mutation of the part that was not taken yet.

        Args:
            kind: the kind of the place.
            field: the path of the place without indices.
            number: the length or count at this place.
        """

    def takes(self, operator: str, kind: str, field: str, *, empty: bool = False) -> bool:
        """Return whether a mutation is in the part, and mark it as taken if so.

        Args:
            empty: whether the mutation changes a length or count that is zero.
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
        value: the canonical binary of an accepted value.
        written: the bytes that the codec wrote again after reading, in place of the value if our own codec
            cannot read these bytes.
        error: the class of a refusal (our `Fault`) or of a crash; for an input left out, the limit or one of
            `UNASKED`; empty if the codec does not claim decoding.
        path, offset: the place, if the codec reports it; after an early stop, the number of bytes read.
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
    """The verdict on a codec for malformed input: Kafka's acceptance and value count, not its wording."""

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
            sites: the mutation and place of each input; may be left out.
        """

    def decode_frames(
        self, header: MessageLayout, layout: MessageLayout, inputs: Sequence[bytes], sites: MutationSites = ()
    ) -> list[Answer]:
        """The same for whole frames; the value of an answer is the header's and the body's joined."""

    def decode_records(self, magic: int, inputs: Sequence[bytes], sites: MutationSites = ()) -> list[Answer]:
        """The same for record sets, of this highest magic before they were changed."""

    def fresh(self) -> "LimitedAdapter | None":
        """The same codec in a new process, which the caller has to close; None if the codec cannot be
        started again."""

    def close(self) -> None:
        """End the process."""
