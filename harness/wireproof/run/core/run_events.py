"""The events of a run, for the terminal, the event file and other listeners."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from wireproof.coverage import CellCoverage
from wireproof.exit_codes import ExitCode
from wireproof.model import (
    Cell,
    CellComparison,
    ClaimProblem,
    CodecDirection,
    CodecEnd,
    Divergence,
    FaultAttribution,
    LedgerProblem,
    MalformedVerdict,
    ObservedCause,
    ObservedDeviation,
    Phase,
)
from wireproof.run.core.plan import MutationSet

__all__ = [
    "KAFKA",
    "FailedCase",
    "LostCase",
    "ShrunkCase",
    "StricterCase",
    "CaseEvent",
    "ComparedCell",
    "CellResult",
    "LostCell",
    "CellProgress",
    "CellRetry",
    "EndedCodec",
    "ClaimFinding",
    "ExitCode",
    "LedgerFinding",
    "BrokenRun",
    "RunEvent",
    "RunFooter",
    "RunHeader",
    "ReportedEvent",
    "Totals",
]


KAFKA: Final = "Kafka's own classes"


@dataclass(frozen=True, slots=True)
class RunHeader:
    """The header.

    Attributes:
        releases: the releases proven against.
        jars: file name of each jar used to its SHA-256.
        cells: how many cells were selected.
        cells_offered: how many cells the releases have that the codec claims; 0 where no run selects of them.
        retired: messages without valid versions, by release.
        subjects: the codecs under test.
        command: the command line.
        version: of wireproof.
        testee: what the user named it by; empty where our own codec is under test.
        limits: what the testee's types cannot hold, by name, in words; our own codec has none.
        where: where the testee runs, in words; empty where our own codec is under test.
        enforced: what the testee is held to there, in words.
        ledger: the entries of the testee's ledger that was given: id to what is known, in words.
        ledger_of: the version of the codec that these are about, where another is under test; else empty.
        corpus: where the run is against a corpus: how many entries of each provenance.
        unsaid: what the run says nothing about, because it goes without Java; a sentence each.
        mutations: how many of each cell's mutations are tried, where their phase runs.
    """

    version: str
    command: tuple[str, ...]
    seed: int
    releases: tuple[str, ...]
    jars: Mapping[str, str]
    subjects: tuple[str, ...]
    phases: tuple[Phase, ...]
    cells: int
    retired: Mapping[str, int]
    testee: str = ""
    limits: Mapping[str, str] = field(default_factory=dict)
    where: str = ""
    enforced: Mapping[str, str] = field(default_factory=dict)
    ledger: Mapping[str, str] = field(default_factory=dict)
    ledger_of: str = ""
    corpus: Mapping[str, int] = field(default_factory=dict)
    unsaid: tuple[str, ...] = ()
    mutations: MutationSet = MutationSet.ALL
    cells_offered: int = 0

    @property
    def authority(self) -> str:
        """The authority that proven answers agree with, in words."""
        return "the entries of the corpus" if self.unsaid else KAFKA


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case diverged, as it was found.

    Attributes:
        case_id: ``CELL/PHASE/NAME``.
        divergences: never empty; the first is the one to look at first.
        value, header: canonical JSON; None where the case is no value (the layout itself, wrong bytes).
        input: of wrong bytes: all of them, in hexadecimal.
        entry: the line of the corpus that it is a case of.
        after: of a failure of state the ids of the cases that have to be asked before it, in order.
        blame: the fault attribution of its first divergence; None where that was not judged.
    """

    cell: Cell
    phase: Phase
    case_id: str
    divergences: tuple[Divergence, ...]
    value: str | None = None
    header: str | None = None
    input: str | None = None
    entry: str | None = None
    blame: FaultAttribution | None = None
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ShrunkCase:
    """A smaller instance of a failure reported before."""

    cell: Cell
    case_id: str
    divergences: tuple[Divergence, ...]
    value: str


@dataclass(frozen=True, slots=True)
class StricterCase:
    """A codec refused bytes that Kafka reads, and no laxity of Kafka's that is known explains it: no failure,
    but to be looked at.

    Attributes:
        input: the bytes, in hexadecimal.
    """

    cell: Cell
    case_id: str
    divergence: Divergence
    input: str


@dataclass(frozen=True, slots=True)
class EndedCodec:
    """A question hung the codec, ended its process or broke the protocol. It was asked twice.

    What does the same at the same place is skipped from now on: `CellResult.skipped`.

    Attributes:
        case_id: ``CELL/PHASE/NAME``; empty where the question is of no case of malformed bytes.
    """

    cell: Cell
    case_id: str
    end: CodecEnd


@dataclass(frozen=True, slots=True)
class CellRetry:
    """The process died with these cases of the cell in flight; they are tried again, one at a time.

    Attributes:
        first, last: ids of the first and the last case of the batch.
    """

    cell: Cell
    first: str
    last: str
    reason: str


@dataclass(frozen=True, slots=True)
class LostCase:
    """A case that took its process down: nothing is known about it but that."""

    cell: Cell
    case_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class LostCell:
    """A cell that could not be judged to the end."""

    cell: Cell
    reason: str


