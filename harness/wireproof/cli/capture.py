"""``wireproof capture``."""

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from wireproof.cli.clusters import (
    Existing,
    broker_options,
    find_java,
    make_cluster,
    open_folder,
    wanted_broker,
    wanted_nodes,
)
from wireproof.cli.identity import own_version
from wireproof.cli.options import Fatal, jar_options
from wireproof.cli.store import open_store
from wireproof.releases import (
    ReleaseError,
    load_snapshot,
)
from wireproof.run import ExitCode

if TYPE_CHECKING:
    from wireproof.capture.folder import CaptureFolder
    from wireproof.capture.workloads.raw_sweep import RawSweep

__all__ = ["command"]


_LOG_IN: Final = ("guide", "sweep", "internal-topics")
"""Workloads that can log in where one has to."""
WORKLOADS: Final = ("guide", "clients", "java-clients", "outage", "voters", "sweep", "internal-topics")
_NAMED_ALONE: Final = ("clients", "outage", "voters")
"""Workloads that run only where they are asked for: they need other toolchains, or three nodes."""


@click.command("capture")
@broker_options
@click.option(
    "--workload",
    "workloads",
    multiple=True,
    type=click.Choice(WORKLOADS),
    help="What drives it; may be repeated. guide: the exchange of docs/first-exchange.md. "
    "java-clients: Kafka's own clients with all their calls. sweep: each version of each API that a listener "
    "advertises. internal-topics: what coordinators keep, read. clients: those of other languages, built "
    "with their tools. outage: nodes crash, leave, begin anew; for --nodes 3. voters: the "
    "quorum changes; for --nodes 3v. Without it: all but these three.",
)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder of the capture; new, or empty.",
)
@jar_options
def command(**options: Any) -> int:
    """Start a real broker, drive it through a recording proxy, and keep what went over the wire.

    The folder holds capture.json, a segment file for each node and listener, and what the nodes said. Ctrl-C
    keeps what was recorded. Exit code 1 if our codec cannot read what a broker sent.
    """
    from wireproof.capture import CaptureError

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: nothing is left behind
    try:
        return _capture(options)
    except ReleaseError as error:
        raise Fatal(error.message, error.advice, ExitCode.MISSING) from error
    except CaptureError as error:
        raise Fatal(error.message, error.advice, ExitCode.BROKEN) from error


def _capture(options: dict[str, Any]) -> int:
    from wireproof.capture.caller import Apis
    from wireproof.capture.session import Workload, run_capture
    from wireproof.capture.workloads.guide import Guide
    from wireproof.capture.workloads.internal_topics import InternalTopics
    from wireproof.capture.workloads.outage import Outage
    from wireproof.capture.workloads.raw_sweep import RawSweep
    from wireproof.capture.workloads.voters import Voters
    from wireproof.cli.capture_clients import client_calls, other_clients
    from wireproof.strategies.source import LayoutSource

    wanted = wanted_broker(options["broker"], options["release"], options["command_config"])
    release = wanted.release
    if isinstance(wanted, Existing) and not options["workloads"]:
        advice = "Name what is to drive it: --workload sweep, java-clients. Both change a cluster."
        raise Fatal("--broker: nothing is to drive that cluster", advice, ExitCode.USAGE)
    if isinstance(wanted, Existing) and wanted.access.login is not None:
        strangers = [name for name in options["workloads"] if name not in _LOG_IN]
        if strangers:
            words = f"--workload {strangers[0]} cannot log in"
            raise Fatal(words, f"Those that can: {', '.join(_LOG_IN)}.", ExitCode.USAGE)
    store = open_store(options["jars"], options["offline"])
    apis = Apis(load_snapshot(release))
    folder = open_folder(options["output"])
    nodes = wanted_nodes(options["nodes"], wanted)
    cluster = make_cluster(wanted, store, apis, nodes, folder)
    driven = options["workloads"] or [name for name in WORKLOADS if name not in _NAMED_ALONE]
    sweep = RawSweep(apis, LayoutSource(lambda cell: "").whole)
    workloads: list[Workload] = [sweep] if "sweep" in driven else []
    if "internal-topics" in driven:
        workloads.append(InternalTopics(apis))
    if "outage" in driven:
        workloads.insert(0, Outage(apis))
    if "voters" in driven:
        workloads.insert(0, Voters(apis))
    if "clients" in driven:
        log = folder.path / "clients.log"
        workloads.insert(0, other_clients(store.cache_dir, log, lambda line: click.echo(line, err=True)))
    if "java-clients" in driven:
        workloads.insert(0, client_calls(release, store, find_java(), folder.path / "java-clients.log"))
    if "guide" in driven:
        workloads.insert(0, Guide())
    about = {"tool": f"wireproof {own_version()}", "broker": options["broker"], "nodes": nodes}
    started = time.monotonic()
    run_capture(cluster, folder, workloads, about, apis.naming, lambda line: _tell(line, started))
    return _summary(sweep, folder)


def _tell(line: str, started: float) -> None:
    click.echo(f"[{time.monotonic() - started:6.1f} s] {line}", err=True)


def _summary(sweep: "RawSweep", folder: "CaptureFolder") -> int:
    """What was captured, for people; the exit code."""
    unread = 0
    for book in sweep.books:
        for request, version, reason in book.unanswered():
            click.echo(f"  {book.listener} {request} {version}: {reason}", err=True)
        for (request, version), account in book.pairs.items():
            for detail in account.unread:
                unread += 1
                click.echo(
                    f"  {book.listener} {request} {version}: our codec cannot read it: {detail}", err=True
                )
    size = sum(each.stat().st_size for each in folder.segments.iterdir())
    click.echo(f"{folder.path}: {size / 1e6:.1f} MB of segments", err=True)
    for book in sweep.books:
        words = f"{book.answered} of {len(book.pairs)} pairs answered, {book.with_content} with content"
        click.echo(f"{book.listener}: {words}", err=True)
    if sweep.books and not any(book.answered for book in sweep.books):
        return int(ExitCode.NOTHING_RAN)
    return int(ExitCode.DIVERGENCE if unread else ExitCode.PROVEN)
