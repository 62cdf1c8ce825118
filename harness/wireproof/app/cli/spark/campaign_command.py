"""``wireproof campaign``."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from wireproof.app.assembly.campaign_setup import campaign_key, campaign_plan
from wireproof.app.assembly.run_plan import plan_run
from wireproof.app.cli.event_loop import listen, opened
from wireproof.app.cli.options import (
    documented_command,
    event_log_option,
    jar_options,
    master_option,
    run_option,
    run_options,
    selection_options,
)
from wireproof.app.cli.run.report_files import report_files, report_options
from wireproof.app.cli.run.run_command import CONFIG_EPILOG, config_of
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Phase
from wireproof.proof.config.run_config import RunConfig
from wireproof.verdict.report.events.event_json import EventFile
from wireproof.verdict.report.failure_files import FailureFiles
from wireproof.verdict.report.run.terminal_report import TerminalReport

_CASES: Final = 100_000
"""The default number of instances per cell."""


def _fixed(config: RunConfig) -> RunConfig:
    """The configuration, with the values that a campaign does not let the user choose."""
    return replace(
        config,
        phase=(Phase.ENUMERATED.value, Phase.BULK.value),
        examples=1,
        first_case=0,
        shrink_total=None,
        no_java=None,
        mutations=None,
        every_hang=False,
        jobs=1,
    )


_WHOLE: Final = (ExitCode.PROVEN, ExitCode.DIVERGENCE, ExitCode.LEDGER, ExitCode.BELOW_FLOOR)
"""The exit codes of a completed campaign."""


@documented_command(
    "campaign",
    {
        **dict.fromkeys(ExitCode, ""),
        ExitCode.BROKEN: "wireproof, Kafka's classes, Spark or a stage of the job failed. The result says "
        "nothing about the codec.",
        ExitCode.INTERRUPTED: "Ctrl-C, SIGTERM or SIGHUP ended the campaign. The same command continues it.",
    },
    epilog=CONFIG_EPILOG,
)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the results to this folder. It is new, or belongs to the same campaign, which then "
    "continues. All executors must be able to use it.",
)
@master_option
@run_options("release", "schemas", "schemas_jar")
@selection_options
@run_option("edges")
@run_option("cases", default=_CASES)
@run_options("seed", "testee", "twin")
@click.option(
    "--tasks",
    type=click.IntRange(1),
    help="Divide the campaign into so many tasks. The results do not depend on it. Default: chosen for the "
    "cluster.",
)
@run_options("budget", "shrink")
@event_log_option
@run_option("events")
@report_options()
@run_option("ledger")
@jar_options
def command(**options: Any) -> int:
    """Prove a codec with more instances than one machine can try: `wireproof run --phase bulk` on Spark.

    Cells and blocks of their instances are spread over the executors. Each executor makes its instances from
    the seed and their numbers, and runs Kafka's own classes in a JVM of its own. The named boundary cases of
    a cell run once. Divergences are reported as in a run, and shrunk. They are written to FOLDER/failures and
    to .wireproof/failures, for `wireproof replay`.

    After Ctrl-C, --budget or a kill, the same command continues the campaign.

    The program of a testee must be on the executors, at the same path as here.

    \b
    wireproof campaign --output out --cases 1000000 --message 'Fetch*'
    wireproof campaign --output /shared/out --master spark://host:7077 --release all --cases 100000
    wireproof campaign --output out --testee python-kafka-python --cases 20000
    """
    config = _fixed(config_of(click.get_current_context(), {"cases": _CASES}))
    with report_files(config.reports) as reports:
        return _run(config, options, reports)


def _run(config: RunConfig, options: Mapping[str, Any], reports: list[Any]) -> int:
    from wireproof.pipeline.campaign.spark_campaign import Campaign
    from wireproof.pipeline.job.output_folder import close_job, open_output
    from wireproof.pipeline.runtime.spark_session import start, stop

    plan = plan_run(config)
    output: Path = options["output"]
    with open_output(output, campaign_key(plan)), ExitStack() as stack:
        spark = start(options["master"], name="wireproof campaign", event_log=options["event_log"])
        stack.callback(stop, spark)
        campaign = Campaign(spark, campaign_plan(plan, options["tasks"]), output)
        engine = plan.engine(campaign, part=False)
        events = [] if config.events is None else [EventFile(stack.enter_context(opened(config.events)))]
        files = [
            FailureFiles(folder, plan.subject.word, plan.failure_record)
            for folder in (output / "failures", Path(".wireproof/failures"))
        ]
        listeners = [*events, *files, TerminalReport(Console(stderr=True)), *reports]
        code = listen(engine, plan.cells, plan.started(), listeners)
        if campaign.whole and code in _WHOLE:
            totals = engine.totals
            close_job(
                output,
                {
                    "cells": totals.cells_done,
                    "cases": totals.all_cases,
                    "bytes": totals.data_bytes,
                    "failed": totals.failed_cases,
                },
            )
    return int(code)
