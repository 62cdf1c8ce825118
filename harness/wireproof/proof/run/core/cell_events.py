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
        value, header: canonical JSON; None where the case is not a value (the layout itself, wrong bytes).
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
class DeviantCase:
    """The first case of a cell in which a compared codec shows a deviation, known or not.

    Attributes:
        case_id: ``CELL/PHASE/NAME``.
        divergences: exactly one, of one codec; its `entry` names the ledger's entry that explains it.
        value, header: canonical JSON; None where the case is not a value.
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
    """A case that took its process down: nothing is known about it but that."""

    cell: Cell
    case_id: str
    reason: str


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
        phase_s: wall-clock seconds of each phase.
        hidden_causes: differences after those of `causes`, in the same comparison. They may follow from
            these. The run reports them once the ledger explains these.
        contradicted: of each known cause that the codec answers against, a request that it answers as Kafka
            does.
        passed: the ids of known cases of malformed bytes that passed.
        diagnosis: of the failures the deviations that predict them; None where no case failed, or nothing
            diagnoses the codec.
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
    """An event of a comparison: the answers of several codecs for one cell, side by side."""

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


CaseEvent: TypeAlias = FailedCase | ShrunkCase | StricterCase | DeviantCase
"""The events of a single case, reported as soon as they are known."""

ProverEvent: TypeAlias = CaseEvent | EndedCodec | CellProgress | ComparedCell
"""The events of a cell before it is done."""
