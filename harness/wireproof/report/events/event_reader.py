"""Reading event files back: each line becomes the event that it was written from.

A file may be cut short, still be written to, or come from another program. A line is held at a time, so that
the memory does not grow with the file.
"""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from wireproof.coverage import CellCoverage
from wireproof.exit_codes import ExitCode
from wireproof.model import (
    AgreementGroup,
    ByteEvidence,
    Cell,
    CellComparison,
    CellId,
    ClaimProblem,
    CodecDirection,
    CodecEnd,
    CodecTask,
    Disagreement,
    Divergence,
    FaultAttribution,
    FaultOwner,
    FramePart,
    LedgerProblem,
    MalformedVerdict,
    NamedBytes,
    ObservedCause,
    ObservedDeviation,
    Phase,
)
from wireproof.parsing import MISSHAPEN, parse_json
from wireproof.report.events.event_file import FORMAT_VERSION, GROUPS_KEY
from wireproof.run import (
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

__all__ = ["EventFileError", "event_of", "read_event_file", "read_event_lines"]

_Json = Mapping[str, Any]

MOST_CHARACTERS: Final = 64 << 20
"""Of one line. The longest that a run writes holds a value of a few MiB."""


class EventFileError(ValueError):
    """A text is not an event file of this wireproof.

    Attributes:
        line: the line, from 1.
    """

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


def read_event_file(path: Path) -> Iterator[ReportedEvent]:
    """Yield the events of a file; see `read_event_lines`.

    Raises:
        EventFileError: the text is not an event file of this wireproof.
        OSError: the file cannot be read.
    """
    with path.open(encoding="utf-8", errors="surrogateescape") as stream:
        yield from read_event_lines(_bounded_lines(stream.readline))


def read_event_lines(lines: Iterable[str]) -> Iterator[ReportedEvent]:
    """Yield the events of an event file's lines.

    A last line without its line feed was cut short, or is still being written: it is left out.

    Raises:
        EventFileError: a line is not an event, the first is not a header, or the format is another one.
    """
    begun = False
    modules: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        if not line.endswith("\n"):
            break
        try:
            parsed = parse_json(line)
            if number == 1:
                _check_header(parsed)
                begun = True
            elif parsed["event"] == "failed":
                modules[parsed["cell"]] = parsed["module"]
            elif parsed["event"] == "shrunk":
                # The line has no module: it is that of the failure before.
                parsed["module"] = modules.get(_cell_id(parsed["case"]), "")
            yield event_of(parsed)
        except EventFileError:
            raise
        except MISSHAPEN as error:
            raise EventFileError(number, f"this is not an event of wireproof: {error!r}") from error
    if not begun:
        raise EventFileError(1, "there is no event: the file is empty, or its run has just begun")


def _bounded_lines(read_line: Callable[[int], str]) -> Iterator[str]:
    for number in range(1, sys.maxsize):
        line = read_line(MOST_CHARACTERS)
        if len(line) == MOST_CHARACTERS:
            raise EventFileError(number, f"it is longer than {MOST_CHARACTERS:,} characters")
        if not line:
            return
        yield line


def _check_header(parsed: Any) -> None:
    if parsed["event"] != "header":
        raise EventFileError(1, "the first event is not a header: this is not the beginning of an event file")
    if parsed["format"] != FORMAT_VERSION:
        found = f"the file has format {parsed['format']!r} of wireproof {parsed.get('version', '?')}"
        raise EventFileError(1, f"{found}; this wireproof reads format {FORMAT_VERSION}")


def event_of(line: _Json) -> ReportedEvent:
    """Return the event that a line of an event file was written from.

    Args:
        line: the parsed line, as `wireproof.report.events.event_file.as_json` made it.

    Raises:
        ValueError: no event has this name. A line of another shape raises one of `MISSHAPEN`.
    """
    make = _MAKERS.get(line["event"])
    if make is None:
        raise ValueError(f"no event is named {line['event']!r}")
    return make(line)


def _header(line: _Json) -> RunHeader:
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
    )


def _fork(parsed: _Json) -> ForkHeader:
    lists = {name: tuple(parsed[name]) for name in ("messages", "changed")}
    return ForkHeader(**{**parsed, **lists})


def _failed(line: _Json) -> FailedCase:
    blame = line["blame"]
    return FailedCase(
        _cell(line),
        Phase(line["phase"]),
        line["case"],
        _divergences(line),
        value=line["value"],
        header=line["header"],
        input=line["input"],
        entry=line.get("entry"),
        blame=None if blame is None else FaultAttribution(FaultOwner(blame["whose"]), blame["evidence"]),
        after=tuple(line.get("after", ())),
    )


def _shrunk(line: _Json) -> ShrunkCase:
    case = line["case"]
    cell = CellId.parse(_cell_id(case)).in_module(sys.intern(line.get("module", "")))
    return ShrunkCase(cell, case, _divergences(line), line["value"])


def _deviant(line: _Json) -> DeviantCase:
    return DeviantCase(
        _cell(line),
        Phase(line["phase"]),
        line["case"],
        _divergences(line),
        value=line["value"],
        header=line["header"],
        input=line["input"],
    )


def _cell_id(case: str) -> str:
    return "/".join(case.split("/")[:3])


def _stricter(line: _Json) -> StricterCase:
    return StricterCase(_cell(line), line["case"], _divergences(line)[0], line["input"])


def _compared(line: _Json) -> ComparedCell:
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
    verdicts = {name: _verdicts(counts) for name, counts in line["verdicts"].items()}
    not_asked = dict(line.get("notAsked", {}))
    return ComparedCell(_cell(line), CellComparison(cases, verdicts, disagreements, not_asked))


