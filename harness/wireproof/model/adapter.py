"""The interface of an adapter: our side of a codec under test."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, TypeAlias, runtime_checkable

from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind
from wireproof.model.case_source import RecordDomain
from wireproof.model.cell import Cell
from wireproof.model.codec_ends import MutationSite
from wireproof.model.repertoire import CodecDirection


@dataclass(frozen=True, slots=True)
class Encode:
    """Value -> bytes. Keys that the value lacks mean their defaults.

    Attributes:
        omitted: the path of the field whose default the codec is to fill in itself, although it is otherwise
            given complete values; empty in all other questions.
    """

    value: dict[str, Any]
    omitted: str = ""


@dataclass(frozen=True, slots=True)
class Size:
    """Value -> the number of bytes that encoding it gives, without encoding.

    Attributes:
        omitted: as in `Encode`.
    """

    value: dict[str, Any]
    omitted: str = ""


@dataclass(frozen=True, slots=True)
class Decode:
    """Bytes -> value. All bytes must be consumed.

    Attributes:
        before, after: bytes that surround `data` in a buffer. The buffer is overwritten after decoding: the
            decoded value must not depend on it.
        site: the mutation and its place, if the bytes are malformed.
    """

    data: bytes
    before: bytes = b""
    after: bytes = b""
    site: MutationSite | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Reencode:
    """Bytes -> bytes: decode, and encode again what was decoded.

    For codecs whose values have no other representation.
    """

    data: bytes
    site: MutationSite | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Equal:
    """Two encodings -> whether the codec calls the two objects that it decodes from them equal."""

    data: bytes
    other: bytes


@dataclass(frozen=True, slots=True)
class Copy:
    """Bytes -> bytes: decode, let the codec duplicate its object, and encode the duplicate."""

    data: bytes


@dataclass(frozen=True, slots=True)
class EncodeFrame:
    """Header and body -> size, header, body."""

    header: dict[str, Any]
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DecodeFrame:
    """Size, header, body -> header and body."""

    data: bytes
    site: MutationSite | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class FeedFrame:
    """A frame in parts, one after another as a stream brings them -> its body; for readers of streams."""

    parts: tuple[bytes, ...]

    @property
    def first_frame(self) -> bytes:
        """The first frame of the stream, with its size of four bytes."""
        stream = b"".join(self.parts)
        return stream[: 4 + int.from_bytes(stream[:4])]


HeaderLayouts: TypeAlias = Mapping[tuple[str, MessageKind, int], MessageLayout]
"""(release, request or response, header version) -> the header's layout."""

Request: TypeAlias = Encode | Size | Decode | Reencode | Equal | Copy | EncodeFrame | DecodeFrame | FeedFrame


@dataclass(frozen=True, slots=True)
class Encoded:
    data: bytes


@dataclass(frozen=True, slots=True)
class Reencoded:
    data: bytes


@dataclass(frozen=True, slots=True)
class Equality:
    """The answer of a codec about two of its objects.

    Attributes:
        hashes: whether their hash codes are the same; None if the codec's objects have no hash code.
    """

    equal: bool
    hashes: bool | None = None


@dataclass(frozen=True, slots=True)
class Sized:
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Decoded:
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DecodedFrame:
    header: dict[str, Any]
    value: dict[str, Any]


@dataclass(frozen=True, slots=True)
class FedFrame:
    """The body of a frame that was read from a stream.

    Attributes:
        consumed_bytes: the bytes of this frame; bytes that the codec keeps for the next frame do not count.
        parts: the number of parts that the codec had received when it returned the value.
    """

    value: dict[str, Any]
    consumed_bytes: int
    parts: int


@dataclass(frozen=True, slots=True)
class Refused:
    """The codec declined in its own orderly way.

    Attributes:
        error: the class of its refusal, for our codec the `Fault`.
        path, offset: the place of the fault, as far as the codec reports it.
        foreign: whether only the codec uses this error class, so that it cannot be compared.
        read: the value that the codec read before `offset`, if it stopped there without a refusal.
    """

    error: str
    message: str
    path: str = ""
    offset: int | None = None
    foreign: bool = False
    read: "Decoded | DecodedFrame | Reencoded | None" = field(default=None, compare=False)


STOPPED_EARLY: Final = "stopped-early"
"""The class of a `Refused` that is not a refusal: the codec read a value, and reports that bytes are left."""

READ_PAST_END: Final = "read-past-end"
"""The class of a `Crashed` that is not a crash: the codec reports that it read more bytes than there are."""

NO_VALUE: Final = "value"
"""The class of a crash that the adapter detects: the decoded value is not a valid value of the message."""


NO_DEFAULT: Final = "no-default"
"""The reason of a codec that encodes complete values only: the value lacks a field."""

NOT_ASKED: Final = "not-asked"
"""The reason why a question was not asked: the codec had ended its process too often. It is not a limit."""

