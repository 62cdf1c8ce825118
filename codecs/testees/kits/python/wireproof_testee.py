"""The testee protocol of wireproof, version 1, for codecs with a Python interface.

An adapter describes the codec and calls it. This module implements the protocol::

    import wireproof_testee as kit

    pipes = kit.take_stdio()  # before the codec is imported: its output goes to standard error

    import some_codec

    class Port(kit.Message):  # one message at one version
        def read(self, data): ...  # bytes -> (the codec's object, bytes consumed)
        def write(self, thing): ...  # the codec's object -> bytes
        def to_value(self, thing): ...  # the codec's object -> canonical JSON
        def from_value(self, value): ...  # canonical JSON -> the codec's object

    kit.serve(kit.Testee(name=..., version=..., claims={...}, at=Port), pipes)

The module requires Python 3.9 or newer and has no dependencies. It holds one line of requests in memory, and
one `Message` for each requested (message, version).
"""

from __future__ import annotations

import contextlib
import copy
import dis
import io
import json
import math
import os
import platform
import re
import struct
import sys
import traceback
import types
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple, Union

__all__ = [
    "FROM_JSON",
    "OPERATIONS",
    "PRIMITIVES",
    "TO_JSON",
    "AdapterError",
    "Api",
    "RequestHandler",
    "Direction",
    "Embedded",
    "Message",
    "Pipes",
    "Primitive",
    "Testee",
    "Unclaimed",
    "Unsupported",
    "array",
    "claim",
    "hosted",
    "nullable",
    "read_versions",
    "same",
    "serve",
    "tags_from_json",
    "tags_to_json",
    "take_stdio",
    "versions_text",
]

PROTOCOL = 1
OPERATIONS = ("decode", "encode", "reencode", "size", "frame", "unframe", "feed", "equal", "copy")
EMBEDDED_OPERATIONS = OPERATIONS[:4]

_MESSAGE_CHARACTERS = 500
_PRINTED_PLACES = 200

Versions = Union[str, Iterable[int]]
"""Versions as text (``"0-3,5"``) or as numbers (``range(4)``)."""

Convert = Callable[[Any], Any]


class AdapterError(Exception):
    """An error in the adapter, not in the codec. The text says what to do."""


class Unsupported(Exception):  # noqa: N818 - the protocol's word, not an error
    """Raised by an adapter if the codec's own types cannot hold a value of Kafka.

    Do not raise it for values that the codec encodes wrongly: wireproof has to find those.

    Args:
        reason: a name in `Testee.limits`.
        message: the value.
    """

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class Message:
    """One message at one version, in terms of calls to the codec.

    `decode` calls `read` and `to_value`, `encode` calls `from_value` and `write`, `reencode` calls `read` and
    `write`. Implement only the methods that the claimed operations need. Do not catch the codec's exceptions:
    those in `Testee.decode_errors` count as refusals in `read`, `read_frame` and `feed`, and those in
    `Testee.encode_errors` in all other methods except `to_value`.
    """

    def read(self, data: bytes, /) -> tuple[Any, int]:
        """Decode bytes. Return the codec's object and the number of bytes read."""
        raise AdapterError(_not_there(self, "read"))

    def write(self, thing: Any, /) -> bytes | bytearray | memoryview:
        """Encode the codec's object."""
        raise AdapterError(_not_there(self, "write"))

    def to_value(self, thing: Any, /) -> dict[str, Any]:
        """Convert the codec's object to canonical JSON; see `TO_JSON`."""
        raise AdapterError(_not_there(self, "to_value"))

    def from_value(self, value: dict[str, Any], /) -> Any:
        """Convert canonical JSON to the codec's object; see `FROM_JSON`. Absent keys have its defaults."""
        raise AdapterError(_not_there(self, "from_value"))

    def size(self, thing: Any, /) -> int:
        """Return the number of bytes that `write` would return."""
        raise AdapterError(_not_there(self, "size"))

    def write_frame(self, header: dict[str, Any], thing: Any, /) -> bytes | bytearray | memoryview:
        """Encode a whole frame: size, header and body. `header` is canonical JSON."""
        raise AdapterError(_not_there(self, "write_frame"))

    def read_frame(self, data: bytes, /) -> tuple[dict[str, Any], Any, int]:
        """Decode a whole frame.

        Return the header as canonical JSON, the codec's object of the body, and the number of bytes read,
        including the four bytes of the size.
        """
        raise AdapterError(_not_there(self, "read_frame"))

    def feed(self, parts: Iterator[bytes], /) -> tuple[Any, int] | None:
        """Give the parts of a frame to the codec's own reader of streams, one after another.

        Take a part only if the codec wants more bytes. Return the codec's object of the body and the number
        of bytes that the codec has used, without those that it keeps for the next frame; None if the codec
        has no message after the last part.
        """
        raise AdapterError(_not_there(self, "feed"))

    def equal(self, thing: Any, other: Any, /) -> bool:
        """Return whether two of the codec's objects are equal."""
        return bool(thing == other)

    def same_hash(self, thing: Any, other: Any, /) -> bool | None:
        """Return whether the hashes of two objects are equal, or None if they have none."""
        return hash(thing) == hash(other) if getattr(type(thing), "__hash__", None) else None

    def copy(self, thing: Any, /) -> Any:
        """Return a copy of the codec's object."""
        return copy.deepcopy(thing)


