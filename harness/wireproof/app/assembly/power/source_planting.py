"""Mutants in the source of Python testees, on lines that the plan executes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from wireproof.app.assembly.inputs.run_inputs import RunInputs
from wireproof.app.assembly.snapshot_layouts import NamingLayouts
from wireproof.app.assembly.worker_environment import environment_maker, open_testee
from wireproof.model import Cell
from wireproof.power.testees import Probe, SourceMutant, choose_source_mutants, trace
from wireproof.proof.adapters.testee import TesteeAdapter
from wireproof.proof.run import header_layouts
from wireproof.proof.testees import ChildProcess, Launch, read_manifest

__all__ = ["source_mutants"]

_MUTANTS: Final = 40
"""The number of mutants for each testee."""


def source_mutants(
    prepared: RunInputs, launch: Launch, cells: Sequence[Cell], seed: int
) -> list[SourceMutant]:
    """The mutants of a testee's own source; empty if its manifest names no source.

    Raises:
        TesteeError: it does not start.
    """
    folders = _folders(launch)
    if not folders:
        return []
    (part,) = prepared.parts
    headers, names = header_layouts(part.schemas), NamingLayouts()
    probe = Probe(environment_maker(prepared)())
    found = trace(
        launch, folders, cells, probe, lambda other: TesteeAdapter(open_testee(other), headers, names)
    )
    return choose_source_mutants(found, cells, seed, _MUTANTS)


def _folders(launch: Launch) -> list[str]:
    """The folders with the source that the manifest of the testee names."""
    if launch.home is None or not isinstance(launch.target, ChildProcess) or launch.target.folder is None:
        return []
    place: Path = launch.target.folder
    return [
        str(path)
        for source in read_manifest(launch.home).sources
        for path in place.glob(f"env/lib/python*/site-packages/{source}")
    ]
