"""One case of ``wireproof matrix``: the question, and the answer of each codec."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from kafkawire.annotate import Annotation, annotate
from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.primitives import is_varint
from kafkawire.records import annotate_records, view_layout
from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.inputs.cell_lookup import cell_in
from wireproof.app.assembly.inputs.run_inputs import RunInputs
from wireproof.app.assembly.worker_environment import environment_maker
from wireproof.app.cli.cells.show_command import dump_lines
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.grouping import grouped
from wireproof.base.text.wording import echo, echo_lines
from wireproof.model.agreement import CodecTask, in_order
from wireproof.model.cell import RECORDS_MODULE, CaseId, Cell, Phase
from wireproof.proof.run.comparing.answer_comparison import ComparableAnswer
from wireproof.proof.run.comparing.compared_messages import PACKS
from wireproof.proof.run.engine.case_replay import NoSuchCaseError, side_by_side


def case_cell(prepared: RunInputs, case: CaseId) -> Cell:
    """The cell of a case; `FatalError` if the release does not have it."""
    return cell_in(prepared.parts[0].schemas, case.cell.message, case.cell.version)


def report_case(prepared: RunInputs, case: CaseId) -> int:
    """Print the answers of all codecs to a case; return the exit code. `FatalError` without such a case."""
    cell = case_cell(prepared, case)
    environment = environment_maker(prepared)()
    try:
        answers = side_by_side(environment, cell, case)
    except NoSuchCaseError:
        advice = "Cases are compared in the phases enumerated, records, embedded, bulk and mutations."
        raise FatalError(f"{cell.id} has no case {case.phase}/{case.name}", advice) from None
    layout = environment.layouts.of(cell)
    differ = False
    for question, (asked, given) in answers.items():
        differ = differ or len({said for said in given.values() if said is not None}) > 1
        echo_lines(_answer_lines(question, _reader(cell, layout, case, question), asked, given))
    if not differ:
        echo("all agree with Kafka", err=True)
    return int(ExitCode.DIVERGENCE if differ else ExitCode.PROVEN)


@dataclass(frozen=True, slots=True)
class _Reader:
    """The form in which values and bytes of a case are printed.

    Attributes:
        values: the layout of values; None if they have no layout of their own.
        annotate: makes names for the bytes; None if the bytes are printed without names.
        shown: the layout of Kafka's view of compressed data and of malformed record sets.
    """

    values: MessageLayout | None
    annotate: Callable[[bytes], Annotation] | None
    shown: MessageLayout | None = None

    def value(self, binary: bytes, does: str = "") -> Iterator[str]:
        layout = self.shown if does in (PACKS, "accepts") and self.shown is not None else self.values
        if layout is not None and (does != PACKS or self.shown is not None):
            yield f"  {_value(layout, binary)}"

    def bytes(self, data: bytes) -> Iterator[str]:
        if self.annotate is None:
            yield f"  {data.hex(' ')}"
            return
        annotation = self.annotate(data)
        yield from dump_lines(annotation, data)
        if annotation.stopped is not None:
            yield f"  from byte {annotation.end} on it makes no sense: {annotation.stopped}"


def _reader(cell: Cell, layout: MessageLayout, case: CaseId, question: CodecTask) -> _Reader:
    """Choose the form for a case.

    Frames and framings are printed without names: another message precedes the body. Numbers of variable
    length are too: their bytes have no names.
    """
    if cell.module == RECORDS_MODULE:
        return _Reader(layout, annotate_records, view_layout())
    if question is CodecTask.MALFORMED and case.name.startswith("frame/"):
        return _Reader(None, None)
    if case.phase is Phase.EMBEDDED or is_varint(layout.name):
        return _Reader(layout, None)
    if case.phase is Phase.RECORDS and question is CodecTask.DECODE:
        return _Reader(None, partial(annotate, layout))  # the value, and the sets that are read in it
    return _Reader(layout, partial(annotate, layout))


def _answer_lines(
    question: CodecTask, reader: _Reader, asked: bytes, given: Mapping[str, ComparableAnswer | None]
) -> Iterator[str]:
    if question is CodecTask.ENCODE:
        yield f"{question}:"
        yield from reader.value(asked)
    else:
        yield f"{question}: {len(asked)} bytes"
        yield from reader.bytes(asked)
    groups = grouped((said, name) for name, said in given.items() if said is not None)
    for (does, result), names in groups.items():
        yield f"{', '.join(in_order(names))}: {does}"
        if not isinstance(result, bytes):
            continue
        written = does.startswith("writes") or does.endswith("writes otherwise")
        yield from reader.bytes(result) if written else reader.value(result, does)
    yield ""


def _value(layout: MessageLayout, binary: bytes) -> str:
    form = canonical(layout)
    try:
        return form.to_json(form.from_binary(binary))
    except CodecError as error:
        return f"no value that canonical JSON can hold: {error}"
