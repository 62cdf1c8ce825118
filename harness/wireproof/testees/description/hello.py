"""What a testee says of itself in its hello: who it is, what it claims, what its registry holds."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from kafkawire.primitives import PRIMITIVES
from kafkawire.records import Compression
from wireproof.foreign_text import one_line
from wireproof.model import CodecDirection, RecordLimit, Repertoire
from wireproof.parsing import MISSHAPEN
from wireproof.testees.description.library_index import (
    Index,
    UnclaimedReason,
    read_index,
    read_unclaimed,
    repertoire,
)
from wireproof.testees.description.version_ranges import Versions, parse_versions
from wireproof.testees.testee_errors import ProtocolViolationError

__all__ = [
    "COMPRESSIONS",
    "PROTOCOL",
    "Claims",
    "RegisteredMessage",
    "Hello",
    "Identity",
    "Operation",
    "RegistryEntry",
    "Versions",
]

PROTOCOL: Final = 1
"""The version of the testee protocol (docs/reference/testee-protocol.md)."""


class Operation(StrEnum):
    """What a testee may be asked of a message; of primitives it is asked to encode and to decode."""

    DECODE = "decode"
    ENCODE = "encode"
    REENCODE = "reencode"
    SIZE = "size"
    EQUAL = "equal"
    COPY = "copy"
    FRAME = "frame"
    UNFRAME = "unframe"


COMPRESSIONS: Final = {codec.name.lower(): codec for codec in Compression}
"""The compressions of record sets, by the names that a hello has for them."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is under test."""

    name: str
    version: str
    language: str
    runtime: str = ""
    variant: str = ""
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """What divergences name it by."""
        return f"{self.name}[{self.variant}]" if self.variant else self.name

    def __str__(self) -> str:
        return f"{self.subject} {self.version}"


@dataclass(frozen=True, slots=True)
class RegisteredMessage:
    """A request or a response as a codec's own registry has it.

    Attributes:
        headers: the header's version by version of the message, as far as the codec tells.
    """

    message: str
    versions: Versions
    headers: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """One API of a codec's own registry."""

    api_key: int
    request: RegisteredMessage | None
    response: RegisteredMessage | None


@dataclass(frozen=True, slots=True)
class Claims:
    """What a testee says it can do: versions by message and operation."""

    versions: Mapping[str, Mapping[Operation, Versions]]

    def has(self, operation: Operation, message: str, version: int) -> bool:
        """Whether an operation is claimed."""
        return version in self.versions.get(message, {}).get(operation, frozenset())

    def of(self, message: str, version: int) -> frozenset[Operation]:
        """The operations that are claimed of a message at a version."""
        claimed = self.versions.get(message, {}).items()
        return frozenset(operation for operation, versions in claimed if version in versions)

    def any_of(self, message: str, version: int) -> bool:
        """Whether any operation of a message is claimed at a version."""
        return any(version in versions for versions in self.versions.get(message, {}).values())

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Every (message, version) with a claim, in order."""
        for message, operations in self.versions.items():
            for version in sorted(frozenset().union(*operations.values())):
                yield message, version


@dataclass(frozen=True, slots=True)
class Hello:
    """A testee's answer to the first request.

    Attributes:
        limits: what its types cannot hold, by name, in words.
        names: the Kafka release that its field names are of; empty for that of the run.
        whole: whether values are to be sent with every field, for it has no defaults.
        refuses: whether it promises to refuse values that a version cannot hold.
        index: what the library has, claimed or not; empty where it does not tell.
        unclaimed: why some of that is not claimed.
        embedded: what it claims to do with messages in the framing in which other data carry them.
        primitives: which single primitives it reads and writes, as messages at version 0.
        compressions: those of record sets that it knows, each with the versions of these; None for all.
        record_limits: what its record sets cannot hold, so that random sets leave it out.
    """

    identity: Identity
    claims: Claims
    limits: Mapping[str, str]
    registry: Sequence[RegistryEntry]
    refuses: bool = False
    names: str = ""
    whole: bool = False
    index: Index = field(default_factory=dict)
    unclaimed: Sequence[UnclaimedReason] = ()
    embedded: Claims = field(default_factory=lambda: Claims({}))
    primitives: Claims = field(default_factory=lambda: Claims({}))
    compressions: Mapping[Compression, Versions | None] = field(
        default_factory=lambda: {Compression.NONE: None}
    )
    record_limits: frozenset[RecordLimit] = frozenset()

    def codecs(self, magic: int) -> frozenset[Compression]:
        """The compressions that it claims of record sets of a magic; zstd is younger than the old ones."""
        return frozenset(
            codec
            for codec, versions in self.compressions.items()
            if (versions is None or magic in versions) and (magic == 2 or codec is not Compression.ZSTD)
        )

    def concerns(self, message: str, version: int) -> bool:
        """Whether anything at all is claimed of a message at a version."""
        every = (self.claims, self.embedded, self.primitives)
        return any(claims.any_of(message, version) for claims in every)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Every (message, version) of which anything is claimed, in order."""
        yield from sorted({*self.claims, *self.embedded, *self.primitives})

    @property
    def repertoire(self) -> Repertoire:
        """What the library has, what of it is claimed, and why not the rest."""
        return repertoire(self.claims, self.registry, self.index, self.unclaimed)

    @classmethod
    def parse(cls, told: Any) -> "Hello":
        """The hello out of its JSON.

        Raises:
            ProtocolViolationError: it does not hold what the protocol asks for.
        """
        try:
            return _hello(told)
        except MISSHAPEN as error:
            if isinstance(error, ProtocolViolationError):
                raise
            raise ProtocolViolationError(f"the hello is not what the protocol asks for: {error!r}") from error


