"""The environment of a worker process: layouts, codecs and their clock, oracles, the source of cases."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias, runtime_checkable

from kafkawire.embedded.control_record import CONTROL_BODY_VERSION, CONTROL_MESSAGES, PREVIEW_LEADER_CHANGE
from kafkawire.embedded.label import Label
from kafkawire.primitives import primitive_layout
from kafkawire.schema import resolve
from kafkawire.schema.layout import MessageLayout
from kafkawire.schema.model import MessageKind, MessageSpec, SchemaSet
from wireproof.model.adapter import Adapter
from wireproof.model.case_source import CaseSource, CpuTime, ElementCollection, RecordSource
from wireproof.model.cell import PRIMITIVES_MODULE, Cell
from wireproof.model.codec_ends import HangBudget
from wireproof.model.embedding import BlobAdapter, Framing, LabelFamily
from wireproof.model.kafka.releases import ReleaseFeature, release_number
from wireproof.model.layout_parts import HEADERS
from wireproof.model.malformed_input import LimitedAdapter
from wireproof.model.oracle import Oracle
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.deviations.search.side_observers import SideObservers
from wireproof.proof.run.core.shared_layouts import LayoutMemory, Mutations, ProvenLayout
from wireproof.traffic.corpus.corpus_folder import EntrySource

_MOST_LAYOUTS = 256
"""Layouts held at a time: a cell needs its own and its neighbours', a run over all releases has 10,000."""


class Layouts:
    """The layouts of some releases, resolved when first asked for; the latest are held."""

    def __init__(self, schemas: Mapping[str, SchemaSet]) -> None:
        self._schemas = schemas
        self._resolved: dict[Cell, MessageLayout] = {}
        self._headers: dict[tuple[str, MessageKind], dict[int, MessageLayout]] = {}

    def of(self, cell: Cell) -> MessageLayout:
        """The layout of a cell.

        Raises:
            KeyError: the release has no such message.
            UnsupportedVersionError: the message has no such version.
        """
        known = self._resolved.get(cell)
        if known is None:
            if len(self._resolved) >= _MOST_LAYOUTS:
                self._resolved.clear()
            spec = self._schemas[cell.release].modules[cell.module][cell.message]
            primitive = cell.module == PRIMITIVES_MODULE
            known = primitive_layout(spec.name) if primitive else resolve(spec, cell.version)
            self._resolved[cell] = known
        return known

    def neighbour(self, cell: Cell) -> Cell | None:
        """Another version of the same message, the one below rather than above; None if there is none."""
        versions = self.of(cell).versions
        other = cell.version - 1 if cell.version - 1 in versions else cell.version + 1
        return Cell(cell.release, cell.module, cell.message, other) if other in versions else None

    def elsewhere(self, cell: Cell) -> Iterator[Cell]:
        """The same message at the same version in the other releases, whatever module they have it in."""
        for release, schemas in self._schemas.items():
            if release == cell.release:
                continue
            try:
                module, spec = schemas.find(cell.message)
            except KeyError:
                continue
            if cell.version in spec.valid_versions:
                yield Cell(release, module, cell.message, cell.version)

    def newer(self, cell: Cell) -> list[Cell]:
        """Return the cells of `elsewhere` in newer releases, the oldest first."""
        own = release_number(cell.release)
        found = [other for other in self.elsewhere(cell) if release_number(other.release) > own]
        return sorted(found, key=lambda other: release_number(other.release))

    def module(self, cell: Cell) -> Mapping[str, MessageSpec]:
        """The messages of the cell's module by name."""
        return self._schemas[cell.release].modules[cell.module]

    def headers(self, cell: Cell) -> Mapping[int, MessageLayout]:
        """The layouts of all versions of the header that precedes the cell; empty if it has no header."""
        key = cell.release, self.of(cell).kind
        if key not in self._headers:
            self._headers[key] = headers_of(self._schemas[cell.release], key[1])
        return self._headers[key]

    def header(self, cell: Cell) -> MessageLayout | None:
        """The layout of the header that precedes the cell in frames; None if it has no header."""
        version = self.of(cell).header_version
        return None if version is None else self.headers(cell).get(version)


def header_layouts(schemas: SchemaSet) -> dict[tuple[str, MessageKind, int], MessageLayout]:
    """The header layouts of a release, as the adapter of our codec wants them."""
    return {
        (schemas.release, kind, version): layout
        for kind in HEADERS
        for version, layout in headers_of(schemas, kind).items()
    }


def headers_of(schemas: SchemaSet, kind: MessageKind) -> dict[int, MessageLayout]:
    """The layouts of all versions of the header of requests or of responses; none for other kinds."""
    if kind not in HEADERS:
        return {}
    _, spec = schemas.find(HEADERS[kind])
    return {version: resolve(spec, version) for version in spec.valid_versions}


def all_cells(schemas: SchemaSet) -> Iterator[Cell]:
    """Every cell of a release: module by module, message by message, ascending versions."""
    for module, message in schemas:
        for version in message.valid_versions:
            yield Cell(schemas.release, module, message.name, version)


