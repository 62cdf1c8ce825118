"""A kit's program at the other end of pipes. Each line of requests and answers is validated by the schema."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[3]
KITS = ROOT / "codecs/testees/kits"
SCHEMA = json.loads((ROOT / "docs/reference/testee-protocol.schema.json").read_text("utf-8"))
LONG_TEXT = 1 << 16
HELLO = {"id": 0, "op": "hello", "protocol": 1, "harness": "test"}


def valid(part: str, line: object) -> None:
    Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{part}"}).validate(line)


def question(number: int, op: str, **fields: object) -> dict[str, object]:
    return {"id": number, "op": op, "message": "Tiny", "version": 0, **fields}


def in_framing(talk: "Talk", *, unnamed: str | None = "", **more: str) -> list[Any]:
    """Return the answers to an encode, a reencode and a size in a framing.

    First check three decodes: the adapter gets what a reader knows and the record's key, and the answer has
    the message and the key.

    Args:
        unnamed: the program's value of `known` for a request without a message.
        more: members of the reencode request.
    """
    found = talk.ask_all(
        {"id": 1, "op": "decode", "framing": "subscription", "message": "Tiny", "data": "0003"},
        {"id": 2, "op": "decode", "framing": "control-record", "data": "00", "key": "07"},
        {"id": 3, "op": "decode", "framing": "coordinator-key", "topic": "group", "data": "00"},
        question(4, "encode", framing="sticky", value={"a": 1}),
        {"id": 5, "op": "reencode", "framing": "sticky", "message": "Tiny", "data": "0a", **more},
        question(6, "size", framing="sticky", value={"a": 1}),
    )

    def decoded(framing: str, known: str | None, key: str | None, consumed: int) -> dict[str, object]:
        value = {"framing": framing, "known": known, "key": key}
        return {"ok": {"message": "Tiny", "version": 3, "value": value, "consumed": consumed}}

    assert found[:3] == [
        decoded("subscription", "Tiny", None, 2),
        decoded("control-record", unnamed, "07", 1),
        decoded("coordinator-key", "group", None, 1),
    ]
    return [each["ok"] for each in found[3:]]


def primitives_and_objects(talk: "Talk") -> None:
    """Check primitives and objects: each tiny program has an Int8 in both directions, writes a null and reads
    one, and compares two objects by their bytes."""

    def primitive(number: int, name: str, **asked: object) -> dict[str, object]:
        return {"id": number, "op": "primitive", "type": name, **asked}

    said = talk.ask(HELLO)["ok"]["primitives"]
    assert {name: sorted(ways) for name, ways in said.items()} == {
        "Int8": ["decode", "encode"],
        "NullableString": ["encode"],
        "NullableBytes": ["decode"],
    }
    assert talk.ask_all(
        primitive(1, "Int8", data="ff7f"),
        primitive(2, "Int8", value=-2),
        primitive(3, "NullableString", value=None),
        primitive(4, "NullableBytes", data="ffffffff00"),
        question(5, "equal", data="01", other="02"),
        question(6, "equal", data="01", other="0102"),
        question(7, "copy", data="0102"),
    ) == [
        {"ok": {"value": -1, "consumed": 1}},
        {"ok": {"data": "fe"}},
        {"ok": {"data": "ffff"}},
        {"ok": {"value": None, "consumed": 4}},
        {"ok": {"equal": False, "hashes": True}},
        {"ok": {"equal": False, "hashes": False}},
        {"ok": {"data": "0102"}},
    ]


def frames_in_parts(talk: "Talk") -> None:
    """Check streams: each tiny program reads a byte, then as many bytes as it says.

    It gets no more parts than it wants, and leaves the bytes of a next frame.
    """
    found = talk.ask_all(
        question(1, "feed", parts=["02", "0a", "0b"]),
        question(2, "feed", parts=["020a0b0c"]),
        question(3, "feed", parts=["01", "0a0b", "0c"]),
        question(4, "feed", parts=["02", "0a"]),
    )
    assert found[:3] == [
        {"ok": {"value": {"length": 2}, "consumed": 3, "parts": 3}},
        {"ok": {"value": {"length": 2}, "consumed": 3, "parts": 1}},
        {"ok": {"value": {"length": 1}, "consumed": 2, "parts": 2}},
    ]
    assert found[3]["decode_error"]["class"] == "Incomplete"


def _shortened(line: Any) -> Any:
    """Return a line with long texts cut off: a pattern of the schema takes memory for each character."""
    if isinstance(line, dict):
        return {key: _shortened(each) for key, each in line.items()}
    if isinstance(line, list):
        return [_shortened(each) for each in line]
    return line[:LONG_TEXT] if isinstance(line, str) else line


class Talk:
    """A running program."""

    def __init__(self, *command: str | Path) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def ask(self, line: object) -> Any:
        """Send a line and return its answer: an object, or a list for a list."""
        valid("requestLine", _shortened(line))
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        answered = json.loads(self.process.stdout.readline())
        valid("answerLine", _shortened(answered))
        return answered

    def ask_all(self, *questions: dict[str, object]) -> Sequence[Any]:
        """Return the answers to a list of requests, in order, without the ids."""
        answered = self.ask(list(questions))
        assert [one.pop("id") for one in answered] == [asked["id"] for asked in questions]
        return answered

    def say(self, text: str) -> None:
        """Send a line that may violate the protocol."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")

    def end(self) -> tuple[str, str, int]:
        """Close its standard input. Return the rest of both outputs, and the exit code."""
        out, err = self.process.communicate(timeout=60)
        return out, err, self.process.returncode

    def kill(self) -> None:
        """Kill it."""
        self.process.kill()
        self.process.communicate()
