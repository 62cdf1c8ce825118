"""The comparison of several codecs on the same cases: which codecs give the same answer.

The code that judges answers passes them on. The answers to one question are sorted into groups that agree.
Cases with the same groups are counted together, and only the name of the first one is kept.
"""

import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, assert_never

from wireproof.base.grouping import grouped
from wireproof.model.adapter import Crashed, Decoded, Encoded, Reencoded, Refused
from wireproof.model.agreement import (
    ORACLE_NAME,
    AgreementGroup,
    CellComparison,
    CodecTask,
    Disagreement,
    in_order,
)
from wireproof.model.cell import RECORDS_MODULE, Cell, Phase
from wireproof.model.divergence import Divergence, without_indices
from wireproof.model.malformed_input import Answer, DecodeOutcome, MalformedVerdict
from wireproof.model.oracle import OracleFrame, OracleReply, OracleValue, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.values.message_value import ValueEvidence
from wireproof.proof.run.core.prepared_cases import MutatedCase, PreparedCase, binary_or_none

ComparableAnswer: TypeAlias = tuple[str, Hashable]
"""An action and its result; two answers are the same if both are equal."""

WRITING: Final = frozenset({Check.ENCODE, Check.BYTES, Check.ORACLE_READS})
READING: Final = frozenset({Check.DECODE, Check.ROUND_TRIP})
"""Checks of what a codec writes, and of what it reads."""

_REFUSES: Final[ComparableAnswer] = ("refuses", None)
_LEAVES_TAIL: Final = "leaves a tail unread"
_ENDED: Final[Mapping[str, ComparableAnswer]] = {"hang": ("hangs", None)}
_OUTCOMES: Final[Mapping[DecodeOutcome, ComparableAnswer]] = {
    DecodeOutcome.REFUSED: _REFUSES,
    DecodeOutcome.CRASHED: ("crashes", None),
    DecodeOutcome.HUNG: ("hangs", None),
    DecodeOutcome.BLEW_UP: ("blows up", None),
}
JudgedAnswer: TypeAlias = tuple[ValueEvidence, tuple[Divergence, ...]]
"""The answers of one codec about a value, and their judgement."""


@dataclass(slots=True)
class Comparison:
    """The comparison of one cell.

    Args:
        parties: the names of the codecs.

    Attributes:
        latest: for each kind of question the latest input (the canonical binary of a value, or bytes) and
            the answers by name; None for a codec that was not asked.
    """

    cell: Cell
    parties: Sequence[str]
    _asked: Counter[CodecTask] = field(default_factory=Counter)
    _verdicts: dict[str, Counter[MalformedVerdict]] = field(default_factory=dict)
    _found: dict[Hashable, Disagreement] = field(default_factory=dict)
    latest: dict[CodecTask, tuple[bytes, Mapping[str, ComparableAnswer | None]]] = field(default_factory=dict)

    def values(
        self, phase: Phase, batch: Sequence[PreparedCase], differing: Mapping[int, Sequence[JudgedAnswer]]
    ) -> None:
        """Note the answers about a batch of values.

        Args:
            differing: by the index of an item, the judged answers of each codec that does not agree with
                Kafka in all; the other codecs do.
        """
        for index, item in enumerate(batch):
            case_id = self.cell.case_id(phase, item.case.name)
            seen = {evidence.subject: (evidence, found) for evidence, found in differing.get(index, ())}
            for question in (CodecTask.ENCODE, CodecTask.DECODE):
                self._value(question, seen, case_id, item.expected)

    def _value(
        self, question: CodecTask, seen: Mapping[str, JudgedAnswer], case_id: str, value: bytes
    ) -> None:
        answer = _encoded if question is CodecTask.ENCODE else _decoded
        said = {name: answer(evidence) for name, (evidence, _) in seen.items()}
        if len(seen) == len(self.parties) and not any(said.values()):
            return
        self._asked[question] += 1
        written = next((evidence.written for evidence, _ in seen.values()), None)
        right = None if written is None else _oracle_value(question, written)
        if right is not None:
            reported = {ORACLE_NAME: right, **{name: said.get(name, right) for name in self.parties}}
            data = written.written if isinstance(written, OracleValue) else b""
            self.latest[question] = (value if question is CodecTask.ENCODE else data), reported
            differ = [seen[name] for name, each in said.items() if each not in (None, right)]
            self._sort(question, _about(question, differ), reported, case_id)

    def reported(
        self,
        question: CodecTask,
        asked: bytes,
        said: Mapping[str, ComparableAnswer | None],
        about: str,
        case_id: str,
    ) -> None:
        """Note the answers of the oracle and the codecs to one question.

        Args:
            asked: the canonical binary of a value, or bytes.
            about: the field at which the answers differ, and how.
        """
        if all(each is None for name, each in said.items() if name != ORACLE_NAME):
            return
        self._asked[question] += 1
        self.latest[question] = asked, said
        self._sort(question, about, said, case_id)

    def malformed(
        self, each: MutatedCase, answers: Mapping[str, Answer], reply: OracleReply | OracleFrame
    ) -> None:
        """Note the answers to one malformed input.

        Args:
            answers: the answers of the codecs that were asked, by name.
        """
        if not answers:
            return
        self._asked[CodecTask.MALFORMED] += 1
        whole = self.cell.module == RECORDS_MODULE or _whole(reply, each.data)
        reported: dict[str, ComparableAnswer | None] = {ORACLE_NAME: _oracle_read(reply, whole=whole)}
        reported |= {name: _outcome(answer) for name, answer in answers.items()}
        self.latest[CodecTask.MALFORMED] = each.data, reported
        about = re.split("=|,|-at-", each.mutation.operator)[0]
        self._sort(CodecTask.MALFORMED, about, reported, self.cell.case_id(Phase.MUTATIONS, each.name))

    def judged(self, party: str, verdict: MalformedVerdict) -> None:
        """Count a verdict on malformed bytes."""
        self._verdicts.setdefault(party, Counter())[verdict] += 1

    def result(self) -> CellComparison:
        """The result, with the kinds of disagreement in the order of their first cases."""
        return CellComparison(
            dict(self._asked),
            {name: dict(counts) for name, counts in self._verdicts.items()},
            tuple(self._found.values()),
        )

    def _sort(
        self, question: CodecTask, about: str, reported: Mapping[str, ComparableAnswer | None], case_id: str
    ) -> None:
        """Count the answers by groups that agree; nothing if all agree."""
        groups = grouped((said, name) for name, said in reported.items() if said is not None)
        if len(groups) < 2:
            return
        found = [AgreementGroup(in_order(names), said[0]) for said, names in groups.items()]
        # The oracle's group first, then the largest.
        found.sort(key=lambda group: (ORACLE_NAME not in group.parties, -len(group.parties), group))
        new = Disagreement(question, about, tuple(found), 1, case_id)
        known = self._found.get(new.key)
        self._found[new.key] = new if known is None else known.plus(new)


