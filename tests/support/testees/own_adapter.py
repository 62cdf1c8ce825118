"""Our own codec with the Python kit: the same adapter as a program and as an object in wireproof's process.

Run as a program: ``python own_adapter.py``, with `DEFECT` in the environment for one that is wrong in one
way.
As an object: `RIGHT`, and `wrong` makes one with a defect.
"""

import json
import os
from typing import Any, NamedTuple

import wireproof_testee as kit

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError, DecodeError, EncodeError
from kafkawire.schema import resolve, with_absent_fields
from tests.support.testees.own_testee import schemas_of, specs

PIPES = kit.take_stdio()
SPECS = specs(schemas_of("4.4.0"))
MESSAGES = ("MetadataRequest", "ApiVersionsRequest")


class Port(kit.Message):
    def __init__(self, message: str, version: int) -> None:
        self.codec = compile_layout(resolve(SPECS[message], version))
        self.form = canonical(self.codec.layout)
        self.wide = canonical(with_absent_fields(self.codec.layout))

    def read(self, data: bytes) -> tuple[Any, int]:
        return self.codec.decode_from(data, 0)

    def write(self, thing: Any) -> bytes:
        return self.codec.encode(thing)

    def to_value(self, thing: Any) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.form.to_json(thing))
        return value

    def from_value(self, value: dict[str, Any]) -> Any:
        return self.wide.from_tree(value)


class NullAsEmpty(Port):
    """Wrong in one way."""

    def write(self, thing: Any) -> bytes:
        return super().write({**thing, "topics": thing.get("topics") or []})


class Raising(Port):
    """Fails in a way of its own, and says so wherever it can."""

    def read(self, data: bytes) -> tuple[Any, int]:
        print("about to fail")  # noqa: T201 - as some codecs do
        raise LookupError(f"{len(data)} bytes are too many")


class Keyless(Port):
    """It asks a dict of the codec for a key that this does not have."""

    def read(self, data: bytes) -> tuple[Any, int]:
        value, consumed = super().read(data)
        return value["no such key"], consumed


class Limited(Port):
    """It has no place for nulls."""

    def from_value(self, value: dict[str, Any]) -> Any:
        if None in value.values():
            raise kit.Unsupported("nulls", "a null")
        return super().from_value(value)


class Held(NamedTuple):
    """A value, with the bytes that it was read from."""

    value: dict[str, Any]
    data: bytes


class Keeping(Port):
    """It keeps its input with the codec's object; what is made of it is another matter."""

    def read(self, data: bytes) -> tuple[Any, int]:
        value, consumed = super().read(data)
        return Held(value, data), consumed

    def write(self, thing: Any) -> bytes:
        return super().write(thing.value if isinstance(thing, Held) else thing)

    def to_value(self, thing: Any) -> dict[str, Any]:
        return super().to_value(thing.value)


class Echoing(Keeping):
    """It returns its input where it is asked to write again."""

    def write(self, thing: Any) -> bytes:
        return thing.data if isinstance(thing, Held) else super().write(thing)


class Unread(Echoing):
    """It does not even read its input."""

    def read(self, data: bytes) -> tuple[Any, int]:
        return Held({}, data), len(data)


class Comparing(Keeping):
    """It compares its input."""

    def equal(self, thing: Any, other: Any) -> bool:
        return bool(thing.data == other.data)

    def same_hash(self, thing: Any, other: Any) -> bool | None:
        return None


class Remembering(Port):
    """It cannot read topics, and hides that with the values that it was given before."""

    def __init__(self, message: str, version: int) -> None:
        super().__init__(message, version)
        self.memory = dict[bytes, Any]()

    def write(self, thing: Any) -> bytes:
        data = super().write(thing)
        self.memory[data] = thing
        return data

    def read(self, data: bytes) -> tuple[Any, int]:
        value, consumed = super().read(data)
        return self.memory.get(data, {**value, "topics": []} if "topics" in value else value), consumed


PORTS = {"": Port, "null-as-empty": NullAsEmpty, "raising": Raising, "limited": Limited, "keyless": Keyless}
OWN_INPUT = {"echoing": Echoing, "unread": Unread, "comparing": Comparing, "remembering": Remembering}
"""Adapters that answer from their own input."""


def testee(defect: str) -> kit.Testee:
    operations = "decode encode reencode" + (" equal copy" if defect in OWN_INPUT else "")
    claims = {name: kit.claim(operations, range(SPECS[name].valid_versions.highest + 1)) for name in MESSAGES}
    return kit.Testee(
        name="kafkawire-by-kit",
        version="0",
        claims=claims,
        at=(PORTS | OWN_INPUT)[defect],
        limits={"nulls": "there is no null", "moods": "it is never met"} if defect == "limited" else {},
        decode_errors=(DecodeError,),
        encode_errors=(EncodeError, CodecError),
    )


RIGHT = testee("")


def wrong() -> kit.Testee:
    return testee("null-as-empty")


def keyless() -> kit.Testee:
    return testee("keyless")


def raising() -> kit.Testee:
    return testee("raising")


def limited() -> kit.Testee:
    return testee("limited")


def echoing() -> kit.Testee:
    return testee("echoing")


def unread() -> kit.Testee:
    return testee("unread")


def comparing() -> kit.Testee:
    return testee("comparing")


def remembering() -> kit.Testee:
    return testee("remembering")


if __name__ == "__main__":
    kit.serve(testee(os.environ.get("DEFECT", "")), PIPES)
