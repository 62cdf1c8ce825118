"""``wireproof capture``: the clusters and workloads that it drives."""

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click

from wireproof.app.assembly.corpus.corpus_add import LARGEST_BYTES, add_capture, captures_in
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.capture.clusters import (
    NODES_HELP,
    Existing,
    Wanted,
    broker_options,
    find_java,
    make_cluster,
    open_folder,
    wanted_broker,
    wanted_nodes,
    wanted_topology,
)
from wireproof.app.cli.corpus.corpus_verify import verify_added
from wireproof.app.cli.options import documented_command, jar_options, one_after_the_other
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal, worst
from wireproof.base.text.wording import echo
from wireproof.base.version import own_version, page_url
from wireproof.kafka.oracle.java_release import workload_jar
from wireproof.kafka.releases.broker_classpath import broker_jars, broker_releases
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import Release, table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.kafka.releases import ReleaseFeature
from wireproof.model.oracle import OracleError
from wireproof.proof.config.processors import available_processors
from wireproof.proof.testees.build.launch import prepare_program
from wireproof.proof.testees.description.manifest import shipped_clients
from wireproof.proof.testees.testee_errors import TesteeError
from wireproof.traffic.capture.capture_folder import CaptureFolder
from wireproof.traffic.capture.capture_session import Workload, run_capture
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.workloads.client_steps import BuiltClients, ClientCalls, OtherClients
from wireproof.traffic.capture.workloads.first_exchange import FirstExchange
from wireproof.traffic.capture.workloads.internal_topics import InternalTopics
from wireproof.traffic.capture.workloads.node_sessions import Outage, Voters
from wireproof.traffic.capture.workloads.request_sweep import SweepWorkload

EVERY: Final = "every"
WORKLOADS: Final = ("guide", "java-clients", "clients", "voters", "outage", "sweep", "internal-topics")
"""The workloads in the order in which they run: later ones use the data of earlier ones."""
NAMED_ALONE: Final = ("clients", "outage", "voters")
"""Workloads that run only if they are named: they need other toolchains, or three nodes."""
_ON_NODES: Final = ("outage", "voters")
_ALL_CALLS: Final = ("guide", "java-clients", "clients", "sweep", "internal-topics")
_LEAST_NODES: Final = 3


@dataclass(frozen=True, slots=True)
class ClusterPlan:
    """One cluster to capture, with its workloads.

    Attributes:
        nodes: as in `--nodes`.
        workloads: in order.
    """

    nodes: str
    workloads: tuple[str, ...]


def plan_clusters(wanted: Wanted, nodes: Sequence[str], workloads: Sequence[str]) -> list[ClusterPlan]:
    """Plan the clusters: at least one, each with at least one workload.

    A single cluster gets the named workloads; of several clusters each gets those that it supports.

    Args:
        nodes: the values of `--nodes`; `EVERY` means all kinds of clusters that the release supports.
        workloads: the values of `--workload`; without any, all that the clusters support.
    """
    if isinstance(wanted, Existing) and nodes and (EVERY in nodes or len(nodes) > 1):
        raise FatalError("--nodes: an existing cluster keeps its nodes", "Leave --nodes out.")
    if EVERY in nodes:
        if len(nodes) > 1:
            raise FatalError(f"--nodes: {EVERY} includes all others", "Write it alone.")
        return _driven(_every(wanted.release.version), workloads)
    if len(set(nodes)) < len(nodes):
        twice = next(each for each in nodes if nodes.count(each) > 1)
        raise FatalError(f"--nodes {twice} is named twice", "Name each cluster once.")
    usual = [name for name in WORKLOADS if name in workloads or not (workloads or name in NAMED_ALONE)]
    if isinstance(wanted, Existing):
        for name in _ON_NODES:
            if name in workloads:
                advice = "It stops nodes and starts them: name a --broker from jars or in containers."
                words = f"--workload {name}: an existing cluster does not support it"
                raise FatalError(words, advice)
        return [ClusterPlan(wanted_nodes(nodes[0] if nodes else None, wanted), tuple(usual))]
    if len(nodes) < 2:
        return _driven([_fit(wanted_nodes(nodes[0] if nodes else None, wanted), wanted, usual)], workloads)
    plans = _driven([_fit(each, wanted, usual) for each in nodes], workloads)
    for each in nodes:
        if each not in {plan.nodes for plan in plans}:
            advice = "Leave it out, or name a workload that it supports."
            raise FatalError(f"--nodes {each}: no workload is for it", advice)
    return plans