def _hello(told: Any) -> Hello:
    if told["protocol"] != PROTOCOL:
        raise ProtocolViolationError(f"it speaks protocol version {told['protocol']!r}, wireproof {PROTOCOL}")
    claims, embedded = _claims(told["messages"]), _claims(told.get("embedded", {}))
    primitives = _primitives(told.get("primitives", {}))
    if not any((*claims.versions.values(), *embedded.versions.values(), *primitives.versions.values())):
        raise ProtocolViolationError("it claims no message at all")
    framed = [name for name, operations in embedded.versions.items() if not operations.keys() <= _EMBEDDED]
    if framed:
        raise ProtocolViolationError(
            f"embedded {framed[0]} has an operation that is none of {', '.join(_EMBEDDED)}"
        )
    codec = told["codec"]
    for key in ("name", "version", "language"):
        if not isinstance(codec[key], str) or not codec[key]:
            raise ProtocolViolationError(f"the hello's codec has no {key}")
    identity = Identity(
        one_line(codec["name"]),
        one_line(codec["version"]),
        one_line(codec["language"]),
        one_line(str(codec.get("runtime", ""))),
        one_line(str(codec.get("variant", ""))),
        dict(codec.get("links", {})),
    )
    limits = {one_line(str(name)): str(words) for name, words in told.get("limits", {}).items()}
    registry = tuple(_entry(each) for each in told.get("registry", ()))
    refuses, whole = _flag(told, "refuses"), _flag(told, "whole")
    return Hello(
        identity,
        claims,
        limits,
        registry,
        refuses,
        str(told.get("names", "")),
        whole,
        read_index(told.get("index", {})),
        read_unclaimed(told.get("unclaimed", ())),
        embedded,
        primitives,
        _compressions(told.get("compressions", ["none"])),
        _record_limits(told.get("recordLimits", ())),
    )


_EMBEDDED: Final = frozenset({Operation.DECODE, Operation.ENCODE, Operation.REENCODE, Operation.SIZE})
"""What can be asked of messages in their framing."""


def _claims(told: Any) -> Claims:
    return Claims(
        {
            message: {Operation(name): parse_versions(text) for name, text in operations.items()}
            for message, operations in told.items()
        }
    )


def _primitives(told: Any) -> Claims:
    """Each with its ways, which are claims of version 0."""
    strange = [name for name in told if name not in PRIMITIVES]
    if strange:
        raise ProtocolViolationError(
            f"there is no primitive {strange[0]!r}: there are {', '.join(sorted(PRIMITIVES))}"
        )
    return Claims(
        {
            name: {Operation(CodecDirection(way)): frozenset({0}) for way in ways}
            for name, ways in told.items()
        }
    )


def _compressions(told: Any) -> Mapping[Compression, Versions | None]:
    """By name alone, or with versions."""
    if isinstance(told, Mapping):
        return {COMPRESSIONS[str(name)]: parse_versions(text) for name, text in told.items()}
    return {COMPRESSIONS[str(name)]: None for name in told}


def _record_limits(told: Any) -> frozenset[RecordLimit]:
    known = set(RecordLimit)
    if not isinstance(told, Sequence) or isinstance(told, str):
        raise ProtocolViolationError(f"recordLimits has to be a list of names, not {told!r}")
    strange = [name for name in told if name not in known]
    if strange:
        names = ", ".join(sorted(known))
        raise ProtocolViolationError(f"recordLimits has {strange[0]!r}: expected names out of {names}")
    return frozenset(map(RecordLimit, told))


def _flag(told: Any, name: str) -> bool:
    flag = told.get(name, False)
    if type(flag) is not bool:
        raise ProtocolViolationError(f"{name} has to be true or false, not {flag!r}")
    return flag


def _entry(told: Any) -> RegistryEntry:
    return RegistryEntry(
        int(told["apiKey"]),
        _direction(told["request"]) if "request" in told else None,
        _direction(told["response"]) if "response" in told else None,
    )


def _direction(told: Any) -> RegisteredMessage:
    headers = {
        version: int(header)
        for text, header in told.get("headers", {}).items()
        for version in parse_versions(text)
    }
    return RegisteredMessage(str(told["message"]), parse_versions(told["versions"]), headers)
