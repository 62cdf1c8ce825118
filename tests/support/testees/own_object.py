"""Our own codec as a testee that is an object of this process: no start of Python, no JSON in pipes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.support.testees.own_testee import OwnTestee, own_testee
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.session.in_process_testees import LiveObject


def own_object(defect: str, release: str, messages: Sequence[str]) -> Launch:
    """Return the testee with a defect that does not end its process."""
    return Launch(f"own:{defect}@0", _OwnObject(lambda: own_testee(defect, release, messages)))


@dataclass(frozen=True, slots=True)
class _OwnObject(LiveObject):
    """Its ``thing`` makes an `OwnTestee`, for each session and after each stop."""

    def load(self) -> "_Handler":
        return _Handler(self.thing())


@dataclass(frozen=True, slots=True)
class _Handler:
    """Answers as the program does."""

    testee: OwnTestee

    def answer(self, request: Any) -> str:
        return json.dumps(self.testee.answer(request))
