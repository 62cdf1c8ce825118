"""The testee protocol of wireproof, version 1, for codecs that Python can call.

An adapter says what the codec can do and calls it; the rest is here::

    import wireproof_testee as kit

    pipes = kit.take_stdio()  # before the codec is imported: what it prints goes to standard error

    import some_codec

    class Port(kit.Message):  # one message at one version
        def read(self, data): ...  # bytes -> (the codec's object, bytes consumed)
        def write(self, thing): ...  # the codec's object -> bytes
        def to_value(self, thing): ...  # the codec's object -> canonical JSON
        def from_value(self, value): ...  # canonical JSON -> the codec's object

    kit.serve(kit.Testee(name=..., version=..., claims={...}, at=Port), pipes)

Needs Python 3.9 or newer and nothing besides. Memory is that of the codec, one line of requests, and one
`Message` for each claimed (message, version) that was asked for.
"""

from __future__ import annotations

import contextlib
import copy
import io
import json
import math
import os
import platform
import re
import struct
import sys
import traceback
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
OPERATIONS = ("decode", "encode", "reencode", "size", "frame", "unframe", "equal", "copy")
EMBEDDED_OPERATIONS = OPERATIONS[:4]

_MESSAGE_CHARACTERS = 500
_TOLD_PLACES = 200

Versions = Union[str, Iterable[int]]
"""Versions as text (``"0-3,5"``) or as numbers (``range(4)``)."""

Convert = Callable[[Any], Any]


class AdapterError(Exception):
    """The adapter is wrong, not the codec; the text says what to do."""


