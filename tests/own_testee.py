"""Our own codec as a testee: what every other check of the harness knows to be right, behind the protocol.

Run as a program: ``python own_testee.py [--flaw FLAW] RELEASE [MESSAGE...]``, where no message means every
one, with record sets and the protocols that have no schema file. A flaw makes it wrong in one way.
"""

import argparse
import functools
import json
import sys
from collections.abc import Callable
from typing import Any

from google_crc32c import value as crc32c

from kafkawire.canonical import canonical
from kafkawire.compiler import MessageCodec, compile_layout
from kafkawire.errors import CodecError, DecodeError, Fault
from kafkawire.headers import FrameCodec
from kafkawire.records import (
    Compression,
    decode_records,
    encode_records,
    from_value,
    record_set_layout,
    size_of_records,
    to_value,
)
from kafkawire.schema import resolve, with_absent_fields
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind, MessageSpec, SchemaSet
from own_embedded import OwnEmbedded
from wireproof.checks.lax_reading import Slip, read_laxly
from wireproof.cli.wiring import snapshots
from wireproof.releases import load_snapshot, table
from wireproof.run import header_layouts

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


@functools.cache
def header_codec(layout: MessageLayout) -> MessageCodec:
    """That of the message's header in the newest release: headers have not changed since."""
    (newest,) = table().choose("newest")
    assert layout.header_version is not None
    headers = header_layouts(load_snapshot(newest))
    return compile_layout(headers[newest.version, layout.kind, layout.header_version])


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


def _value(layout: MessageLayout, question: dict[str, Any]) -> dict[str, Any]:
    """The value, with the fields of other versions that it holds: the codec drops or refuses them."""
    return canonical(with_absent_fields(layout)).from_tree(question["value"])


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
        self.header_offset = 0
        self.left_unclaimed = 0
        self.unclaimed: list[dict[str, Any]] = []
        self._codecs: dict[tuple[str, int], MessageCodec | RecordSetCodec] = {}

    def hello(self) -> dict[str, Any]:
        return {
            "protocol": 1,
            "refuses": True,
            "codec": {"name": "kafkawire", "version": "0", "language": "python"},
            "messages": {name: self._claims(spec) for name, spec in self.messages.items()},
            "embedded": {name: claims for name in self.messages if (claims := self._framed(name))},
            "compressions": [codec.name.lower() for codec in Compression],
            "index": {name: self._has(spec) for name, spec in self.messages.items()},
            "unclaimed": self.unclaimed,
            "limits": {"mood": "it would rather not"},
            "registry": [self._api(name, spec) for name, spec in self.messages.items() if framed(spec)],
        }

    def _claims(self, spec: MessageSpec) -> dict[str, str]:
        operations = [each for each in self.operations if framed(spec) or each not in FRAMES]
        lowest = min(spec.valid_versions.lowest + self.left_unclaimed, spec.valid_versions.highest)
        return dict.fromkeys(operations, f"{lowest}-{spec.valid_versions.highest}")

    def _has(self, spec: MessageSpec) -> dict[str, str]:
        return dict.fromkeys(("encode", "decode"), str(spec.valid_versions))

    def _framed(self, name: str) -> dict[str, str]:
        versions = ",".join(map(str, self.embedded.versions(name)))
        return dict.fromkeys(OPERATIONS, versions) if versions else {}

    def _api(self, name: str, spec: MessageSpec) -> dict[str, Any]:
        versions = spec.valid_versions
        headers = {version: resolve(spec, version).header_version or 0 for version in versions}
        told = {
            "message": name,
            "versions": f"{versions.lowest}-{versions.highest}",
            "headers": {str(version): header + self.header_offset for version, header in headers.items()},
        }
        return {"apiKey": spec.api_key, str(spec.kind): told}

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        number = question["id"]
        if question["op"] == "hello":
            return {"id": number, "ok": self.hello()}
        if question["op"] == "stop":
            return {"id": number, "ok": {}}
        if "framing" in question:
            return {"id": number, **self.embedded.answer(question)}
        codec = self.codec(question["message"], question["version"])
        try:
            return {"id": number, "ok": self.operations[question["op"]](codec, question)}
        except MoodError:
            return {"id": number, "unsupported": {"reason": "mood", "message": ""}}
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
        told = decode(codec, question)
        return {**told, "consumed": max(0, told["consumed"] - 1)}

    testee.operations = testee.operations | {"decode": shorter}


