"""Asks a testee: many questions in flight, and whoever ends it is found.

Questions go out in lines of some dozens, a few lines ahead of the answers. When the testee dies, hangs or
breaks the protocol, it is started again, and what was unanswered is asked again: one at a time, until the
guilty question does it once more, alone. That one is convicted; the others are answered as if nothing had
happened.
"""

import json
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from wireproof.testees.answers import Answer, Ended, NotAsked, Ok, allowed, read_answers
from wireproof.testees.claims import PROTOCOL, Hello
from wireproof.testees.errors import BreachError, TesteeError
from wireproof.testees.overhearing import Overheard
from wireproof.testees.patience import LOOK_S, HangError, Patience, Watch
from wireproof.testees.transport import Transport, WayIn
from wireproof.testees.weighing import Weight

__all__ = ["Testee"]

_LINE_QUESTIONS: Final = 64
_LINE_BYTES: Final = 1 << 18
_IN_FLIGHT: Final = 4 * _LINE_QUESTIONS
_IN_FLIGHT_BYTES: Final = 4 << 20
"""A line ends, and no more is sent ahead, at whichever comes first."""
_HELLO_S: Final = 60.0


@dataclass(slots=True)
class _Failure(Exception):  # noqa: N818 - it never leaves this module
    """The process cannot be asked any more."""

    error: str
    words: str


