"""The hello of a testee: its identity, its claims, the registry of its codec."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kafkawire.primitives import PRIMITIVES
from kafkawire.records import Compression
from wireproof.base.text.parsing import MISSHAPEN, shape_fault
from wireproof.base.text.wording import one_line
from wireproof.model.case_source import RecordLimit
from wireproof.model.repertoire import BOTH_DIRECTIONS, CodecDirection, MessageVersion, Repertoire
from wireproof.proof.testees.description.claimed_operations import (
    Claims,
    Operation,
    RegisteredMessage,
    RegistryEntry,
    Versions,
    parse_versions,
)
from wireproof.proof.testees.testee_errors import ProtocolViolationError

Index = Mapping[str, Mapping[CodecDirection, Versions]]
"""The versions of each message that the library has, by direction."""

_DIRECTIONS_OF: Final = {
    "encode": frozenset({CodecDirection.ENCODE}),
    "frame": frozenset({CodecDirection.ENCODE}),
    "decode": frozenset({CodecDirection.DECODE}),
    "unframe": frozenset({CodecDirection.DECODE}),
    "feed": frozenset({CodecDirection.DECODE}),
    "reencode": BOTH_DIRECTIONS,
}
"""The directions that an operation covers; the size of a value covers none."""


@dataclass(frozen=True, slots=True)
class UnclaimedReason:
    """The reason why some messages of the library are not claimed.

    Attributes:
        directions: the directions that are not claimed.
    """

    reason: str
    messages: Mapping[str, Versions]
    directions: frozenset[CodecDirection] = BOTH_DIRECTIONS


def read_index(fields: Mapping[str, Any]) -> Index:
    """Parse the index of the hello.

    Raises:
        ProtocolViolationError: it names something else than the two directions.
    """
    index = {}
    for message, directions in fields.items():
        if not directions or not set(directions) <= set(CodecDirection):
            raise ProtocolViolationError(
                f"index of {message} has {sorted(directions)}: it has encode, decode or both"
            )
        index[message] = {
            CodecDirection(direction): parse_versions(text) for direction, text in directions.items()
        }
    return index


def _unclaimed(fields: Mapping[str, Any]) -> UnclaimedReason:
    reason, messages, direction = fields["reason"], fields["messages"], fields.get("way", "")
    if not isinstance(reason, str) or not reason.strip() or not messages:
        raise ProtocolViolationError("unclaimed has an entry without a reason, or without messages")
    if direction not in ("", *CodecDirection):
        raise ProtocolViolationError(
            f"unclaimed has the way {direction!r}: it is encode or decode, or left out for both"
        )
    versions = {str(message): parse_versions(text) for message, text in messages.items()}
    return UnclaimedReason(
        reason.strip(), versions, frozenset({CodecDirection(direction)}) if direction else BOTH_DIRECTIONS
    )


def _registered(registry: Sequence[RegistryEntry]) -> Iterator[MessageVersion]:
    for entry in registry:
        for direction in (entry.request, entry.response):
            if direction is not None:
                yield from ((direction.message, version) for version in direction.versions)


def _add(
    directions_of: dict[MessageVersion, frozenset[CodecDirection]],
    message: str,
    versions: Versions,
    directions: frozenset[CodecDirection],
) -> None:
    for version in versions:
        directions_of[message, version] = directions_of.get((message, version), frozenset()) | directions


PROTOCOL: Final = 1
"""The version of the testee protocol (docs/reference/testee-protocol.md)."""


COMPRESSIONS: Final = {codec.name.lower(): codec for codec in Compression}
"""The compressions of record sets, by their names in a hello."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The codec under test."""

    name: str
    version: str
    language: str
    runtime: str = ""
    variant: str = ""
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def subject(self) -> str:
        """The codec's name in divergences."""
        return f"{self.name}[{self.variant}]" if self.variant else self.name

    def __str__(self) -> str:
        return f"{self.subject} {self.version}"


@dataclass(frozen=True, slots=True)
class Hello:
    """A testee's answer to the first request.

    Attributes:
        limits: the values that its types cannot hold, by name, as text.
        registry: the APIs of the codec's own registry.
        names: the Kafka release of its field names; empty for that of the run.
        whole: whether values must be sent with every field, because the codec has no defaults.
        refuses: whether it promises to refuse values that a version cannot hold.
        index: the messages that the library has, claimed or not; empty if the testee sends none.
        unclaimed: the reasons why some of them are not claimed.
        embedded: the claims for messages in the framing in which other data carry them.
        primitives: the claims for single primitives, as messages at version 0.
        compressions: the compressions of record sets, each with its record versions; None for all.
        record_limits: the properties that its record sets cannot have; random record sets leave them out.
        record_values: whether values hold record sets in place of the bytes of records fields.
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
    record_values: bool = False

    def codecs(self, magic: int) -> frozenset[Compression]:
        """Return the compressions that it claims for record sets of a magic; zstd needs magic 2."""
        return frozenset(
            codec
            for codec, versions in self.compressions.items()
            if (versions is None or magic in versions) and (magic == 2 or codec is not Compression.ZSTD)
        )

    def concerns(self, message: str, version: int) -> bool:
        """Return whether anything is claimed for a message at a version."""
        every = (self.claims, self.embedded, self.primitives)
        return any(claims.any_of(message, version) for claims in every)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Yield every (message, version) with any claim, in order."""
        yield from sorted({*self.claims, *self.embedded, *self.primitives})

    @property
    def repertoire(self) -> Repertoire:
        """The messages that the library has, those that are claimed, and the reasons for the rest."""
        has: dict[MessageVersion, frozenset[CodecDirection]] = dict.fromkeys(
            _registered(self.registry), frozenset()
        )
        for message, directions in self.index.items():
            for direction, versions in directions.items():
                _add(has, message, versions, frozenset({direction}))
        claimed: dict[MessageVersion, frozenset[CodecDirection]] = {}
        for message, operations in self.claims.versions.items():
            for operation, versions in operations.items():
                if operation in _DIRECTIONS_OF:
                    _add(claimed, message, versions, _DIRECTIONS_OF[operation])
        reasons: dict[MessageVersion, dict[CodecDirection, str]] = {}
        for each in self.unclaimed:
            for message, versions in each.messages.items():
                for version in versions:
                    reasons.setdefault((message, version), {}).update(
                        dict.fromkeys(each.directions, each.reason)
                    )
        return Repertoire(has, bool(self.index), claimed, reasons)

    @classmethod
    def parse(cls, fields: Any) -> "Hello":
        """Parse a hello.

        Raises:
            ProtocolViolationError: it does not have the form that the protocol requires.
        """
        try:
            return _hello(fields)
        except MISSHAPEN as error:
            if isinstance(error, ProtocolViolationError):
                raise
            raise ProtocolViolationError(
                f"the hello is not what the protocol asks for: {shape_fault(error)}"
            ) from error


