"""Classes that Kafka's generator made against our layouts and codecs, with the ordinary checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from kafkawire.compiler import MessageCodec, compile_layout, interpret_layout
from kafkawire.schema import MessageLayout, MessageSpec, ScalarType, SchemaSet
from wireproof.definitions.fuzz.comparison import ValueFailure
from wireproof.definitions.fuzz.fuzz_values import MOST_VALUES, FuzzValues
from wireproof.definitions.fuzz.oddities import absent_nan, empty_elements, oddity_of, unwritable_records
from wireproof.model import Cell, Divergence, Oracle, OracleError, Phase, ReleaseFeature
from wireproof.model.divergence import TAGS_TYPE, without_indices
from wireproof.proof.adapters.own import KafkawireAdapter
from wireproof.proof.checks import field_at
from wireproof.proof.run import Layouts, RunOptions, WorkerEnvironment
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, LostCell, ProverEvent
from wireproof.proof.run.provers.message_prover import CellProver

__all__ = ["OUR_CODECS", "PHASES", "MakeCodec", "ValueComparer", "ValueResult", "quick_options"]

_MOST_VALUE: Final = 300
"""Characters of a value in a report."""
PHASES: Final = (Phase.SHAPE, Phase.BULK)
_MODULE: Final = "fuzz"
_TYPES: Final = frozenset({*(each.value for each in ScalarType), TAGS_TYPE})
MakeCodec: TypeAlias = Callable[[MessageLayout], MessageCodec]
OUR_CODECS: Final[Mapping[str, MakeCodec]] = {
    "kafkawire[compiled]": compile_layout,
    "kafkawire[interpreted]": interpret_layout,
}


def quick_options(seed: int = 0, phases: Sequence[Phase] = PHASES) -> RunOptions:
    """The options of a cell: the shape of its class, and few values, all of them asked of both codecs."""
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
        failures: the first difference of each version, one of each cause.
        skipped: names of the oddities that explain divergences, or for which a version was compared by its
            shape alone.
    """

    cells: int = 0
    cases: int = 0
    failures: list[ValueFailure] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)

    def add(self, failure: ValueFailure) -> None:
        """Add a failure of a cause that is not there yet."""
        if all(each.key != failure.key for each in self.failures):
            self.failures.append(failure)


class ValueComparer:
    """Compares messages with the classes of an oracle.

    Args:
        specs: the messages by name.
        texts: the text of each message, for the independent count of classes of values.
    """

    def __init__(
        self,
        oracle: Oracle,
        specs: Mapping[str, MessageSpec],
        texts: Mapping[str, str],
        options: RunOptions,
        codecs: Mapping[str, MakeCodec] = OUR_CODECS,
    ) -> None:
        self._release, self._options = oracle.release, options
        shown = ReleaseFeature.NULLABILITY_IN_SCHEMAS.is_in(oracle.release)
        self._environment = WorkerEnvironment(
            layouts=Layouts({oracle.release: SchemaSet(oracle.release, {_MODULE: specs})}),
            adapters=[KafkawireAdapter(name, make, {}) for name, make in codecs.items()],
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

    def _prove(
        self, cell: Cell, options: RunOptions, events: list[ProverEvent | LostCell]
    ) -> tuple[CellProver, CellResult | LostCell]:
        prover = CellProver(self._environment, options, cell, events.append, lambda *_: None)
        return prover, prover.prove()

    def _compare_cell(self, cell: Cell, result: ValueResult) -> None:
        events: list[ProverEvent | LostCell] = []
        options = self._options
        if absent_nan(self._environment.layouts.of(cell)):
            result.skipped.add("absent-nan")
            return
        if empty_elements(self._environment.layouts.of(cell)):
            result.skipped.add("empty-elements")
            options = quick_options(options.seed, [Phase.SHAPE])
        try:
            prover, done = self._prove(cell, options, events)
        except OracleError:
            if not unwritable_records(self._environment.layouts.of(cell)):
                raise
            result.skipped.add("records-default")
            events.clear()
            prover, done = self._prove(cell, quick_options(options.seed, [Phase.BULK]), events)
        if isinstance(done, LostCell):
            events.append(done)
        result.cells += 1
        result.cases += prover.cases
        for event in events:
            failure: ValueFailure | None = None
            if isinstance(event, LostCell):
                failure = ValueFailure("lost", "", f"version {event.cell.version}", event.reason, "")
            elif isinstance(event, FailedCase):
                failure = _judged(event, self._environment.layouts.of(cell), result)
            if failure is not None:
                result.add(failure)
                break  # what fails after it in this version may be a consequence


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
    """Return the type of the field, of an element of an array its own. The names of structs are drawn."""
    array = "[]" if divergence.field_type.startswith("[]") else ""
    element = divergence.field_type.removeprefix("[]")
    if element not in _TYPES:
        element = "struct"
    return element if without_indices(divergence.path).endswith("[]") else f"{array}{element}"
