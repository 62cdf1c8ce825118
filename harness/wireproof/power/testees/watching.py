"""Observers of a run while a mutant is judged: the excuses of the ledger, and the answers that differ."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kafkawire.errors import CodecError
from kafkawire.primitives import codec_of
from kafkawire.records import encode_records, to_value
from kafkawire.schema import MessageLayout
from wireproof.model.adapter import Crashed, Decode, Encode, Refused, Reply, Request, Size
from wireproof.model.cell import PRIMITIVES_MODULE, RECORDS_MODULE, Cell
from wireproof.model.codec_ends import ExpectedEnd, MutationSite
from wireproof.model.divergence import Divergence, without_indices
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.deviations.search.cell_diagnosis import KnownCause
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import KnownDeviations
from wireproof.proof.testees.session.testee_session import (
    EndedAnswer,
    FailedAnswer,
    NotAskedAnswer,
    ProtocolAnswer,
    TesteeSession,
    WrappedSession,
)

_AT_A_TIME: Final = 16


_WORDS: Final = 200
"""The number of characters of a question that are kept."""


Excuse = tuple[str, str, str, str]
"""The name of the excuse, check, field without indices, kind."""


class ExcuseCounter:
    """Counts the cases that each known deviation excuses.

    Args:
        known: the known deviations; None if the testee has none.
    """

    def __init__(self, known: KnownDeviations | None) -> None:
        self._known = known
        self.excuses: Counter[Excuse] = Counter()

    @property
    def known_causes(self) -> Sequence[KnownCause]:
        """The causes that predict the testee's answers."""
        return () if self._known is None else self._known.known_causes

    def predicted(self, answers: Mapping[str, int]) -> None:
        """Count the answers that each known cause predicted."""
        for name, number in answers.items():
            self.excuses[name, "", "", ""] += number

    @property
    def cases(self) -> Collection[str]:
        """No case: nothing audits the ledger here."""
        return ()

    @property
    def expected_ends(self) -> Sequence[ExpectedEnd]:
        """The questions that are known to hang the testee or to end its process."""
        return () if self._known is None else self._known.expected_ends

    def explain(self, cell: Cell, divergences: Sequence[Divergence]) -> tuple[Divergence, ...]:
        """The divergences of a case, each with the `entry` that explains it."""
        explained = tuple(divergences) if self._known is None else self._known.explain(cell, divergences)
        for each in explained:
            by = each.entry or each.erratum
            if by:
                self.excuses[by, str(each.check), without_indices(each.path), each.kind] += 1
        return explained


@dataclass(slots=True)
class Transcript:
    """Digests of the answers to each question, which may be asked several times."""

    _answers: dict[int, set[int]] = field(default_factory=dict)
    _words: dict[int, str] = field(default_factory=dict)

    def add(self, question: str, answer: ProtocolAnswer) -> None:
        """Keep the digest of an answer, and the beginning of its question."""
        key = hash(question)
        self._words.setdefault(key, question[:_WORDS])
        self._answers.setdefault(key, set()).add(digest(answer))

    def compared(self, other: "Transcript") -> tuple[int, dict[int, str]]:
        """Return the number of shared questions and, by digest, the beginning of each with other answers."""
        shared = self._answers.keys() & other._answers.keys()
        return len(shared), {
            each: self._words[each] for each in shared if self._answers[each] != other._answers[each]
        }


def digest(answer: ProtocolAnswer | Reply) -> int:
    """Return a digest of an answer. The words of errors do not count, because they may contain addresses."""
    match answer:
        case FailedAnswer(orderly, error):
            return hash((orderly, error))
        case EndedAnswer(error) | Refused(error) | Crashed(error):
            return hash((type(answer).__name__, error))
        case _:
            return hash(repr(answer))


class WatchedSession(WrappedSession):
    """Asks a testee, and keeps its answers.

    Args:
        transcript: gets the answers.
    """

    def __init__(self, testee: TesteeSession, transcript: Transcript) -> None:
        super().__init__(testee)
        self._transcript = transcript

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        answers = super().ask(questions, sites)
        for question, answer in zip(questions, answers, strict=True):
            self._transcript.add(question, answer)
        return answers


class CautiousSession(WrappedSession):
    """Asks a few questions at a time. After a hang it asks no more questions of the call: one is enough."""

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """Return the answer to each question; questions after a hang are not asked.

        Raises:
            TesteeError: the testee does not start any more.
        """
        answers: list[ProtocolAnswer] = []
        for start in range(0, len(questions), _AT_A_TIME):
            end = start + _AT_A_TIME
            some = super().ask(questions[start:end], sites[start:end])
            answers += some
            if any(isinstance(each, EndedAnswer) and each.error == "hang" for each in some):
                return [*answers, *[NotAskedAnswer("it hung before")] * (len(questions) - len(answers))]
        return answers


_CASES: Final = 5
"""The number of named cases of a cell that a probe asks about: its smallest and fullest instances."""


_RECORD_CASES: Final = 60


@dataclass(slots=True)
class Probe:
    """A few questions about a cell, to find out which code it executes, and whether a mutant changes answers.

    Args:
        environment: gives the cases; its adapters are not asked.
    """

    environment: WorkerEnvironment
    asked: int = 0

    def ask(self, adapter: TesteeAdapter, cell: Cell) -> list[Reply]:
        """The replies to the questions about a cell."""
        layout = self.environment.layouts.of(cell)
        requests = [*self._requests(cell, layout)]
        self.asked += len(requests)
        return adapter.answers(cell, layout, requests)

    def digests(self, adapter: TesteeAdapter, cell: Cell) -> list[int]:
        """The digests of the replies to the questions about a cell."""
        return [digest(each) for each in self.ask(adapter, cell)]

    def _requests(self, cell: Cell, layout: MessageLayout) -> Iterable[Request]:
        for value, data in self._values(cell, layout):
            yield from (Encode(value), Decode(data), Decode(data[:-1]), Decode(data + b"\0"))
            if cell.module != PRIMITIVES_MODULE:
                yield Size(value)

    def _values(self, cell: Cell, layout: MessageLayout) -> Iterable[tuple[dict[str, Any], bytes]]:
        if cell.module == RECORDS_MODULE:
            source = self.environment.record_source
            sets = [] if source is None else [each for each in source.cases(cell) if each.foreign is None]
            for each in sets[:: max(1, len(sets) // _RECORD_CASES)]:
                yield to_value(each.records), encode_records(each.records)
            return
        for case, _ in zip(self.environment.source.enumerated(cell, layout), range(_CASES), strict=False):
            try:
                yield case.value, codec_of(layout).encode(case.value)
            except CodecError:
                continue
