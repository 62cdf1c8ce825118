"""The event file: one JSON object a line, written as it happens.

Each line is on disk before the next event is taken, so a killed run keeps what it found; a file
without its footer was cut short. `docs/reference/events.schema.json` describes every line.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final, TextIO, assert_never

from wireproof.base.text.foreign_text import json_text
from wireproof.model import Cell, CellComparison, ObservedCause, ObservedDeviation
from wireproof.model.coverage import CellCoverage
from wireproof.proof.run import (
    BrokenRun,
    CellProgress,
    CellResult,
    CellRetry,
    ClaimFinding,
    ComparedCell,
    DeviantCase,
    EndedCodec,
    FailedCase,
    LedgerFinding,
    LostCase,
    LostCell,
    ReportedEvent,
    RunEvent,
    RunFooter,
    RunHeader,
    ShrunkCase,
    StricterCase,
)

__all__ = ["FORMAT_VERSION", "GROUPS_KEY", "EventFile", "as_json"]

FORMAT_VERSION: Final = 1

GROUPS_KEY: Final = "camps"
"""The key of the groups of a disagreement."""

_HEADER_KEYS: Final = {"ledger_of": "ledgerOf", "cells_offered": "cellsOffered"}
"""The keys of the header that are not the names of `RunHeader`."""


class EventFile:
    """Writes each event as a line."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, event: RunEvent) -> None:
        if isinstance(event, CellProgress):
            return  # for those who watch: it is all in the cell's own event later, or in the footer
        line = json_text(as_json(event))
        self._stream.write(f"{line}\n")
        self._stream.flush()


def as_json(event: ReportedEvent) -> dict[str, Any]:
    """The event as the event file has it."""
    match event:
        case RunHeader():
            fields = _plain(asdict(event))
            return {
                "event": "header",
                "format": FORMAT_VERSION,
                **{_HEADER_KEYS.get(name, name): value for name, value in fields.items()},
            }
        case CellResult():
            return {"event": "cell", **_cell(event.cell), **_judged(event)}
        case FailedCase() | StricterCase() | ShrunkCase() | DeviantCase() | LostCase():
            return _case(event)
        case ComparedCell():
            return {"event": "compared", **_cell(event.cell), **_compared(event.compared)}
        case EndedCodec():
            end = event.end
            return {
                "event": "codecEnded",
                **_cell(event.cell),
                "case": event.case_id,
                "subject": end.subject,
                "error": end.error,
                "site": end.site,
                "message": end.words,
                "secondsLeft": round(end.left_s, 1),
            }
        case CellRetry():
            flight = {"first": event.first, "last": event.last, "reason": event.reason}
            return {"event": "cellRetried", **_cell(event.cell), **flight}
        case LostCell():
            return {"event": "cellLost", **_cell(event.cell), "reason": event.reason}
        case LedgerFinding() | ClaimFinding():
            word = "ledger" if isinstance(event, LedgerFinding) else "claim"
            return {"event": word, **asdict(event.problem)}
        case BrokenRun():
            return {"event": "broken", "message": event.message, "advice": event.advice}
        case RunFooter():
            return {"event": "footer", **_totals(event)}
        case _:
            assert_never(event)


def _judged(event: CellResult) -> dict[str, Any]:
    return {
        "cases": {str(phase): count for phase, count in event.cases.items()},
        "bytes": event.data_bytes,
        "failedCases": event.failed_cases,
        "seconds": round(event.duration_s, 4),
        "secondsByPhase": {str(phase): round(spent, 4) for phase, spent in event.phase_s.items()},
        "errata": dict(event.errata),
        "verdicts": {str(verdict): count for verdict, count in event.verdicts.items()},
        "laxities": dict(event.laxities),
        "unsupported": dict(event.unsupported),
        "coverage": None if event.coverage is None else _coverage(event.coverage),
        "known": dict(event.known),
        "knownAt": [_known_at(each) for each in event.known_at],
        "causes": [_cause(cause) for cause in event.causes],
        "hiddenCauses": [_cause(cause) for cause in event.hidden_causes],
        "claimed": list(map(str, event.claimed)),
        "exercised": list(map(str, event.exercised)),
        "notAsked": event.not_asked,
        "trust": {subject: dict(outcomes) for subject, outcomes in event.trust.items()},
        "skipped": dict(event.skipped),
    }


