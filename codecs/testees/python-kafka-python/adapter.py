"""The adapter of kafka-python 3: `adapter.py compiled` or `adapter.py interpreted`.

`ApiMessage.decode` and `encode` use compiled functions of the message's `StructField`. The variant
*interpreted* replaces them with the interpreting methods of the same `StructField`, which the library itself
uses for headers, tagged fields and data messages.
"""

from __future__ import annotations

import io
import struct
import sys
from collections.abc import Iterator
from importlib.metadata import version as installed_version
from importlib.resources import files
from typing import Any

import wireproof_testee as kit

pipes = kit.take_stdio()

import primitives
import record_sets
import wireproof_records as sets
from kafka.coordinator.assignors.sticky.user_data import StickyAssignorUserData
from kafka.errors import KafkaError
from kafka.protocol import admin, consumer, metadata, producer, sasl
from kafka.protocol.api_data import ApiData
from kafka.protocol.api_header import RequestHeader, ResponseHeader
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.parser import KafkaProtocol
from kafka.protocol.schemas import load_json

INTERPRETED = sys.argv[1:] == ["interpreted"]
HEADERS: dict[str, Any] = {"RequestHeader": RequestHeader, "ResponseHeader": ResponseHeader}
CLASSES: dict[str, Any] = {
    name: item
    for module in (admin, consumer, metadata, producer, sasl)
    for name, item in vars(module).items()
    if isinstance(item, type)
    and issubclass(item, (ApiMessage, ApiData))
    and item not in (ApiMessage, ApiData)
} | {"StickyAssignorUserData": StickyAssignorUserData}


class Shape:
    """The conversion of one struct at one version to and from Kafka's names.

    The names are those of the schema file, which has the same order of fields; the library renames some.
    """

    def __init__(self, owner: Any, fields: Any, json_fields: Any, version: int) -> None:
        self.owner, self.version = owner, version
        self.to_json: list[tuple[str, str, kit.Convert, bool]] = []
        self.from_json: dict[str, tuple[str, kit.Convert]] = {}
        for item, json in zip(fields, json_fields):
            name = json["name"][0].lower() + json["name"][1:]
            to_json, from_json = self._converts(item, json)
            self.from_json[name] = (item.name, from_json)
            if item.for_version_q(version):
                absent_is_none = item.is_struct() and not item.nullable_for_version_q(version)
                self.to_json.append((name, item.name, to_json, absent_is_none))

    def _converts(self, item: Any, json: Any) -> tuple[kit.Convert, kit.Convert]:
        if item.is_struct() or item.is_struct_array():
            inner = Shape(item.data_class, item.fields.values(), json["fields"], self.version)
            if item.is_struct_array():
                return kit.array(inner.value), kit.array(inner.thing)
            return kit.nullable(inner.value), kit.nullable(inner.thing)
        kind = item.array_of.type_str if item.is_array() else item.type_str
        to_json, from_json = SCALARS[kind] if kind in SCALARS else (kit.TO_JSON[kind], kit.FROM_JSON[kind])
        return (kit.array(to_json), kit.array(from_json)) if item.is_array() else (to_json, from_json)

    def value(self, thing: Any) -> dict[str, Any]:
        value = {}
        for name, attribute, convert, absent_is_none in self.to_json:
            held = getattr(thing, attribute)
            if held is not None or not absent_is_none:  # the library has None for an absent tagged struct
                value[name] = convert(held)
        if thing.unknown_tags:
            value["_tags"] = kit.tags_to_json(
                {int(tag[1:]): data for tag, data in thing.unknown_tags.items()}
            )
        return value

    def thing(self, value: dict[str, Any]) -> Any:
        fields: dict[str, Any] = {}
        for name, held in value.items():
            if name == "_tags":
                fields.update((f"_{tag}", data) for tag, data in kit.tags_from_json(held).items())
            else:
                if name not in self.from_json:
                    raise kit.Unsupported("fields", f"{self.owner.__name__} has no {name}")
                attribute, convert = self.from_json[name]
                fields[attribute] = convert(held)
        return self.owner(**fields)  # without a version, as in the library's clients


def _bits(number: int | None) -> set[int] | None:
    """Convert a number to the library's set of bits, without the library's own arithmetic."""
    return None if number is None else {bit for bit in range(32) if number >> bit & 1}


def _number(bits: set[int] | None) -> int:
    """Convert a set of bits to a number. The library reads Kafka's default, bit 31 alone, as None."""
    number = sum(1 << bit for bit in ({31} if bits is None else bits))
    return number - (1 << 32) if number >> 31 else number


ZERO = "00000000-0000-0000-0000-000000000000"
SCALARS: dict[str, tuple[kit.Convert, kit.Convert]] = {
    "bitfield": (_number, _bits),
    # The library reads the zero UUID as None, and writes either.
    "uuid": (lambda held: ZERO if held is None else str(held), kit.FROM_JSON["uuid"]),
}