@dataclass(frozen=True, slots=True)
class CellResult:
    """A cell was judged to its end.

    Attributes:
        cases: number of cases by phase.
        data_bytes: encoded bytes of all cases together.
        failed_cases: cases with a divergence, those not reported one by one too.
        duration_s: wall-clock seconds in its process.
        errata: how many cases met each known bug of Kafka, by its reference; they did not fail.
        verdicts: on malformed bytes.
        laxities: of Kafka's, by name, with the cases in which the codec was stricter by them; ``""`` are
            those that nothing explains.
        coverage: which classes of values the cases met; None where no phase counts them.
        unsupported: how many cases were left out by each limit of the codec's types.
        known: how many cases met each deviation that the ledger knows, by the id of its entry; they did not
            fail.
        known_at: the places at which they showed.
        causes: of the failures, each cause of each phase once.
        claimed: the ways that the testee claims; our own codec claims none.
        exercised: those of them that were tried with values or bytes that Kafka's classes made.
        not_asked: questions that were not asked, because the codec had ended too often, or no time was left
            for hangs: the cell was not judged whole.
        trust: by codec that promises no refusal, what it did with values that the version cannot hold, each
            with its number: ``written``, ``refused``, ``failed`` (by an error that it does not declare),
            ``unsupported``.
        skipped: questions that were skipped, by the id of the case that had hung the codec or ended its
            process, and does the same at the same place.
    """

    cell: Cell
    cases: Mapping[Phase, int]
    data_bytes: int
    failed_cases: int
    duration_s: float
    errata: Mapping[str, int] = field(default_factory=dict)
    verdicts: Mapping[MalformedVerdict, int] = field(default_factory=dict)
    laxities: Mapping[str, int] = field(default_factory=dict)
    coverage: CellCoverage | None = None
    unsupported: Mapping[str, int] = field(default_factory=dict)
    known: Mapping[str, int] = field(default_factory=dict)
    causes: tuple[ObservedCause, ...] = ()
    claimed: tuple[CodecDirection, ...] = ()
    exercised: tuple[CodecDirection, ...] = ()
    not_asked: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    known_at: tuple[ObservedDeviation, ...] = ()
    trust: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """Of a cell that is about to be done: what several codecs answered, side by side."""

    cell: Cell
    compared: CellComparison


@dataclass(frozen=True, slots=True)
class CellProgress:
    """The progress of a cell with many cases; its `CellResult` includes these counts.

    Attributes:
        cases: number of cases by phase, so far.
        data_bytes: encoded bytes of them.
        failed_cases: those with a divergence.
    """

    cell: Cell
    cases: Mapping[Phase, int]
    data_bytes: int
    failed_cases: int


@dataclass(frozen=True, slots=True)
class LedgerFinding:
    """At the end of a run: an entry of the ledger is wrong, or will soon be."""

    problem: LedgerProblem


@dataclass(frozen=True, slots=True)
class ClaimFinding:
    """At the end of a run: what the testee says of itself is wrong, or could be more."""

    problem: ClaimProblem


@dataclass(frozen=True, slots=True)
class BrokenRun:
    """The run cannot go on: something it needs is missing, or the harness failed."""

    message: str
    advice: str
    exit_code: ExitCode


@dataclass(slots=True)
class Totals:
    """The totals of a run so far. Mutable: the engine adds to them.

    Attributes:
        classes_met, classes_reachable, classes_unreachable: classes of values over all cells done.
        classes_excused: reachable classes that only those cases met which an erratum or the ledger excuses.
        cells_below_floor: cells of which not every reachable class was met though all cases were tried, or a
            class that no value should meet was.
        known: cases that met a deviation which the ledger knows, by the id of its entry.
        not_asked: questions that were not asked, because a codec had ended too often, or no time was left for
            hangs.
        cells_not_whole: cells to which they belong.
        skipped: questions that were skipped for the same cause as a case that was reported, by its id.
        ended: how often the codec hung (``hang``), ended its process, or broke the protocol.
        ledger_problems: how many things are wrong with the ledger; warnings are not counted.
        claims: (message, version, way) that the testee claims, of the cells done, each once.
        claims_exercised: those of them tried with values or bytes that Kafka's classes made.
        claims_below_floor: whether more of them had to be.
        claim_problems: how many things are wrong with what the testee says of itself.
        trust: as in `CellResult`, over all cells done.
    """

    cells_selected: int = 0
    cells_done: int = 0
    cells_failed: int = 0
    cells_lost: int = 0
    cases: dict[Phase, int] = field(default_factory=dict)
    failed_cases: int = 0
    data_bytes: int = 0
    errata: dict[str, int] = field(default_factory=dict)
    verdicts: dict[MalformedVerdict, int] = field(default_factory=dict)
    laxities: dict[str, int] = field(default_factory=dict)
    unsupported: dict[str, int] = field(default_factory=dict)
    classes_met: int = 0
    classes_reachable: int = 0
    classes_unreachable: int = 0
    cells_below_floor: int = 0
    known: dict[str, int] = field(default_factory=dict)
    ledger_problems: int = 0
    claims: int = 0
    claims_exercised: int = 0
    claims_below_floor: bool = False
    claim_problems: int = 0
    not_asked: int = 0
    cells_not_whole: int = 0
    trust: dict[str, dict[str, int]] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)
    classes_excused: int = 0

    @property
    def all_cases(self) -> int:
        return sum(self.cases.values())


@dataclass(frozen=True, slots=True)
class RunFooter:
    """The footer: an event file without it was cut short."""

    totals: Totals
    duration_s: float
    exit_code: ExitCode


ReportedEvent: TypeAlias = (
    RunHeader
    | FailedCase
    | ShrunkCase
    | StricterCase
    | EndedCodec
    | CellRetry
    | LostCase
    | LostCell
    | ComparedCell
    | CellResult
    | LedgerFinding
    | ClaimFinding
    | BrokenRun
    | RunFooter
)
"""The events of an event file."""

CaseEvent: TypeAlias = FailedCase | ShrunkCase | StricterCase
"""The events of a single case, reported as soon as they are known."""

ProverEvent: TypeAlias = CaseEvent | EndedCodec | CellProgress | ComparedCell
"""The events of a cell before it is done."""

RunEvent: TypeAlias = ReportedEvent | CellProgress
