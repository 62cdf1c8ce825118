"""``wireproof judge broker``."""

import contextlib
import shlex
import socket
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import click

from wireproof.app.assembly.broker_judging import PARTS, BrokerPlan, judge_broker, open_broker
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.capture.clusters import (
    Existing,
    OfJars,
    host_and_port,
    login_option,
    make_cluster,
    open_folder,
    wanted_broker,
    wanted_nodes,
)
from wireproof.app.cli.capture.judge_options import (
    SECONDS,
    JudgementOutput,
    accepted_of,
    exit_code_of,
    judgement_options,
    judgement_reports,
    replay_words,
)
from wireproof.app.cli.options import documented_command
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.text.wording import did_you_mean, echo
from wireproof.base.version import own_version
from wireproof.kafka.releases.jar_store import JarStore
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import BrokerUnderTest
from wireproof.traffic.capture.brokers.server_properties import Listener
from wireproof.traffic.capture.brokers.started_cluster import StartedCluster
from wireproof.traffic.capture.raw_client.raw_client import Address, ApiCatalog
from wireproof.verdict.report.client_judge.client_summary import BrokerSummary, ClientProgressLine

_ADVICE: Final = "Start the broker first, and give the address of a listener for clients: localhost:9092."
_PROXY_ADVICE: Final = "Give the address at which clients reach the proxy: localhost:9192."
_FRESH: Final = (
    "beside-kafka: a broker that has topics and groups already, such as those of an earlier judgement, "
    "answers otherwise than the fresh node. Start it anew to be sure."
)


@documented_command(
    "broker",
    {
        ExitCode.PROVEN: "The broker kept every rule.",
        ExitCode.DIVERGENCE: "The report has a finding about the broker, or an accepted one is gone.",
        ExitCode.NOTHING_RAN: "The broker answered nothing that was judged.",
        ExitCode.MISSING: "Nothing listens or answers at an address, or a jar or a Java runtime is missing.",
        ExitCode.BROKEN: "wireproof or Kafka's classes failed.",
        ExitCode.BELOW_FLOOR: "The broker ended the judgement by an accepted finding: it answers no more.",
        ExitCode.INTERRUPTED: "A signal ended the command. The report has the answers until then.",
    },
)
@click.option(
    "--release", metavar="RELEASE", help="Judge by the classes of this release. Default: the newest."
)
@login_option("Connect as this file says, in the format of Kafka's own tools: security.protocol and a login.")
@click.option(
    "--timeout",
    type=SECONDS,
    default=5.0,
    show_default=True,
    metavar="SECONDS",
    help="Wait so long for an answer.",
)
@click.option(
    "--only",
    type=click.Choice(PARTS),
    multiple=True,
    help="Judge this part alone. Give it several times for several parts.",
)
@click.option(
    "--message",
    "messages",
    metavar="NAME",
    multiple=True,
    help="Judge the answers to this request alone, and its wrong bytes: DescribeConfigsRequest. May be "
    "repeated. The other parts are the same for all requests.",
)
@click.option(
    "--allow-destructive",
    "destructive",
    is_flag=True,
    help="Also send what may end a node, or change more than the topics and groups of the judge.",
)
@click.option(
    "--beside",
    metavar="jars:RELEASE",
    help="Start a node of this release from its jars, send it the same requests, and compare the answers. "
    "The broker must be as fresh as the node.",
)
@click.option(
    "--through",
    metavar="HOST:PORT",
    help="Judge the proxy at this address, in front of the broker: the same requests, straight and through, "
    "must have the same answers. What the proxy may change is declared in the file of --accepted.",
)
@judgement_options
@click.argument("address", metavar="HOST:PORT")
def command(address: str, **options: Any) -> int:
    """Judge the answers of any broker that listens.

    The rules are about the handshake, the stream of frames, every version of every API that the broker
    offers, and the frames that it refuses. Kafka's own classes read each answer to its end, header and body,
    and write it again. Each rule has an id, a sentence
    and a source: wireproof explain stays-up.

    Use a broker for tests: the requests are many, and some are wrong on purpose.

    \b
    wireproof judge broker localhost:9092
    wireproof judge broker --only handshake --junit report.xml localhost:9092
    wireproof judge broker --through localhost:9192 --accepted proxy.toml localhost:9092
    """
    judged = options["through"] or address
    account = BrokerSummary(own_version(), tuple(sys.argv), (judged,), judged)
    account.accepted_in = str(options["accepted"] or "")
    account.partial = bool(options["only"] or options["messages"])
    with judgement_reports(options, account):
        return int(_judge(account, address, options))


