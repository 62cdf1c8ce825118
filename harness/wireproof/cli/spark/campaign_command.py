"""``wireproof campaign``."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click

from wireproof.assembly.campaign_setup import campaign_key, campaign_plan
from wireproof.assembly.run_plan import plan_run
from wireproof.cli.ledger.ledger_options import ledger_option
from wireproof.cli.options import budget_option, jar_options, release_option, selection_options, testee_option
from wireproof.cli.run.config_options import CONFIG_EPILOG, config_of
from wireproof.cli.run.event_loop import listen, opened
from wireproof.cli.run.proving_options import (
    cases_option,
    edges_option,
    seed_option,
    shrink_option,
    twin_option,
)
from wireproof.cli.run.report_files import events_option, report_files, report_options
from wireproof.cli.spark.on_spark import event_log_option, master_option, spark_as_fatal_error
from wireproof.config import RunConfig
from wireproof.model import Phase
from wireproof.report.failure_files import FailureFiles
from wireproof.run import ExitCode

__all__ = ["command"]

_CASES: Final = 100_000
"""Instances of a cell, where no other number is given."""


def _fixed(config: RunConfig) -> RunConfig:
    """The configuration with the options that a campaign does not leave open."""
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
"""How a campaign ends of which nothing is left to do."""


@click.command("campaign", epilog=CONFIG_EPILOG)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="For what was proven; new, or of this very campaign that was stopped: then it goes on. Every "
    "executor must see it.",
)
@master_option
@release_option
@selection_options
@edges_option
@cases_option(_CASES)
@seed_option
@testee_option
@twin_option
@click.option(
    "--tasks",
    type=click.IntRange(1),
    help="Into how many tasks to cut it; the results do not depend on it. Default: what fits.",
)
@budget_option
@shrink_option
@event_log_option
@events_option
@report_options()
@ledger_option
@jar_options
def command(**options: Any) -> int:
    """Prove the codec with more instances than one machine tries: `wireproof run --phase bulk` on Spark.

    Cells and blocks of their instances are spread over the executors. Each makes its instances itself, by
    seed and number, and has Kafka's own classes in a JVM of its own; the named boundary cases of a cell go
    through once. Divergences are told as a run tells them, made small, and are in FOLDER/failures and in
    .wireproof/failures, for `wireproof replay`.

    Stopped by Ctrl-C, by --budget or by force, it goes on where it was when the same is typed again.

    A testee's program must be on the executors, at the place where it is here.

    \b
    wireproof campaign --output out --cases 1000000 --message 'Fetch*'
    wireproof campaign --output /shared/out --master spark://host:7077 --release all --cases 100000
    wireproof campaign --output out --testee python-kafka-python --cases 20000
    """
    config = _fixed(config_of(click.get_current_context(), {"cases": _CASES}))
    with report_files(config.reports) as reports, spark_as_fatal_error():
        return _run(config, options, reports)


def _run(config: RunConfig, options: Mapping[str, Any], reports: list[Any]) -> int:
    from rich.console import Console

    from wireproof.pipeline.campaign.spark_campaign import Campaign
    from wireproof.pipeline.job.output_folder import close_job, open_output
    from wireproof.pipeline.runtime.spark_session import start
    from wireproof.report import EventFile
    from wireproof.report.run.terminal_report import TerminalReport

    plan = plan_run(config)
    output: Path = options["output"]
    with open_output(output, campaign_key(plan)), ExitStack() as stack:
        spark = start(options["master"], name="wireproof campaign", event_log=options["event_log"])
        stack.callback(spark.stop)
        campaign = Campaign(spark, campaign_plan(plan, options["tasks"]), output)
        engine = plan.engine(campaign, part=False)
        events = [] if config.events is None else [EventFile(opened(stack, config.events))]
        files = [
            FailureFiles(folder, plan.subject.word)
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