def _hello(fields: Any) -> Hello:
    if fields["protocol"] != PROTOCOL:
        raise ProtocolViolationError(
            f"it speaks protocol version {fields['protocol']!r}, wireproof {PROTOCOL}"
        )
    claims, embedded = _claims(fields["messages"]), _claims(fields.get("embedded", {}))
    primitives = _primitives(fields.get("primitives", {}))
    if not any((*claims.versions.values(), *embedded.versions.values(), *primitives.versions.values())):
        raise ProtocolViolationError("it claims no message at all")
    framed = [
        name
        for name, operations in embedded.versions.items()
        if not operations.keys() <= _EMBEDDED_OPERATIONS
    ]
    if framed:
        raise ProtocolViolationError(
            f"embedded {framed[0]} has an operation that is none of {', '.join(_EMBEDDED_OPERATIONS)}"
        )
    codec = fields["codec"]
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
    limits = {one_line(str(name)): str(words) for name, words in fields.get("limits", {}).items()}
    registry = tuple(_entry(each) for each in fields.get("registry", ()))
    refuses, whole = _flag(fields, "refuses"), _flag(fields, "whole")
    return Hello(
        identity,
        claims,
        limits,
        registry,
        refuses,
        str(fields.get("names", "")),
        whole,
        read_index(fields.get("index", {})),
        tuple(map(_unclaimed, fields.get("unclaimed", ()))),
        embedded,
        primitives,
        _compressions(fields.get("compressions", ["none"])),
        _record_limits(fields.get("recordLimits", ())),
        _flag(fields, "recordValues"),
    )


_EMBEDDED_OPERATIONS: Final = frozenset(
    {Operation.DECODE, Operation.ENCODE, Operation.REENCODE, Operation.SIZE}
)
"""The operations on messages in their framing."""


def _claims(fields: Any) -> Claims:
    return Claims(
        {
            message: {Operation(name): parse_versions(text) for name, text in operations.items()}
            for message, operations in fields.items()
        }
    )


def _primitives(fields: Any) -> Claims:
    """Parse the primitives; their directions are claims for version 0."""
    unknown = [name for name in fields if name not in PRIMITIVES]
    if unknown:
        raise ProtocolViolationError(
            f"there is no primitive {unknown[0]!r}: there are {', '.join(sorted(PRIMITIVES))}"
        )
    return Claims(
        {
            name: {Operation(CodecDirection(direction)): frozenset({0}) for direction in directions}
            for name, directions in fields.items()
        }
    )


def _compressions(fields: Any) -> Mapping[Compression, Versions | None]:
    """Parse a list of names, or names with versions."""
    if isinstance(fields, Mapping):
        return {COMPRESSIONS[str(name)]: parse_versions(text) for name, text in fields.items()}
    return {COMPRESSIONS[str(name)]: None for name in fields}


def _record_limits(fields: Any) -> frozenset[RecordLimit]:
    known = set(RecordLimit)
    if not isinstance(fields, Sequence) or isinstance(fields, str):
        raise ProtocolViolationError(f"recordLimits has to be a list of names, not {fields!r}")
    unknown = [name for name in fields if name not in known]
    if unknown:
        names = ", ".join(sorted(known))
        raise ProtocolViolationError(f"recordLimits has {unknown[0]!r}: expected names out of {names}")
    return frozenset(map(RecordLimit, fields))


def _flag(fields: Any, name: str) -> bool:
    flag = fields.get(name, False)
    if type(flag) is not bool:
        raise ProtocolViolationError(f"{name} has to be true or false, not {flag!r}")
    return flag


def _entry(fields: Any) -> RegistryEntry:
    return RegistryEntry(
        int(fields["apiKey"]),
        _registered_message(fields["request"]) if "request" in fields else None,
        _registered_message(fields["response"]) if "response" in fields else None,
    )


def _registered_message(fields: Any) -> RegisteredMessage:
    headers = {
        version: int(header)
        for text, header in fields.get("headers", {}).items()
        for version in parse_versions(text)
    }
    return RegisteredMessage(str(fields["message"]), parse_versions(fields["versions"]), headers)
