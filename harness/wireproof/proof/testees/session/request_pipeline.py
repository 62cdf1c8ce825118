"""Requests sent to a testee's process, a few lines ahead of the answers, within limits of time."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Final

from wireproof.model.codec_ends import HANG, HangBudget
from wireproof.proof.testees.limits.time_limits import (
    POLL_S,
    QUICK_POLL_S,
    AnswerTimes,
    HangDetector,
    HangError,
    TimeLimit,
)
from wireproof.proof.testees.process.transport import Transport
from wireproof.proof.testees.session.greeted_process import GreetedProcess, RequestBatch, line_of
from wireproof.proof.testees.session.testee_session import SentLines, StderrTail, check_reason, read_answers
from wireproof.proof.testees.testee_errors import ProtocolViolationError

_LINE_REQUESTS: Final = 64
_LINE_BYTES: Final = 1 << 18
_IN_FLIGHT: Final = 4 * _LINE_REQUESTS
_IN_FLIGHT_BYTES: Final = 4 << 20
"""A line ends, and sending pauses, at the limit that is reached first."""


@dataclass(slots=True)
class RequestLine:
    """Requests of one line, which the testee may answer in one line.

    Attributes:
        requests, size: their number, answered or not, and their length together.
        sizes: the lengths of the unanswered ones, by index.
    """

    requests: int = 0
    size: int = 0
    sizes: dict[int, int] = field(default_factory=dict)

    @property
    def has_room(self) -> bool:
        return self.requests < _LINE_REQUESTS and self.size < _LINE_BYTES


@dataclass(slots=True)
class RequestsInFlight:
    """The unanswered requests.

    Attributes:
        by_id: the index and the line of each, by id.
        answered: the index of each answered request, by id.
        size: the length of the unanswered requests together.
    """

    by_id: dict[int, tuple[int, RequestLine]] = field(default_factory=dict)
    answered: dict[int, int] = field(default_factory=dict)
    lines: deque[RequestLine] = field(default_factory=deque)
    size: int = 0

    @property
    def has_room(self) -> bool:
        return len(self.by_id) < _IN_FLIGHT and self.size < _IN_FLIGHT_BYTES

    def begin(self) -> RequestLine:
        """Begin a line and return it."""
        self.lines.append(RequestLine())
        return self.lines[-1]

    def add(self, number: int, index: int, size: int) -> None:
        """Add a request to the latest line."""
        line = self.lines[-1]
        line.requests += 1
        line.size += size
        line.sizes[index] = size
        self.size += size
        self.by_id[number] = index, line

    def take(self, number: int) -> int | None:
        """Close the request with this id and return its index; None if no such request is open."""
        index, line = self.by_id.pop(number, (None, None))
        if line is not None and index is not None:
            self.size -= line.sizes.pop(index)
            self.answered[number] = index
        return index

    @property
    def largest(self) -> RequestLine:
        """The longest of the lines that the testee may be working on."""
        while self.lines and not self.lines[0].sizes:
            self.lines.popleft()
        return max((line for line in self.lines if line.sizes), key=attrgetter("size"), default=RequestLine())


class _SecondAnswerError(ProtocolViolationError):
    """A second answer to one request, by its index."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


