"""Events as JSON and back. `docs/reference/events.schema.json` describes every line of an event file."""

import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final, TextIO, TypeAlias

from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.typed_json import ClassRule, JsonForm, TypedJson
from wireproof.base.text.wording import json_text
from wireproof.model.agreement import CellComparison, Disagreement, LedgerProblem, ObservedCause
from wireproof.model.cell import Cell, CellId
from wireproof.model.codec_ends import CodecEnd
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.model.divergence import ByteEvidence, Divergence, NamedBytes
from wireproof.model.repertoire import ClaimProblem
from wireproof.proof.checks.check_table import ROWS
from wireproof.proof.deviations.search.cell_diagnosis import DIAGNOSIS_INLINE, DIAGNOSIS_RULES
from wireproof.proof.run.core.cell_events import (
    CellProgress,
    CellResult,
    CellRetry,
    ComparedCell,
    DeviantCase,
    EndedCodec,
    FailedCase,
    LostCase,
    LostCell,
    ShrunkCase,
    StricterCase,
)
from wireproof.proof.run.core.run_events import (
    BrokenRun,
    ClaimFinding,
    LedgerFinding,
    ReportedEvent,
    RunEvent,
    RunFooter,
    RunHeader,
    Totals,
)

Json: TypeAlias = Mapping[str, Any]
"""An object of JSON."""

FORMAT_VERSION: Final = 1

_EVENTS: Final[Mapping[str, type[ReportedEvent]]] = {
    "header": RunHeader,
    "cell": CellResult,
    "failed": FailedCase,
    "shrunk": ShrunkCase,
    "stricter": StricterCase,
    "deviant": DeviantCase,
    "compared": ComparedCell,
    "codecEnded": EndedCodec,
    "cellRetried": CellRetry,
    "caseLost": LostCase,
    "cellLost": LostCell,
    "ledger": LedgerFinding,
    "claim": ClaimFinding,
    "broken": BrokenRun,
    "footer": RunFooter,
}
_NAMES: Final = {kind: name for name, kind in _EVENTS.items()}

_OLD_KEYS: Final = {"ledger_of": "ledgerOf", "cells_offered": "cellsOffered"}
"""Members of a header that were written before the schema of the events was kept."""


def _cell_of(line: Json) -> Cell:
    return CellId.parse(line["cell"]).in_module(sys.intern(line["module"]))


def _check_divergence(found: Divergence) -> None:
    if found.check not in ROWS:  # reports look it up
        raise ValueError(f"no check is named {found.check!r}")


def _check_failure(event: FailedCase | ShrunkCase | DeviantCase) -> None:
    if not event.divergences:
        raise ValueError("a failure has no divergence")


BYTES_RULES: Final[Mapping[type, ClassRule]] = {
    ByteEvidence: ClassRule(brief=("codec", "oracle", "given")),
    NamedBytes: ClassRule(check=lambda named: bytes.fromhex(named.hex)),
}
"""The rules of the bytes of a divergence."""

_CASE: Final = ClassRule(keys={"case_id": "case"})
_FAILURE: Final = ClassRule(keys={"case_id": "case"}, check=_check_failure)
_RULES: Final[Mapping[type, ClassRule]] = {
    **DIAGNOSIS_RULES,
    RunHeader: ClassRule(brief=("testee", "where", "ledger_of")),
    FailedCase: _FAILURE,
    ShrunkCase: _FAILURE,
    DeviantCase: _FAILURE,
    LostCase: _CASE,
    EndedCodec: _CASE,
    ObservedCause: _CASE,
    StricterCase: ClassRule(keys={"case_id": "case", "divergence": "divergences"}),
    CellResult: ClassRule(keys={"data_bytes": "bytes", "duration_s": "seconds", "phase_s": "secondsByPhase"}),
    CellCoverage: ClassRule(keys={"covered": "met"}),
    Disagreement: ClassRule(keys={"case_id": "case", "groups": "camps"}),
    CodecEnd: ClassRule(keys={"words": "message", "left_s": "secondsLeft"}, unwritten=("at",)),
    Divergence: ClassRule(
        brief=("bytes", *(each.name for each in fields(Divergence) if each.default == "")),
        unwritten=("rank",),
        check=_check_divergence,
    ),
    **BYTES_RULES,
    RunFooter: ClassRule(keys={"duration_s": "seconds"}),
    Totals: ClassRule(keys={"data_bytes": "bytes"}, unwritten=("claims_below_floor",)),
}
_JSON: Final = TypedJson(
    _RULES,
    inline=(*DIAGNOSIS_INLINE, Cell, CellComparison, ClaimProblem, CodecEnd, LedgerProblem, Totals),
    forms={Cell: JsonForm(lambda cell: {"cell": cell.id, "module": cell.module}, _cell_of)},
)


def as_json(event: ReportedEvent) -> dict[str, Any]:
    """Return the event as the event file has it."""
    line = {"event": _NAMES[type(event)], **_JSON.write(event)}
    match event:
        case RunHeader():
            line["format"] = FORMAT_VERSION
        case ShrunkCase():
            del line["cell"], line["module"]
        case StricterCase():
            line["divergences"] = [line["divergences"]]
        case BrokenRun():
            del line["exitCode"]
        case EndedCodec():
            line["case"] = event.case_id
    return line


def event_of(line: Json) -> ReportedEvent:
    """Return the event that a line of an event file was written from.

    Args:
        line: the parsed line, as `as_json` made it; that of a `ShrunkCase` with the module of its cell.

    Raises:
        ValueError: no event has this name. A line of another shape raises one of `MISSHAPEN`.
    """
    kind = _EVENTS.get(line["event"])
    if kind is None:
        raise ValueError(f"no event is named {line['event']!r}")
    if kind is BrokenRun:
        line = {**line, "exitCode": ExitCode.MISSING if line["advice"] else ExitCode.BROKEN}
    elif kind is StricterCase:
        line = {**line, "divergences": line["divergences"][0]}
    elif kind is ShrunkCase:
        line = {**line, "cell": cell_id_of(line["case"])}
    elif kind is RunHeader:
        line = {_OLD_KEYS.get(name, name): value for name, value in line.items()}
    event = _JSON.read(kind, line)
    if isinstance(event, EndedCodec):
        return replace(event, end=replace(event.end, case=event.case_id.removeprefix(f"{event.cell.id}/")))
    return event


def cell_id_of(case: str) -> str:
    """Return the id of a case's cell: the first three parts of the case's id."""
    return "/".join(case.split("/")[:3])


class EventFile:
    """Writes each event as a line, on disk before the next event: a killed run keeps what it found."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: RunEvent) -> None:
        if isinstance(event, CellProgress):
            return  # for those who watch: it is all in the cell's own event later, or in the footer
        line = json_text(as_json(event))
        self._stream.write(f"{line}\n")
        self._stream.flush()
