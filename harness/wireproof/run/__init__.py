"""Plan -> engine -> events."""

from wireproof.run.bench import Bench, Layouts, MakeBench, header_layouts
from wireproof.run.compared_sets import PACKS
from wireproof.run.comparison import Said
from wireproof.run.contents import carries_records
from wireproof.run.engine import Audit, ClaimsAudit, Engine, Prover
from wireproof.run.events import (
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
    ExitCode,
    LedgerJudged,
    RunBroken,
    RunEvent,
    RunFinished,
    RunStarted,
    Told,
    Totals,
)
from wireproof.run.families import family_of, label_of
from wireproof.run.inline import Inline
from wireproof.run.plan import (
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
from wireproof.run.pool import Pool
from wireproof.run.replay import CaseName, NoSuchCaseError, replay, side_by_side
from wireproof.run.third_parties import same_bytes
from wireproof.run.uncovered import Uncovered, UncoveredClasses

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