def label_of(release: str, framing: Framing, layout: MessageLayout) -> Label:
    """The label that a message has in its framing."""
    match framing:
        case Framing.METADATA_RECORD | Framing.REMOTE_LOG_METADATA:
            return Label(layout.version, layout.api_key)
        case Framing.COORDINATOR_KEY if layout.kind is MessageKind.COORDINATOR_KEY:
            return Label(layout.version, layout.api_key)
        case Framing.CONTROL_RECORD:
            preview = not ReleaseFeature.METADATA_RECORD_FRAME_1.is_in(release)
            kind = PREVIEW_LEADER_CHANGE if preview else CONTROL_MESSAGES[layout.name]
            return Label(layout.version, int(kind))
        case _:
            return Label(layout.version)


def family_of(layouts: Layouts, cell: Cell, framing: Framing) -> LabelFamily:
    """The family of a cell's message."""
    own = layouts.module(cell)[cell.message]
    match framing:
        case Framing.METADATA_RECORD | Framing.REMOTE_LOG_METADATA:
            specs = [spec for spec in layouts.module(cell).values() if spec.kind is MessageKind.METADATA]
            name = framing.value
        case Framing.CONTROL_RECORD:
            specs = [spec for spec in layouts.module(cell).values() if spec.name in CONTROL_MESSAGES]
            name = framing.value
        case Framing.COORDINATOR_KEY:
            topic = _topic(cell, own.name)
            specs = [
                spec
                for spec in layouts.module(cell).values()
                if spec.name.endswith("Key") and _topic(cell, spec.name) == topic
            ]
            name = f"{framing}/{topic}"
        case _:
            specs, name = [own], own.name
    return LabelFamily(cell.release, name, framing, _labelled(cell.release, framing, specs))


def _labelled(release: str, framing: Framing, specs: Iterable[MessageSpec]) -> dict[Label, MessageLayout]:
    only = framing is Framing.CONTROL_RECORD
    layouts = (
        resolve(spec, version)
        for spec in specs
        for version in spec.valid_versions
        if not only or version == CONTROL_BODY_VERSION
    )
    return {label_of(release, framing, layout): layout for layout in layouts}


def _topic(cell: Cell, name: str) -> str:
    """The coordinator whose topic holds the record: the module core has the records of two coordinators."""
    return "transaction" if cell.module == "core" and name.startswith("Transaction") else cell.module


def key_of(layouts: Layouts, cell: Cell) -> Cell | None:
    """The cell of the key that belongs to a coordinator's value, at its newest version; None without one."""
    name = f"{cell.message.removesuffix('Value')}Key"
    spec = layouts.module(cell).get(name)
    if spec is None or spec.retired:
        return None
    return Cell(cell.release, cell.module, name, spec.valid_versions.highest)


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
        """True if the codec was not asked for elements of this kind and type before; notes them as asked."""
        key = adapter.name, flexible, str(collection.kind), collection.element
        new = key not in self._asked
        self._asked.add(key)
        return new


OtherDefinitions: TypeAlias = Callable[[Cell], Iterator[tuple[str, MessageLayout]]]


@dataclass(frozen=True, slots=True)
class WorkerEnvironment:
    """Everything that the proof of a cell needs.

    Attributes:
        adapters: the codecs under test; the random phase asks the first alone.
        oracles: by release.
        plain_schemas: the releases whose `SCHEMAS` show nullable structs and records as plain ones
            (KAFKA-19634).
        records: the codecs of record sets under test.
        blobs: the codecs of embedded data under test.
        record_source: the source of record sets; None if no cell has any.
        limited: the codecs under test in processes of their own, for malformed bytes.
        fresh: the codec under test in processes that have never seen the message they are asked for; None
            if it runs in the harness's own process.
        foreign: whether the codecs under test have messages of their own, and know nothing of our layouts.
        kafka_releases: the release of each codec under test that is Kafka's own classes, by the name of the
            codec; known bugs of that release are errata.
        compared: whether the codecs are compared with each other, and not only with Kafka.
        other_definitions: yields the releases outside the run that have a cell, with their layouts; it is
            asked if the codec and the oracle disagree.
        corpus: the entries that the corpus phase tries; None if the run has no such phase.
        hangs: the time that this process may still spend on hangs, and the function that is called for each.
        observer: observes the answers of the codecs under test; None without a search for causes.
        growth: the clock of the codecs, and the collections that this process has measured with it.
        alike: the proof of the latest layout, for the next release with the same layout.
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
    alike: LayoutMemory[ProvenLayout] = field(default_factory=LayoutMemory[ProvenLayout])
    mutations: LayoutMemory[Mutations] = field(default_factory=LayoutMemory[Mutations])
    observer: AnswerObserver | SideObservers | None = None
    growth: GrowthScreen = field(default_factory=GrowthScreen)

    def beside_cases(self) -> AbstractContextManager[None]:
        """Return a context for questions whose answers no case judges: they do not count as evidence for or
        against a cause.
        """
        return self.observer.measuring() if isinstance(self.observer, AnswerObserver) else nullcontext()


MakeEnvironment: TypeAlias = Callable[[], WorkerEnvironment]
"""Made in the parent, pickled, called in the worker."""
