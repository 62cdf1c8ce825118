"""Cells that two releases define alike: the codec works once, each release's oracle answers everything."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kafkawire.compiler import interpret_layout
from kafkawire.schema import SchemaSet, VersionRange
from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from tests.support.oracles.twin_oracle import TwinOracle
from wireproof.adapters.own import KafkawireAdapter
from wireproof.model import Cell, OracleReply, OracleValue, Phase, Reply, Request
from wireproof.run import CellResult, FailedCase, Layouts, RunOptions, WorkerEnvironment
from wireproof.run.core.cell_events import ProverEvent
from wireproof.run.core.growth_screen import GrowthScreen
from wireproof.run.core.plan import over_releases
from wireproof.run.provers.message_prover import CellProver
from wireproof.strategies.layout_source import LayoutSource

OLD, NEW = "1.0.0", "2.0.0"
OPTIONS = RunOptions(phases=(Phase.ENUMERATED,))


class CountingAdapter(KafkawireAdapter):
    """Our codec, counting what each cell asks of it."""

    asked: Mapping[str, int] = {}

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        self.asked = {**self.asked, cell.release: self.asked.get(cell.release, 0) + len(requests)}
        return super().ask(cell, layout, requests)


@dataclass
class CountingOracle(TwinOracle):
    """A twin that counts the values it is given, and may write one byte more than it should."""

    tail: bytes = b""
    values: list[bytes] = field(default_factory=list)

    def write(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        self.values += values
        replies = super().write(cell, layout, values)
        return [
            replace(reply, written=reply.written + self.tail) if isinstance(reply, OracleValue) else reply
            for reply in replies
        ]


def bench(tails: Mapping[str, bytes], later: Callable[[SchemaSet], SchemaSet]) -> WorkerEnvironment:
    """Two releases of the same messages; `later` makes the second out of the first."""
    first = small_environment.schemas()
    schemas = {OLD: first, NEW: SchemaSet(NEW, later(first).modules)}
    layouts = Layouts(schemas)
    return WorkerEnvironment(
        layouts=layouts,
        adapters=[CountingAdapter("ours", interpret_layout, {})],
        oracles={
            release: CountingOracle(release, layouts, tail=tails.get(release, b"")) for release in schemas
        },
        source=LayoutSource(lambda cell: ""),
        growth=GrowthScreen(lambda adapter: None),  # it asks once in a process, whatever the release
    )


def prove(made: WorkerEnvironment) -> tuple[list[CellResult], list[FailedCase]]:
    """One cell of both releases, the older first."""
    failed: list[FailedCase] = []
    done = []

    def keep(event: ProverEvent) -> None:
        if isinstance(event, FailedCase):
            failed.append(event)

    for release in (OLD, NEW):
        cell = Cell(release, "clients", "PingRequest", 2)
        result = CellProver(made, OPTIONS, cell, keep, lambda phase, names: None).prove()
        assert isinstance(result, CellResult)
        done.append(result)
    return done, failed


def same(schemas: SchemaSet) -> SchemaSet:
    return schemas


def longer(schemas: SchemaSet) -> SchemaSet:
    """A release with one more version of the request, and no new field."""
    messages = dict(schemas.modules["clients"])
    messages["PingRequest"] = replace(messages["PingRequest"], valid_versions=VersionRange(0, 4))
    return SchemaSet(NEW, {"clients": messages})


def other(schemas: SchemaSet) -> SchemaSet:
    """A release where a default is another."""
    messages = dict(schemas.modules["clients"])
    name, count, *rest = messages["PingRequest"].fields
    fields = (name, replace(count, default="-2"), *rest)
    messages["PingRequest"] = replace(messages["PingRequest"], fields=fields)
    return SchemaSet(NEW, {"clients": messages})


def counts(made: WorkerEnvironment) -> tuple[int, int]:
    """How much our codec was asked for each release."""
    (adapter,) = made.adapters
    assert isinstance(adapter, CountingAdapter)
    return adapter.asked.get(OLD, 0), adapter.asked.get(NEW, 0)


def values(made: WorkerEnvironment, release: str) -> list[bytes]:
    oracle = made.oracles[release]
    assert isinstance(oracle, CountingOracle)
    return oracle.values


def test_the_codec_works_once() -> None:
    """The second release asks our codec nothing and its own oracle everything, also where versions came."""
    for later in (same, longer):
        made = bench({}, later)
        (first, second), failed = prove(made)
        old, new = counts(made)
        assert (old > 0, new) == (True, 0)
        assert values(made, OLD) == values(made, NEW) != []
        assert second.cases[Phase.ENUMERATED] == len(values(made, NEW)) <= first.cases[Phase.ENUMERATED]
        assert failed == []


def test_another_layout_is_proven_anew() -> None:
    """Where the releases differ in the cell nothing is taken over."""
    made = bench({}, other)
    (first, second), failed = prove(made)
    old, new = counts(made)
    assert old == new > 0
    assert first.cases == second.cases
    assert failed == []


def test_a_release_that_answers_otherwise_is_judged() -> None:
    """The second release's classes write another byte: told as its divergence, not the first one's."""
    made = bench({NEW: b"\x00"}, same)
    (first, second), failed = prove(made)
    assert first.failed_cases == 0
    assert second.failed_cases == second.cases[Phase.ENUMERATED] > 0
    assert {event.cell.release for event in failed} == {NEW}


def test_refusals_count_for_every_release() -> None:
    """No release is asked for what the codec refuses: it is met also where all else is judged again."""
    for tails in ({}, {NEW: b"\x00"}):
        (first, second), _ = prove(bench(tails, same))
        assert first.coverage is not None
        assert second.coverage is not None
        missing = first.coverage.missing + second.coverage.missing
        assert [name for name in missing if "/refused-" in name] == []
        assert second.coverage.covered > 0


def test_what_was_not_proven_is_not_taken_over() -> None:
    """A first release that diverges leaves the second one all of the work."""
    made = bench({OLD: b"\x00"}, same)
    (first, second), failed = prove(made)
    assert first.failed_cases > 0
    assert second.failed_cases == 0
    assert counts(made)[1] > 0
    assert {event.cell.release for event in failed} == {OLD}


def test_cells_of_one_name_go_together() -> None:
    """One process gets a message and version of every release, one after the other."""
    cells = [Cell(release, "clients", "A", version) for release in (OLD, NEW) for version in (0, 1)]
    assert over_releases([*cells, Cell(NEW, "clients", "B", 0)]) == [
        (cells[0], cells[2]),
        (cells[1], cells[3]),
        (Cell(NEW, "clients", "B", 0),),
    ]
