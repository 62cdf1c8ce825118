"""The operations, messages and versions that a testee claims, and those of its codec's registry."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wireproof.proof.testees.testee_errors import ProtocolViolationError

Versions = frozenset[int]

_RANGE: Final = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?")


def parse_versions(text: str) -> Versions:
    """Parse ranges such as ``"0-3,5"``.

    Raises:
        ProtocolViolationError: the text is not a list of ranges.
    """
    found: set[int] = set()
    for part in text.split(","):
        match = _RANGE.fullmatch(part)
        low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not 0 <= low <= high <= 32767:
            raise ProtocolViolationError(f"{text!r} is not a list of version ranges, such as 0-3,5")
        found.update(range(low, high + 1))
    return frozenset(found)


class Operation(StrEnum):
    """The operations on a message; primitives have encode and decode only."""

    DECODE = "decode"
    ENCODE = "encode"
    REENCODE = "reencode"
    SIZE = "size"
    EQUAL = "equal"
    COPY = "copy"
    FRAME = "frame"
    UNFRAME = "unframe"
    FEED = "feed"


@dataclass(frozen=True, slots=True)
class RegisteredMessage:
    """A request or a response in a codec's own registry.

    Attributes:
        headers: the header's version for each version of the message that the codec has.
    """

    message: str
    versions: Versions
    headers: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class RegistryEntry:
    """An API in a codec's own registry."""

    api_key: int
    request: RegisteredMessage | None
    response: RegisteredMessage | None


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of a testee: versions by message and operation."""

    versions: Mapping[str, Mapping[Operation, Versions]]

    def has(self, operation: Operation, message: str, version: int) -> bool:
        """Return whether an operation is claimed."""
        return version in self.versions.get(message, {}).get(operation, frozenset())

    def of(self, message: str, version: int) -> frozenset[Operation]:
        """Return the operations that are claimed for a message at a version."""
        claimed = self.versions.get(message, {}).items()
        return frozenset(operation for operation, versions in claimed if version in versions)

    def any_of(self, message: str, version: int) -> bool:
        """Return whether any operation of a message is claimed at a version."""
        return any(version in versions for versions in self.versions.get(message, {}).values())

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Yield every (message, version) with a claim, in order."""
        for message, operations in self.versions.items():
            for version in sorted(frozenset().union(*operations.values())):
                yield message, version
