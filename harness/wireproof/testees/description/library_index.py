"""What a testee's library has by its own index, and the reasons for what of it is not claimed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from wireproof.model import BOTH_DIRECTIONS, CodecDirection, MessageVersion, Repertoire
from wireproof.testees.description.version_ranges import Versions, parse_versions
from wireproof.testees.testee_errors import ProtocolViolationError

if TYPE_CHECKING:
    from wireproof.testees.description.hello import Claims, RegistryEntry

__all__ = ["Index", "UnclaimedReason", "read_index", "read_unclaimed", "repertoire"]

Index = Mapping[str, Mapping[CodecDirection, Versions]]
"""The versions of each message that the library has, either way."""

_SERVES: Final = {
    "encode": frozenset({CodecDirection.ENCODE}),
    "frame": frozenset({CodecDirection.ENCODE}),
    "decode": frozenset({CodecDirection.DECODE}),
    "unframe": frozenset({CodecDirection.DECODE}),
    "reencode": BOTH_DIRECTIONS,
}
"""The ways that an operation stands for; the size of a value stands for none."""


@dataclass(frozen=True, slots=True)
class UnclaimedReason:
    """Why some of what the library has is not claimed.

    Attributes:
        ways: which of them.
    """

    reason: str
    messages: Mapping[str, Versions]
    ways: frozenset[CodecDirection] = BOTH_DIRECTIONS


def read_index(told: Mapping[str, Any]) -> Index:
    """The index out of the hello's JSON.

    Raises:
        ProtocolViolationError: it names something else than the two ways.
    """
    index = {}
    for message, ways in told.items():
        if not ways or not set(ways) <= set(CodecDirection):
            raise ProtocolViolationError(
                f"index of {message} has {sorted(ways)}: it has encode, decode or both"
            )
        index[message] = {CodecDirection(way): parse_versions(text) for way, text in ways.items()}
    return index


def read_unclaimed(told: Sequence[Mapping[str, Any]]) -> tuple[UnclaimedReason, ...]:
    """The reasons out of the hello's JSON.

    Raises:
        ProtocolViolationError: one is empty, or about nothing.
    """
    return tuple(_unclaimed(each) for each in told)


def _unclaimed(told: Mapping[str, Any]) -> UnclaimedReason:
    reason, messages, way = told["reason"], told["messages"], told.get("way", "")
    if not isinstance(reason, str) or not reason.strip() or not messages:
        raise ProtocolViolationError("unclaimed has an entry without a reason, or without messages")
    if way not in ("", *CodecDirection):
        raise ProtocolViolationError(
            f"unclaimed has the way {way!r}: it is encode or decode, or left out for both"
        )
    versions = {str(message): parse_versions(text) for message, text in messages.items()}
    return UnclaimedReason(
        reason.strip(), versions, frozenset({CodecDirection(way)}) if way else BOTH_DIRECTIONS
    )


def repertoire(
    claims: "Claims", registry: Sequence["RegistryEntry"], index: Index, unclaimed: Sequence[UnclaimedReason]
) -> Repertoire:
    """All that a hello says of what there is and what is claimed."""
    has: dict[MessageVersion, frozenset[CodecDirection]] = dict.fromkeys(_registered(registry), frozenset())
    for message, ways in index.items():
        for way, versions in ways.items():
            _add(has, message, versions, frozenset({way}))
    claimed: dict[MessageVersion, frozenset[CodecDirection]] = {}
    for message, operations in claims.versions.items():
        for operation, versions in operations.items():
            if operation in _SERVES:
                _add(claimed, message, versions, _SERVES[operation])
    reasons: dict[MessageVersion, dict[CodecDirection, str]] = {}
    for each in unclaimed:
        for message, versions in each.messages.items():
            for version in versions:
                reasons.setdefault((message, version), {}).update(dict.fromkeys(each.ways, each.reason))
    return Repertoire(has, bool(index), claimed, reasons)


def _registered(registry: Sequence["RegistryEntry"]) -> Iterator[MessageVersion]:
    for entry in registry:
        for direction in (entry.request, entry.response):
            if direction is not None:
                yield from ((direction.message, version) for version in direction.versions)


def _add(
    places: dict[MessageVersion, frozenset[CodecDirection]],
    message: str,
    versions: Versions,
    ways: frozenset[CodecDirection],
) -> None:
    for version in versions:
        places[message, version] = places.get((message, version), frozenset()) | ways
