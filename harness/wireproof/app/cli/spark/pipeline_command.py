"""``wireproof pipeline``: the jobs, and the page and the summary of a job."""

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from wireproof.app.assembly.corpus.corpus_add import (
    capture_key,
    capture_reasons,
    file_names,
    golden_head,
    segment_files,
)
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.capture.broker_ends import BrokerEnd, broker_ends
from wireproof.app.cli.options import (
    CommandGroup,
    documented_command,
    event_log_option,
    jar_options,
    master_option,
)
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.files.replacement import write_output
from wireproof.base.text.wording import counted, document, json_text
from wireproof.base.version import own_version, page_url
from wireproof.kafka.releases.release_table import Release, ReleaseError, table
from wireproof.pipeline.job_plan import PacketFile, SegmentFile
from wireproof.traffic.wire.packets.packet_file import PacketFileFormatError, split_packet_file
from wireproof.traffic.wire.segment_format import SegmentFormatError
from wireproof.traffic.wire.segment_reader import segment_facts

if TYPE_CHECKING:
    from wireproof.pipeline.job.job_progress import JobProgress
    from wireproof.pipeline.job.spark_job import Job, RowCounts
    from wireproof.pipeline.job_plan import JobPlan
    from wireproof.pipeline.report.report_data import ReportData


_STANDARD_OUTPUT = "-"


@documented_command("report", {ExitCode.PROVEN: "The report is written."})
@click.argument("output", type=click.Path(path_type=Path), metavar="OUTPUT")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write a page with plots, which loads nothing from elsewhere; - is standard output.",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write the counts and the tables of answers as JSON; - is standard output.",
)
def report_command(output: Path, html: str | None, json_file: str | None) -> int:
    """Report the results of a job. OUTPUT is the folder that `wireproof pipeline run` wrote.

    The report has coverage by message and version, clients and their versions, bytes by message and field
    with the savings of KIP-625, disagreements by cause, and the frames in quarantine. Spark is not started:
    the tables of answers are small.

    \b
    wireproof pipeline report out
    wireproof pipeline report out --html report.html
    wireproof pipeline report out --json - | jq .counts
    """
    from wireproof.pipeline.report.report_data import read_report_data

    if html == json_file == _STANDARD_OUTPUT:
        raise FatalError("--html and --json both write to standard output", "Name a file for one of them.")
    answers = read_report_data(output)
    if html is not None:
        write_page(answers, html)
    if json_file is not None:
        _write(json_file, json_text(answers.as_json(), indent=1) + "\n")
    if html is json_file is None:
        _print(answers)
    return int(ExitCode.PROVEN)


def write_page(answers: "ReportData", place: str) -> None:
    """Write the page of a job; `FatalError` if the file cannot be written."""
    from wireproof.pipeline.report.html_page import report_page

    _write(place, report_page(answers))


def _print(answers: "ReportData") -> None:
    from rich.console import Console

    from wireproof.pipeline.report.report_data import report_lines

    console = Console(stderr=True)
    for each in report_lines(answers):
        console.print(each)


def _write(place: str, text: str) -> None:
    if place == _STANDARD_OUTPUT:
        document(text)
        return
    with as_fatal(OSError, what=f"cannot write {place}: "):
        write_output(Path(place), text)


_KEY_BYTES: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 20


