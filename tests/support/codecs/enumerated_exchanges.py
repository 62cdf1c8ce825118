"""Enumerated requests about a small message that meets every trigger of the catalogue of deviations."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from uuid import UUID

from kafkawire.bundled import layout as bundled_layout
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.records import encode_records, highest_magic, record_set_layout
from kafkawire.schema import MessageLayout
from tests.support.schemas.kitchen_sink import layout
from wireproof.model.adapter import Decode, DecodeFrame, Encode, Equal, FeedFrame, Reencode, Request, Size
from wireproof.proof.strategies.cases.scenarios import scenarios
from wireproof.proof.strategies.layout_source import refused_values
from wireproof.proof.strategies.malformed.message_mutations import mutations
from wireproof.proof.strategies.malformed.record_mutations import record_mutations
from wireproof.proof.strategies.records.foreign_compression import foreign_cases
from wireproof.proof.strategies.records.record_cases import record_cases
from wireproof.proof.strategies.values.boundary_values import MANY

_LONGEST = 600
_TEXT = """{
  "apiKey": 77, "type": "request", "name": "SmallRequest", "validVersions": "0-2", "flexibleVersions": "1+",
  "fields": [
    { "name": "Flag", "type": "bool", "versions": "0+" },
    { "name": "ErrorCode", "type": "int16", "versions": "0+", "default": "-1" },
    { "name": "Offset", "type": "int64", "versions": "0+", "default": "5" },
    { "name": "Quota", "type": "float64", "versions": "0+" },
    { "name": "Late", "type": "int32", "versions": "2+" },
    { "name": "Group", "type": "string", "versions": "0+", "nullableVersions": "0+", "default": "null" },
    { "name": "Name", "type": "string", "versions": "0+" },
    { "name": "Blob", "type": "bytes", "versions": "0+", "nullableVersions": "0+" },
    { "name": "Topics", "type": "[]Topic", "versions": "0+", "nullableVersions": "0+", "fields": [
      { "name": "Key", "type": "string", "versions": "0+", "mapKey": true },
      { "name": "Count", "type": "int32", "versions": "0+" } ]},
    { "name": "Nothing", "type": "[]Empty", "versions": "0+", "ignorable": true, "fields": [
      { "name": "Never", "type": "int8", "versions": "2+" } ]},
    { "name": "Cursor", "type": "Cursor", "versions": "1+", "nullableVersions": "1+", "default": "null",
      "ignorable": true, "fields": [ { "name": "Position", "type": "int32", "versions": "1+" } ]},
    { "name": "Id", "type": "uuid", "versions": "2+", "ignorable": true },
    { "name": "One", "type": "string", "versions": "2+", "ignorable": true },
    { "name": "Two", "type": "string", "versions": "2+", "ignorable": true },
    { "name": "Early", "type": "string", "versions": "1+", "taggedVersions": "1+", "tag": 0,
      "ignorable": true },
    { "name": "Middle", "type": "int32", "versions": "2+", "taggedVersions": "2+", "tag": 1,
      "ignorable": true },
    { "name": "High", "type": "int32", "versions": "1+", "taggedVersions": "1+", "tag": 2,
      "ignorable": true },
    { "name": "Aliases", "type": "[]Alias", "versions": "2+", "taggedVersions": "2+", "tag": 3,
      "ignorable": true, "fields": [
      { "name": "Alias", "type": "string", "versions": "2+", "nullableVersions": "2+" } ]}
  ]
}"""

LAYOUTS = tuple(layout(version, _TEXT) for version in (0, 1, 2))
HEADER = bundled_layout("RequestHeader", 2)


def requests(message: MessageLayout, *, every: int = 1) -> Iterator[Request]:
    """Yield requests about every enumerated value and mutation of a message, or about each n-th."""
    codec = compile_layout(message)
    number = 0
    for case in chain(scenarios(message), refused_values(message)):
        if case.name.endswith(f"count-{MANY}"):
            continue  # it meets what 128 elements meet, and takes longer
        number += 1
        if number % every:
            continue
        try:
            data = codec.encode(case.value)
        except CodecError:
            data = b"\0" * (_LONGEST + 1)
        if len(data) > _LONGEST and not case.path:
            continue  # one of the large ones of the whole message
        yield Encode(case.value)
        if len(data) > _LONGEST:
            continue
        yield Decode(data)
        yield Decode(data + b"\0")
        for mutation in mutations(message, data):
            number += 1
            if number % every == 0:
                yield Decode(mutation.apply(data))


@cache
def small_requests() -> tuple[tuple[MessageLayout, Request], ...]:
    """Return the requests about the small message, each once."""
    found: dict[str, tuple[MessageLayout, Request]] = {}
    for message in LAYOUTS:
        for request in chain(_by_hand(message), requests(message, every=7)):
            found.setdefault(f"{message.version} {request!r}", (message, request))
    beyond = replace(LAYOUTS[-1], version=len(LAYOUTS))
    found |= {
        repr(each): (beyond, each) for each in (Encode({}), Decode(compile_layout(LAYOUTS[-1]).encode({})))
    }
    errors = [_of_api_versions(3), _of_api_versions(0)]
    return (
        *found.values(),
        *((errors[0][0], request) for _, request in errors),
        _of_no_records(),
        *_of_record_sets(),
    )


def _of_record_sets() -> Iterator[tuple[MessageLayout, Request]]:
    """Yield record sets, cut off and mutated: one of each magic, plain and compressed."""
    wanted = {"v0/none/plain", "v1/gzip/plain", "v2/none/headers-repeated", "v2/gzip/plain"}
    for case in record_cases():
        if case.name in wanted:
            message, data = record_set_layout(highest_magic(case.records)), encode_records(case.records)
            yield message, Decode(data)
            yield message, Decode(data[:-1])
            yield message, Decode(data[:16])
            for mutation in record_mutations(case):
                yield message, Decode(mutation.apply(data))
        elif case.name == "v2/snappy/no-records":
            yield record_set_layout(2), Decode(encode_records(case.records))
    for case in foreign_cases():
        if case.name.startswith("v2/") and case.name.endswith("/foreign-two-streams"):
            yield record_set_layout(2), Decode(case.foreign or b"")


def _of_no_records() -> tuple[MessageLayout, Request]:
    """Return a message whose records are no record set."""
    message = bundled_layout("ProduceRequest", 3)
    value = {"topicData": [{"name": "t", "partitionData": [{"records": b"x"}]}]}
    return message, Decode(compile_layout(message).encode(value))


def _of_api_versions(version: int) -> tuple[MessageLayout, Request]:
    """Return a response with an error code, of a version."""
    message = bundled_layout("ApiVersionsResponse", version)
    return message, Decode(compile_layout(message).encode({"errorCode": 35}))


def _by_hand(message: MessageLayout) -> Iterator[Request]:
    """Yield requests that no enumerated case makes."""
    pair = [{"key": "b", "count": 1}, {"key": "A", "count": 2}, {"key": "a", "count": 2}]
    values: list[dict[str, object]] = [
        {"name": "\ud800"},
        {"quota": float("inf")},
        {"quota": float("nan")},
        {"offset": -(1 << 62) + 1},
        {"offset": 1 << 40},
        {"id": UUID("00112233-4455-6677-8899-aabbccddeeff"), "one": "x", "two": "y"},
        {"blob": bytes(range(120, 140))},
        {"blob": bytes(17_000)},
        {"topics": pair},
        {"topics": [*pair, *pair]},
        {"topics": [{"key": "a", "count": 1}, {"key": "a", "count": 2}]},
        {"late": 7},
        {"middle": 7},
        {"aliases": [{"alias": None}, {"alias": "x"}]},
        {"errorCode": 9_000},
        {"name": 7},
        {"flag": None},
        {"early": "x", "high": 4, "_tags": {4: b"y", 9: b"z"}},
        {"high": 4, "early": "x", "_tags": {4: b"y"}},
        {"_tags": {-1: b"y"}},
        {"_tags": {0: b"y"}},
        {"_tags": {1: b"y"}},
        {"_tags": {4: b"y", 200: b"z"}},
    ]
    codec = compile_layout(message)
    for value in values:
        yield Encode(value)
        try:
            data = codec.encode(value)
        except CodecError:
            continue
        yield Size(value)
        yield Decode(data)
        yield Reencode(data)
        yield Equal(data, data)
        yield Equal(codec.encode({}), data)
    yield DecodeFrame(b"\0\0\0")
    yield DecodeFrame(b"\0\0\0\7" + compile_layout(HEADER).encode({}) + codec.encode({}))
    frame = FrameCodec(compile_layout(HEADER), codec).encode({}, {})
    yield DecodeFrame(frame + b"\0")
    yield from (FeedFrame((frame[:place], frame[place:])) for place in (2, 7, len(frame) - 1))
    if message.version == 2:
        yield Decode(bytes(23) + b"\0\1\1\2" + b"\xff" * 9 + b"\x7f")  # the length of a key, of 70 bits
    if message.version == 0:
        yield Decode(bytes(11) + bytes(8) + b"\xff\xff" + bytes(2) + b"\xff" * 8 + b"\0\0\0\5")
        yield Decode(bytes(11) + bytes(8) + b"\xff\xff" + bytes(2) + b"\xff" * 8 + b"\0\0\0\0")
