"""The codec that ``--testee`` names: its claims, its cells, and the events about it."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.app.assembly.inputs.run_inputs import NamingLayouts
from wireproof.app.assembly.worker_environment import open_testee
from wireproof.base.text.wording import echo
from wireproof.kafka.releases.release_table import table
from wireproof.model.adapter import Decode, Decoded, Encode, Encoded
from wireproof.model.cell import Cell
from wireproof.model.repertoire import ClaimProblem, CodecDirection, MessageVersion
from wireproof.proof.adapters.testee.testee_adapter import TesteeAdapter
from wireproof.proof.checks.claims.claim_coverage import judge_repertoire, judge_tried, to_try
from wireproof.proof.run.core.environment import Layouts, all_cells
from wireproof.proof.run.core.run_events import RunHeader
from wireproof.proof.run.engine.engine import ClaimsAudit
from wireproof.proof.testees.build.launch import Launch, prepare_testee
from wireproof.proof.testees.description.hello import Hello
from wireproof.proof.testees.description.source_locations import lines_of_messages
from wireproof.verdict.ledger.audit import AuditScope

LEDGER: Final = "ledger.toml"
"""The file with a testee's known deviations, in its folder."""


@dataclass(frozen=True, slots=True)
class CodecUnderTest:
    """The codec that a run is about.

    Attributes:
        word: the name that the user typed.
        launch: the way to start it; None for our own codec, which needs no start.
        hello: its answer to the greeting.
        where: the place where it runs, in words.
        enforced: the limits that are enforced there.
    """

    word: str = ""
    launch: Launch | None = None
    hello: Hello | None = None
    where: str = ""
    enforced: Mapping[str, str] = field(default_factory=dict)

    @property
    def ledger(self) -> str | None:
        """The file of its known deviations, if there is one in its folder."""
        home = None if self.launch is None else self.launch.home
        return str(home / LEDGER) if home is not None and (home / LEDGER).is_file() else None

    @property
    def ledger_of(self) -> str:
        """The version that this file is about, if another version is under test; else empty."""
        return "" if self.launch is None or self.ledger is None else self.launch.instead_of

    @property
    def asked(self) -> AuditScope | None:
        """The scope of a ledger's audit; None if our own codec is under test."""
        if self.hello is None:
            return None
        return AuditScope((self.hello.identity.subject,))

    def claimed(self, cells: Sequence[Cell]) -> list[Cell]:
        if self.hello is None:
            return list(cells)
        return [cell for cell in cells if self.hello.concerns(cell.message, cell.version)]

    def describe(self, started: RunHeader) -> RunHeader:
        """Return the header of the run with what the testee says of itself."""
        if self.hello is None or self.launch is None:
            return started
        messages = dict.fromkeys(message for message, _ in self.hello)
        return replace(
            started,
            testee=self.word,
            limits=self.hello.limits,
            where=self.where,
            enforced=self.enforced,
            locations=lines_of_messages(self.launch.locations, messages),
        )


def under_test(word: str | None, cache_dir: Path, *, offline: bool) -> CodecUnderTest:
    """The codec that the option names, greeted once; our own codec without the option."""
    if word is None:
        return CodecUnderTest()
    launch = prepare_testee(word, cache_dir, lambda words: echo(words, err=True), offline=offline)
    return subject_of(word, launch)


def subject_of(word: str, launch: Launch) -> CodecUnderTest:
    """A testee that is ready to be started, greeted once; `TesteeError` if it does not start or greet."""
    testee = open_testee(launch)
    try:
        return CodecUnderTest(word, launch, testee.hello(), testee.location, testee.enforced)
    finally:
        testee.close()


_TRIED: Final = 3
"""The number of named cases that are tried at a place that the testee does not claim."""


def claims_audit(
    launch: Launch | None, hello: Hello | None, cells: Sequence[Cell], layouts: Layouts
) -> ClaimsAudit | None:
    """The audit of a testee's claims at the end of a run; None if our own codec is under test."""
    if launch is None or hello is None:
        return None

    def audit() -> Sequence[ClaimProblem]:
        problems = judge_hello(hello, cells)
        return [*problems, *_judge_tried(launch, hello, cells, layouts)]

    return audit


def judge_hello(hello: Hello, cells: Sequence[Cell]) -> tuple[ClaimProblem, ...]:
    """Return the mistakes in the claims of a testee; no question is sent."""
    here = {(cell.message, cell.version) for cell in cells}
    nowhere = _nowhere(set(hello.repertoire.claimed) - here)
    return tuple(judge_repertoire(hello.identity.subject, hello.repertoire, here, nowhere))


def _nowhere(places: set[MessageVersion]) -> set[MessageVersion]:
    """Return the places that no known release has. Releases are read only while places are left."""
    left = set(places)
    for release in table():
        if not left:
            break
        (schemas,) = snapshots([release]).values()
        left -= {(cell.message, cell.version) for cell in all_cells(schemas)}
    return left


def _judge_tried(
    launch: Launch, hello: Hello, cells: Sequence[Cell], layouts: Layouts
) -> tuple[ClaimProblem, ...]:
    """Return the operations that work though the testee does not claim them."""
    codec = hello.repertoire
    newest = {(cell.message, cell.version): cell for cell in cells}
    wanted = to_try(codec, newest)
    if not wanted:
        return ()
    with closing(open_testee(launch)) as testee:
        adapter = TesteeAdapter(testee, {}, NamingLayouts())
        worked = {place: _working(adapter, newest[place], layouts, ways) for place, ways in wanted.items()}
    return judge_tried(hello.identity.subject, codec, worked)


def _working(
    adapter: TesteeAdapter, cell: Cell, layouts: Layouts, ways: frozenset[CodecDirection]
) -> frozenset[CodecDirection]:
    """Return the directions in which the testee answers all of a few cases as our own, proven codec does."""
    from wireproof.proof.strategies.cases.scenarios import scenarios

    layout = layouts.of(cell)
    values = [each.value for each in islice(scenarios(layout), _TRIED)]
    bodies = [fastest_codec(layout).encode(value) for value in values]
    replies = adapter.ask_anyway(cell, layout, [*map(Encode, values), *map(Decode, bodies)])
    written, read = replies[: len(values)], replies[len(values) :]
    form = canonical(layout)
    works = {
        CodecDirection.ENCODE: all(
            isinstance(reply, Encoded) and reply.data == data
            for reply, data in zip(written, bodies, strict=True)
        ),
        CodecDirection.DECODE: all(
            isinstance(reply, Decoded) and form.to_binary(reply.value) == form.to_binary(value)
            for reply, value in zip(read, values, strict=True)
        ),
    }
    return frozenset(way for way in ways if works[way])