def plan_job(
    inputs: Sequence[Path],
    word: str,
    brokers: Sequence[BrokerEnd],
    largest_bytes: int,
    progress: "JobProgress",
) -> "tuple[JobPlan, list[Release]]":
    """Make the plan of a job, and the list of the releases of its brokers.

    Args:
        inputs: folders of captures, segment files, packet captures.
        word: the release for files that do not contain it; may be empty.
        brokers: the ports of brokers, for packet captures.
    """
    from wireproof.pipeline.job_plan import JobPlan

    paths = [path.resolve() for path in segment_files(*inputs)]
    files = [_file(path, name, word, brokers) for path, name in zip(paths, file_names(paths), strict=True)]
    releases = [table().find(each) for each in sorted({file.release for file in files})]
    reasons: dict[str, Any] = {release.version: {} for release in releases}
    for each in inputs:
        for release in {file.release for file in files if Path(file.path).is_relative_to(each.resolve())}:
            reasons[release] |= capture_reasons(each)
    sizes = {file.name: Path(file.path).stat().st_size for file in files}
    with progress.reading(sum(sizes.values())) as read:
        digests = {file.name: _digest(Path(file.path), read) for file in files}
    about = {
        "tool": f"wireproof {own_version()}",
        "files": sizes,
        "digests": digests,
        "brokers": [[each.address, each.port] for each in brokers],
        "releases": [release.version for release in releases],
        "largest": largest_bytes,
    }
    segments = [each for each in files if isinstance(each, SegmentFile)]
    packets = [each for each in files if isinstance(each, PacketFile)]
    heads = {release.version: partial(golden_head, release) for release in releases}
    plan = JobPlan(segments, packets, _key(segments, packets), largest_bytes, heads, reasons, about)
    return plan, releases


def _digest(path: Path, read: Callable[[int], None]) -> str:
    """Return the SHA-256 of a file: a job can be continued only with the files that it began with."""
    digest = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            read(len(chunk))
    return digest.hexdigest()


def _key(segments: Sequence[SegmentFile], packets: Sequence[PacketFile]) -> bytes:
    """The same key as that of `corpus add`. Packet captures have no marker: their first bytes replace it."""
    key = capture_key([Path(file.path) for file in segments])
    for each in packets:
        with Path(each.path).open("rb") as file:
            key = sha256(key + file.read(_KEY_BYTES)).digest()
    return key


def _file(path: Path, name: str, word: str, brokers: Sequence[BrokerEnd]) -> SegmentFile | PacketFile:
    facts = _facts(path)
    release = _release(path, word if facts is None else str(facts.get("release") or "") or word)
    if facts is not None:
        return SegmentFile(str(path), name, release.version, str(facts.get("listener", "")))
    ends = tuple((each.address, each.port) for each in brokers)
    return PacketFile(str(path), name, release.version, ends)


def _facts(path: Path) -> Any:
    """The facts of a segment file; None for a packet capture."""
    with as_fatal(OSError, what=f"--input: {path}: "), path.open("rb") as file:
        try:
            return segment_facts(file)
        except SegmentFormatError as error:
            file.seek(0)
            try:
                next(split_packet_file(file, 1), None)
            except PacketFileFormatError as none:
                words = f"--input: {path} is not a segment file ({error}) or a packet capture ({none})"
                raise FatalError(words) from none
    return None


def _release(path: Path, word: str) -> Release:
    if not word:
        advice = "Name it with --release, such as --release 4.3.1."
        raise FatalError(f"--input: {path} does not contain its release", advice)
    with as_fatal(ReleaseError):
        return table().find(word)


_LARGEST_BYTES = 64 * 1024
_PAGE = "report.html"


@click.group(
    "pipeline",
    cls=CommandGroup,
    help=f"""Read captures that are too large for one process, with Spark, here or on a cluster.

    The results are those of `wireproof corpus add`, and tables of all frames.

    \b
    Jobs on Spark: {page_url("guides/spark.md")}
    """,
)
def command() -> None:
    """The group of these commands."""


command.add_command(report_command)


