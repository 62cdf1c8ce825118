"""The worker environment of a mutant: that of a run, with the mutant in place of our codecs."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias, assert_never

from kafkawire.caching import BoundedCache
from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.records import RecordSet, decode_records
from kafkawire.schema import MessageLayout, SchemaSet
from wireproof.model import Adapter, Cell, LimitedAdapter
from wireproof.power.mutants.codec_operator import CodecOperator
from wireproof.power.mutants.generation import MessageCodecs, Mutant, RecordCodecs, make_mutant
from wireproof.proof.run import Layouts, WorkerEnvironment
from wireproof.proof.run.core.shared_layouts import MutationMemory, SharedLayoutMemory

__all__ = [
    "AdapterFactory",
    "LimitedAdapterFactory",
    "MakeOperators",
    "MakePowerEnvironment",
    "PowerEnvironment",
    "MutantRecipe",
    "environment_of",
]


MakeOperators: TypeAlias = Callable[[], Mapping[str, CodecOperator]]
"""Returns every operator by name. Operators hold functions, so processes exchange their names."""


class MutantRecipe:
    """Makes the same mutant in another process. It is pickled as the operator's name and the seed.

    Args:
        make_operators: a function of a module, so that pickle finds it by name.
    """

    def __init__(self, make_operators: MakeOperators, name: str, schemas: SchemaSet, seed: int) -> None:
        self._of = make_operators, name, schemas, seed
        self._mutant: Mutant | None = None

    def __reduce__(self) -> tuple[type["MutantRecipe"], tuple[MakeOperators, str, SchemaSet, int]]:
        return MutantRecipe, self._of

    @property
    def mutant(self) -> Mutant:
        """The mutant, made at the first access.

        Raises:
            NotApplicableError: the operator changes the codec nowhere in the release.
        """
        if self._mutant is None:
            make_operators, name, schemas, seed = self._of
            self._mutant = make_mutant(make_operators()[name], schemas, seed)
        return self._mutant

    def codec(self, layout: MessageLayout) -> MessageCodec:
        """The mutant's codec of a layout; our own codec if the mutant changes record sets only."""
        codecs = self.mutant.codecs
        return codecs.make(layout) if isinstance(codecs, MessageCodecs) else interpret_layout(layout)

    def records(self) -> Callable[[bytes], RecordSet]:
        """The mutant's decoder of record sets; our own if the mutant changes messages."""
        codecs = self.mutant.codecs
        return codecs.decode if isinstance(codecs, RecordCodecs) else decode_records


class LimitedAdapterFactory(Protocol):
    """Makes an adapter that runs a mutant in a process of its own, with limits."""

    def __call__(self, name: str, recipe: MutantRecipe) -> LimitedAdapter: ...


class AdapterFactory(Protocol):
    """Makes adapters of a mutant's codecs, with the headers of the release."""

    def __call__(self, name: str, codecs: MessageCodecs | RecordCodecs) -> Adapter: ...


@dataclass(frozen=True, slots=True)
class PowerEnvironment:
    """The environment that all mutants of a worker share.

    Attributes:
        environment: of a run over one release; its adapters are not used.
        adapt, limit: make adapters of a mutant.
    """

    environment: WorkerEnvironment
    schemas: SchemaSet
    adapt: AdapterFactory
    limit: LimitedAdapterFactory


MakePowerEnvironment: TypeAlias = Callable[[], PowerEnvironment]
"""The parent makes and pickles it, the worker calls it."""


class _Misread(Layouts):
    """Layouts of a harness whose schema reader has the same bug as the mutant."""

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
def environment_of(shared: PowerEnvironment, recipe: MutantRecipe) -> Iterator[WorkerEnvironment]:
    """The run's environment with the mutant in place of our codec, and with empty memories."""
    mutant = recipe.mutant
    name = f"kafkawire[{mutant.operator.name}]"
    adapter, limited = shared.adapt(name, mutant.codecs), shared.limit(name, recipe)
    environment = replace(
        shared.environment,
        alike=SharedLayoutMemory(),
        mutations=MutationMemory(),
        limited=[limited],
        other_definitions=None,
    )
    match mutant.codecs:
        case MessageCodecs(believed=believed):
            environment = replace(environment, adapters=[adapter])
            if mutant.operator.shared:
                misread = _Misread({shared.schemas.release: shared.schemas}, believed)
                environment = replace(environment, layouts=misread)
        case RecordCodecs():
            environment = replace(environment, records=[adapter])
        case _:
            assert_never(mutant.codecs)
    try:
        yield environment
    finally:
        limited.close()
