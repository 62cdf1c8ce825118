"""``wireproof capture``."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from wireproof.app.assembly.corpus.corpus_add import LARGEST_BYTES, add_capture, captures_in
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.capture.capture_driving import EVERY, WORKLOADS, ClusterPlan, Driving, plan_clusters
from wireproof.app.cli.capture.clusters import (
    NODES_HELP,
    Existing,
    broker_options,
    open_folder,
    wanted_broker,
)
from wireproof.app.cli.corpus.corpus_verify import verify_added
from wireproof.app.cli.options import documented_command, jar_options, one_after_the_other
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal, worst
from wireproof.base.version import page_url
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.kafka.releases.release_table import ReleaseError
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.proof.config.processors import available_processors


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
    with as_fatal(ReleaseError, exit_code=ExitCode.MISSING):
        return _capture(options)


def _capture(options: dict[str, Any]) -> int:
    from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog

    wanted = wanted_broker(options["broker"], options["release"], options["command_config"])
    if isinstance(wanted, Existing) and not options["workloads"]:
        advice = "Name one: --workload sweep or java-clients. Both change a cluster."
        raise FatalError("--broker: an existing cluster needs a workload", advice, ExitCode.USAGE)
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
    return worst([code, _made_entries(output, options["corpus"], store)])


def _captured(driving: Driving, plans: Sequence[ClusterPlan], output: Path, *, alone: bool) -> int:
    """Capture each cluster. Several have folders of their own; a failure does not stop the next."""
    if alone:
        return driving.capture(plans[0], output)
    open_folder(output)
    named = {plan.nodes: plan for plan in plans}
    return one_after_the_other(list(named), lambda nodes: driving.capture(named[nodes], output / nodes))


def _made_entries(output: Path, corpus: Path, store: JarStore) -> int:
    """Add the capture to the corpus and verify the entries; the exit code."""
    added = add_capture(output, corpus, LARGEST_BYTES, "")
    return verify_added(corpus, added, store, without_java=False, jobs=available_processors())
