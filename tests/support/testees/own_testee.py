"""Our own codec as a testee: the harness's other checks prove the codec, this program speaks the protocol.

Run as a program: ``python own_testee.py [--defect DEFECT] RELEASE [MESSAGE...]``. Without a message it serves
all, with record sets and the protocols that have no schema file. A defect makes it wrong in one way.
"""

import argparse
import functools
import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google_crc32c import value as crc32c

from kafkawire.canonical import Canonical, canonical
from kafkawire.compiler import MessageCodec, compile_layout
from kafkawire.errors import CodecError, DecodeError, EncodeError, Fault, UnsupportedVersionError
from kafkawire.headers import FrameCodec
from kafkawire.primitives import PRIMITIVES, VALUE, primitive_codec
from kafkawire.records import (
    Compression,
    compress,
    decode_records,
    encode_records,
    from_value,
    record_set_layout,
    size_of_records,
    to_value,
)
from kafkawire.schema import resolve, with_absent_fields
from kafkawire.schema.layout import MessageLayout, StructLayout
from kafkawire.schema.model import MessageKind, MessageSpec, ScalarType, SchemaSet
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.kafka.releases.release_table import table

if TYPE_CHECKING:
    from wireproof.proof.checks.malformed.lenient_reader import LenientReading

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.support.testees.own_embedded import OwnEmbedded

RECORD_SET = "RecordBatch"

Ask = Callable[[Any, dict[str, Any]], dict[str, Any]]
"""(a codec of one layout, a question) -> what stands under ``ok``."""


