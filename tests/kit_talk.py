"""A kit's program at the other end of pipes: questions in, answers out, each line held against the schema."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

ROOT = Path(__file__).parents[1]
KITS = ROOT / "codecs/testees/kits"
SCHEMA = json.loads((ROOT / "docs/testee-protocol.schema.json").read_text("utf-8"))
HELLO = {"id": 0, "op": "hello", "protocol": 1, "harness": "test"}


def valid(part: str, line: object) -> None:
    Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{part}"}).validate(line)


def question(number: int, op: str, **fields: object) -> dict[str, object]:
    return {"id": number, "op": op, "message": "Tiny", "version": 0, **fields}


class Talk:
    """A running program."""

    def __init__(self, *command: str | Path) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def ask(self, line: object) -> Any:
        """The line that answers one: an object, or a list for a list."""
        valid("requestLine", line)
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        answered = json.loads(self.process.stdout.readline())
        valid("answerLine", answered)
        return answered

    def ask_all(self, *questions: dict[str, object]) -> Sequence[Any]:
        """What answers a list of questions, in order, without the ids."""
        answered = self.ask(list(questions))
        assert [one.pop("id") for one in answered] == [asked["id"] for asked in questions]
        return answered

    def say(self, text: str) -> None:
        """A line that may be none of the protocol."""
        assert self.process.stdin is not None
        self.process.stdin.write(text + "\n")

    def end(self) -> tuple[str, str, int]:
        """Close its standard input; what it still says on both outputs, and its exit code."""
        out, err = self.process.communicate(timeout=60)
        return out, err, self.process.returncode

    def kill(self) -> None:
        """Whatever it does."""
        self.process.kill()
        self.process.communicate()
