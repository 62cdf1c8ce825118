"""Judgement of answers: Kafka's classes must read each one whole and write it back; our codec must agree."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kafkawire.errors import CodecError
from kafkawire.schema.layout import MessageLayout
from wireproof.base.text.stated_rule import StatedRule
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.model.kafka.releases import ERROR_NAMES, error_name
from wireproof.model.oracle import Oracle, Refusal
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.evidence_text import refusal_words
from wireproof.proof.client_judge.frame_judge import FrameJudge
from wireproof.proof.client_judge.sent_requests import (
    ReceivedResponse,
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
        words = _BROKER, "the answer", "the answer's"
        rules = BrokerRule.READABLE, BrokerRule.SAME_AGAIN, BrokerRule.RECORD_SETS
        frames = FrameJudge(self.oracle, self.naming, self.headers, *words, *rules)
        verdicts = {index: RequestVerdict(sent) for index, sent in enumerate(exchanges)}
        for cell, indices in frames.by_cell(each.named_answer for each in exchanges).items():
            some = [exchanges[index] for index in indices]
            verdicts |= zip(indices, _judged(frames, cell, some), strict=True)
        return [verdicts[index] for index in range(len(exchanges))]

    def refusals(self, named: FrameType, frames: Sequence[bytes]) -> list[str]:
        """Let Kafka's classes read requests; return why each is refused, empty if it is not refused.

        Raises:
            OracleError: Kafka's classes fail.
        """
        cell = Cell(self.naming.release, named.module, named.message, named.version)
        replies = self.oracle.read_frames(cell, named.layout, self.request_headers, frames)
        return [refusal_words(each) if isinstance(each, Refusal) else "" for each in replies]


def _judged(frames: FrameJudge, cell: Cell, exchanges: Sequence[SentRequest]) -> Iterator[RequestVerdict]:
    named, _ = _answer(exchanges[0])
    judged = frames.judge(cell, named, [_answer(each)[1] for each in exchanges])
    for sent, (ours, faults) in zip(exchanges, judged, strict=True):
        body = None if isinstance(ours, CodecError) else ours[1]
        codes = [code for _, code in iter_error_codes(body) if code]
        findings = (
            *(_finding(sent, each.rule, each.words, each.divergence) for each in faults),
            *_unknown_codes(sent, codes),
        )
        yield RequestVerdict(sent, findings, tuple(dict.fromkeys(map(error_name, codes))))


def _answer(sent: SentRequest) -> tuple[FrameType, bytes]:
    assert isinstance(sent.answer, ReceivedResponse)
    assert isinstance(sent.answer.named, FrameType)
    return sent.answer.named, sent.answer.frame.data


def _unknown_codes(sent: SentRequest, codes: Sequence[int]) -> Iterator[RequestFinding]:
    for code in dict.fromkeys(codes):
        if code not in ERROR_NAMES:
            words = f"Kafka has no error code {code}"
            divergence = Divergence(Check.DECODE, _BROKER, words, kind=str(code))
            yield _finding(sent, BrokerRule.ERROR_CODES, words, divergence)


def _finding(
    sent: SentRequest, rule: StatedRule, words: str, divergence: Divergence | None
) -> RequestFinding:
    _, frame = _answer(sent)
    place, about = (sent.place, sent.connection, 0), (sent.message, sent.version, divergence)
    return RequestFinding(rule, *place, words, frame, *about, party="broker", request=sent.frame.data)
