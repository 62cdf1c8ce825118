"""Judgement of answers: Kafka's classes must read each one whole and write it back; our codec must agree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema import ScalarType
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.model.kafka.releases import ERROR_NAMES, error_name
from wireproof.model.oracle import Oracle, OracleFrame, Refusal
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import value_difference
from wireproof.proof.checks.evidence_text import refusal_words
from wireproof.proof.checks.values.whole_frame import differing_frames
from wireproof.proof.client_judge.request_judge import encode_canonical, iter_record_sets
from wireproof.proof.client_judge.sent_requests import (
    ReceivedResponse,
    RequestFault,
    RequestFinding,
    RequestVerdict,
    SentRequest,
)
from wireproof.traffic.fingerprint.fingerprinter import iter_error_codes
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType

_BROKER: Final = "the broker"


@dataclass(frozen=True, slots=True)
class AnswerJudge:
    """Judges the answers of a broker.

    Attributes:
        headers, request_headers: the layouts of all versions of ResponseHeader, and of RequestHeader.
    """

    oracle: Oracle
    naming: FrameIdentifier
    headers: Mapping[int, MessageLayout]
    request_headers: Mapping[int, MessageLayout]

    def judge(self, exchanges: Sequence[SentRequest]) -> list[RequestVerdict]:
        """Return a verdict for each exchange, in order. An exchange without an answer has no findings.

        Raises:
            OracleError: Kafka's classes fail.
        """
        verdicts = {index: RequestVerdict(sent) for index, sent in enumerate(exchanges)}
        together: dict[Cell, list[int]] = {}
        for index, sent in enumerate(exchanges):
            if isinstance(sent.answer, ReceivedResponse) and isinstance(sent.answer.named, FrameType):
                named = sent.answer.named
                cell = Cell(self.naming.release, named.module, named.message, named.version)
                together.setdefault(cell, []).append(index)
        for cell, indices in together.items():
            some = [exchanges[index] for index in indices]
            verdicts |= zip(indices, self._cell(cell, some), strict=True)
        return [verdicts[index] for index in range(len(exchanges))]

    def refusals(self, named: FrameType, frames: Sequence[bytes]) -> list[str]:
        """Let Kafka's classes read requests; return why each is refused, empty if it is not refused.

        Raises:
            OracleError: Kafka's classes fail.
        """
        cell = Cell(self.naming.release, named.module, named.message, named.version)
        replies = self.oracle.read_frames(cell, named.layout, self.request_headers, frames)
        return [refusal_words(each) if isinstance(each, Refusal) else "" for each in replies]

    def _cell(self, cell: Cell, exchanges: Sequence[SentRequest]) -> Iterator[RequestVerdict]:
        named, _ = _answer(exchanges[0])
        frames = [_answer(each)[1] for each in exchanges]
        replies = self.oracle.reframe(cell, named.layout, self.headers, frames)
        for sent, frame, reply in zip(exchanges, frames, replies, strict=True):
            ours = self._read(named, frame)
            findings = [*self._frame(sent, named.layout, frame, reply, ours)]
            codes: list[int] = []
            if not isinstance(ours, CodecError):
                codes = [code for _, code in iter_error_codes(ours) if code]
                findings += [*self._records(sent, named.layout, ours), *_unknown_codes(sent, codes)]
            yield RequestVerdict(sent, tuple(findings), tuple(dict.fromkeys(map(error_name, codes))))

    def _frame(
        self,
        sent: SentRequest,
        layout: MessageLayout,
        frame: bytes,
        reply: OracleFrame | Refusal,
        ours: StructValue | CodecError,
    ) -> Iterator[RequestFinding]:
        if isinstance(reply, Refusal):
            words = f"Kafka does not read the answer: {refusal_words(reply)}"
            yield _finding(sent, BrokerRule.READABLE, words, kind=f"refused:{reply.error}")
            return
        if reply.consumed_bytes != len(frame):
            words = f"Kafka reads {reply.consumed_bytes} of the answer's {len(frame)} bytes"
            yield _finding(sent, BrokerRule.READABLE, words, kind="tail")
            return
        if reply.written != frame:
            header = self.headers[reply.header_version]
            head_bytes = PREFIX_BYTES + len(encode_canonical(header, reply.header))
            words = "Kafka writes other bytes for what it reads in the answer"
            found = differing_frames(header, layout, _BROKER, words, frame, reply.written, head_bytes)
            yield _finding(sent, BrokerRule.SAME_AGAIN, words, found)
        if isinstance(ours, CodecError):
            if reply.written == frame:
                yield _finding(sent, RequestFault.OURS, f"wireproof does not read the answer: {ours}")
            return
        value = canonical(layout).to_binary(ours)
        if value != reply.body:
            words = "wireproof reads another value than Kafka"
            differing = value_difference(layout, Check.DECODE, "wireproof", words, value, reply.body)
            yield _finding(sent, RequestFault.OURS, words, differing)

    def _read(self, named: FrameType, frame: bytes) -> StructValue | CodecError:
        try:
            return self.naming.codec(named).decode(frame)[1]
        except CodecError as error:
            return error

    def _records(
        self, sent: SentRequest, layout: MessageLayout, body: StructValue
    ) -> Iterator[RequestFinding]:
        if not any(field.scalar is ScalarType.RECORDS for _, _, field in layout.walk() if not field.struct):
            return
        found = list(iter_record_sets(layout.root, body, ""))
        for (path, _), reply in zip(
            found, self.oracle.read_records([data for _, data in found]), strict=True
        ):
            if isinstance(reply, Refusal):
                words = f"Kafka does not read the record set: {refusal_words(reply)}"
                kind = f"refused:{reply.error}"
                divergence = Divergence(Check.DECODE, _BROKER, words, path, kind=kind, oracle=words)
                yield _finding(sent, BrokerRule.RECORD_SETS, words, divergence)


def _answer(sent: SentRequest) -> tuple[FrameType, bytes]:
    assert isinstance(sent.answer, ReceivedResponse)
    assert isinstance(sent.answer.named, FrameType)
    return sent.answer.named, sent.answer.frame.data


def _unknown_codes(sent: SentRequest, codes: Sequence[int]) -> Iterator[RequestFinding]:
    for code in dict.fromkeys(codes):
        if code not in ERROR_NAMES:
            yield _finding(sent, BrokerRule.ERROR_CODES, f"Kafka has no error code {code}", kind=str(code))


def _finding(
    sent: SentRequest,
    rule: BrokerRule | RequestFault,
    words: str,
    divergence: Divergence | None = None,
    kind: str = "",
) -> RequestFinding:
    _, frame = _answer(sent)
    if kind:
        divergence = Divergence(Check.DECODE, _BROKER, words, kind=kind)
    return RequestFinding(
        rule,
        sent.place,
        sent.connection,
        0,
        words,
        frame,
        sent.message,
        sent.version,
        divergence,
        party="broker",
        request=sent.frame.data,
    )
