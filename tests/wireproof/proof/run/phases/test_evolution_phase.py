"""The evolution phase over two releases, with an oracle that needs no Java."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.schema import FieldSpec, MessageSpec, ScalarType, SchemaSet, VersionRange, resolve
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS
from tests.support.environments import small_environment
from tests.support.oracles.interpreted_oracle import InterpretedOracle
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import FaultOwner
from wireproof.model.oracle import EqualityBreach, OracleReply, OracleValue, VersionAnswer
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.checks.fault_attribution import FaultEvidence, judge_fault
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, ProverEvent
from wireproof.proof.run.core.environment import Layouts, OtherDefinitions, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies.layout_source import LayoutSource

OLD, NEW = "1.9.0", "1.10.0"


def schemas() -> dict[str, SchemaSet]:
    """Return two releases: the newer one has one more tagged field, at a version that the older one has
    too."""
    first = small_environment.schemas()
    messages = dict(first.modules["clients"])
    messages["PingRequest"] = with_extra(messages["PingRequest"])
    return {NEW: SchemaSet(NEW, {"clients": messages}), OLD: SchemaSet(OLD, first.modules)}


def with_extra(spec: MessageSpec) -> MessageSpec:
    since = VersionRange.parse("2+")
    extra = FieldSpec("Extra", ScalarType.INT32, since, tagged_versions=since, tag=1)
    return replace(spec, fields=(*spec.fields, extra))


class Wrong:
    """Our codec, with one fault.

    Args:
        read: changes each decoded value.
        write: changes each value to encode.
    """

    def __init__(
        self,
        layout: MessageLayout,
        read: Callable[[dict[str, Any]], dict[str, Any]] = dict,
        write: Callable[[dict[str, Any]], dict[str, Any]] = dict,
    ) -> None:
        self._codec, self.layout, self.source = interpret_layout(layout), layout, ""
        self._read, self._write = read, write

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(self._write(value))

    def size(self, value: dict[str, Any]) -> int:
        return len(self.encode(value))

    def decode(self, data: bytes | bytearray | memoryview) -> dict[str, Any]:
        return self._read(self._codec.decode(data))

    def decode_from(self, buffer: bytes | bytearray | memoryview, offset: int) -> tuple[dict[str, Any], int]:
        value, end = self._codec.decode_from(buffer, offset)
        return self._read(value), end


def without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda value: {key: held for key, held in value.items() if key != name}


def prove(
    release: str,
    version: int,
    make: Callable[[MessageLayout], MessageCodec] = interpret_layout,
    oracle: type[InterpretedOracle] = InterpretedOracle,
    phase: Phase = Phase.EVOLUTION,
    other_definitions: OtherDefinitions | None = None,
) -> tuple[CellResult, list[FailedCase], list[str]]:
    """Prove one cell; return its result, the failures, and the names of all cases."""
    layouts = Layouts(schemas())
    made = WorkerEnvironment(
        layouts=layouts,
        adapters=[KafkawireAdapter("ours", make, {})],
        oracles={each: oracle(each, layouts) for each in (NEW, OLD)},
        source=LayoutSource(lambda cell: ""),
        other_definitions=other_definitions,
        foreign=other_definitions is not None,
    )
    failed: list[FailedCase] = []
    names: list[str] = []

    def announce(phase: Phase, cases: Sequence[str]) -> None:
        names.extend(cases)

    def keep(event: ProverEvent) -> None:
        if isinstance(event, FailedCase):
            failed.append(event)

    cell = Cell(release, "clients", "PingRequest", version)
    options = RunOptions(phases=(phase,))
    done = CellProver(made, options, cell, keep, announce).prove()
    assert isinstance(done, CellResult)
    return done, failed, names


def test_a_pair_of_releases_is_tried_both_ways_at_the_older() -> None:
    """1.10 is newer than 1.9. Each release reads the values of the other, in the cell of the older one
    alone."""
    done, failed, names = prove(OLD, 2)
    assert failed == []
    assert {name for name in names if name.startswith(("from-", "to-"))} == {
        *(f"from-{NEW}/message/{name}" for name in ("default", "fullest", "fullest-known", "nulls")),
        *(f"to-{NEW}/message/{name}" for name in ("default", "fullest-known", "nulls")),
    }
    assert done.cases[Phase.EVOLUTION] > len(names)
    assert not any(name.startswith(("from-", "to-")) for name in prove(NEW, 2)[2])


def test_versions_without_tags_have_no_pair() -> None:
    """A version without tag sections has cases for absent fields, and for a bound if it is the lowest."""
    assert set(prove(OLD, 0)[2]) == {
        "hops/off-default",
        "hops/at-default",
        "note/off-default",
        "note/at-default",
        "version/below",
    }


@pytest.mark.parametrize(
    ("version", "make", "check", "case"),
    [
        (2, lambda layout: Wrong(layout, read=without(TAGS)), "tags-kept", "grown/message/fullest-known"),
        (0, lambda layout: Wrong(layout, write=without("note")), "absent", "note/off-default"),
        (0, lambda layout: Wrong(layout, write=lambda v: v | {"note": "x"}), "absent", "hops/at-default"),
    ],
    ids=["unknown tags dropped", "a field dropped in silence", "a field refused that may be dropped"],
)
def test_a_wrong_codec_is_reported(
    version: int, make: Callable[[MessageLayout], MessageCodec], check: str, case: str
) -> None:
    """The failure has the check and the case that name the fault."""
    done, failed, _ = prove(OLD, version, make)
    assert done.failed_cases > 0
    failures = {(event.divergences[0].check, event.case_id.split("/", 4)[4]) for event in failed}
    assert (check, case) in failures


class Unequal(InterpretedOracle):
    """An oracle whose classes break the law of equality, and whose second codec reads another value."""

    def equality(self, cell: Cell, layout: MessageLayout, value: bytes) -> list[EqualityBreach]:
        return [EqualityBreach("count", "change-unseen")]

    def second_reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        replies = super().second_reread(cell, layout, bodies)
        return [
            replace(reply, value=reply.value[:-1]) if isinstance(reply, OracleValue) else reply
            for reply in replies
        ]


def test_an_inconsistent_oracle_is_reported() -> None:
    """The oracle phase judges the oracle by its second codec and by equality."""
    _, failed, _ = prove(OLD, 2, oracle=Unequal, phase=Phase.ORACLE)
    assert {(event.divergences[0].check, event.divergences[0].subject) for event in failed} == {
        ("second-opinion", "oracle"),
        ("equality", "oracle"),
    }


class Boundless(InterpretedOracle):
    """An oracle that names other versions, and accepts a version that it does not have."""

    def bounds(self, cell: Cell, version: int) -> VersionAnswer:
        return VersionAnswer(0, 9, True, "taken", "taken")


def test_wrong_version_bounds_are_reported() -> None:
    """A wrong range, a schema and an accepted request are each reported; a class that writes an unknown
    version is a known Kafka bug."""
    done, failed, _ = prove(OLD, 0, oracle=Boundless)
    (event,) = [event for event in failed if event.case_id.endswith("/version/below")]
    assert {divergence.check for divergence in event.divergences} == {"versions"}
    assert len(event.divergences) == 4
    assert done.errata == {}


def test_a_second_opinion_names_the_implementation_that_it_agrees_with() -> None:
    """If a codec writes other bytes, the second codec and the other release agree with the oracle."""
    _, failed, _ = prove(
        OLD, 1, lambda layout: Wrong(layout, write=lambda v: v | {"count": 7}), phase=Phase.ENUMERATED
    )
    opinions = [event.divergences[0].opinions for event in failed if event.divergences[0].check == "bytes"]
    assert opinions
    assert set(opinions) == {f"SCHEMAS: Kafka; {NEW}: Kafka"}


def test_a_default_of_another_release_is_named() -> None:
    """A codec that fills in the default of a release outside the run is right for that release."""
    spec = small_environment.schemas().modules["clients"]["PingRequest"]
    count = next(each for each in spec.fields if each.name == "Count")
    fields = (replace(each, default="-2") if each is count else each for each in spec.fields)
    older = replace(spec, fields=tuple(fields))

    def others(cell: Cell) -> Iterator[tuple[str, MessageLayout]]:
        yield "1.8.0", resolve(older, cell.version)

    _, failed, _ = prove(
        OLD,
        1,
        lambda _: interpret_layout(resolve(older, 1)),
        phase=Phase.ENUMERATED,
        other_definitions=others,
    )
    found = [
        each for event in failed for each in event.divergences if each.check == "bytes" and each.opinions
    ]
    assert found
    for each in found:
        assert each.opinions.endswith("1.8.0: its definition makes the codec's bytes: --release 1.8.0")
        blame = judge_fault(each, FaultEvidence(), foreign=True)
        assert blame.whose is FaultOwner.CODEC_OR_ADAPTER
        assert "if the codec is of that release, it is right; type --release 1.8.0" in blame.evidence
