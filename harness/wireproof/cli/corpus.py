"""``wireproof corpus``: entries that say what is right, for those who have no Java."""

import os
import sys
import time
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import click

from kafkawire.schema.layout import MessageLayout
from wireproof.cli.corpus_make import make_set
from wireproof.cli.corpus_set import CorpusInUse, open_corpus, use_corpus
from wireproof.cli.identity import own_version
from wireproof.cli.libraries import need_libraries
from wireproof.cli.listening import listen
from wireproof.cli.options import Fatal, jar_options, selection_of, selection_options
from wireproof.cli.store import open_store
from wireproof.cli.wiring import (
    TWINS,
    MisreadError,
    Prepared,
    make_bench,
    prepare,
    prepare_without_java,
    snapshots,
    wanted_releases,
)
from wireproof.corpus import CorpusError, lint_part
from wireproof.model import RECORDS_MODULE, Cell, Phase
from wireproof.releases import ReleaseError, table
from wireproof.run import Engine, ExitCode, Layouts, RunOptions, RunStarted, all_cells, select

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
    "--largest",
    default=512,
    show_default=True,
    type=click.IntRange(64),
    metavar="BYTES",
    help="No message is longer. The classes of values that are left out by it are named in the files.",
)
@click.option(
    "--jobs", default=0, show_default="one a processor", type=click.IntRange(0), help="Processes at once."
)
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
    try:
        releases = wanted_releases(table(), [release], ())
        if len(releases) > 1:
            raise click.UsageError("a set is of one release")
        store = open_store(options.pop("jars"), options.pop("offline"))
        largest, jobs = options.pop("largest"), options.pop("jobs")
        prepared = prepare(releases, store, ())
    except ReleaseError as error:
        raise Fatal(error.message, error.advice, ExitCode.MISSING) from error
    except MisreadError as error:
        raise Fatal(str(error), "", ExitCode.DIVERGENCE) from error
    cells = select(all_cells(prepared.parts[0].schemas), selection_of(options))
    if not cells:
        raise Fatal("no cell matches", "`wireproof cells` lists them all.", ExitCode.NOTHING_RAN)
    if any(cell.module == RECORDS_MODULE for cell in cells):
        need_libraries()
    words = make_set(prepared, cells, output, largest, jobs or len(os.sched_getaffinity(0)))
    click.echo(words, err=True)
    return int(ExitCode.PROVEN)


@command.command("lint")
@click.argument("path")
def lint_command(path: str) -> int:
    """Check that a corpus is whole, and written as corpus/FORMAT.md says: nothing edited, lost or out of
    place, every value in canonical form. No codec and no Java. Exit code 1 where something is wrong.

    PATH is a folder, a file, or - for standard input.
    """
    source = open_corpus(path)
    layouts = _Known()
    problems = entries = 0
    for place in source.places:
        try:
            part = source.part_at(place)
            found = list(lint_part(part, place, layouts, in_folder=source.in_folder))
            entries += len(part.entries)
        except CorpusError as error:
            found = list(error.problems)
        for problem in found:
            click.echo(str(problem))
        problems += len(found)
    click.echo(f"{len(source.places)} files, {entries:,} entries, {problems} problems", err=True)
    return int(ExitCode.DIVERGENCE if problems else ExitCode.PROVEN)


class _Known:
    """The layouts of all releases, by cell and module."""

    def __init__(self) -> None:
        self._layouts: dict[str, Layouts] = {}

    def __call__(self, module: str, cell_id: str) -> tuple[MessageLayout, MessageLayout | None]:
        release, message, version = cell_id.split("/")
        if release not in self._layouts:
            if release not in {each.version for each in table()}:
                raise LookupError(release)
            self._layouts[release] = Layouts(snapshots([table().find(release)]))
        cell = Cell(release, module, message, int(version))
        layouts = self._layouts[release]
        try:
            return layouts.of(cell), layouts.header(cell)
        except (KeyError, ValueError) as error:
            raise LookupError(cell_id) from error


@command.command("verify")
@click.argument("path")
@click.option("--no-java", "without", is_flag=True, help="Do not ask Kafka's classes, though Java is here.")
@click.option(
    "--jobs", default=0, show_default="one a processor", type=click.IntRange(0), help="Processes at once."
)
@jar_options
def verify_command(path: str, without: bool, **options: Any) -> int:
    """Hold every entry of a corpus against our own codec, and against Kafka's classes where Java is here.

    Says how many entries of how many cells there are, of which provenance, and how many a second were
    verified. Exit code 1 where an entry is not as the classes say, or was edited by hand.
    """
    corpus = use_corpus(path, damaged=ExitCode.DIVERGENCE)
    store = open_store(options["jars"], options["offline"])
    releases = corpus.releases(())
    missing = "" if without else _no_java()
    if missing:
        click.echo(f"Kafka's classes are not asked: {missing}", err=True)
    if without or missing:
        prepared = prepare_without_java(releases, store, tuple(TWINS), corpus.source)
    else:
        prepared = replace(prepare(releases, store, tuple(TWINS)), corpus=corpus.source)
    return _verify(prepared, corpus, options["jobs"])


def _verify(prepared: Prepared, corpus: CorpusInUse, jobs: int) -> int:
    from rich.console import Console

    from wireproof.report.terminal import TerminalReport

    cells = [cell for part in prepared.parts for cell in all_cells(part.schemas) if cell.id in corpus.cells]
    if len(cells) < len(corpus.cells):
        odd = sorted(corpus.cells - {cell.id for cell in cells})
        raise Fatal(f"{odd[0]} is no cell that is known", "", ExitCode.DIVERGENCE)
    options = RunOptions((Phase.CORPUS,), shrink_s=0)
    engine = Engine(make_bench(prepared), options, min(jobs or len(os.sched_getaffinity(0)), len(cells)))
    started = RunStarted(
        version=own_version(),
        command=tuple(sys.argv),
        seed=0,
        releases=tuple(part.release.version for part in prepared.parts),
        jars=corpus.jars,
        subjects=prepared.subjects,
        phases=options.phases,
        cells=len(cells),
        retired={},
        corpus=corpus.entries,
    )
    begun = time.monotonic()
    code = listen(engine, cells, started, [TerminalReport(Console(stderr=True))])
    entries, seconds = sum(corpus.entries.values()), time.monotonic() - begun
    provenance = ", ".join(f"{count:,} {name}" for name, count in sorted(corpus.entries.items()))
    who = "our codec and Kafka's classes" if prepared.java else "our codec"
    click.echo(
        f"{entries:,} entries of {len(cells)} cells against {who}: {provenance}; "
        f"{entries / max(seconds, 0.001):,.0f} entries/s",
        err=True,
    )
    return code


def _no_java() -> str:
    """Why Kafka's classes cannot be asked; empty where they can."""
    from wireproof.oracle import RuntimeMissingError, find_runtime

    if find_spec("jpype") is None:
        return "jpype1 is not installed (pip install 'wireproof[oracle]')"
    try:
        find_runtime()
    except RuntimeMissingError as error:
        return str(error)
    return ""
