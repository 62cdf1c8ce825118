"""Campaigns on Spark report what one machine reports, however the work was cut, broken off or begun again."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.support.environments import small_environment
from tests.support.environments.small_environment import cell
from tests.support.spark import small_campaigns
from tests.support.spark.small_campaigns import CrashingEnvironment, LocalEnvironment
from wireproof.base.exit_codes import ExitCode
from wireproof.model.cell import Cell, Phase
from wireproof.pipeline.campaign.campaign_worker import MakeRemoteEnvironment
from wireproof.pipeline.campaign.spark_campaign import Campaign, CampaignPlan
from wireproof.proof.run.core.cell_events import CellResult, FailedCase, LostCase, LostCell, ShrunkCase
from wireproof.proof.run.core.plan import RunOptions
from wireproof.proof.run.core.run_events import BrokenRun, RunEvent, RunFooter
from wireproof.proof.run.engine.engine import Engine, Prover
from wireproof.proof.run.engine.inline import InlineProver

PHASES = (Phase.ENUMERATED, Phase.BULK)
CASES = 900
BLOCK = 256
OPTIONS = RunOptions(phases=PHASES, cases=CASES, seed=7, shrink_s=20.0)
CELLS = [cell("PingRequest", version) for version in (1, 2)]
WRONG = small_environment.make(wrong=small_environment.NullAsEmpty)


@pytest.fixture
def small_spark(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """Its workers import the modules of these worker environments."""
    folder = tmp_path_factory.mktemp("modules")
    spark.sparkContext.addPyFile(str(small_campaigns.write_archive(folder)))
    return spark


def campaign(
    spark: SparkSession,
    folder: Path,
    make: MakeRemoteEnvironment,
    tasks: int | None = None,
    options: RunOptions = OPTIONS,
) -> Campaign:
    return Campaign(spark, CampaignPlan(options, make, (), folder, tasks, BLOCK), folder)


def events_of(prover: Prover, cells: Sequence[Cell] = CELLS, options: RunOptions = OPTIONS) -> list[RunEvent]:
    return list(Engine(WRONG, options, prover=prover).run(cells))


def account(events: Sequence[RunEvent]) -> dict[str, list[Any]]:
    """Collect the results of a run, without times."""
    cells = [
        replace(each, duration_s=0, phase_s=dict.fromkeys(each.phase_s, 0.0), coverage=None)
        for each in events
        if isinstance(each, CellResult)
    ]
    return {
        "cells": sorted(cells, key=lambda each: each.cell.id),
        "failed": sorted(
            (each for each in events if isinstance(each, FailedCase)), key=lambda each: each.case_id
        ),
        "shrunk": sorted(
            (each for each in events if isinstance(each, ShrunkCase)), key=lambda each: each.case_id
        ),
    }


def finish(events: Sequence[RunEvent]) -> RunFooter:
    assert isinstance(events[-1], RunFooter)
    return events[-1]


@pytest.fixture(scope="module")
def alone() -> list[RunEvent]:
    """The same cases in one process."""
    return events_of(InlineProver(WRONG, OPTIONS))


@pytest.mark.parametrize("tasks", [1, 3])
def test_it_reports_what_one_machine_reports(
    tasks: int, alone: list[RunEvent], small_spark: SparkSession, tmp_path: Path
) -> None:
    """A codec that writes null as empty: the same failures, small instances, causes and counts, whatever the
    number of tasks; and the same exit code."""
    there = events_of(campaign(small_spark, tmp_path, LocalEnvironment(WRONG), tasks))
    found = account(there)
    assert found == account(alone)
    assert {each.phase for each in found["failed"]} == {Phase.ENUMERATED, Phase.BULK}
    assert "bulk" in {each.case_id.split("/")[3] for each in found["shrunk"]}
    assert found["cells"][0].cases[Phase.BULK] == CASES
    assert finish(there).exit_code is finish(alone).exit_code is ExitCode.DIVERGENCE


def test_it_goes_on_where_it_stopped(
    alone: list[RunEvent], small_spark: SparkSession, tmp_path: Path
) -> None:
    """Stopped after its first block, it has recorded that; begun again it reports all, and nothing is proven
    twice."""
    first = campaign(small_spark, tmp_path, LocalEnvironment(WRONG), tasks=8)
    for _ in first.run(CELLS):
        if list(tmp_path.rglob("*.parquet")):
            first.stop()
    assert not first.whole
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    assert before
    second = campaign(small_spark, tmp_path, LocalEnvironment(WRONG))
    assert account(events_of(second)) == account(alone)
    assert second.whole
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert not list(tmp_path.rglob("*.trying"))


def test_a_killed_worker_costs_a_block_that_is_proven_again(
    alone: list[RunEvent], small_spark: SparkSession, tmp_path: Path
) -> None:
    """Killed in the middle, twice: the result is the same."""
    killed = campaign(small_spark, tmp_path, CrashingEnvironment(WRONG, tmp_path, times=2, asked=3))
    assert account(events_of(killed)) == account(alone)
    assert (tmp_path / "killed-1").exists()
    assert killed.whole


def test_a_case_that_kills_is_named(small_spark: SparkSession, tmp_path: Path) -> None:
    """Its cell is lost, the other one is judged; what was judged stays, and a second start tries it again."""
    deadly = LocalEnvironment(small_environment.make(deadly="\0é€".encode()))
    options = replace(OPTIONS, phases=(Phase.ENUMERATED, Phase.BULK), cases=10)
    cells = [cell("PingRequest", 2), cell("PingResponse", 2)]
    first = campaign(small_spark, tmp_path, deadly, options=options)
    events = events_of(first, cells, options)
    (lost,) = [each for each in events if isinstance(each, LostCase)]
    assert lost.case_id.startswith("1.0.0/PingRequest/2/enumerated/")
    assert [each.cell for each in events if isinstance(each, LostCell)] == cells[:1]
    assert [each.cell for each in events if isinstance(each, CellResult)] == cells[1:]
    assert finish(events).exit_code is ExitCode.BROKEN
    assert not first.whole
    right = events_of(
        campaign(small_spark, tmp_path, LocalEnvironment(small_environment.make()), options=options),
        cells,
        options,
    )
    assert finish(right).exit_code is ExitCode.PROVEN


def test_what_no_worker_can_do_ends_it(small_spark: SparkSession, tmp_path: Path) -> None:
    """An oracle that cannot work is reported once, in its own words."""
    broken = campaign(small_spark, tmp_path, LocalEnvironment(small_environment.make(broken=True)))
    events = events_of(broken)
    (said,) = [each for each in events if isinstance(each, BrokenRun)]
    assert "broken" in said.message
    assert finish(events).exit_code is ExitCode.BROKEN


def test_a_damaged_result_is_made_again(
    alone: list[RunEvent], small_spark: SparkSession, tmp_path: Path
) -> None:
    """A file cut short is not a result."""
    events_of(campaign(small_spark, tmp_path, LocalEnvironment(WRONG)))
    files = sorted(tmp_path.rglob("cases-*.parquet"))
    files[0].write_bytes(files[0].read_bytes()[:100])
    assert account(events_of(campaign(small_spark, tmp_path, LocalEnvironment(WRONG)))) == account(alone)
