"""The bytes that a report shows for a failure, where its checks compared none."""

from dataclasses import replace
from typing import Final

from kafkawire.annotate import Annotation, annotate
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.records import annotate_records
from wireproof.model.cell import EMBEDDED_MODULE, PRIMITIVES_MODULE, RECORDS_MODULE
from wireproof.model.divergence import ByteEvidence, Divergence, NamedBytes
from wireproof.model.oracle import OracleValue
from wireproof.proof.checks.comparing.divergences import annotate_frame, named_bytes
from wireproof.proof.run.core.cell_events import DeviantCase, FailedCase, ShrunkCase
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.prepared_cases import CellTarget

_FRAMES: Final = "/mutations/frame/"
"""In the id of a case of malformed bytes that are a whole frame."""


def with_bytes(
    environment: WorkerEnvironment, target: CellTarget, event: FailedCase | DeviantCase | ShrunkCase
) -> tuple[Divergence, ...]:
    """Return the divergences of a failure: the first has bytes, the others have none.

    A case of malformed bytes has them already. For a value, Kafka's class is asked for the bytes: this is
    cheap, and another question could change the codec's state.
    """
    first, *others = event.divergences
    if first.bytes is None:
        first = replace(first, bytes=_of_case(environment, target, event, first.offset))
    return first, *(replace(each, bytes=None) for each in others)


def _of_case(
    environment: WorkerEnvironment,
    target: CellTarget,
    event: FailedCase | DeviantCase | ShrunkCase,
    at: int | None,
) -> ByteEvidence | None:
    if isinstance(event, FailedCase | DeviantCase) and event.input is not None:
        return ByteEvidence(given=_input(environment, target, event, event.input))
    header = event.header if isinstance(event, FailedCase | DeviantCase) else None
    if event.value is None or header is not None:
        return None
    return _written(target, event.value, at)


def _input(
    environment: WorkerEnvironment, target: CellTarget, event: FailedCase | DeviantCase, digits: str
) -> NamedBytes:
    data = bytes.fromhex(digits)
    framed = _FRAMES in event.case_id
    header = environment.layouts.header(target.cell) if framed else None
    annotation = annotate_frame(header, target.layout, data) if framed else _of_body(target, data)
    place = event.case_id.rpartition("@")[2]
    return named_bytes(data, annotation, int(place) if place.isdecimal() else None)


def _of_body(target: CellTarget, data: bytes) -> Annotation | None:
    module = target.cell.module
    if module == RECORDS_MODULE:
        return annotate_records(data)
    # An embedded message follows a label, whose bytes the layout does not name.
    return None if module in (EMBEDDED_MODULE, PRIMITIVES_MODULE) else annotate(target.layout, data)


def _written(target: CellTarget, text: str, at: int | None) -> ByteEvidence | None:
    """Return Kafka's bytes of a value; None if the run has no Kafka, or Kafka cannot write the value."""
    cell, layout = target.cell, target.layout
    if target.authority is None or cell.module in (RECORDS_MODULE, EMBEDDED_MODULE, PRIMITIVES_MODULE):
        return None
    try:
        form = canonical(layout)
        expected = form.to_binary(form.from_json(text))
    except CodecError:
        return None
    (written,) = target.authority.write(cell, layout, [expected])
    if not isinstance(written, OracleValue):
        return None
    data = written.written
    return ByteEvidence(oracle=named_bytes(data, annotate(layout, data), at))
