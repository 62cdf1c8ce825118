"""``wireproof corpus``: the commands for corpora, which replace Java in a run."""

from pathlib import Path
from typing import Any, Final

import click

from wireproof.app.assembly.corpus.corpus_add import LARGEST_BYTES, add_capture, write_sample
from wireproof.app.assembly.corpus.corpus_in_use import KnownLayouts, open_corpus, print_stats, use_corpus
from wireproof.app.assembly.corpus.corpus_make import make_set
from wireproof.app.assembly.inputs.cell_lookup import no_cell
from wireproof.app.assembly.inputs.run_inputs import RunInputs, prepare, wanted_releases
from wireproof.app.assembly.prerequisites import need_libraries, open_store
from wireproof.app.cli.corpus.corpus_rewrite import format_corpus, minimise_corpus, version_command
from wireproof.app.cli.corpus.corpus_verify import verify_added, verify_corpus
from wireproof.app.cli.options import (
    CommandGroup,
    Decorator,
    config_of_options,
    jar_options,
    jobs_option,
    run_option,
    schemas_options,
    selection_of,
    selection_options,
    source_of,
)
from wireproof.base.exit_codes import ExitCode
from wireproof.base.text.wording import counted, echo, echo_lines
from wireproof.kafka.releases.release_table import table
from wireproof.model.cell import RECORDS_MODULE, Cell
from wireproof.proof.config.command_configs import CorpusConfig
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.run.core.plan import at_edges, in_shard, matching
from wireproof.traffic.corpus.corpus_entry import CorpusError
from wireproof.traffic.corpus.corpus_file import CorpusKind
from wireproof.traffic.corpus.formatting import lint_corpus_file

_AGREES: Final = {
    ExitCode.PROVEN: "Every entry agrees with our codec, and with Kafka's classes if Java is installed.",
    ExitCode.DIVERGENCE: "An entry differs from our codec or from Kafka's classes, or was edited by hand.",
    ExitCode.MISSING: "",
    ExitCode.BROKEN: "",
}


_no_java_option: Decorator = click.option(
    "--no-java", "without", is_flag=True, help="Do not ask Kafka's classes, even if Java is installed."
)


@click.group("corpus", cls=CommandGroup)
def command() -> None:
    """Make, verify and maintain a corpus.

    An entry of a corpus is a line of text with bytes and the value that Kafka reads in them
    (corpus/FORMAT.md). `wireproof run --no-java PATH` proves a codec against the entries, on a machine
    without Java.
    """


@command.command(
    "make",
    exit_codes={
        ExitCode.PROVEN: "The corpus is complete.",
        ExitCode.DIVERGENCE: "wireproof and Kafka read the schemas of a message differently.",
        ExitCode.NOTHING_RAN: "No cell matches.",
        ExitCode.MISSING: "",
        ExitCode.BROKEN: "wireproof or Kafka's classes failed. Nothing was written.",
    },
)
@click.argument("release")
@click.option(
    "--output",
    required=True,
    metavar="PATH",
    help="Write the corpus to this folder, which must not exist; - is standard output.",
)
@schemas_options
@selection_options
@click.option(
    "--edges",
    is_flag=True,
    help="Select two versions of each message: the newest with tagged fields and the newest without.",
)
@click.option(
    "--kind",
    multiple=True,
    type=click.Choice([each.value for each in CorpusKind]),
    help="Write only entries of this kind. Default: both kinds.",
)
@click.option(
    "--largest",
    "largest_bytes",
    default=512,
    show_default=True,
    type=click.IntRange(64),
    metavar="BYTES",
    help="Write no longer message. The files list the classes of values that this excludes.",
)
@jobs_option
@jar_options
def make_command(**options: Any) -> int:
    """Make the corpus of a release with Kafka's own classes.

    Each cell has the few entries that together meet every class of values, and malformed bytes with the
    reaction of Kafka.

    The same release and version of wireproof give the same bytes. The command writes the whole corpus or
    nothing.

    \b
    wireproof corpus make 4.4.0 --output golden-4.4.0
    wireproof corpus make 4.4 --message 'Fetch*' --output - | gzip > fetch.ndjson.gz
    """
    config = config_of_options(
        CorpusConfig, options, source=source_of(options), selection=selection_of(options)
    )
    releases = wanted_releases(table(), [config.release], (), config.source)
    if len(releases) > 1:
        raise click.UsageError("a corpus has one release: name one")
    prepared = prepare(releases, open_store(config.jars, config.offline), ())
    cells = _cells(prepared, config)
    if any(cell.module == RECORDS_MODULE for cell in cells):
        need_libraries()
    echo(make_set(prepared, cells, config), err=True)
    return int(ExitCode.PROVEN)


