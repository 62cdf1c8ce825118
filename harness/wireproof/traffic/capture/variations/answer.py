"""An answer of a broker as values, walks over its structs, and the type of a variation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random
from typing import Any, Final, TypeAlias

from kafkawire.schema import MessageLayout, StructLayout
from kafkawire.values import StructValue
from wireproof.traffic.capture.proxy.relay import Piece
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType

FETCH: Final = 1
API_VERSIONS: Final = 18


@dataclass(frozen=True, slots=True)
class BrokerAnswer:
    """A response on its way to a client.

    Attributes:
        naming: the frame types of the release.
        api_key, version: the api key and version of the request.
        layout: the layout of the body.
        request: the body of the request; empty if it cannot be decoded.
    """

    naming: FrameIdentifier = field(repr=False, compare=False)
    api_key: int
    version: int
    layout: MessageLayout
    header: StructValue
    body: StructValue
    request: StructValue = field(default_factory=dict, repr=False)

    @property
    def header_layout(self) -> MessageLayout:
        """The layout of the header."""
        return self.naming.header(self.layout)

    def encode(self) -> bytes:
        """Return the whole frame, with its size.

        Raises:
            EncodeError: the values do not fit the layout.
        """
        return self.naming.codec_of(self.layout).encode(self.header, self.body)

    def with_body(self, **fields: Any) -> "BrokerAnswer":
        """Return a copy with other values of top-level fields."""
        return replace(self, body={**self.body, **fields})

    def with_structs(self, change: "StructChange") -> "BrokerAnswer":
        """Return a copy in which each struct of the body is replaced by that of `change`."""
        return replace(self, body=map_structs(self.layout.root, self.body, change))

    def in_version(self, version: int, body: StructValue) -> "BrokerAnswer":
        """Return an answer of the same API in another version, with that body."""
        named = self.naming.response(self.api_key, version)
        assert isinstance(named, FrameType)
        header = {"correlationId": self.header["correlationId"]}
        return replace(self, layout=named.layout, header=header, body=body)


StructChange: TypeAlias = Callable[[StructLayout, StructValue, str], StructValue]
"""Maps layout, value and path of a struct (``topics.partitions``, ``~`` before a tag) to its new value."""


def map_structs(
    layout: StructLayout, value: StructValue, change: StructChange, path: str = ""
) -> StructValue:
    """Return a copy of a struct in which it and all its inner structs are replaced, the innermost first."""
    changed = dict(value)
    for each in layout.all_fields:
        held = value.get(each.name)
        if each.struct is None or held is None:
            continue
        name = each.name if each.tag is None else f"~{each.name}"
        inner = f"{path}.{name}" if path else name
        if each.is_array:
            changed[each.name] = [map_structs(each.struct, one, change, inner) for one in held]
        else:
            changed[each.name] = map_structs(each.struct, held, change, inner)
    return change(layout, changed, path)


OFFER_SLOT: Final = "offer"
"""The slot of features and of ApiVersions refusals: a refusal has no features that could be varied."""


class Family(StrEnum):
    """A part of the catalogue."""

    TAGS = "tags"
    VALUES = "values"
    RECORDS = "records"
    STREAM = "stream"
    VERSIONS = "versions"
    ERRORS = "errors"


Change: TypeAlias = Callable[[BrokerAnswer, Random], BrokerAnswer | None]
"""Returns the varied answer; None where the variation does not apply."""

Pace: TypeAlias = Callable[[bytes, Random, bool], Sequence[Piece] | None]
"""Maps frame, random numbers and whether no other request waits to the pieces; None if not applicable."""


@dataclass(frozen=True, slots=True)
class Variation:
    """A row of the catalogue.

    Attributes:
        id: the name on the command line and in reports; begins with its family's word.
        sentence: the difference from the broker's answer.
        source: the KIP, schema or class of Kafka that allows it.
        change: varies the values of an answer.
        pace: varies the transmission of the bytes.
        slot: the slot; variations of a slot exclude each other in a run. ``""`` if it excludes none.
    """

    id: str
    family: Family
    sentence: str
    source: str
    change: Change | None = field(default=None, repr=False)
    pace: Pace | None = field(default=None, repr=False)
    slot: str = ""
