"""``wireproof corpus``: entries that say what is right, for those who have no Java."""

from pathlib import Path
from typing import Any

import click

from wireproof.assembly.cell_lookup import no_cell
from wireproof.assembly.corpus_in_use import KnownLayouts, open_corpus, use_corpus
from wireproof.assembly.jar_store import open_store
from wireproof.assembly.prerequisites import as_fatal_error, need_libraries
from wireproof.assembly.run_inputs import prepare, wanted_releases
from wireproof.cli.corpus.corpus_add import LARGEST_BYTES, add_capture
from wireproof.cli.corpus.corpus_make import make_set
from wireproof.cli.corpus.corpus_rewrite import format_corpus, minimise_corpus
from wireproof.cli.corpus.corpus_sample import write_sample
from wireproof.cli.corpus.corpus_stats import print_stats
from wireproof.cli.corpus.corpus_verify import verify_added, verify_corpus
from wireproof.cli.options import jar_options, jobs_option, selection_of, selection_options
from wireproof.corpus import CorpusError, CorpusKind, lint_corpus_file
from wireproof.model import RECORDS_MODULE
from wireproof.output import echo
from wireproof.releases import table
from wireproof.run import ExitCode, Layouts, all_cells, at_edges, in_shard, matching
from wireproof.wording import counted

__all__ = ["command"]


@click.group("corpus")
def command() -> None:
    """Entries that say what is right, each a line of text with bytes and value (corpus/FORMAT.md).

    `wireproof run --no-java PATH` proves a codec against them, on a machine without Java.
    """


@command.command("make")
@click.argument("release")
@click.option(
    "--output",
    required=True,
    metavar="PATH",
    help="The folder to write, which must not be there yet; - writes all to standard output.",
)
@selection_options
@click.option(
    "--edges",
    is_flag=True,
    help="Of each message only the newest version with tag sections and the newest without.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice([each.value for each in CorpusKind]),
    help="Only entries of this kind. Without it: both.",
)
@click.option(
    "--largest",
    default=512,
    show_default=True,
    type=click.IntRange(64),
    metavar="BYTES",
    help="No message is longer. The classes of values that are left out by it are named in the files.",
)
@jobs_option
@jar_options
def make_command(release: str, output: str, **options: Any) -> int:
    """Make the entries of a release with Kafka's own classes: of each cell the few that meet every class of
    values, and wrong bytes with what Kafka makes of them.

    The same release and version of wireproof give the same bytes. Nothing is left behind where it does not
    come to its end.

    \b
    wireproof corpus make 4.4.0 --output golden-4.4.0
    wireproof corpus make 4.4 --message 'Fetch*' --output - | gzip > fetch.ndjson.gz
    """
    largest, jobs = options["largest"], options["jobs"]
    edges, kinds = options["edges"], options["kinds"]
    with as_fatal_error():
        releases = wanted_releases(table(), [release], ())
        if len(releases) > 1:
            raise click.UsageError("a set is of one release")
        prepared = prepare(releases, open_store(options["jars"], options["offline"]), ())
    selection = selection_of(options)
    cells = matching(all_cells(prepared.parts[0].schemas), selection)
    if edges:
        layouts = Layouts({part.release.version: part.schemas for part in prepared.parts})
        cells = at_edges(cells, lambda cell: layouts.of(cell).flexible)
    cells = in_shard(cells, selection.shard)
    if not cells:
        raise no_cell(all_cells(prepared.parts[0].schemas), selection)
    if any(cell.module == RECORDS_MODULE for cell in cells):
        need_libraries()
    words = make_set(
        prepared, cells, output, largest, jobs, [CorpusKind(each) for each in kinds] or list(CorpusKind)
    )
    echo(words, err=True)
    return int(ExitCode.PROVEN)


@command.command("add")
@click.argument("capture", type=click.Path(path_type=Path))
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The corpus: made where there is none, else what it lacks is added to it.",
)
@click.option(
    "--largest",
    default=LARGEST_BYTES,
    show_default=True,
    type=click.IntRange(64),
    metavar="BYTES",
    help="No frame is longer.",
)
@click.option(
    "--release", default="", help="What the brokers were, where the capture does not say it: `pcap import`."
)
@click.option("--no-java", "without", is_flag=True, help="Do not ask Kafka's classes, though Java is here.")
@jobs_option
@jar_options
def add_command(
    capture: Path, output: Path, largest: int, release: str, without: bool, jobs: int, **options: Any
) -> int:
    """Make entries of what a capture saw, redacted: of each cell the few that show all that any frame does.

    CAPTURE is a folder that `wireproof capture` wrote, of one cluster or of several. What clients and brokers
    sent is `captured`, requests of our own sweep are `broker-accepted`. The same capture gives the same
    corpus. Afterwards every entry of the release is verified, as `wireproof corpus verify` does it. Says for
    each listener which pairs it advertises, which were answered, and why others were not.

    \b
    wireproof corpus add capture-4.3.1 --output corpus
    """
    added = add_capture(capture, output, largest, release)
    store = open_store(options["jars"], options["offline"])
    return verify_added(output, added, store, without_java=without, jobs=jobs)


