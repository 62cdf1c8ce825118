"""Our own codec behind the Python kit: the same adapter as a program and as an object in wireproof's process.

Run as a program: ``python own_adapter.py``, with `FLAW` in the environment for one that is wrong in one way.
As an object: `RIGHT`, and `wrong` makes one with a flaw.
"""

import json
import os
from typing import Any

import wireproof_testee as kit

from kafkawire.canonical import canonical
from kafkawire.compiler import compile_layout
from kafkawire.errors import CodecError, DecodeError, EncodeError
from kafkawire.schema import resolve, with_absent_fields
from own_testee import schemas_of, specs

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
        print("about to fail")  # noqa: T201 - what careless codecs do
        raise LookupError(f"{len(data)} bytes are too many")


PORTS = {"": Port, "null-as-empty": NullAsEmpty, "raising": Raising}


def testee(flaw: str) -> kit.Testee:
    claims = {
        name: kit.claim("decode encode reencode", range(SPECS[name].valid_versions.highest + 1))
        for name in MESSAGES
    }
    return kit.Testee(
        name="kafkawire-by-kit",
        version="0",
        claims=claims,
        at=PORTS[flaw],
        decode_errors=(DecodeError,),
        encode_errors=(EncodeError, CodecError),
    )


RIGHT = testee("")


def wrong() -> kit.Testee:
    return testee("null-as-empty")


def raising() -> kit.Testee:
    return testee("raising")


if __name__ == "__main__":
    kit.serve(testee(os.environ.get("FLAW", "")), PIPES)
