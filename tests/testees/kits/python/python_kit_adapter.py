"""An adapter of a codec that does what its input says; tests of the Python kit start it as a program.

The bytes of its message `Echo` are its value. Their first one chooses what happens when they are read or
written, see `DEEDS`.
"""

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn
from uuid import UUID

import wireproof_testee as kit

PIPES = kit.take_stdio()


class PanicError(BaseException):
    """An exception of a native extension, which is not an `Exception`."""


class MuteError(Exception):
    """An exception whose `__str__` fails."""

    def __str__(self) -> str:
        raise ValueError("no words")


class PlacedError(ValueError):
    """A refusal with its place."""

    place = 3


def deep(level: int) -> int:
    return deep(level + 1) + 1


def fail(error: BaseException) -> NoReturn:
    raise error


def lacks_import(data: bytes) -> bytes:
    import no_such_codec  # type: ignore[import-not-found]

    return no_such_codec.decode(data)


def noise(data: bytes) -> bytes:
    print("a line of the codec")  # noqa: T201 - as some codecs do
    os.write(1, b"bytes of the codec\n")
    os.system("echo a child of the codec")
    return data + sys.stdin.buffer.read()


DEEDS: dict[int, Callable[[bytes], Any]] = {
    0: lambda data: data,
    1: lambda _: fail(PlacedError("declined")),
    2: lambda _: fail(KeyError("not declared")),
    3: lambda _: fail(MemoryError()),
    4: lambda _: deep(0),
    5: lambda _: sys.exit("the codec leaves"),
    6: noise,
    7: lambda _: fail(kit.Unsupported("sevens", "a seven")),
    8: lambda _: fail(kit.Unsupported("eights", "an eight")),
    9: lambda _: fail(PanicError("panicked")),
    10: lambda _: fail(MuteError()),
    11: lambda _: fail(ValueError("x" * 100_000)),
    12: lambda _: bytearray(1 << 62),
    13: lacks_import,
    14: lambda _: sys.no_such_function(),  # type: ignore[attr-defined]
    15: lambda _: no_such_name,  # type: ignore[name-defined] # noqa: F821
    16: lambda data: MISTAKES[data.hex()],
    17: lambda data: __import__("ast").literal_eval("{}").pop(data),
    18: lambda data: data.no_such_method(),  # type: ignore[attr-defined]
}


class Echo(kit.Message):
    def __init__(self, message: str, version: int) -> None:
        self.version = version

    def read(self, data: bytes) -> tuple[Any, int]:
        if self.version == 9:
            return data  # type: ignore[return-value] # a mistake of adapters
        return DEEDS[data[0]](data), len(data)

    def write(self, thing: Any) -> bytes:
        return thing if isinstance(thing, str) else DEEDS[thing[0]](thing)  # type: ignore[return-value]

    def to_value(self, thing: Any) -> dict[str, Any]:
        match self.version:
            case 1:
                return {"list": [{"data": thing}]}
            case 2:
                return {"number": float("nan")}
            case 3:
                return list(thing)  # type: ignore[return-value]
            case _:
                return {"data": thing.hex()}

    def from_value(self, value: dict[str, Any]) -> Any:
        return value["text"] if "text" in value else bytes.fromhex(value.get("data", "00"))

    def size(self, thing: Any) -> int:
        return len(thing)

    def write_frame(self, header: dict[str, Any], thing: Any) -> bytes:
        return bytes([header["number"]]) + self.write(thing)

    def feed(self, parts: Iterator[bytes]) -> tuple[Any, int] | None:
        """The first byte of a frame is the number of bytes after it."""
        held = b""
        for part in parts:
            held += part
            if len(held) > held[0]:
                return self.read(held[1 : held[0] + 1])[0], held[0] + 1
        return None

    def read_frame(self, data: bytes) -> tuple[dict[str, Any], Any, int]:
        thing, consumed = self.read(data[1:])
        return {"number": data[0]}, thing, consumed + 1


class Wrapped(kit.Embedded):
    """Answers with what a reader knows and the key."""

    def __init__(self, framing: str, known: str) -> None:
        self.known = f"{framing}/{known}".encode()

    def read(self, data: bytes, key: bytes | None) -> tuple[str, int, Any, int]:
        DEEDS[data[0]](data)
        return "Echo", 0, self.known + (key or b""), len(data)

    def write(self, message: str, version: int, thing: Any) -> bytes | tuple[bytes, bytes]:
        return (thing, b"\x09") if version == 1 else thing

    def size(self, message: str, version: int, thing: Any) -> int:
        return len(thing)


CLAIMS = {
    "Echo": {
        **kit.claim("decode encode reencode frame unframe", "0-3,9"),
        "size": "0",
        **kit.claim("feed equal copy", "0"),
    },
    "Bare": kit.claim("size", "0"),
}
MISTAKES: dict[str, dict[str, Any]] = {
    "empty": {"claims": {}},
    "name": {"claims": {"fetch_request": kit.claim("decode", "0")}},
    "operation": {"claims": {"Echo": {"parse": "0"}}},
    "versions": {"claims": {"Echo": {"decode": "3-1"}}},
    "index": {"claims": CLAIMS, "index": {"Echo": {"size": "0"}}},
    "primitive": {"claims": CLAIMS, "primitives": {"VarInt": kit.Primitive()}},
}


class Bare(kit.Message):
    """An adapter that lacks what it claims."""

    def from_value(self, value: dict[str, Any]) -> Any:
        return value


def main() -> None:
    settings: dict[str, Any] = {
        "claims": CLAIMS,
        "index": {"Echo": "0-3,5,9", "Bare": {"encode": [0]}},
        "embedded": {"Echo": kit.claim("decode encode reencode size", "0-3")},
        "embedded_at": Wrapped,
        "compressions": {"none": range(3), "zstd": "2"},
        "record_limits": ["tail"],
        "record_values": True,
        "primitives": {
            "Varlong": kit.Primitive(lambda data: (data[0], 1), lambda number: bytes([number])),
            "NullableBytes": kit.Primitive(write=lambda data: b"null" if data is None else data),
            "Uuid": kit.Primitive(read=lambda data: (UUID(bytes=data[:16]), 16)),
        },
    }
    if len(sys.argv) > 1:
        settings = MISTAKES[sys.argv[1]]
    testee = kit.Testee(
        name="echo",
        version="1.0",
        variant="plain",
        links={"source": "https://example.org/echo"},
        at=lambda message, version: Bare() if message == "Bare" else Echo(message, version),
        limits={"sevens": "sevens cannot be held"},
        names="4.3",
        refuses=True,
        unclaimed=[kit.Unclaimed("not finished", {"Echo": "5"}, "decode")],
        registry=[
            kit.Api(4, kit.Direction("EchoRequest", range(4), {0: 1, 1: 1, 2: 2, 3: 2})),
            kit.Api(5, response=kit.Direction("EchoResponse", "2-3")),
        ],
        offset=lambda error: getattr(error, "place", None),
        path=lambda error: "data" if isinstance(error, PlacedError) else None,
        **settings,
    )
    kit.serve(testee, PIPES)


if __name__ == "__main__":
    main()