class Embedded:
    """Embedded messages in one framing, such as the values of records. `Message` converts their values."""

    def read(self, data: bytes, key: bytes | None, /) -> tuple[str, int, Any, int]:
        """Decode data. Return the message, its version, the codec's object and the number of bytes read.

        Args:
            key: the key of the record that has `data` as its value, if the message depends on it.
        """
        raise AdapterError(_not_there(self, "read"))

    def write(self, message: str, version: int, thing: Any, /) -> bytes | bytearray | tuple[bytes, bytes]:
        """Encode the codec's object, including the bytes that its framing puts before it.

        Return (bytes, key) if the message depends on the record's key.
        """
        raise AdapterError(_not_there(self, "write"))

    def size(self, message: str, version: int, thing: Any, /) -> int:
        """Return the number of bytes that `write` would return, without the key."""
        raise AdapterError(_not_there(self, "size"))


class Primitive(NamedTuple):
    """The codec's functions for one primitive type. A function that is None is not claimed.

    Attributes:
        read: decodes the value at the start of bytes; returns it and the number of bytes read.
        write: encodes a bool, int, float, str, bytes or UUID, or None if the type is nullable.
    """

    read: Callable[[bytes], tuple[Any, int]] | None = None
    write: Callable[[Any], bytes | bytearray | memoryview] | None = None


def _not_there(port: Message | Embedded, method: str) -> str:
    return f"{type(port).__name__}.{method} is not implemented: a claimed operation needs it"


class Direction(NamedTuple):
    """The request or the response of an API in the codec's index.

    Attributes:
        headers: the header version by version of the message.
    """

    message: str
    versions: Versions
    headers: Mapping[int, int] = {}


class Api(NamedTuple):
    """The codec's entry for one API key."""

    key: int
    request: Direction | None = None
    response: Direction | None = None


class Unclaimed(NamedTuple):
    """The reason why some messages of the library are not claimed.

    Attributes:
        messages: name -> versions.
        way: ``"encode"`` or ``"decode"``; empty for both.
    """

    reason: str
    messages: Mapping[str, Versions]
    way: str = ""


class Pipes(NamedTuple):
    """The streams of requests and answers."""

    requests: BinaryIO
    answers: BinaryIO


@dataclass(frozen=True)
class Testee:
    """A description of the codec, and the adapter's claims for it.

    Attributes:
        claims: message -> operation -> versions; `claim` creates an entry.
        at: (message, version) -> `Message`; called once for each.
        embedded: the same as `claims`, for embedded messages.
        embedded_at: (framing, known) -> `Embedded`; called once for each. ``known`` is the message, the topic
            of a coordinator's key, or empty.
        primitives: primitives by name: ``Varint``, ``CompactString``, ...; see `PRIMITIVES`.
        compressions: the compressions of record sets (the message ``RecordBatch``): ``none``, ``gzip``, ...;
            a mapping to versions if they differ.
        record_limits: the parts of record sets that the codec cannot represent, in the protocol's words, such
            as ``tail``. Random record sets omit them.
        record_values: the codec reads the records with the message: values hold record sets, in the form of
            ``RecordBatch``, in place of the bytes of the fields of type records.
        limits: name -> the reason why the codec's types cannot hold some values of Kafka; see `Unsupported`.
        registry: the codec's own index of APIs, if it has one.
        index: message -> versions that the library implements, claimed or not, read from the library itself.
            If it has one direction only: message -> {"encode": versions} or {"decode": versions}.
        unclaimed: reasons for the messages in `index` without a claim. Wireproof tries some of them
            nevertheless.
        names: the Kafka release whose field names the codec uses, such as ``"4.1"``; empty for the run's
            release.
        whole: the codec has no defaults: values must have every field.
        refuses: the codec rejects values that a version cannot hold: a null that is not allowed, a number out
            of range, a field of another version. Without this promise wireproof reports how many of them the
            codec encodes.
        decode_errors: the exceptions with which the codec rejects bytes.
        encode_errors: the exceptions with which the codec rejects values.
        offset: exception -> the offset of the rejected byte, or None.
        path: exception -> the path of the rejected field, or None.

    Raises:
        AdapterError: the description is not valid.
    """

    __test__ = False  # pytest collects classes named Test*

    name: str
    version: str
    claims: Mapping[str, Mapping[str, Versions]]
    at: Callable[[str, int], Message]
    language: str = "python"
    variant: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    registry: Sequence[Api] = ()
    index: Mapping[str, Versions | Mapping[str, Versions]] = field(default_factory=dict)
    unclaimed: Sequence[Unclaimed] = ()
    names: str = ""
    whole: bool = False
    refuses: bool = False
    decode_errors: tuple[type[BaseException], ...] = (ValueError, EOFError, struct.error)
    encode_errors: tuple[type[BaseException], ...] = (ValueError, TypeError, OverflowError, struct.error)
    offset: Callable[[BaseException], int | None] | None = None
    path: Callable[[BaseException], str | None] | None = None
    embedded: Mapping[str, Mapping[str, Versions]] = field(default_factory=dict)
    embedded_at: Callable[[str, str], Embedded] | None = None
    compressions: Sequence[str] | Mapping[str, Versions] = ()
    record_limits: Sequence[str] = ()
    record_values: bool = False
    primitives: Mapping[str, Primitive] = field(default_factory=dict)


