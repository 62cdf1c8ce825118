"""Events from the lines of an event file: the inverse of `event_file.as_json`."""

import sys
from collections.abc import Callable, Mapping
from typing import Final

from wireproof.base.exit_codes import ExitCode
from wireproof.model import (
    AgreementGroup,
    CellComparison,
    CellId,
    ClaimProblem,
    CodecDirection,
    CodecEnd,
    CodecTask,
    Disagreement,
    FaultAttribution,
    FaultOwner,
    LedgerProblem,
    Phase,
)
from wireproof.proof.run import (
    AcceptedDeviation,
    BrokenRun,
    CellResult,
    CellRetry,
    ClaimFinding,
    ComparedCell,
    DeviantCase,
    EndedCodec,
    FailedCase,
    ForkHeader,
    LedgerFinding,
    LostCase,
    LostCell,
    MutationSet,
    ReportedEvent,
    RunFooter,
    RunHeader,
    ShrunkCase,
    StricterCase,
    Totals,
)
from wireproof.verdict.report.events.event_file import GROUPS_KEY
from wireproof.verdict.report.events.event_parts import (
    Json,
    cause_of,
    cell_of,
    coverage_of,
    divergences_of,
    fields_of,
    known_at_of,
    phases_of,
    verdicts_of,
)

__all__ = ["cell_id_of", "event_of"]


def event_of(line: Json) -> ReportedEvent:
    """Return the event that a line of an event file was written from.

    Args:
        line: the parsed line, as `wireproof.verdict.report.events.event_file.as_json` made it.

    Raises:
        ValueError: no event has this name. A line of another shape raises one of `MISSHAPEN`.
    """
    make = _MAKERS.get(line["event"])
    if make is None:
        raise ValueError(f"no event is named {line['event']!r}")
    return make(line)


def _header(line: Json) -> RunHeader:
    return RunHeader(
        version=line["version"],
        command=tuple(line["command"]),
        seed=line["seed"],
        releases=tuple(line["releases"]),
        jars=dict(line["jars"]),
        cells=line["cells"],
        retired=dict(line.get("retired", {})),
        subjects=tuple(line["subjects"]),
        phases=tuple(map(Phase, line["phases"])),
        testee=line.get("testee", ""),
        limits=dict(line.get("limits", {})),
        where=line.get("where", ""),
        enforced=dict(line.get("enforced", {})),
        ledger=dict(line.get("ledger", {})),
        ledger_of=line.get("ledgerOf", line.get("ledger_of", "")),
        corpus=dict(line.get("corpus", {})),
        unsaid=tuple(line.get("unsaid", ())),
        mutations=MutationSet(line.get("mutations", MutationSet.ALL)),
        forks=tuple(map(_fork, line.get("forks", ()))),
        cells_offered=line.get("cellsOffered", line.get("cells_offered", 0)),
        terms={entry: AcceptedDeviation(**terms) for entry, terms in line.get("terms", {}).items()},
        unclaimed={name: tuple(versions) for name, versions in line.get("unclaimed", {}).items()},
        locations=dict(line.get("locations", {})),
    )


def _fork(parsed: Json) -> ForkHeader:
    lists = {name: tuple(parsed[name]) for name in ("messages", "changed")}
    return ForkHeader(**{**parsed, **lists})


def _failed(line: Json) -> FailedCase:
    blame = line["blame"]
    return FailedCase(
        cell_of(line),
        Phase(line["phase"]),
        line["case"],
        divergences_of(line),
        value=line["value"],
        header=line["header"],
        input=line["input"],
        entry=line.get("entry"),
        blame=None if blame is None else FaultAttribution(FaultOwner(blame["whose"]), blame["evidence"]),
        after=tuple(line.get("after", ())),
    )


def _shrunk(line: Json) -> ShrunkCase:
    case = line["case"]
    cell = CellId.parse(cell_id_of(case)).in_module(sys.intern(line.get("module", "")))
    return ShrunkCase(cell, case, divergences_of(line), line["value"])


def _deviant(line: Json) -> DeviantCase:
    return DeviantCase(
        cell_of(line),
        Phase(line["phase"]),
        line["case"],
        divergences_of(line),
        value=line["value"],
        header=line["header"],
        input=line["input"],
    )


def cell_id_of(case: str) -> str:
    """Return the id of a case's cell: the first three parts of the case's id."""
    return "/".join(case.split("/")[:3])


def _stricter(line: Json) -> StricterCase:
    return StricterCase(cell_of(line), line["case"], divergences_of(line)[0], line["input"])