@command.command("sample")
@click.argument("capture", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="The folder of the sample, which must not be there yet.",
)
@click.option("--release", default="", help="What the brokers were, where the capture does not say it.")
def sample_command(capture: Path, output: Path, release: str) -> None:
    """Make a capture that may be given away: the same connections and frames, redacted as entries are.

    What cannot be redacted, or is no frame, becomes a hole of as many bytes. The same capture gives the same
    sample.

    \b
    wireproof corpus sample capture-4.3.1 --output sample
    """
    write_sample(capture, output, release)


@command.command("stats")
@click.argument("path")
@click.option(
    "--missing", is_flag=True, help="List the cells that no broker sent or took, each with its reason."
)
def stats_command(path: str, missing: bool) -> int:
    """Say what a corpus has: of each release the cells by provenance, the responses that say something, and
    of the pairs that each listener advertises those that were answered, with the reason for the others.

    PATH is a folder, a file, or - for standard input.
    """
    print_stats(path, missing=missing)
    return int(ExitCode.PROVEN)


@command.command("lint")
@click.argument("path")
def lint_command(path: str) -> int:
    """Check that a corpus is whole, and written as corpus/FORMAT.md says: nothing edited, lost or out of
    place, every value in canonical form. No codec and no Java. Exit code 1 where something is wrong.

    PATH is a folder, a file, or - for standard input.
    """
    source = open_corpus(path)
    layouts = KnownLayouts()
    problems = entries = 0
    for place in source.places:
        try:
            part = source.part_at(place)
            found = list(lint_corpus_file(part, place, layouts, in_folder=source.in_folder))
            entries += len(part.entries)
        except CorpusError as error:
            found = list(error.problems)
        for problem in found:
            echo(str(problem))
        problems += len(found)
    files, count = counted(len(source.places), "file"), counted(entries, "entry", "entries")
    echo(f"{files}, {count}, {counted(problems, 'problem')}", err=True)
    return int(ExitCode.DIVERGENCE if problems else ExitCode.PROVEN)


@command.command("fmt")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option(
    "--check",
    is_flag=True,
    help=f"Change nothing; exit code {ExitCode.DIVERGENCE:d} where a file is to be changed.",
)
def format_command(paths: tuple[str, ...], check: bool) -> int:
    """Write the files of a corpus in the form that corpus/FORMAT.md says, whatever editors and merges left.

    White space, line ends, the order of members and of entries are put right; of equal entries one stays;
    the heads count anew. What an entry says is not touched: one that was edited by hand, or is missing, is a
    problem that is told, its file stays as it is, and the exit code is 1. Prints the files that change.

    PATHS are folders and files (without any: corpus), or - to read standard input and write standard output.

    
    wireproof corpus fmt --check corpus
    """
    return int(format_corpus(paths or ("corpus",), check=check))


@command.command("min")
@click.argument("path")
@click.option("--dry-run", is_flag=True, help="Change nothing; say what would go.")
def min_command(path: str, dry_run: bool) -> int:
    """Take away the entries that show nothing which the others of their cell and provenance do not show.

    That is what `corpus add` and `corpus make` choose by: classes of values, error codes, and of wrong bytes
    what was done to which field and how Kafka takes it. Prints a line for each entry that goes: id, cell,
    provenance, name. PATH is a folder or a file; if one is not whole, nothing is changed.

    
    wireproof corpus min --dry-run my-corpus
    """
    minimise_corpus(path, dry_run=dry_run)
    return int(ExitCode.PROVEN)


@command.command("verify")
@click.argument("path")
@click.option("--no-java", "without", is_flag=True, help="Do not ask Kafka's classes, though Java is here.")
@jobs_option
@jar_options
def verify_command(path: str, without: bool, **options: Any) -> int:
    """Hold every entry of a corpus against our own codec, and against Kafka's classes where Java is here.

    Says how many entries of how many cells there are, of which provenance, and how many a second were
    verified. Exit code 1 where an entry is not as the classes say, or was edited by hand.
    """
    corpus = use_corpus(path, damaged=ExitCode.DIVERGENCE)
    store = open_store(options["jars"], options["offline"])
    return verify_corpus(corpus, store, without_java=without, jobs=options["jobs"])
