"""Plan -> engine -> events."""

from wireproof.proof.run.comparing.answer_comparison import ComparableAnswer
from wireproof.proof.run.comparing.compared_sets import PACKS
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
from wireproof.proof.run.core.environment import MakeEnvironment, WorkerEnvironment
from wireproof.proof.run.core.layouts import Layouts, header_layouts
from wireproof.proof.run.core.message_families import family_of, label_of
from wireproof.proof.run.core.plan import (
    ALL_PHASES,
    DEFAULT_PHASES,
    MutationSet,
    RunOptions,
    Selection,
    all_cells,
    at_edges,
    in_shard,
    matching,
    over_releases,
    retired,
    select,
)
from wireproof.proof.run.core.run_events import (
    KAFKA,
    AcceptedDeviation,
    BrokenRun,
    ClaimFinding,
    ExitCode,
    ForkHeader,
    LedgerFinding,
    ReportedEvent,
    RunEvent,
    RunFooter,
    RunHeader,
    Totals,
)
from wireproof.proof.run.core.uncovered_classes import UncoveredClass, UncoveredClassFinder
from wireproof.proof.run.engine.case_replay import NoSuchCaseError, replay, side_by_side
from wireproof.proof.run.engine.cell_pool import CellPool
from wireproof.proof.run.engine.engine import Audit, ClaimsAudit, Engine, Prover
from wireproof.proof.run.engine.inline import InlineProver
from wireproof.proof.run.engine.run_account import RunAccount
from wireproof.proof.run.engine.worker_pool import WorkerBroken
from wireproof.proof.run.phases.records_phase import carries_records

__all__ = [
    "WorkerBroken",
    "PACKS",
    "ALL_PHASES",
    "KAFKA",
    "ForkHeader",
    "Audit",
    "NoSuchCaseError",
    "replay",
    "side_by_side",
    "DEFAULT_PHASES",
    "MutationSet",
    "WorkerEnvironment",
    "FailedCase",
    "LostCase",
    "ShrunkCase",
    "StricterCase",
    "ComparedCell",
    "DeviantCase",
    "CellResult",
    "LostCell",
    "CellProgress",
    "CellRetry",
    "EndedCodec",
    "ClaimFinding",
    "ClaimsAudit",
    "Engine",
    "ExitCode",
    "InlineProver",
    "Layouts",
    "LedgerFinding",
    "MakeEnvironment",
    "CellPool",
    "Prover",
    "AcceptedDeviation",
    "BrokenRun",
    "RunEvent",
    "RunFooter",
    "RunOptions",
    "RunHeader",
    "ComparableAnswer",
    "Selection",
    "ReportedEvent",
    "RunAccount",
    "Totals",
    "UncoveredClass",
    "UncoveredClassFinder",
    "all_cells",
    "at_edges",
    "carries_records",
    "family_of",
    "header_layouts",
    "in_shard",
    "label_of",
    "matching",
    "over_releases",
    "retired",
    "select",
]