def _compared(line: Json) -> ComparedCell:
    disagreements = tuple(
        Disagreement(
            question=CodecTask(each["question"]),
            about=each["about"],
            groups=tuple(
                AgreementGroup(tuple(group["parties"]), group["does"]) for group in each[GROUPS_KEY]
            ),
            cases=each["cases"],
            case_id=each["case"],
        )
        for each in line["disagreements"]
    )
    cases = {CodecTask(question): count for question, count in line["cases"].items()}
    verdicts = {name: verdicts_of(counts) for name, counts in line["verdicts"].items()}
    not_asked = dict(line.get("notAsked", {}))
    return ComparedCell(cell_of(line), CellComparison(cases, verdicts, disagreements, not_asked))


def _ended(line: Json) -> EndedCodec:
    case = line["case"]
    cell = cell_of(line)
    end = CodecEnd(
        line["subject"],
        line["error"],
        line["message"],
        case=case.removeprefix(f"{cell.id}/"),
        site=line["site"],
        left_s=line["secondsLeft"],
    )
    return EndedCodec(cell, case, end)


def _result(line: Json) -> CellResult:
    coverage = line["coverage"]
    return CellResult(
        cell=cell_of(line),
        cases=phases_of(line["cases"]),
        data_bytes=line["bytes"],
        failed_cases=line["failedCases"],
        duration_s=line["seconds"],
        errata=dict(line["errata"]),
        verdicts=verdicts_of(line["verdicts"]),
        laxities=dict(line["laxities"]),
        coverage=None if coverage is None else coverage_of(coverage),
        unsupported=dict(line["unsupported"]),
        known=dict(line["known"]),
        causes=tuple(map(cause_of, line["causes"])),
        claimed=tuple(map(CodecDirection, line["claimed"])),
        exercised=tuple(map(CodecDirection, line["exercised"])),
        not_asked=line["notAsked"],
        skipped=dict(line["skipped"]),
        known_at=tuple(map(known_at_of, line["knownAt"])),
        trust={subject: dict(outcomes) for subject, outcomes in line["trust"].items()},
        phase_s={Phase(phase): spent for phase, spent in line.get("secondsByPhase", {}).items()},
        hidden_causes=tuple(map(cause_of, line.get("hiddenCauses", ()))),
    )


def _footer(line: Json) -> RunFooter:
    totals = Totals(
        cells_selected=line["cellsSelected"],
        cells_done=line["cellsDone"],
        cells_failed=line["cellsFailed"],
        cells_lost=line["cellsLost"],
        cases=phases_of(line["cases"]),
        failed_cases=line["failedCases"],
        data_bytes=line["bytes"],
        errata=dict(line["errata"]),
        verdicts=verdicts_of(line["verdicts"]),
        laxities=dict(line["laxities"]),
        unsupported=dict(line["unsupported"]),
        classes_met=line["classesMet"],
        classes_reachable=line["classesReachable"],
        classes_unreachable=line["classesUnreachable"],
        cells_below_floor=line["cellsBelowFloor"],
        known=dict(line["known"]),
        ledger_problems=line["ledgerProblems"],
        claims=line["claims"],
        claims_exercised=line["claimsExercised"],
        claim_problems=line["claimProblems"],
        not_asked=line["notAsked"],
        cells_not_whole=line["cellsNotWhole"],
        trust={subject: dict(outcomes) for subject, outcomes in line["trust"].items()},
        skipped=dict(line["skipped"]),
        ended=dict(line["ended"]),
        classes_excused=line["classesExcused"],
    )
    return RunFooter(totals, line["seconds"], ExitCode(line["exitCode"]))


def _broken(line: Json) -> BrokenRun:
    return BrokenRun(line["message"], line["advice"], ExitCode.MISSING if line["advice"] else ExitCode.BROKEN)


_MAKERS: Final[Mapping[str, Callable[[Json], ReportedEvent]]] = {
    "header": _header,
    "cell": _result,
    "failed": _failed,
    "shrunk": _shrunk,
    "stricter": _stricter,
    "deviant": _deviant,
    "compared": _compared,
    "codecEnded": _ended,
    "cellRetried": lambda line: CellRetry(cell_of(line), line["first"], line["last"], line["reason"]),
    "caseLost": lambda line: LostCase(cell_of(line), line["case"], line["reason"]),
    "cellLost": lambda line: LostCell(cell_of(line), line["reason"]),
    "ledger": lambda line: LedgerFinding(LedgerProblem(**fields_of(line))),
    "claim": lambda line: ClaimFinding(ClaimProblem(**fields_of(line))),
    "broken": _broken,
    "footer": _footer,
}