def take_stdio() -> Pipes:
    """Take standard input and output for the protocol.

    After the call all output goes to standard error and standard input is empty. Call it before you import
    the codec.
    """
    if _HOSTS:
        return Pipes(io.BytesIO(), io.BytesIO())
    requests = os.fdopen(os.dup(0), "rb", 1 << 20)
    answers = os.fdopen(os.dup(1), "wb", 1 << 20)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return Pipes(requests, answers)


def serve(testee: Testee, pipes: Pipes | None = None) -> None:
    """Answer requests until *stop* or the end of standard input.

    Raises:
        AdapterError: the testee's description is not valid.
        SystemExit: a line is not JSON; the reason is on standard error.
    """
    handler = RequestHandler(testee)
    if _HOSTS:
        _HOSTS[-1].append(handler)
        return
    pipes = pipes or take_stdio()
    write = pipes.answers.write
    try:
        for line in pipes.requests:
            requests = _parsed(line)
            if isinstance(requests, list):
                mark = b"["
                for request in requests:
                    write(mark + handler.answer(request).encode("ascii"))
                    mark = b","
                write(b"]\n")
            else:
                write(handler.answer(requests).encode("ascii") + b"\n")
            pipes.answers.flush()
            if handler.stopped:
                return
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except BrokenPipeError:
        os._exit(0)  # the harness is gone; the interpreter would try to flush again


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise SystemExit(f"a line of standard input is not JSON ({error}): {line[:200]!r}") from error


_HOSTS: list[list[RequestHandler]] = []


@contextlib.contextmanager
def hosted() -> Iterator[list[RequestHandler]]:
    """Collect the handlers of adapters that run inside the block, in wireproof's own process.

    Inside the block `serve` returns at once, and `take_stdio` does not change standard input and output.
    """
    handlers: list[RequestHandler] = []
    _HOSTS.append(handlers)
    try:
        yield handlers
    finally:
        _HOSTS.pop()


