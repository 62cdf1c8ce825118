"""The report of a job: in a terminal, as JSON, as a page; read without Spark."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.pipeline.small_jobs import RELEASE
from wireproof.pipeline.job.spark_job import Job, RowCounts
from wireproof.pipeline.job_plan import OutputError
from wireproof.pipeline.report.html_page import report_page
from wireproof.pipeline.report.report_data import ReportData, read_report_data, short, size_text
from wireproof.pipeline.tables import REPORT_TABLES, STAGES

Sample = tuple[RowCounts, Job, Path]


@pytest.fixture(scope="module")
def answers(sample: Sample) -> ReportData:
    """Those of the sample."""
    return read_report_data(sample[2])


@pytest.fixture(scope="module")
def page(answers: ReportData) -> str:
    """Its page."""
    return report_page(answers)


def report(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, where there is no Java that Spark could start on."""
    command = [sys.executable, "-m", "wireproof", "pipeline", "report", *arguments]
    env = {**os.environ, "JAVA_HOME": "/nonexistent", "PATH": "/nonexistent", "COLUMNS": "160"}
    return subprocess.run(command, capture_output=True, text=True, env=env, check=False)


def test_programs_get_json_on_standard_output(sample: Sample) -> None:
    """All counts and tables, nothing else, and no Spark is started for it."""
    done = report(str(sample[2]), "--json", "-")
    assert (done.returncode, done.stderr) == (0, "")
    data = json.loads(done.stdout)
    assert data["counts"]["frames"] == sample[0].frames
    assert sum(row["bytes"] for row in data["sizes"]) == sample[0].sized_bytes
    assert len(data["coverage"]) == sample[1].tables["coverage"].count()
    assert sum(row["rows"] for row in data["quarantine"]) == sample[1].tables["quarantine"].count()


def test_people_get_the_sums_on_standard_error(sample: Sample) -> None:
    """Stages, coverage, messages, savings, clients, quarantine."""
    done = report(str(sample[2]))
    assert (done.returncode, done.stdout) == (0, "")
    for words in ("Stages", "Coverage", "Saved by KIP-625", "apache-kafka-java 4.3.1", "Quarantine"):
        assert words in done.stderr
    assert f"{sample[0].frames:,}" in done.stderr
    assert "Disagreements" not in done.stderr


def test_a_folder_that_is_no_whole_job_is_refused(sample: Sample, tmp_path: Path) -> None:
    """With what to do; no page is written."""
    done = report(str(tmp_path), "--html", str(tmp_path / "page.html"))
    assert done.returncode == 2
    assert "wireproof pipeline run" in done.stderr
    said = json.loads((sample[2] / "job.json").read_text("utf-8"))
    (tmp_path / "job.json").write_text(json.dumps({"job": said["job"], "about": said["about"]}), "utf-8")
    with pytest.raises(OutputError, match="not whole"):
        read_report_data(tmp_path)
    assert not (tmp_path / "page.html").exists()


def test_a_campaign_has_no_tables(sample: Sample, tmp_path: Path) -> None:
    """Its blocks are Parquet files of another form."""
    said = json.loads((sample[2] / "job.json").read_text("utf-8"))
    (tmp_path / "job.json").write_text(json.dumps({**said, "counts": {"cells": 2}}), "utf-8")
    with pytest.raises(OutputError, match="output of a campaign"):
        read_report_data(tmp_path)


@pytest.mark.parametrize("damage", ["garbage", "columns"])
def test_a_damaged_table_is_no_fault_of_wireproof(sample: Sample, tmp_path: Path, damage: str) -> None:
    shutil.copytree(sample[2], tmp_path / "out")
    tables = tmp_path / "out" / "tables"
    if damage == "garbage":
        for file in (tables / "quarantine").glob("*.parquet"):
            file.write_bytes(b"garbage")
    else:
        shutil.rmtree(tables / "coverage")
        shutil.copytree(tables / "clients", tables / "coverage")
    with pytest.raises(OutputError, match="cannot be read"):
        read_report_data(tmp_path / "out")