def _cells(prepared: RunInputs, config: CorpusConfig) -> list[Cell]:
    cells = matching(prepared.every_cell, config.selection)
    if config.edges:
        layouts = prepared.layouts
        cells = at_edges(cells, lambda cell: layouts.of(cell).flexible)
    cells = in_shard(cells, config.selection.shard)
    if not cells:
        raise no_cell(prepared.every_cell, config.selection)
    return cells


@command.command(
    "add", exit_codes={**_AGREES, ExitCode.NOTHING_RAN: "No frame of the capture became an entry."}
)
@click.argument("capture", type=click.Path(path_type=Path))
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Add the entries to this corpus. It is created if it does not exist.",
)
@click.option(
    "--largest",
    default=LARGEST_BYTES,
    show_default=True,
    type=click.IntRange(64),
    metavar="BYTES",
    help="Leave longer frames out.",
)
@click.option(
    "--release",
    default="",
    help="Name the release of the brokers, if the capture does not contain it, as after `pcap import`.",
)
@_no_java_option
@jobs_option
@jar_options
def add_command(
    capture: Path, output: Path, largest: int, release: str, without: bool, jobs: int, **options: Any
) -> int:
    """Make entries from a capture, redacted: for each cell the few that show everything that its frames show.

    CAPTURE is a folder that `wireproof capture` wrote, of one cluster or of several. The traffic of clients
    and brokers is `captured`; requests of our own sweep are `broker-accepted`. The same capture gives the
    same corpus. The command then verifies every entry of the release, as `wireproof corpus verify` does. It
    reports, for each listener, the pairs of API and version that it advertises, the answered ones, and the
    reasons for the others.

    \b
    wireproof corpus add capture-4.3.1 --output corpus
    """
    added = add_capture(capture, output, largest, release)
    store = open_store(options["jars"], options["offline"])
    return verify_added(output, added, store, without_java=without, jobs=jobs)


@command.command(
    "sample",
    exit_codes={
        ExitCode.PROVEN: "The sample is written.",
        ExitCode.MISSING: "The folder of the sample cannot be written.",
    },
)
@click.argument("capture", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the sample to this folder, which must not exist.",
)
@click.option(
    "--release", default="", help="Name the release of the brokers, if the capture does not contain it."
)
def sample_command(capture: Path, output: Path, release: str) -> None:
    """Make a capture that you can publish: the same connections and frames, redacted as entries are.

    A frame that cannot be redacted becomes a hole of the same size; so do other bytes. The same capture gives
    the same sample.

    \b
    wireproof corpus sample capture-4.3.1 --output sample
    """
    write_sample(capture, output, release)


@command.command(
    "stats",
    exit_codes={
        ExitCode.PROVEN: "The statistics are complete.",
        ExitCode.DIVERGENCE: "The corpus is damaged, or has entries of an unknown release.",
    },
)
@click.argument("path")
@click.option(
    "--missing", is_flag=True, help="List the cells without an entry from a broker, each with the reason."
)
@run_option("schemas")
def stats_command(path: str, missing: bool, schemas: Path | None) -> int:
    """Print statistics of a corpus.

    For each release: the cells by provenance, the responses that have content, and the answered pairs of API
    and version among those that each listener advertises, with the reasons for the others.

    PATH is a folder, a file, or - for standard input.
    """
    print_stats(path, missing=missing, fork=SchemaSource.of(schemas))
    return int(ExitCode.PROVEN)


