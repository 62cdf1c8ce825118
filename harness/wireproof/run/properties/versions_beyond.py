"""Versions beyond those of a message, asked of testees: only a refusal is right.

A testee is asked in the cells of the lowest and the highest version that it claims of a release. The version
asked for is beyond those of the release, and beyond all that the testee claims or has by its own index: a
library may well know other releases.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from wireproof.checks import judge_beyond, judge_neighbour
from wireproof.model import Claimant, Decode, Divergence, Encode, Phase, Reencode, Request
from wireproof.run.context.cell_context import Trial
from wireproof.run.properties.call_states import bytes_of

__all__ = ["try_versions_beyond"]

_HIGHEST: Final = 32767
"""A version is an int16."""


@dataclass(frozen=True, slots=True)
class _Beyond:
    """A version that neither the release nor the testee has, and the name of its case."""

    name: str
    version: int


def try_versions_beyond(trial: Trial) -> None:
    """Ask each testee for versions beyond its message's, and then for a valid value of the cell."""
    if trial.comparison is not None:
        return
    for adapter in trial.subject.adapters:
        if isinstance(adapter, Claimant):
            for beyond in _beyond(trial, adapter):
                _try_version(trial, adapter, beyond)


def _beyond(trial: Trial, testee: Claimant) -> Iterator[_Beyond]:
    """The versions to ask for: none, unless the cell is the first or the last that the testee claims."""
    cell, versions = trial.cell, trial.layout.versions
    claimed = [each for each in versions if testee.claimed(replace(cell, version=each))]
    known = {*versions, *testee.known_versions(cell.message)}
    if claimed and cell.version == min(claimed):
        yield _Beyond("version/below", min(known) - 1)
    if claimed and cell.version == max(claimed) and max(known) < _HIGHEST:
        yield _Beyond("version/above", max(known) + 1)


def _try_version(trial: Trial, testee: Claimant, beyond: _Beyond) -> None:
    asked = _questions(trial, testee)
    if not asked:
        return
    trial.announce(Phase.EVOLUTION, [beyond.name])
    requests = list(asked.values())
    before = testee.ask(trial.cell, trial.layout, requests)
    there = replace(trial.cell, version=beyond.version)
    replies = testee.ask_anyway(there, trial.layout, requests)
    for operation, reply in zip(asked, replies, strict=True):
        _record(trial, beyond, judge_beyond(testee.name, beyond.version, operation, reply))
    after = testee.ask(trial.cell, trial.layout, requests)
    summary = (
        f"version {trial.cell.version} is answered otherwise once version {beyond.version} was asked for"
    )
    left = judge_neighbour(testee.name, trial.cell, before, after)
    _record(trial, beyond, tuple(replace(each, summary=summary) for each in left))


def _questions(trial: Trial, testee: Claimant) -> dict[str, Request]:
    """The claimed operations with the least instance of the cell, or with its bytes."""
    value = next(trial.bench.source.enumerated(trial.cell, trial.layout)).value
    data = bytes_of(trial, testee, trial.cell, trial.layout, value)
    every: dict[str, Request] = {"encode": Encode(value)}
    if data is not None:
        every |= {"decode": Decode(data), "reencode": Reencode(data)}
    claimed = testee.claimed(trial.cell)
    return {operation: request for operation, request in every.items() if operation in claimed}


def _record(trial: Trial, beyond: _Beyond, found: tuple[Divergence, ...]) -> None:
    divergences = trial.recorder.excused(found)
    if divergences:
        trial.recorder.failed(Phase.EVOLUTION, beyond.name, divergences)
    trial.recorder.count(Phase.EVOLUTION, 1, 0, 1 if divergences else 0)