def _every(release: str) -> list[ClusterPlan]:
    """All kinds of clusters that a release supports, each with the workloads that need it."""
    plans = [ClusterPlan("1", _ALL_CALLS)]
    if ReleaseFeature.READABLE_METADATA_LOG.is_in(release):
        plans.append(ClusterPlan("3", ("outage",)))
    if ReleaseFeature.DYNAMIC_VOTERS.is_in(release):
        plans.append(ClusterPlan("1+3v", ("voters",)))
    if not ReleaseFeature.NO_ZOOKEEPER.is_in(release):
        plans += [ClusterPlan("1+zk", _ALL_CALLS), ClusterPlan("3+zk", ("outage",))]
    return plans


def _fit(nodes: str, wanted: Wanted, workloads: Sequence[str]) -> ClusterPlan:
    topology = wanted_topology(nodes, wanted)
    unfit = set()
    if not topology.dynamic or len(topology.controllers) < _LEAST_NODES:
        unfit.add("voters")
    if topology.dynamic or len(topology.brokers) < _LEAST_NODES:
        unfit.add("outage")
    return ClusterPlan(nodes, tuple(name for name in workloads if name not in unfit))


def _driven(plans: Sequence[ClusterPlan], workloads: Sequence[str]) -> list[ClusterPlan]:
    """The clusters with at least one of these workloads."""
    asked = set(workloads or WORKLOADS)
    found = [
        ClusterPlan(plan.nodes, driven)
        for plan in plans
        if (driven := tuple(name for name in plan.workloads if name in asked))
    ]
    for name in workloads:
        if not any(name in plan.workloads for plan in found):
            words = ", ".join(plan.nodes for plan in plans)
            none = f"--nodes {words} is not" if len(plans) == 1 else f"no cluster of {words} is"
            advice = "outage needs --nodes 3 or 3+zk, voters --nodes 3v or 1+3v (since 3.9)."
            raise FatalError(f"--workload {name}: {none} for it", advice)
    return found


_CLIENTS = "kafka-clients"


def client_calls(release: Release, store: JarStore, java: Path, log: Path) -> ClientCalls:
    """The clients of a release, with the program that drives them."""
    newest = table().find(broker_releases()[0])
    clients = next(
        path
        for jar, path in zip(broker_jars(newest), store.broker_jars(newest), strict=True)
        if jar.file_name.startswith(_CLIENTS)
    )
    with as_fatal(OracleError, exit_code=ExitCode.MISSING):
        program = workload_jar(
            store.cache_dir, [clients, _streams(newest, store)], lambda: store.tool_jar("ecj")
        )
    jars = [program, *store.broker_jars(release), _streams(release, store)]
    return ClientCalls(java, jars, log)


def _streams(release: Release, store: JarStore) -> Path:
    """Kafka Streams, without its stores in native code, which the workload does not need."""
    return store.release_jars(release, ["streams"])["streams"]


def other_clients(
    cache_dir: Path, log: Path, report: Callable[[str], object], *, offline: bool
) -> OtherClients:
    """The clients of other languages that can be built here. The others are reported when they would run."""
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


@dataclass(frozen=True, slots=True)
class Driving:
    """Captures clusters of one release.

    Attributes:
        broker: the name that the user typed.
        lenient: true to leave out clients of other languages if none can be built.
    """

    wanted: Wanted
    broker: str
    store: JarStore
    apis: ApiCatalog
    lenient: bool

    def capture(self, plan: ClusterPlan, output: Path) -> int:
        """Capture one cluster into a folder and report the result; return the exit code.

        Raises:
            FatalError: a jar is missing, or the cluster fails before the end of the capture. The
                recorded part is complete.
        """
        folder = open_folder(output)
        cluster = make_cluster(self.wanted, self.store, self.apis, plan.nodes, folder)
        workloads = [each for name in plan.workloads for each in self._workload(name, folder)]
        about = {"tool": f"wireproof {own_version()}", "broker": self.broker, "nodes": plan.nodes}
        started = time.monotonic()

        def report(line: str) -> None:
            echo(f"[{time.monotonic() - started:6.1f} s] {line}", err=True)

        run_capture(cluster, folder, workloads, about, self.apis.naming, report)
        return _summary(workloads, folder)

    def _workload(self, name: str, folder: CaptureFolder) -> Iterator[Workload]:
        """The workload with a name; none if it is left out."""
        from wireproof.proof.strategies.layout_source import LayoutSource

        match name:
            case "guide":
                yield FirstExchange()
            case "java-clients":
                log = folder.path / "java-clients.log"
                yield client_calls(self.wanted.release, self.store, find_java(), log)
            case "clients":
                log = folder.path / "clients.log"
                found = other_clients(
                    self.store.cache_dir, log, lambda line: echo(line, err=True), offline=self.store.offline
                )
                if found.built or not self.lenient:
                    yield found
                else:
                    echo("clients of other languages are left out: none can be built here", err=True)
            case "voters":
                yield Voters(self.apis)
            case "outage":
                yield Outage(self.apis)
            case "sweep":
                yield SweepWorkload(self.apis, LayoutSource(lambda cell: "").whole)
            case "internal-topics":
                yield InternalTopics(self.apis)
            case _:
                raise AssertionError(name)


