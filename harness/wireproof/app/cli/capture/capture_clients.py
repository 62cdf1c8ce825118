"""Clients as workloads of a capture: Kafka's own, compiled at the first use, and those of other languages."""

import shutil
from collections.abc import Callable
from pathlib import Path

from wireproof.base.fatal import FatalError
from wireproof.kafka.oracle import workload_jar
from wireproof.kafka.releases import JarStore, Release, broker_jars, broker_releases, table
from wireproof.model import OracleError
from wireproof.proof.run import ExitCode
from wireproof.proof.testees import TesteeError, prepare_program, shipped_clients
from wireproof.traffic.capture.workloads.java_clients import ClientCalls, JavaClients
from wireproof.traffic.capture.workloads.other_clients import BuiltClients, OtherClients

__all__ = ["client_calls", "other_clients"]

_CLIENTS = "kafka-clients"


def client_calls(release: Release, store: JarStore, java: Path, log: Path) -> ClientCalls:
    """The clients of a release, with the program that drives them.

    Args:
        log: the file for their output.

    Raises:
        FatalError: the program cannot be compiled.
        ReleaseError: a jar is not available.
    """
    newest = table().find(broker_releases()[0])
    clients = next(
        path
        for jar, path in zip(broker_jars(newest), store.broker_jars(newest), strict=True)
        if jar.file_name.startswith(_CLIENTS)
    )
    try:
        program = workload_jar(
            store.cache_dir, [clients, _streams(newest, store)], lambda: store.tool_jar("ecj")
        )
    except OracleError as error:
        raise FatalError(error.message, error.advice, ExitCode.MISSING) from error
    jars = [program, *store.broker_jars(release), _streams(release, store)]
    return ClientCalls(JavaClients(java, jars, log))


def _streams(release: Release, store: JarStore) -> Path:
    """Kafka Streams, without its stores in native code, which the workload does not need."""
    return store.release_jars(release, ["streams"])["streams"]


def other_clients(
    cache_dir: Path, log: Path, report: Callable[[str], object], *, offline: bool
) -> OtherClients:
    """The clients of other languages that can be built here. The others are reported when they would run.

    Args:
        log: the file for their output.
        report: takes a line about each build.
        offline: true to build nothing.
    """
    built, absent = [], {}
    for manifest in shipped_clients():
        try:
            way = prepare_program(manifest, cache_dir, report, offline=offline)
        except TesteeError as error:
            absent[manifest.name] = error.message
        else:
            program = shutil.which(way.command[0]) or way.command[0]
            built.append(BuiltClients(manifest.name, [program, *way.command[1:]], way.folder))
    return OtherClients(built, absent, log)
