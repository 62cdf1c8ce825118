"""A question of the testee protocol, read back from its text."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wireproof.proof.testees import Operation

__all__ = ["Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """One question to a testee, as a line of the protocol.

    Attributes:
        message: its name; of a primitive the name of its type.
        members: all that the question holds: ``value``, ``data``, ``header``, ``framing``, ...
    """

    operation: Operation
    message: str
    version: int
    members: Mapping[str, Any]

    @classmethod
    def parse(cls, text: str) -> "Question":
        """The question in a text of the form that `Conversation.ask` takes."""
        members: dict[str, Any] = json.loads(f"{{{text}}}")
        if members["op"] == "primitive":
            operation = Operation.ENCODE if "value" in members else Operation.DECODE
            return cls(operation, members["type"], 0, members)
        return cls(
            Operation(members["op"]), str(members.get("message", "")), members.get("version", -1), members
        )

    @property
    def data(self) -> bytes:
        """The bytes in question."""
        return bytes.fromhex(self.members["data"])
