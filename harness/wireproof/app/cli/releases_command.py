"""``wireproof releases``: the releases and their jars; ``wireproof broker``: images of brokers."""

from pathlib import Path
from typing import Any

import click

from wireproof.app.assembly.inputs.run_inputs import wanted_releases
from wireproof.app.assembly.prerequisites import Download, found_runtime, open_store
from wireproof.app.cli.options import CommandGroup, documented_command, jar_options
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.wording import counted, echo
from wireproof.kafka.releases.broker_classpath import broker_releases, pin_brokers
from wireproof.kafka.releases.jar_store import JarState, JarStatus, JarStore
from wireproof.kafka.releases.release_table import Release, table
from wireproof.traffic.capture.capture_error import CaptureError


@documented_command(
    "releases",
    {
        ExitCode.PROVEN: "The releases are listed, and what was asked for is written.",
        ExitCode.MISSING: "A jar is missing and cannot be fetched.",
    },
)
@click.argument("words", nargs=-1, metavar="[RELEASE]...")
@click.option(
    "--fetch", is_flag=True, help="Fetch the jars of the named releases. Without a name: those of the newest."
)
@click.option(
    "--write-snapshot",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the schema snapshots of the named releases into DIR, from their jars and classes.",
)
@click.option(
    "--pin-brokers",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="For maintainers: resolve the jars that brokers of the named releases need, and pin them in the "
    "table FILE.",
)
@jar_options
def command(**options: Any) -> int:
    """List the releases, and fetch their jars.

    The list has, for each release, its modules with their numbers of messages and cells, the state of its
    jars in the cache, and the modules that the registry lacks. Jars come from the Maven repository; each must
    have the SHA-256 of the release table.
    """
    known = table()
    chosen = wanted_releases(known, options["words"], ()) if options["words"] else []
    store = open_store(options["jars"], options["offline"])
    if options["pin_brokers"] is not None:
        pin_brokers(chosen, options["pin_brokers"], Download())
        return 0
    if options["fetch"]:
        for release in chosen or [known.find("newest")]:
            store.release_jars(release)
            store.extra_jars(release)
        store.support_jars()
    if options["write_snapshot"] is not None:
        for release in chosen or list(known):
            _write_snapshot(release, store, options["write_snapshot"])
        return 0
    for release in chosen or list(known):
        _print(release, store)
    return 0


def _print(release: Release, store: JarStore) -> None:
    newest = " (newest)" if release == table().find("newest") else ""
    echo(
        f"{release.version}{newest}  {counted(release.messages, 'message')}, {counted(release.cells, 'cell')}"
    )
    status = {each.module: each for each in store.status(release) if each.module}
    for module in release.modules:
        counts = f"{module.messages:4} messages {module.cells:4} cells"
        echo(f"  {module.name:24} {counts}  {module.jar.file_name:44} {_state_words(status[module.name])}")
    for extra in release.extras:
        words = _state_words(status[extra.name])
        echo(f"  {extra.name:24} {'for framings':24}  {extra.jar.file_name:44} {words}")
    for absent in release.absent:
        echo(f"  {absent.name:24} absent: {absent.reason}")


def _state_words(status: JarStatus) -> str:
    words = {JarState.READY: "ready", JarState.MISSING: "not fetched"}
    return words.get(status.state, f"damaged: {status.detail}")


def _write_snapshot(release: Release, store: JarStore, folder: Path) -> None:
    """Write a snapshot of the schemas in the jars, with the header versions of the release's classes."""
    from wireproof.app.assembly.worker_environment import open_oracle
    from wireproof.kafka.releases.snapshots import write_snapshot

    jars = store.release_jars(release)
    oracle = open_oracle(release, jars, store)
    place = write_snapshot(release, jars, oracle.header_versions, folder)
    echo(f"wrote {place}", err=True)


@click.group("broker", cls=CommandGroup)
def broker() -> None:
    """Build an image of a broker."""


@broker.command(
    "image",
    exit_codes={
        ExitCode.PROVEN: "The image is built.",
        ExitCode.MISSING: "A jar, Java or the container engine is missing, or the release is unknown.",
    },
)
@click.argument("release", default="newest")
@click.option(
    "--tag", "name", metavar="NAME:TAG", help="Give the image this name. Default: wireproof/kafka:RELEASE."
)
@jar_options
def _image(release: str, name: str | None, **options: Any) -> int:
    """Build an image of a broker of RELEASE, from its jars and the Java of this machine. No image is pulled.

    `wireproof capture --broker container:NAME:TAG` starts it, like Kafka's own images.
    """
    from wireproof.traffic.capture.brokers.processes.container_programs import build_image

    found = table().find(broker_releases()[0] if release == "newest" else release)
    store = open_store(options["jars"], options["offline"])
    name = name or f"wireproof/kafka:{found.version}"
    if ":" not in name.rpartition("/")[2]:
        raise FatalError(f"--tag: {name!r} has no tag", "Write NAME:TAG.")
    with as_fatal(CaptureError, exit_code=ExitCode.MISSING):
        built = build_image(name, store.broker_jars(found), found_runtime().home)
    echo(f"{name}  {built}")
    return int(ExitCode.PROVEN)