class Body(kit.Message):
    """A request or a response, with the methods that the library's clients call."""

    def __init__(self, cls: Any, version: int) -> None:
        self.cls, self.version = cls, version
        self.shape = Shape(cls, cls._struct._fields, load_json(cls.__name__)["fields"], version)
        self.to_value, self.from_value = self.shape.value, self.shape.thing  # type: ignore[method-assign]
        header = cls.header_class
        self.header_shape = Shape(
            header, header._struct._fields, load_json(header.__name__)["fields"], header._valid_versions[1]
        )

    def read(self, data: bytes) -> tuple[Any, int]:
        thing = self.cls[self.version].decode(data)  # the class of the version, as `KafkaProtocol` does
        return thing, len(data) - WATCHED.left

    def write(self, thing: Any) -> bytes | bytearray | memoryview:
        """Encode an object at the version of the cell, which replaces a version that the object has."""
        written: bytearray = thing.encode(version=self.version)
        return written

    def read_frame(self, data: bytes) -> tuple[dict[str, Any], Any, int]:
        thing = self.cls.decode(data, version=self.version, header=True, framed=True)
        return self.header_shape.value(thing.header), thing, len(data) - WATCHED.left

    def feed(self, parts: Iterator[bytes]) -> tuple[Any, int] | None:
        """Read a response as the library's connections do. Its request has the frame's correlation id."""
        parser, given = KafkaProtocol(), b""
        request = RequestHeader(request_api_key=self.cls.API_KEY, request_api_version=self.version)
        parser.in_flight_requests.append(request)
        for part in parts:
            given += part
            request.correlation_id = int.from_bytes(given[4:8], "big", signed=True)
            for _, thing in parser.receive_bytes(part):
                kept = parser._rbuffer if parser._receiving else parser._header  # bytes of a next frame
                return thing, len(given) - kept.tell() - 4 * parser._receiving
        return None

    def write_frame(self, header: dict[str, Any], thing: Any) -> bytes | bytearray | memoryview:
        thing.API_VERSION = self.version  # as `KafkaConnection.send_request` and `KafkaProtocol` do
        names = {"correlation_id": header.get("correlationId", 0)}
        if thing.is_request():
            names["client_id"] = header.get("clientId", "")
        thing.with_header(**names)
        if "_tags" in header:
            tags = kit.tags_from_json(header["_tags"])
            thing.header.unknown_tags = {f"_{tag}": data for tag, data in tags.items()}
        written: bytearray = thing.encode(header=True, framed=True)
        return written


class Watched:
    """Replaces the functions of a `StructField`: chooses the variant, and records where decoding ends."""

    left = 0

    def put_under(self, field: Any) -> None:
        compiled_decode, compiled_encode = field.compiled_decode_from, field.compiled_encode_into

        def decode_from(version: int, compact: bool, tagged: bool, data_class: Any) -> Any:
            decode = compiled_decode(version, compact=compact, tagged=tagged, data_class=data_class)

            def watched(data: memoryview, pos: int) -> Any:
                if INTERPRETED:
                    stream = io.BytesIO(data[pos:])
                    thing = field.decode(
                        stream, version=version, compact=compact, tagged=tagged, data_class=data_class
                    )
                    end = pos + stream.tell()
                else:
                    thing, end = decode(data, pos)
                self.left = len(data) - end
                return thing, end

            return watched

        def encode_into(version: int, compact: bool, tagged: bool) -> Any:
            if not INTERPRETED:
                return compiled_encode(version, compact=compact, tagged=tagged)
            return lambda thing, out: field.encode_into(
                thing, out, version=version, compact=compact, tagged=tagged
            )

        field.compiled_decode_from, field.compiled_encode_into = decode_from, encode_into


WATCHED = Watched()
LIMITS = {"fields": "fields of later releases, which no class of the library has"}


class Data(kit.Message):
    """A message of the consumer protocol, or user data of the sticky assignor, without a leading version. The
    library only interprets these."""

    def __init__(self, cls: Any, version: int) -> None:
        self.cls, self.version = cls, version
        self.shape = Shape(cls, cls._struct._fields, cls._json["fields"], version)
        self.to_value, self.from_value = self.shape.value, self.shape.thing  # type: ignore[method-assign]

    def read(self, data: bytes) -> tuple[Any, int]:
        stream = io.BytesIO(data)
        return self.cls.decode(stream, version=self.version, header=False), stream.tell()

    def write(self, thing: Any) -> bytes | bytearray | memoryview:
        written: bytes = thing.encode(version=self.version, header=False)
        return written


