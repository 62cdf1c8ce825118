"""The adapter of aiokafka: structs written by hand, one class for each version, with names of their own.

Its clients encode requests with headers and decode responses with headers. Bodies work in both directions.
"""

from __future__ import annotations

import importlib
import io
import pkgutil
import re
import struct
from importlib.metadata import version as installed_version
from types import SimpleNamespace
from typing import Any

import wireproof_testee as kit

pipes = kit.take_stdio()

import aiokafka.protocol
import primitives
import record_sets
from aiokafka.coordinator.assignors.sticky.sticky_assignor import StickyAssignorUserDataV1
from aiokafka.coordinator.protocol import ConsumerProtocolMemberAssignment, ConsumerProtocolMemberMetadata
from aiokafka.errors import KafkaError
from aiokafka.protocol.api import (
    RequestHeader_v1,
    RequestHeader_v2,
    RequestStruct,
    Response,
    ResponseHeader_v0,
    ResponseHeader_v1,
)
from aiokafka.protocol.types import Array, Schema, TaggedFields
from kafka_names import NAMES

OTHER_NAMES = {"ApiVersion": "ApiVersions", "SaslHandShake": "SaslHandshake", "Offset": "ListOffsets"}
SCALARS = {
    "UInt32": "uint32",
    "Int64": "int64",
    "Float64": "float64",
    "Bytes": "bytes",
    "CompactBytes": "bytes",
}
CONSUMER_PROTOCOL = {
    "ConsumerProtocolSubscription": ConsumerProtocolMemberMetadata,
    "ConsumerProtocolAssignment": ConsumerProtocolMemberAssignment,
}
STICKY = "StickyAssignorUserData"
LIMITS = {
    "defaults": "no class has defaults: each field has to be given",
    "fields": "the class of a version has no fields of others",
}


def classes() -> dict[tuple[str, int], Any]:
    """Return the library's structs by Kafka's name and the version at the end of their own name."""
    found: dict[tuple[str, int], Any] = {}
    for module in pkgutil.iter_modules(aiokafka.protocol.__path__, "aiokafka.protocol."):
        for name, item in vars(importlib.import_module(module.name)).items():
            words = re.fullmatch(r"(\w+?)(Request|Response)(?:Struct)?(?:_v(\d+))?", name)
            if words is not None and _is_version(item):
                version = item.API_VERSION if words[3] is None else int(words[3])
                found[OTHER_NAMES.get(words[1], words[1]) + words[2], version] = item
    return found


def _is_version(item: Any) -> bool:
    is_struct = isinstance(item, type) and issubclass(item, (RequestStruct, Response))
    return is_struct and isinstance(getattr(item, "API_KEY", None), int)


CLASSES = classes()


class Shape:
    """The conversion of one schema of the library to and from Kafka's names."""

    def __init__(self, schema: Any, names: dict[str, str], path: str = "") -> None:
        self.fields: list[tuple[str, kit.Convert, kit.Convert]] = []
        self.names = {"_tags"} if TaggedFields in schema.fields else set()
        for own, kind in zip(schema.names, schema.fields):
            where = f"{path}.{own}".lstrip(".")
            name = names.get(where, re.sub("_([a-z])", lambda found: found[1].upper(), own))
            name, _bracket, single = name.rstrip("]").partition("[")
            if name == "":
                inner = Shape(kind, names, where)
                self.fields.append((name, inner.value, inner.taken))
                self.names |= inner.names
            else:
                self.fields.append(
                    ("_tags" if kind is TaggedFields else name, *_converts(kind, names, where, single))
                )
                self.names.add(name)

    def value(self, held: Any) -> dict[str, Any]:
        """Convert a tuple of the library to a value."""
        value: dict[str, Any] = {}
        for (name, to_json, _from_json), item in zip(self.fields, held):
            if name:
                value[name] = to_json(item)
            else:
                value.update(to_json(item))
        if value.get("_tags") == {}:
            del value["_tags"]
        return value

    def thing(self, value: dict[str, Any]) -> tuple[Any, ...]:
        """Convert a value to a tuple of the library."""
        if not value.keys() <= self.names:
            raise kit.Unsupported("fields", f"not in schema: {sorted(value.keys() - self.names)}")
        return self.taken(value)

    def taken(self, value: dict[str, Any]) -> tuple[Any, ...]:
        """Return the fields of a value that belong to this schema."""
        return tuple(
            from_json(_given(value, name) if name else value) for name, _to_json, from_json in self.fields
        )