def _encoded(evidence: ValueEvidence) -> ComparableAnswer | None:
    """The answer of a codec to a value; None where it was not asked."""
    reply = evidence.encoded
    return ("writes", reply.data) if isinstance(reply, Encoded) else unanswered(reply)


def _decoded(evidence: ValueEvidence) -> ComparableAnswer | None:
    """The answer of a codec to the oracle's bytes; None where it was not asked."""
    written = evidence.written
    if not isinstance(written, OracleValue):
        return None
    reply = evidence.decoded_oracle
    if reply is None and isinstance(evidence.encoded, Encoded) and evidence.encoded.data == written.written:
        reply = evidence.decoded
    match reply:
        case None:
            return None
        case Decoded(value):
            return "reads", binary_or_none(evidence.layout, value)
        case Reencoded(data):
            return rewritten(data, written.written, written.value)
        case _:
            return unanswered(reply)


def unanswered(reply: object) -> ComparableAnswer | None:
    """The answer of a codec that neither writes nor reads; None where it was not asked."""
    match reply:
        case Refused():
            return _REFUSES
        case Crashed(error):
            return _ENDED.get(error, ("crashes", None))
        case _:
            return None


def rewritten(data: bytes, asked: bytes, value: bytes) -> ComparableAnswer:
    """The answer of a codec that writes the bytes again which it read.

    Args:
        asked, value: the bytes that it read, and their value.
    """
    return ("reads", value) if data == asked else ("reads, and writes otherwise", data)


def _oracle_value(question: CodecTask, written: OracleReply) -> ComparableAnswer | None:
    """The oracle's answer; None if a decode has no bytes of the oracle."""
    if question is CodecTask.ENCODE:
        return ("writes", written.written) if isinstance(written, OracleValue) else _REFUSES
    return ("reads", written.value) if isinstance(written, OracleValue) else None


def _whole(reply: OracleReply | OracleFrame, data: bytes) -> bool:
    """True if the oracle read all of it, including a batch cut off at the end of a record set."""
    return not isinstance(reply, Refusal) and reply.consumed_bytes == len(data)


def _oracle_read(reply: OracleReply | OracleFrame, *, whole: bool) -> ComparableAnswer:
    match reply:
        case Refusal():
            return _REFUSES
        case OracleValue(value=value):
            pass
        case OracleFrame(header=header, body=body):
            value = header + body
        case _:
            assert_never(reply)
    return ("accepts", value) if whole else (_LEAVES_TAIL, value)


def _outcome(answer: Answer) -> ComparableAnswer | None:
    if answer.outcome is DecodeOutcome.ACCEPTED:
        return "accepts", answer.value
    if answer.outcome is DecodeOutcome.STOPPED:
        return _LEAVES_TAIL, answer.value
    return _OUTCOMES.get(answer.outcome)


def _about(question: CodecTask, differ: Sequence[JudgedAnswer]) -> str:
    """The field at which the first of those that answer otherwise differs, and how: ``topics differs``."""
    wanted = {Check.DECODE} if question is CodecTask.DECODE else {Check.ENCODE, Check.BYTES}
    return first_place((divergences for _, divergences in differ), wanted)


def first_place(found: Iterable[Sequence[Divergence]], checks: Collection[Check]) -> str:
    """The field of the first codec's first divergence of these checks, and its kind; empty without one."""
    for divergences in found:
        first = next((each for each in divergences if each.check in checks and not each.unsupported), None)
        if first is not None and (place := f"{without_indices(first.path)} {first.kind}".strip()):
            return place
    return ""
