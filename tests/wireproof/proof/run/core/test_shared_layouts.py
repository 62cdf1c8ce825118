"""Cells with one layout in two releases: the codec is asked once, the oracle of each release always."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from kafkawire.compiler import interpret_layout
from kafkawire.schema import SchemaSet, VersionRange
from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from tests.support.oracles.interpreted_oracle import InterpretedOracle
from wireproof.model.adapter import Reply, Request
from wireproof.model.cell import Cell, Phase
from wireproof.model.oracle import OracleReply, OracleValue
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, ProverEvent
from wireproof.proof.run.core.environment import GrowthScreen, Layouts, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions, over_releases
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies.layout_source import LayoutSource

OLD, NEW = "1.0.0", "2.0.0"
OPTIONS = RunOptions(phases=(Phase.ENUMERATED,))


class CountingAdapter(KafkawireAdapter):
    """Our codec, which counts the requests of each release."""

    asked: Mapping[str, int] = {}

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        self.asked = {**self.asked, cell.release: self.asked.get(cell.release, 0) + len(requests)}
        return super().ask(cell, layout, requests)


@dataclass
class CountingOracle(InterpretedOracle):
    """Our codec as an oracle, which counts its values and may write one byte too many."""

    tail: bytes = b""
    values: list[bytes] = field(default_factory=list)

    def write(self, cell: Cell, layout: MessageLayout, values: Sequence[bytes]) -> list[OracleReply]:
        self.values += values
        replies = super().write(cell, layout, values)
        return [
            replace(reply, written=reply.written + self.tail) if isinstance(reply, OracleValue) else reply
            for reply in replies
        ]


def environment_of(tails: Mapping[str, bytes], later: Callable[[SchemaSet], SchemaSet]) -> WorkerEnvironment:
    """Make an environment with two releases of the same messages; `later` makes the second from the first."""
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


def prove(environment: WorkerEnvironment) -> tuple[list[CellResult], list[FailedCase]]:
    """Prove one cell in both releases, the older release first."""
    failed: list[FailedCase] = []
    done = []

    def keep(event: ProverEvent) -> None:
        if isinstance(event, FailedCase):
            failed.append(event)

    for release in (OLD, NEW):
        cell = Cell(release, "clients", "PingRequest", 2)
        result = CellProver(environment, OPTIONS, cell, keep, lambda phase, names: None).prove()
        assert isinstance(result, CellResult)
        done.append(result)
    return done, failed


def same(schemas: SchemaSet) -> SchemaSet:
    return schemas


def longer(schemas: SchemaSet) -> SchemaSet:
    """Return a release with one more version of the request, and without a new field."""
    messages = dict(schemas.modules["clients"])
    messages["PingRequest"] = replace(messages["PingRequest"], valid_versions=VersionRange(0, 4))
    return SchemaSet(NEW, {"clients": messages})


def other(schemas: SchemaSet) -> SchemaSet:
    """Return a release in which one default differs."""
    messages = dict(schemas.modules["clients"])
    name, count, *rest = messages["PingRequest"].fields
    fields = (name, replace(count, default="-2"), *rest)
    messages["PingRequest"] = replace(messages["PingRequest"], fields=fields)
    return SchemaSet(NEW, {"clients": messages})


def counts(environment: WorkerEnvironment) -> tuple[int, int]:
    """Return the number of requests to our codec for each release."""
    (adapter,) = environment.adapters
    assert isinstance(adapter, CountingAdapter)
    return adapter.asked.get(OLD, 0), adapter.asked.get(NEW, 0)


def values(environment: WorkerEnvironment, release: str) -> list[bytes]:
    oracle = environment.oracles[release]
    assert isinstance(oracle, CountingOracle)
    return oracle.values


def test_the_codec_is_asked_once_for_a_shared_layout() -> None:
    """The second release sends no request to our codec and every value to its own oracle. This also holds
    where the second release has more versions."""
    for later in (same, longer):
        environment = environment_of({}, later)
        (first, second), failed = prove(environment)
        old, new = counts(environment)
        assert (old > 0, new) == (True, 0)
        assert values(environment, OLD) == values(environment, NEW) != []
        assert (
            second.cases[Phase.ENUMERATED] == len(values(environment, NEW)) <= first.cases[Phase.ENUMERATED]
        )
        assert failed == []


def test_another_layout_is_proven_again() -> None:
    """No result is shared where the two releases define the cell differently."""
    environment = environment_of({}, other)
    (first, second), failed = prove(environment)
    old, new = counts(environment)
    assert old == new > 0
    assert first.cases == second.cases
    assert failed == []


def test_a_release_whose_oracle_differs_is_judged() -> None:
    """The second release's classes write one byte more: this is reported as a divergence of that release
    alone."""
    environment = environment_of({NEW: b"\x00"}, same)
    (first, second), failed = prove(environment)
    assert first.failed_cases == 0
    assert second.failed_cases == second.cases[Phase.ENUMERATED] > 0
    assert {event.cell.release for event in failed} == {NEW}


def test_refusals_count_for_every_release() -> None:
    """Refused values are not sent to an oracle, so their classes are covered in each release, even where the
    other cases are judged again."""
    for tails in ({}, {NEW: b"\x00"}):
        (first, second), _ = prove(environment_of(tails, same))
        assert first.coverage is not None
        assert second.coverage is not None
        missing = first.coverage.missing + second.coverage.missing
        assert [name for name in missing if "/refused-" in name] == []
        assert second.coverage.covered > 0


def test_an_unproven_result_is_not_shared() -> None:
    """If the first release diverges, the second release proves the whole cell."""
    environment = environment_of({OLD: b"\x00"}, same)
    (first, second), failed = prove(environment)
    assert first.failed_cases > 0
    assert second.failed_cases == 0
    assert counts(environment)[1] > 0
    assert {event.cell.release for event in failed} == {OLD}


def test_cells_of_one_message_and_version_are_one_group() -> None:
    """One process proves a message and version in every release, one release after the other."""
    cells = [Cell(release, "clients", "A", version) for release in (OLD, NEW) for version in (0, 1)]
    assert over_releases([*cells, Cell(NEW, "clients", "B", 0)]) == [
        (cells[0], cells[2]),
        (cells[1], cells[3]),
        (Cell(NEW, "clients", "B", 0),),
    ]
