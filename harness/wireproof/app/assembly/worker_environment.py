"""The worker environment of a run: releases, oracle, strategies and adapters, put together in one place."""

import gc
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kafkawire.compiler import MessageCodec, compile_layout, interpret_layout
from kafkawire.primitives import codec_of
from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.inputs.run_inputs import OWN_NAME, RECORDS_SUBJECT, RunInputs
from wireproof.app.assembly.snapshot_layouts import NamingLayouts, OtherReleases
from wireproof.base.version import own_version
from wireproof.kafka.releases import JarStore, Release
from wireproof.model import Cell, FatalSites, HangBudget, ReleaseFeature
from wireproof.proof.adapters.own import (
    EmbeddedAdapter,
    HeaderLayouts,
    KafkawireAdapter,
    LimitedCodec,
    RecordsAdapter,
)
from wireproof.proof.adapters.testee import ColdStartTestee, TesteeAdapter, TesteeBlobs, TesteeReader
from wireproof.proof.run import Layouts, MakeEnvironment, WorkerEnvironment, header_layouts
from wireproof.proof.testees import Launch, TesteeSession

if TYPE_CHECKING:
    from wireproof.kafka.oracle import KafkaOracle

__all__ = ["IMPLEMENTATIONS", "environment_maker", "open_oracle", "open_testee"]

IMPLEMENTATIONS: dict[str, Callable[[MessageLayout], MessageCodec]] = {
    "compiled": compile_layout,
    "interpreted": interpret_layout,
}
"""The implementations of our own codec; the random phase asks the first alone."""


def environment_maker(prepared: RunInputs, *, volume: bool = False) -> MakeEnvironment:
    """Return the function that a worker calls to make its environment.

    Args:
        volume: millions of cases of few cells are to come: Java may take its time to become fast.
    """
    return partial(_make_environment, prepared, volume)


def open_oracle(release: Release, jars: Mapping[str, Path], store: JarStore) -> "KafkaOracle":
    """Open Kafka's classes of one release; the first question starts them.

    Raises:
        ReleaseError: a jar that the JVM needs cannot be had.
    """
    return _oracle(release, jars, store.support_jars(), store.cache_dir, offline=store.offline)


def _oracle(
    release: Release,
    jars: Mapping[str, Path],
    support: Sequence[Path],
    cache_dir: Path,
    *,
    offline: bool,
    helper: Path | None = None,
    peak: bool = False,
) -> "KafkaOracle":
    from wireproof.kafka.oracle import KafkaOracle

    return KafkaOracle(
        release.version,
        jars,
        {module.name: module.package for module in release.modules},
        shared=support,
        cache_dir=cache_dir,
        peak=peak,
        ecj=lambda: JarStore(cache_dir, offline=offline).tool_jar("ecj"),
        helper=helper,
    )


_YOUNG_OBJECTS = 100_000
"""Python looks for garbage in cycles after so many new containers, in place of 700: values have no cycles."""


def _make_environment(prepared: RunInputs, volume: bool) -> WorkerEnvironment:
    from wireproof.proof.strategies.layout_source import LayoutSource
    from wireproof.proof.strategies.records.record_source import RecordSets

    schemas = {part.release.version: part.schemas for part in prepared.parts}
    headers = {key: layout for each in schemas.values() for key, layout in header_layouts(each).items()}
    oracles = {
        part.release.version: _oracle(
            part.release,
            {**part.jars, **part.extras},
            prepared.support,
            prepared.cache_dir,
            offline=prepared.offline,
            helper=prepared.helper,
            peak=volume,
        )
        for part in prepared.parts
        if prepared.java
    }
    environment = WorkerEnvironment(
        layouts=Layouts(schemas),
        adapters=[],
        oracles=oracles,
        source=LayoutSource(_Texts(prepared)),
        record_source=RecordSets(),
        other_definitions=OtherReleases([part.release for part in prepared.parts]),
        corpus=prepared.corpus,
        plain_schemas=frozenset(
            release for release in schemas if not ReleaseFeature.NULLABILITY_IN_SCHEMAS.is_in(release)
        ),
    )
    if prepared.beside:
        _put_side_by_side(environment, prepared, headers)
    elif prepared.testee is None:
        _put_own_codec(environment, prepared.implementations, headers)
    else:
        make = partial(_adapter_of, prepared.testee, headers, NamingLayouts(), environment.hangs)
        adapter = make()
        environment.adapters, environment.records = [adapter], [adapter]
        environment.limited = [TesteeReader(adapter, make)]
        environment.blobs, environment.fresh = [TesteeBlobs(adapter)], ColdStartTestee(make)
        environment.foreign = True
        if prepared.testee.kafka_release:
            environment.kafka_releases = {adapter.name: prepared.testee.kafka_release}
    # Schemas and tables live as long as the process: the collector need not walk them again and again.
    gc.freeze()
    gc.set_threshold(_YOUNG_OBJECTS, 10, 10)
    return environment


