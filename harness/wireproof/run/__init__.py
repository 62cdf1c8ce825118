"""Plan -> engine -> events."""

from wireproof.run.bench import Bench, Layouts, MakeBench, header_layouts
from wireproof.run.comparison import Said
from wireproof.run.contents import carries_records
from wireproof.run.engine import Audit, Engine
from wireproof.run.events import (
    CaseFailed,
    CaseLost,
    CaseShrunk,
    CaseStricter,
    CellCompared,
    CellDone,
    CellLost,
    CellProgress,
    CellRetried,
    ExitCode,
    LedgerJudged,
    RunBroken,
    RunEvent,
    RunFinished,
    RunStarted,
    Told,
    Totals,
)
from wireproof.run.plan import (
    ALL_PHASES,
    DEFAULT_PHASES,
    TESTEE_PHASES,
    RunOptions,
    Selection,
    all_cells,
    over_releases,
    retired,
    select,
)
from wireproof.run.replay import CaseName, NoSuchCaseError, replay, side_by_side
from wireproof.run.third_parties import same_bytes
from wireproof.run.uncovered import Uncovered, UncoveredClasses

__all__ = [
    "ALL_PHASES",
    "Audit",
    "CaseName",
    "NoSuchCaseError",
    "replay",
    "side_by_side",
    "DEFAULT_PHASES",
    "TESTEE_PHASES",
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
    "Engine",
    "ExitCode",
    "Layouts",
    "LedgerJudged",
    "MakeBench",
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
    "carries_records",
    "header_layouts",
    "over_releases",
    "retired",
    "same_bytes",
    "select",
]