def _summary(workloads: Sequence[Workload], folder: CaptureFolder) -> int:
    """Print the summary of a capture; return the exit code."""
    unread = 0
    logs = [log for each in workloads if isinstance(each, SweepWorkload) for log in each.logs]
    for log in logs:
        for request, version, reason in log.unanswered():
            echo(f"  {log.listener} {request} {version}: {reason}", err=True)
        for (request, version), pair in log.pairs.items():
            for detail in pair.unread:
                unread += 1
                echo(f"  {log.listener} {request} {version}: our codec cannot read it: {detail}", err=True)
    size = sum(each.stat().st_size for each in folder.segments.iterdir())
    echo(f"{folder.path}: {size / 1e6:.1f} MB of segments", err=True)
    for log in logs:
        words = f"{log.answered} of {len(log.pairs)} pairs answered, {log.with_content} with content"
        echo(f"{log.listener}: {words}", err=True)
    if logs and not any(log.answered for log in logs):
        return int(ExitCode.NOTHING_RAN)
    return int(ExitCode.DIVERGENCE if unread else ExitCode.PROVEN)


@documented_command(
    "capture",
    {
        ExitCode.PROVEN: "The capture is complete.",
        ExitCode.DIVERGENCE: "Our codec cannot read the frame of a broker. With --corpus: an entry differs.",
        ExitCode.NOTHING_RAN: "No request was answered. With --corpus: no frame became an entry.",
        ExitCode.MISSING: "",
        ExitCode.BROKEN: "The cluster failed before the end of the capture. The recorded part is kept.",
        ExitCode.INTERRUPTED: "Ctrl-C, SIGTERM or SIGHUP ended the command. The recorded part is kept.",
    },
)
@broker_options
@click.option(
    "--nodes",
    multiple=True,
    metavar="COUNT",
    help=f"{NODES_HELP} May be repeated: the clusters run one after the other, each with its capture in the "
    f"folder. {EVERY}: every kind of cluster that the release supports.",
)
@click.option(
    "--workload",
    "workloads",
    multiple=True,
    type=click.Choice(WORKLOADS),
    help="Run this workload. May be repeated. guide: the exchange of the page "
    f"The first exchange, byte by byte ({page_url('explanations/first-exchange.md')}). "
    "java-clients: Kafka's own clients with all their calls. sweep: each version of each API that a "
    "listener advertises. internal-topics: read the topics of coordinators. clients: clients of other "
    "languages, built with their tools. outage: nodes crash, leave and restart; for --nodes 3. voters: the "
    f"quorum changes; for --nodes 3v. Default: all except the last three; with --nodes {EVERY} all.",
)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write the capture to this folder, new or empty.",
)
@click.option(
    "--corpus",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Add entries to this corpus and verify them, as `wireproof corpus add` does.",
)
@jar_options
def command(**options: Any) -> int:
    """Start a real broker, drive it through a recording proxy, and record the traffic.

    The folder has capture.json, a segment file for each node and listener, and the logs of the nodes. After
    Ctrl-C it has the recorded part.

    \b
    wireproof capture --broker jars:4.3.1 --output capture-4.3.1
    wireproof capture --broker jars:2.8.2 --nodes every --output capture-2.8.2 --corpus corpus
    """
    wanted = wanted_broker(options["broker"], options["release"], options["command_config"])
    if isinstance(wanted, Existing) and not options["workloads"]:
        advice = "Name one: --workload sweep or java-clients. Both change a cluster."
        raise FatalError("--broker: an existing cluster needs a workload", advice)
    store = open_store(options["jars"], options["offline"])
    plans = plan_clusters(wanted, options["nodes"], options["workloads"])
    lenient = EVERY in options["nodes"] and "clients" not in options["workloads"]
    driving = Driving(wanted, options["broker"], store, ApiCatalog(load_snapshot(wanted.release)), lenient)
    output: Path = options["output"]
    code = _captured(
        driving, plans, output, alone=len(options["nodes"]) < 2 and EVERY not in options["nodes"]
    )
    if options["corpus"] is None or not captures_in(output):
        return code
    added = add_capture(output, options["corpus"], LARGEST_BYTES, "")
    processes = available_processors()
    return worst([code, verify_added(options["corpus"], added, store, without_java=False, jobs=processes)])


def _captured(driving: Driving, plans: Sequence[ClusterPlan], output: Path, *, alone: bool) -> int:
    """Capture each cluster. Several have folders of their own; a failure does not stop the next."""
    if alone:
        return driving.capture(plans[0], output)
    open_folder(output)
    named = {plan.nodes: plan for plan in plans}
    return one_after_the_other(list(named), lambda nodes: driving.capture(named[nodes], output / nodes))