class RequestHandler:
    """Answers requests. `answer` raises no exception except KeyboardInterrupt.

    Raises:
        AdapterError: the testee's description is not valid.
    """

    def __init__(self, testee: Testee) -> None:
        self.stopped = False
        self._testee = testee
        if not (testee.claims or testee.embedded or testee.primitives):
            raise AdapterError("claims is empty: add at least one message, {'FetchRequest': claim(...)}")
        self._claims = _read_claims(testee.claims, OPERATIONS)
        self._embedded = _read_claims(testee.embedded, EMBEDDED_OPERATIONS)
        self._framings: dict[tuple[str, str], Embedded] = {}
        self._unclaimed = _read_unclaimed(testee)
        unknown = testee.primitives.keys() - PRIMITIVES.keys()
        if unknown:
            raise AdapterError(f"primitives has {min(unknown)!r}: expected one of {', '.join(PRIMITIVES)}")
        self._hello = _dumps({"protocol": PROTOCOL, **_hello(testee)})
        self._ports: dict[tuple[str, int], Message] = {}
        self._printed: set[tuple[str, str, int]] = set()
        self._operations: dict[str, Callable[[Any, Message], str]] = {
            "decode": self._decode,
            "encode": self._encode,
            "reencode": self._reencode,
            "size": self._size,
            "frame": self._frame,
            "unframe": self._unframe,
            "feed": self._feed,
            "equal": self._equal,
            "copy": self._copy,
        }

    def answer(self, request: Any) -> str:
        """Return the JSON text of the answer to a parsed request."""
        try:
            if request["op"] == "primitive":
                return self._primitive(request)
            operation = self._operations.get(request["op"])
            if operation is None:
                return self._other(request)
            if "framing" in request:
                return self._in_framing(request)
            return operation(request, self._port(request))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a codec may panic or call exit(): report that
            return self._failure(request, error)

    def _other(self, request: Any) -> str:
        if request["op"] == "hello":
            return f'{{"id":{request["id"]},"ok":{self._hello}}}'
        if request["op"] == "stop":
            self.stopped = True
            return f'{{"id":{request["id"]},"ok":{{}}}}'
        raise AdapterError(f"unknown operation {request['op']!r}: use the kit of this release of wireproof")

    def _port(self, request: Any) -> Message:
        message, version = request["message"], request["version"]
        # The harness also requests versions outside the claims: the codec itself has to reject them.
        if request["op"] not in self._claims.get(message, {}) and (message, version) not in self._unclaimed:
            raise AdapterError(f"{request['op']} of {message} v{version} is requested, but not claimed")
        return self._port_of(message, version)

    def _port_of(self, message: str, version: int) -> Message:
        port = self._ports.get((message, version))
        if port is None:
            port = self._ports[message, version] = self._testee.at(message, version)
        return port

    # Embedded messages. The codec's object is that of the message, without its framing.

    def _in_framing(self, request: Any) -> str:
        if self._testee.embedded_at is None:
            raise AdapterError(f"the framing {request['framing']} is requested: set `Testee.embedded_at`")
        if request["op"] in ("decode", "reencode"):
            return self._read_embedded(request, self._testee.embedded_at)
        message, version = request["message"], request["version"]
        if version not in self._embedded.get(message, {}).get(request["op"], ()):
            raise AdapterError(f"embedded {message} v{version} is requested, but not claimed")
        framing = self._framing(request["framing"], message, self._testee.embedded_at)
        try:
            thing = self._port_of(message, version).from_value(request["value"])
            if request["op"] == "size":
                size = _count(framing.size(message, version, thing), "size")
                return f'{{"id":{request["id"]},"ok":{{"size":{size}}}}}'
            written = framing.write(message, version, thing)
        except self._testee.encode_errors as error:
            return self._declined(request, "encode_error", error)
        return _dumps({"id": request["id"], "ok": _blob(written)})

    def _read_embedded(self, request: Any, at: Callable[[str, str], Embedded]) -> str:
        framing = self._framing(request["framing"], request.get("message", request.get("topic", "")), at)
        key = bytes.fromhex(request["key"]) if "key" in request else None
        try:
            read = framing.read(bytes.fromhex(request["data"]), key)
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        message, version, thing, consumed = _read_result(read, 4, "read")
        if request["op"] == "reencode":
            try:
                again = _blob(framing.write(message, version, thing))
            except self._testee.encode_errors as error:
                return self._declined(request, "encode_error", error)
            return _dumps({"id": request["id"], "ok": {**again, "consumed": consumed}})
        value = _value_text(self._port_of(message, version).to_value(thing))
        found = f'"message":"{message}","version":{version},"value":{value},"consumed":{consumed}'
        return f'{{"id":{request["id"]},"ok":{{{found}}}}}'

    def _framing(self, name: str, of: str, at: Callable[[str, str], Embedded]) -> Embedded:
        if (name, of) not in self._framings:
            self._framings[name, of] = at(name, of)
        return self._framings[name, of]

    # The operations. Each stage has its own `try`, to report a refusal as a decode error or an encode error.

    def _decode(self, request: Any, port: Message) -> str:
        data = bytes.fromhex(request["data"])
        try:
            read = port.read(data)
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        thing, consumed = _read_result(read, 2, "read")
        value = _value_text(port.to_value(thing))
        return f'{{"id":{request["id"]},"ok":{{"value":{value},"consumed":{consumed}}}}}'

    def _encode(self, request: Any, port: Message) -> str:
        try:
            written = port.write(port.from_value(request["value"]))
        except self._testee.encode_errors as error:
            return self._declined(request, "encode_error", error)
        return f'{{"id":{request["id"]},"ok":{{"data":"{_hex(written, "write")}"}}}}'

    def _reencode(self, request: Any, port: Message) -> str:
        data = bytes.fromhex(request["data"])
        try:
            read = port.read(data)
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        thing, consumed = _read_result(read, 2, "read")
        try:
            written = port.write(thing)
        except self._testee.encode_errors as error:
            return self._declined(request, "encode_error", error)
        return f'{{"id":{request["id"]},"ok":{{"data":"{_hex(written, "write")}","consumed":{consumed}}}}}'

    def _size(self, request: Any, port: Message) -> str:
        try:
            size = port.size(port.from_value(request["value"]))
        except self._testee.encode_errors as error:
            return self._declined(request, "encode_error", error)
        return f'{{"id":{request["id"]},"ok":{{"size":{_count(size, "size")}}}}}'

    def _frame(self, request: Any, port: Message) -> str:
        try:
            written = port.write_frame(request["header"], port.from_value(request["value"]))
        except self._testee.encode_errors as error:
            return self._declined(request, "encode_error", error)
        return f'{{"id":{request["id"]},"ok":{{"data":"{_hex(written, "write_frame")}"}}}}'

    def _unframe(self, request: Any, port: Message) -> str:
        data = bytes.fromhex(request["data"])
        try:
            read = port.read_frame(data)
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        header, thing, consumed = _read_result(read, 3, "read_frame")
        fields = f'"header":{_value_text(header)},"value":{_value_text(port.to_value(thing))}'
        return f'{{"id":{request["id"]},"ok":{{{fields},"consumed":{consumed}}}}}'

    def _feed(self, request: Any, port: Message) -> str:
        parts, given = [bytes.fromhex(part) for part in request["parts"]], 0

        def stream() -> Iterator[bytes]:
            nonlocal given
            for part in parts:
                given += 1
                yield part

        try:
            read = port.feed(stream())
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        if read is None:
            detail = {"class": "Incomplete", "message": f"no message after {given} parts"}
            return _dumps({"id": request["id"], "decode_error": detail})
        thing, consumed = _read_result(read, 2, "feed")
        value = _value_text(port.to_value(thing))
        found = f'"value":{value},"consumed":{consumed},"parts":{given}'
        return f'{{"id":{request["id"]},"ok":{{{found}}}}}'

    def _equal(self, request: Any, port: Message) -> str:
        try:
            read = [port.read(bytes.fromhex(request[key])) for key in ("data", "other")]
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        things = [_read_result(each, 2, "read")[0] for each in read]
        content: dict[str, Any] = {"equal": port.equal(*things)}
        hashes = port.same_hash(*things)
        if hashes is not None:
            content["hashes"] = hashes
        return _dumps({"id": request["id"], "ok": content})

    def _copy(self, request: Any, port: Message) -> str:
        try:
            read = port.read(bytes.fromhex(request["data"]))
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        thing, _ = _read_result(read, 2, "read")
        try:
            written = port.write(port.copy(thing))
        except self._testee.encode_errors as error:
            return self._declined(request, "encode_error", error)
        return f'{{"id":{request["id"]},"ok":{{"data":"{_hex(written, "write")}"}}}}'

    def _primitive(self, request: Any) -> str:
        name = request["type"]
        primitive = self._testee.primitives.get(name)
        asked = primitive and (primitive.read if "data" in request else primitive.write)
        if asked is None:
            raise AdapterError(f"the primitive {name} is requested, but not claimed")
        if "data" not in request:
            try:
                written = asked(nullable(FROM_JSON[PRIMITIVES[name]])(request["value"]))
            except self._testee.encode_errors as error:
                return self._declined(request, "encode_error", error)
            return f'{{"id":{request["id"]},"ok":{{"data":"{_hex(written, "write")}"}}}}'
        try:
            read = asked(bytes.fromhex(request["data"]))
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        value, consumed = _read_result(read, 2, "read")
        content = {"value": TO_JSON[PRIMITIVES[name]](value), "consumed": consumed}
        return _dumps({"id": request["id"], "ok": content})

    # Refusals and failures.

    def _declined(self, request: Any, key: str, error: BaseException) -> str:
        if isinstance(error, (Unsupported, AdapterError, MemoryError, RecursionError)) or _lacking(error):
            raise error
        detail = _description(error)
        if key == "decode_error" and self._testee.offset is not None:
            offset = self._testee.offset(error)
            if offset is not None:
                detail["offset"] = offset
        if key == "encode_error" and self._testee.path is not None:
            path = self._testee.path(error)
            if path is not None:
                detail["path"] = path
        return _dumps({"id": request["id"], key: detail})

    def _failure(self, request: Any, error: BaseException) -> str:
        number = request["id"] if isinstance(request, dict) and type(request.get("id")) is int else 0
        if isinstance(error, Unsupported):
            if error.reason in self._testee.limits:
                detail = {"reason": error.reason, "message": _text(error)}
                return _dumps({"id": number, "unsupported": detail})
            error = AdapterError(
                f"Unsupported({error.reason!r}) is raised, but limits does not explain it: add it there"
            )
        self._print_traceback(error)
        return _dumps({"id": number, "internal_error": _description(_lacking(error) or error)})

    def _print_traceback(self, error: BaseException) -> None:
        """Write the traceback to standard error, once for each place."""
        trace = traceback.extract_tb(error.__traceback__)
        last = trace[-1] if trace else None
        place = (type(error).__name__, last.filename if last else "", (last.lineno or 0) if last else 0)
        if place in self._printed or len(self._printed) >= _PRINTED_PLACES:
            return
        self._printed.add(place)
        lines = [*traceback.format_list(trace[-8:]), f"{type(error).__name__}: {_text(error)}\n"]
        sys.stderr.write("".join(lines))
        sys.stderr.flush()