def decode(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    data = bytes.fromhex(question["data"])
    value, consumed = codec.decode_from(data, 0)
    return {"value": json.loads(canonical(codec.layout).to_json(value)), "consumed": consumed}


def encode(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    return {"data": codec.encode(_value(codec.layout, question)).hex()}


def reencode(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    data = bytes.fromhex(question["data"])
    value, consumed = codec.decode_from(data, 0)
    return {"data": codec.encode(value).hex(), "consumed": consumed}


def size(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    return {"size": codec.size(_value(codec.layout, question))}


def frame(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    header = header_codec(codec.layout)
    head = canonical(header.layout).from_tree(question["header"])
    return {"data": FrameCodec(header, codec).encode(head, _value(codec.layout, question)).hex()}


def unframe(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    data = bytes.fromhex(question["data"])
    header = header_codec(codec.layout)
    head, value = FrameCodec(header, codec).decode(data)
    return {
        "header": json.loads(canonical(header.layout).to_json(head)),
        "value": json.loads(canonical(codec.layout).to_json(value)),
        "consumed": len(data),
    }


def feed(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    held, parts = b"", 0
    for part in question["parts"]:
        held, parts = held + bytes.fromhex(part), parts + 1
        size = 4 + int.from_bytes(held[:4])
        if len(held) >= max(4, size):
            answer = unframe(codec, {"data": held[:size].hex()})
            return {"value": answer["value"], "consumed": size, "parts": parts}
    raise DecodeError(Fault.TRUNCATED, "", "the frame is not complete", len(held))


def equal(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    one, other = (
        canonical(codec.layout).to_binary(codec.decode(bytes.fromhex(question[key])))
        for key in ("data", "other")
    )
    return {"equal": one == other, "hashes": hash(one) == hash(other)}


def copy(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    return {"data": codec.encode(deepcopy(codec.decode(bytes.fromhex(question["data"])))).hex()}


def primitive(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
    if "value" in question:
        value = canonical(codec.layout).from_tree({VALUE: question["value"]})
        return {"data": codec.encode(value).hex()}
    value, consumed = codec.decode_from(bytes.fromhex(question["data"]), 0)
    return {"value": json.loads(canonical(codec.layout).to_json(value))[VALUE], "consumed": consumed}


@functools.cache
def header_codec(layout: MessageLayout) -> MessageCodec:
    """That of the message's header in the newest release: headers have not changed since."""
    assert layout.header_version is not None
    _, spec = schemas_of("newest").find(f"{str(layout.kind).capitalize()}Header")
    return compile_layout(resolve(spec, layout.header_version))


class RecordSetCodec:
    """The codec of record sets, asked as those of messages are."""

    layout = record_set_layout(2)

    def encode(self, value: dict[str, Any]) -> bytes:
        return encode_records(from_value(value))

    def size(self, value: dict[str, Any]) -> int:
        return size_of_records(from_value(value))

    def decode_from(self, data: bytes, offset: int) -> tuple[dict[str, Any], int]:
        return to_value(decode_records(data)), len(data)


OPERATIONS: dict[str, Ask] = {"decode": decode, "encode": encode, "reencode": reencode, "size": size}
FRAMES: dict[str, Ask] = {"frame": frame, "unframe": unframe}
OBJECTS: dict[str, Ask] = {"equal": equal, "copy": copy}
STREAMS: dict[str, Ask] = {"feed": feed}


def _value(layout: MessageLayout, question: dict[str, Any]) -> dict[str, Any]:
    """The value, with the fields of other versions that it holds: the codec drops or refuses them."""
    return _with_absent_fields(layout).from_tree(question["value"])


@functools.cache
def _with_absent_fields(layout: MessageLayout) -> Canonical:
    return canonical(with_absent_fields(layout))


@functools.cache
def schemas_of(release: str) -> SchemaSet:
    (found,) = table().choose(release)
    return snapshots([found])[found.version]


def specs(schemas: SchemaSet) -> dict[str, MessageSpec]:
    modules = schemas.modules.values()
    return {name: spec for module in modules for name, spec in module.items() if not spec.retired}


class OwnTestee:
    """Answers questions about the messages of a release.

    Args:
        messages: those that it claims.
        embedded: those that have a framing.
    """

    def __init__(self, messages: dict[str, MessageSpec], embedded: OwnEmbedded) -> None:
        self.messages = messages
        self.embedded = embedded
        self.operations = OPERATIONS | FRAMES
        self.primitive: Ask | None = None
        self.header_offset = 0
        self.record_values = False
        self.compressions = [codec.name.lower() for codec in Compression]
        self.refuses = True
        self.whole = False
        self.left_unclaimed = 0
        self.newest_left_unclaimed = False
        self.unclaimed: list[dict[str, Any]] = []
        self._codecs: dict[tuple[str, int], MessageCodec | RecordSetCodec] = {}

    def hello(self) -> dict[str, Any]:
        return {
            "protocol": 1,
            "refuses": self.refuses,
            "recordValues": self.record_values,
            "whole": self.whole,
            "codec": {"name": "kafkawire", "version": "0", "language": "python"},
            "messages": {name: self._claims(spec) for name, spec in self.messages.items()},
            "primitives": {name: ["encode", "decode"] for name in PRIMITIVES if self.primitive},
            "embedded": {name: claims for name in self.messages if (claims := self._framed(name))},
            "compressions": self.compressions,
            "index": {name: self._has(spec) for name, spec in self.messages.items()},
            "unclaimed": self.unclaimed,
            "limits": {"mood": "it would rather not"},
            "registry": [self._api(name, spec) for name, spec in self.messages.items() if framed(spec)],
        }

    def _claims(self, spec: MessageSpec) -> dict[str, str]:
        own = () if spec.name == RECORD_SET else OBJECTS
        known = {*OPERATIONS, *own, *(FRAMES | STREAMS if framed(spec) else ())}
        operations = [each for each in self.operations if each in known]
        lowest = min(spec.valid_versions.lowest + self.left_unclaimed, spec.valid_versions.highest)
        return dict.fromkeys(operations, f"{lowest}-{self._highest(spec)}")

    def _has(self, spec: MessageSpec) -> dict[str, str]:
        return dict.fromkeys(("encode", "decode"), f"{spec.valid_versions.lowest}-{self._highest(spec)}")

    def _highest(self, spec: MessageSpec) -> int:
        return max(spec.valid_versions.highest - self.newest_left_unclaimed, spec.valid_versions.lowest)

    def _framed(self, name: str) -> dict[str, str]:
        versions = ",".join(map(str, self.embedded.versions(name)))
        return dict.fromkeys(OPERATIONS, versions) if versions else {}

    def _api(self, name: str, spec: MessageSpec) -> dict[str, Any]:
        versions = spec.valid_versions
        headers = {version: resolve(spec, version).header_version or 0 for version in versions}
        answer = {
            "message": name,
            "versions": f"{versions.lowest}-{versions.highest}",
            "headers": {str(version): header + self.header_offset for version, header in headers.items()},
        }
        return {"apiKey": spec.api_key, str(spec.kind): answer}

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        number = question["id"]
        if question["op"] == "hello":
            return {"id": number, "ok": self.hello()}
        if question["op"] == "stop":
            return {"id": number, "ok": {}}
        if "framing" in question:
            return {"id": number, **self.embedded.answer(question)}
        try:
            if question["op"] == "primitive" and self.primitive is not None:
                return {"id": number, "ok": self.primitive(primitive_codec(question["type"]), question)}
            codec = self.codec(question["message"], question["version"])
            return {"id": number, "ok": self.operations[question["op"]](codec, question)}
        except MoodError:
            return {"id": number, "unsupported": {"reason": "mood", "message": ""}}
        except UnsupportedVersionError as error:
            kind = "decode_error" if "data" in question else "encode_error"
            return {"id": number, kind: {"class": "UnsupportedVersion", "message": str(error)}}
        except CodecError as error:
            kind = "decode_error" if isinstance(error, DecodeError) and "data" in question else "encode_error"
            return {"id": number, kind: {"class": str(error.fault), "message": str(error)}}

    def codec(self, message: str, version: int) -> MessageCodec | RecordSetCodec:
        if (message, version) not in self._codecs:
            self._codecs[message, version] = (
                RecordSetCodec()
                if message == RECORD_SET
                else compile_layout(resolve(self.messages[message], version))
            )
        return self._codecs[message, version]


def framed(spec: MessageSpec) -> bool:
    return spec.kind in (MessageKind.REQUEST, MessageKind.RESPONSE)


# What can be wrong with it: each takes a testee that is right.


def size_off_by_one(testee: OwnTestee) -> None:
    def larger(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        return {"size": size(codec, question)["size"] + 1}

    testee.operations = testee.operations | {"size": larger}


def null_as_empty(testee: OwnTestee) -> None:
    def filled(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        arrays = {each.name for each in codec.layout.root.all_fields if each.is_array}
        value = {
            name: [] if item is None and name in arrays else item for name, item in question["value"].items()
        }
        return encode(codec, {**question, "value": value})

    testee.operations = testee.operations | {"encode": filled}


def claim_not_kept(testee: OwnTestee) -> None:
    def declined(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        raise MoodError

    testee.operations = testee.operations | {"size": declined}


def consumed_too_short(testee: OwnTestee) -> None:
    def shorter(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        answer = decode(codec, question)
        return {**answer, "consumed": max(0, answer["consumed"] - 1)}

    testee.operations = testee.operations | {"decode": shorter}


def value_reported_wrongly(testee: OwnTestee) -> None:
    """It reads and writes rightly, but reports another value."""

    def reported_wrongly(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        answer = decode(codec, question)
        answer["value"] = {name: [] if held is None else held for name, held in answer["value"].items()}
        return answer

    testee.operations = testee.operations | {"decode": reported_wrongly}


def wrong_header(testee: OwnTestee) -> None:
    testee.header_offset = 1


def checksum_not_looked_at(testee: OwnTestee, attributes: int | None = None) -> None:
    """It makes the checksum right before it reads a batch; of control batches alone with their attribute."""

    def believing(codec: Any, question: dict[str, Any]) -> dict[str, Any]:
        data = bytearray.fromhex(question["data"])
        alone = len(data) > 61 and data[16] == 2 and int.from_bytes(data[8:12]) == len(data) - 12
        if alone and (attributes is None or data[22] & attributes):
            data[17:21] = crc32c(bytes(data[21:])).to_bytes(4)
        return decode(codec, {**question, "data": data.hex()})

    testee.operations = testee.operations | {"decode": believing}
    testee.compressions = ["none"]


def checksum_of_control_batches_not_looked_at(testee: OwnTestee) -> None:
    checksum_not_looked_at(testee, 0x20)


def reads_on_after_a_refused_header(testee: OwnTestee) -> None:
    """Keeps the bytes of a frame whose header ended early, and takes them for the beginning of the next."""
    keep_refused(testee, "unframe", lambda data: data if len(data) < 8 else b"")


def keep_refused(testee: OwnTestee, operation: str, kept: Callable[[bytes], bytes]) -> None:
    """Put what is kept of refused bytes before the next ones."""
    left, read = b"", testee.operations[operation]

    def after(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        nonlocal left
        data, left = left + bytes.fromhex(question["data"]), b""
        try:
            return read(codec, {**question, "data": data.hex()})
        except DecodeError:
            left = kept(data)
            raise

    testee.operations = testee.operations | {operation: after}


def takes_half_a_header(testee: OwnTestee) -> None:
    """Fills up with zeros a header that is cut off."""

    def filled(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        data = bytes.fromhex(question["data"])
        if len(data) != 9:
            return unframe(codec, question)
        whole = bytes.fromhex("0000000f") + data[4:] + bytes(10)
        return {**unframe(codec, {**question, "data": whole.hex()}), "consumed": len(data)}

    testee.operations = testee.operations | {"unframe": filled}


def headers_lost(testee: OwnTestee) -> None:
    def without(codec: Any, question: dict[str, Any]) -> dict[str, Any]:
        answer = decode(codec, question)
        for batch in answer["value"].get("batches", ()):
            for record in batch.get("records", ()):
                record["headers"] = []
        return answer

    testee.operations = testee.operations | {"decode": without}


class Prefixes(OwnEmbedded):
    """Framings, wrong in one way each."""

    def __init__(self, right: OwnEmbedded, defect: str) -> None:
        self.__dict__.update(right.__dict__)
        self._defect = defect

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        answer = super().answer(question)
        if self._defect == "version" and question["op"] == "encode":
            answer["ok"]["data"] = "0000" + answer["ok"]["data"][4:]
        newest = max(self.versions(question.get("message", "")), default=0)
        if self._defect == "newer" and "data" in question and int(question["data"][:4] or "0", 16) > newest:
            return {"decode_error": {"class": "Newer", "message": "a version that is not known"}}
        return answer


class StickyAssignor(OwnEmbedded):
    """User data as Kafka's `StickyAssignor` has them: always version 1, and partitions by topic."""

    def __init__(self, right: OwnEmbedded) -> None:
        self.__dict__.update(right.__dict__)

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        if "value" in question:
            held = {"generation": -1, **self._grouped(question["value"])}
            held["generation"] = held["generation"] if question["version"] else -1
            return super().answer({**question, "version": 1, "value": held})
        answer = super().answer(question)
        if "ok" in answer and "value" in answer["ok"]:
            answer["ok"]["value"] = self._grouped(answer["ok"]["value"])
        return answer

    @staticmethod
    def _grouped(value: dict[str, Any]) -> dict[str, Any]:
        by_topic: dict[str, list[int]] = {}
        for entry in value.get("previousAssignment", ()):
            if entry.get("partitions"):
                by_topic.setdefault(entry.get("topic", ""), []).extend(entry["partitions"])
        entries = [{"topic": topic, "partitions": held} for topic, held in by_topic.items()]
        return {**value, "previousAssignment": entries}


def as_kafkas_class(testee: OwnTestee) -> None:
    testee.embedded = StickyAssignor(testee.embedded)


def prefix_always_0(testee: OwnTestee) -> None:
    testee.embedded = Prefixes(testee.embedded, "version")


def newer_is_refused(testee: OwnTestee) -> None:
    testee.embedded = Prefixes(testee.embedded, "newer")


def needs_an_older_version(testee: OwnTestee) -> None:
    """Reads version 12 only once version 11 was asked for."""
    seen: set[int] = set()

    def initialised(codec: Any, question: dict[str, Any]) -> dict[str, Any]:
        seen.add(question["version"])
        if question["version"] == 12 and 11 not in seen:
            raise DecodeError(Fault.LABEL, "", "not initialised", 0)
        return decode(codec, question)

    testee.operations = testee.operations | {"decode": initialised}


def keeps_the_highest_version(testee: OwnTestee) -> None:
    """Encodes everything at the highest version that was asked for."""
    highest: dict[str, int] = {}
    of = testee.codec

    def at_highest(message: str, version: int) -> Any:
        highest[message] = max(version, highest.get(message, 0))
        return of(message, highest[message])

    testee.codec = at_highest  # type: ignore[method-assign]


def keeps_what_it_refused(testee: OwnTestee) -> None:
    """It takes the bytes after refused ones for their continuation."""
    keep_refused(testee, "decode", lambda data: data[:1])


def takes_any_version(testee: OwnTestee) -> None:
    """Takes a version above the highest for the highest, and one below the lowest for the lowest."""
    of = testee.codec

    def nearest(message: str, version: int) -> Any:
        versions = testee.messages[message].valid_versions
        return of(message, min(max(version, versions.lowest), versions.highest))

    testee.codec = nearest  # type: ignore[method-assign]


def stays_at_a_version_that_it_refused(testee: OwnTestee) -> None:
    """Refuses a version that it does not have, and encodes nothing any more from then on."""
    of, broken = testee.codec, False

    def refusing(message: str, version: int) -> Any:
        nonlocal broken
        broken = broken or version not in testee.messages[message].valid_versions
        return of(message, -1 if broken else version)

    testee.codec = refusing  # type: ignore[method-assign]


def writes_after_what_it_refused(testee: OwnTestee) -> None:
    """It writes the beginning of a refused value before the next bytes."""
    left = b""

    def after(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        nonlocal left
        before, left = left, b"\xff"
        answer = encode(codec, question)
        left = b""
        return {"data": before.hex() + answer["data"]}

    testee.operations = testee.operations | {"encode": after}


def _writing(testee: OwnTestee, instead: Callable[[], dict[str, Any]]) -> None:
    """Do something else where a value would be refused."""

    def wrong_encode(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        try:
            return encode(codec, question)
        except CodecError:
            return instead()

    testee.operations = testee.operations | {"encode": wrong_encode}


def writes_what_it_promised_to_refuse(testee: OwnTestee) -> None:
    _writing(testee, lambda: {"data": ""})


def dies_of_what_it_may_write(testee: OwnTestee) -> None:
    """It promises nothing, and ends its process."""
    testee.refuses = False
    _writing(testee, lambda: os._exit(3))


def trusts_its_caller(testee: OwnTestee) -> None:
    """Not a defect: it promises nothing, and writes what it is given."""
    testee.refuses = False
    _writing(testee, lambda: {"data": ""})


def overruns_its_buffer(testee: OwnTestee) -> None:
    """Before a short field it does not check whether its buffer of 64 KiB is full: one byte is lost there."""

    def unchecked(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        data = bytes.fromhex(encode(codec, question)["data"])
        if (
            max(map(len, re.findall("[ -~]+", json.dumps(question["value"]).replace(chr(34), chr(10)))))
            < 1000
        ):
            data = data[:65536] + data[65537:]
        return {"data": data.hex()}

    testee.operations = testee.operations | {"encode": unchecked}


def overruns_its_buffer_in_an_older_version(testee: OwnTestee) -> None:
    """The same of a codec that lacks the newest version of each message."""
    overruns_its_buffer(testee)
    testee.newest_left_unclaimed = True


def _read_any_tag(layout: MessageLayout, data: bytes) -> "LenientReading | None":
    from wireproof.proof.checks.malformed.lenient_reader import LeniencyName, read_leniently

    return read_leniently(layout, data, frozenset({LeniencyName.TAG_NUMBER}))


def any_tag(testee: OwnTestee) -> None:
    """Not a defect: as lenient as Kafka with the numbers of unknown tags, which it keeps."""

    def lax(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        try:
            return decode(codec, question)
        except DecodeError:
            data = bytes.fromhex(question["data"])
            reading = _read_any_tag(codec.layout, data)
            if reading is None:
                raise
            form = canonical(codec.layout)
            value = json.loads(form.to_json(form.from_binary(reading.value)))
            return {"value": value, "consumed": reading.consumed_bytes}

    testee.operations = testee.operations | {"decode": lax}


def any_tag_again(testee: OwnTestee) -> None:
    """The same of one that has no values: it writes again what it read."""

    def again(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        try:
            return reencode(codec, question)
        except DecodeError:
            data = bytes.fromhex(question["data"])
            reading = _read_any_tag(codec.layout, data)
            if reading is None:
                raise
            return {"data": data[: reading.consumed_bytes].hex(), "consumed": reading.consumed_bytes}

    testee.operations = {"reencode": again}


def objects(testee: OwnTestee) -> None:
    """It has primitives of its own, and objects that can be compared and duplicated."""
    testee.operations = testee.operations | OBJECTS
    testee.primitive = primitive


def _records_in(struct: StructLayout, tree: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    for field in struct.all_fields:
        held = tree.get(field.name)
        if field.struct is not None:
            for each in held or () if field.is_array else [held or {}]:
                yield from _records_in(field.struct, each)
        elif field.scalar is ScalarType.RECORDS and held is not None:
            yield tree, field.name


def records_with_the_message(testee: OwnTestee, *, keeps_headers: bool = True) -> None:
    """It reads the record sets in messages, and writes them with the fastest compression there is."""
    sets = canonical(record_set_layout(2))

    def reading(codec: Any, question: dict[str, Any]) -> dict[str, Any]:
        answer = decode(codec, question)
        for holder, name in _records_in(codec.layout.root, answer["value"]):
            held = json.loads(sets.to_json(to_value(decode_records(bytes.fromhex(holder[name])))))
            for batch in held["batches"]:
                for record in batch["records"]:
                    record["headers"] = record["headers"] if keeps_headers else []
            holder[name] = held
        return answer

    def writing(codec: Any, question: dict[str, Any]) -> dict[str, Any]:
        tree = deepcopy(question["value"])
        for holder, name in _records_in(codec.layout.root, tree):
            records = from_value(sets.from_tree(holder[name]))
            holder[name] = encode_records(records, compress=_fastest).hex()
        return encode(codec, {**question, "value": tree})

    testee.record_values = True
    testee.operations = {"decode": reading, "encode": writing}


def _fastest(codec: Compression, data: bytes, magic: int) -> bytes:
    return gzip.compress(data, 1) if codec is Compression.GZIP else compress(codec, data, magic)


def headers_lost_in_messages(testee: OwnTestee) -> None:
    records_with_the_message(testee, keeps_headers=False)


def streams(testee: OwnTestee) -> None:
    """It reads frames from streams."""
    testee.operations = testee.operations | STREAMS


def _streams_wrongly(testee: OwnTestee, wrong: Callable[[list[str], dict[str, Any]], dict[str, Any]]) -> None:
    """Change the answer for the parts of a stream: (parts, answer) -> members."""

    def fed(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        answer = feed(codec, question)
        return answer | wrong(question["parts"], answer)

    testee.operations = testee.operations | {"feed": fed}


def answers_before_the_last_byte(testee: OwnTestee) -> None:
    """A last part of one byte is not waited for: it is mostly an empty tag section."""
    _streams_wrongly(testee, lambda parts, answer: {"parts": answer["parts"] - (len(parts[-1]) == 2)})


def takes_bytes_of_the_next_frame(testee: OwnTestee) -> None:
    """All that has come counts as the frame's."""
    _streams_wrongly(testee, lambda parts, answer: {"consumed": sum(map(len, parts)) // 2})


def wants_the_size_in_one_part(testee: OwnTestee) -> None:
    """A size in two parts is none."""

    def fed(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        if len(question["parts"][0]) < 8:
            raise DecodeError(Fault.TRUNCATED, "", "no size", 0)
        return feed(codec, question)

    testee.operations = testee.operations | {"feed": fed}


def loses_a_short_read(testee: OwnTestee) -> None:
    """What a read of the body did not bring stays empty."""
    _streams_wrongly(testee, lambda parts, answer: {"value": {}} if len(parts) == 2 else {})


def zigzag_forgotten(testee: OwnTestee) -> None:
    """Varints have no sign."""

    def unsigned(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        given = question.get("value", 0)  # what is none of an int32 is refused as ever
        wrong = question["type"] == "Varint" and given is not None and abs(given) < 1 << 31
        if wrong:
            codec = primitive_codec("UnsignedVarint")
            if "value" in question:
                question = {**question, "value": str(question["value"] % (1 << 32))}
        answer = primitive(codec, question)
        return (
            {**answer, "value": int(answer["value"]) & 0x7FFFFFFF} if wrong and "value" in answer else answer
        )

    testee.primitive = unsigned


def primitive_reads_on(testee: OwnTestee) -> None:
    """It reports that a string takes all bytes after it, too."""

    def further(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        answer = primitive(codec, question)
        if question["type"] == "CompactString" and "consumed" in answer:
            answer["consumed"] = len(question["data"]) // 2
        return answer

    testee.primitive = further


def equal_by_the_first_field(testee: OwnTestee) -> None:
    def wrong_equal(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        one, other = (codec.decode(bytes.fromhex(question[key])) for key in ("data", "other"))
        first = codec.layout.root.fields[0].name
        return {"equal": one[first] == other[first]}

    testee.operations = testee.operations | {"equal": wrong_equal}


def equal_by_lengths(testee: OwnTestee) -> None:
    """Elements of arrays are counted and not compared."""

    def shallow(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        one, other = (
            {
                name: len(held) if isinstance(held, list) else held
                for name, held in codec.decode(bytes.fromhex(question[key])).items()
            }
            for key in ("data", "other")
        )
        return {"equal": one == other}

    testee.operations = testee.operations | {"equal": shallow}


def hash_of_the_object(testee: OwnTestee) -> None:
    def by_identity(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        return {**equal(codec, question), "hashes": False}

    testee.operations = testee.operations | {"equal": by_identity}


def copy_loses_nulls(testee: OwnTestee) -> None:
    def filled(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        value = codec.decode(bytes.fromhex(question["data"]))
        return {
            "data": codec.encode({name: [] if held is None else held for name, held in value.items()}).hex()
        }

    testee.operations = testee.operations | {"copy": filled}


def two_compressions(testee: OwnTestee) -> None:
    testee.compressions = ["none", "gzip"]


def wants_complete_values(testee: OwnTestee) -> None:
    """Not a defect: a value that lacks a field is refused."""
    testee.whole = True

    def complete(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        for field in codec.layout.root.fields:
            if field.name not in question["value"]:
                raise EncodeError(Fault.TYPE, field.name, "it is not there")
        return encode(codec, question)

    testee.operations = testee.operations | {"encode": complete}


def default_of_its_own(testee: OwnTestee) -> None:
    """The same, with a default for one field, which is not Kafka's."""
    wants_complete_values(testee)
    complete = testee.operations["encode"]

    def filled(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        return complete(codec, {**question, "value": {"allowAutoTopicCreation": False, **question["value"]}})

    testee.operations = testee.operations | {"encode": filled}


def three_bugs(testee: OwnTestee) -> None:
    """It hangs at a negative length, ends at text that is not UTF-8, and takes null for the defaults."""

    def reading(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        try:
            return decode(codec, question)
        except DecodeError as error:
            if error.fault is Fault.UTF8:
                os._exit(3)
            if error.fault is Fault.NULL:
                return {"value": {}, "consumed": len(question["data"]) // 2}
            while error.fault is Fault.LENGTH:
                pass
            raise

    testee.operations = testee.operations | {"decode": reading}


def ends_when_it_encodes(testee: OwnTestee) -> None:
    """Every value that it encodes ends its process."""
    testee.operations = testee.operations | {"encode": lambda codec, question: os._exit(3)}


TRAITS = {
    "three-bugs": three_bugs,
    "ends-when-it-encodes": ends_when_it_encodes,
    "trusts-its-caller": trusts_its_caller,
    "whole": wants_complete_values,
    "two-compressions": two_compressions,
    "any-tag": any_tag,
    "any-tag-again": any_tag_again,
    "objects": objects,
    "streams": streams,
    "records-with-the-message": records_with_the_message,
    "as-kafkas-class": as_kafkas_class,
}
"""Variants that are not defects."""

DEFECTS = {
    each.__name__.replace("_", "-"): each
    for each in (
        size_off_by_one,
        null_as_empty,
        claim_not_kept,
        consumed_too_short,
        value_reported_wrongly,
        wrong_header,
        reads_on_after_a_refused_header,
        takes_half_a_header,
        checksum_not_looked_at,
        checksum_of_control_batches_not_looked_at,
        headers_lost,
        headers_lost_in_messages,
        prefix_always_0,
        newer_is_refused,
        needs_an_older_version,
        keeps_the_highest_version,
        keeps_what_it_refused,
        takes_any_version,
        stays_at_a_version_that_it_refused,
        writes_after_what_it_refused,
        writes_what_it_promised_to_refuse,
        dies_of_what_it_may_write,
        overruns_its_buffer,
        overruns_its_buffer_in_an_older_version,
        zigzag_forgotten,
        primitive_reads_on,
        answers_before_the_last_byte,
        takes_bytes_of_the_next_frame,
        wants_the_size_in_one_part,
        loses_a_short_read,
        equal_by_the_first_field,
        equal_by_lengths,
        hash_of_the_object,
        copy_loses_nulls,
        default_of_its_own,
    )
}


# What it does with topics in a frame, and with those without one.


def _declining(ask: Ask) -> Ask:
    def asked(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        answer = ask(codec, question)
        if answer["value"].get("topics"):
            raise DecodeError(Fault.LENGTH, "topics", "there are topics", 0)
        return answer

    return asked


def topics_in_frames(testee: OwnTestee) -> None:
    testee.operations = testee.operations | {"unframe": _declining(unframe)}


def topics_anywhere(testee: OwnTestee) -> None:
    testee.operations = testee.operations | {"unframe": _declining(unframe), "decode": _declining(decode)}


FRAMED = {each.__name__.replace("_", "-"): each for each in (topics_in_frames, topics_anywhere)}


# What it may leave unclaimed: the lowest version of each message.


def nothing_said(testee: OwnTestee) -> None:
    testee.left_unclaimed = 1


def said_with_a_reason(testee: OwnTestee) -> None:
    testee.left_unclaimed = 1
    several = ((name, spec.valid_versions) for name, spec in testee.messages.items())
    lowest = {name: str(versions.lowest) for name, versions in several if len(versions) > 1}
    testee.unclaimed = [{"reason": "it is not finished", "messages": lowest}]


HOLES = {each.__name__.replace("_", "-"): each for each in (nothing_said, said_with_a_reason)}


class MoodError(Exception):
    """The limit that the hello names."""


def own_testee(defect: str, release: str, messages: Sequence[str]) -> OwnTestee:
    """Return a testee of some messages, or of all if none is named."""
    schemas = schemas_of(release)
    every = specs(schemas)
    claimed = {name: every[name] for name in messages or every}
    testee = OwnTestee(claimed, OwnEmbedded(schemas, claimed))
    if defect != "none":
        (TRAITS | DEFECTS | FRAMED | HOLES)[defect](testee)
    return testee


def serve(testee: OwnTestee) -> None:
    for line in sys.stdin:
        given = json.loads(line)
        questions = given if isinstance(given, list) else [given]
        answers = [testee.answer(question) for question in questions]
        sys.stdout.write(json.dumps(answers if isinstance(given, list) else answers[0]) + "\n")
        sys.stdout.flush()
        if questions[-1]["op"] == "stop":
            return


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--defect", choices=["none", *TRAITS, *DEFECTS, *FRAMED, *HOLES], default="none")
    parser.add_argument("release")
    parser.add_argument("messages", nargs="*")
    asked = parser.parse_args()
    serve(own_testee(asked.defect, asked.release, asked.messages))


if __name__ == "__main__":
    main()
