"""Classes that Kafka's generator made against our layouts and codecs, with the ordinary checks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from kafkawire.compiler import MessageCodec, compile_layout, interpret_layout
from kafkawire.schema import MessageLayout, MessageSpec, SchemaSet
from wireproof.definitions.fuzz.oddities import absent_nan, empty_elements, oddity_of, unwritable_records
from wireproof.model import Cell, Oracle, OracleError, Phase, ReleaseFeature
from wireproof.proof.adapters.own import KafkawireAdapter
from wireproof.proof.run import Layouts, RunOptions, WorkerEnvironment
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, LostCell, ProverEvent
from wireproof.proof.run.provers.message_prover import CellProver
from wireproof.proof.strategies.layout_source import LayoutSource

__all__ = ["PHASES", "ValueComparer", "ValueResult", "quick_options"]

PHASES: Final = (Phase.SHAPE, Phase.BULK)
_MODULE: Final = "fuzz"
_CODECS: Final[Mapping[str, Callable[[MessageLayout], MessageCodec]]] = {
    "kafkawire[compiled]": compile_layout,
    "kafkawire[interpreted]": interpret_layout,
}


def quick_options(seed: int = 0, phases: Sequence[Phase] = PHASES) -> RunOptions:
    """The options of a cell: the shape of its class, and some seeded values."""
    return RunOptions(phases=tuple(phases), seed=seed, cases=8, instances=4, shrink_s=0.0, classes=False)


@dataclass(slots=True)
class ValueResult:
    """The result for one schema.

    Attributes:
        failures: (key, text) of each failure; the key is the check and the kind of difference.
        skipped: names of the oddities that explain divergences, or for which a version was compared by its
            shape alone.
    """

    cells: int = 0
    cases: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    skipped: set[str] = field(default_factory=set)


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
        codecs: Mapping[str, Callable[[MessageLayout], MessageCodec]] = _CODECS,
    ) -> None:
        self._release, self._options = oracle.release, options
        shown = ReleaseFeature.NULLABILITY_IN_SCHEMAS.is_in(oracle.release)
        self._environment = WorkerEnvironment(
            layouts=Layouts({oracle.release: SchemaSet(oracle.release, {_MODULE: specs})}),
            adapters=[KafkawireAdapter(name, make, {}) for name, make in codecs.items()],
            oracles={oracle.release: oracle},
            source=LayoutSource(lambda cell: texts[cell.message]),
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
            if isinstance(event, LostCell):
                result.failures.append(("lost", f"{event.cell}: {event.reason}"))
            elif isinstance(event, FailedCase):
                _add_failure(event, self._environment.layouts.of(cell), result)


def _add_failure(event: FailedCase, layout: MessageLayout, result: ValueResult) -> None:
    """Add the first divergence that no oddity explains, or the oddities."""
    oddities = [oddity_of(each, layout) for each in event.divergences]
    result.skipped.update(name for name in oddities if name)
    unexplained = [each for each, name in zip(event.divergences, oddities, strict=True) if not name]
    if unexplained:
        first = unexplained[0]
        text = (
            f"{event.case_id}: {first.summary}: {first.path} ({first.field}); "
            f"{first.subject}: {first.codec}; Kafka: {first.oracle}"
        )
        result.failures.append((f"{first.check}/{first.kind}", text))
