"""Codecs that name no field where they fail, and the failures that the proof of a cell reports for them."""

from dataclasses import replace
from typing import Any

from kafkawire.values import TAGS
from tests.support.environments import small_environment
from wireproof.model.cell import Cell, Phase
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.run.core.cell_events import FailedCase, ProverEvent
from wireproof.proof.run.core.environment import WorkerEnvironment, header_layouts
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.provers.message_prover import CellProver


class NoTags(small_environment.NullAsEmpty):
    """Reads all but unknown tagged fields, and names no field where it fails."""

    def encode(self, value: dict[str, Any]) -> bytes:
        return self._codec.encode(value)

    def decode(self, data: bytes) -> dict[str, Any]:
        return refused(self._codec.decode(data))

    def decode_from(self, buffer: bytes, offset: int) -> tuple[dict[str, Any], int]:
        value, end = self._codec.decode_from(buffer, offset)
        return refused(value), end


class NoTagsNorZero(NoTags):
    """Does not read a count of zero either."""

    def decode(self, data: bytes) -> dict[str, Any]:
        value = super().decode(data)
        if value["count"] == 0:
            raise KeyError(0)
        return value


def refused(value: dict[str, Any]) -> dict[str, Any]:
    if value.get(TAGS):
        raise KeyError(min(value[TAGS]))
    return value


def environment_of(wrong: type) -> WorkerEnvironment:
    made = small_environment.make()()
    codec = KafkawireAdapter("codec", wrong, header_layouts(small_environment.schemas()))
    return replace(made, adapters=[codec], foreign=True)


def failures(wrong: type, cell: Cell, *phases: Phase) -> list[FailedCase]:
    events: list[ProverEvent] = []
    options = RunOptions(phases=phases, examples=50, shrink_s=0.5)
    CellProver(environment_of(wrong), options, cell, events.append, lambda phase, names: None).prove()
    return [event for event in events if isinstance(event, FailedCase)]
