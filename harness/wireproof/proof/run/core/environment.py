"""The environment of a worker process: layouts, codecs and their clock, oracles, the source of cases."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from kafkawire.schema.layout import MessageLayout
from wireproof.model.adapter import Adapter
from wireproof.model.case_source import CaseSource, CpuTime, ElementCollection, RecordSource
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.model.codec_ends import HangBudget
from wireproof.model.embedding import BlobAdapter
from wireproof.model.malformed_input import LimitedAdapter
from wireproof.model.oracle import Oracle
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.deviations.search.side_observers import SideObservers
from wireproof.proof.run.core.layouts import Layouts
from wireproof.proof.run.core.shared_layouts import MutationMemory, SharedLayoutMemory
from wireproof.traffic.corpus.corpus_folder import EntrySource

CodecClock: TypeAlias = Callable[[Adapter], CpuTime | None]
"""The processor time of a codec so far; None if it cannot be measured."""


@runtime_checkable
class _Clocked(Protocol):
    """A codec in processes of its own."""

    def spent(self) -> CpuTime | None: ...


def codec_time(adapter: Adapter) -> CpuTime | None:
    """The processor time of a codec: of its own processes, or of this thread where it runs in it."""
    return adapter.spent() if isinstance(adapter, _Clocked) else CpuTime(0, time.thread_time())


@dataclass(slots=True)
class GrowthScreen:
    """The collections that a worker process has asked its codecs about."""

    clock: CodecClock = codec_time
    _asked: set[tuple[str, bool, str, str]] = field(default_factory=set)

    def is_new(self, adapter: Adapter, collection: ElementCollection, *, flexible: bool) -> bool:
        """True if the codec was not asked for elements of this kind and type before; it is noted now."""
        key = adapter.name, flexible, str(collection.kind), collection.element
        new = key not in self._asked
        self._asked.add(key)
        return new


OtherDefinitions: TypeAlias = Callable[[Cell], Iterator[tuple[str, MessageLayout]]]


@dataclass(frozen=True, slots=True)
class WorkerEnvironment:
    """Everything a cell is proven with.

    Attributes:
        adapters: the codecs under test; the random phase asks the first alone.
        oracles: by release.
        plain_schemas: the releases whose `SCHEMAS` show nullable structs and records as plain ones
            (KAFKA-19634).
        records: the codecs of record sets under test.
        blobs: the codecs of embedded data under test.
        record_source: where record sets come from; None where no cell has any.
        limited: the codecs under test in processes of their own, for malformed bytes.
        fresh: the codec under test in processes that have never seen the message they are asked for; None
            where it shares the harness's own.
        foreign: whether the codecs under test have messages of their own, and know nothing of our layouts.
        kafka_releases: of each codec under test that is Kafka's own classes the release, by the name of the
            codec: known bugs of that release are errata.
        compared: whether the codecs are compared with each other, and not only with Kafka.
        other_definitions: yields the releases outside the run that have a cell, with their layouts; it is
            asked where the codec and the oracle disagree.
        corpus: the entries that the corpus phase tries; None where there is no such phase.
        hangs: the time that this process may still spend on hangs; who is notified of each.
        observer: of the answers of the codecs under test; None where no cause is looked for.
        growth: the clock of the codecs, and what this process asked them with it.
        alike: what was proven of the latest layout, for the next release that has it too.
    """

    layouts: Layouts
    adapters: Sequence[Adapter]
    oracles: Mapping[str, Oracle]
    source: CaseSource
    plain_schemas: frozenset[str] = field(default=frozenset())
    records: Sequence[Adapter] = ()
    record_source: RecordSource | None = None
    blobs: Sequence[BlobAdapter] = ()
    limited: Sequence[LimitedAdapter] = ()
    fresh: Adapter | None = None
    foreign: bool = False
    kafka_releases: Mapping[str, str] = field(default_factory=dict)
    compared: bool = False
    other_definitions: OtherDefinitions | None = None
    corpus: EntrySource | None = None
    hangs: HangBudget = field(default_factory=HangBudget)
    alike: SharedLayoutMemory = field(default_factory=SharedLayoutMemory)
    mutations: MutationMemory = field(default_factory=MutationMemory)
    observer: AnswerObserver | SideObservers | None = None
    growth: GrowthScreen = field(default_factory=GrowthScreen)

    def adapters_of(self, cell: Cell) -> Sequence[Adapter]:
        """The codecs that a cell is asked of."""
        return self.records if cell.module == RECORDS_MODULE else self.adapters

    def beside_cases(self) -> AbstractContextManager[None]:
        """While it is open, the codec's answers are excused, but say nothing for or against a cause.

        For questions whose answers no case judges.
        """
        return self.observer.measuring() if isinstance(self.observer, AnswerObserver) else nullcontext()


MakeEnvironment: TypeAlias = Callable[[], WorkerEnvironment]
"""Made in the parent, pickled, called in the worker."""
