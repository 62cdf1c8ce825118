"""Plan -> engine -> events.

Importing this package loads nothing else: the first use of a name does.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wireproof.base.exit_codes import ExitCode
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
    from wireproof.proof.run.core.layouts import Layouts, all_cells, header_layouts
    from wireproof.proof.run.core.message_families import family_of, label_of
    from wireproof.proof.run.core.plan import (
        KnownDeviations,
        RunOptions,
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
    "KAFKA",
    "ForkHeader",
    "Audit",
    "NoSuchCaseError",
    "replay",
    "side_by_side",
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
    "KnownDeviations",
    "RunOptions",
    "RunHeader",
    "ComparableAnswer",
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

_PACKAGE = "wireproof.proof.run"
_MODULES = {
    "wireproof.base.exit_codes": ("ExitCode",),
    f"{_PACKAGE}.comparing.answer_comparison": ("ComparableAnswer",),
    f"{_PACKAGE}.comparing.compared_sets": ("PACKS",),
    f"{_PACKAGE}.core.cell_events": (
        "CellProgress", "CellResult", "CellRetry", "ComparedCell", "DeviantCase", "EndedCodec",
        "FailedCase", "LostCase", "LostCell", "ShrunkCase", "StricterCase",
    ),
    f"{_PACKAGE}.core.environment": ("MakeEnvironment", "WorkerEnvironment"),
    f"{_PACKAGE}.core.layouts": ("Layouts", "all_cells", "header_layouts"),
    f"{_PACKAGE}.core.message_families": ("family_of", "label_of"),
    f"{_PACKAGE}.core.plan": (
        "KnownDeviations", "RunOptions", "at_edges", "in_shard", "matching", "over_releases", "retired",
        "select",
    ),
    f"{_PACKAGE}.core.run_events": (
        "KAFKA", "AcceptedDeviation", "BrokenRun", "ClaimFinding", "ForkHeader", "LedgerFinding",
        "ReportedEvent", "RunEvent", "RunFooter", "RunHeader", "Totals",
    ),
    f"{_PACKAGE}.core.uncovered_classes": ("UncoveredClass", "UncoveredClassFinder"),
    f"{_PACKAGE}.engine.case_replay": ("NoSuchCaseError", "replay", "side_by_side"),
    f"{_PACKAGE}.engine.cell_pool": ("CellPool",),
    f"{_PACKAGE}.engine.engine": ("Audit", "ClaimsAudit", "Engine", "Prover"),
    f"{_PACKAGE}.engine.inline": ("InlineProver",),
    f"{_PACKAGE}.engine.run_account": ("RunAccount",),
    f"{_PACKAGE}.engine.worker_pool": ("WorkerBroken",),
    f"{_PACKAGE}.phases.records_phase": ("carries_records",),
}  # fmt: skip
_HOME = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
