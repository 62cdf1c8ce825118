"""A process that asks one release after the other gives back the classes of those that are closed."""

import sys
from collections.abc import Callable
from functools import cache

import jpype  # type: ignore[import-untyped]
import pytest

from kafkawire.canonical import canonical
from tests.support.oracles.closing import close_caches
from tests.support.oracles.coordinator_loads import CoordinatorLoad, LoadOutcome
from tests.support.oracles.kafka_classes import accepted, kafka
from tests.support.oracles.kafka_coordinators import coordinators
from tests.support.schemas import kitchen_sink
from wireproof.app.assembly.prerequisites import open_generator
from wireproof.kafka.oracle.generator.schema_generator import GeneratedOracle
from wireproof.kafka.releases.jar_store import JarStore, generator_releases
from wireproof.model.cell import Cell
from wireproof.model.embedding import EmbeddedBlob

LEFT = 30
"""Classes that a closed release may leave: it was the first to use some of Java's own."""


@cache
def generated() -> GeneratedOracle:
    """The classes of a message that a generator made."""
    generator = open_generator(generator_releases()[0], JarStore())
    return generator.oracle(generator.judge([kitchen_sink.TEXT]))


def ask_releases() -> None:
    """Ask three releases about messages, requests beyond their versions, and record sets."""
    for version in ("4.3.1", "3.9.2", "2.8.2"):
        release = kafka(version)
        for message in ("FetchRequest", "MetadataResponse"):
            cell, layout = release.cell(message, 4)
            value = canonical(layout).to_binary({})
            accepted(release.oracle.write(cell, layout, [value])[0])
            accepted(release.oracle.json(cell, layout, [value])[0])
            release.oracle.bounds(cell, 99)
        release.oracle.read_records([bytes(61)])


def ask_coordinators() -> None:
    """Let two releases read a record of a coordinator."""
    for version in ("3.9.2", "3.4.1"):
        record = EmbeddedBlob(b"\0\0\0", b"\0\x64\0\1x")
        (reply,) = coordinators(version).load(CoordinatorLoad.GROUP_CLASSIC, [record])
        assert reply.outcome is LoadOutcome.SKIPPED


def ask_generator() -> None:
    """Generate the classes of a message, and ask them."""
    layout = kitchen_sink.layout(0)
    cell = Cell("4.3.1", "clients", layout.name, 0)
    assert generated().probe(cell, layout)


@pytest.mark.parametrize("ask", [ask_releases, ask_coordinators, ask_generator])
def test_closed_releases_are_unloaded(ask: Callable[[], None]) -> None:
    """The classes of Kafka are gone after each round; what Java itself needs is loaded in the first one."""
    counts = []
    for _ in range(3):
        ask()
        asked = loaded_classes()
        close_caches(sys.modules[__name__])
        counts.append((asked, loaded_classes()))
    (_, first), *_, (asked, last) = counts
    assert asked > last + 3 * LEFT, counts
    assert last <= first + LEFT, counts


def loaded_classes() -> int:
    """The number of classes in this JVM after a collection."""
    jpype.JClass("java.lang.System").gc()
    beans = jpype.JClass("java.lang.management.ManagementFactory")
    return int(beans.getClassLoadingMXBean().getLoadedClassCount())


def test_the_heap_begins_small() -> None:
    """A process has the pages of a large heap only if it needs them."""
    ask_releases()
    beans = jpype.JClass("java.lang.management.ManagementFactory")
    names = ("Eden Space", "Survivor Space", "Tenured Gen")
    pools = {str(pool.getName()): pool.getUsage() for pool in beans.getMemoryPoolMXBeans()}
    assert sum(int(pools[name].getInit()) for name in names) <= 64 << 20