class RequestPipeline:
    """Sends requests to a testee and stores the answers.

    Args:
        budget: charged with the time of each hang.

    Attributes:
        answer_times: the times of the answers so far; None before the first request.
        patient: whether requests in a line have as much time as a request that is asked alone.
    """

    def __init__(self, testee: GreetedProcess, budget: HangBudget) -> None:
        self._testee = testee
        self._budget = budget
        self._stderr_tail = StderrTail()
        self.answer_times: AnswerTimes | None = None
        self.patient = False

    def ask(
        self,
        batch: RequestBatch,
        indices: Sequence[int],
        sent: list[int],
        *,
        alone: bool = False,
        quick: bool = False,
    ) -> None:
        """Send some requests of a batch and store their answers in it.

        Args:
            sent: filled with the indices that were sent, in order. If this raises, those without an answer
                may have caused it.
            alone: this is a single suspected request, the first of its process.
            quick: this is a single request that has only a short time.

        Raises:
            ProcessFailure: the process ended, hung, or violated the protocol. It has been ended.
        """
        process = self._testee.running()
        times = self._times_of(process)
        flight = RequestsInFlight()
        poll_s = QUICK_POLL_S if quick else POLL_S
        limit = _time_limit(times, batch.longest_of(indices), alone=alone, quick=quick)
        hangs = HangDetector(process, limit, poll_s)
        waiting = deque(indices)
        clock_s = process.clock_s()
        try:
            while waiting or flight.by_id:
                while waiting and flight.has_room:
                    self._send_line(process, batch.requests, waiting, flight, sent)
                lines = process.read(poll_s)
                answers = sum(self._store_answers(line, process, batch, flight) for line in lines)
                if lines:
                    hangs.reset()
                    clock_s = self._note_times(times, clock_s, process.clock_s(), answers)
                if process.ended and flight.by_id:
                    raise self._testee.end("process", None)
                if not (alone or quick):
                    largest = flight.largest
                    hangs.limit = times.first(largest.size, largest.requests, patient=self.patient)
                hangs.check()
        except ProtocolViolationError as error:
            offending = error.index if isinstance(error, _SecondAnswerError) else None
            raise self._testee.end("protocol", f"broke the protocol: {error}", offending) from None
        except HangError as error:
            self._budget.spend(error.spent_s)
            raise self._testee.end(HANG, str(error)) from None

    def repeat(self, sent: SentLines) -> None:
        """Send the same lines to a fresh process, one after the other, and drop the answers.

        Raises:
            ProcessFailure: it failed again.
        """
        self._testee.stop()
        patient, self.patient = self.patient, True
        try:
            for requests in sent.lines:
                batch = RequestBatch(requests, [None] * len(requests), [None] * len(requests))
                self.ask(batch, range(len(requests)), [])
        finally:
            self.patient = patient

    def _store_answers(
        self, line: bytes, process: Transport, batch: RequestBatch, flight: RequestsInFlight
    ) -> int:
        """Store the answers of a line; return their number."""
        limits = self._testee.hello().limits
        before = len(flight.by_id)
        for number, answer in read_answers(line, flight.size):
            if number in flight.answered:
                raise _SecondAnswerError(f"a second answer to id {number}", flight.answered[number])
            index = flight.take(number)
            if index is None:
                raise ProtocolViolationError(f"an answer to id {number}, which is not open: {line[:120]!r}")
            batch.answers[index] = self._stderr_tail.attach(check_reason(answer, limits), process.stderr_text)
        return before - len(flight.by_id)

    def _times_of(self, process: Transport) -> AnswerTimes:
        if self.answer_times is None:
            measured = process.clock_s() is not None
            self.answer_times = AnswerTimes(process.limits, measured=measured)
        return self.answer_times

    def _note_times(
        self, times: AnswerTimes, before: float | None, after: float | None, answers: int
    ) -> float | None:
        """Note the processor time of the latest answers; return the clock's reading after them."""
        if before is not None and after is not None:
            times.answered(after - before, answers=max(1, answers), cold=self._testee.cold)
            self._testee.cold = False
        return after

    def _send_line(
        self,
        process: Transport,
        requests: Sequence[str],
        waiting: deque[int],
        flight: RequestsInFlight,
        sent: list[int],
    ) -> None:
        texts: list[str] = []
        line = flight.begin()
        while waiting and line.has_room:
            index = waiting.popleft()
            number = self._testee.new_id()
            flight.add(number, index, len(requests[index]))
            sent.append(index)
            texts.append(f'{{"id":{number},{requests[index]}}}')
        self._testee.sent.add([requests[index] for index in line.sizes])
        process.send(line_of(texts))


def _time_limit(times: AnswerTimes, longest: int, *, alone: bool, quick: bool) -> TimeLimit:
    if quick:
        return times.quick(longest)
    return times.second(longest) if alone else times.first(0)
