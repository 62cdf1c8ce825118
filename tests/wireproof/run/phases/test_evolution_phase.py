"""The evolution phase over two releases, with an oracle that needs no Java."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.schema import FieldSpec, MessageSpec, ScalarType, SchemaSet, VersionRange
from kafkawire.schema.layout import MessageLayout
from kafkawire.values import TAGS
from tests.support.environments import small_environment
from tests.support.oracles.twin_oracle import TwinOracle
from wireproof.adapters.own import KafkawireAdapter
from wireproof.model import Cell, EqualityBreach, OracleReply, OracleValue, Phase, VersionAnswer
from wireproof.run import CellResult, FailedCase, Layouts, RunOptions, WorkerEnvironment
from wireproof.run.core.cell_events import ProverEvent
from wireproof.run.provers.message_prover import CellProver
from wireproof.strategies.layout_source import LayoutSource

OLD, NEW = "1.9.0", "1.10.0"


def schemas() -> dict[str, SchemaSet]:
    """The newer release has one tagged field more, at a version that the older one has too."""
    first = small_environment.schemas()
    messages = dict(first.modules["clients"])
    messages["PingRequest"] = with_extra(messages["PingRequest"])
    return {NEW: SchemaSet(NEW, {"clients": messages}), OLD: SchemaSet(OLD, first.modules)}


def with_extra(spec: MessageSpec) -> MessageSpec:
    since = VersionRange.parse("2+")
    extra = FieldSpec("Extra", ScalarType.INT32, since, tagged_versions=since, tag=1)
    return replace(spec, fields=(*spec.fields, extra))


class Wrong:
    """Our codec, wrong in one way.

    Args:
        read: what becomes of a decoded value.
        write: what becomes of a value to encode.
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
    oracle: type[TwinOracle] = TwinOracle,
    phase: Phase = Phase.EVOLUTION,
) -> tuple[CellResult, list[FailedCase], list[str]]:
    """One cell: what came of it, the failures, and the names of all cases."""
    layouts = Layouts(schemas())
    made = WorkerEnvironment(
        layouts=layouts,
        adapters=[KafkawireAdapter("ours", make, {})],
        oracles={each: oracle(each, layouts) for each in (NEW, OLD)},
        source=LayoutSource(lambda cell: ""),
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
    """1.10 is newer than 1.9: what each writes is read by the other, in the older one's cell alone."""
    done, failed, names = prove(OLD, 2)
    assert failed == []
    assert {name for name in names if name.startswith(("from-", "to-"))} == {
        *(f"from-{NEW}/message/{name}" for name in ("default", "fullest", "fullest-known", "nulls")),
        *(f"to-{NEW}/message/{name}" for name in ("default", "fullest-known", "nulls")),
    }
    assert done.cases[Phase.EVOLUTION] > len(names)
    assert not any(name.startswith(("from-", "to-")) for name in prove(NEW, 2)[2])


def test_versions_without_tags_have_no_pair() -> None:
    """A version that is no flexible one has its absent fields, and its bound where it is the lowest."""
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
def test_a_wrong_codec_is_told(
    version: int, make: Callable[[MessageLayout], MessageCodec], check: str, case: str
) -> None:
    """Each has the check and the case that says what is wrong."""
    done, failed, _ = prove(OLD, version, make)
    assert done.failed_cases > 0
    told = {(event.divergences[0].check, event.case_id.split("/", 4)[4]) for event in failed}
    assert (check, case) in told


class Unequal(TwinOracle):
    """Its classes do not keep the law of equality, and its second codec reads another value."""

    def equality(self, cell: Cell, layout: MessageLayout, value: bytes) -> list[EqualityBreach]:
        return [EqualityBreach("count", "change-unseen")]

    def second_reread(self, cell: Cell, layout: MessageLayout, bodies: Sequence[bytes]) -> list[OracleReply]:
        replies = super().second_reread(cell, layout, bodies)
        return [
            replace(reply, value=reply.value[:-1]) if isinstance(reply, OracleValue) else reply
            for reply in replies
        ]


def test_an_oracle_at_odds_with_itself_is_told() -> None:
    """The oracle phase judges the oracle: its second codec, and equality."""
    _, failed, _ = prove(OLD, 2, oracle=Unequal, phase=Phase.ORACLE)
    assert {(event.divergences[0].check, event.divergences[0].subject) for event in failed} == {
        ("second-opinion", "oracle"),
        ("equality", "oracle"),
    }


class Boundless(TwinOracle):
    """Names other versions, and takes one that it does not have."""

    def bounds(self, cell: Cell, version: int) -> VersionAnswer:
        return VersionAnswer(0, 9, True, "taken", "taken")


def test_bounds_that_do_not_hold_are_told() -> None:
    """Another range, a schema, a request that is taken: each is told; that a class writes is an erratum."""
    done, failed, _ = prove(OLD, 0, oracle=Boundless)
    (event,) = [event for event in failed if event.case_id.endswith("/version/below")]
    assert {divergence.check for divergence in event.divergences} == {"versions"}
    assert len(event.divergences) == 4
    assert done.errata == {}


def test_third_parties_tell_whom_they_agree_with() -> None:
    """A codec that writes other bytes stands alone: second codec and other release are with the oracle."""
    _, failed, _ = prove(
        OLD, 1, lambda layout: Wrong(layout, write=lambda v: v | {"count": 7}), phase=Phase.ENUMERATED
    )
    told = [event.divergences[0].opinions for event in failed if event.divergences[0].check == "bytes"]
    assert told
    assert set(told) == {f"SCHEMAS: Kafka; {NEW}: Kafka"}