@command.command(
    "lint",
    exit_codes={
        ExitCode.PROVEN: "The corpus has no problem.",
        ExitCode.DIVERGENCE: "The corpus has a problem.",
    },
)
@click.argument("path")
@run_option("schemas")
def lint_command(path: str, schemas: Path | None) -> int:
    """Check that a corpus is complete and follows corpus/FORMAT.md.

    No entry may be edited, lost or out of order, and every value must have its canonical form. The command
    needs neither a codec nor Java.

    PATH is a folder, a file, or - for standard input.
    """
    source = open_corpus(path)
    layouts = KnownLayouts(SchemaSource.of(schemas))
    problems = entries = 0
    for place in source.places:
        try:
            part = source.part_at(place)
            found = list(lint_corpus_file(part, place, layouts, in_folder=source.in_folder))
            entries += len(part.entries)
        except CorpusError as error:
            found = list(error.problems)
        echo_lines(found)
        problems += len(found)
    files, count = counted(len(source.places), "file"), counted(entries, "entry", "entries")
    echo(f"{files}, {count}, {counted(problems, 'problem')}", err=True)
    return int(ExitCode.DIVERGENCE if problems else ExitCode.PROVEN)


@command.command(
    "fmt",
    exit_codes={
        ExitCode.PROVEN: "All files have the form of corpus/FORMAT.md.",
        ExitCode.DIVERGENCE: "An entry was edited by hand or is missing. With --check: a file has to "
        "be changed.",
    },
)
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option(
    "--check",
    is_flag=True,
    help=f"Change nothing; return {ExitCode.DIVERGENCE:d} if a file has to be changed.",
)
@run_option("schemas")
def format_command(paths: tuple[str, ...], check: bool, schemas: Path | None) -> int:
    """Write the files of a corpus in the form of corpus/FORMAT.md, after edits and merges.

    The command corrects white space, line ends, and the order of members and entries. It removes duplicates
    and updates the counts in the heads. It does not change the contents of entries: an entry that was edited
    by hand, or is missing, is a problem, and its file stays as it is. The command prints the names of the
    files that change.

    PATHS are folders and files; the default is the folder corpus. With - it reads standard input and writes
    standard output.

    \b
    wireproof corpus fmt --check corpus
    """
    return int(format_corpus(paths or ("corpus",), check=check, fork=SchemaSource.of(schemas)))


@command.command(
    "min",
    exit_codes={
        ExitCode.PROVEN: "The corpus has no unneeded entry, or --dry-run listed them.",
        ExitCode.DIVERGENCE: "A file is damaged. Nothing was changed.",
    },
)
@click.argument("path")
@click.option("--dry-run", is_flag=True, help="Change nothing; list the entries that would be removed.")
@run_option("schemas")
def min_command(path: str, dry_run: bool, schemas: Path | None) -> int:
    """Remove the entries that show nothing beyond the other entries of their cell and provenance.

    The criteria are those of `corpus add` and `corpus make`: classes of values, error codes, and for
    malformed bytes the mutation, its field and the reaction of Kafka. The command prints a line for each
    removed entry: id, cell, provenance, name. PATH is a folder or a file.

    \b
    wireproof corpus min --dry-run my-corpus
    """
    minimise_corpus(path, dry_run=dry_run, fork=SchemaSource.of(schemas))
    return int(ExitCode.PROVEN)


@command.command("verify", exit_codes={**_AGREES, ExitCode.NOTHING_RAN: "The corpus has no entry."})
@click.argument("path")
@_no_java_option
@schemas_options
@jobs_option
@jar_options
def verify_command(path: str, without: bool, **options: Any) -> int:
    """Compare every entry of a corpus with our own codec, and with Kafka's classes if Java is installed.

    The command reports the numbers of entries and cells, the provenance, and the entries verified per second.
    """
    corpus = use_corpus(path, damaged=ExitCode.DIVERGENCE)
    store = open_store(options["jars"], options["offline"])
    source = source_of(options)
    return verify_corpus(corpus, store, without_java=without, jobs=options["jobs"], source=source)


command.add_command(version_command)
