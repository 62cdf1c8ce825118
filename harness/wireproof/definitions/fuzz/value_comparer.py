"""Comparison of the classes that Kafka's generator made with our layouts and codecs, by the usual checks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, TypeAlias

from kafkawire.compiler import MessageCodec, compile_layout, fastest_codec, interpret_layout
from kafkawire.native_module import native_state
from kafkawire.schema import MessageLayout, MessageSpec, ScalarType, SchemaSet
from wireproof.definitions.fuzz.oddities import (
    ValueFailure,
    absent_nan,
    empty_elements,
    oddity_of,
    unwritable_records,
)
from wireproof.model.cell import Cell, Phase
from wireproof.model.divergence import TAGS_TYPE, Divergence, without_indices
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.model.oracle import Oracle, OracleError
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.checks.evidence_text import field_at
from wireproof.proof.run.core.cell_events import FailedCase, LostCell, ProverEvent
from wireproof.proof.run.core.environment import Layouts, WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies.cases.scenarios import field_cases, whole_cases
from wireproof.proof.strategies.drawing.bulk_blocks import bulk_block
from wireproof.proof.strategies.layout_source import LayoutSource
from wireproof.proof.strategies.values.whole_instances import struct_locations

_SEEDED: Final = 8
_BOUNDARY: Final = 16
"""Boundary values of single fields, spread over all fields of the version."""
_WHOLE: Final = 8
_GOLDEN: Final = 0.6180339887
MOST_VALUES: Final = _WHOLE + _BOUNDARY + _SEEDED


class FuzzValues(LayoutSource):
    """A source whose bulk phase has few values that are chosen well.

    The seeded instances of a layout depend on its name, so a smaller schema has other instances and may lose
    a disagreement. The fullest instance has every field off its default in every schema.
    """

    def bulk(self, layout: MessageLayout, first: int, count: int, *, seed: int) -> Iterator[dict[str, Any]]:
        """The values of a layout from number `first` on, at most `count` of `MOST_VALUES`."""
        whole = sorted(whole_cases(layout), key=lambda each: each[0] != "fullest-known")  # it says most
        values = [value for _, value in whole]
        values += bulk_block(layout, seed, 0)[1 : _SEEDED + 1]  # the first is the empty one
        values += _boundary_values(layout)
        return islice(values, first, first + count)


def _boundary_values(layout: MessageLayout) -> list[dict[str, Any]]:
    places = [
        (place, field.name, value)
        for place in struct_locations(layout)
        for field in place.struct.all_fields
        for _, value in field_cases(field)
    ]
    chosen: Iterable[int] = range(len(places))
    if len(places) > _BOUNDARY:  # an even step would hit the same case of each field
        chosen = dict.fromkeys(int(number * _GOLDEN % 1 * len(places)) for number in range(_BOUNDARY))
    return [place.instance({name: value}) for place, name, value in map(places.__getitem__, chosen)]


_MOST_VALUE: Final = 300
"""The most characters of a value in a report."""
PHASES: Final = (Phase.SHAPE, Phase.BULK)
_MODULE: Final = "fuzz"
_TYPES: Final = frozenset({*(each.value for each in ScalarType), TAGS_TYPE})
MakeCodec: TypeAlias = Callable[[MessageLayout], MessageCodec]


def our_codecs() -> Mapping[str, MakeCodec]:
    """Return the forms of our codec by name: the native one too where it is in use."""
    native = {} if native_state().module is None else {"kafkawire[native]": fastest_codec}
    return {"kafkawire[compiled]": compile_layout, "kafkawire[interpreted]": interpret_layout, **native}


def quick_options(seed: int = 0, phases: Sequence[Phase] = PHASES) -> RunOptions:
    """The options of a cell: the shape of its class, and few values, which both codecs are given."""
    return RunOptions(
        phases=tuple(phases),
        seed=seed,
        cases=MOST_VALUES,
        others_every=1,
        instances=4,
        shrink_s=0.0,
        classes=False,
    )


@dataclass(slots=True)
class ValueResult:
    """The result for one schema.

    Attributes:
        failures: the first difference of each version, one for each cause.
        skipped: names of the oddities that explain divergences, or because of which only the shape of a
            version was compared.
    """

    cells: int = 0
    cases: int = 0
    failures: list[ValueFailure] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)

    def add(self, failure: ValueFailure) -> None:
        """Add a failure of a cause that is not there yet."""
        if all(each.key != failure.key for each in self.failures):
            self.failures.append(failure)


class _FirstFailure(BaseException):
    """Ends the proof of a cell from any depth of the call stack."""

    def __init__(self, failure: ValueFailure) -> None:
        self.failure = failure


class ValueComparer:
    """Compares messages with the classes of an oracle.

    Args:
        specs: the messages by name.
        texts: the text of each message, for the independent count of classes of values.
        codecs: the codecs to compare, by name; None for ours.
    """

    def __init__(
        self,
        oracle: Oracle,
        specs: Mapping[str, MessageSpec],
        texts: Mapping[str, str],
        options: RunOptions,
        codecs: Mapping[str, MakeCodec] | None = None,
    ) -> None:
        self._release, self._options = oracle.release, options
        shown = ReleaseFeature.NULLABILITY_IN_SCHEMAS.is_in(oracle.release)
        self._environment = WorkerEnvironment(
            layouts=Layouts({oracle.release: SchemaSet(oracle.release, {_MODULE: specs})}),
            adapters=[KafkawireAdapter(name, make, {}) for name, make in (codecs or our_codecs()).items()],
            oracles={oracle.release: oracle},
            source=FuzzValues(lambda cell: texts[cell.message]),
            plain_schemas=frozenset() if shown else frozenset({oracle.release}),
        )

    def compare(self, spec: MessageSpec) -> ValueResult:
        """Compare every version of a message."""
        result = ValueResult()
        for version in spec.valid_versions:
            self._compare_cell(Cell(self._release, _MODULE, spec.name, version), result)
        return result

    def _compare_cell(self, cell: Cell, result: ValueResult) -> None:
        layout = self._environment.layouts.of(cell)
        if absent_nan(layout):
            result.skipped.add("absent-nan")
            return
        options = self._options
        if empty_elements(layout):
            result.skipped.add("empty-elements")
            options = quick_options(options.seed, [Phase.SHAPE])
        try:
            self._prove(cell, options, result)
        except OracleError:
            if not unwritable_records(layout):
                raise
            result.skipped.add("records-default")
            self._prove(cell, quick_options(options.seed, [Phase.BULK]), result)

    def _prove(self, cell: Cell, options: RunOptions, result: ValueResult) -> None:
        """Prove a cell up to its first failure, because later failures may be consequences."""
        layout = self._environment.layouts.of(cell)

        def emit(event: ProverEvent) -> None:
            if isinstance(event, FailedCase) and (failure := _judged(event, layout, result)) is not None:
                raise _FirstFailure(failure)

        prover = CellProver(self._environment, options, cell, emit, lambda *_: None)
        try:
            done = prover.prove()
            if isinstance(done, LostCell):
                result.add(ValueFailure("lost", "", f"version {cell.version}", done.reason, ""))
        except _FirstFailure as found:
            result.add(found.failure)
        result.cells += 1
        result.cases += prover.cases


def _judged(event: FailedCase, layout: MessageLayout, result: ValueResult) -> ValueFailure | None:
    """Return the failure of a case, None if oddities explain it; add these oddities."""
    oddities = [oddity_of(each, layout) for each in event.divergences]
    result.skipped.update(name for name in oddities if name)
    unexplained = [each for each, name in zip(event.divergences, oddities, strict=True) if not name]
    return _failure(event, layout, unexplained) if unexplained else None


def _failure(event: FailedCase, layout: MessageLayout, divergences: Sequence[Divergence]) -> ValueFailure:
    """Return the failure of a case: its first divergence, with all codecs that show the same one."""
    first = divergences[0]
    first = replace(first, field=first.field or field_at(layout, first.path))
    same = [each.subject for each in divergences if (each.check, each.kind) == (first.check, first.kind)]
    about = f" of {_type_of(first)}" if first.field_type else ""
    words = f" ({first.field})" if first.field else ""
    value = f", {event.value[:_MOST_VALUE]}" if event.value else ""
    return ValueFailure(
        f"{first.check}/{first.kind}{about}",
        f"{without_indices(first.path)}{words}" if first.path else "",
        f"version {event.cell.version}{value}",
        f"{first.summary}; {', '.join(dict.fromkeys(same))}: {first.codec}",
        first.oracle,
    )


def _type_of(divergence: Divergence) -> str:
    """Return the type of the field, or of an array's element, without the random names of structs."""
    array = "[]" if divergence.field_type.startswith("[]") else ""
    element = divergence.field_type.removeprefix("[]")
    if element not in _TYPES:
        element = "struct"
    return element if without_indices(divergence.path).endswith("[]") else f"{array}{element}"
