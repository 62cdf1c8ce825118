"""The index of a testee's library, and the reasons why parts of it are not claimed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from wireproof.model import BOTH_DIRECTIONS, CodecDirection, MessageVersion, Repertoire
from wireproof.proof.testees.description.claimed_operations import Claims, RegistryEntry
from wireproof.proof.testees.description.version_ranges import Versions, parse_versions
from wireproof.proof.testees.testee_errors import ProtocolViolationError

__all__ = ["Index", "UnclaimedReason", "read_index", "read_unclaimed", "repertoire"]

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
        directions: those that are not claimed.
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


def read_unclaimed(fields: Sequence[Mapping[str, Any]]) -> tuple[UnclaimedReason, ...]:
    """Parse the reasons of the hello.

    Raises:
        ProtocolViolationError: one is empty, or names no message.
    """
    return tuple(_unclaimed(each) for each in fields)


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


def repertoire(
    claims: Claims, registry: Sequence[RegistryEntry], index: Index, unclaimed: Sequence[UnclaimedReason]
) -> Repertoire:
    """Return the messages that a library has and those that its testee claims."""
    has: dict[MessageVersion, frozenset[CodecDirection]] = dict.fromkeys(_registered(registry), frozenset())
    for message, directions in index.items():
        for direction, versions in directions.items():
            _add(has, message, versions, frozenset({direction}))
    claimed: dict[MessageVersion, frozenset[CodecDirection]] = {}
    for message, operations in claims.versions.items():
        for operation, versions in operations.items():
            if operation in _DIRECTIONS_OF:
                _add(claimed, message, versions, _DIRECTIONS_OF[operation])
    reasons: dict[MessageVersion, dict[CodecDirection, str]] = {}
    for each in unclaimed:
        for message, versions in each.messages.items():
            for version in versions:
                reasons.setdefault((message, version), {}).update(dict.fromkeys(each.directions, each.reason))
    return Repertoire(has, bool(index), claimed, reasons)


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
