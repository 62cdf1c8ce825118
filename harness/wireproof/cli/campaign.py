"""``wireproof campaign``."""

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from wireproof.cli.failures import FailureFiles
from wireproof.cli.identity import own_version
from wireproof.cli.ledger_file import ledger_option
from wireproof.cli.listening import listen, opened
from wireproof.cli.on_spark import event_log_option, master_option, spark_told_as_fatal
from wireproof.cli.options import (
    budget_option,
    jar_options,
    release_option,
    selection_options,
    testee_option,
)
from wireproof.cli.planning import Plan, plan_run
from wireproof.cli.prepared import Prepared
from wireproof.cli.proving_options import (
    cases_option,
    edges_option,
    seed_option,
    shrink_option,
    twin_option,
)
from wireproof.cli.report_files import events_option, report_files, report_options
from wireproof.cli.wiring import make_bench
from wireproof.model import Phase
from wireproof.oracle import helper_jar
from wireproof.releases import JarStore
from wireproof.run import Bench, ExitCode

if TYPE_CHECKING:
    from wireproof.pipeline.campaign.campaign_worker import Find
    from wireproof.pipeline.campaign.spark_campaign import CampaignPlan

__all__ = ["command"]

_FIXED: Final = {
    "phases": (Phase.ENUMERATED.value, Phase.BULK.value),
    "examples": 1,
    "first_case": 0,
    "shrink_total_s": None,
    "corpus": None,
    "jobs": 1,
}
"""Of the options of `wireproof run`: what a campaign does not leave to choose."""

_WHOLE: Final = (ExitCode.PROVEN, ExitCode.DIVERGENCE, ExitCode.LEDGER, ExitCode.BELOW_FLOOR)
"""How a campaign ends of which nothing is left to do."""


@click.command("campaign")
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
@cases_option(100_000)
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
@report_options
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
    with report_files(options) as reports, spark_told_as_fatal():
        return _run(options, reports)


def _run(options: dict[str, Any], reports: list[Any]) -> int:
    from rich.console import Console

    from wireproof.pipeline.campaign.spark_campaign import Campaign
    from wireproof.pipeline.job.output_folder import close_job, open_output
    from wireproof.pipeline.runtime.spark_session import start
    from wireproof.report import EventFile
    from wireproof.report.run.terminal_report import TerminalReport

    chosen = {name: options[name] for name in ("releases", "twins", "testee", "edges")}
    plan = plan_run({**options, **_FIXED})
    output: Path = options["output"]
    with open_output(output, _about(plan, chosen)), ExitStack() as stack:
        spark = start(options["master"], name="wireproof campaign", event_log=options["event_log"])
        stack.callback(spark.stop)
        campaign = Campaign(spark, _campaign_plan(plan, options["tasks"]), output)
        engine = plan.engine(campaign, part=False)
        events = [] if options["events"] is None else [EventFile(opened(stack, options["events"]))]
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


@dataclass(frozen=True, slots=True)
class _BenchThere:
    """A run's bench, made in a worker on whatever machine."""

    prepared: Prepared
    volume: bool

    def __call__(self, find: "Find") -> Bench:
        return make_bench(self.prepared.found(find), volume=self.volume)()


def _campaign_plan(plan: Plan, tasks: int | None) -> "CampaignPlan":
    """Raises CannotWorkError: the oracle's own classes cannot be compiled."""
    from wireproof.pipeline.campaign.spark_campaign import CampaignPlan

    prepared = plan.prepared
    store = JarStore(prepared.cache_dir, offline=prepared.offline)
    prepared = replace(prepared, helper=helper_jar(prepared.cache_dir, lambda: store.tool_jar("ecj")))
    bench = _BenchThere(prepared, plan.for_volume)
    return CampaignPlan(plan.options, bench, prepared.files, prepared.cache_dir / "pipeline", tasks)


def _about(plan: Plan, chosen: Mapping[str, Any]) -> Mapping[str, Any]:
    """What makes a campaign this one, and no other."""
    hello = plan.subject.hello
    cells = sha256("\n".join(cell.id for cell in plan.cells).encode())
    return {
        "tool": f"wireproof {own_version()}",
        "campaign": {name: list(word) if isinstance(word, tuple) else word for name, word in chosen.items()},
        "subject": None if hello is None else str(hello.identity),
        "cells": f"{len(plan.cells)} {cells.hexdigest()[:16]}",
        "cases": plan.options.cases,
        "seed": plan.options.seed,
        "ledger": sha256(repr(sorted(plan.ledger.words.items())).encode()).hexdigest()[:16],
    }
