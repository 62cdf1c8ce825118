"""Our own codec as a testee: what every other check of the harness knows to be right, behind the protocol.

Run as a program: ``python own_testee.py [--flaw FLAW] RELEASE [MESSAGE...]``. A flaw makes it wrong in one
way.
"""

import argparse
import functools
import json
import sys
from collections.abc import Callable
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.compiler import MessageCodec, compile_layout
from kafkawire.errors import CodecError, DecodeError
from kafkawire.headers import FrameCodec
from kafkawire.schema import resolve, with_absent_fields
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind, MessageSpec
from wireproof.releases import load_snapshot, table
from wireproof.run import header_layouts

Ask = Callable[[MessageCodec, dict[str, Any]], dict[str, Any]]


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


OPERATIONS: dict[str, Ask] = {"decode": decode, "encode": encode, "reencode": reencode, "size": size}
FRAMES: dict[str, Ask] = {"frame": frame, "unframe": unframe}


def _value(layout: MessageLayout, question: dict[str, Any]) -> dict[str, Any]:
    """The value, with the fields of other versions that it holds: the codec drops or refuses them."""
    return canonical(with_absent_fields(layout)).from_tree(question["value"])


def specs(release: str) -> dict[str, MessageSpec]:
    (found,) = table().choose(release)
    modules = load_snapshot(found).modules
    return {name: spec for module in modules.values() for name, spec in module.items() if not spec.retired}


class OwnTestee:
    """Answers questions about the messages of a release.

    Args:
        messages: those that it claims.
    """

    def __init__(self, messages: dict[str, MessageSpec]) -> None:
        self.messages = messages
        self.operations = OPERATIONS | FRAMES
        self.header_offset = 0
        self.left_unclaimed = 0
        self.unclaimed: list[dict[str, Any]] = []
        self._codecs: dict[tuple[str, int], MessageCodec] = {}

    def hello(self) -> dict[str, Any]:
        return {
            "protocol": 1,
            "refuses": True,
            "codec": {"name": "kafkawire", "version": "0", "language": "python"},
            "messages": {name: self._claims(spec) for name, spec in self.messages.items()},
            "index": {name: self._has(spec) for name, spec in self.messages.items()},
            "unclaimed": self.unclaimed,
            "limits": {"mood": "it would rather not"},
            "registry": [self._api(name, spec) for name, spec in self.messages.items() if framed(spec)],
        }

    def _claims(self, spec: MessageSpec) -> dict[str, str]:
        operations = [each for each in self.operations if framed(spec) or each not in FRAMES]
        lowest = spec.valid_versions.lowest + self.left_unclaimed
        return dict.fromkeys(operations, f"{lowest}-{spec.valid_versions.highest}")

    def _has(self, spec: MessageSpec) -> dict[str, str]:
        return dict.fromkeys(("encode", "decode"), str(spec.valid_versions))

    def _api(self, name: str, spec: MessageSpec) -> dict[str, Any]:
        versions = spec.valid_versions
        headers = {version: self._codec(name, version).layout.header_version or 0 for version in versions}
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
        codec = self._codec(question["message"], question["version"])
        try:
            return {"id": number, "ok": self.operations[question["op"]](codec, question)}
        except MoodError:
            return {"id": number, "unsupported": {"reason": "mood", "message": ""}}
        except CodecError as error:
            kind = "decode_error" if isinstance(error, DecodeError) and "data" in question else "encode_error"
            return {"id": number, kind: {"class": str(error.fault), "message": str(error)}}

    def _codec(self, message: str, version: int) -> MessageCodec:
        if (message, version) not in self._codecs:
            self._codecs[message, version] = compile_layout(resolve(self.messages[message], version))
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


def wrong_header(testee: OwnTestee) -> None:
    testee.header_offset = 1


FLAWS = {
    each.__name__.replace("_", "-"): each
    for each in (
        size_off_by_one,
        null_as_empty,
        claim_not_kept,
        consumed_too_short,
        wrong_header,
    )
}


# What it may leave unclaimed: the lowest version of each message.


def nothing_said(testee: OwnTestee) -> None:
    testee.left_unclaimed = 1


def said_with_a_reason(testee: OwnTestee) -> None:
    testee.left_unclaimed = 1
    lowest = {name: str(spec.valid_versions.lowest) for name, spec in testee.messages.items()}
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
    parser.add_argument("--flaw", choices=["none", *FLAWS, *HOLES], default="none")
    parser.add_argument("release")
    parser.add_argument("messages", nargs="*")
    asked = parser.parse_args()
    every = specs(asked.release)
    testee = OwnTestee({name: every[name] for name in asked.messages or every})
    if asked.flaw != "none":
        (FLAWS | HOLES)[asked.flaw](testee)
    serve(testee)


if __name__ == "__main__":
    main()