SAME_CAUSE: Final = "same-cause"
"""The reason why a question was skipped: a reported case with the same mutation at the same place had ended
the codec. The message is the name of that case."""

UNASKED: Final = frozenset({NOT_ASKED, SAME_CAUSE})
"""The reasons other than limits of the codec's types."""


ENDED: Final = frozenset({"process", "hang"})
"""The classes of crashes by which a codec takes its process down, or does not come back."""


@dataclass(frozen=True, slots=True)
class Crashed:
    """The codec failed in a way it does not declare: an exception of another kind.

    Attributes:
        stderr: the last lines of the codec's standard error; failures that differ only in these are equal.
        path: for `NO_VALUE`, the field whose value is not valid; empty if it is not known.
    """

    error: str
    message: str
    stderr: str = field(default="", compare=False)
    path: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The codec cannot be asked this: its types do not hold the value, or it does not claim the operation.

    Attributes:
        reason: a limit that the codec names; empty if it does not claim the operation.
    """

    reason: str
    message: str


Reply: TypeAlias = (
    Encoded
    | Reencoded
    | Equality
    | Sized
    | Decoded
    | DecodedFrame
    | FedFrame
    | Refused
    | Crashed
    | Unsupported
)


class ReplyObserver(Protocol):
    """Observes the replies of a codec before any check does."""

    def settle(
        self,
        layout: MessageLayout,
        header: MessageLayout | None,
        request: Request,
        reply: Reply,
        *,
        whole: bool,
    ) -> Reply:
        """Return the reply for the checks.

        Args:
            header: the layout of the frame's header; None if the request is not about a frame.
            whole: whether the codec gets every field of a value.
        """


class Adapter(Protocol):
    """One codec under test. Which header a frame has is the codec's own decision."""

    @property
    def name(self) -> str:
        """The codec's name in reports, such as ``kafkawire[compiled]``."""

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request for the cell, in order. Never raises for what the codec does."""


@dataclass(frozen=True, slots=True)
class RegisteredApi:
    """The entry of a request or response in a codec's own registry.

    Attributes:
        header_version: the version of the header in its frame; None if the registry does not state it.
    """

    api_key: int
    header_version: int | None


@runtime_checkable
class Perishable(Protocol):
    """A codec in a process that may end."""

    @property
    def not_asked(self) -> int:
        """Number of questions left out since the run began: their replies are `NOT_ASKED`."""

    @property
    def skipped(self) -> Mapping[str, int]:
        """Number of questions skipped for each reported case since then; their replies are `SAME_CAUSE`."""


@runtime_checkable
class Claimant(Adapter, Protocol):
    """A codec that says what it can do, and is held to it."""

    @property
    def refuses(self) -> bool:
        """Return whether the codec promises to refuse values that a version cannot hold: numbers out of
        range, nulls, fields of other versions. Every codec is given such values; without the promise, its
        answers are counted, and do not fail the case."""

    def claimed(self, cell: Cell) -> frozenset[str]:
        """The operations that it claims for a cell; those in its framing begin with ``embedded-``."""

    def ways(self, cell: Cell) -> frozenset[CodecDirection]:
        """The directions that the codec claims for a cell. A run has to try each of them."""

    def record_domain(self, cell: Cell) -> RecordDomain:
        """The record sets that it may be asked for in a cell."""

    def idle(self, cell: Cell) -> frozenset[str]:
        """The operations that it claims for a cell and gave no right answer to since the cell began."""

    def registered(self, cell: Cell) -> RegisteredApi | None:
        """The entry of the cell's message in its own registry; None where it has none."""

    def known_versions(self, message: str) -> frozenset[int]:
        """The versions of a message, of any release, that it claims or that its index or registry lists."""

    def ask_anyway(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        """Answer each request for a cell, claimed or not."""


@dataclass(slots=True)
class ClaimExercise:
    """The directions claimed for a cell that were tried with values or bytes that the oracle made.

    Attributes:
        open: the claimed directions that were not tried yet.
    """

    claimed: frozenset[CodecDirection]
    open: set[CodecDirection] = field(init=False)

    def __post_init__(self) -> None:
        self.open = set(self.claimed)

    def note(self, encoded: object, read: object) -> None:
        """Count the codec's answers to a value that the oracle wrote too, and to the bytes that it wrote.

        An answer counts whether it is right or wrong. `Unsupported` does not count.
        """
        if _is_answer(encoded):
            self.open.discard(CodecDirection.ENCODE)
        if isinstance(read, Reencoded):
            self.open.clear()
        elif _is_answer(read):
            self.open.discard(CodecDirection.DECODE)

    @property
    def met(self) -> tuple[CodecDirection, ...]:
        """The ways that were tried."""
        return tuple(way for way in CodecDirection if way in self.claimed and way not in self.open)


def _is_answer(reply: object) -> bool:
    return not (reply is None or isinstance(reply, Unsupported))
