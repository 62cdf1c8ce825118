"""Versions beyond those of a message, asked of testees: only a refusal is right.

A testee is asked in the cells of the lowest and the highest version that it claims of a release. The version
asked for is beyond those of the release, and beyond all that the testee claims or has by its own index: a
library may well know other releases.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from wireproof.model.adapter import Claimant, Decode, Encode, Reencode, Request
from wireproof.model.cell import Divergence, Phase
from wireproof.proof.checks.state.call_scripts import judge_neighbour
from wireproof.proof.checks.values.other_versions import judge_beyond
from wireproof.proof.run.context.cell_context import CellContext
from wireproof.proof.run.properties.call_states import bytes_of

_HIGHEST: Final = 32767
"""A version is an int16."""


@dataclass(frozen=True, slots=True)
class _Beyond:
    """A version that neither the release nor the testee has, and the name of its case."""

    name: str
    version: int


def try_versions_beyond(context: CellContext) -> None:
    """Ask each testee for versions beyond its message's, and then for a valid value of the cell."""
    if context.comparison is not None:
        return
    for adapter in context.target.adapters:
        if isinstance(adapter, Claimant):
            for beyond in _beyond(context, adapter):
                _try_version(context, adapter, beyond)


def _beyond(context: CellContext, testee: Claimant) -> Iterator[_Beyond]:
    """The versions to ask for: none, unless the cell is the first or the last that the testee claims."""
    cell, versions = context.cell, context.layout.versions
    claimed = [each for each in versions if testee.claimed(replace(cell, version=each))]
    known = {*versions, *testee.known_versions(cell.message)}
    if claimed and cell.version == min(claimed):
        yield _Beyond("version/below", min(known) - 1)
    if claimed and cell.version == max(claimed) and max(known) < _HIGHEST:
        yield _Beyond("version/above", max(known) + 1)


def _try_version(context: CellContext, testee: Claimant, beyond: _Beyond) -> None:
    asked = _questions(context, testee)
    if not asked:
        return
    context.announce(Phase.EVOLUTION, [beyond.name])
    requests = list(asked.values())
    with context.environment.beside_cases():
        before = testee.ask(context.cell, context.layout, requests)
    there = replace(context.cell, version=beyond.version)
    replies = testee.ask_anyway(there, context.layout, requests)
    for (operation, request), reply in zip(asked.items(), replies, strict=True):
        found = judge_beyond(testee.name, beyond.version, operation, reply)
        _record(context, beyond, found, request)
    with context.environment.beside_cases():
        after = testee.ask(context.cell, context.layout, requests)
    summary = (
        f"version {context.cell.version} is answered otherwise once version {beyond.version} was asked for"
    )
    left = judge_neighbour(testee.name, context.cell, before, after)
    _record(context, beyond, tuple(replace(each, summary=summary) for each in left))


def _questions(context: CellContext, testee: Claimant) -> dict[str, Request]:
    """The claimed operations with the least instance of the cell, or with its bytes."""
    value = next(context.environment.source.enumerated(context.cell, context.layout)).value
    data = bytes_of(context, testee, context.cell, context.layout, value)
    every: dict[str, Request] = {"encode": Encode(value)}
    if data is not None:
        every |= {"decode": Decode(data), "reencode": Reencode(data)}
    claimed = testee.claimed(context.cell)
    return {operation: request for operation, request in every.items() if operation in claimed}


def _record(
    context: CellContext, beyond: _Beyond, found: tuple[Divergence, ...], request: Request | None = None
) -> None:
    divergences = context.recorder.excused(Phase.EVOLUTION, beyond.name, found)
    if divergences:
        value = request.value if isinstance(request, Encode) else None
        data = request.data if isinstance(request, Decode | Reencode) else None
        context.recorder.failed(Phase.EVOLUTION, beyond.name, divergences, value, data=data)
    context.recorder.count(Phase.EVOLUTION, 1, 0, 1 if divergences else 0)