def _ended(line: _Json) -> EndedCodec:
    case = line["case"]
    cell = _cell(line)
    end = CodecEnd(
        line["subject"],
        line["error"],
        line["message"],
        case=case.removeprefix(f"{cell.id}/"),
        site=line["site"],
        left_s=line["secondsLeft"],
    )
    return EndedCodec(cell, case, end)


def _result(line: _Json) -> CellResult:
    coverage = line["coverage"]
    return CellResult(
        cell=_cell(line),
        cases=_phases(line["cases"]),
        data_bytes=line["bytes"],
        failed_cases=line["failedCases"],
        duration_s=line["seconds"],
        errata=dict(line["errata"]),
        verdicts=_verdicts(line["verdicts"]),
        laxities=dict(line["laxities"]),
        coverage=None if coverage is None else _coverage(coverage),
        unsupported=dict(line["unsupported"]),
        known=dict(line["known"]),
        causes=tuple(map(_cause, line["causes"])),
        claimed=tuple(map(CodecDirection, line["claimed"])),
        exercised=tuple(map(CodecDirection, line["exercised"])),
        not_asked=line["notAsked"],
        skipped=dict(line["skipped"]),
        known_at=tuple(map(_known_at, line["knownAt"])),
        trust={subject: dict(outcomes) for subject, outcomes in line["trust"].items()},
        phase_s={Phase(phase): spent for phase, spent in line.get("secondsByPhase", {}).items()},
    )


def _footer(line: _Json) -> RunFooter:
    totals = Totals(
        cells_selected=line["cellsSelected"],
        cells_done=line["cellsDone"],
        cells_failed=line["cellsFailed"],
        cells_lost=line["cellsLost"],
        cases=_phases(line["cases"]),
        failed_cases=line["failedCases"],
        data_bytes=line["bytes"],
        errata=dict(line["errata"]),
        verdicts=_verdicts(line["verdicts"]),
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


def _broken(line: _Json) -> BrokenRun:
    return BrokenRun(line["message"], line["advice"], ExitCode.MISSING if line["advice"] else ExitCode.BROKEN)


_MAKERS: Final[Mapping[str, Callable[[_Json], ReportedEvent]]] = {
    "header": _header,
    "cell": _result,
    "failed": _failed,
    "shrunk": _shrunk,
    "stricter": _stricter,
    "deviant": _deviant,
    "compared": _compared,
    "codecEnded": _ended,
    "cellRetried": lambda line: CellRetry(_cell(line), line["first"], line["last"], line["reason"]),
    "caseLost": lambda line: LostCase(_cell(line), line["case"], line["reason"]),
    "cellLost": lambda line: LostCell(_cell(line), line["reason"]),
    "ledger": lambda line: LedgerFinding(LedgerProblem(**_fields(line))),
    "claim": lambda line: ClaimFinding(ClaimProblem(**_fields(line))),
    "broken": _broken,
    "footer": _footer,
}


def _fields(line: _Json) -> dict[str, Any]:
    return {name: value for name, value in line.items() if name != "event"}


def _cell(line: _Json) -> Cell:
    return CellId.parse(line["cell"]).in_module(sys.intern(line["module"]))


def _divergences(line: _Json) -> tuple[Divergence, ...]:
    found = tuple(map(_divergence, line["divergences"]))
    if not found:
        raise ValueError("a failure has no divergence")
    return found


def _divergence(parsed: _Json) -> Divergence:
    sides = parsed.get("bytes")
    if sides is None:
        return Divergence(**parsed)
    evidence = ByteEvidence(**{side: _named_bytes(found) for side, found in sides.items()})
    return Divergence(**{**parsed, "bytes": evidence})


def _named_bytes(parsed: _Json) -> NamedBytes:
    bytes.fromhex(parsed["hex"])  # raises for other text
    names = tuple((int(start), int(end), str(name)) for start, end, name in parsed["fields"])
    return NamedBytes(parsed["hex"], parsed["start"], parsed["length"], names)


def _phases(counts: _Json) -> dict[Phase, int]:
    return {Phase(phase): count for phase, count in counts.items()}


def _verdicts(counts: _Json) -> dict[MalformedVerdict, int]:
    return {MalformedVerdict(verdict): count for verdict, count in counts.items()}


def _coverage(parsed: _Json) -> CellCoverage:
    return CellCoverage(
        covered=parsed["met"],
        reachable=parsed["reachable"],
        unreachable=parsed["unreachable"],
        missing=_interned(parsed["missing"]),
        excused=_interned(parsed["excused"]),
        contradicted=_interned(parsed["contradicted"]),
        below_floor=parsed["belowFloor"],
    )


def _interned(names: Iterable[str]) -> tuple[str, ...]:
    """The names of classes: those of a message's versions are mostly the same."""
    return tuple(map(sys.intern, names))


def _cause(parsed: _Json) -> ObservedCause:
    return ObservedCause(
        phase=Phase(parsed["phase"]),
        check=parsed["check"],
        subject=parsed["subject"],
        field=parsed["field"],
        type=parsed["type"],
        kind=parsed["kind"],
        cases=parsed["cases"],
        case_id=parsed["case"],
        summary=parsed["summary"],
        part=FramePart(parsed["part"]),
    )


def _known_at(parsed: _Json) -> ObservedDeviation:
    return ObservedDeviation(parsed["entry"], FramePart(parsed["part"]), parsed["field"], parsed["cases"])