_dumps = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


def _value_text(value: Any) -> str:
    if type(value) is not dict:
        raise AdapterError(f"to_value returned a {type(value).__name__}: expected a dict with Kafka's names")
    try:
        return _dumps(value)
    except (TypeError, ValueError) as error:
        place, culprit = _not_json(value, "")
        raise AdapterError(
            f"{place or 'the value'} is a {type(culprit).__name__} ({_shortened(repr(culprit))}), not "
            f"canonical JSON: convert it with TO_JSON[type] of its Kafka type"
        ) from error


def _not_json(value: Any, place: str) -> tuple[str, Any]:
    """Return the path of the first item that JSON cannot hold, and the item; ("", None) if there is none."""
    if isinstance(value, dict):
        inside = [(f"{place}.{key}".lstrip("."), item) for key, item in value.items()]
        if not all(isinstance(key, str) for key in value):
            return place, value
    elif isinstance(value, (list, tuple)):
        inside = [(f"{place}[{index}]", item) for index, item in enumerate(value)]
    else:
        fits = (
            value is None
            or isinstance(value, (str, int))
            or (isinstance(value, float) and math.isfinite(value))
        )
        return ("", None) if fits else (place, value)
    for where, item in inside:
        found = _not_json(item, where)
        if found[0]:
            return found
    return "", None


