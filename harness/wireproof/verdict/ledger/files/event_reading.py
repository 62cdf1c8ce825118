"""Reading the causes of failures from event files."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from wireproof.base.text.parsing import MISSHAPEN, parse_json, shape_fault
from wireproof.model.agreement import ObservedCause
from wireproof.model.cell import Cell, CellId, FramePart, Phase
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, CellDiagnosis, diagnosis_of
from wireproof.verdict.ledger.bounds import CountScope, cell_counts, largest
from wireproof.verdict.ledger.files.ledger_reading import LedgerError
from wireproof.verdict.ledger.files.migrations import FormerNames

CauseInCell: TypeAlias = tuple[Cell, ObservedCause]


@dataclass(frozen=True, slots=True)
class ObservedCauses:
    """The causes in an event file.

    Attributes:
        subjects: the codecs under test.
        done: the cells that were judged completely.
        causes: the causes of their failures, and the causes hidden behind them, each with its cell. Where
            deviations predict every failed case of a cell, they predict what is hidden there, too.
        complete: true if the file has its footer.
        known: the ids of entries that explained a failure, each with the release.
        counts: the counts of what a run does not judge, by name: the largest number in any one release.
        scopes: what each run had to judge, and judged.
        deviations: the deviations that predict failures, each with its cell.
        predicted: the causes whose failures these deviations predict.
    """

    subjects: tuple[str, ...]
    done: frozenset[Cell]
    causes: tuple[CauseInCell, ...]
    complete: bool
    known: frozenset[tuple[str, str]] = frozenset()
    counts: Mapping[str, int] = field(default_factory=dict)
    scopes: tuple[CountScope, ...] = ()
    deviations: tuple[tuple[Cell, CellCause], ...] = ()
    predicted: tuple[CauseInCell, ...] = ()


def read_events(lines: Iterable[str]) -> ObservedCauses:
    """Read the causes in an event file.

    Raises LedgerError if the text is not an event file, or one of an older wireproof without causes.
    """
    subjects: tuple[str, ...] = ()
    done: set[Cell] = set()
    causes: list[CauseInCell] = []
    complete = False
    known: set[tuple[str, str]] = set()
    counts: list[tuple[str, Counter[str]]] = []
    scope = CountScope()
    not_whole: set[Cell] = set()
    deviations: list[tuple[Cell, CellCause]] = []
    predicted: list[CauseInCell] = []
    for number, line in enumerate(lines, 1):
        try:
            event = parse_json(line)
            match event["event"]:
                case "header":
                    scope, subjects = CountScope.of_header(event), tuple(event["subjects"])
                case "cell":
                    cell = CellId.parse(event["cell"]).in_module(event["module"])
                    done.add(cell)
                    not_whole |= {cell} if event.get("notAsked") else set()
                    diagnosis = diagnosis_of(event.get("diagnosis"))
                    for cause in map(_cause, event["causes"]):
                        (predicted if _is_predicted(cause, diagnosis) else causes).append((cell, cause))
                    every = diagnosis is not None and not diagnosis.rest
                    hidden = event.get("hiddenCauses", ())
                    (predicted if every else causes).extend((cell, each) for each in map(_cause, hidden))
                    deviations += [(cell, each) for each in diagnosis.causes] if diagnosis else []
                    tallies = (event.get(name, {}) for name in ("trust", "laxities", "unsupported"))
                    counts.append((cell.release, cell_counts(*tallies)))
                    known.update((entry, cell.release) for entry in event["known"])
                case "caseLost":
                    not_whole.add(CellId.parse(event["cell"]).in_module(event["module"]))
                case "footer":
                    complete = True
        except MISSHAPEN as error:
            raise LedgerError(
                f"line {number} is not an event of this wireproof: {shape_fault(error)}"
            ) from error
    scope = replace(scope, judged=len(done - not_whole))
    return ObservedCauses(
        subjects,
        frozenset(done),
        tuple(causes),
        complete,
        frozenset(known),
        largest(counts),
        (scope,),
        tuple(deviations),
        tuple(predicted),
    )


def merged_causes(seen: Sequence[ObservedCauses]) -> ObservedCauses:
    """Merge the causes of several runs, such as those of a codec's variants or of single releases."""
    names = sorted({name for each in seen for name in each.counts})
    return ObservedCauses(
        tuple(dict.fromkeys(subject for each in seen for subject in each.subjects)),
        frozenset().union(*(each.done for each in seen)),
        tuple(met for each in seen for met in each.causes),
        all(each.complete for each in seen),
        frozenset().union(*(each.known for each in seen)),
        {name: max(each.counts.get(name, 0) for each in seen) for name in names},
        tuple(scope for each in seen for scope in each.scopes),
        tuple(met for each in seen for met in each.deviations),
        tuple(met for each in seen for met in each.predicted),
    )


def _is_predicted(cause: ObservedCause, diagnosis: CellDiagnosis | None) -> bool:
    """Test if the deviations of a cell predict every failed case of a cause."""
    if diagnosis is None:
        return False
    place = cause.check, cause.field, cause.kind
    left = any(key == place for key, _ in diagnosis.rest_causes)
    return not left and any(place in each.divergences for each in diagnosis.causes)


def _cause(each: Mapping[str, Any]) -> ObservedCause:
    parts = {name: each[name] for name in ("subject", "field", "type", "cases", "summary")}
    check, kind = FormerNames().check(each["check"]), FormerNames().kind(each["kind"])
    phase, part = Phase(each["phase"]), FramePart(each["part"])
    return ObservedCause(phase, check=check, kind=kind, **parts, case_id=each["case"], part=part)
