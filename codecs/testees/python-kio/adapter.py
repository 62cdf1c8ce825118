"""The adapter of kio: frozen dataclasses generated from Kafka's schemas, a native decoder, writers in Python.

Fields have Kafka's names in snake case. Those of durations and timestamps do not end with `ms`.
"""

from __future__ import annotations

import dataclasses
import datetime
import io
import pkgutil
import re
import struct
import types
import typing
from importlib.metadata import version as installed_version
from typing import Any

import wireproof_testee as kit

pipes = kit.take_stdio()

import primitives
import record_sets
from kio.schema.errors import ErrorCode
from kio.schema.index import api_key_map, schema_name_map
from kio.serial import entity_reader, entity_writer
from kio.serial._implicit_defaults import get_tagged_field_default
from kio.serial.errors import SerialError
from kio.static.constants import EntityType
from times import EPOCH, MILLISECOND, datetime_of

ZERO = "00000000-0000-0000-0000-000000000000"
LIMITS = {
    "fields": "the dataclass of a version has no fields of others",
    "error-code": "error codes are an enum, which has Kafka's codes of its time alone",
    "datetime": "timestamps are datetimes of the years 1970 to 9999; one that may be missing has None for -1",
    "timedelta": "a timedelta holds fewer milliseconds than an int64",
    "unknown-tags": "the dataclasses have no place for unknown tagged fields",
}
REFUSALS = {
    r"(-?\d+) is not a valid ErrorCode": "error-code",
    r"Cannot parse negative timestamp": "datetime",
    r"year -?\d{5,} is out of range": "datetime",
    r"timedelta milliseconds overflow": "timedelta",
}
"""The errors of kio's decoder for values that its types cannot hold; all others are refusals."""
ERROR_CODES = {each.value for each in ErrorCode}

CLASSES: dict[tuple[str, int], Any] = {
    (name.rpartition(":")[2], version): name
    for versions in schema_name_map.values()
    for version, names in versions.items()
    for name in names.values()
}


def resolved(message: str, version: int) -> Any:
    return pkgutil.resolve_name(CLASSES[message, version])


class Shape:
    """The conversion of one dataclass to and from Kafka's names."""

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.to_json: list[tuple[str, str, kit.Convert]] = []
        self.from_json: dict[str, tuple[str, kit.Convert]] = {}
        self.implied: dict[str, Any] = {}  # the values that its own reader gives to absent tags
        for item in dataclasses.fields(cls):
            kind = item.metadata.get("kafka_type", "")
            words = item.name.split("_") + (["ms"] if kind.startswith(("timedelta", "datetime")) else [])
            name = words[0] + "".join(word.title() for word in words[1:])
            to_json, from_json = _converts(item.type, kind)
            self.to_json.append((name, item.name, to_json))
            self.from_json[name] = (item.name, from_json)
            if "tag" in item.metadata and item.default is dataclasses.MISSING:
                self.implied[item.name] = get_tagged_field_default(item)

    def value(self, held: Any) -> dict[str, Any]:
        return {name: convert(getattr(held, attribute)) for name, attribute, convert in self.to_json}

    def thing(self, value: dict[str, Any]) -> Any:
        if "_tags" in value:
            raise kit.Unsupported("unknown-tags")
        fields = dict(self.implied)
        for name, item in value.items():
            if name not in self.from_json:
                raise kit.Unsupported("fields", f"{self.cls.__name__} has no {name}")
            attribute, convert = self.from_json[name]
            fields[attribute] = convert(item)
        return self.cls(**fields)


def _converts(annotation: Any, kind: str) -> tuple[kit.Convert, kit.Convert]:
    """Return the conversions for `T`, `T | None`, `tuple[T, ...]`, or `tuple[T, ...] | None`."""
    if typing.get_origin(annotation) in (types.UnionType, typing.Union):
        (inner,) = (one for one in typing.get_args(annotation) if one is not type(None))
        if kind == "datetime_i64":
            return _number_or_none, _datetime_or_none
        to_json, from_json = _converts(inner, kind)
        return (to_json, from_json) if kind == "uuid" else (kit.nullable(to_json), kit.nullable(from_json))
    if typing.get_origin(annotation) is tuple:
        to_json, from_json = _converts(typing.get_args(annotation)[0], kind)
        return kit.array(to_json), kit.nullable(lambda items: tuple(from_json(item) for item in items))
    if dataclasses.is_dataclass(annotation):
        shape = Shape(annotation)
        return shape.value, shape.thing
    return SCALARS[kind] if kind in SCALARS else (kit.TO_JSON[kind], kit.FROM_JSON[kind])


def _error_code(number: int) -> Any:
    try:
        return ErrorCode(number)
    except ValueError as error:
        raise kit.Unsupported("error-code", str(error)) from error


def _datetime_or_none(milliseconds: str) -> datetime.datetime | None:
    return None if milliseconds == "-1" else datetime_of(int(milliseconds))


def _timedelta(milliseconds: Any) -> datetime.timedelta:
    try:
        return int(milliseconds) * MILLISECOND
    except OverflowError as error:
        raise kit.Unsupported("timedelta", str(milliseconds)) from error


