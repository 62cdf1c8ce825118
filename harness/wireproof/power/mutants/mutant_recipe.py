"""`MutantRecipe`: makes a mutant again in another process.

It imports nothing of a run, because the process that reads hostile bytes imports it.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from kafkawire.compiler import MessageCodec, interpret_layout
from kafkawire.records import RecordSet, decode_records
from kafkawire.schema import MessageLayout, SchemaSet
from wireproof.power.mutants.codec_operator import CodecOperator
from wireproof.power.mutants.generation import MessageCodecs, Mutant, RecordCodecs, make_mutant

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
