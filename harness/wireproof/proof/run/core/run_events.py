"""The events of a run, for the terminal, the event file and other listeners."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import LedgerProblem
from wireproof.model.cell import Phase
from wireproof.model.malformed_input import MalformedVerdict
from wireproof.model.repertoire import ClaimProblem
from wireproof.proof.config.selection import MutationSet
from wireproof.proof.run.core.cell_events import (
    CaseEvent,
    CellProgress,
    CellResult,
    CellRetry,
    ComparedCell,
    EndedCodec,
    LostCase,
    LostCell,
)

KAFKA: Final = "Kafka's own classes"


@dataclass(frozen=True, slots=True)
class ForkHeader:
    """A fork that a run proves: the definitions that are laid over those of a release.

    Attributes:
        release: the fork as its cells name it: ``4.4.0+acme``.
        folder: where the definitions were read.
        sha256: digest of the definitions, without comments and documentation.
        messages: the names of the fork's messages.
        changed: the names of messages that the release has, too.
        classes: the origin of the fork's classes, in words; empty if no classes are asked.
    """

    release: str
    folder: str
    sha256: str
    messages: tuple[str, ...]
    changed: tuple[str, ...]
    classes: str


@dataclass(frozen=True, slots=True)
class AcceptedDeviation:
    """The terms of an entry of the ledger.

    Attributes:
        check: the check whose failure it explains.
        since, expires: the first and the last day of the entry, ``2026-11-23``.
        owner: the name of the person or team that accepted it.
        link: an issue or a document; may be empty.
    """

    check: str
    since: str
    expires: str
    owner: str
    link: str = ""


@dataclass(frozen=True, slots=True)
class RunHeader:
    """The first event of a run: versions, options and inputs.

    Attributes:
        releases: the releases proven against.
        jars: file name of each jar used to its SHA-256.
        cells: how many cells were selected.
        cells_offered: how many cells of the releases the codec claims; 0 if no run selects among them.
        retired: messages without valid versions, by release.
        subjects: the codecs under test.
        command: the command line.
        version: the version of wireproof.
        testee: the testee as the user named it; empty if our own codec is under test.
        limits: what the testee's types cannot hold, by name, in words; our own codec has none.
        where: where the testee runs, in words; empty if our own codec is under test.
        enforced: the restrictions on the testee there, in words.
        ledger: the known deviation of each entry of the testee's ledger, in words, by id.
        ledger_of: the version of the codec that the ledger is about, if another is under test; else empty.
        corpus: the number of entries of each provenance, if the run is against a corpus.
        unsaid: what the run cannot judge without Java; a sentence each.
        mutations: how many of each cell's mutations are tried, if their phase runs.
        forks: the forks among the releases.
        terms: the terms of the ledger's entries, by id.
        unclaimed: the versions of selected messages that the testee does not claim, by
            ``RELEASE/MODULE/MESSAGE``.
        locations: the lines of source that reports name, by message: ``codec.py:12``, from the working
            folder.
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
    forks: tuple[ForkHeader, ...] = ()
    terms: Mapping[str, AcceptedDeviation] = field(default_factory=dict)
    unclaimed: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    locations: Mapping[str, str] = field(default_factory=dict)

    @property
    def authority(self) -> str:
        """The authority that proven answers agree with, in words."""
        if self.unsaid:
            return "the entries of the corpus"
        others = dict.fromkeys(f" and {fork.classes}" for fork in self.forks)
        return KAFKA + "".join(others)


@dataclass(frozen=True, slots=True)
class LedgerFinding:
    """An event at the end of a run: an entry of the ledger is wrong, or will soon be."""

    problem: LedgerProblem


@dataclass(frozen=True, slots=True)
class ClaimFinding:
    """An event at the end of a run: a claim of the testee is wrong, or could be wider."""

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
        classes_excused: reachable classes met only by cases that a known Kafka bug, the ledger or a limit
            excuses.
        cells_below_floor: cells that tried all cases and missed a reachable class, or met a class that no
            value should meet.
        known: cases that met a deviation which the ledger knows, by the id of its entry.
        not_asked: questions that were not asked, because a codec had ended too often, or no time was left for
            hangs.
        cells_not_whole: cells with questions that were not asked.
        skipped: questions skipped because a reported case has the same cause, by the id of that case.
        ended: how often the codec hung (``hang``), ended its process, or broke the protocol.
        ledger_problems: how many things are wrong with the ledger; warnings are not counted.
        claims: (message, version, way) that the testee claims, of the cells done, each once.
        claims_exercised: the claims that were tried with values or bytes that Kafka's classes made.
        claims_below_floor: whether too few claims were tried in this way.
        claim_problems: how many things are wrong with the testee's claims.
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
    | CaseEvent
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

RunEvent: TypeAlias = ReportedEvent | CellProgress
