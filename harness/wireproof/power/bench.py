"""What a mutant is judged with: a run's bench, with the mutant in place of the codecs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, assert_never

from kafkawire.memo import Memo
from kafkawire.schema import MessageLayout, SchemaSet
from wireproof.model import Adapter, Cell
from wireproof.power.mutant import MessageCodecs, Mutant, RecordCodecs
from wireproof.run import Bench, Layouts
from wireproof.run.alike import AlikeMemory

__all__ = ["Adapt", "MakePowerBench", "PowerBench", "adapter_of", "bench_of"]


class Adapt(Protocol):
    """Makes adapters of a mutant's codecs, with the headers of the release."""

    def __call__(self, name: str, codecs: MessageCodecs | RecordCodecs) -> Adapter: ...


@dataclass(frozen=True, slots=True)
class PowerBench:
    """What all mutants share.

    Attributes:
        bench: of a run over one release; its adapters are not asked.
        adapt: makes an adapter of the codecs of a mutant.
    """

    bench: Bench
    schemas: SchemaSet
    adapt: Adapt


MakePowerBench: TypeAlias = Callable[[], PowerBench]
"""Made in the parent, pickled, called in the worker."""


class _Misread(Layouts):
    """The layouts as a harness has them whose own reading is wrong."""

    def __init__(
        self, schemas: Mapping[str, SchemaSet], believed: Callable[[MessageLayout], MessageLayout]
    ) -> None:
        super().__init__(schemas)
        self._believed: Memo[MessageLayout, MessageLayout] = Memo(believed)

    def of(self, cell: Cell) -> MessageLayout:
        return self._believed(super().of(cell))

    def headers(self, cell: Cell) -> Mapping[int, MessageLayout]:
        return {version: self._believed(layout) for version, layout in super().headers(cell).items()}


def adapter_of(shared: PowerBench, mutant: Mutant) -> Adapter:
    """The mutant as a codec under test."""
    return shared.adapt(f"kafkawire[{mutant.flaw.name}]", mutant.codecs)


def bench_of(shared: PowerBench, mutant: Mutant, adapter: Adapter) -> Bench:
    """The bench with the mutant in place of the codec that it is made of; it remembers nothing of others."""
    bench = replace(shared.bench, alike=AlikeMemory())
    match mutant.codecs:
        case MessageCodecs(believed=believed):
            bench.adapters = [adapter]
            if mutant.flaw.shared:
                bench.layouts = _Misread({shared.schemas.release: shared.schemas}, believed)
        case RecordCodecs():
            bench.records = [adapter]
        case _:
            assert_never(mutant.codecs)
    return bench
