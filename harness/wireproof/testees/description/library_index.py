"""What a testee's library has by its own index, and the reasons for what of it is not claimed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from wireproof.model import BOTH_WAYS, Place, Repertoire, Way
from wireproof.testees.description.version_ranges import Versions, parse_versions
from wireproof.testees.testee_errors import ProtocolViolationError

if TYPE_CHECKING:
    from wireproof.testees.description.hello import Claims, RegistryEntry

__all__ = ["Index", "UnclaimedReason", "read_index", "read_unclaimed", "repertoire"]

Index = Mapping[str, Mapping[Way, Versions]]
"""The versions of each message that the library has, either way."""

_SERVES: Final = {
    "encode": frozenset({Way.ENCODE}),
    "frame": frozenset({Way.ENCODE}),
    "decode": frozenset({Way.DECODE}),
    "unframe": frozenset({Way.DECODE}),
    "reencode": BOTH_WAYS,
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
    ways: frozenset[Way] = BOTH_WAYS


def read_index(told: Mapping[str, Any]) -> Index:
    """The index out of the hello's JSON.

    Raises:
        ProtocolViolationError: it names something else than the two ways.
    """
    index = {}
    for message, ways in told.items():
        if not ways or not set(ways) <= set(Way):
            raise ProtocolViolationError(
                f"index of {message} has {sorted(ways)}: it has encode, decode or both"
            )
        index[message] = {Way(way): parse_versions(text) for way, text in ways.items()}
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
    if way not in ("", *Way):
        raise ProtocolViolationError(
            f"unclaimed has the way {way!r}: it is encode or decode, or left out for both"
        )
    versions = {str(message): parse_versions(text) for message, text in messages.items()}
    return UnclaimedReason(reason.strip(), versions, frozenset({Way(way)}) if way else BOTH_WAYS)


def repertoire(
    claims: "Claims", registry: Sequence["RegistryEntry"], index: Index, unclaimed: Sequence[UnclaimedReason]
) -> Repertoire:
    """All that a hello says of what there is and what is claimed."""
    has: dict[Place, frozenset[Way]] = dict.fromkeys(_registered(registry), frozenset())
    for message, ways in index.items():
        for way, versions in ways.items():
            _add(has, message, versions, frozenset({way}))
    claimed: dict[Place, frozenset[Way]] = {}
    for message, operations in claims.versions.items():
        for operation, versions in operations.items():
            if operation in _SERVES:
                _add(claimed, message, versions, _SERVES[operation])
    reasons: dict[Place, dict[Way, str]] = {}
    for each in unclaimed:
        for message, versions in each.messages.items():
            for version in versions:
                reasons.setdefault((message, version), {}).update(dict.fromkeys(each.ways, each.reason))
    return Repertoire(has, bool(index), claimed, reasons)


def _registered(registry: Sequence["RegistryEntry"]) -> Iterator[Place]:
    for entry in registry:
        for direction in (entry.request, entry.response):
            if direction is not None:
                yield from ((direction.message, version) for version in direction.versions)


def _add(places: dict[Place, frozenset[Way]], message: str, versions: Versions, ways: frozenset[Way]) -> None:
    for version in versions:
        places[message, version] = places.get((message, version), frozenset()) | ways
