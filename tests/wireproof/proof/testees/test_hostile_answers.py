"""Answers that are valid JSON with wrong content are findings about the testee."""

import contextlib
import json
from typing import Any

import pytest

from tests.support.hostile.hostile_texts import HOSTILE
from tests.support.schemas.real_layouts import real
from wireproof.model.adapter import (
    NOT_ASKED,
    SAME_CAUSE,
    Crashed,
    Decode,
    DecodeFrame,
    Encode,
    Encoded,
    Equal,
    Reencode,
    Request,
    Size,
    Unsupported,
)
from wireproof.model.cell import Cell
from wireproof.model.codec_ends import NOT_ALONE
from wireproof.model.divergence import Divergence, FaultOwner
from wireproof.proof.adapters.testee.protocol_requests import RequestContext, reply_of
from wireproof.proof.checks.fault_attribution import FaultEvidence, judge_fault
from wireproof.proof.checks.state.call_scripts import judge_neighbour
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.session.testee_session import FailedAnswer, OkAnswer, read_answers
from wireproof.proof.testees.testee_errors import ProtocolViolationError

LAYOUT = real("FetchRequest", 12)
CELL = Cell("4.4.0", "clients", "FetchRequest", 12)
SUBJECT = RequestContext(CELL, LAYOUT, LAYOUT, None, None, False)
HUGE = int("1" + "0" * 4000)
STRANGE: dict[str, Any] = {
    "infinity": float("inf"),
    "nan": float("nan"),
    "fraction": 1.5,
    "huge": HUGE,
    "minus-huge": -HUGE,
    "text": "1",
    "true": True,
    "null": None,
    "list": [1],
    "object": {},
}


def _name(each: object) -> str:
    return type(each).__name__


every_count = pytest.mark.parametrize("count", STRANGE.values(), ids=STRANGE)


@every_count
@pytest.mark.parametrize(
    "request_", [Decode(b"ab"), Reencode(b"ab"), Size({})], ids=["decode", "reencode", "size"]
)
def test_an_invalid_number_of_bytes_is_a_finding(request_: Request, count: Any) -> None:
    """The testee is at fault, and the message fits on a line."""
    reply = reply_of(SUBJECT, request_, OkAnswer({"value": {}, "data": "", "consumed": count, "size": count}))
    assert isinstance(reply, Crashed)
    assert len(reply.message) < 300


@pytest.mark.parametrize("content", STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize(
    "request_",
    [Decode(b"a"), DecodeFrame(b"a"), Encode({}), Equal(b"a", b"a")],
    ids=lambda each: type(each).__name__,
)
def test_a_content_of_another_type_is_a_finding(request_: Request, content: Any) -> None:
    """No exception leaves the reader, whatever replaces a value, bytes or a header."""
    keys = ("value", "header", "data", "equal", "hashes")
    members = {**dict.fromkeys(keys, content), "consumed": 1}
    reply = reply_of(SUBJECT, request_, OkAnswer(members))
    assert isinstance(reply, Crashed) or content in (True, {})


@pytest.mark.parametrize(
    "offset", [HUGE, -1, 1.5, True, "3"], ids=["huge", "negative", "half", "true", "text"]
)
def test_an_invalid_offset_is_ignored(offset: Any) -> None:
    """The refusal has no offset."""
    error = {"class": "E", "message": "m", "offset": offset}
    line = json.dumps({"id": 1, "decode_error": error}).encode()
    assert list(read_answers(line)) == [(1, FailedAnswer(True, "E", "m"))]


@pytest.mark.parametrize("word", ["Infinity", "-Infinity", "NaN", "1" * 5000])
def test_a_number_outside_of_json_is_a_finding(word: str) -> None:
    """Python reads such numbers, but the protocol is JSON."""
    with pytest.raises(ProtocolViolationError, match="a line that is not JSON"):
        list(read_answers(f'{{"id":1,"ok":{{"consumed":{word}}}}}'.encode()))


@every_count
@pytest.mark.parametrize(
    "key",
    [
        "protocol",
        "codec",
        "messages",
        "limits",
        "registry",
        "index",
        "unclaimed",
        "embedded",
        "primitives",
        "compressions",
        "recordLimits",
        "whole",
        "names",
    ],
)
def test_an_invalid_hello_is_refused_or_ignored(key: str, count: Any) -> None:
    """Such a hello is refused as a violation of the protocol, or the field is ignored."""
    hello = {
        "protocol": 1,
        "codec": {"name": "a", "version": "1", "language": "python"},
        "messages": {"FetchRequest": {"decode": "0-17"}},
    }
    with contextlib.suppress(ProtocolViolationError):
        assert Hello.parse({**hello, key: count}).identity.name == "a"


@pytest.mark.parametrize("reason", [NOT_ASKED, SAME_CAUSE])
def test_a_request_that_was_not_asked_is_not_a_finding(reason: str) -> None:
    """The codec had ended too often by then, which is reported separately."""
    before, after = Encoded(b"a"), Unsupported(reason, "it ended too often")
    assert judge_neighbour("tiny", CELL, [before], [after]) == ()
    assert judge_neighbour("tiny", CELL, [before], [Crashed("process", "ended")]) != ()


@pytest.mark.parametrize(
    ("words", "evidence"),
    [
        (f"crashes: process: for the second time, {NOT_ALONE}: exit code 9", "no question ends it alone"),
        ("crashes: process: exit code 9", "also alone"),
    ],
)
def test_the_blame_does_not_contradict_the_finding(words: str, evidence: str) -> None:
    """The finding and the blame agree on whether one request alone ends the codec."""
    found = Divergence("decode", "tiny", "it crashes", codec=words, kind="crashed:process")
    blame = judge_fault(found, FaultEvidence(), foreign=True)
    assert blame.whose is FaultOwner.CODEC_OR_ADAPTER
    assert blame.evidence.startswith(evidence) or evidence in blame.evidence
    assert not (NOT_ALONE in words and "also alone" in blame.evidence)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_names_are_printable_from_the_start(text: str) -> None:
    """Names of errors and limits are used in ledgers and reports, in one line of any encoding."""
    error = {"class": text, "message": text, "path": text}
    line = json.dumps([{"id": 1, "decode_error": error}, {"id": 2, "unsupported": {"reason": text}}])
    (_, failed), (_, unsupported) = read_answers(line.encode())
    assert isinstance(failed, FailedAnswer)
    names = (failed.error, failed.path, getattr(unsupported, "reason", text))
    assert all(name.isprintable() for name in names)
    assert failed.message == text