@dataclass(slots=True)
class Testee:
    """A testee, started when it is first asked and again whenever it ended.

    Args:
        name: for messages.
        way: how it is started.
        harness: who asks: ``wireproof 0.1.0``.
    """

    name: str
    way: WayIn
    harness: str = "wireproof"
    starts: int = 0
    _hello: Hello | None = None
    _process: Transport | None = None
    _next_id: int = 0
    _unexplained: int = 0
    _patience: Patience = field(default_factory=Patience)
    _overheard: Overheard = field(default_factory=Overheard)

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
        """Forget how often it ended: another subject begins."""
        self._patience.forgive()

    def stop(self) -> bool:
        """End the process: the next question is the first of a fresh one.

        Whether it ended in order, which it does where none runs, too.
        """
        process, self._process = self._process, None
        return process is None or process.stop(_line([f'{{"id":{self._new_id()},"op":"stop"}}']))

    def weigh(self, *, begin: bool = False) -> Weight | None:
        """The peak of the process's memory; None where nobody can tell.

        Args:
            begin: a new peak begins, of a process that is started if none runs.

        Raises:
            TesteeError: it does not start.
        """
        process = self._running() if begin else self._process
        measure = getattr(process, "peak_bytes", None)
        peak = None if measure is None else measure(begin=begin)
        return None if peak is None else Weight(self.starts, peak)

    def close(self) -> None:
        """End the process, in order if it can."""
        self.stop()

    def ask(self, questions: Sequence[str]) -> list[Answer]:
        """The answer to each question: JSON text of a request from its second member on, ``"op":...,...``.

        Raises:
            TesteeError: it does not start any more.
        """
        answers: list[Answer | None] = [None] * len(questions)
        self._ask_all(questions, list(range(len(questions))), answers)
        return [answer for answer in answers if answer is not None]

    def _ask_all(self, questions: Sequence[str], todo: list[int], answers: list[Answer | None]) -> None:
        while todo:
            if words := self._patience.had_enough():
                for index in todo:
                    answers[index] = NotAsked(words)
                return
            suspects: list[int] = []
            try:
                self._pipeline(questions, todo, answers, suspects)
                return
            except _Failure as failure:
                todo = [index for index in todo if answers[index] is None]
                unanswered = [index for index in suspects if answers[index] is None] or todo[:1]
                self._find_guilty(questions, unanswered, answers, failure)
                todo = [index for index in todo if answers[index] is None]

    def _find_guilty(
        self, questions: Sequence[str], suspects: Sequence[int], answers: list[Answer | None], first: _Failure
    ) -> None:
        """Asks the suspects one at a time, up to the one that does it again as the first of a process."""
        self._patience.lost(first.error)
        for place, index in enumerate(suspects):
            try:
                self._pipeline(questions, [index], answers, [])
                continue
            except _Failure as again:
                failure = again
            try:
                if place > 0:
                    self._pipeline(questions, [index], answers, [])
                    continue
            except _Failure as again:
                failure = again
            answers[index] = Ended(failure.error, failure.words)
            return
        # Alone none of them does it. Once may be anybody's fault; again, it is what came before that matters.
        self._unexplained += 1
        if self._unexplained > 1:
            words = f"{first.words}; for the {_th(self._unexplained)} time, though no question does it alone"
            answers[suspects[0]] = Ended(first.error, words)

    def _pipeline(
        self,
        questions: Sequence[str],
        todo: Sequence[int],
        answers: list[Answer | None],
        in_flight: list[int],
    ) -> None:
        """Asks with many in flight.

        Args:
            in_flight: filled with what was sent, in order; what has no answer when this raises is suspect.

        Raises:
            _Failure: the process ended, hangs, or broke the protocol. It is ended by then.
        """
        process = self._running()
        limits = self.hello().limits
        waiting = deque(todo)
        by_id: dict[int, int] = {}
        flying_bytes = 0
        try:
            watch = Watch(process)
            while waiting or by_id:
                while waiting and len(by_id) < _IN_FLIGHT and flying_bytes < _IN_FLIGHT_BYTES:
                    flying_bytes += self._send(process, questions, waiting, by_id, in_flight)
                for line in process.read(LOOK_S):
                    for number, answer in read_answers(line):
                        index = by_id.pop(number, None)
                        if index is None:
                            raise BreachError(f"an answer to id {number}, which is not open: {line[:120]!r}")
                        answers[index] = self._overheard.beside(allowed(answer, limits), process.heard)
                        flying_bytes -= len(questions[index])
                    watch.heard()
                if process.ended and by_id:
                    raise self._end("process", None)
                watch.look()
        except BreachError as error:
            raise self._end("protocol", f"broke the protocol: {error}") from None
        except HangError as error:
            raise self._end("hang", str(error)) from None

    def _send(
        self,
        process: Transport,
        questions: Sequence[str],
        waiting: deque[int],
        by_id: dict[int, int],
        in_flight: list[int],
    ) -> int:
        """Sends one line; the bytes of its questions."""
        texts: list[str] = []
        size = 0
        while waiting and len(texts) < _LINE_QUESTIONS and size < _LINE_BYTES:
            index = waiting.popleft()
            number = self._new_id()
            by_id[number] = index
            in_flight.append(index)
            texts.append(f'{{"id":{number},{questions[index]}}}')
            size += len(questions[index])
        process.send(_line(texts))
        return size

    def _end(self, error: str, words: str | None) -> _Failure:
        """Ends the process, and says what it came to."""
        process, self._process = self._process, None
        assert process is not None
        death = process.death()
        return _Failure(error, death.told(words or death.words, process.limits))

    def _running(self) -> Transport:
        if self._process is None:
            self._process = self.way.open()
            self.starts += 1
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
                raise BreachError(words)
            if answer[0] != number or not isinstance(answer[1], Ok):
                raise BreachError(f"does not answer the hello: {answer[1]}")
            hello = Hello.parse(answer[1].content)
        except BreachError as error:
            self._process = None
            raise TesteeError(
                f"{self.name} does not greet: {process.death().told(str(error), process.limits)}",
                f"Try it by hand: echo '{told}' | {self.way.by_hand}",
            ) from None
        if self._hello is None:
            self._hello = hello
        elif hello != self._hello:
            raise TesteeError(
                f"{self.name} tells another hello than when it was started first",
                "A hello may depend on the build alone.",
            )

    def _first(self, process: Transport, until: float) -> tuple[int, Answer] | None:
        while not process.ended and time.monotonic() < until:
            for line in process.read(LOOK_S):
                found = list(read_answers(line))
                if len(found) != 1:
                    raise BreachError("more than one answer to the hello")
                return found[0]
        return None

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1


def _th(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")


def _line(texts: Sequence[str]) -> bytes:
    text = texts[0] if len(texts) == 1 else f"[{','.join(texts)}]"
    return text.encode() + b"\n"
