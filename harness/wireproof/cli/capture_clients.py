"""Kafka's own clients as a workload of a capture: compiled where first used, found among the jars."""

from pathlib import Path

from wireproof.capture.workloads.java_clients import ClientCalls, JavaClients
from wireproof.cli.options import Fatal
from wireproof.model import OracleError
from wireproof.oracle import workload_jar
from wireproof.releases import JarStore, Release, broker_jars, broker_releases, table
from wireproof.run import ExitCode

__all__ = ["client_calls"]

_CLIENTS = "kafka-clients"


def client_calls(release: Release, store: JarStore, java: Path, log: Path) -> ClientCalls:
    """The clients of a release, behind the program that drives them.

    Args:
        log: what they say goes here.

    Raises:
        Fatal: the program cannot be compiled.
        ReleaseError: a jar cannot be had.
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
        raise Fatal(error.message, error.advice, ExitCode.MISSING) from error
    jars = [program, *store.broker_jars(release), _streams(release, store)]
    return ClientCalls(JavaClients(java, jars, log))


def _streams(release: Release, store: JarStore) -> Path:
    """Kafka Streams, without the stores of native code that it can do without."""
    return store.release_jars(release, ["streams"])["streams"]
