"""The process of a testee: started and greeted on first use, and again after it ended."""

import json
import shlex
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from wireproof.model.codec_ends import MutationSite
from wireproof.proof.testees.description.hello import PROTOCOL, Hello
from wireproof.proof.testees.limits.time_limits import POLL_S
from wireproof.proof.testees.process.transport import Transport, TransportFactory
from wireproof.proof.testees.session.testee_session import OkAnswer, ProtocolAnswer, SentLines, read_answers
from wireproof.proof.testees.testee_errors import ProtocolViolationError, TesteeError


@dataclass(slots=True)
class ProcessFailure(Exception):  # noqa: N818 - the session handles it; no caller sees it
    """The process ended, hung or violated the protocol. It has been ended.

    Attributes:
        error: ``process``, ``hang`` or ``protocol``.
        offending: the index of the request that certainly caused it; None if it has to be searched for.
        sent: all that the process was sent.
    """

    error: str
    message: str
    offending: int | None = None
    sent: SentLines = field(default_factory=SentLines)


@dataclass(slots=True)
class RequestBatch:
    """The requests of one call, with their answers as these arrive."""

    requests: Sequence[str]
    sites: Sequence[MutationSite | None]
    answers: list[ProtocolAnswer | None]

    def longest_of(self, indices: Iterable[int]) -> int:
        """Return the length of the longest of some requests."""
        return max((len(self.requests[index]) for index in indices), default=0)


_HELLO_S: Final = 60.0
"""The time that a testee has to answer the hello."""


@dataclass(slots=True)
class GreetedProcess:
    """The current process of a testee.

    Args:
        name: for messages.
        factory: starts the process.
        harness: the name and version of the caller: ``wireproof 0.1.0``.

    Attributes:
        starts: how often a process was started.
        cold: the current process has not answered a request yet.
        transport: the current process; None before the first start and after an end.
        sent: the lines that the current process was sent.
    """

    name: str
    factory: TransportFactory
    harness: str
    starts: int = 0
    cold: bool = False
    transport: Transport | None = None
    sent: SentLines = field(default_factory=SentLines)
    _hello: Hello | None = None
    _next_id: int = 0

    def hello(self) -> Hello:
        """Return the testee's hello; start the testee if it was never started.

        Raises:
            TesteeError: it does not start, or does not greet.
        """
        self.running()
        assert self._hello is not None
        return self._hello

    def running(self) -> Transport:
        """Return the current process; start and greet one if there is none.

        Raises:
            TesteeError: it does not start, or does not greet.
        """
        if self.transport is None:
            self.transport = self.factory.open()
            self.starts += 1
            self.cold, self.sent = True, SentLines()
            try:
                self._greet(self.transport)
            except BaseException:
                if self.transport is not None:
                    self.transport.close()
                    self.transport = None
                raise
        return self.transport

    def stop(self) -> bool:
        """Ask the process to stop, then end it; return whether it ended in order.

        True if there is no process.
        """
        process, self.transport = self.transport, None
        return process is None or process.stop(line_of([f'{{"id":{self.new_id()},"op":"stop"}}']))

    def end(self, error: str, message: str | None, offending: int | None = None) -> ProcessFailure:
        """End the process and describe the failure.

        Args:
            message: None for the description of the process's own end.
            offending: the index of the request that caused it, if that is certain.
        """
        process, self.transport = self.transport, None
        assert process is not None
        end = process.end()
        words = end.describe(message or end.message, process.limits)
        return ProcessFailure(error, words, offending, self.sent)

    def new_id(self) -> int:
        """Return the id of the next request."""
        self._next_id += 1
        return self._next_id - 1

    def _greet(self, process: Transport) -> None:
        number = self.new_id()
        request = json.dumps({"id": number, "op": "hello", "protocol": PROTOCOL, "harness": self.harness})
        process.send(request.encode() + b"\n")
        until = time.monotonic() + _HELLO_S
        try:
            answer = _first_answer(process, until)
            if answer is None:
                message = process.end().message if process.ended else f"says nothing for {_HELLO_S:.0f} s"
                raise ProtocolViolationError(message)
            if answer[0] != number or not isinstance(answer[1], OkAnswer):
                raise ProtocolViolationError(f"does not answer the hello: {answer[1]}")
            hello = Hello.parse(answer[1].content)
        except ProtocolViolationError as error:
            self.transport = None
            by_hand = f"Try it by hand: echo {shlex.quote(request)} | {self.factory.by_hand}"
            raise TesteeError(
                f"{self.name} does not greet: {process.end().describe(str(error), process.limits)}",
                "\n".join(filter(None, (self.factory.advice, by_hand))),
            ) from None
        if self._hello is None:
            self._hello = hello
        elif hello != self._hello:
            raise TesteeError(
                f"{self.name} sends another hello than after its first start",
                "A hello may depend on the build alone.",
            )


def line_of(requests: Sequence[str]) -> bytes:
    """Return the line that sends some requests: one object, or an array of several."""
    text = requests[0] if len(requests) == 1 else f"[{','.join(requests)}]"
    return text.encode() + b"\n"


def _first_answer(process: Transport, until: float) -> tuple[int, ProtocolAnswer] | None:
    while not process.ended and time.monotonic() < until:
        for line in process.read(POLL_S):
            found = list(read_answers(line))
            if len(found) != 1:
                raise ProtocolViolationError("more than one answer to the hello")
            return found[0]
    return None
