"""``wireproof proxy``."""

import signal
import sys
from typing import Any, Final

import click

from wireproof.app.cli.capture.clusters import host_and_port
from wireproof.app.cli.capture.judge_options import VARY_HELP, only_options
from wireproof.app.cli.capture.vary_judging import selections_of
from wireproof.app.cli.options import documented_command
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.text.wording import counted, echo
from wireproof.kafka.releases.release_table import ReleaseError, table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.proxy.proxy_port import UNKNOWN_NODE, Route
from wireproof.traffic.capture.proxy.recording_proxy import RecordingProxy
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.varying.program_runs import VaryingProxy
from wireproof.traffic.capture.varying.varied_program import catalogue_rounds
from wireproof.traffic.capture.varying.varied_run import VariedRun

_LOOPBACK: Final = "127.0.0.1"


@documented_command(
    "proxy",
    {
        ExitCode.PROVEN: "A signal ended the proxy.",
        ExitCode.BROKEN: "The port is taken, or recording failed.",
    },
)
@click.option("--vary", is_flag=False, flag_value="all", type=click.Choice(["all", "errors"]), help=VARY_HELP)
@only_options
@click.option(
    "--listen", type=click.IntRange(0, 65_535), required=True, metavar="PORT", help="The port for clients."
)
@click.option(
    "--broker", required=True, metavar="HOST:PORT", help="The address of a broker; it may start later."
)
@click.option("--release", metavar="RELEASE", help="The release of the broker. Default: the newest.")
def command(**options: Any) -> int:
    """Stand between clients and a broker until a signal comes, and vary the broker's answers.

    For test suites that start their own brokers. Addresses in the broker's answers become those of the proxy;
    each node gets a port of its own. Without --only, every variation is used that goes with the others.

    \b
    wireproof proxy --vary --listen 9192 --broker localhost:9092
    wireproof proxy --vary --only records-split --listen 9192 --broker localhost:9092
    """
    if options["vary"] is None:
        raise FatalError("the proxy does nothing without --vary", "Add --vary.")

    with as_fatal(ReleaseError, what="--release: "):
        release = table().find(options["release"] or "newest")
    apis = ApiCatalog(load_snapshot(release))
    chosen = selections_of(options["only"], apis) or catalogue_rounds(errors=options["vary"] == "errors")[0]
    varying = VaryingProxy(apis.naming)
    run = varying.run = VariedRun(chosen, options["seed"] or 0, keeps=False)
    route = Route(
        UNKNOWN_NODE,
        "CLIENT",
        (_LOOPBACK, options["listen"]),
        host_and_port(options["broker"], "--broker: ", ""),
    )
    ends = {signal.SIGINT, signal.SIGTERM}
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as under `nohup`
        ends.add(signal.SIGHUP)
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)  # before the proxy's thread begins, which inherits it
    with temporary_folder("proxy") as folder:
        proxy = RecordingProxy(
            [route],
            folder,
            {},
            rewrite=apis.naming,
            vary=varying.filter,
            keeps=False,
            report=lambda line: echo(line, err=True),
        )
        with proxy:
            host, port = proxy.address(UNKNOWN_NODE, "CLIENT")
            echo(f"listening on {host}:{port}; variations: {', '.join(map(str, chosen))}", err=True)
            sys.stderr.flush()
            signal.sigwait(ends)
    counts = {each.variation.id: 0 for each in chosen}
    for site in run.sites:
        counts[site.variation.id] += 1
    for name, count in counts.items():
        echo(f"{name}: {counted(count, 'answer')}", err=True)
    met = counted(run.connections, "connection"), counted(run.requests.total(), "request")
    echo(", ".join(met), err=True)
    return ExitCode.PROVEN
