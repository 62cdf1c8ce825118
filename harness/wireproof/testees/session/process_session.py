"""Asks a testee: many questions in flight, and whoever ends it is found.

Questions go out in lines of some dozens, a few lines ahead of the answers. When the testee dies, hangs or
breaks the protocol, it is started again, and what was unanswered is asked again: one at a time, until the
guilty question does it once more, as the first of a fresh process. That one is convicted; the others are
answered as if nothing had happened, but for those that do the same at the same place: they are skipped.
Where no question hangs alone, all of them are answered by then, and nothing but their answers is judged.
"""

import json
import shlex
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from wireproof.model import HANG, NOT_ALONE, CpuTime, FatalSites, MutationSite
from wireproof.testees.description.hello import PROTOCOL, Hello
from wireproof.testees.limits.time_limits import (
    POLL_S,
    QUICK_LOOK_S,
    AnswerTimes,
    HangDetector,
    HangError,
    TimeLimit,
)
from wireproof.testees.process.peak_memory import PeakMemory
from wireproof.testees.process.transport import Transport, TransportFactory
from wireproof.testees.session.protocol_answers import (
    EndedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
    allowed,
    read_answers,
)
from wireproof.testees.session.requests_in_flight import RequestsInFlight
from wireproof.testees.session.stderr_tail import StderrTail
from wireproof.testees.testee_errors import ProtocolViolationError, TesteeError

__all__ = ["ProcessSession"]

_HELLO_S: Final = 60.0


@dataclass(slots=True)
class _Failure(Exception):  # noqa: N818 - it never leaves this module
    """The process cannot be asked any more.

    Attributes:
        guilty: the index of the question whose fault that certainly is; None where it has to be found.
    """

    error: str
    words: str
    guilty: int | None = None


class _AnsweredTwiceError(ProtocolViolationError):
    """A second answer to one question, by its index."""

    def __init__(self, message: str, index: int) -> None:
        super().__init__(message)
        self.index = index


@dataclass(slots=True)
class _Asked:
    """The questions of one call; the answers as they come."""

    questions: Sequence[str]
    sites: Sequence[MutationSite | None]
    answers: list[ProtocolAnswer | None]

    def longest_of(self, indices: Iterable[int]) -> int:
        """The length of the longest of some questions."""
        return max((len(self.questions[index]) for index in indices), default=0)


