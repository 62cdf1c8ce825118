"""The events of a cell and of its cases: provers report them, in the process of a worker."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from wireproof.model.agreement import CellComparison, ObservedCause, ObservedDeviation
from wireproof.model.cell import Cell, Phase
from wireproof.model.codec_ends import CodecEnd
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.model.divergence import Divergence, FaultAttribution
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.search.cell_diagnosis import CellDiagnosis


@dataclass(frozen=True, slots=True)
class FailedCase:
    """A case diverged, as it was found.

    Attributes:
        case_id: ``CELL/PHASE/NAME``.
        divergences: never empty; the first is the one to look at first.
        value, header: canonical JSON; None if the case is not a value (the layout itself, wrong bytes).
        input: the wrong bytes of the case, in hexadecimal; None if it has none.
        entry: the line of the corpus that the case comes from.
        after: the ids of the cases that must be asked first to show a state fault, in order.
        blame: the fault attribution of the first divergence; None if it was not judged.
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
class DeviantCase:
    """The first case of a cell in which a compared codec shows a deviation, known or not.

    Attributes:
        case_id: ``CELL/PHASE/NAME``.
        divergences: exactly one, of one codec; its `entry` names the ledger's entry that explains it.
        value, header: canonical JSON; None if the case is not a value.
        input: the bytes that the codec was given to read, in hexadecimal; None where it was given a value.
    """

    cell: Cell
    phase: Phase
    case_id: str
    divergences: tuple[Divergence, ...]
    value: str | None = None
    header: str | None = None
    input: str | None = None


@dataclass(frozen=True, slots=True)
class ShrunkCase:
    """A smaller instance of a failure reported before."""

    cell: Cell
    case_id: str
    divergences: tuple[Divergence, ...]
    value: str


@dataclass(frozen=True, slots=True)
class StricterCase:
    """A refusal of bytes that Kafka reads, and that no known leniency of Kafka explains.

    It is not a failure, but needs attention.

    Attributes:
        input: the bytes, in hexadecimal.
    """

    cell: Cell
    case_id: str
    divergence: Divergence
    input: str


@dataclass(frozen=True, slots=True)
class LostCase:
    """A case that killed its process; nothing else is known about it."""

    cell: Cell
    case_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class EndedCodec:
    """A question hung the codec, ended its process or broke the protocol. It was asked twice.

    Later questions with the same cause are skipped: `CellResult.skipped`.

    Attributes:
        case_id: ``CELL/PHASE/NAME``; empty if the question belongs to no case of malformed bytes.
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
        failed_cases: cases with a divergence, including those that are only counted.
        duration_s: wall-clock seconds in its process.
        errata: how many cases met each known bug of Kafka, by its reference; they did not fail.
        verdicts: the number of each verdict on malformed bytes.
        laxities: how many cases each leniency of Kafka explains in which the codec was stricter, by name;
            ``""`` has the cases that none explains.
        coverage: which classes of values the cases met; None if no phase counts them.
        unsupported: how many cases were left out by each limit of the codec's types.
        known: how many cases met each deviation that the ledger knows, by the id of its entry; they did not
            fail.
        known_at: the places at which known deviations showed.
        causes: each cause of a failure in each phase, once.
        claimed: the ways that the testee claims; our own codec claims none.
        exercised: the claimed ways that were tried with values or bytes that Kafka's classes made.
        not_asked: questions that were not asked, because the codec had ended too often, or no time was left
            for hangs: the cell was not judged whole.
        trust: by codec that promises no refusal, how often each of these was the outcome for a value that
            the version cannot hold: ``written``, ``refused``, ``failed`` (with an error that the codec does
            not declare), ``unsupported``.
        skipped: how many questions were skipped, by the id of the case that hung the codec or ended its
            process for the same cause.
        phase_s: wall-clock seconds of each phase.
        hidden_causes: differences after those of `causes`, in the same comparison. They may follow from
            these. The run reports them once the ledger explains these.
        contradicted: for each known cause that the codec contradicts, a request that the codec answers as
            Kafka does.
        passed: the ids of known cases of malformed bytes that passed.
        diagnosis: the deviations that predict the failures; None if no case failed, or the codec is not
            diagnosed.
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
    phase_s: Mapping[Phase, float] = field(default_factory=dict)
    hidden_causes: tuple[ObservedCause, ...] = ()
    diagnosis: CellDiagnosis | None = None
    contradicted: Mapping[str, str] = field(default_factory=dict)
    passed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class ComparedCell:
    """An event of a comparison: the compared answers of several codecs for one cell."""

    cell: Cell
    compared: CellComparison


@dataclass(frozen=True, slots=True)
class CellProgress:
    """The progress of a cell with many cases; its `CellResult` includes these counts.

    Attributes:
        cases: number of cases by phase, so far.
        data_bytes: encoded bytes of these cases.
        failed_cases: how many of them have a divergence.
    """

    cell: Cell
    cases: Mapping[Phase, int]
    data_bytes: int
    failed_cases: int


CaseEvent: TypeAlias = FailedCase | ShrunkCase | StricterCase | DeviantCase
"""The events of a single case, reported as soon as they are known."""

ProverEvent: TypeAlias = CaseEvent | EndedCodec | CellProgress | ComparedCell
"""The events of a cell before it is done."""
