"""What a mutant is judged with: a run's bench, with the mutant in place of the codecs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, assert_never

from kafkawire.caching import BoundedCache
from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.records import RecordSet, decode_records
from kafkawire.schema import MessageLayout, SchemaSet
from wireproof.model import Adapter, Cell, LimitedAdapter
from wireproof.power.flaw import Flaw
from wireproof.power.mutant import MessageCodecs, Mutant, RecordCodecs, plant
from wireproof.run import Bench, Layouts
from wireproof.run.core.shared_layouts import AlikeMemory, MutationMemory

__all__ = ["Adapt", "Limit", "MakeFlaws", "MakePowerBench", "PowerBench", "Replant", "bench_of"]


MakeFlaws: TypeAlias = Callable[[], Mapping[str, Flaw]]
"""Every flaw by name. Flaws hold functions and stay where they are: names travel between processes."""


class Replant:
    """Makes a mutant's codecs in another process: what is pickled is the flaw's name and the seed.

    Args:
        make_flaws: a function of a module.
    """

    def __init__(self, make_flaws: MakeFlaws, name: str, schemas: SchemaSet, seed: int) -> None:
        self._of = make_flaws, name, schemas, seed
        self._mutant: Mutant | None = None

    def __reduce__(self) -> tuple[type["Replant"], tuple[MakeFlaws, str, SchemaSet, int]]:
        return Replant, self._of

    @property
    def mutant(self) -> Mutant:
        """Planted when it is first asked for.

        Raises:
            NoPlaceError: the flaw shows nowhere.
        """
        if self._mutant is None:
            make_flaws, name, schemas, seed = self._of
            self._mutant = plant(make_flaws()[name], schemas, seed)
        return self._mutant

    def codec(self, layout: MessageLayout) -> MessageCodec:
        """The mutant's codec of a layout; our own where it is wrong about record sets alone."""
        codecs = self.mutant.codecs
        return codecs.make(layout) if isinstance(codecs, MessageCodecs) else interpret_layout(layout)

    def records(self) -> Callable[[bytes], RecordSet]:
        """What decodes record sets; our own where the mutant is wrong about messages."""
        codecs = self.mutant.codecs
        return codecs.decode if isinstance(codecs, RecordCodecs) else decode_records


class Limit(Protocol):
    """Makes an adapter that asks a mutant in a process of its own, with limits."""

    def __call__(self, name: str, replant: Replant) -> LimitedAdapter: ...


class Adapt(Protocol):
    """Makes adapters of a mutant's codecs, with the headers of the release."""

    def __call__(self, name: str, codecs: MessageCodecs | RecordCodecs) -> Adapter: ...


@dataclass(frozen=True, slots=True)
class PowerBench:
    """What all mutants share.

    Attributes:
        bench: of a run over one release; its adapters are not asked.
        adapt, limit: make adapters of a mutant.
    """

    bench: Bench
    schemas: SchemaSet
    adapt: Adapt
    limit: Limit


MakePowerBench: TypeAlias = Callable[[], PowerBench]
"""Made in the parent, pickled, called in the worker."""


class _Misread(Layouts):
    """The layouts as a harness has them whose own reading is wrong."""

    def __init__(
        self, schemas: Mapping[str, SchemaSet], believed: Callable[[MessageLayout], MessageLayout]
    ) -> None:
        super().__init__(schemas)
        self._believed: BoundedCache[MessageLayout, MessageLayout] = BoundedCache(believed)

    def of(self, cell: Cell) -> MessageLayout:
        return self._believed(super().of(cell))

    def headers(self, cell: Cell) -> Mapping[int, MessageLayout]:
        return {version: self._believed(layout) for version, layout in super().headers(cell).items()}


@contextmanager
def bench_of(shared: PowerBench, replant: Replant) -> Iterator[Bench]:
    """The bench with the mutant in place of the codec that it is made of; it remembers nothing of others."""
    mutant = replant.mutant
    name = f"kafkawire[{mutant.flaw.name}]"
    adapter, limited = shared.adapt(name, mutant.codecs), shared.limit(name, replant)
    bench = replace(
        shared.bench, alike=AlikeMemory(), mutations=MutationMemory(), limited=[limited], witness=None
    )
    match mutant.codecs:
        case MessageCodecs(believed=believed):
            bench.adapters = [adapter]
            if mutant.flaw.shared:
                bench.layouts = _Misread({shared.schemas.release: shared.schemas}, believed)
        case RecordCodecs():
            bench.records = [adapter]
        case _:
            assert_never(mutant.codecs)
    try:
        yield bench
    finally:
        limited.close()