def _hex(written: Any, method: str) -> str:
    if not isinstance(written, (bytes, bytearray, memoryview)):
        raise AdapterError(f"{method} returned a {type(written).__name__}: expected bytes")
    return written.hex()


def _blob(written: Any) -> dict[str, str]:
    if isinstance(written, tuple):
        data, key = written
        return {"data": _hex(data, "write"), "key": _hex(key, "write")}
    return {"data": _hex(written, "write")}


def _count(number: Any, method: str) -> int:
    if type(number) is not int or number < 0:
        raise AdapterError(f"{method} returned {number!r} as a number of bytes: expected an int of 0 or more")
    return number


def _read_result(read: Any, length: int, method: str) -> Any:
    if type(read) is not tuple or len(read) != length:
        raise AdapterError(
            f"{method} returned a {type(read).__name__}: expected a tuple of {length}, bytes consumed last"
        )
    _count(read[-1], method)
    return read


def _lacking(error: BaseException) -> AdapterError | None:
    """Return the error of an adapter that lacks an import, a name or a key; None for any other error.

    Modules that import the kit are the adapter's. An error that a call raised is none of these: the function
    that was called may be compiled and have no frame.
    """
    if not isinstance(error, (ImportError, NameError, AttributeError, KeyError)):
        return None
    place = None
    for frame in traceback.walk_tb(error.__traceback__):
        if not frame[0].f_code.co_filename.startswith("<frozen "):
            place = frame
    if place is None or not _imports_kit(place[0].f_globals):
        return None
    where = f"{os.path.basename(place[0].f_code.co_filename)}:{place[1]}"
    said = f"{type(error).__name__}: {_text(error)}"
    if isinstance(error, KeyError):
        if not _is_subscript(error):
            return None
        (last,) = traceback.extract_tb(error.__traceback__)[-1:]
        return AdapterError(
            f"{said} at {where}: a dict of the adapter, of the codec or returned by the codec lacks the key: "
            f"{last.line}"
        )
    if isinstance(error, AttributeError) and not isinstance(getattr(error, "obj", None), types.ModuleType):
        return None
    return AdapterError(f"{said} at {where}: correct the adapter, or ask for a version that it takes")


def _imports_kit(names: Mapping[str, Any]) -> bool:
    kit = sys.modules.get(__name__)
    return any(
        value is kit or (isinstance(value, (type, types.FunctionType)) and value.__module__ == __name__)
        for name, value in names.items()
        if not name.startswith("__")
    )


def _is_subscript(error: BaseException) -> bool:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]].startswith(
        "BINARY"
    )


def _description(error: BaseException) -> dict[str, Any]:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return {"class": name, "message": _text(error)}