def _number(held: datetime.datetime) -> str:
    """Return the nearest number of milliseconds, without floats: the library's own are under test."""
    return str((2 * (held - EPOCH) + MILLISECOND) // (2 * MILLISECOND))


def _number_or_none(held: datetime.datetime | None) -> str:
    return "-1" if held is None else _number(held)


SCALARS: dict[str, tuple[kit.Convert, kit.Convert]] = {
    "error_code": (lambda held: held.value, _error_code),
    "timedelta_i32": (lambda held: held // MILLISECOND, _timedelta),
    "timedelta_i64": (lambda held: str(held // MILLISECOND), _timedelta),
    "datetime_i64": (_number, lambda milliseconds: datetime_of(int(milliseconds))),
    # The library reads the zero UUID as None, and writes either.
    "uuid": (lambda held: ZERO if held is None else str(held), kit.FROM_JSON["uuid"]),
}


class Entity(kit.Message):
    """A dataclass of the schema with its reader and writer."""

    def __init__(self, message: str, version: int) -> None:
        cls = resolved(message, version)
        self.decode, self.encode = entity_reader(cls), entity_writer(cls)
        shape = Shape(cls)
        self.to_value, self.from_value = shape.value, shape.thing  # type: ignore[method-assign]
        header = getattr(cls, "__header_schema__", None)
        if header is not None:
            self.decode_header, self.encode_header = entity_reader(header), entity_writer(header)
            self.header = Shape(header)

    def read(self, data: bytes) -> tuple[Any, int]:
        return _read(self.decode, data, 0)

    def write(self, thing: Any) -> bytes:
        buffer = io.BytesIO()
        self.encode(buffer, thing)
        return buffer.getvalue()

    def read_frame(self, data: bytes) -> tuple[dict[str, Any], Any, int]:
        size = int.from_bytes(data[:4], "big", signed=True)
        frame = data[: 4 + size]
        if len(frame) < 4 + size:  # kio reads frames from a stream, which would wait for the rest
            raise ValueError(f"a frame of {size} bytes has only {len(frame) - 4}")
        head, head_size = _read(self.decode_header, frame, 4)
        thing, thing_size = _read(self.decode, frame, 4 + head_size)
        return self.header.value(head), thing, 4 + head_size + thing_size

    def write_frame(self, header: dict[str, Any], thing: Any) -> bytes:
        buffer = io.BytesIO()
        self.encode_header(buffer, self.header.thing(header))
        self.encode(buffer, thing)
        return struct.pack(">i", buffer.tell()) + buffer.getvalue()


def _read(decode: Any, data: bytes, offset: int) -> tuple[Any, int]:
    try:
        read: tuple[Any, int] = decode(data, offset)
    except (SerialError, ValueError) as error:
        for words, reason in REFUSALS.items():
            found = re.fullmatch(words, str(error))
            if found and not (found.lastindex and int(found[1]) in ERROR_CODES):
                raise kit.Unsupported(reason, str(error)) from error
        raise
    return read


def port(message: str, version: int) -> kit.Message:
    return record_sets.RecordSets() if message == "RecordBatch" else Entity(message, version)


def claims() -> dict[str, dict[str, str]]:
    versions: dict[str, list[int]] = {}
    for message, version in CLASSES:
        versions.setdefault(message, []).append(version)
    return {
        message: kit.claim(
            "decode encode reencode equal copy frame unframe"
            if message.endswith(("Request", "Response"))
            else "decode encode reencode equal copy",
            found,
        )
        for message, found in sorted(versions.items())
    } | {"RecordBatch": kit.claim("decode encode", "2")}


def index() -> dict[str, list[int]]:
    """Return all messages of the library's index of schemas, data messages too, and its record batches."""
    found: dict[str, list[int]] = {"RecordBatch": [2]}
    for versions in schema_name_map.values():
        for version, names in versions.items():
            for path in names.values():
                found.setdefault(path.rpartition(":")[2], []).append(version)
    return found


def registry() -> list[kit.Api]:
    """Return the library's index of APIs, without headers: to import all classes takes seconds."""
    return [
        kit.Api(key, _direction(name, EntityType.request), _direction(name, EntityType.response))
        for key, name in sorted(api_key_map.items())
    ]


def _direction(name: str, kind: Any) -> kit.Direction:
    versions = schema_name_map[name].items()
    paths = {version: names[kind] for version, names in versions if kind in names}
    return kit.Direction(next(iter(paths.values())).rpartition(":")[2], list(paths))


def main() -> None:
    kit.serve(
        kit.Testee(
            name="kio",
            version=installed_version("kio"),
            links={"source": "https://github.com/Aiven-Open/kio"},
            claims=claims(),
            at=port,
            primitives=primitives.primitives(),
            compressions=("none",),
            limits={**LIMITS, **record_sets.LIMITS},
            record_limits=record_sets.RECORD_LIMITS,
            registry=registry(),
            index=index(),
            names="4.3",
            whole=True,
            decode_errors=(SerialError, ValueError),
            encode_errors=(SerialError, ValueError, TypeError, struct.error),
        ),
        pipes,
    )


if __name__ == "__main__":
    main()