def value_told_wrongly(testee: OwnTestee) -> None:
    """It reads and writes rightly; what it tells of the value is another one."""

    def told_wrongly(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        told = decode(codec, question)
        told["value"] = {name: [] if held is None else held for name, held in told["value"].items()}
        return told

    testee.operations = testee.operations | {"decode": told_wrongly}


def wrong_header(testee: OwnTestee) -> None:
    testee.header_offset = 1


def checksum_not_looked_at(testee: OwnTestee) -> None:
    def believing(codec: Any, question: dict[str, Any]) -> dict[str, Any]:
        data = bytearray.fromhex(question["data"])
        if len(data) > 61 and data[16] == 2 and int.from_bytes(data[8:12]) == len(data) - 12:
            data[17:21] = crc32c(bytes(data[21:])).to_bytes(4)
        return decode(codec, {**question, "data": data.hex()})

    testee.operations = testee.operations | {"decode": believing}


def headers_lost(testee: OwnTestee) -> None:
    def without(codec: Any, question: dict[str, Any]) -> dict[str, Any]:
        told = decode(codec, question)
        for batch in told["value"].get("batches", ()):
            for record in batch.get("records", ()):
                record["headers"] = []
        return told

    testee.operations = testee.operations | {"decode": without}


class Prefixes(OwnEmbedded):
    """Framings, wrong in one way each."""

    def __init__(self, right: OwnEmbedded, flaw: str) -> None:
        self.__dict__.update(right.__dict__)
        self._flaw = flaw

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        told = super().answer(question)
        if self._flaw == "version" and question["op"] == "encode":
            told["ok"]["data"] = "0000" + told["ok"]["data"][4:]
        newest = max(self.versions(question.get("message", "")), default=0)
        if self._flaw == "newer" and "data" in question and int(question["data"][:4] or "0", 16) > newest:
            return {"decode_error": {"class": "Newer", "message": "a version that nobody knows"}}
        return told


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
    """What follows refused bytes is taken to be behind them."""
    left = b""

    def behind(codec: Any, question: dict[str, Any]) -> dict[str, Any]:
        nonlocal left
        data, left = left + bytes.fromhex(question["data"]), b""
        try:
            return decode(codec, {**question, "data": data.hex()})
        except DecodeError:
            left = data[:1]
            raise

    testee.operations = testee.operations | {"decode": behind}


def any_tag(testee: OwnTestee) -> None:
    """No flaw: as lax as Kafka with the numbers of unknown tags, which it keeps."""

    def lax(codec: MessageCodec, question: dict[str, Any]) -> dict[str, Any]:
        try:
            return decode(codec, question)
        except DecodeError:
            data = bytes.fromhex(question["data"])
            reading = read_laxly(codec.layout, data, frozenset({Slip.TAG_NUMBER}))
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
            reading = read_laxly(codec.layout, data, frozenset({Slip.TAG_NUMBER}))
            if reading is None:
                raise
            return {"data": data[: reading.consumed_bytes].hex(), "consumed": reading.consumed_bytes}

    testee.operations = {"reencode": again}


TRAITS = {"any-tag": any_tag, "any-tag-again": any_tag_again}
"""What makes it no worse."""

FLAWS = {
    each.__name__.replace("_", "-"): each
    for each in (
        size_off_by_one,
        null_as_empty,
        claim_not_kept,
        consumed_too_short,
        value_told_wrongly,
        wrong_header,
        checksum_not_looked_at,
        headers_lost,
        prefix_always_0,
        newer_is_refused,
        needs_an_older_version,
        keeps_the_highest_version,
        keeps_what_it_refused,
    )
}


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


def serve(testee: OwnTestee) -> None:
    for line in sys.stdin:
        told = json.loads(line)
        questions = told if isinstance(told, list) else [told]
        answers = [testee.answer(question) for question in questions]
        sys.stdout.write(json.dumps(answers if isinstance(told, list) else answers[0]) + "\n")
        sys.stdout.flush()
        if questions[-1]["op"] == "stop":
            return


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--flaw", choices=["none", *TRAITS, *FLAWS, *HOLES], default="none")
    parser.add_argument("release")
    parser.add_argument("messages", nargs="*")
    asked = parser.parse_args()
    schemas = schemas_of(asked.release)
    every = specs(schemas)
    claimed = {name: every[name] for name in asked.messages or every}
    testee = OwnTestee(claimed, OwnEmbedded(schemas, claimed))
    if asked.flaw != "none":
        (TRAITS | FLAWS | HOLES)[asked.flaw](testee)
    serve(testee)


if __name__ == "__main__":
    main()