def _judge(account: BrokerSummary, address: str, options: dict[str, Any]) -> ExitCode:
    plan = _plan(address, options)
    account.release = plan.release.version
    account.jars = {jar.file_name: jar.sha256 for jar in plan.release.jars}
    store = open_store(options["jars"], options["offline"])
    with contextlib.ExitStack() as stack:
        output = JudgementOutput(stack, account, options)
        broker = open_broker(plan, store, output, accepted_of(options, *BrokerRule))
        _check_messages(plan.messages, broker.apis)
        if options["beside"] is not None:
            plan = replace(
                plan, reference=_start_reference(stack, plan, options["beside"], store, broker.apis)
            )
        interrupted = _run(account, plan, broker, output.progress)
        ran_nothing = not account.statistics.requests and not account.statistics.causes
        account.exit_code = (
            ExitCode.INTERRUPTED if interrupted else exit_code_of(account, ran_nothing=ran_nothing)
        )
        output.end()
    if any(each.first.fault is BrokerRule.BESIDE_KAFKA for each in account.statistics.causes.values()):
        echo(_FRESH, err=True)
    return account.exit_code


def _run(
    account: BrokerSummary, plan: BrokerPlan, broker: BrokerUnderTest, progress: ClientProgressLine
) -> bool:
    """Judge the broker; return whether a signal ended the judgement."""
    started = time.monotonic()
    account.statistics = broker.statistics
    try:
        with progress:
            account.ended = judge_broker(plan, broker, progress.say)
    except KeyboardInterrupt:
        return True
    finally:
        account.connections, account.duration_s = broker.connections, time.monotonic() - started
    return False


def _plan(address: str, options: dict[str, Any]) -> BrokerPlan:
    host_and_port(address, "", _ADVICE)
    beside, through = options["beside"], options["through"]
    parts = options["only"] or PARTS
    for name, value in (("beside", beside), ("through", through)):
        if value is not None and "answers" not in parts:
            raise FatalError(f"--{name} compares answers, and --only leaves them out", "Add --only answers.")
    release = options["release"] or (beside and wanted_broker(beside).release.version)
    wanted = wanted_broker(f"address:{address}", release, options["command_config"])
    assert isinstance(wanted, Existing)
    judged = wanted.address if through is None else host_and_port(through, "--through: ", _PROXY_ADVICE)
    for at, port in {address: wanted.address, through or address: judged}.items():
        _connect(at, port, options["timeout"])
    return BrokerPlan(
        through or address,
        judged,
        wanted.release,
        wanted.access,
        options["timeout"],
        parts,
        options["destructive"],
        upstream=None if through is None else wanted.address,
        messages=options["messages"],
        replay=partial(_replay, address, options),
    )


def _connect(name: str, address: Address, timeout_s: float) -> None:
    """Connect once; `FatalError` if nothing listens there."""
    try:
        socket.create_connection(address, timeout_s).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise FatalError(f"nothing listens at {name}: {reason}", _ADVICE, ExitCode.MISSING) from error


_REPLAYED: Final = {"release": None, "command-config": None, "timeout": 5.0, "beside": None, "through": None}


def _check_messages(names: Iterable[str], apis: ApiCatalog) -> None:
    for name in names:
        if name not in apis.names:
            words = f"--message: Kafka {apis.release} has no request {name!r}"
            raise FatalError(words, did_you_mean(name, apis.names, "Name a request: MetadataRequest."))


def _replay(address: str, options: Mapping[str, Any], part: str, message: str) -> str:
    """Return the command line that judges one part again, of wrong bytes those of one request."""
    words = ["wireproof", "judge", "broker", "--only", part]
    words += map(shlex.quote, replay_words(options, _REPLAYED))
    words += ["--allow-destructive"] if options["destructive"] else []
    messages = [message] if message and part == "bytes" else options["messages"]
    words += [word for each in messages for word in ("--message", each)]
    return " ".join([*words, shlex.quote(address)])


def _start_reference(
    stack: contextlib.ExitStack, plan: BrokerPlan, beside: str, store: JarStore, apis: ApiCatalog
) -> Address:
    """Start a node of Kafka until the stack ends; return the address of its listener for clients."""
    wanted = wanted_broker(beside)
    if not isinstance(wanted, OfJars) or wanted.release != plan.release:
        advice = f"Write --beside jars:{plan.release.version}."
        raise FatalError(f"--beside: {beside!r} is not valid", advice)
    folder = open_folder(stack.enter_context(temporary_folder("reference")) / "node")
    cluster = make_cluster(wanted, store, apis, wanted_nodes(None, wanted), folder)
    assert isinstance(cluster, StartedCluster)
    stack.enter_context(cluster)
    cluster.start()
    return next(at for place, at in cluster.places.items() if place.listener is Listener.CLIENT)