@command.command(
    "run",
    exit_codes={
        ExitCode.PROVEN: "Our codec and Kafka's classes read every frame alike.",
        ExitCode.DIVERGENCE: "Our codec and Kafka's classes read a frame differently.",
        ExitCode.BELOW_FLOOR: "The files are damaged, or bytes are missing in them. The rest is read alike.",
        ExitCode.NOTHING_RAN: "The files have no frame.",
        ExitCode.MISSING: "",
        ExitCode.BROKEN: "wireproof, Kafka's classes, Spark or a stage of the job failed.",
        ExitCode.INTERRUPTED: "Ctrl-C, SIGTERM or SIGHUP ended the job. The same command continues it.",
    },
)
@click.option(
    "--input",
    "inputs",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Read this: the folder of a capture, a segment file, a pcap or pcapng file. May be repeated. All "
    "executors must be able to open it.",
)
@click.option(
    "--broker",
    "brokers",
    multiple=True,
    metavar="[HOST:]PORT",
    help="Name the port of brokers in pcap files. May be repeated. Default: port 9092 of any host.",
)
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write tables, corpus, counts and report.html to this folder. It is new, or belongs to the same "
    "job, which then continues.",
)
@master_option
@click.option(
    "--release", default="", help="Name the release of the brokers, if the files do not contain it."
)
@click.option(
    "--largest",
    default=_LARGEST_BYTES,
    show_default=True,
    type=click.IntRange(64),
    metavar="BYTES",
    help="Leave larger frames out of the corpus.",
)
@event_log_option
@jar_options
def run_command(**options: Any) -> int:
    """Read captures into tables, a corpus and a page.

    Our codec decodes every frame, and so do Kafka's own classes in the JVMs of the executors. A difference is
    a divergence. Frames that cannot be read are in the table quarantine, each with its reason. The counts of
    all tables add up.

    \b
    wireproof pipeline run --input corpus/sample --output out
    wireproof pipeline report out
    """
    from rich.console import Console

    from wireproof.pipeline.job.job_progress import JobProgress
    from wireproof.pipeline.job.output_folder import open_output
    from wireproof.pipeline.job.spark_job import Job
    from wireproof.pipeline.report.report_data import read_report_data
    from wireproof.pipeline.runtime.artifacts import load_artifacts
    from wireproof.pipeline.runtime.code_distribution import distribute_code
    from wireproof.pipeline.runtime.kafka_classes import KafkaClasses
    from wireproof.pipeline.runtime.spark_session import interrupts_first, start, stop

    started = time.monotonic()
    brokers = broker_ends(options["brokers"])
    progress = JobProgress(Console(stderr=True))
    plan, releases = plan_job(options["inputs"], options["release"], brokers, options["largest"], progress)
    store = open_store(options["jars"], options["offline"])
    artifacts = load_artifacts(releases, store)
    with open_output(options["output"], plan.about):
        spark = start(options["master"], name="wireproof pipeline", event_log=options["event_log"])
        try:
            with interrupts_first():
                distribute_code(spark, store.cache_dir / "pipeline")
                job = Job(spark, KafkaClasses.distribute(spark, artifacts), plan, options["output"], progress)
                counts = job.run()
            for line in _summary(job, counts, options["output"], time.monotonic() - started):
                progress.say(line)
        except KeyboardInterrupt:
            progress.say("Interrupted. The tables above are whole. To continue, type the same again.")
            raise
        finally:
            stop(spark)
    page = options["output"] / _PAGE
    write_page(read_report_data(options["output"]), str(page))
    progress.say(f"{page} shows it")
    return int(exit_code_of(counts))


def exit_code_of(counts: "RowCounts") -> ExitCode:
    if not counts.frames:
        return ExitCode.NOTHING_RAN
    if counts.divergences:
        return ExitCode.DIVERGENCE
    return ExitCode.BELOW_FLOOR if counts.damaged or counts.lost_bytes else ExitCode.PROVEN


def _summary(job: "Job", counts: "RowCounts", output: Path, duration_s: float) -> Iterator[str]:
    from wireproof.pipeline.tables.report.disagreements_table import causes

    held = counts.unnamed + counts.faults + counts.unredacted + counts.large
    yield ""
    for each in causes(job.tables["disagreements"]):
        yield f"  {each}"
    yield f"{counted(counts.frames, 'frame')}, {counts.agreed:,} read alike by Kafka's classes and our codec"
    yield f"{held:,} held up, each with its reason in {output}/tables/quarantine"
    entries = counted(counts.entries, "entry", "entries")
    yield f"{counted(counts.fingerprints, 'fingerprint')}, {entries} in {output}/corpus"
    lost = bool(counts.damaged or counts.lost_bytes)
    if lost:
        parts = counted(counts.damaged, "damaged part")
        yield f"Lost: {parts} of the files, and {counts.lost_bytes:,} bytes after missing ones"
    whole = "Not proven: bytes are lost." if lost else "Proven."
    words = "Not proven." if counts.divergences else whole if counts.frames else "Nothing was there."
    yield f"{words} {counted(counts.divergences, 'divergence')}, {duration_s:.1f} s"