class Consumer(kit.Embedded):
    """A message of the consumer protocol or user data as the coordinator writes and reads them.

    `_metadata` of the sticky assignor gives the user data to a subscription as an object, whose `encode` is
    called as here; `parse_member_metadata` calls `decode`.
    """

    def __init__(self, cls: Any) -> None:
        self.cls = cls

    def read(self, data: bytes, key: bytes | None) -> tuple[str, int, Any, int]:
        stream = io.BytesIO(data)
        thing = self.cls.decode(stream)
        return self.cls.__name__, thing.version, thing, stream.tell()

    def write(self, message: str, version: int, thing: Any) -> bytes:
        written: bytes = thing.encode(version=version)
        return written


class Header(kit.Message):
    """A header alone. The library has two versions of each, one of them flexible."""

    def __init__(self, cls: Any, version: int) -> None:
        self.cls, self.flexible = cls, version == cls._valid_versions[1]
        self.shape = Shape(cls, cls._struct._fields, load_json(cls.__name__)["fields"], version)
        self.to_value, self.from_value = self.shape.value, self.shape.thing  # type: ignore[method-assign]

    def read(self, data: bytes) -> tuple[Any, int]:
        stream = io.BytesIO(data)
        return self.cls.decode(stream, flexible=self.flexible), stream.tell()

    def write(self, thing: Any) -> bytes | bytearray | memoryview:
        written: bytes = thing.encode(flexible=self.flexible)
        return written


def port(message: str, version: int) -> kit.Message:
    if message == "RecordBatch":
        return record_sets.RecordSets()
    if message in HEADERS:
        return Header(HEADERS[message], version)
    cls = CLASSES[message]
    return Data(cls, version) if issubclass(cls, ApiData) else Body(cls, version)


def claims() -> dict[str, dict[str, str]]:
    """Claim all versions from the library's own `min_version` to `max_version`."""
    claimed = {
        name: kit.claim("decode encode reencode equal", range(first, last + 1))
        for name, (first, last) in ((name, cls._valid_versions) for name, cls in HEADERS.items())
    }
    for name, cls in sorted(CLASSES.items()):
        framed = "" if issubclass(cls, ApiData) else " frame unframe"
        fed = " feed" if framed and cls.type == "response" else ""
        operations = f"decode encode reencode equal{framed}{fed}"
        claimed[name] = kit.claim(operations, range(cls.min_version, cls.max_version + 1))
    claimed["RecordBatch"] = kit.claim("decode encode", "0-2")
    return claimed


def embedded() -> dict[str, dict[str, str]]:
    """Claim subscriptions, assignments and user data."""
    return {
        name: kit.claim("decode encode reencode", range(cls.min_version, cls.max_version + 1))
        for name, cls in CLASSES.items()
        if issubclass(cls, ApiData)
    }


def index() -> dict[str, str]:
    """Return all schema files in the library, with a class or not, and its record sets."""
    names = (place.name for place in files("kafka.protocol.schemas.resources").iterdir())
    schemas = (load_json(name.removesuffix(".json")) for name in names if name.endswith(".json"))
    others = {"RecordBatch": "0-2", "StickyAssignorUserData": StickyAssignorUserData._json["validVersions"]}
    return {**{schema["name"]: schema["validVersions"] for schema in schemas}, **others}


def registry() -> list[kit.Api]:
    """Return the keys and versions of the library's classes. The length of a header gives its version."""
    sides: dict[int, dict[str, kit.Direction]] = {}
    for name, cls in CLASSES.items():
        if issubclass(cls, ApiMessage):
            versions = range(cls.min_version, cls.max_version + 1)
            headers = {version: header_version(cls, version) for version in versions}
            sides.setdefault(cls.API_KEY, {})[cls.type] = kit.Direction(name, versions, headers)
    return [kit.Api(key, side.get("request"), side.get("response")) for key, side in sorted(sides.items())]


def header_version(cls: Any, version: int) -> int:
    thing = cls(version=version)
    thing.with_header(0, "")
    length = len(thing.encode_header(flexible=cls.flexible_version_q(version)))
    return {10: 1, 11: 2, 4: 0, 5: 1}[length]


def main() -> None:
    for cls in CLASSES.values():
        if issubclass(cls, ApiMessage):
            WATCHED.put_under(cls._struct)
    kit.serve(
        kit.Testee(
            name="kafka-python",
            version=installed_version("kafka-python"),
            variant="interpreted" if INTERPRETED else "compiled",
            links={"source": "https://github.com/dpkp/kafka-python"},
            claims=claims(),
            embedded=embedded(),
            embedded_at=lambda framing, message: Consumer(CLASSES[message]),
            primitives=primitives.primitives(),
            compressions=("none", "gzip", "snappy", "lz4", "zstd"),
            at=port,
            limits={**LIMITS, **sets.LIMITS},
            record_limits=sets.RECORD_LIMITS,
            registry=registry(),
            index=index(),
            names="4.3",
            decode_errors=(ValueError, struct.error, KafkaError),  # those that its own `parser` catches
        ),
        pipes,
    )


if __name__ == "__main__":
    main()
