"""Released jars opened as oracles, once for each test process. Fetches what the cache does not hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from kafkawire.canonical import canonical
from kafkawire.schema import MessageLayout, SchemaSet, resolve
from wireproof.kafka.oracle.java_release import JavaRelease
from wireproof.kafka.oracle.kafka import KafkaOracle
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_schemas import load_schemas
from wireproof.kafka.releases.release_table import Release, table
from wireproof.model.cell import Cell
from wireproof.model.oracle import OracleFrame, OracleReply, OracleValue, Refusal

LINES = [release.version for release in table()]
"""Every release of the table, for what is asked of all cells."""

RELEASES = ["4.4.0", "3.9.2"]
"""The newest, and the last with the messages of ZooKeeper: for what is asked of cells by name."""


@dataclass(frozen=True)
class Kafka:
    """One release: its definitions and its classes."""

    version: str
    jars: dict[str, Path]
    schemas: SchemaSet
    oracle: KafkaOracle

    def cell(self, message: str, version: int) -> tuple[Cell, MessageLayout]:
        module, spec = self.schemas.find(message)
        return Cell(self.version, module, message, version), resolve(spec, version)

    def cells(self) -> Iterator[tuple[Cell, MessageLayout]]:
        for module, spec in self.schemas:
            for version in spec.valid_versions:
                yield Cell(self.version, module, spec.name, version), resolve(spec, version)

    def headers(self, message: str) -> dict[int, MessageLayout]:
        _, spec = self.schemas.find(message)
        return {version: resolve(spec, version) for version in spec.valid_versions}

    def reread(self, message: str, version: int, body: str) -> OracleReply:
        """The reply to one body, given in hexadecimal."""
        return self.oracle.reread(*self.cell(message, version), [bytes.fromhex(body)])[0]

    def write(self, message: str, version: int, value: dict[str, Any]) -> OracleReply:
        """The reply to one value."""
        cell, layout = self.cell(message, version)
        return self.oracle.write(cell, layout, [canonical(layout).to_binary(value)])[0]


@cache
def kafka(version: str) -> Kafka:
    """Open a release of the table, or one that only a known Kafka bug names.

    `tests.conftest` closes it after the last test of the module.
    """
    jars, schemas = _definitions(version)
    every = {**jars, **JarStore().extra_jars(known_release(version))}
    return Kafka(version, jars, schemas, new_oracle(version, every))


@cache
def _definitions(version: str) -> tuple[dict[str, Path], SchemaSet]:
    release = known_release(version)
    jars = JarStore().release_jars(release)
    return jars, load_schemas(release, jars)


def known_release(version: str) -> Release:
    for release in table().errata:
        if release.version == version:
            return release
    return table().find(version)


def new_oracle(version: str, jars: dict[str, Path], heap_mb: int = 512) -> KafkaOracle:
    """An oracle that has been asked nothing yet."""
    store = JarStore()
    packages = {module.name: module.package for module in known_release(version).modules}
    java = JavaRelease(
        version,
        jars,
        packages,
        shared=store.support_jars(),
        cache_dir=store.cache_dir,
        ecj=lambda: store.tool_jar("ecj"),
        heap_mb=heap_mb,
    )
    return KafkaOracle(java)


def accepted(reply: OracleReply) -> OracleValue:
    assert isinstance(reply, OracleValue), reply
    return reply


def refused(reply: OracleReply | OracleFrame) -> Refusal:
    assert isinstance(reply, Refusal), reply
    return reply
