"""A trial of testees with odd answers: no wrong blame, no hang, no file changed outside."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.schemas.real_layouts import real
from tests.testees.misbehaving.test_misbehaving_testees import LIMITS
from wireproof.model.adapter import Crashed, Decode
from wireproof.model.cell import Cell
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.testees.process.child_process import ChildProcess
from wireproof.proof.testees.session.process_session import ProcessSession
from wireproof.proof.testees.session.testee_session import EndedAnswer, FailedAnswer, OkAnswer, ProtocolAnswer

PROGRAM = Path(__file__).with_name("trial_testees.py")
RIGHT = (
    "in-slow-pieces",
    "in-the-middle-of-a-character",
    "a-child-stays",
    "closes-errors",
    "ignores-signals",
    "floods-errors",
    "a-fifo",
    "deep-folders",
    "many-files",
    "byte-order-mark",
    "white-space",
    "empty-list",
    "answers-and-ends",
)
"""Odd, and not against the protocol."""
FAULTS = {
    **dict.fromkeys(("a-child-writes", "answers-again-later", "ok-null", "ok-list", "ok-text"), "protocol"),
    **dict.fromkeys(("id-float", "id-true", "id-huge", "id-null", "id-list", "id-twice"), "protocol"),
    **dict.fromkeys(("null-byte", "blank-lines", "list-with-null", "value-nested-deeper"), "protocol"),
    **dict.fromkeys(("value-control-character", "consumed-longer-than-int-allows"), "protocol"),
    **dict.fromkeys(("class-is-a-number", "class-is-empty", "class-is-long"), "protocol"),
    **dict.fromkeys(("closes-input", "no-rights"), "process"),
    "two-in-a-line": "hang",
}
"""The error of the one request."""
OTHERWISE = {
    **dict.fromkeys(("of-another-message", "of-another-operation", "consumed-huge"), "protocol"),
    **dict.fromkeys(("consumed-true", "consumed-text", "consumed-float", "consumed-exponent"), "protocol"),
    **dict.fromkeys(("consumed-overflow", "consumed-null"), "protocol"),
    **dict.fromkeys(
        ("value-is-a-list", "value-surrogate", "value-null-character", "value-number-huge"), "value"
    ),
    **dict.fromkeys(("value-overflow", "value-nested", "value-escapes", "value-twice"), "value"),
    **dict.fromkeys(("consumed-beyond", "consumed-negative"), "read-past-end"),
}
"""The error that the adapter of the harness makes of an answer that is JSON of the right form."""


@pytest.fixture
def started() -> Iterator[list[ProcessSession]]:
    """The testees of a test; they are closed after it."""
    every: list[ProcessSession] = []
    yield every
    for testee in every:
        testee.close()


def session(name: str, started: list[ProcessSession]) -> ProcessSession:
    command = [sys.executable, "-S", str(PROGRAM), name]
    started.append(ProcessSession(name, ChildProcess(command, limits=LIMITS)))
    return started[-1]


def answers(name: str, started: list[ProcessSession], data: str = "ff00") -> list[ProtocolAnswer]:
    """Ask two harmless requests, the offending one and two more; return the answers in this order."""
    asked = ("0001", "0002", data, "0003", "0004")
    requests = [f'"op":"decode","message":"FetchRequest","version":4,"data":"{each}"' for each in asked]
    return session(name, started).ask(requests)


def seen(answer: ProtocolAnswer) -> object:
    return answer.content["value"]["seen"] if isinstance(answer, OkAnswer) else answer


@pytest.mark.parametrize("name", RIGHT)
def test_what_the_protocol_allows_is_no_fault(name: str, started: list[ProcessSession]) -> None:
    """The answer is taken, and those to the requests around it."""
    first, second, odd, *_, last = answers(name, started)
    assert isinstance(odd, OkAnswer)
    assert [seen(each) for each in (first, second, last)] == ["0001", "0002", "0004"]


@pytest.mark.parametrize("name", FAULTS)
def test_one_request_has_the_fault(name: str, started: list[ProcessSession]) -> None:
    """The other four are answered."""
    *before, odd, third, last = answers(name, started)
    assert isinstance(odd, EndedAnswer)
    assert odd.error == FAULTS[name]
    assert len(odd.message) < 4_000
    assert [seen(each) for each in (*before, third, last)] == ["0001", "0002", "0003", "0004"]


@pytest.mark.parametrize("name", OTHERWISE)
def test_an_answer_of_another_shape_is_no_value(name: str, started: list[ProcessSession]) -> None:
    """The adapter is blamed for it; only bytes that are not there are the codec's matter."""
    adapter = TesteeAdapter(session(name, started), {})
    cell = Cell("4.4.0", "clients", "FetchRequest", 4)
    (reply,) = adapter.ask(cell, real("FetchRequest", 4), [Decode(b"\xff\x00")])
    assert isinstance(reply, Crashed)
    assert reply.error == OTHERWISE[name]


@pytest.mark.parametrize("name", ["class-escapes", "message-is-a-list"])
def test_words_of_an_error_are_words(name: str, started: list[ProcessSession]) -> None:
    """A ledger and a terminal show them: they are texts on one line, without control characters."""
    (_, _, odd, *_) = answers(name, started)
    assert isinstance(odd, FailedAnswer)
    assert odd.error.isprintable()
    assert isinstance(odd.message, str)


@pytest.mark.parametrize("name", ["answers-ahead", "answers-backwards"])
def test_answers_to_requests_that_are_not_open_are_faults(name: str, started: list[ProcessSession]) -> None:
    """The words name the answer; where no request does it alone, they say so."""
    every = answers(name, started)
    ended = [each for each in every if isinstance(each, EndedAnswer)]
    assert len(every) == 5
    assert ended
    assert {each.error for each in ended} == {"protocol"}
    assert all("which is not open" in each.message or "a second answer" in each.message for each in ended)


def test_a_link_in_the_temporary_folder_leads_to_nothing_that_is_deleted(
    tmp_path: Path, started: list[ProcessSession]
) -> None:
    """The folder of the testee goes with it; the link's target stays."""
    (tmp_path / "kept").write_text("mine", "utf-8")
    link = answers("links-out", started, f"ff{str(tmp_path).encode().hex()}")[2]
    assert isinstance(link, OkAnswer)
    started[0].close()
    assert (tmp_path / "kept").read_text("utf-8") == "mine"
