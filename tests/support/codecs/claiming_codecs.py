"""Our codec as one that claims what it can do, for `small_environment`; named to child processes."""

from collections.abc import Sequence
from dataclasses import replace

from kafkawire.compiler import compile_layout
from kafkawire.schema.layout import MessageLayout
from tests.support.environments import small_environment
from wireproof.model.adapter import Encode, Refused, RegisteredApi, Reply, Request, Unsupported
from wireproof.model.case_source import RecordDomain
from wireproof.model.cell import Cell
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.run.core.environment import WorkerEnvironment, header_layouts


class Claiming(KafkawireAdapter):
    """Claims both ways of every cell.

    Args:
        limit: the way whose questions its types can hold none of: ``encode``; ``encode-quietly`` where it
            does not say so of itself; empty for none.
    """

    refuses = True

    def __init__(self, limit: str) -> None:
        super().__init__("claiming", compile_layout, header_layouts(small_environment.schemas()))
        self._limit = limit

    def ways(self, cell: Cell) -> frozenset[CodecDirection]:
        return frozenset(CodecDirection)

    def claimed(self, cell: Cell) -> frozenset[str]:
        return frozenset({"encode", "decode"})

    def record_domain(self, cell: Cell) -> RecordDomain:
        return RecordDomain()

    def idle(self, cell: Cell) -> frozenset[str]:
        return frozenset({"encode"} if self._limit == "encode" else ())

    def registered(self, cell: Cell) -> RegisteredApi | None:
        return None

    def known_versions(self, message: str) -> frozenset[int]:
        return frozenset()

    def ask_anyway(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        return [Refused("version", "it has no such version", foreign=True) for _ in requests]

    def ask(self, cell: Cell, layout: MessageLayout, requests: Sequence[Request]) -> list[Reply]:
        replies = super().ask(cell, layout, requests)
        if not self._limit:
            return replies
        return [
            Unsupported("mood", "") if isinstance(request, Encode) else reply
            for request, reply in zip(requests, replies, strict=True)
        ]


def make(limit: str) -> WorkerEnvironment:
    """Make a worker environment of the small release with that codec alone."""
    return replace(small_environment.make()(), adapters=[Claiming(limit)])