def test_standard_output_is_for_one(sample: Sample) -> None:
    """A page and JSON do not go there together."""
    assert report(str(sample[2]), "--html", "-", "--json", "-").returncode == 2


def test_the_page_loads_nothing(page: str) -> None:
    """No scripts, styles, images or fonts from elsewhere: it can be sent by mail."""
    assert not re.findall(r"<(?:script\s|link|img|iframe)", page)
    assert not re.findall(r"(?:src|href)=[\"'](?!#|data:)", page)
    assert not re.findall(r"url\((?!#)", page)
    assert "@import" not in page


def test_the_page_shows_every_cell(page: str, answers: ReportData) -> None:
    """The heat map has a rectangle with the number of frames for each request and response."""
    plots = [ElementTree.fromstring(each) for each in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]
    assert len(plots) == 4
    words = [each.text or "" for each in plots[0].iter("{http://www.w3.org/2000/svg}text")]
    numbers = [each for each in words if re.fullmatch(r"\d+|[\d.]+k|-", each)]
    assert len(numbers) >= len(answers.framed) == 604
    assert words.count("-") == sum(not each.frames for each in answers.framed)
    assert {"Requests", "Responses", "version", "API", "Fetch", "Metadata"} <= set(words)


def test_the_page_has_all_sections_and_tables(page: str) -> None:
    """The sections of the report, and the schema of every table with its comments."""
    for heading in (
        "stages",
        "coverage",
        "traffic",
        "clients",
        "kip-625",
        "disagreements",
        "quarantine",
        "tables",
    ):
        assert f'<h2 id="{heading}">' in page
        assert f'href="#{heading}"' in page
    for table in (*STAGES, *REPORT_TABLES):
        assert f"<code>{table.name}</code>" in page
        assert all(field.metadata["comment"] for field in table.schema)
    assert "None: Kafka" in page


def test_the_same_answers_make_the_same_page(page: str, answers: ReportData) -> None:
    """No clock and no chance is in it; ids of one plot are not those of another."""
    assert report_page(answers) == page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 8


def test_disagreements_are_shown(
    odd: tuple[RowCounts, Job], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """With verdict, field and an example; what clients call themselves cannot become markup."""
    answers = read_report_data(odd[1].folder)
    page = report_page(answers)
    assert "written otherwise by both" in page
    assert "<code>topicData</code>" in page
    assert "Kafka writes other bytes" in page
    hostile = {**answers.disagreements[0], "clients": ["<script>alert(1)</script>"]}
    assert "<script>alert" not in report_page(_with(answers, hostile))


def test_a_job_that_found_nothing_has_a_page(answers: ReportData) -> None:
    """Every cell unmet, no client, nothing to save: all sections are there, and none of them fails."""
    cells = [replace(each, frames=0, bytes=0, classes_met=0) for each in answers.cells]
    page = report_page(replace(answers, cells=cells, clients=[], sizes=[], quarantine=[]))
    assert "0 of 604" in page
    assert "Nothing was held up" in page
    assert page.count("<svg") == 4


def _with(answers: ReportData, disagreement: dict[str, object]) -> ReportData:
    return replace(answers, disagreements=[disagreement])


def test_classes_met_are_a_union_over_provenances(answers: ReportData) -> None:
    """A class that two provenances met is one; the share is never above all."""
    assert answers.releases == [RELEASE]
    assert all(0 <= each.classes_met <= each.classes for each in answers.cells)
    assert all((each.frames > 0) == (each.classes_met > 0) for each in answers.cells)


def test_savings_are_those_of_the_table(answers: ReportData) -> None:
    """By field and by message they come to the same sum."""
    by_field = sum(each["saved_bytes"] for each in answers.savings())
    by_message = sum(each.saved_bytes for each in answers.messages())
    assert by_field == by_message == sum(row["saved_bytes"] or 0 for row in answers.sizes) > 0


def test_numbers_for_people() -> None:
    """Three figures at most, with their unit."""
    assert [short(each) for each in (0, 999, 1200, 35_000_000)] == ["0", "999", "1.2k", "35M"]
    assert [size_text(each) for each in (999, 1536, 10 << 20)] == ["999 B", "1.5 KiB", "10 MiB"]
