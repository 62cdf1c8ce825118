"""A codec whose cost grows faster than its input fails. The clock of these tests counts work, not time."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

import pytest

from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from tests.support.environments.ledgers import entry
from wireproof.model.adapter import (
    Crashed,
    Decode,
    Decoded,
    Encode,
    Encoded,
    Refused,
    Reply,
    Request,
    Unsupported,
)
from wireproof.model.case_source import CpuTime
from wireproof.model.cell import CaseId, Cell, Phase
from wireproof.proof.run.context.cell_context import context_of
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.core.cell_recorder import CellRecorder
from wireproof.proof.run.core.environment import GrowthScreen, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.engine.case_replay import replay
from wireproof.proof.run.properties.linear_growth import try_growth
from wireproof.proof.run.provers.message_prover import CellProver

HOPS, NAME, TAGS = "growth/hops", "growth/name", "growth/_tags"
BYTE_S = 1e-6
"""Processor time of a byte of work."""

Work = Callable[[Request, Reply], int]
"""The bytes that a codec reads, writes and copies for a request."""


def linear(request: Request, reply: Reply) -> int:
    """Touch each byte once."""
    match request, reply:
        case (Decode(data), _) | (_, Encoded(data)):
            return len(data)
        case _:
            return 0


def slow(request: Request, reply: Reply) -> int:
    """Take a millisecond for each byte."""
    return 1000 * linear(request, reply)


def slices_rest(request: Request, reply: Reply) -> int:
    """Decode, and copy the rest of the bytes after each element."""
    work = linear(request, reply)
    if isinstance(request, Decode) and isinstance(reply, Decoded):
        rest = request.data
        for _ in reply.value["hops"]:
            rest = rest[2:]
            work += len(rest)
    return work


def joins_each(request: Request, reply: Reply) -> int:
    """Encode, and copy all earlier bytes for each element."""
    work = linear(request, reply)
    if isinstance(request, Encode):
        joined = b""
        for hop in request.value.get("hops") or ():
            joined += hop.to_bytes(2)
            work += len(joined)
    return work


def scans_tags(request: Request, reply: Reply) -> int:
    """Decode, and search all unknown tagged fields for each of them."""
    many = len(reply.value.get("_tags", ())) if isinstance(reply, Decoded) else 0
    return linear(request, reply) + many**2


@dataclass
class Meter:
    """A codec that counts its work.

    Attributes:
        noise: factors of the times that its clock shows, one for each request.
        largest: elements above which it gives `beyond`.
        process: the number of its process.
        dies: whether its process ends after each request.
    """

    work: Work
    noise: Iterable[float] = field(default_factory=lambda: repeat(1.0))
    largest: int = 1 << 20
    beyond: Reply = field(default_factory=lambda: Refused("TOO_MANY", "too many hops"))
    process: int = 0
    dies: bool = False
    spent_s: float = 0.0
    asked: list[int] = field(default_factory=list)
    name: str = "metered"

    def __post_init__(self) -> None:
        self._noise = iter(self.noise)

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        return [self._one(layout, request) for request in requests]

    def end(self) -> bool:
        self.process += 1
        return True

    def _one(self, layout: MessageLayout, request: Request) -> Reply:
        codec = compile_layout(layout)
        reply: Reply
        value: dict[str, Any]
        if isinstance(request, Encode):
            reply, value = Encoded(codec.encode(request.value)), request.value
        else:
            assert isinstance(request, Decode)
            value = codec.decode(request.data)
            reply = Decoded(value)
        self.asked.append(len(value.get("hops") or ()))
        if self.asked[-1] > self.largest:
            return self.beyond
        self.spent_s += BYTE_S * self.work(request, reply) * next(self._noise)
        self.process += self.dies
        return reply


def clock(adapter: Any) -> CpuTime:
    return CpuTime(adapter.process, adapter.spent_s)


def environment_of(*meters: Meter) -> WorkerEnvironment:
    return replace(small_environment.make()(), adapters=list(meters), growth=GrowthScreen(clock))


def tried(environment: WorkerEnvironment, only: str = "", version: int = 3) -> tuple[int, list[FailedCase]]:
    events: list[Any] = []
    cell = small_environment.cell("PingRequest", version)
    recorder = CellRecorder(cell, str, events.append)
    context = context_of(
        environment, RunOptions(phases=(Phase.ENUMERATED,)), cell, recorder, lambda phase, names: None
    )
    return try_growth(replace(context, only=only)), events


def kinds(events: Sequence[FailedCase]) -> list[tuple[str, str, str]]:
    return [
        (event.case_id.partition("enumerated/")[2], event.divergences[0].path, event.divergences[0].kind)
        for event in events
    ]


@pytest.mark.parametrize(
    ("work", "found"),
    [
        (slices_rest, (HOPS, "hops", "faster-than-linear:decode")),
        (joins_each, (HOPS, "hops", "faster-than-linear:encode")),
        (scans_tags, (TAGS, "_tags", "faster-than-linear:decode")),
    ],
)
def test_cost_that_grows_by_the_square_is_a_finding(work: Work, found: tuple[str, str, str]) -> None:
    """The finding names the direction and the collection."""
    _, events = tried(environment_of(Meter(work)))
    assert kinds(events) == [found]
    assert events[0].divergences[0].check == "growth"


@pytest.mark.parametrize("work", [linear, slow])
def test_linear_cost_passes(work: Work) -> None:
    """A slow codec passes too, and no process is ended for it."""
    meter = Meter(work)
    assert tried(environment_of(meter))[1] == []
    assert meter.process == 0


def test_a_noisy_clock_gives_no_finding() -> None:
    """Two of three measurements show up to ten times the time that a linear codec takes."""
    noise = (factor for _ in range(10_000) for factor in (1.0, 10.0, 1.0, 1.0, 7.0, 9.0, 1.0))
    assert tried(environment_of(Meter(linear, noise)))[1] == []


def test_cost_below_the_resolution_of_clocks_gives_no_finding() -> None:
    """A ratio of times near zero has no meaning."""
    assert (
        tried(environment_of(Meter(lambda request, reply: slices_rest(request, reply) // 100_000)))[1] == []
    )


def test_time_of_two_processes_is_not_compared() -> None:
    """A codec with a new process after each request is not judged."""
    assert tried(environment_of(Meter(slices_rest, dies=True)))[1] == []


@pytest.mark.parametrize(("divisor", "most"), [(20, 8192), (1, 2048)])
def test_second_attempt_is_a_fresh_process_with_more_elements(divisor: int, most: int) -> None:
    """There is no second attempt for elements that already take a codec long."""
    meter = Meter(lambda request, reply: slices_rest(request, reply) // divisor)
    assert len(tried(environment_of(meter))[1]) == 1
    assert meter.process == 3
    assert max(meter.asked) == most


def test_the_cost_of_a_cold_process_is_ignored() -> None:
    """A codec that is quadratic only until its process is ended was still compiling."""
    meter = Meter(linear)
    meter.work = lambda request, reply: (linear if meter.process else slices_rest)(request, reply)
    assert tried(environment_of(meter))[1] == []
    assert meter.process == 1


@pytest.mark.parametrize("process", [1, 2, 3])
def test_a_finding_needs_three_fresh_processes(process: int) -> None:
    """A cost that only some processes have is ignored: it may come from garbage collection or a compiler."""
    meter = Meter(linear)
    meter.work = lambda request, reply: (linear if meter.process == process else slices_rest)(request, reply)
    assert tried(environment_of(meter))[1] == []
    assert meter.process == process


def test_codec_without_a_clock_is_not_asked() -> None:
    """Without a clock its answers would show no growth."""
    meter = Meter(slices_rest)
    tried(replace(environment_of(meter), growth=GrowthScreen(lambda adapter: None)))
    assert meter.asked == []


@pytest.mark.parametrize(
    ("beyond", "kind"),
    [(Refused("TOO_MANY", "no"), "refused:TOO_MANY"), (Crashed("hang", "no answer"), "crashed:hang")],
)
def test_large_input_without_answer_is_a_finding(beyond: Reply, kind: str) -> None:
    """The same elements are answered in a small input."""
    _, events = tried(environment_of(Meter(linear, largest=1000, beyond=beyond)))
    assert set(kinds(events)) == {(HOPS, "hops", kind)}


def test_the_limit_of_a_codec_is_not_a_finding() -> None:
    """Elements beyond the limit of its types are not judged."""
    limit = Unsupported("small", "it is small")
    assert tried(environment_of(Meter(linear, largest=1000, beyond=limit)))[1] == []


def test_each_kind_of_elements_is_asked_for_once_in_a_process() -> None:
    """Each codec is asked once with compact lengths and once without; a request by name is always asked."""
    environment = environment_of(Meter(linear), Meter(linear, name="other"))
    every, _ = tried(environment)
    assert every == 2 * 3  # text, numbers, unknown tags
    assert tried(environment)[0] == 0
    assert tried(environment, version=1)[0] == 2 * 2  # no tags there
    assert tried(environment, only=HOPS)[0] == 2


def test_finding_is_replayed_by_its_name() -> None:
    """The replay works in a process that was asked for the elements before, too."""
    environment = environment_of(Meter(slices_rest))
    _, events = tried(environment)
    case = CaseId.parse(events[0].case_id)
    again = replay(environment, small_environment.cell("PingRequest", 3), case)
    assert kinds(again) == kinds(events)


def test_the_enumerated_phase_measures_growth() -> None:
    """A cell with a quadratic decoder fails."""
    events: list[Any] = []
    made = small_environment.make()()
    codec, spent_s = made.adapters[0], [0.0]

    class Quadratic:
        name = "quadratic"

        def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
            replies = codec.ask(cell, layout, requests)
            pairs = zip(requests, replies, strict=True)
            spent_s[0] += BYTE_S * sum(slices_rest(request, reply) for request, reply in pairs)
            return replies

    screen = GrowthScreen(lambda adapter: CpuTime(0, spent_s[0]))
    environment = replace(made, adapters=[Quadratic()], growth=screen)
    cell = small_environment.cell("PingRequest", 3)
    options = RunOptions(phases=(Phase.ENUMERATED,), shrink_s=0)
    CellProver(environment, options, cell, events.append, lambda phase, names: None).prove()
    failed = [event for event in events if isinstance(event, FailedCase)]
    assert kinds(failed) == [(HOPS, "hops", "faster-than-linear:decode")]


def test_clock_never_shows_that_a_known_growth_is_gone() -> None:
    """Another process may have been asked for these elements, in another cell."""
    assert entry(check="growth", phases=()).judged_phases == frozenset()
