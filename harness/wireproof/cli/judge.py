"""``wireproof judge``."""

import contextlib
import json
import signal
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click
from rich.console import Console

from wireproof.cli.clusters import broker_options, make_cluster, open_folder, wanted_broker, wanted_nodes
from wireproof.cli.identity import own_version
from wireproof.cli.options import Fatal, jar_options
from wireproof.cli.store import open_store
from wireproof.model import CannotWorkError
from wireproof.releases import JarStore, Release, ReleaseError, load_snapshot
from wireproof.report.traffic import TrafficReport, traffic_json
from wireproof.run import ExitCode, header_layouts
from wireproof.traffic import Finding, Judge, Sent, Tally, Watch

if TYPE_CHECKING:
    from kafkawire.schema import SchemaSet
    from wireproof.capture.caller import Apis
    from wireproof.capture.folder import CaptureFolder
    from wireproof.capture.session import Stage
    from wireproof.frames import SegmentFollower

__all__ = ["command"]

_FILE_WIDTH: Final = 160


@click.command("judge", context_settings={"ignore_unknown_options": False})
@broker_options
@click.option(
    "--budget",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="The program is ended then, which is no fault of it. Without it: it ends by itself.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the capture in this folder, new or empty.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: the summary and all causes on standard output, too.",
)
@jar_options
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def command(program: tuple[str, ...], **options: Any) -> int:
    """Run any client program against a real broker, and judge each request it sends.

    Kafka's own classes read each frame, header and body, and write it again; what differs is told, and so is
    a version that the broker does not offer, a record set that Kafka does not read, a connection that the
    broker dropped. The errors that the broker answers are named; they are no fault by themselves.

    The program finds the broker in WIREPROOF_BOOTSTRAP (HOST:PORT), and wherever its arguments say
    {bootstrap}; {sasl} is a listener where wireproof-user logs in with wireproof-secret (SASL_PLAINTEXT,
    PLAIN). Write -- before it:

    \b
    wireproof judge -- python my_client.py {bootstrap}
    wireproof judge --broker jars:3.9 --budget 60 -- npm test

    Exit code 1 for a finding, 3 if nothing was sent, 7 if the program itself failed.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: nothing is left behind
    with contextlib.ExitStack() as stack:
        output = options["output"]
        if output is None:
            output = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="wireproof-")))
        try:
            return _judge(program, output, options)
        except ReleaseError as error:
            raise Fatal(error.message, error.advice, ExitCode.MISSING) from error
        except CannotWorkError as error:
            raise Fatal(error.message, error.advice, ExitCode.BROKEN) from error


def _judge(program: tuple[str, ...], output: Path, options: Mapping[str, Any]) -> int:
    from wireproof.capture.caller import Apis
    from wireproof.capture.session import run_capture
    from wireproof.capture.workloads.program import Program

    wanted = wanted_broker(options["broker"], options["release"])
    release = wanted.release
    store = open_store(options["jars"], options["offline"])
    schemas = load_snapshot(release)
    apis = Apis(schemas)
    folder = open_folder(output)
    nodes = wanted_nodes(options["nodes"], wanted)
    cluster = make_cluster(wanted, store, apis, nodes, folder)
    started = time.monotonic()
    court = _Court(release, store, schemas, apis, folder)
    workload = Program(program, options["budget"], court.look)
    about = {"tool": f"wireproof {own_version()}", "broker": options["broker"], "nodes": nodes}
    interrupted = False
    with contextlib.closing(court):
        try:
            run_capture(cluster, folder, [workload], about, apis.naming, lambda line: None)
        except KeyboardInterrupt:
            interrupted = True
        court.rest()
        court.report.summary(court.tally, court.connections, time.monotonic() - started)
        if options["form"] == "json":
            click.echo(json.dumps(traffic_json(court.tally, release.version, court.connections), indent=1))
        if workload.ended and not interrupted:
            click.echo(f"{program[0]} {workload.ended}", err=True)
    return int(_exit_code(court.tally, workload.ended, interrupted))


def _exit_code(tally: Tally, ended: str, interrupted: bool) -> ExitCode:
    if interrupted:
        return ExitCode.INTERRUPTED
    if not tally.requests and not tally.causes:
        return ExitCode.NOTHING_RAN
    if tally.causes:
        return ExitCode.DIVERGENCE
    return ExitCode.BELOW_FLOOR if ended else ExitCode.PROVEN


def _console() -> Console:
    """Standard error; a file has no edge at which a table would have to be cut."""
    console = Console(stderr=True)
    return console if console.is_terminal else Console(stderr=True, width=_FILE_WIDTH)


class _Court:
    """Follows the segment files of clients' listeners, and has each request judged."""

    def __init__(
        self, release: Release, store: JarStore, schemas: "SchemaSet", apis: "Apis", folder: "CaptureFolder"
    ) -> None:
        self.tally = Tally()
        self.report = TrafficReport(_console())
        self._release = release
        self._store = store
        self._schemas = schemas
        self._apis = apis
        self._folder = folder
        self._files = contextlib.ExitStack()
        self._watches: list[tuple[Watch, SegmentFollower]] = []
        self._judge: Judge | None = None

    @property
    def connections(self) -> int:
        return sum(watch.connections for watch, _ in self._watches)

    def look(self, stage: "Stage") -> None:
        """Judge what came since the last look."""
        if self._judge is None:
            self._judge = self._opened(stage)
        for watch, follower in self._watches:
            self._take(self._judge, [each for entry in follower.entries() for each in watch.feed(entry)])

    def rest(self) -> None:
        """Judge what was written behind the last look, and what no answer can come to any more."""
        if self._judge is None:
            return
        for watch, follower in self._watches:
            settled = [each for entry in follower.entries() for each in watch.feed(entry)]
            self._take(self._judge, [*settled, *watch.close()])

    def close(self) -> None:
        self._files.close()

    def _take(self, judge: Judge, settled: "list[Sent | Finding]") -> None:
        requests = [each for each in settled if isinstance(each, Sent)]
        for verdict in judge.judge(requests) if requests else ():
            self.report.findings(self.tally.verdict(verdict))
        for each in settled:
            if isinstance(each, Finding):
                self.report.findings(self.tally.loose(each))

    def _opened(self, stage: "Stage") -> Judge:
        from kafkawire.schema import MessageKind
        from wireproof.capture.brokers import Listener, advertised
        from wireproof.cli.wiring import open_oracle
        from wireproof.frames import SegmentFollower

        offers = {}
        for place, address in stage.cluster.places.items():
            if place.listener not in (Listener.CLIENT, Listener.SASL):
                continue
            file: BinaryIO = self._files.enter_context((self._folder.segments / f"{place}.wpseg").open("rb"))
            self._watches.append((Watch(str(place), self._apis.naming), SegmentFollower(file)))
            versions = advertised(self._apis, address)
            if versions is not None:
                offers[str(place)] = versions
        jars = {**self._store.release_jars(self._release), **self._store.extra_jars(self._release)}
        oracle = open_oracle(self._release, jars, self._store)
        headers = {
            version: layout
            for (_, kind, version), layout in header_layouts(self._schemas).items()
            if kind is MessageKind.REQUEST
        }
        return Judge(oracle, self._apis.naming, headers, offers)
