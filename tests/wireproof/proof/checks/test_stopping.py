"""A codec that stops early, one that reads past the end, and one that refuses have three outcomes."""

import json
from dataclasses import replace

import pytest

from kafkawire.canonical import canonical
from kafkawire.compiler import interpret_layout
from tests.support.environments import small_environment
from wireproof.model.adapter import READ_PAST_END, STOPPED_EARLY, Crashed, Decode, Decoded, Refused, Reply
from wireproof.model.cell import Cell
from wireproof.model.malformed_input import Answer, DecodeOutcome, MalformedVerdict, Mutation
from wireproof.model.oracle import OracleValue, Refusal
from wireproof.proof.adapters.testee.protocol_requests import RequestContext, reply_of
from wireproof.proof.adapters.testee.testee_reader import _answer
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.malformed.mutated_bytes import MalformedSubject, judge_malformed
from wireproof.proof.checks.state.call_scripts import ScriptStep, judge_step
from wireproof.proof.run.core.environment import Layouts
from wireproof.proof.testees.session.testee_session import OkAnswer

LAYOUT = Layouts({small_environment.RELEASE: small_environment.schemas()}).of(
    small_environment.cell("PingRequest", 3)
)
VALUE = {"name": "a", "count": 1}
DATA = interpret_layout(LAYOUT).encode(VALUE)
BINARY = canonical(LAYOUT).to_binary(interpret_layout(LAYOUT).decode(DATA))
TREE = json.loads(canonical(LAYOUT).to_json(interpret_layout(LAYOUT).decode(DATA)))
MUTATION = Mutation("count=one-less", "count", 0, b"\x02", b"\x01")
SUBJECT = MalformedSubject("codec", small_environment.RELEASE, LAYOUT)


def reply_to(data: bytes, consumed: int) -> Reply:
    subject = RequestContext(Cell("", "", LAYOUT.name, 3), LAYOUT, None, None, None, whole=True)
    return reply_of(subject, Decode(data), OkAnswer({"value": TREE, "consumed": consumed}))


def test_the_number_of_consumed_bytes_has_three_outcomes() -> None:
    """A reader consumes all bytes, fewer, or more than there are; a negative number is invalid."""
    assert isinstance(reply_to(DATA, len(DATA)), Decoded)
    stopped = reply_to(DATA, len(DATA) - 1)
    assert isinstance(stopped, Refused)
    assert (stopped.error, stopped.offset) == (STOPPED_EARLY, len(DATA) - 1)
    assert isinstance(stopped.read, Decoded)
    for consumed in (len(DATA) + 1, -1):
        past = reply_to(DATA, consumed)
        assert isinstance(past, Crashed)
        assert past.error == READ_PAST_END


@pytest.mark.parametrize(
    ("check", "data", "consumed", "kind"),
    [
        (Check.TAIL, DATA + b"\x00", len(DATA), None),
        (Check.TAIL, DATA + b"\x00", len(DATA) - 1, STOPPED_EARLY),
        (Check.TAIL, DATA + b"\x00", len(DATA) + 2, READ_PAST_END),
        (Check.CUT, DATA[:-1], len(DATA), READ_PAST_END),
        (Check.CUT, DATA[:-1], len(DATA) - 2, STOPPED_EARLY),
        (Check.FRESH, DATA[:-1], len(DATA), READ_PAST_END),
    ],
)
def test_the_script_of_states_separates_the_outcomes(
    check: Check, data: bytes, consumed: int, kind: str | None
) -> None:
    """A codec that leaves only the tail has refused it; a codec that accepts cut bytes has not seen their
    end."""
    found = judge_step(LAYOUT, "codec", ScriptStep(check, Decode(data), None), reply_to(data, consumed))
    assert (None if found is None else found.kind) == kind


REFUSAL = Refusal("read", "BufferUnderflowException", "", 2)
KAFKAS = OracleValue(b"", 0, len(DATA), BINARY)


@pytest.mark.parametrize(
    ("consumed", "reply", "verdict", "kind"),
    [
        (len(DATA), KAFKAS, MalformedVerdict.AGREE, None),
        (len(DATA) - 1, KAFKAS, MalformedVerdict.DIFFERENT, "stopped-early:count-smaller"),
        (
            len(DATA),
            replace(KAFKAS, value=BINARY + b"x"),
            MalformedVerdict.DIFFERENT,
            "stopped-early:count-smaller",
        ),
        (len(DATA), REFUSAL, MalformedVerdict.LAXER, "stopped-early:count-smaller"),
        (len(DATA) + 9, KAFKAS, MalformedVerdict.CRASH, READ_PAST_END),
        (len(DATA) + 9, REFUSAL, MalformedVerdict.CRASH, READ_PAST_END),
    ],
)
def test_stopping_early_in_malformed_bytes_is_compared_with_kafka(
    consumed: int, reply: OracleValue | Refusal, verdict: MalformedVerdict, kind: str | None
) -> None:
    """Kafka leaves bytes too: a codec that reads the same value from the same bytes agrees."""
    data = DATA + b"\x00\x00"
    answer = _answer(LAYOUT, None, reply_to(data, consumed))
    judged = judge_malformed(SUBJECT, MUTATION, data, answer, reply)
    assert judged.verdict is verdict
    assert (None if judged.divergence is None else judged.divergence.kind) == kind
    assert judged.fails == (kind is not None)


def test_a_refusal_stays_a_refusal() -> None:
    """A refusal has no value to compare."""
    answer = _answer(LAYOUT, None, Refused("struct.error", "short", foreign=True))
    assert answer == Answer(DecodeOutcome.REFUSED, b"", "struct.error", "short")
    assert judge_malformed(SUBJECT, MUTATION, DATA, answer, REFUSAL).verdict is MalformedVerdict.AGREE
