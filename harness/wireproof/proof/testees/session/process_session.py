"""A session with a testee in a process of its own.

The session sends requests in lines of some dozens, a few lines ahead of the answers. When the testee dies,
hangs or violates the protocol, the session restarts it and sends the unanswered requests again,
one at a time, until the offending request fails again as the first of a fresh process. That request is
reported. The others are answered as usual, except those with the same operator at the same place, which are
skipped. If no request fails alone, the session sends a fresh process all requests of the failed one. If it
fails again, the first unanswered request is reported, as a failure of the requests together.
"""

from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import ParamSpec

from wireproof.model.case_source import CpuTime
from wireproof.model.codec_ends import HANG, NOT_ALONE, FatalSites, MutationSite
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.limits.watchdog import PeakMemory
from wireproof.proof.testees.process.transport import TransportFactory
from wireproof.proof.testees.session.greeted_process import GreetedProcess, ProcessFailure, RequestBatch
from wireproof.proof.testees.session.request_pipeline import RequestPipeline
from wireproof.proof.testees.session.testee_session import EndedAnswer, NotAskedAnswer, ProtocolAnswer

_P = ParamSpec("_P")

_UNANSWERED = (NoneType, EndedAnswer, NotAskedAnswer)


class ProcessSession:
    """A `TesteeSession` with a process, started on first use and again whenever it ended.

    Args:
        name: for messages.
        harness: the name and version of the caller: ``wireproof 0.1.0``.
        fatal: the sites at which requests ended the testee.
    """

    def __init__(
        self,
        name: str,
        factory: TransportFactory,
        harness: str = "wireproof",
        fatal: FatalSites | None = None,
    ) -> None:
        self.fatal = FatalSites("the testee") if fatal is None else fatal
        self._factory = factory
        self._testee = GreetedProcess(name, factory, harness)
        self._pipeline = RequestPipeline(self._testee, self.fatal.budget)
        self._unexplained = 0

    @property
    def starts(self) -> int:
        """The number of processes that were started."""
        return self._testee.starts

    @property
    def location(self) -> str:
        return self._factory.location

    @property
    def enforced(self) -> Mapping[str, str]:
        """The limits of the running process, as text by name."""
        process = self._testee.transport
        return {} if process is None else process.enforced

    def hello(self) -> Hello:
        return self._testee.hello()

    def begin_cell(self) -> None:
        """Begin another cell: its own answers set its limits of time."""
        self.fatal.forgive()
        if self._pipeline.answer_times is not None:
            self._pipeline.answer_times.begin_cell()

    def stop(self) -> bool:
        return self._testee.stop()

    def measure_peak(self, *, begin: bool = False) -> PeakMemory | None:
        """Return the peak of the process's memory; None if the system does not report it.

        Args:
            begin: begin a new peak. Starts a process if none runs.

        Raises:
            TesteeError: it does not start.
        """
        process = self._testee.running() if begin else self._testee.transport
        measure = getattr(process, "peak_bytes", None)
        peak = None if measure is None else measure(begin=begin)
        return None if peak is None else PeakMemory(self.starts, peak)

    def cpu_time(self) -> CpuTime | None:
        """Return the processor time of the process; None if the system does not report it.

        Starts a process if none runs.

        Raises:
            TesteeError: it does not start.
        """
        seconds = self._testee.running().clock_s()
        return None if seconds is None else CpuTime(self.starts, seconds)

    def close(self) -> None:
        self.stop()

    def ask(self, requests: Sequence[str], sites: Sequence[MutationSite | None] = ()) -> list[ProtocolAnswer]:
        batch = RequestBatch(requests, sites or [None] * len(requests), [None] * len(requests))
        while indices := self._open_requests(batch):
            sent: list[int] = []
            try:
                self._pipeline.ask(batch, indices, sent)
            except ProcessFailure as failure:
                if failure.offending is not None:
                    self._report(batch, failure.offending, failure)
                    continue
                suspects = [index for index in sent if batch.answers[index] is None] or indices[:1]
                self._find_offending(batch, suspects, failure)
        self._note_answered(batch)
        return [answer for answer in batch.answers if answer is not None]

    def _open_requests(self, batch: RequestBatch) -> list[int]:
        """Return the requests that are still to be sent; answer those that are skipped."""
        left: list[int] = []
        verdict_s = self._verdict_s
        for index, answer in enumerate(batch.answers):
            if answer is not None:
                continue
            site = batch.sites[index]
            if ended := self.fatal.ended_before(batch.requests[index]):
                batch.answers[index] = EndedAnswer(*ended)
            elif same_as := self.fatal.same_as(site) or self._try_quickly(batch, index):
                batch.answers[index] = NotAskedAnswer(f"skipped for the same cause as {same_as}", same_as)
            elif batch.answers[index] is not None:
                continue
            elif message := self.fatal.had_enough(site, verdict_s):
                batch.answers[index] = NotAskedAnswer(message)
            else:
                left.append(index)
        return left

    def _try_quickly(self, batch: RequestBatch, index: int) -> str:
        """Send, for a short time, malformed bytes whose operator hung the testee at another field.

        Returns:
            the name of the hang that was reported, if no answer comes in that time; else empty.
        """
        site = batch.sites[index]
        same_as = self.fatal.doubted(site)
        if site is None or not same_as:
            return ""
        failure = _failure_of(self._pipeline.ask, batch, [index], [], quick=True)
        if failure is None or failure.error != HANG:
            return ""
        self.fatal.skip(site, same_as)
        return same_as

    @property
    def _verdict_s(self) -> float:
        """The time to find an offending request of usual size, in seconds; 0 before the first request."""
        times = self._pipeline.answer_times
        return 0.0 if times is None else times.verdict_s(0)

    def _find_offending(self, batch: RequestBatch, suspects: Sequence[int], first: ProcessFailure) -> None:
        """Send the suspects one at a time, up to the one that fails again as the first of a process."""
        if first.error == HANG and self.fatal.cannot_judge(self._verdict_s):
            return
        for position, index in enumerate(suspects):
            failure = self._retry(batch, index, alone=position == 0)
            if failure is None:
                continue
            alone = failure if position == 0 else self._retry(batch, index, alone=True)
            if alone is not None:
                self._report(batch, index, alone)
            else:
                self._judge_together(batch, index, failure)
            return
        self._judge_together(batch, suspects[0], first)

    def _judge_together(self, batch: RequestBatch, index: int, first: ProcessFailure) -> None:
        """Report a failure that no request causes alone, if it happens again.

        A first failure may have any cause: another program that ends the process, or a line of many requests
        that takes long. If the requests are at fault, a fresh process or a later one fails, too. From then on
        each line of requests has the time of a second attempt; a line that exceeds it is a hang.
        """
        self._unexplained += 1
        again = None
        if self._unexplained == 1:
            again = _failure_of(self._pipeline.repeat, first.sent)  # None, too, if they were too many to keep
            self._pipeline.patient = True
            if again is None or again.error != first.error:
                return
        words = (
            f"for the {_ordinal(self._unexplained)} time"
            if again is None
            else f"again when another process was sent the same {first.sent.questions} requests"
        )
        failure = ProcessFailure(first.error, f"{words}, {NOT_ALONE}: {(again or first).message}")
        self._answer_ended(batch, index, failure, None)

    def _retry(self, batch: RequestBatch, index: int, *, alone: bool) -> ProcessFailure | None:
        """Send one request; return the failure that it causes, None if it is answered."""
        return _failure_of(self._pipeline.ask, batch, [index], [], alone=alone)

    def _report(self, batch: RequestBatch, index: int, failure: ProcessFailure) -> None:
        """Answer an offending request with its failure, and remember its site."""
        self._answer_ended(batch, index, failure, batch.sites[index])

    def _answer_ended(
        self, batch: RequestBatch, index: int, failure: ProcessFailure, site: MutationSite | None
    ) -> None:
        self._note_answered(batch)
        batch.answers[index] = EndedAnswer(failure.error, failure.message)
        self.fatal.add(site, failure.error, failure.message, batch.requests[index])

    def _note_answered(self, batch: RequestBatch) -> None:
        """Tell the known ends which operations have answered a right value."""
        pairs = zip(batch.sites, batch.answers, strict=True)
        for site in {site for site, answer in pairs if not isinstance(answer, _UNANSWERED)}:
            self.fatal.answered(site)


def _failure_of(send: Callable[_P, None], *args: _P.args, **kwargs: _P.kwargs) -> ProcessFailure | None:
    """Return the failure of the process when requests are sent; None if it answers."""
    try:
        send(*args, **kwargs)
    except ProcessFailure as failure:
        return failure
    return None


def _ordinal(number: int) -> str:
    return {2: "second", 3: "third"}.get(number, f"{number}th")