class Unsupported(Exception):  # noqa: N818 - the protocol's word; it is no error
    """Raise it where the codec's own types cannot hold a value of Kafka's.

    Not for values that it gets wrong: those are what wireproof looks for.

    Args:
        reason: one of the names in `Testee.limits`.
        message: which value it was.
    """

    def __init__(self, reason: str, message: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class Message:
    """One message at one version, told in calls of the codec.

    `decode` is `read` and `to_value`, `encode` is `from_value` and `write`, `reencode` is `read` and `write`.
    What is not claimed need not be there. Let pass what the codec raises: `Testee.decode_errors` says what
    counts as an orderly refusal in `read` and `read_frame`, `Testee.encode_errors` in all but these and
    `to_value`.
    """

    def read(self, data: bytes, /) -> tuple[Any, int]:
        """The codec's object, and how many bytes of `data` it was read from."""
        raise AdapterError(_not_there(self, "read"))

    def write(self, thing: Any, /) -> bytes | bytearray | memoryview:
        """The bytes of the codec's object."""
        raise AdapterError(_not_there(self, "write"))

    def to_value(self, thing: Any, /) -> dict[str, Any]:
        """The codec's object as canonical JSON; see `TO_JSON`."""
        raise AdapterError(_not_there(self, "to_value"))

    def from_value(self, value: dict[str, Any], /) -> Any:
        """The codec's object of canonical JSON; leave absent keys to the codec. See `FROM_JSON`."""
        raise AdapterError(_not_there(self, "from_value"))

    def size(self, thing: Any, /) -> int:
        """The number of bytes that `write` would give."""
        raise AdapterError(_not_there(self, "size"))

    def write_frame(self, header: dict[str, Any], thing: Any, /) -> bytes | bytearray | memoryview:
        """Size, header and body; `header` is canonical JSON."""
        raise AdapterError(_not_there(self, "write_frame"))

    def read_frame(self, data: bytes, /) -> tuple[dict[str, Any], Any, int]:
        """Header as canonical JSON, the codec's object of the body, bytes consumed with the size."""
        raise AdapterError(_not_there(self, "read_frame"))

    def equal(self, thing: Any, other: Any, /) -> bool:
        """Whether two of the codec's objects are equal."""
        return bool(thing == other)

    def same_hash(self, thing: Any, other: Any, /) -> bool | None:
        """Whether their hashes are the same; None where its objects have none."""
        return hash(thing) == hash(other) if getattr(type(thing), "__hash__", None) else None

    def copy(self, thing: Any, /) -> Any:
        """A duplicate of the codec's object."""
        return copy.deepcopy(thing)


class Embedded:
    """Messages in one framing in which other data carry them; `Message` has their values."""

    def read(self, data: bytes, key: bytes | None, /) -> tuple[str, int, Any, int]:
        """Message, version, the codec's object, and how many bytes of `data` it was read from.

        Args:
            key: of the record whose value `data` is, where it says what they are.
        """
        raise AdapterError(_not_there(self, "read"))

    def write(self, message: str, version: int, thing: Any, /) -> bytes | bytearray | tuple[bytes, bytes]:
        """The codec's object with what stands before it; (bytes, key) where the record's key says more."""
        raise AdapterError(_not_there(self, "write"))

    def size(self, message: str, version: int, thing: Any, /) -> int:
        """The number of bytes that `write` would give, the key apart."""
        raise AdapterError(_not_there(self, "size"))


class Primitive(NamedTuple):
    """A single primitive, told in calls of the codec. What the codec does not have is None, and not claimed.

    Attributes:
        read: bytes, with others behind them -> what they hold, and how many of them it was read from.
        write: bool, int, float, str, bytes or UUID, None where null is a value of it -> its bytes.
    """

    read: Callable[[bytes], tuple[Any, int]] | None = None
    write: Callable[[Any], bytes | bytearray | memoryview] | None = None


def _not_there(port: Message | Embedded, method: str) -> str:
    return f"{type(port).__name__}.{method} is not written, but an operation that needs it is claimed"


class Direction(NamedTuple):
    """What a codec's index says of one direction of an API.

    Attributes:
        headers: the version of the header by the version of the message.
    """

    message: str
    versions: Versions
    headers: Mapping[int, int] = {}


class Api(NamedTuple):
    """One line of a codec's own index."""

    key: int
    request: Direction | None = None
    response: Direction | None = None


class Unclaimed(NamedTuple):
    """Why some of what the library has is not claimed.

    Attributes:
        messages: name -> versions.
        way: ``"encode"`` or ``"decode"``; empty for both.
    """

    reason: str
    messages: Mapping[str, Versions]
    way: str = ""


class Pipes(NamedTuple):
    """Where requests come from and answers go."""

    requests: BinaryIO
    answers: BinaryIO


@dataclass(frozen=True)
class Testee:
    """Who is under test, and what it can do.

    Attributes:
        claims: message -> operation -> versions; `claim` makes an entry.
        at: (message, version) -> `Message`; asked once for each.
        embedded: as `claims`, of messages in the framing in which other data carry them.
        embedded_at: (framing, what a reader knows beforehand) -> `Embedded`; asked once for each. The
            second is the message, the topic of a coordinator's keys, or empty.
        primitives: single primitives by name: ``Varint``, ``CompactString``, ...; see `PRIMITIVES`.
        compressions: of record sets (the message ``RecordBatch``), by name: ``none``, ``gzip``, ...; with the
            versions of each, where they differ.
        record_limits: what record sets cannot hold, by the protocol's names, such as ``tail``: random sets
            leave it out.
        limits: name -> why the codec's types cannot hold some of Kafka's values; see `Unsupported`.
        registry: the codec's own index of APIs, if it has one.
        index: message -> versions that the library has, claimed or not, out of the library's own index; where
            it has one way alone, message -> {"encode": versions} or {"decode": versions}.
        unclaimed: why some of the index is not claimed; it is asked for a little all the same, to see what
            works.
        names: the Kafka release that the codec's field names are of, such as ``"4.1"``, where it has one.
        whole: the codec has no defaults: values are to come with every field.
        refuses: the codec promises to decline values that a version cannot hold: a null that is not allowed,
            a number beyond its type, a field of another version. Without the promise wireproof asks it for
            them all the same, and reports how many it wrote.
        decode_errors: exceptions by which it declines bytes in its orderly way.
        encode_errors: exceptions by which it declines values in its orderly way.
        offset: where in the bytes a decode error lies, if the codec tells.
        path: at which field an encode error lies, if the codec tells.

    Raises:
        AdapterError: something here cannot be sent.
    """

    __test__ = False  # pytest takes the name for a class of tests

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
    primitives: Mapping[str, Primitive] = field(default_factory=dict)


def take_stdio() -> Pipes:
    """Take standard input and output for the protocol.

    From here on what anybody prints goes to standard error, and standard input is empty; call it before the
    codec is imported.
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
        AdapterError: the testee's description cannot be sent.
        SystemExit: a line is no request at all; standard error tells why.
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
        os._exit(0)  # nobody listens; the interpreter would try to flush again


def _parsed(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError as error:
        raise SystemExit(f"a line of standard input is no JSON ({error}): {line[:200]!r}") from error


_HOSTS: list[list[RequestHandler]] = []


@contextlib.contextmanager
def hosted() -> Iterator[list[RequestHandler]]:
    """For wireproof, where an adapter runs in its own process: the handlers of what is served within.

    `serve` returns at once then, and `take_stdio` leaves standard input and output alone.
    """
    handlers: list[RequestHandler] = []
    _HOSTS.append(handlers)
    try:
        yield handlers
    finally:
        _HOSTS.pop()


class RequestHandler:
    """Requests in, answers out; no exception but KeyboardInterrupt leaves `answer`.

    Raises:
        AdapterError: the testee's description cannot be sent.
    """

    def __init__(self, testee: Testee) -> None:
        self.stopped = False
        self._testee = testee
        if not (testee.claims or testee.embedded or testee.primitives):
            raise AdapterError("claims is empty: name one message at least, {'FetchRequest': claim(...)}")
        self._claims = _read_claims(testee.claims, OPERATIONS)
        self._embedded = _read_claims(testee.embedded, EMBEDDED_OPERATIONS)
        self._framings: dict[tuple[str, str], Embedded] = {}
        self._unclaimed = _read_unclaimed(testee)
        strange = testee.primitives.keys() - PRIMITIVES.keys()
        if strange:
            raise AdapterError(f"primitives names {min(strange)!r}; there are {', '.join(PRIMITIVES)}")
        self._hello = _dumps({"protocol": PROTOCOL, **_hello(testee)})
        self._ports: dict[tuple[str, int], Message] = {}
        self._told: set[tuple[str, str, int]] = set()
        self._operations: dict[str, Callable[[Any, Message], str]] = {
            "decode": self._decode,
            "encode": self._encode,
            "reencode": self._reencode,
            "size": self._size,
            "frame": self._frame,
            "unframe": self._unframe,
            "equal": self._equal,
            "copy": self._copy,
        }

    def answer(self, request: Any) -> str:
        """The JSON text of the answer to a request that is no text any more."""
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
        except BaseException as error:  # noqa: BLE001 - a codec may end in a panic or in exit(); all are answers
            return self._failure(request, error)

    def _other(self, request: Any) -> str:
        if request["op"] == "hello":
            return f'{{"id":{request["id"]},"ok":{self._hello}}}'
        if request["op"] == "stop":
            self.stopped = True
            return f'{{"id":{request["id"]},"ok":{{}}}}'
        raise AdapterError(f"unknown operation {request['op']!r}; take the kit of this wireproof")

    def _port(self, request: Any) -> Message:
        message, version = request["message"], request["version"]
        # Versions beyond those claimed are asked for, too: the codec itself has to refuse them.
        if request["op"] not in self._claims.get(message, {}) and (message, version) not in self._unclaimed:
            raise AdapterError(f"{request['op']} of {message} v{version} is asked for, but is not claimed")
        return self._port_of(message, version)

    def _port_of(self, message: str, version: int) -> Message:
        port = self._ports.get((message, version))
        if port is None:
            port = self._ports[message, version] = self._testee.at(message, version)
        return port

    # Embedded data. The codec's object is that of the message alone.

    def _in_framing(self, request: Any) -> str:
        if self._testee.embedded_at is None:
            raise AdapterError(f"{request['framing']} is asked for: give `Testee` an embedded_at")
        if request["op"] in ("decode", "reencode"):
            return self._read_embedded(request, self._testee.embedded_at)
        message, version = request["message"], request["version"]
        if version not in self._embedded.get(message, {}).get(request["op"], ()):
            raise AdapterError(f"embedded {message} v{version} is asked for, but is not claimed")
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

    # The operations. Each stage is tried alone, so that what is declined is told as what it is.

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

    def _equal(self, request: Any, port: Message) -> str:
        try:
            read = [port.read(bytes.fromhex(request[key])) for key in ("data", "other")]
        except self._testee.decode_errors as error:
            return self._declined(request, "decode_error", error)
        things = [_read_result(each, 2, "read")[0] for each in read]
        told: dict[str, Any] = {"equal": port.equal(*things)}
        hashes = port.same_hash(*things)
        return _dumps({"id": request["id"], "ok": told if hashes is None else {**told, "hashes": hashes}})

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
            raise AdapterError(f"{name} is asked for, but is not claimed")
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
        told = {"value": TO_JSON[PRIMITIVES[name]](value), "consumed": consumed}
        return _dumps({"id": request["id"], "ok": told})

    # What is no success.

    def _declined(self, request: Any, key: str, error: BaseException) -> str:
        if isinstance(error, (Unsupported, AdapterError, MemoryError, RecursionError)):
            raise error
        told = _description(error)
        if key == "decode_error" and self._testee.offset is not None:
            offset = self._testee.offset(error)
            if offset is not None:
                told["offset"] = offset
        if key == "encode_error" and self._testee.path is not None:
            path = self._testee.path(error)
            if path is not None:
                told["path"] = path
        return _dumps({"id": request["id"], key: told})

    def _failure(self, request: Any, error: BaseException) -> str:
        number = request["id"] if isinstance(request, dict) and type(request.get("id")) is int else 0
        if isinstance(error, Unsupported):
            if error.reason in self._testee.limits:
                told = {"reason": error.reason, "message": _text(error)}
                return _dumps({"id": number, "unsupported": told})
            error = AdapterError(
                f"Unsupported({error.reason!r}) is raised, but limits does not explain it: add it there"
            )
        self._tell(error)
        return _dumps({"id": number, "internal_error": _description(error)})

    def _tell(self, error: BaseException) -> None:
        """Write the traceback to standard error, once for each place."""
        trace = traceback.extract_tb(error.__traceback__)
        last = trace[-1] if trace else None
        place = (type(error).__name__, last.filename if last else "", (last.lineno or 0) if last else 0)
        if place in self._told or len(self._told) >= _TOLD_PLACES:
            return
        self._told.add(place)
        lines = [*traceback.format_list(trace[-8:]), f"{type(error).__name__}: {_text(error)}\n"]
        sys.stderr.write("".join(lines))
        sys.stderr.flush()


_dumps = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False).encode


def _value_text(value: Any) -> str:
    if type(value) is not dict:
        raise AdapterError(f"to_value gave a {type(value).__name__}; it has to be a dict by Kafka's names")
    try:
        return _dumps(value)
    except (TypeError, ValueError) as error:
        place, culprit = _not_json(value, "")
        raise AdapterError(
            f"{place or 'the value'} is a {type(culprit).__name__} ({_shortened(repr(culprit))}): no "
            f"canonical JSON: convert it with TO_JSON[type] of its Kafka type"
        ) from error


def _not_json(value: Any, place: str) -> tuple[str, Any]:
    """The first thing that JSON cannot hold, and where it is."""
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
        raise AdapterError(f"{method} gave a {type(written).__name__}; it has to give bytes")
    return written.hex()


def _blob(written: Any) -> dict[str, str]:
    if isinstance(written, tuple):
        data, key = written
        return {"data": _hex(data, "write"), "key": _hex(key, "write")}
    return {"data": _hex(written, "write")}


def _count(number: Any, method: str) -> int:
    if type(number) is not int or number < 0:
        raise AdapterError(f"{method} gave {number!r} as a number of bytes; it has to be an int of 0 or more")
    return number


def _read_result(read: Any, length: int, method: str) -> Any:
    if type(read) is not tuple or len(read) != length:
        raise AdapterError(
            f"{method} gave a {type(read).__name__}; give a tuple of {length}, bytes consumed last"
        )
    _count(read[-1], method)
    return read


def _description(error: BaseException) -> dict[str, Any]:
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return {"class": name, "message": _text(error)}


def _text(error: BaseException) -> str:
    try:
        return _shortened(str(error))
    except Exception as second:  # noqa: BLE001 - the codec's exception may fail to tell itself
        return f"(its text cannot be had: {type(second).__name__})"


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
    hello.update((flag, True) for flag in ("whole", "refuses") if getattr(testee, flag))
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
        raise AdapterError(f"index has {list(ways)} for a message: it has versions, encode or decode")
    return {way: versions_text(versions) for way, versions in ways.items()}


def _unclaimed(each: Unclaimed) -> dict[str, Any]:
    messages = {name: versions_text(versions) for name, versions in each.messages.items()}
    told: dict[str, Any] = {"reason": each.reason, "messages": messages}
    return {**told, "way": each.way} if each.way else told


def _api(api: Api) -> dict[str, Any]:
    told: dict[str, Any] = {"apiKey": api.key}
    for name, direction in (("request", api.request), ("response", api.response)):
        if direction is not None:
            told[name] = {"message": direction.message, "versions": versions_text(direction.versions)}
            if direction.headers:
                by_header: dict[int, list[int]] = {}
                for version, header in sorted(direction.headers.items()):
                    by_header.setdefault(header, []).append(version)
                told[name]["headers"] = {versions_text(used): header for header, used in by_header.items()}
    return told


def _read_claims(
    claims: Mapping[str, Mapping[str, Versions]], known: Sequence[str]
) -> dict[str, dict[str, frozenset[int]]]:
    read: dict[str, dict[str, frozenset[int]]] = {}
    for name, operations in claims.items():
        if not re.fullmatch("[A-Za-z][A-Za-z0-9]*", name):
            raise AdapterError(f"claims names {name!r}; Kafka's names are like FetchRequest")
        if not operations:
            raise AdapterError(f"claims[{name!r}] has no operation: leave the message out instead")
        for operation in operations:
            if operation not in known:
                raise AdapterError(f"claims[{name!r}] has {operation!r}; operations are {', '.join(known)}")
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
    """Some operations, all for the same versions: ``claim("decode encode reencode", range(4))``."""
    text = versions_text(versions)
    return dict.fromkeys(operations.split(), text)


def read_versions(text: str) -> list[int]:
    """The numbers in ``"0-3,5"``.

    Raises:
        AdapterError: the text is no version range.
    """
    versions: list[int] = []
    for part in text.split(","):
        found = re.fullmatch("([0-9]+)(?:-([0-9]+))?", part)
        if found is None:
            raise AdapterError(f"{text!r} is no version range; write '3', '0-17' or '0-3,5-7'")
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first or last > 32767:
            raise AdapterError(f"{text!r}: the lower version stands first, none is above 32767")
        versions.extend(range(first, last + 1))
    return versions


def versions_text(versions: Versions) -> str:
    """Versions in their shortest form, ``"0-3,5"``; text is checked and put into it, too.

    Raises:
        AdapterError: there is no version at all, or the text is no version range.
    """
    numbers = sorted(set(read_versions(versions) if isinstance(versions, str) else versions))
    if not numbers or numbers[0] < 0:
        raise AdapterError(f"{numbers} is no set of versions: leave out what has none; count from 0")
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


# Scalars. None passes everywhere; on the way out so does what a codec gives of a wrong type, to be seen.


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
    """The conversion of what may be null."""
    return lambda item: None if item is None else convert(item)


def same(item: Any) -> Any:
    return item


TO_JSON: dict[str, Convert] = {
    **dict.fromkeys(("bool", "int8", "int16", "uint16", "int32", "string"), same),
    **dict.fromkeys(("int64", "uint32", "uuid"), nullable(str)),
    "float64": _float_to_json,
    "bytes": _bytes_to_json,
    "records": _bytes_to_json,
}
"""By Kafka's name of a type: what Python has (int, str, bytes, float, UUID) to canonical JSON."""

FROM_JSON: dict[str, Convert] = {
    **dict.fromkeys(("bool", "int8", "int16", "uint16", "int32", "string"), same),
    **dict.fromkeys(("int64", "uint32"), nullable(int)),
    "float64": nullable(_float_from_json),
    "uuid": nullable(uuid.UUID),
    "bytes": nullable(bytes.fromhex),
    "records": nullable(bytes.fromhex),
}
"""By Kafka's name of a type: canonical JSON to what Python has."""


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
"""The single primitives that can be asked for, with the type of their values."""


def array(convert: Convert) -> Convert:
    """The conversion of an array, null included, whose elements `convert` converts."""
    if convert is same:
        return nullable(list)
    return lambda items: None if items is None else [convert(item) for item in items]


def tags_to_json(tags: Mapping[int, bytes]) -> dict[str, str]:
    """Unknown tagged fields as they stand under ``"_tags"``."""
    return {str(tag): bytes(data).hex() for tag, data in sorted(tags.items())}


def tags_from_json(tags: Mapping[str, str]) -> dict[int, bytes]:
    """What stands under ``"_tags"``, by number."""
    return {int(tag): bytes.fromhex(data) for tag, data in tags.items()}
