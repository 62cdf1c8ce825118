"""Our own codec as a testee: what every other check of the harness knows to be right, behind the protocol.

Run as a program: ``python own_testee.py RELEASE [MESSAGE...]``.
"""

import json
import sys
from collections.abc import Callable
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.compiler import MessageCodec, compile_layout
from kafkawire.errors import CodecError, DecodeError
from kafkawire.schema import resolve, with_absent_fields
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageSpec
from wireproof.releases import load_snapshot, table

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


OPERATIONS: dict[str, Ask] = {"decode": decode, "encode": encode, "reencode": reencode, "size": size}


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
        operations: what it does.
    """

    def __init__(self, messages: dict[str, MessageSpec], operations: dict[str, Ask] | None = None) -> None:
        self.messages = messages
        self.operations = operations or OPERATIONS
        self._codecs: dict[tuple[str, int], MessageCodec] = {}

    def hello(self) -> dict[str, Any]:
        return {
            "protocol": 1,
            "refuses": True,
            "codec": {"name": "kafkawire", "version": "0", "language": "python"},
            "messages": {
                name: dict.fromkeys(
                    self.operations, f"{spec.valid_versions.lowest}-{spec.valid_versions.highest}"
                )
                for name, spec in self.messages.items()
            },
        }

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        number = question["id"]
        if question["op"] == "hello":
            return {"id": number, "ok": self.hello()}
        if question["op"] == "stop":
            return {"id": number, "ok": {}}
        codec = self._codec(question["message"], question["version"])
        try:
            return {"id": number, "ok": self.operations[question["op"]](codec, question)}
        except CodecError as error:
            kind = "decode_error" if isinstance(error, DecodeError) and "data" in question else "encode_error"
            return {"id": number, kind: {"class": str(error.fault), "message": str(error)}}

    def _codec(self, message: str, version: int) -> MessageCodec:
        if (message, version) not in self._codecs:
            self._codecs[message, version] = compile_layout(resolve(self.messages[message], version))
        return self._codecs[message, version]


def serve(testee: OwnTestee) -> None:
    for line in sys.stdin:
        told = json.loads(line)
        questions = told if isinstance(told, list) else [told]
        answers = [testee.answer(question) for question in questions]
        sys.stdout.write(json.dumps(answers if isinstance(told, list) else answers[0]) + "\n")
        sys.stdout.flush()
        if questions[-1]["op"] == "stop":
            return


if __name__ == "__main__":
    release, *names = sys.argv[1:]
    every = specs(release)
    serve(OwnTestee({name: every[name] for name in names or every}))