def _case(event: FailedCase | StricterCase | ShrunkCase | DeviantCase | LostCase) -> dict[str, Any]:
    match event:
        case FailedCase():
            found = [_plain(asdict(divergence)) for divergence in event.divergences]
            place = {"case": event.case_id, "phase": str(event.phase), **_cell(event.cell)}
            return {
                "event": "failed",
                **place,
                "divergences": found,
                "value": event.value,
                "header": event.header,
                "input": event.input,
                "entry": event.entry,
                "after": list(event.after),
                "blame": None if event.blame is None else _plain(asdict(event.blame)),
            }
        case DeviantCase():
            return {
                "event": "deviant",
                "case": event.case_id,
                "phase": str(event.phase),
                **_cell(event.cell),
                "divergences": [_plain(asdict(divergence)) for divergence in event.divergences],
                "value": event.value,
                "header": event.header,
                "input": event.input,
            }
        case StricterCase():
            found = [_plain(asdict(event.divergence))]
            place = {"case": event.case_id, **_cell(event.cell)}
            return {"event": "stricter", **place, "divergences": found, "input": event.input}
        case ShrunkCase():
            found = [_plain(asdict(divergence)) for divergence in event.divergences]
            return {"event": "shrunk", "case": event.case_id, "divergences": found, "value": event.value}
        case LostCase():
            return {"event": "caseLost", "case": event.case_id, **_cell(event.cell), "reason": event.reason}
        case _:
            assert_never(event)


def _compared(compared: CellComparison) -> dict[str, Any]:
    return {
        "cases": {str(question): count for question, count in compared.cases.items()},
        "verdicts": {
            name: {str(verdict): count for verdict, count in counts.items()}
            for name, counts in compared.verdicts.items()
        },
        "notAsked": dict(compared.not_asked),
        "disagreements": [
            {
                "question": str(each.question),
                "about": each.about,
                GROUPS_KEY: [{"parties": list(group.parties), "does": group.does} for group in each.groups],
                "cases": each.cases,
                "case": each.case_id,
            }
            for each in compared.disagreements
        ],
    }


def _cause(cause: ObservedCause) -> dict[str, Any]:
    return {
        "phase": str(cause.phase),
        "check": cause.check,
        "subject": cause.subject,
        "part": str(cause.part),
        "field": cause.field,
        "type": cause.type,
        "kind": cause.kind,
        "cases": cause.cases,
        "case": cause.case_id,
        "summary": cause.summary,
    }


def _known_at(seen: ObservedDeviation) -> dict[str, Any]:
    return {"entry": seen.entry, "part": str(seen.part), "field": seen.field, "cases": seen.cases}


def _coverage(coverage: CellCoverage) -> dict[str, Any]:
    return {
        "met": coverage.covered,
        "reachable": coverage.reachable,
        "unreachable": coverage.unreachable,
        "missing": list(coverage.missing),
        "excused": list(coverage.excused),
        "contradicted": list(coverage.contradicted),
        "belowFloor": coverage.below_floor,
    }


def _totals(event: RunFooter) -> dict[str, Any]:
    totals = event.totals
    return {
        "cellsSelected": totals.cells_selected,
        "cellsDone": totals.cells_done,
        "cellsFailed": totals.cells_failed,
        "cellsLost": totals.cells_lost,
        "cases": {str(phase): count for phase, count in totals.cases.items()},
        "failedCases": totals.failed_cases,
        "bytes": totals.data_bytes,
        "errata": dict(totals.errata),
        "verdicts": {str(verdict): count for verdict, count in totals.verdicts.items()},
        "laxities": dict(totals.laxities),
        "unsupported": dict(totals.unsupported),
        "classesMet": totals.classes_met,
        "classesReachable": totals.classes_reachable,
        "classesUnreachable": totals.classes_unreachable,
        "classesExcused": totals.classes_excused,
        "cellsBelowFloor": totals.cells_below_floor,
        "known": dict(totals.known),
        "ledgerProblems": totals.ledger_problems,
        "claims": totals.claims,
        "claimsExercised": totals.claims_exercised,
        "claimProblems": totals.claim_problems,
        "notAsked": totals.not_asked,
        "trust": {subject: dict(outcomes) for subject, outcomes in totals.trust.items()},
        "skipped": dict(totals.skipped),
        "ended": dict(totals.ended),
        "cellsNotWhole": totals.cells_not_whole,
        "seconds": round(event.duration_s, 3),
        "exitCode": int(event.exit_code),
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {"cell": cell.id, "module": cell.module}


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Enums as their text; without empty words, absent bytes, and the rank, which judging alone needs."""
    absent = {name for name, value in fields.items() if value == "" or (name == "bytes" and value is None)}
    return {name: _text(value) for name, value in fields.items() if name not in absent and name != "rank"}


def _text(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_text(item) for item in value]
    if isinstance(value, dict):
        return {name: _text(item) for name, item in value.items() if item is not None}
    return str(value) if isinstance(value, str) else value
