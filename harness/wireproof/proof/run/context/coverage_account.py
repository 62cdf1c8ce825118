"""The account of the classes of values that a cell's proven cases meet."""

from wireproof.model import RECORDS_MODULE, Phase
from wireproof.model.coverage import (
    Coverage,
    CoverageModel,
    coverage_model,
    frame_coverage_model,
    record_coverage_model,
)
from wireproof.proof.run.core.environment import WorkerEnvironment
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.prepared_cases import CellTarget

_UNCOUNTED = frozenset({Phase.SHAPE, Phase.EMBEDDED, Phase.MUTATIONS})
"""Phases whose cases meet no class: they are about layouts, framings and wrong bytes, not about values."""


def coverage_of(environment: WorkerEnvironment, options: RunOptions, target: CellTarget) -> Coverage:
    """The account of what the options' phases may meet; without classes where codecs are compared."""
    cell, phases = target.cell, options.phases
    counted = {phase for phase in phases if target.asks(phase)} - _UNCOUNTED
    if environment.compared or not options.classes or not counted:
        return Coverage()
    if cell.module == RECORDS_MODULE:
        domain = target.record_domain
        return Coverage(record_coverage_model(cell.version, domain.magics, domain.compressions))
    frames = _frames(environment, options, target)
    return Coverage(coverage_model(target.layout), frames, absent=Phase.EVOLUTION in phases)


def _frames(environment: WorkerEnvironment, options: RunOptions, target: CellTarget) -> CoverageModel | None:
    """The classes of the header, where frames are tried and the cell has one."""
    header = environment.layouts.header(target.cell)
    if header is None or not {Phase.FRAME, Phase.CORPUS} & set(options.phases):
        return None
    return frame_coverage_model(header, target.layout.api_key, target.cell.version)
