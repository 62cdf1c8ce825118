"""A session with a testee that is a Python object in this process: the kit calls the codec, without a pipe.

Requests and answers are those of the protocol, so reports do not differ from those of a process. The
protection of a process is missing: only the limits of time hold, and a crash ends this process.
"""

import contextlib
import io
import json
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Final

from wireproof.model.case_source import CpuTime
from wireproof.model.codec_ends import HANG, NOT_ALONE, FatalSites, MutationSite
from wireproof.proof.testees.description.hello import PROTOCOL, Hello
from wireproof.proof.testees.limits.time_limits import AnswerTimes, HangError, ResourceLimits, TimeLimit
from wireproof.proof.testees.limits.watchdog import Watchdog
from wireproof.proof.testees.process.transport import STDERR_CHARACTERS
from wireproof.proof.testees.session.in_process_testees import HandlerFactory, InProcessHandler
from wireproof.proof.testees.session.testee_session import (
    EndedAnswer,
    NotAskedAnswer,
    OkAnswer,
    ProtocolAnswer,
    SentLines,
    StderrTail,
    check_reason,
    read_answers,
)
from wireproof.proof.testees.testee_errors import ProtocolViolationError, TesteeError

_DEFAULT_LIMITS: Final = ResourceLimits()


class LocalSession:
    """A `TesteeSession` in this process, made on first use.

    Its output is kept from standard output and standard error; failures quote the end of it.

    Args:
        name: for messages.
        harness: the name and version of the caller: ``wireproof 0.1.0``.
        fatal: the sites at which requests ended the testee.
    """

    location: Final = "this process"

    def __init__(
        self,
        name: str,
        make: HandlerFactory,
        harness: str = "wireproof",
        limits: ResourceLimits = _DEFAULT_LIMITS,
        fatal: FatalSites | None = None,
    ) -> None:
        self._name = name
        self._make = make
        self._harness = harness
        self._handler: InProcessHandler | None = None
        self._hello: Hello | None = None
        self._stderr_tail = StderrTail()
        self._limits = limits
        self._watchdog = Watchdog(TimeLimit(limits.cpu_s, limits.silent_s))
        self.fatal = FatalSites(name) if fatal is None else fatal
        self._answer_times = AnswerTimes(limits)
        self._sent = SentLines()
        self._unexplained = 0

    @property
    def enforced(self) -> Mapping[str, str]:
        return {
            "processor time of an answer": f"{self._limits.cpu_s:g} s",
            "silence": f"{self._limits.silent_s:g} s",
            "memory and all else": "not limited: it is a part of wireproof's own process",
        }

    def hello(self) -> Hello:
        if self._hello is None:
            request = {"id": 0, "op": "hello", "protocol": PROTOCOL, "harness": self._harness}
            try:
                handler = self._running()
                with self._watchdog.watching():
                    line = self._watchdog.call(lambda: handler.answer(request))
                ((_, answer),) = read_answers(line.encode())
                if not isinstance(answer, OkAnswer):
                    raise ProtocolViolationError(f"does not answer the hello: {answer}")
                self._hello = Hello.parse(answer.content)
            except (ProtocolViolationError, HangError) as error:
                raise TesteeError(f"{self._name} does not greet: {error}") from None
        return self._hello

    def begin_cell(self) -> None:
        """Begin another cell: its own answers set its limits of time."""
        self.fatal.forgive()
        self._answer_times.begin_cell()

    def ask(self, requests: Sequence[str], sites: Sequence[MutationSite | None] = ()) -> list[ProtocolAnswer]:
        self.hello()
        output = io.StringIO()
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            self._watchdog.watching(),
        ):
            pairs = zip(requests, sites or [None] * len(requests), strict=True)
            return [self._answer(request, site, output) for request, site in pairs]

    def _answer(self, request: str, site: MutationSite | None, output: io.StringIO) -> ProtocolAnswer:
        if ended := self.fatal.ended_before(request):
            return EndedAnswer(*ended)
        if same_as := self.fatal.same_as(site):
            return NotAskedAnswer(f"skipped for the same cause as {same_as}", same_as)
        size, verdict_s = len(request), self._answer_times.verdict_s(0)
        if message := self.fatal.had_enough(site, verdict_s):
            return NotAskedAnswer(message)
        try:
            try:
                answer = self._attempt(request, self._answer_times.first(size), output)
            except HangError:
                if self.fatal.cannot_judge(verdict_s):
                    return NotAskedAnswer(self.fatal.had_enough(site, verdict_s))
                answer = self._judge_together(request, output)
            self.fatal.answered(site)
            return answer
        except ProtocolViolationError as error:
            message = f"broke the protocol: {error}"
            self.fatal.add(site, "protocol", message, request)
            return _ended("protocol", message, output)
        except HangError as error:
            self.fatal.add(site, HANG, str(error), request)
            return _ended(HANG, str(error), output)

    def _judge_together(self, request: str, output: io.StringIO) -> ProtocolAnswer:
        """Return a fresh object's answer to a request that hung the object before, if it does not hang again.

        Raises:
            HangError: the request hangs alone, or again after the requests to the object before, or a later
                request hangs in the same way.
        """
        sent, limit = self._sent, self._answer_times.second(len(request))
        answer = self._attempt(request, limit, output)
        self._unexplained += 1
        try:
            if self._unexplained > 1:
                raise HangError("no answer, as before", 0.0)
            self.stop()
            for (each,) in sent.lines:
                self._attempt(each, limit, output)
        except HangError as error:
            raise HangError(f"again after {sent.questions} requests, {NOT_ALONE}: {error}", 0.0) from None
        return answer

    def _attempt(self, request: str, limit: TimeLimit, output: io.StringIO) -> ProtocolAnswer:
        """Return the answer to a request.

        Raises:
            ProtocolViolationError: the answer violates the protocol.
            HangError: there is no answer in time. The object is dropped, because it may be half changed.
        """
        parsed = json.loads(f'{{"id":0,{request}}}')
        cold, handler = self._handler is None, self._running()
        self._sent.add([request])
        self._watchdog.limit = limit
        start = time.thread_time()
        try:
            line = self._watchdog.call(lambda: handler.answer(parsed))
        except HangError as error:
            self.fatal.budget.spend(error.spent_s)
            self._handler = None
            raise
        self._answer_times.answered(time.thread_time() - start, cold=cold)
        ((_, answer),) = read_answers(line.encode(), len(request))
        return self._stderr_tail.attach(check_reason(answer, self.hello().limits), output.getvalue)

    def _running(self) -> InProcessHandler:
        if self._handler is None:
            self._sent = SentLines()
            with contextlib.redirect_stdout(sys.stderr):
                self._handler = self._make()
        return self._handler

    def stop(self) -> bool:
        """Drop the object: the next request is the first of a fresh one, in the same process."""
        self._handler = None
        return True

    def cpu_time(self) -> CpuTime:
        """Return the processor time of the calling thread."""
        return CpuTime(0, time.thread_time())

    def close(self) -> None:
        """Do nothing: there is no process to end."""


def _ended(error: str, message: str, output: io.StringIO) -> EndedAnswer:
    end = output.getvalue().strip()[-STDERR_CHARACTERS:]
    return EndedAnswer(error, f"{message}; the end of what it said: {end}" if end else message)