def _text(error: BaseException) -> str:
    try:
        return _shortened(str(error))
    except Exception as second:  # noqa: BLE001 - the codec's exception may fail in __str__
        return f"(no text: __str__ raised {type(second).__name__})"


def _shortened(text: str) -> str:
    return text if len(text) <= _MESSAGE_CHARACTERS else text[:_MESSAGE_CHARACTERS] + "..."


# The hello.


def _hello(testee: Testee) -> dict[str, Any]:
    codec: dict[str, Any] = {"name": testee.name, "version": testee.version, "language": testee.language}
    codec["runtime"] = f"{platform.python_implementation()} {platform.python_version()}"
    if testee.variant:
        codec["variant"] = testee.variant
    if testee.links:
        codec["links"] = dict(testee.links)
    hello: dict[str, Any] = {"codec": codec}
    hello["messages"] = _claims_text(testee.claims)
    if testee.embedded:
        hello["embedded"] = _claims_text(testee.embedded)
    if testee.primitives:
        hello["primitives"] = {name: _ways_of(each) for name, each in testee.primitives.items()}
    if testee.compressions:
        hello["compressions"] = _compressions(testee.compressions)
    if testee.record_limits:
        hello["recordLimits"] = list(testee.record_limits)
    if testee.limits:
        hello["limits"] = dict(testee.limits)
    flags = {"whole": testee.whole, "refuses": testee.refuses, "recordValues": testee.record_values}
    hello.update((name, True) for name, flag in flags.items() if flag)
    if testee.names:
        hello["names"] = testee.names
    if testee.registry:
        hello["registry"] = [_api(api) for api in testee.registry]
    if testee.index:
        hello["index"] = {name: _ways(given) for name, given in testee.index.items()}
    if testee.unclaimed:
        hello["unclaimed"] = [_unclaimed(each) for each in testee.unclaimed]
    return hello


def _ways_of(primitive: Primitive) -> list[str]:
    calls = {"decode": primitive.read, "encode": primitive.write}
    return [way for way, call in calls.items() if call is not None]


def _claims_text(claims: Mapping[str, Mapping[str, Versions]]) -> dict[str, dict[str, str]]:
    return {
        name: {operation: versions_text(versions) for operation, versions in operations.items()}
        for name, operations in claims.items()
    }


def _compressions(given: Sequence[str] | Mapping[str, Versions]) -> list[str] | dict[str, str]:
    if isinstance(given, Mapping):
        return {name: versions_text(versions) for name, versions in given.items()}
    return list(given)


def _ways(given: Versions | Mapping[str, Versions]) -> dict[str, str]:
    ways = given if isinstance(given, Mapping) else {"encode": given, "decode": given}
    if not ways or not ways.keys() <= {"encode", "decode"}:
        raise AdapterError(f"index has {list(ways)} for a message: expected versions, encode or decode")
    return {way: versions_text(versions) for way, versions in ways.items()}


def _unclaimed(each: Unclaimed) -> dict[str, Any]:
    messages = {name: versions_text(versions) for name, versions in each.messages.items()}
    entry: dict[str, Any] = {"reason": each.reason, "messages": messages}
    return {**entry, "way": each.way} if each.way else entry


def _api(api: Api) -> dict[str, Any]:
    entry: dict[str, Any] = {"apiKey": api.key}
    for name, direction in (("request", api.request), ("response", api.response)):
        if direction is not None:
            entry[name] = {"message": direction.message, "versions": versions_text(direction.versions)}
            if direction.headers:
                by_header: dict[int, list[int]] = {}
                for version, header in sorted(direction.headers.items()):
                    by_header.setdefault(header, []).append(version)
                entry[name]["headers"] = {versions_text(used): header for header, used in by_header.items()}
    return entry


def _read_claims(
    claims: Mapping[str, Mapping[str, Versions]], known: Sequence[str]
) -> dict[str, dict[str, frozenset[int]]]:
    read: dict[str, dict[str, frozenset[int]]] = {}
    for name, operations in claims.items():
        if not re.fullmatch("[A-Za-z][A-Za-z0-9]*", name):
            raise AdapterError(f"claims has {name!r}: expected a name of Kafka's, such as FetchRequest")
        if not operations:
            raise AdapterError(f"claims[{name!r}] has no operation: remove the message")
        for operation in operations:
            if operation not in known:
                raise AdapterError(f"claims[{name!r}] has {operation!r}: expected one of {', '.join(known)}")
        read[name] = {
            key: frozenset(read_versions(versions_text(given))) for key, given in operations.items()
        }
    return read


