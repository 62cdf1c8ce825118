"""Evidence for the fault attribution of a failure: the answers of others to its value."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from kafkawire.canonical import canonical
from kafkawire.compiler import MessageCodec, fastest_codec, interpret_layout
from kafkawire.errors import CodecError
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from wireproof.model.adapter import Adapter, Decode, Decoded, Encode, Reencode, Reply, Request, Unsupported
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, RECORDS_MODULE, Phase
from wireproof.model.coverage.wire_sizes import is_default
from wireproof.model.divergence import FaultAttribution
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.fault_attribution import FaultEvidence, judge_fault
from wireproof.proof.run.core.cell_events import FailedCase
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.prepared_cases import CellTarget, binary_or_none

_VALUES: Final = frozenset({Phase.ENUMERATED, Phase.ORACLE, Phase.RANDOM, Phase.BULK})
_CHECKS: Final = frozenset(
    {Check.ENCODE, Check.BYTES, Check.SIZE, Check.ROUND_TRIP, Check.ORACLE_READS, Check.DECODE}
)
"""The checks of a value: Kafka and the codecs are asked for the same value again."""
_DEADLY: Final = frozenset({"crashed:process", "crashed:hang"})
"""Kinds after which the codec is not asked again."""


def attribute_fault(
    environment: WorkerEnvironment, target: CellTarget, failure: FailedCase
) -> FaultAttribution:
    """The fault attribution of a failure, by its first divergence."""
    divergence = failure.divergences[0]
    reported = FaultEvidence(after=failure.after)
    if failure.phase in _VALUES and divergence.check in _CHECKS and _askable(target, failure):
        adapter = next((each for each in target.adapters if each.name == divergence.subject), None)
        reported = _testimony(
            environment, target, failure.value or "", None if divergence.kind in _DEADLY else adapter
        )
    return judge_fault(divergence, reported, foreign=environment.foreign)


def _askable(target: CellTarget, failure: FailedCase) -> bool:
    """True if Kafka's class and our own codec can be asked for the value of the failure."""
    own = target.cell.module in (RECORDS_MODULE, EMBEDDED_MODULE, PRIMITIVES_MODULE)
    return failure.value is not None and failure.header is None and not own


def _testimony(
    environment: WorkerEnvironment, target: CellTarget, text: str, adapter: Adapter | None
) -> FaultEvidence:
    """The answers to the value; empty evidence if the text is not a value of the layout."""
    cell, layout = target.cell, target.layout
    try:
        value = canonical(layout).from_json(text)
        expected = canonical(layout).to_binary(value)
    except CodecError:
        return FaultEvidence()
    (written,) = target.oracle.write(cell, layout, [expected])
    codecs = tuple(_written(make, layout, value) for make in (interpret_layout, fastest_codec))
    if not isinstance(written, OracleValue):
        return FaultEvidence(None, codecs)
    kafka = written.written
    if adapter is None or not environment.foreign or kafka != codecs[1]:
        return FaultEvidence(kafka, codecs)
    whole = fastest_codec(layout).decode(kafka)
    sparse = _sparse(layout.root, whole)
    questions: list[Request] = [Reencode(kafka), Decode(kafka), Encode(whole), Encode(sparse)]
    with environment.beside_cases():
        again, read, *given = adapter.ask(cell, layout, questions)
    right = isinstance(read, Decoded) and binary_or_none(layout, read.value) == expected
    return FaultEvidence(kafka, codecs, _answer(again), right, *map(_answer, given))


def _sparse(struct: StructLayout, value: Mapping[str, Any]) -> dict[str, Any]:
    """The value without the fields that have their defaults, at any depth."""
    known = {field.name: field for field in struct.all_fields}
    return {
        name: _sparse_field(known[name], given) if name in known else given
        for name, given in value.items()
        if name not in known or not is_default(known[name], given)
    }


def _sparse_field(field: FieldLayout, given: Any) -> Any:
    if field.struct is None or given is None:
        return given
    if field.is_array:
        return [_sparse(field.struct, each) for each in given]
    return _sparse(field.struct, given)


def _written(
    make: Callable[[MessageLayout], MessageCodec], layout: MessageLayout, value: dict[str, object]
) -> bytes | None:
    try:
        return make(layout).encode(value)
    except CodecError:
        return None


def _answer(reply: Reply | None) -> Reply | None:
    """The reply; None if the codec does not support the question."""
    return None if isinstance(reply, Unsupported) else reply
