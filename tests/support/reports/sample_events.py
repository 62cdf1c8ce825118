"""One event of each kind, as a run reports it."""

from dataclasses import replace

from wireproof.base.exit_codes import ExitCode
from wireproof.model.agreement import LedgerProblem, ObservedCause
from wireproof.model.cell import Cell, Phase
from wireproof.model.coverage.cell_coverage import CellCoverage
from wireproof.model.divergence import Divergence, FaultAttribution, FaultOwner
from wireproof.model.repertoire import ClaimProblem, CodecDirection
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.search.cell_diagnosis import CellCause, CellDiagnosis
from wireproof.proof.run.core.cell_events import (
    CellResult,
    CellRetry,
    FailedCase,
    LostCase,
    LostCell,
    ShrunkCase,
    StricterCase,
)
from wireproof.proof.run.core.run_events import (
    BrokenRun,
    ClaimFinding,
    LedgerFinding,
    RunEvent,
    RunFooter,
    RunHeader,
    Totals,
)

CELL = Cell("4.4.0", "clients", "FetchRequest", 12)
DIVERGENCE = Divergence(
    "bytes", "kafkawire[compiled]", "the bytes differ from Kafka's", "topics[0].partitions[1].logStartOffset",
    "int64, versions 5-18, default -1", 37, "00 [00] 01", "00 [ff] 01",
)  # fmt: skip
FAILED = FailedCase(
    CELL,
    Phase.ENUMERATED,
    f"{CELL.id}/enumerated/topics[]/count-1",
    (DIVERGENCE,),
    '{"maxWaitMs":1,"topics":[{}]}',
)
STARTED = RunHeader(
    "0.1.0", ("wireproof", "run"), 0, ("4.4.0",), {"kafka-clients-4.4.0.jar": "ab"}, ("kafkawire[compiled]",),
    (Phase.SHAPE, Phase.ENUMERATED), 2, {"4.4.0": 8},
)  # fmt: skip
DONE = CellResult(CELL, {Phase.SHAPE: 1, Phase.ENUMERATED: 400}, 12_345, 4, 0.25)
BELOW = CellCoverage(
    7, 9, 2, ("maxBytes/min", "topics/null"), ("_tags/one",), ("_tags/below",), below_floor=True
)
CAUSE = CellCause(
    Deviation(CodecDirection.ENCODE, "absent", "zero", types=frozenset({"int64"})),
    frozenset({"topics[].partitions[].logStartOffset"}), 3, FAILED.case_id, 40, 'encode {"topics":[{}]}',
    "00000000", "ffffffff", frozenset({("bytes", "topics[].partitions[].logStartOffset", "differs")}),
)  # fmt: skip
DIAGNOSIS = CellDiagnosis((CAUSE,), 4, 1, ((("cut", "", "accepted"), 1),))
FINISHED = RunFooter(
    Totals(2, 2, 1, 0, {Phase.SHAPE: 2, Phase.ENUMERATED: 800}, 4, 24_690), 1.5, ExitCode.DIVERGENCE
)
PROBLEM = LedgerProblem(
    "fetch-null", "passed", "all is right", "wireproof ledger remove --ledger known.toml fetch-null"
)
CLAIM = ClaimProblem(
    "codec", "FetchRequest", "4-5", "decode", "unclaimed", "nobody claims it", 'add {"reason":"why"}'
)
EVENTS: list[RunEvent] = [
    STARTED,
    FAILED,
    ShrunkCase(CELL, FAILED.case_id, (DIVERGENCE,), '{"topics":[{}]}'),
    CellRetry(
        CELL, f"{CELL.id}/enumerated/a", f"{CELL.id}/enumerated/b", "the process was killed by signal 9"
    ),
    LostCase(CELL, f"{CELL.id}/enumerated/clientId/null", "the process was killed by signal 9"),
    LostCell(CELL, "again and again"),
    replace(DONE, claimed=(CodecDirection.ENCODE, CodecDirection.DECODE), exercised=(CodecDirection.DECODE,)),
    replace(DONE, cell=replace(CELL, version=13), failed_cases=0, coverage=BELOW),
    BrokenRun("no Java runtime", "Install one.", ExitCode.MISSING),
    StricterCase(CELL, f"{CELL.id}/mutations/default/count=zero@4", DIVERGENCE, "00ff"),
    replace(
        DONE,
        known={"fetch-null": 3},
        causes=(
            ObservedCause(
                Phase.FRAME, "frame-bytes", "codec", "", "", "crashed:Error", 2, FAILED.case_id, "no"
            ),
        ),
    ),
    replace(
        FAILED,
        divergences=(replace(DIVERGENCE, kind="refused:NULL", near="fetch-null is near"),),
        blame=FaultAttribution(FaultOwner.ADAPTER, "its kit says so"),
    ),
    LedgerFinding(PROBLEM),
    ClaimFinding(CLAIM),
    FINISHED,
]