def _read_unclaimed(testee: Testee) -> set[tuple[str, int]]:
    return {
        (message, version)
        for each in testee.unclaimed
        for message, versions in each.messages.items()
        for version in read_versions(versions_text(versions))
    }


def claim(operations: str, versions: Versions) -> dict[str, str]:
    """Claim operations for the same versions: ``claim("decode encode reencode", range(4))``."""
    text = versions_text(versions)
    return dict.fromkeys(operations.split(), text)


def read_versions(text: str) -> list[int]:
    """Parse ``"0-3,5"`` to a list of numbers.

    Raises:
        AdapterError: the text is not a version range.
    """
    versions: list[int] = []
    for part in text.split(","):
        found = re.fullmatch("([0-9]+)(?:-([0-9]+))?", part)
        if found is None:
            raise AdapterError(f"{text!r} is not a version range: write '3', '0-17' or '0-3,5-7'")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first or last > 32767:
            raise AdapterError(f"{text!r}: write the lower version first, and none above 32767")
        versions.extend(range(first, last + 1))
    return versions


def versions_text(versions: Versions) -> str:
    """Format versions in their shortest form, ``"0-3,5"``. Text is parsed and formatted again.

    Raises:
        AdapterError: there are no versions, or the text is not a version range.
    """
    numbers = sorted(set(read_versions(versions) if isinstance(versions, str) else versions))
    if not numbers or numbers[0] < 0:
        raise AdapterError(f"the versions {numbers} are empty or negative: remove the entry, or count from 0")
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


# Scalars. None stays None. To JSON, a value of a wrong type stays as it is, so that it appears in the answer.


def _float_to_json(number: float) -> Any:
    if type(number) is float and (
        not math.isfinite(number) or (number == 0 and math.copysign(1, number) < 0)
    ):
        return "0x" + struct.pack(">d", number).hex()
    return number


def _float_from_json(number: Any) -> float:
    if isinstance(number, str):
        unpacked: float = struct.unpack(">d", bytes.fromhex(number[2:]))[0]
        return unpacked
    return float(number)


def _bytes_to_json(data: Any) -> Any:
    return data.hex() if isinstance(data, (bytes, bytearray, memoryview)) else data


def nullable(convert: Convert) -> Convert:
    """Return a conversion that keeps None and converts other values with `convert`."""
    return lambda item: None if item is None else convert(item)


def same(item: Any) -> Any:
    """Return the item: the conversion of types that JSON holds."""
    return item


TO_JSON: dict[str, Convert] = {
    **dict.fromkeys(("bool", "int8", "int16", "uint16", "int32", "string"), same),
    **dict.fromkeys(("int64", "uint32", "uuid"), nullable(str)),
    "float64": _float_to_json,
    "bytes": _bytes_to_json,
    "records": _bytes_to_json,
}
"""By Kafka's name of a type: the conversion of a Python value (int, str, bytes, float, UUID) to JSON."""

FROM_JSON: dict[str, Convert] = {
    **dict.fromkeys(("bool", "int8", "int16", "uint16", "int32", "string"), same),
    **dict.fromkeys(("int64", "uint32"), nullable(int)),
    "float64": nullable(_float_from_json),
    "uuid": nullable(uuid.UUID),
    "bytes": nullable(bytes.fromhex),
    "records": nullable(bytes.fromhex),
}
"""By Kafka's name of a type: the conversion of JSON to a Python value."""


PRIMITIVES: dict[str, str] = {
    "Bool": "bool",
    "Int8": "int8",
    "Int16": "int16",
    "Uint16": "uint16",
    "Int32": "int32",
    "Uint32": "uint32",
    "Int64": "int64",
    "Float64": "float64",
    "Uuid": "uuid",
    "UnsignedVarint": "uint32",
    "Varint": "int32",
    "Varlong": "int64",
    **{f"{kind}{name}": name.lower() for name in ("String", "Bytes") for kind in ("", "Nullable", "Compact")},
    **{f"CompactNullable{name}": name.lower() for name in ("String", "Bytes")},
}
"""The names of primitives, with the type of their values."""


def array(convert: Convert) -> Convert:
    """Return the conversion of a nullable array whose elements `convert` converts."""
    if convert is same:
        return nullable(list)
    return lambda items: None if items is None else [convert(item) for item in items]


def tags_to_json(tags: Mapping[int, bytes]) -> dict[str, str]:
    """Convert unknown tagged fields to the value of ``"_tags"``."""
    return {str(tag): bytes(data).hex() for tag, data in sorted(tags.items())}


def tags_from_json(tags: Mapping[str, str]) -> dict[int, bytes]:
    """Convert the value of ``"_tags"`` to a dict by number."""
    return {int(tag): bytes.fromhex(data) for tag, data in tags.items()}
