"""An example codec for MESSAGE, so that the adapter works at once. Delete this file."""

from __future__ import annotations

import dataclasses
import struct
import uuid
from functools import cache
from typing import Any

VERSIONS, FLEXIBLE = "VERSIONS_TEXT", "FLEXIBLE_TEXT"
LONGEST_TEXT, HIGHEST_TAG = 0x7FFF, 0x7FFF_FFFE
NUMBERS = {
    "bool": ">?",
    "int8": ">b",
    "int16": ">h",
    "uint16": ">H",
    "int32": ">i",
    "uint32": ">I",
    "int64": ">q",
    "float64": ">d",
}


class MalformedError(ValueError):
    """The bytes are not a valid message."""


def versions(text: str) -> range:
    """Return the versions of a text: those of "3-5", of "3", or none."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1) if text else range(0)


class Wire:
    """A field on the wire: its type (a list of one for arrays), and the versions that have it."""

    def __init__(
        self,
        kind: Any,
        there: str,
        nullable: str = "",
        tag: int = -1,
        tagged: str = "",
        compact: str = FLEXIBLE,
    ) -> None:
        self.kind = kind
        self.there, self.nullable, self.compact = versions(there), versions(nullable), versions(compact)
        self.tag, self.tagged = tag, versions(tagged)


def wire(kind: Any, there: str, default: Any = dataclasses.MISSING, **given: Any) -> Any:
    """Declare a field of a struct. Without a default it is an empty array, or a struct of defaults."""
    metadata = {"wire": Wire(kind, there, **given)}
    if default is not dataclasses.MISSING:
        return dataclasses.field(default=default, metadata=metadata)
    return dataclasses.field(default_factory=list if isinstance(kind, list) else kind, metadata=metadata)


@cache
def fields(cls: type) -> list[tuple[str, Wire]]:
    """Return the attributes of a struct, with their fields on the wire."""
    return [(each.name, each.metadata["wire"]) for each in dataclasses.fields(cls) if each.metadata]


def encode(thing: Any, version: int) -> bytes:
    """Encode a message, or a struct of it."""
    _check_version(version)
    out, tags = bytearray(), dict(thing.unknown_tags)
    default = type(thing)()
    for name, each in fields(type(thing)):
        item = getattr(thing, name)
        if version in each.tagged:
            if item != getattr(default, name):
                tags[each.tag] = _field(each, item, version)
        elif version in each.there:
            out += _field(each, item, version)
    if version in versions(FLEXIBLE):
        out += _varint(len(tags))
        for tag, data in sorted(tags.items()):
            out += _varint(tag) + _varint(len(data)) + data
    return bytes(out)


def _field(each: Wire, item: Any, version: int) -> bytes:
    if item is None and version not in each.nullable:
        raise ValueError(f"null in a field that is not nullable in version {version}")
    compact = version in each.compact
    if isinstance(each.kind, list):
        (kind,) = each.kind
        elements = b"".join(_item(kind, one, version, compact) for one in item or ())
        return _length(None if item is None else len(item), ">i", compact) + elements
    if isinstance(each.kind, type) and version in each.nullable:
        null = b"\0" if version in each.tagged else b"\xff"
        return null if item is None else b"\1" + encode(item, version)
    return _item(each.kind, item, version, compact)


def _item(kind: Any, item: Any, version: int, compact: bool) -> bytes:
    if isinstance(kind, type):
        return encode(item, version)
    if kind in NUMBERS:
        return struct.pack(NUMBERS[kind], item)
    if kind == "uuid":
        return bytes(item.bytes)
    form = ">h" if kind == "string" else ">i"
    if item is None:
        return _length(None, form, compact)
    data = item.encode() if kind == "string" else bytes(item)
    if kind == "string" and len(data) > LONGEST_TEXT:
        raise ValueError(f"a string of {len(data)} bytes")
    return _length(len(data), form, compact) + data


def _length(length: int | None, form: str, compact: bool) -> bytes:
    if compact:
        return _varint(0 if length is None else length + 1)
    return struct.pack(form, -1 if length is None else length)


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def decode(cls: type, data: bytes, version: int) -> tuple[Any, int]:
    """Decode a message. Return it and the number of bytes read."""
    _check_version(version)
    reader = _Reader(data, version)
    return reader.struct(cls), reader.at


class _Reader:
    def __init__(self, data: bytes, version: int) -> None:
        self.data, self.version = data, version
        self.at = 0

    def struct(self, cls: type) -> Any:
        thing = cls()
        for name, each in fields(cls):
            if self.version in each.there and self.version not in each.tagged:
                setattr(thing, name, self.field(each))
        if self.version in versions(FLEXIBLE):
            self.tags(thing)
        return thing

    def tags(self, thing: Any) -> None:
        known = {each.tag: (name, each) for name, each in fields(type(thing)) if each.tagged}
        last = -1
        for _ in range(self.varint()):
            tag = self.varint()
            if tag > HIGHEST_TAG or tag <= last:
                raise MalformedError(f"tag {tag} is not above the previous one, or too large")
            data, last = self.take(self.varint()), tag
            if tag not in known:
                thing.unknown_tags[tag] = data
                continue
            name, each = known[tag]
            inner = _Reader(data, self.version)
            if self.version not in each.tagged:
                raise MalformedError(f"tag {tag} is none of version {self.version}")
            setattr(thing, name, inner.field(each))
            if inner.at != len(data):
                raise MalformedError(f"tag {tag} has {len(data)} bytes, its field {inner.at}")

    def field(self, each: Wire) -> Any:
        compact, nullable = self.version in each.compact, self.version in each.nullable
        if isinstance(each.kind, list):
            count = self.length(">i", compact, nullable)
            if count is not None and count > len(self.data) - self.at:
                raise MalformedError(f"{count} elements, {len(self.data) - self.at} bytes left")
            return None if count is None else [self.item(each.kind[0], compact) for _ in range(count)]
        if isinstance(each.kind, type) and nullable:
            tagged = self.version in each.tagged
            marker = self.varint() if tagged else self.number(">b")
            if marker not in ((0, 1) if tagged else (-1, 1)):
                raise MalformedError(f"{marker} before a struct that may be null")
            return self.struct(each.kind) if marker == 1 else None
        return self.item(each.kind, compact, nullable)

    def item(self, kind: Any, compact: bool, nullable: bool = False) -> Any:
        if isinstance(kind, type):
            return self.struct(kind)
        if kind in NUMBERS:
            return self.number(NUMBERS[kind])
        if kind == "uuid":
            return uuid.UUID(bytes=self.take(16))
        length = self.length(">h" if kind == "string" else ">i", compact, nullable)
        if length is None:
            return None
        if kind != "string":
            return self.take(length)
        if length > LONGEST_TEXT:
            raise MalformedError(f"a string of {length} bytes")
        try:
            return self.take(length).decode()
        except UnicodeDecodeError as error:
            raise MalformedError(f"a string that is not UTF-8: {error}") from error

    def take(self, count: int) -> bytes:
        if not 0 <= count <= len(self.data) - self.at:
            raise MalformedError(f"{count} bytes expected, {len(self.data) - self.at} left")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, form: str) -> Any:
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def length(self, form: str, compact: bool, nullable: bool) -> int | None:
        length = self.varint() - 1 if compact else self.number(form)
        if length < -1 or (length == -1 and not nullable):
            raise MalformedError(f"the length {length} ends at {self.at}")
        return None if length == -1 else int(length)

    def varint(self) -> int:
        number = 0
        for shift in range(0, 35, 7):
            (byte,) = self.take(1)
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                if number > 0xFFFF_FFFF:
                    break
                return number
        raise MalformedError(f"a varint of more than 32 bits ends at {self.at}")


def _check_version(version: int) -> None:
    if version not in versions(VERSIONS):
        raise ValueError(f"MESSAGE has the versions {VERSIONS}, not {version}")


# STRUCTS
