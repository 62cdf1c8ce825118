"""Frames through codecs that claim one direction alone, with an oracle that needs no Java."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from kafkawire.compiler import interpret_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from tests.support.environments.ledgers import entry
from wireproof.model.adapter import (
    Crashed,
    DecodedFrame,
    DecodeFrame,
    Encoded,
    EncodeFrame,
    Refused,
    RegisteredApi,
    Reply,
    Request,
    Unsupported,
)
from wireproof.model.case_source import RecordDomain
from wireproof.model.cell import Cell, FramePart, Phase
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.checks.check_table import Check
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, ProverEvent
from wireproof.proof.run.core.environment import header_layouts
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.verdict.ledger.ledger import Ledger

CELL = small_environment.cell("PingRequest", 3)
UNCLAIMED = Unsupported("", "not claimed")


@dataclass
class Half:
    """Our codec, which claims some operations on frames and changes their answers.

    Attributes:
        claims: the operations.
        encoded, decoded: change its answers.
        read: the frames that it was asked to read.
    """

    claims: frozenset[type]
    encoded: Callable[[EncodeFrame, Reply], Reply] = lambda request, reply: reply
    decoded: Callable[[Reply], Reply] = lambda reply: reply
    read: list[bytes] = field(default_factory=list)
    right: set[str] = field(default_factory=set)
    name: str = "half"
    refuses: bool = False

    def __post_init__(self) -> None:
        headers = header_layouts(small_environment.schemas())
        self._codec = KafkawireAdapter(self.name, interpret_layout, headers)

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        return [self._answer(cell, layout, request) for request in requests]

    def _answer(self, cell: Cell, layout: MessageLayout, request: Request) -> Reply:
        if type(request) not in self.claims:
            return UNCLAIMED
        (reply,) = self._codec.ask(cell, layout, [request])
        if isinstance(request, EncodeFrame):
            reply = self.encoded(request, reply)
        elif isinstance(request, DecodeFrame):
            self.read.append(request.data)
            reply = self.decoded(reply)
        if isinstance(reply, Encoded | DecodedFrame):
            self.right.add("frame" if isinstance(request, EncodeFrame) else "unframe")
        return reply

    def ways(self, cell: Cell) -> frozenset[CodecDirection]:
        return frozenset()

    def claimed(self, cell: Cell) -> frozenset[str]:
        return frozenset({"encode", "decode"})

    def record_domain(self, cell: Cell) -> RecordDomain:
        return RecordDomain()

    def idle(self, cell: Cell) -> frozenset[str]:
        names = {EncodeFrame: "frame", DecodeFrame: "unframe"}
        return frozenset(names[each] for each in self.claims) - self.right

    def registered(self, cell: Cell) -> RegisteredApi | None:
        return None

    def known_versions(self, message: str) -> frozenset[int]:
        return frozenset()

    def ask_anyway(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        return self.ask(cell, layout, requests)


READER, WRITER = frozenset({DecodeFrame}), frozenset({EncodeFrame})


def failures(codec: Half) -> list[FailedCase]:
    events: list[ProverEvent] = []
    made = replace(small_environment.make()(), adapters=[codec], foreign=True)
    options = RunOptions(phases=(Phase.FRAME,), shrink_s=0)
    CellProver(made, options, CELL, events.append, lambda *_: None).prove()
    return [event for event in events if isinstance(event, FailedCase)]


def other_header(reply: Reply) -> Reply:
    assert isinstance(reply, DecodedFrame)
    return replace(reply, header={**reply.header, "correlationId": 4711})


def one_byte_more(request: EncodeFrame, reply: Reply) -> Reply:
    assert isinstance(reply, Encoded)
    return Encoded(reply.data + b"\0")


def short_name(request: EncodeFrame, reply: Reply) -> Reply:
    """Refuse every name whose length is not seven, as a codec with a limit does."""
    return reply if len(request.value.get("name") or "") > 6 else Unsupported("name", "a short name")


@pytest.mark.parametrize("claims", [READER, WRITER, READER | WRITER])
def test_a_codec_is_asked_only_for_the_operations_that_it_claims(claims: frozenset[type]) -> None:
    """A codec that claims one direction is tested in it alone, and the other direction is not missing."""
    codec = Half(claims)
    assert failures(codec) == []
    assert not codec.idle(CELL)
    assert bool(codec.read) == (DecodeFrame in claims)


def test_a_codec_that_only_reads_gets_kafkas_frames() -> None:
    """No other codec of the run writes frames for it."""
    failed = failures(Half(READER, decoded=other_header))
    assert {(found.check, found.path) for event in failed for found in event.divergences} == {
        (Check.FRAME_DECODE, "correlationId")
    }


def other_body(reply: Reply) -> Reply:
    assert isinstance(reply, DecodedFrame)
    return replace(reply, value={**reply.value, "count": 4711})


def refused_with_a_client(reply: Reply) -> Reply:
    named = isinstance(reply, DecodedFrame) and reply.header.get("clientId")
    return Refused("no", "never", foreign=True) if named else reply


@pytest.mark.parametrize(
    ("decoded", "part"),
    [
        (other_header, FramePart.HEADER),
        (other_body, FramePart.MESSAGE),
        (refused_with_a_client, FramePart.HEADER),
    ],
)
def test_a_failure_names_the_part_of_the_frame(decoded: Callable[[Reply], Reply], part: FramePart) -> None:
    """The part is the header or the body; it is the header for a frame that is refused for its header
    alone."""
    failed = failures(Half(READER, decoded=decoded))
    assert {found.part for event in failed for found in event.divergences} == {part}


def test_kafka_judges_the_frames_of_a_codec_that_only_writes() -> None:
    """Kafka reads the frames that the codec wrote."""
    failed = failures(Half(WRITER, encoded=one_byte_more))
    assert {found.check for event in failed for found in event.divergences} == {Check.FRAME_BYTES}


def test_a_codec_that_writes_wrong_frames_is_asked_to_read_right_ones() -> None:
    """The frames that such a codec writes would not show how it reads."""
    codec = Half(READER | WRITER, one_byte_more, lambda reply: Refused("no", "never", foreign=True))
    checks = [[found.check for found in event.divergences] for event in failures(codec)]
    assert [Check.FRAME_BYTES, Check.FRAME_DECODE] in checks
    assert all(int.from_bytes(data[:4]) == len(data) - 4 for data in codec.read)


def test_a_codec_that_cannot_hold_the_usual_bodies_gets_others() -> None:
    """Its types cannot hold the default body and the fullest one; another body verifies the claim."""
    codec = Half(WRITER, encoded=short_name)
    assert failures(codec) == []
    assert not codec.idle(CELL)


READS_NONE = entry(id="frames", field="", check="frame-decode", kind="refused:no", versions="3")
READS_NO_HEADER = replace(READS_NONE, id="headers", part="header")
HOLLOW = entry(id="claim", field="unframe", check="claim", kind="differs", versions="3")


@pytest.mark.parametrize(
    ("reply", "explained"),
    [
        (Refused("no", "never", foreign=True), {"frames", "headers"}),
        (Unsupported("types", "has no place"), {"claim"}),
    ],
)
def test_one_entry_explains_why_a_claim_is_not_verified(reply: Reply, explained: set[str]) -> None:
    """Refused frames report the refusal, with other headers and other bodies too. If the codec's types hold
    no body at all, the claim is not verified, and a ledger entry about claims explains that as it explains
    any other check."""
    codec = Half(READER, decoded=lambda _: reply)
    made = replace(small_environment.make()(), adapters=[codec], foreign=True)
    options = RunOptions(
        phases=(Phase.ENUMERATED, Phase.FRAME),
        shrink_s=0,
        known=Ledger((READS_NONE, READS_NO_HEADER, HOLLOW)),
    )
    events: list[ProverEvent] = []
    done = CellProver(made, options, CELL, events.append, lambda *_: None).prove()
    assert isinstance(done, CellResult)
    assert [event for event in events if isinstance(event, FailedCase)] == []
    assert set(done.known) == explained


def test_a_crash_at_a_cut_header_has_a_cause() -> None:
    """The search looks at the answers for the cut frames, and not at those for the whole one."""
    observer = AnswerObserver()
    made = replace(small_environment.make()(), foreign=True, observer=observer)
    header = made.layouts.headers(CELL)[1]

    class Crashing(Half):
        def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
            replies = [
                Crashed("EOFError", "") if isinstance(reply, Refused) else reply
                for reply in super().ask(cell, layout, requests)
            ]
            return [
                observer.settle(layout, header, request, reply, whole=False)
                for request, reply in zip(requests, replies, strict=True)
            ]

    options = RunOptions(phases=(Phase.FRAME,), shrink_s=0)
    made = replace(made, adapters=[Crashing(READER)])
    done = CellProver(made, options, CELL, lambda _: None, lambda *_: None).prove()
    assert isinstance(done, CellResult)
    assert done.diagnosis is not None
    assert {each.deviation.error for each in done.diagnosis.causes} == {"EOFError"}
    assert done.diagnosis.rest == 0
