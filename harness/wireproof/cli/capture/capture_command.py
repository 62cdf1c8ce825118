"""``wireproof capture``."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from wireproof.assembly.jar_store import open_store
from wireproof.cli.capture.capture_driving import Driving
from wireproof.cli.capture.capture_plan import EVERY, WORKLOADS, ClusterPlan, plan_clusters
from wireproof.cli.capture.clusters import (
    NODES_HELP,
    Existing,
    broker_options,
    open_folder,
    wanted_broker,
)
from wireproof.cli.capture.segment_files import captures_in
from wireproof.cli.corpus.corpus_add import LARGEST_BYTES, add_capture
from wireproof.cli.corpus.corpus_verify import verify_added
from wireproof.cli.options import jar_options
from wireproof.cli.run_each import one_after_the_other
from wireproof.exit_codes import worst
from wireproof.fatal import FatalError
from wireproof.releases import JarStore, ReleaseError, load_snapshot
from wireproof.run import ExitCode

__all__ = ["command"]


@click.command("capture")
@broker_options
@click.option(
    "--nodes",
    multiple=True,
    metavar="COUNT",
    help=f"{NODES_HELP} May be repeated: one cluster after the other, each with a capture of its own in the "
    f"folder. {EVERY}: each kind that the release can be.",
)
@click.option(
    "--workload",
    "workloads",
    multiple=True,
    type=click.Choice(WORKLOADS),
    help="What drives it; may be repeated. guide: the exchange of docs/explanations/first-exchange.md. "
    "java-clients: Kafka's own clients with all their calls. sweep: each version of each API that a listener "
    "advertises. internal-topics: what coordinators keep, read. clients: those of other languages, built "
    "with their tools. outage: nodes crash, leave, begin anew; for --nodes 3. voters: the "
    f"quorum changes; for --nodes 3v. Without it: all but these three, with --nodes {EVERY} these, too.",
)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="The folder of the capture; new, or empty.",
)
@click.option(
    "--corpus",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Make entries of it there at once, and verify them: what `wireproof corpus add` does.",
)
@jar_options
def command(**options: Any) -> int:
    """Start a real broker, drive it through a recording proxy, and keep what went over the wire.

    The folder holds capture.json, a segment file for each node and listener, and what the nodes said. Ctrl-C
    keeps what was recorded. Exit code 1 if our codec cannot read what a broker sent.

    \b
    wireproof capture --broker jars:4.3.1 --output capture-4.3.1
    wireproof capture --broker jars:2.8.2 --nodes every --output capture-2.8.2 --corpus corpus
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: nothing is left behind
    try:
        return _capture(options)
    except ReleaseError as error:
        raise FatalError(error.message, error.advice, ExitCode.MISSING) from error


def _capture(options: dict[str, Any]) -> int:
    from wireproof.capture.raw_client.raw_client import ApiCatalog

    wanted = wanted_broker(options["broker"], options["release"], options["command_config"])
    if isinstance(wanted, Existing) and not options["workloads"]:
        advice = "Name what is to drive it: --workload sweep, java-clients. Both change a cluster."
        raise FatalError("--broker: nothing is to drive that cluster", advice, ExitCode.USAGE)
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
    """Capture each cluster; several have folders of their own, and none keeps the next from its turn."""
    if alone:
        return driving.capture(plans[0], output)
    open_folder(output)
    named = {plan.nodes: plan for plan in plans}
    return one_after_the_other(list(named), lambda nodes: driving.capture(named[nodes], output / nodes))


def _made_entries(output: Path, corpus: Path, store: JarStore) -> int:
    """What was captured becomes entries, which are verified; the exit code."""
    added = add_capture(output, corpus, LARGEST_BYTES, "")
    return verify_added(corpus, added, store, without_java=False, jobs=len(os.sched_getaffinity(0)))
