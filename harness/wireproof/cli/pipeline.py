"""``wireproof pipeline``: captures that outgrow one machine, on Spark."""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wireproof.cli.corpus_add import capture_key, capture_reasons, golden_head
from wireproof.cli.identity import own_version
from wireproof.cli.on_spark import event_log_option, master_option, spark_told_as_fatal
from wireproof.cli.options import Fatal, jar_options
from wireproof.cli.segment_files import segment_files
from wireproof.cli.store import open_store
from wireproof.frames import NoSegmentError, segment_facts
from wireproof.releases import Release, ReleaseError, table
from wireproof.run import ExitCode

if TYPE_CHECKING:
    from wireproof.pipeline.accounts import Accounts
    from wireproof.pipeline.job import Job, JobPlan
    from wireproof.pipeline.reading import SegmentFile

__all__ = ["command"]

_LARGEST_BYTES = 64 * 1024


@click.group("pipeline")
def command() -> None:
    """Captures that outgrow one machine, read on Spark: on this machine, or on a cluster (docs/pipeline.md).

    It ends with what `wireproof corpus add` ends with, and with tables of every frame.
    """


@command.command("run")
@click.option(
    "--input",
    "inputs",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="A capture's folder, or a segment file; may be repeated. Every executor must be able to open it.",
)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="For tables, corpus and counts; new, or of this very job that was broken off: then it goes on.",
)
@master_option
@click.option("--release", default="", help="What the brokers were, where the files do not say it.")
@click.option(
    "--largest",
    default=_LARGEST_BYTES,
    show_default=True,
    type=click.IntRange(64),
    metavar="BYTES",
    help="No larger frame becomes an entry of the corpus.",
)
@event_log_option
@jar_options
def run_command(**options: Any) -> int:
    """Read captures into tables and a corpus.

    Every frame is decoded by our codec and by Kafka's own classes in the executors' JVM; where they do not
    say the same, it is a divergence, and the exit code 1. What cannot be read is in the table quarantine with
    its reason, and the counts of all tables add up.

    \b
    wireproof pipeline run --input corpus/sample --output out
    wireproof pipeline report out
    """
    with spark_told_as_fatal():
        return _run(options)


def _run(options: Mapping[str, Any]) -> int:
    from rich.console import Console

    from wireproof.pipeline.cargo import load_cargo
    from wireproof.pipeline.job import Job
    from wireproof.pipeline.kafka import KafkaClasses
    from wireproof.pipeline.output import open_output
    from wireproof.pipeline.progress import JobProgress
    from wireproof.pipeline.session import start

    started = time.monotonic()
    plan, releases = _plan(options["inputs"], options["release"], options["largest"])
    cargo = load_cargo(releases, open_store(options["jars"], options["offline"]))
    with open_output(options["output"], plan.about):
        spark = start(options["master"], name="wireproof pipeline", event_log=options["event_log"])
        try:
            progress = JobProgress(Console(stderr=True))
            job = Job(spark, KafkaClasses.ship(spark, cargo), plan, options["output"], progress)
            accounts = job.run()
            for line in _summary(job, accounts, options["output"], time.monotonic() - started):
                progress.say(line)
        finally:
            spark.stop()
    if not accounts.frames:
        return int(ExitCode.NOTHING_RAN)
    return int(ExitCode.DIVERGENCE if accounts.divergences else ExitCode.PROVEN)


def _plan(inputs: Sequence[Path], word: str, largest_bytes: int) -> "tuple[JobPlan, list[Release]]":
    from wireproof.pipeline.job import JobPlan

    paths = [path.resolve() for path in segment_files(*inputs)]
    files = [_segment_file(path, name, word) for path, name in zip(paths, _names(paths), strict=True)]
    releases = [table().find(each) for each in sorted({file.release for file in files})]
    reasons: dict[str, Any] = {release.version: {} for release in releases}
    for each in inputs:
        for release in {file.release for file in files if Path(file.path).is_relative_to(each.resolve())}:
            reasons[release] |= capture_reasons(each)
    key = capture_key(paths)
    about = {
        "tool": f"wireproof {own_version()}",
        "files": {file.name: Path(file.path).stat().st_size for file in files},
        "releases": [release.version for release in releases],
        "largest": largest_bytes,
    }
    heads = {release.version: partial(golden_head, release) for release in releases}
    return JobPlan(files, key, largest_bytes, heads, reasons, about), releases


def _names(paths: Sequence[Path]) -> Iterator[str]:
    """What files are called in the tables: their name, and where that is not enough, folders before it."""
    parts = 1
    while len({path.parts[-parts:] for path in paths}) < len(set(paths)):
        parts += 1
    yield from ("/".join(path.parts[-parts:]) for path in paths)


def _segment_file(path: Path, name: str, word: str) -> "SegmentFile":
    from wireproof.pipeline.reading import SegmentFile

    try:
        with path.open("rb") as file:
            facts = segment_facts(file)
    except NoSegmentError as error:
        raise Fatal(f"--input: {path} is no segment file: {error}", "", ExitCode.USAGE) from error
    except OSError as error:
        raise Fatal(f"--input: {path}: {error.strerror}", "", ExitCode.USAGE) from error
    said = str(facts.get("release") or "") or word
    if not said:
        advice = "Say it: --release 4.3.1."
        raise Fatal(f"--input: {path} does not say of which release it is", advice, ExitCode.USAGE)
    try:
        release = table().find(said)
    except ReleaseError as error:
        raise Fatal(error.message, error.advice, ExitCode.USAGE) from error
    return SegmentFile(str(path), name, release.version, str(facts.get("listener", "")))


def _summary(job: "Job", accounts: "Accounts", output: Path, duration_s: float) -> Iterator[str]:
    """What came of a job."""
    from wireproof.pipeline.questions import causes

    held = accounts.unnamed + accounts.faults + accounts.unredacted + accounts.large
    yield ""
    for each in causes(job.tables["divergences"]):
        yield f"  {each}"
    yield f"{accounts.frames:,} frames, {accounts.agreed:,} read alike by Kafka's classes and our codec"
    yield f"{held:,} held up, each with its reason in {output}/tables/quarantine"
    yield f"{accounts.shown:,} fingerprints, {accounts.entries:,} entries in {output}/corpus"
    words = "Not proven." if accounts.divergences else "Proven." if accounts.frames else "Nothing was there."
    yield f"{words} {accounts.divergences:,} divergences, {duration_s:.1f} s"
