"""The worker environment of a run: releases, oracle, strategies and adapters, put together in one place."""

import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from kafkawire.primitives import codec_of
from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.inputs.run_inputs import (
    OWN_NAME,
    RECORDS_SUBJECT,
    NamingLayouts,
    OtherReleases,
    RunInputs,
)
from wireproof.app.assembly.prerequisites import IMPLEMENTATIONS, check_forms
from wireproof.base.version import own_version
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import Release
from wireproof.model.adapter import Claimant, HeaderLayouts
from wireproof.model.cell import Cell, Phase
from wireproof.model.codec_ends import FatalSites, HangBudget
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.proof.adapters.own.blob_adapter import EmbeddedAdapter
from wireproof.proof.adapters.own.kafkawire_adapter import KafkawireAdapter
from wireproof.proof.adapters.own.limited_codec import LimitedCodec
from wireproof.proof.adapters.own.record_adapter import RecordsAdapter
from wireproof.proof.adapters.testee.testee_adapter import ColdStartTestee, TesteeAdapter
from wireproof.proof.adapters.testee.testee_blobs import TesteeBlobs
from wireproof.proof.adapters.testee.testee_reader import TesteeReader
from wireproof.proof.deviations.search.observing import AnswerObserver
from wireproof.proof.deviations.search.side_observers import SideObservers
from wireproof.proof.run.core.environment import Layouts, MakeEnvironment, WorkerEnvironment, header_layouts
from wireproof.proof.testees.build.launch import Launch
from wireproof.proof.testees.session.testee_session import TesteeSession

if TYPE_CHECKING:
    from wireproof.kafka.oracle.kafka import KafkaOracle


def environment_maker(prepared: RunInputs, *, volume: bool = False) -> MakeEnvironment:
    """Return the function that a worker calls to make its environment.

    Args:
        volume: whether millions of cases of few cells follow, so that Java's optimising compiler pays off.
    """
    return partial(_make_environment, prepared, volume)


def import_for_workers(phases: Collection[Phase]) -> None:
    """Import what workers need for these phases: on Linux they are forks of this process."""
    import_module("wireproof.proof.strategies.layout_source")
    if Phase.RANDOM in phases:
        import_module("wireproof.proof.strategies.records.hypothesis_records")


def open_oracle(release: Release, jars: Mapping[str, Path], store: JarStore) -> "KafkaOracle":
    """Open Kafka's classes of one release; the first question starts them."""
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
    from wireproof.kafka.oracle.java_release import JavaRelease
    from wireproof.kafka.oracle.kafka import KafkaOracle

    java = JavaRelease(
        release.version,
        jars,
        {module.name: module.package for module in release.modules},
        shared=support,
        cache_dir=cache_dir,
        peak=peak,
        ecj=lambda: JarStore(cache_dir, offline=offline).tool_jar("ecj"),
        helper=helper,
    )
    return KafkaOracle(java)


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
    texts = _Texts(prepared)
    environment = WorkerEnvironment(
        layouts=Layouts(schemas),
        adapters=[],
        oracles=oracles,
        source=LayoutSource(texts),
        record_source=RecordSets(),
        other_definitions=OtherReleases([part.release for part in prepared.parts]),
        corpus=prepared.corpus,
        plain_schemas=frozenset(
            release for release in schemas if not ReleaseFeature.NULLABILITY_IN_SCHEMAS.is_in(release)
        ),
    )
    if prepared.beside:
        environment = _side_by_side(environment, prepared, headers)
    elif prepared.testee is None:
        environment = _with_own_codec(environment, prepared.implementations, headers)
    else:
        environment = _with_testee(environment, prepared.testee, headers)
        testees = [each for each in environment.adapters if isinstance(each, Claimant)]
        source = LayoutSource(texts, partial(_newest_claimed, testees))
        environment = replace(environment, source=source)
    return environment


def _with_own_codec(
    environment: WorkerEnvironment, implementations: Sequence[str], headers: HeaderLayouts
) -> WorkerEnvironment:
    """Put our own codec under test: its forms, with and without limits, and that of record sets."""
    check_forms(implementations)
    codecs = {f"kafkawire[{key}]": IMPLEMENTATIONS[key] for key in implementations}
    return replace(
        environment,
        adapters=[KafkawireAdapter(name, codec, headers) for name, codec in codecs.items()],
        records=[RecordsAdapter(RECORDS_SUBJECT)],
        blobs=[EmbeddedAdapter(name, codec) for name, codec in codecs.items()],
        limited=[
            LimitedCodec(name, codec, fatal=FatalSites(name, environment.hangs))
            for name, codec in codecs.items()
        ],
    )


def _with_testee(environment: WorkerEnvironment, launch: Launch, headers: HeaderLayouts) -> WorkerEnvironment:
    """Put a testee under test, in a process of its own."""
    observer, names = AnswerObserver(), NamingLayouts()

    def make() -> TesteeAdapter:
        return TesteeAdapter(open_testee(launch, environment.hangs), headers, names, observer=observer)

    adapter = make()
    return replace(
        environment,
        adapters=[adapter],
        records=[adapter],
        blobs=[TesteeBlobs(adapter)],
        limited=[TesteeReader(adapter, make)],
        fresh=ColdStartTestee(make),
        foreign=True,
        observer=observer,
        kafka_releases={adapter.name: launch.kafka_release} if launch.kafka_release else {},
    )


def _newest_claimed(adapters: Sequence[Claimant], cell: Cell, layout: MessageLayout) -> int | None:
    """Return the newest version of a message that a codec claims; None if it claims none."""
    claimed = (
        version
        for version in layout.versions
        if any(each.claimed(replace(cell, version=version)) for each in adapters)
    )
    return max(claimed, default=None)


def _side_by_side(
    environment: WorkerEnvironment, prepared: RunInputs, headers: HeaderLayouts
) -> WorkerEnvironment:
    """Put our own codec under test, and each of the others in a process of its own."""
    observers = SideObservers([name for name, _ in prepared.beside])
    others = [
        TesteeAdapter(
            open_testee(launch, environment.hangs), headers, NamingLayouts(), name, observers.of(name)
        )
        for name, launch in prepared.beside
    ]
    own = LimitedCodec(OWN_NAME, codec_of, fatal=FatalSites(OWN_NAME, environment.hangs))
    return replace(
        environment,
        adapters=[KafkawireAdapter(OWN_NAME, codec_of, headers), *others],
        records=[RecordsAdapter(OWN_NAME), *others],
        blobs=[EmbeddedAdapter(OWN_NAME, codec_of), *map(TesteeBlobs, others)],
        limited=[own, *map(TesteeReader, others)],
        foreign=True,
        compared=True,
        observer=observers,
        kafka_releases={
            name: launch.kafka_release for name, launch in prepared.beside if launch.kafka_release
        },
    )


def open_testee(launch: Launch, hangs: HangBudget | None = None) -> TesteeSession:
    """Return a session with the testee, which the first question starts.

    Args:
        hangs: the budget of time for hangs of the testee.
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