def _converts(
    kind: Any, names: dict[str, str], where: str, single: str = ""
) -> tuple[kit.Convert, kit.Convert]:
    if kind is TaggedFields:
        return kit.tags_to_json, kit.tags_from_json
    if isinstance(kind, Schema):
        shape = Shape(kind, names, where)
        return shape.value, shape.thing
    if isinstance(kind, Array):
        to_json, from_json = _converts(kind.array_of, names, where)
        if single:
            return (
                kit.array(lambda item: {single: to_json(item)}),
                kit.array(lambda value: from_json(_given(value, single))),
            )
        return kit.array(to_json), kit.array(from_json)
    scalar = SCALARS.get(kind.__name__ if isinstance(kind, type) else type(kind).__name__, "string")
    return kit.TO_JSON[scalar], kit.FROM_JSON[scalar]


def _given(value: dict[str, Any], name: str) -> Any:
    if name in value:
        return value[name]
    if name == "_tags":
        return {}
    raise kit.Unsupported("defaults", f"{name} is not given")


class Body(kit.Message):
    """A class of the library."""

    def __init__(self, cls: Any, names: dict[str, str]) -> None:
        self.cls, self.shape = cls, Shape(cls.SCHEMA, names)

    def read(self, data: bytes) -> tuple[Any, int]:
        stream = io.BytesIO(data)
        return self.cls.decode(stream), stream.tell()

    def write(self, thing: Any) -> bytes:
        written: bytes = thing.encode()
        return written

    def to_value(self, thing: Any) -> dict[str, Any]:
        return self.shape.value([thing.get_item(name) for name in self.cls.SCHEMA.names])

    def from_value(self, value: dict[str, Any]) -> Any:
        return self.cls(**dict(zip(self.cls.SCHEMA.names, self.shape.thing(value))))


class Request(Body):
    """A request; the frame is that of `AIOKafkaConnection.send`."""

    def write_frame(self, header: dict[str, Any], thing: Any) -> bytes:
        head = thing.build_request_header(header.get("correlationId", 0), header.get("clientId", ""))
        if "_tags" in header:
            head.tags = kit.tags_from_json(header["_tags"])
        message = head.encode() + thing.encode()
        return struct.pack(">i", len(message)) + message


class Answer(Body):
    """A response, read as `AIOKafkaConnection` reads the response to a request."""

    def __init__(self, cls: Any, names: dict[str, str], request: Any) -> None:
        super().__init__(cls, names)
        self.request = request

    def read_frame(self, data: bytes) -> tuple[dict[str, Any], Any, int]:
        size = int.from_bytes(data[:4], signed=True)
        if not 0 <= size <= len(data) - 4:  # `StreamReader.readexactly` refuses it, or waits for the rest
            raise ValueError(f"the size of a frame is {size}, and {len(data)} bytes are there with it")
        stream = io.BytesIO(data[4 : 4 + size])
        head = self.request().parse_response_header(stream)
        thing = self.request.RESPONSE_TYPE.decode(stream)
        return RESPONSE_HEADERS[type(head)].to_value(head), thing, 4 + stream.tell()


class Versioned(Body):
    """The consumer protocol without its leading version, which is a field of the struct in the library."""

    def read(self, data: bytes) -> tuple[Any, int]:
        thing, consumed = super().read(b"\0\0" + data)
        return thing, consumed - 2

    def write(self, thing: Any) -> bytes:
        written: bytes = thing.encode()
        return written[2:]

    def to_value(self, thing: Any) -> dict[str, Any]:
        value = super().to_value(thing)
        del value["version"]
        return value

    def from_value(self, value: dict[str, Any]) -> Any:
        return super().from_value({"version": 0, **value})


class Consumer(kit.Embedded):
    """The consumer protocol with its leading version, as the coordinator writes it."""

    def __init__(self, message: str) -> None:
        self.message, self.cls = message, CONSUMER_PROTOCOL[message]

    def read(self, data: bytes, key: bytes | None) -> tuple[str, int, Any, int]:
        stream = io.BytesIO(data)
        thing = self.cls.decode(stream)
        return self.message, thing.version, thing, stream.tell()

    def write(self, message: str, version: int, thing: Any) -> bytes:
        written: bytes = thing.encode()
        return written


class UserData(kit.Embedded):
    """User data of the sticky assignor, as `_metadata` and `parse_member_metadata` write and read them."""

    def read(self, data: bytes, key: bytes | None) -> tuple[str, int, Any, int]:
        stream = io.BytesIO(data)
        return STICKY, 1, StickyAssignorUserDataV1.decode(stream), stream.tell()

    def write(self, message: str, version: int, thing: Any) -> bytes:
        written: bytes = thing.encode()
        return written