@dataclass(slots=True)
class ProcessSession:
    """A testee, started when it is first asked and again whenever it ended.

    Args:
        name: for messages.
        way: how it is started.
        harness: who asks: ``wireproof 0.1.0``.
        fatal: where questions ended it.
    """

    name: str
    way: TransportFactory
    harness: str = "wireproof"
    fatal: FatalSites = field(default_factory=lambda: FatalSites("the testee"))
    starts: int = 0
    _hello: Hello | None = None
    _process: Transport | None = None
    _next_id: int = 0
    _unexplained: int = 0
    _pace: AnswerTimes | None = None
    _cold: bool = False
    _overheard: StderrTail = field(default_factory=StderrTail)

    def hello(self) -> Hello:
        """Who it is and what it claims.

        Raises:
            TesteeError: it does not start, or does not greet.
        """
        self._running()
        assert self._hello is not None
        return self._hello

    @property
    def words(self) -> str:
        """Where it runs, after "it runs in"."""
        return self.way.words

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits that the running process is held to, in words."""
        return {} if self._process is None else self._process.enforced

    def forgive(self) -> None:
        """Another subject begins: its own answers say how long one takes."""
        self.fatal.forgive()
        if self._pace is not None:
            self._pace.begin_cell()

    def stop(self) -> bool:
        """End the process: the next question is the first of a fresh one.

        Whether it ended in order, which it does where none runs, too.
        """
        process, self._process = self._process, None
        return process is None or process.stop(_line([f'{{"id":{self._new_id()},"op":"stop"}}']))

    def weigh(self, *, begin: bool = False) -> PeakMemory | None:
        """The peak of the process's memory; None where nobody can tell.

        Args:
            begin: a new peak begins, of a process that is started if none runs.

        Raises:
            TesteeError: it does not start.
        """
        process = self._running() if begin else self._process
        measure = getattr(process, "peak_bytes", None)
        peak = None if measure is None else measure(begin=begin)
        return None if peak is None else PeakMemory(self.starts, peak)

    def spent(self) -> CpuTime | None:
        """The processor time of the process, which is started if none runs; None where nobody can tell.

        Raises:
            TesteeError: it does not start.
        """
        seconds = self._running().spent_s()
        return None if seconds is None else CpuTime(self.starts, seconds)

    def close(self) -> None:
        """End the process, in order if it can."""
        self.stop()

    def ask(
        self, questions: Sequence[str], sites: Sequence[MutationSite | None] = ()
    ) -> list[ProtocolAnswer]:
        """The answer to each question: JSON text of a request from its second member on, ``"op":...,...``.

        Args:
            sites: of malformed bytes what was done to them and where; may be left out where there are none.

        Raises:
            TesteeError: it does not start any more.
        """
        asked = _Asked(questions, sites or [None] * len(questions), [None] * len(questions))
        while todo := self._left(asked):
            suspects: list[int] = []
            try:
                self._pipeline(asked, todo, suspects)
            except _Failure as failure:
                if (guilty := failure.guilty) is not None:
                    self._convict(asked, guilty, asked.sites[guilty], failure.error, failure.words)
                    continue
                unanswered = [index for index in suspects if asked.answers[index] is None] or todo[:1]
                self._find_guilty(asked, unanswered, failure)
        return [answer for answer in asked.answers if answer is not None]

    def _left(self, asked: _Asked) -> list[int]:
        """What is still to be asked; the others that have no answer are answered as such."""
        left: list[int] = []
        verdict_s = self._verdict_s
        for index, answer in enumerate(asked.answers):
            if answer is not None:
                continue
            site = asked.sites[index]
            if same_as := self.fatal.same_as(site) or self._glance(asked, index):
                asked.answers[index] = NotAskedAnswer(f"skipped for the same cause as {same_as}", same_as)
            elif asked.answers[index] is not None:
                continue
            elif words := self.fatal.had_enough(site, verdict_s):
                asked.answers[index] = NotAskedAnswer(words)
            else:
                left.append(index)
        return left

    def _glance(self, asked: _Asked, index: int) -> str:
        """Ask malformed bytes whose operator has hung the testee at another field, for a short time.

        The name of the hang that was reported, where there is no answer in that time; else empty.
        """
        site = asked.sites[index]
        same_as = self.fatal.doubted(site)
        if site is None or not same_as:
            return ""
        try:
            self._pipeline(asked, [index], [], quick=True)
        except _Failure as failure:
            if failure.error == HANG:
                self.fatal.skip(site, same_as)
                return same_as
        return ""

    @property
    def _verdict_s(self) -> float:
        """What it takes to convict a question of usual size; 0 while nothing was asked."""
        return 0.0 if self._pace is None else self._pace.verdict_s(0)

    def _find_guilty(self, asked: _Asked, suspects: Sequence[int], first: _Failure) -> None:
        """Asks the suspects one at a time, up to the one that does it again as the first of a process."""
        if first.error == HANG and self.fatal.cannot_judge(self._verdict_s):
            return
        for place, index in enumerate(suspects):
            try:
                self._pipeline(asked, [index], [], alone=place == 0)
                continue
            except _Failure as again:
                failure = again
            try:
                if place > 0:
                    self._pipeline(asked, [index], [], alone=True)
                    continue
            except _Failure as again:
                failure = again
            self._convict(asked, index, asked.sites[index], failure.error, failure.words)
            return
        # Alone none of them does it, and all are answered. That they took long together is no fault.
        if first.error == HANG:
            return
        # An end may be anybody's fault once; again, it is what came before that matters.
        self._unexplained += 1
        if self._unexplained > 1:
            words = f"for the {_th(self._unexplained)} time, {NOT_ALONE}: {first.words}"
            self._convict(asked, suspects[0], None, first.error, words)

    def _convict(self, asked: _Asked, index: int, site: MutationSite | None, error: str, words: str) -> None:
        asked.answers[index] = EndedAnswer(error, words)
        self.fatal.add(site, error, words)

    def _pipeline(
        self,
        asked: _Asked,
        todo: Sequence[int],
        in_flight: list[int],
        *,
        alone: bool = False,
        quick: bool = False,
    ) -> None:
        """Asks with many in flight.

        Args:
            in_flight: filled with what was sent, in order; what has no answer when this raises is suspect.
            alone: whether it is one question that is suspected, the first of its process.
            quick: whether it is one question that has only a short time.

        Raises:
            _Failure: the process ended, hangs, or broke the protocol. It is ended by then.
        """
        process = self._running()
        pace = self._paced(process)
        flight = RequestsInFlight()
        look_s = QUICK_LOOK_S if quick else POLL_S
        watch = HangDetector(process, _allowance(pace, asked.longest_of(todo), alone, quick), look_s)
        waiting = deque(todo)
        spent = process.spent_s()
        try:
            while waiting or flight.by_id:
                while waiting and flight.has_room:
                    self._send(process, asked.questions, waiting, flight, in_flight)
                lines = process.read(look_s)
                answers = sum(self._take(line, process, asked, flight) for line in lines)
                if lines:
                    watch.heard()
                    spent = self._note_pace(pace, spent, process.spent_s(), answers)
                if process.ended and flight.by_id:
                    raise self._end("process", None)
                if not (alone or quick):
                    largest = flight.largest
                    watch.allowed = pace.first(largest.size, largest.questions)
                watch.look()
        except ProtocolViolationError as error:
            guilty = error.index if isinstance(error, _AnsweredTwiceError) else None
            raise self._end("protocol", f"broke the protocol: {error}", guilty) from None
        except HangError as error:
            self.fatal.budget.spend(error.spent_s)
            raise self._end(HANG, str(error)) from None

    def _take(self, line: bytes, process: Transport, asked: _Asked, flight: RequestsInFlight) -> int:
        """Take the answers in a line; how many they are.

        Raises:
            ProtocolViolationError: one of them is none that was asked for.
        """
        limits = self.hello().limits
        before = len(flight.by_id)
        for number, answer in read_answers(line):
            if number in flight.answered:
                raise _AnsweredTwiceError(f"a second answer to id {number}", flight.answered[number])
            index = flight.take(number)
            if index is None:
                raise ProtocolViolationError(f"an answer to id {number}, which is not open: {line[:120]!r}")
            asked.answers[index] = self._overheard.beside(allowed(answer, limits), process.heard)
        return before - len(flight.by_id)

    def _paced(self, process: Transport) -> AnswerTimes:
        if self._pace is None:
            measured = process.spent_s() is not None
            self._pace = AnswerTimes(process.limits, measured=measured)
        return self._pace

    def _note_pace(
        self, pace: AnswerTimes, before: float | None, after: float | None, answers: int
    ) -> float | None:
        """Note what the latest answers took; gives back what was spent until now."""
        if before is not None and after is not None:
            pace.answered(after - before, answers=max(1, answers), cold=self._cold)
            self._cold = False
        return after

    def _send(
        self,
        process: Transport,
        questions: Sequence[str],
        waiting: deque[int],
        flight: RequestsInFlight,
        in_flight: list[int],
    ) -> None:
        """Sends one line."""
        texts: list[str] = []
        line = flight.begin()
        while waiting and line.has_room:
            index = waiting.popleft()
            number = self._new_id()
            flight.add(number, index, len(questions[index]))
            in_flight.append(index)
            texts.append(f'{{"id":{number},{questions[index]}}}')
        process.send(_line(texts))

    def _end(self, error: str, words: str | None, guilty: int | None = None) -> _Failure:
        """Ends the process, and says what it came to."""
        process, self._process = self._process, None
        assert process is not None
        death = process.death()
        return _Failure(error, death.told(words or death.words, process.limits), guilty)

    def _running(self) -> Transport:
        if self._process is None:
            self._process = self.way.open()
            self.starts += 1
            self._cold = True
            try:
                self._greet(self._process)
            except BaseException:
                if self._process is not None:
                    self._process.close()
                    self._process = None
                raise
        return self._process

    def _greet(self, process: Transport) -> None:
        number = self._new_id()
        told = json.dumps({"id": number, "op": "hello", "protocol": PROTOCOL, "harness": self.harness})
        process.send(told.encode() + b"\n")
        until = time.monotonic() + _HELLO_S
        try:
            answer = self._first(process, until)
            if answer is None:
                words = process.death().words if process.ended else f"says nothing for {_HELLO_S:.0f} s"
                raise ProtocolViolationError(words)
            if answer[0] != number or not isinstance(answer[1], OkAnswer):
                raise ProtocolViolationError(f"does not answer the hello: {answer[1]}")
            hello = Hello.parse(answer[1].content)
        except ProtocolViolationError as error:
            self._process = None
            raise TesteeError(
                f"{self.name} does not greet: {process.death().told(str(error), process.limits)}",
                f"Try it by hand: echo {shlex.quote(told)} | {self.way.by_hand}",
            ) from None
        if self._hello is None:
            self._hello = hello
        elif hello != self._hello:
            raise TesteeError(
                f"{self.name} tells another hello than when it was started first",
                "A hello may depend on the build alone.",
            )

    def _first(self, process: Transport, until: float) -> tuple[int, ProtocolAnswer] | None:
        while not process.ended and time.monotonic() < until:
            for line in process.read(POLL_S):
                found = list(read_answers(line))
                if len(found) != 1:
                    raise ProtocolViolationError("more than one answer to the hello")
                return found[0]
        return None

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1


def _allowance(pace: AnswerTimes, longest: int, alone: bool, quick: bool) -> TimeLimit:
    if quick:
        return pace.quick(longest)
    return pace.second(longest) if alone else pace.first(0)


def _th(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")


def _line(texts: Sequence[str]) -> bytes:
    text = texts[0] if len(texts) == 1 else f"[{','.join(texts)}]"
    return text.encode() + b"\n"
