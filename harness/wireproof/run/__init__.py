"""Plan -> engine -> events."""

from wireproof.run.attribution.reference_opinions import same_bytes
from wireproof.run.comparing.compared_sets import PACKS
from wireproof.run.comparing.comparison import Said
from wireproof.run.core.environment import Bench, MakeBench
from wireproof.run.core.layouts import Layouts, header_layouts
from wireproof.run.core.message_families import family_of, label_of
from wireproof.run.core.plan import (
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
from wireproof.run.core.run_events import (
    KAFKA,
    CaseFailed,
    CaseLost,
    CaseShrunk,
    CaseStricter,
    CellCompared,
    CellDone,
    CellLost,
    CellProgress,
    CellRetried,
    ClaimJudged,
    CodecEnded,
    ExitCode,
    LedgerJudged,
    RunBroken,
    RunEvent,
    RunFinished,
    RunStarted,
    Told,
    Totals,
)
from wireproof.run.core.uncovered_classes import Uncovered, UncoveredClasses
from wireproof.run.engine.case_replay import CaseName, NoSuchCaseError, replay, side_by_side
from wireproof.run.engine.cell_pool import Pool
from wireproof.run.engine.engine import Audit, ClaimsAudit, Engine, Prover
from wireproof.run.engine.inline import Inline
from wireproof.run.phases.records_phase import carries_records

__all__ = [
    "PACKS",
    "ALL_PHASES",
    "KAFKA",
    "Audit",
    "CaseName",
    "NoSuchCaseError",
    "replay",
    "side_by_side",
    "DEFAULT_PHASES",
    "MutationSet",
    "Bench",
    "CaseFailed",
    "CaseLost",
    "CaseShrunk",
    "CaseStricter",
    "CellCompared",
    "CellDone",
    "CellLost",
    "CellProgress",
    "CellRetried",
    "CodecEnded",
    "ClaimJudged",
    "ClaimsAudit",
    "Engine",
    "ExitCode",
    "Inline",
    "Layouts",
    "LedgerJudged",
    "MakeBench",
    "Pool",
    "Prover",
    "RunBroken",
    "RunEvent",
    "RunFinished",
    "RunOptions",
    "RunStarted",
    "Said",
    "Selection",
    "Told",
    "Totals",
    "Uncovered",
    "UncoveredClasses",
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
    "same_bytes",
    "select",
]
