"""``wireproof judge``."""

import contextlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from wireproof.app.assembly.broker_judging import RequestMonitor
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.capture.broker_judge_command import command as broker_command
from wireproof.app.cli.capture.clusters import (
    NODES_HELP,
    broker_options,
    make_cluster,
    open_folder,
    wanted_broker,
    wanted_nodes,
)
from wireproof.app.cli.capture.judge_options import (
    SECONDS,
    JudgementOutput,
    accepted_of,
    check_vary_options,
    exit_code_of,
    judgement_options,
    judgement_reports,
    list_variations,
    vary_options,
    wide_console,
)
from wireproof.app.cli.capture.vary_judging import judge_varied
from wireproof.app.cli.capture.vary_summary import VarySummary
from wireproof.app.cli.options import DocumentedCommand
from wireproof.base.exit_codes import ExitCode
from wireproof.base.files.own_folders import temporary_folder
from wireproof.base.version import own_version
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.model.oracle import CannotWorkError
from wireproof.traffic.capture.capture_session import CaptureStage, run_capture
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.workloads.judged_program import JudgedProgram
from wireproof.verdict.report.client_judge.client_summary import ClientSummary
from wireproof.verdict.report.output_formats import CLIENT_FORMATS


class _JudgeCommand(DocumentedCommand):
    """Judges a program; with ``broker`` as the first word, a broker.

    Attributes:
        sub_commands: commands by their first word.
    """

    sub_commands: Final = {"broker": broker_command}

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Make the context of the command that the first word chooses."""
        if args and args[0] in self.sub_commands:
            chosen, *rest = args
            return self.sub_commands[chosen].make_context(f"{info_name} {chosen}", rest, parent, **extra)
        return super().make_context(info_name, args, parent, **extra)


@click.command(
    "judge",
    cls=_JudgeCommand,
    exit_codes={
        ExitCode.PROVEN: "Every request of the program is right; with --vary: it takes every answer.",
        ExitCode.DIVERGENCE: "The report has a finding, or an accepted one is gone.",
        ExitCode.NOTHING_RAN: "The program sent nothing; with --vary: or no answer can be varied so.",
        ExitCode.MISSING: "",
        ExitCode.BROKEN: "wireproof, Kafka's classes or the broker failed.",
        ExitCode.BELOW_FLOOR: "The program itself failed, or --budget ended it; with --vary: or it is flaky.",
        ExitCode.INTERRUPTED: "A signal ended the command. The report has the requests until then.",
    },
    context_settings={"ignore_unknown_options": False},
)
@broker_options
@click.option("--nodes", metavar="COUNT", help=NODES_HELP)
@click.option(
    "--budget",
    type=SECONDS,
    metavar="SECONDS",
    help="End the program after SECONDS. The result is then incomplete "
    f"(exit code {ExitCode.BELOW_FLOOR:d}).",
)
@click.option(
    "--auto-create-topics/--no-auto-create-topics",
    "auto_topics",
    default=True,
    show_default=True,
    help="Let a broker that wireproof starts create a missing topic when a client asks for it.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Keep the capture in this folder, new or empty.",
)
@vary_options
@judgement_options
@click.argument("program", nargs=-1, metavar="PROGRAM...", type=click.UNPROCESSED)
def command(program: tuple[str, ...], **options: Any) -> int:
    """Run any client program against a real broker, and judge each request that it sends.

    Kafka's own classes read each frame, header and body, and write it again. The findings are: differences, a
    version that the broker does not offer, a record set that Kafka cannot read, a connection that the broker
    dropped. Errors that the broker answers are listed; they are not findings by themselves.

    The program finds the broker in WIREPROOF_BOOTSTRAP (HOST:PORT). {bootstrap} in its arguments is replaced
    by the same. {sasl} is a listener for the user wireproof-user with the password wireproof-secret
    (SASL_PLAINTEXT, PLAIN). Write -- before the program:

    \b
    wireproof judge -- python my_client.py {bootstrap}
    wireproof judge --broker jars:3.9 --budget 60 -- npm test
    wireproof judge --vary -- python my_client.py {bootstrap}
    wireproof judge --junit report.xml --markdown summary.md -- pytest tests/integration

    --vary changes the broker's answers, only as the protocol allows, and runs the program again and again. It
    must end as without. WIREPROOF_RUN has the number of the run, for names of topics that are new in each.

    If a report goes to standard output, the output of the program goes to standard error. A service that
    never ends needs an end: sh -c 'timeout 60 service || [ $? = 124 ]'.

    wireproof judge broker HOST:PORT judges the answers of a broker: wireproof judge broker --help.
    """
    check_vary_options(options)
    if options["list_them"]:
        return int(list_variations(options["vary"] == "errors"))
    if not program:
        missing = next(each for each in command.params if each.name == "program")
        raise click.MissingParameter(ctx=click.get_current_context(), param=missing)
    kind = ClientSummary if options["vary"] is None else VarySummary
    account = kind(own_version(), tuple(sys.argv), program, options["broker"])
    account.accepted_in = str(options["accepted"] or "")
    with contextlib.ExitStack() as stack:
        taken = _takes_standard_output(options)
        stack.enter_context(judgement_reports(options, account))
        output = options["output"]
        if output is None:  # the next command removes the folder of a killed one
            output = stack.enter_context(temporary_folder("capture")) / "capture"
        if isinstance(account, VarySummary):
            return int(judge_varied(account, output, options, wide_console()))
        return int(_judge(account, output, sys.stderr.fileno() if taken else None, options))


def _takes_standard_output(options: Mapping[str, Any]) -> bool:
    files = [options["events"], *(options[form.name] for form in CLIENT_FORMATS)]
    return options["form"] == "json" or True in files or "-" in files


def _judge(account: ClientSummary, output: Path, stdout: int | None, options: Mapping[str, Any]) -> ExitCode:
    wanted = wanted_broker(options["broker"], options["release"], options["command_config"])
    release = wanted.release
    account.release = release.version
    account.jars = {jar.file_name: jar.sha256 for jar in release.jars}
    store = open_store(options["jars"], options["offline"])
    schemas = load_snapshot(release)
    apis = ApiCatalog(schemas)
    folder = open_folder(output)
    nodes = wanted_nodes(options["nodes"], wanted)
    cluster = make_cluster(wanted, store, apis, nodes, folder, auto_topics=options["auto_topics"])
    about = {"tool": f"wireproof {own_version()}", "broker": options["broker"], "nodes": nodes}
    with contextlib.ExitStack() as stack:
        written = JudgementOutput(stack, account, options)
        monitor = RequestMonitor(release, store, schemas, apis, folder, written, accepted_of(options))
        stack.enter_context(contextlib.closing(monitor))
        account.statistics = monitor.statistics
        progress = written.progress

        def look(stage: CaptureStage) -> None:
            monitor.look(stage)
            progress.count(monitor.statistics)

        workload = JudgedProgram(account.program, options["budget"], look, stdout)
        started = time.monotonic()
        stopped: KeyboardInterrupt | CannotWorkError | None = None
        try:
            with progress:
                run_capture(cluster, folder, [workload], about, apis.naming, progress.say)
        except (KeyboardInterrupt, CannotWorkError) as error:
            stopped = error  # the requests until then are judged
        monitor.rest()
        account.connections, account.duration_s = monitor.connections, time.monotonic() - started
        account.ended = "" if stopped else workload.ended
        if isinstance(stopped, CannotWorkError):
            if account.statistics.requests:
                written.report.summary(account)
            raise stopped
        ran_nothing = not account.statistics.requests and not account.statistics.causes
        account.exit_code = (
            ExitCode.INTERRUPTED if stopped else exit_code_of(account, ran_nothing=ran_nothing)
        )
        written.end()
    return account.exit_code