class Head(Body):
    """A header alone. The library creates a request header only from a request."""

    def from_value(self, value: dict[str, Any]) -> Any:
        key, version, correlation, client, *tags = self.shape.thing(value)
        return self.cls(SimpleNamespace(API_KEY=key, API_VERSION=version), correlation, client, *tags)


RESPONSE_HEADERS = {cls: Body(cls, {}) for cls in (ResponseHeader_v0, ResponseHeader_v1)}


def port(message: str, version: int) -> kit.Message:
    if message == "RecordBatch":
        return record_sets.RecordSets()
    names = NAMES.get(message, {})
    if message == "ResponseHeader":
        return RESPONSE_HEADERS[(ResponseHeader_v0, ResponseHeader_v1)[version]]
    if message == "RequestHeader":
        return Head((RequestHeader_v1, RequestHeader_v2)[version - 1], NAMES["RequestHeader"])
    if message in CONSUMER_PROTOCOL:
        return Versioned(CONSUMER_PROTOCOL[message], names)
    if message == STICKY:
        return Body(StickyAssignorUserDataV1, names)
    cls = CLASSES[message, version]
    return (
        Request(cls, names)
        if issubclass(cls, RequestStruct)
        else Answer(cls, names, request_of(message, version))
    )


def request_of(response: str, version: int) -> Any:
    return CLASSES[response.replace("Response", "Request"), version]


def claims() -> dict[str, dict[str, str]]:
    claimed = {
        "RequestHeader": kit.claim("encode", "1-2"),
        "ResponseHeader": kit.claim("decode encode reencode equal", "0-1"),
        **{name: kit.claim("decode encode reencode equal", "0") for name in CONSUMER_PROTOCOL},
        STICKY: kit.claim("decode encode reencode equal", "1"),
        "RecordBatch": kit.claim("decode encode", "0-2"),
    }
    for name in sorted({name for name, _version in CLASSES}):
        framing = "frame" if name.endswith("Request") else "unframe"
        versions = [version for other, version in CLASSES if other == name]
        claimed[name] = kit.claim(f"decode encode reencode equal {framing}", versions)
    return claimed


def index() -> dict[str, Any]:
    """Return all structs of the library's protocol modules, and record sets; no reader of request headers."""
    found: dict[str, Any] = {}
    for message, version in CLASSES:
        found.setdefault(message, []).append(version)
    headers = {"RequestHeader": {"encode": "1-2"}, "ResponseHeader": "0-1"}
    others = {**dict.fromkeys(CONSUMER_PROTOCOL, "0"), STICKY: "1", "RecordBatch": "0-2"}
    return {**found, **headers, **others}


def registry() -> list[kit.Api]:
    """Return the keys and versions of the classes, and the headers that requests write and expect."""
    sides: dict[int, dict[str, kit.Direction]] = {}
    for (name, version), cls in CLASSES.items():
        is_request = issubclass(cls, RequestStruct)
        flexible = (cls if is_request else request_of(name, version)).FLEXIBLE_VERSION
        side = sides.setdefault(cls.API_KEY, {})
        kind = "request" if is_request else "response"
        headers = side[kind].headers if kind in side else {}
        headers = {**headers, cls.API_VERSION: flexible + is_request}
        side[kind] = kit.Direction(name, list(headers), headers)
    return [kit.Api(key, side.get("request"), side.get("response")) for key, side in sorted(sides.items())]


def main() -> None:
    kit.serve(
        kit.Testee(
            name="aiokafka",
            version=installed_version("aiokafka"),
            links={"source": "https://github.com/aio-libs/aiokafka"},
            claims=claims(),
            at=port,
            embedded={
                **{name: kit.claim("decode encode reencode", "0") for name in CONSUMER_PROTOCOL},
                STICKY: kit.claim("decode encode reencode", "1"),
            },
            embedded_at=lambda framing, message: UserData() if message == STICKY else Consumer(message),
            primitives=primitives.primitives(),
            compressions={"none": "0-2", "gzip": "0-2", "snappy": "0-2", "lz4": "1-2", "zstd": "2"},
            limits={**LIMITS, **record_sets.LIMITS},
            record_limits=record_sets.RECORD_LIMITS,
            registry=registry(),
            index=index(),
            whole=True,
            # its own `_unpack` raises ValueError for struct.error, its fetcher KafkaError for a corrupt batch
            decode_errors=(ValueError, KafkaError),
            encode_errors=(ValueError, KafkaError),
        ),
        pipes,
    )


if __name__ == "__main__":
    main()
