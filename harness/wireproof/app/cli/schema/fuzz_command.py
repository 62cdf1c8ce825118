"""``wireproof schema fuzz``: random schemas, judged by Kafka's generator."""

import json
import time
from pathlib import Path
from typing import Any

import click

from wireproof.app.assembly.definitions.generator_opinion import comparer_maker, fuzz_release
from wireproof.app.assembly.prerequisites import open_store
from wireproof.app.cli.options import documented_command, jar_options, jobs_option
from wireproof.base.exit_codes import ExitCode, FatalError
from wireproof.base.text.parsing import read_text
from wireproof.base.text.wording import document, echo, echo_lines
from wireproof.definitions.fuzz.drawn_schemas import schema_of_file
from wireproof.definitions.fuzz.fuzz_run import BlockResult, FuzzPlan, FuzzPool, MakeComparer, fuzz_pool
from wireproof.definitions.fuzz.fuzz_summary import (
    FuzzSummary,
    disagreement_lines,
    keep_schema,
    progress_line,
    read_kept,
    summary_lines,
)
from wireproof.proof.run.engine.worker_pool import WorkerBroken

_PROGRESS_S = 5.0
"""Seconds between two lines of progress."""
_PEAK_SCHEMAS = 500
"""From this number of schemas on, Java's optimising compiler saves time."""


@documented_command(
    "fuzz",
    {
        ExitCode.PROVEN: "wireproof and Kafka agree on every schema.",
        ExitCode.DIVERGENCE: "They disagree on a schema, and the table of oddities does not explain it.",
    },
)
@click.option(
    "--count", default=1000, show_default=True, type=click.IntRange(1), help="Draw so many schemas."
)
@click.option(
    "--seed", default=0, show_default=True, help="Seed all choices: the same seed draws the same schemas."
)
@click.option(
    "--first",
    default=0,
    show_default=True,
    type=click.IntRange(0),
    metavar="NUMBER",
    help="Begin with this schema.",
)
@click.option(
    "--release",
    default="newest",
    metavar="RELEASE",
    help="Judge by the generator of this release: 4.3 or 3.9.",
)
@click.option(
    "--no-java", is_flag=True, help="Judge by the construction of each schema: thousands a second, no values."
)
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(".wireproof/schemas"),
    show_default=True,
    metavar="DIR",
    help="Write the least schema of each cause to this folder.",
)
@click.option("--no-shrink", is_flag=True, help="Keep the schemas as they were drawn.")
@click.option(
    "--replay",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Try this schema again, drawn or kept or your own, and draw none.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@jobs_option
@jar_options
def fuzz(**options: Any) -> int:
    r"""Draw random schemas, and compare wireproof's reading of each with that of Kafka's own generator.

    Some schemas are valid, others break one rule. wireproof reads each; Kafka's generator and javac process
    it. If both accept it, the command compares the shape of the class in every version, and bytes and values
    of both codecs. Each cause of disagreement is printed once, with its field, the least schema that shows it
    and the file that keeps this schema.

    --no-java compares with the verdict that each schema was made for; the codecs only read what they write.
    It tests the front end and the layouts, at a thousand schemas a second and more.

    \b
      wireproof schema fuzz --count 10000 --seed 7
      wireproof schema fuzz --no-java --count 100000
      wireproof schema fuzz --release 3.9 --json
      wireproof schema fuzz --replay .wireproof/schemas/laxer-java-keyword-1f3a9c0d.json
    """
    return _replay(options) if options["replay"] else _fuzz(options)


def _maker(options: dict[str, Any], release: str, count: int) -> MakeComparer:
    store = None if options["no_java"] else open_store(options["jars"], options["offline"])
    return comparer_maker(release, store, options["jars"], peak=count >= _PEAK_SCHEMAS)


def _fuzz(options: dict[str, Any]) -> int:
    release = fuzz_release(options["release"])
    plan = FuzzPlan(
        release,
        options["seed"],
        options["count"],
        options["first"],
        java=not options["no_java"],
        shrink=not options["no_shrink"],
    )
    summary = FuzzSummary(plan)
    started = time.monotonic()
    try:
        with fuzz_pool(plan, _maker(options, release, plan.count), options["jobs"]) as pool:
            _follow(pool, summary, options["keep"], started)
    except KeyboardInterrupt:
        summary.interrupted = True
    _report(summary, options, time.monotonic() - started)
    return int(summary.exit_code)


def _follow(pool: FuzzPool, summary: FuzzSummary, keep: Path, started: float) -> None:
    """Add the blocks as they arrive. Each disagreement is on the disk before the next block is looked at."""
    shown = started
    for event in pool.run():
        if isinstance(event, WorkerBroken):
            code = ExitCode.MISSING if event.advice else ExitCode.BROKEN
            raise FatalError(event.message, event.advice, code)
        if isinstance(event, BlockResult):
            for least in summary.add(event):
                keep_schema(keep, summary.plan.release, least)
        if time.monotonic() - shown >= _PROGRESS_S:
            shown = time.monotonic()
            echo(progress_line(summary, shown - started), err=True)


def _report(summary: FuzzSummary, options: dict[str, Any], seconds: float) -> None:
    files = {
        cause: str(keep_schema(options["keep"], summary.plan.release, each.least))
        for cause, each in summary.found.items()
    }
    if options["as_json"]:
        document(json.dumps(summary.as_plain(files), indent=2, ensure_ascii=False) + "\n")
    else:
        for cause, each in summary.found.items():
            echo_lines(disagreement_lines(each.least, each.count, files[cause]))
    for line in summary_lines(summary, seconds):
        echo(line, err=True)


def _replay(options: dict[str, Any]) -> int:
    """Compare one schema again; 1 while the disagreement is there."""
    file: Path = options["replay"]
    try:
        kept = read_kept(read_text(file))
    except (OSError, ValueError) as error:
        raise FatalError(f"{file} cannot be read: {error}", "Name a schema file.") from error
    wanted = options["release"]
    release = fuzz_release(kept.release if wanted == "newest" and kept.release else wanted)
    (found,) = _maker(options, release, 1)().compare([schema_of_file(kept.text)])
    if found.kind.disagrees:
        for each in found.by_cause():
            echo_lines(disagreement_lines(each, 1, str(file)))
        return ExitCode.DIVERGENCE
    key = f" ({found.key})" if found.key else ""
    echo(f"{found.kind}{key}: {found.cells} versions, {found.cases} cases")
    return ExitCode.PROVEN