def _put_own_codec(
    environment: WorkerEnvironment, implementations: Sequence[str], headers: HeaderLayouts
) -> None:
    """Put our own codec under test: its implementations, with and without limits, and that of record sets."""
    names = {key: f"kafkawire[{key}]" for key in implementations}
    environment.adapters = [
        KafkawireAdapter(name, IMPLEMENTATIONS[key], headers) for key, name in names.items()
    ]
    environment.records = [RecordsAdapter(RECORDS_SUBJECT)]
    environment.blobs = [EmbeddedAdapter(name, IMPLEMENTATIONS[key]) for key, name in names.items()]
    environment.limited = [
        LimitedCodec(name, IMPLEMENTATIONS[key], fatal=FatalSites(name, environment.hangs))
        for key, name in names.items()
    ]


def _put_side_by_side(environment: WorkerEnvironment, prepared: RunInputs, headers: HeaderLayouts) -> None:
    """Put our own codec under test, and each of the others in a process of its own."""
    others = [
        TesteeAdapter(open_testee(launch, environment.hangs), headers, NamingLayouts(), name)
        for name, launch in prepared.beside
    ]
    environment.adapters = [KafkawireAdapter(OWN_NAME, codec_of, headers), *others]
    environment.records = [RecordsAdapter(OWN_NAME), *others]
    environment.blobs = [EmbeddedAdapter(OWN_NAME, codec_of), *map(TesteeBlobs, others)]
    own = LimitedCodec(OWN_NAME, codec_of, fatal=FatalSites(OWN_NAME, environment.hangs))
    environment.limited = [own, *map(TesteeReader, others)]
    environment.foreign = environment.compared = True
    environment.kafka_releases = {
        name: launch.kafka_release for name, launch in prepared.beside if launch.kafka_release
    }


def _adapter_of(
    launch: Launch, headers: HeaderLayouts, names: NamingLayouts, hangs: HangBudget
) -> TesteeAdapter:
    """A testee in a process of its own."""
    return TesteeAdapter(open_testee(launch, hangs), headers, names)


def open_testee(launch: Launch, hangs: HangBudget | None = None) -> TesteeSession:
    """The testee, started when it is first asked.

    Args:
        hangs: the time that may be spent on its hangs.
    """
    return launch.open_session(f"wireproof {own_version()}", hangs)


class _Texts:
    """The messages' JSON in the jars, for the independent count. A jar is opened once: that is slow."""

    def __init__(self, prepared: RunInputs) -> None:
        self._parts = {part.release.version: part for part in prepared.parts}
        self._jars: dict[Path, zipfile.ZipFile] = {}

    def __call__(self, cell: Cell) -> str:
        part = self._parts[cell.release]
        fork = part.release.fork
        if fork is not None and cell.message in fork.texts:
            return fork.texts[cell.message]
        entry = part.schemas.modules[cell.module][cell.message].source.partition("!/")[2]
        path = part.jars[cell.module]
        if path not in self._jars:
            self._jars[path] = zipfile.ZipFile(path)
        return self._jars[path].read(entry).decode()
