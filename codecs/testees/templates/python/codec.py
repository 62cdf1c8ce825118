"""An example codec for one message, so that the adapter works at once. Delete this file."""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST_TEXT, HIGHEST_TAG = 0x7FFF, 0x7FFF_FFFE
VERSIONS = range(4)


class MalformedError(ValueError):
    """The bytes are not a valid message."""


@dataclass
class ApiVersionsRequest:
    client_software_name: str = ""
    client_software_version: str = ""
    tags: dict[int, bytes] = field(default_factory=dict)

    def encode(self, version: int) -> bytes:
        _check_version(version)
        if version < 3:
            return b""  # older versions have no fields
        out = bytearray()
        for text in (self.client_software_name, self.client_software_version):
            encoded = text.encode()
            out += _varint(len(encoded) + 1) + encoded
        out += _varint(len(self.tags))
        for tag, data in sorted(self.tags.items()):
            out += _varint(tag) + _varint(len(data)) + data
        return bytes(out)

    @classmethod
    def decode(cls, data: bytes, version: int) -> tuple[ApiVersionsRequest, int]:
        """Decode a request. Return it and the number of bytes read."""
        _check_version(version)
        if version < 3:
            return cls(), 0
        reader = _Reader(data)
        name, software = reader.text(), reader.text()
        tags: dict[int, bytes] = {}
        last = -1
        for _ in range(reader.varint()):
            tag = reader.varint()
            if tag > HIGHEST_TAG or tag <= last:
                raise MalformedError(f"tag {tag} is not above the previous one, or too large")
            tags[tag] = reader.take(reader.varint())
            last = tag
        return cls(name, software, tags), reader.at


MESSAGES = {"ApiVersionsRequest": ApiVersionsRequest}


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, count: int) -> bytes:
        if not 0 <= count <= len(self.data) - self.at:
            raise MalformedError(f"{count} bytes expected, {len(self.data) - self.at} left")
        self.at += count
        return self.data[self.at - count : self.at]

    def text(self) -> str:
        length = self.varint() - 1
        if length > LONGEST_TEXT:
            raise MalformedError(f"a string of {length} bytes")
        try:
            return self.take(length).decode()
        except UnicodeDecodeError as error:
            raise MalformedError(f"a string that is not UTF-8: {error}") from error

    def varint(self) -> int:
        number = 0
        for shift in range(0, 35, 7):
            (byte,) = self.take(1)
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
        raise MalformedError(f"a varint longer than five bytes ends at {self.at}")


def _check_version(version: int) -> None:
    if version not in VERSIONS:
        raise ValueError(f"ApiVersionsRequest has versions {VERSIONS[0]} to {VERSIONS[-1]}, not {version}")


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])
