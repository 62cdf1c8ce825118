"""``wireproof corpus fmt`` and ``corpus min``: rewrite the files of a corpus, each in one step."""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import click

from kafkawire.errors import CodecError
from wireproof.app.assembly.corpus.corpus_in_use import KnownLayouts
from wireproof.app.cli.options import documented_command
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.text.parsing import text_of
from wireproof.base.text.wording import counted, document, echo, echo_lines, first_names
from wireproof.proof.config.selection import SchemaSource
from wireproof.traffic.corpus.corpus_entry import CorpusError, Entry, Problem, id_of
from wireproof.traffic.corpus.corpus_file import corpus_file_text, read_corpus_file, split_corpus_files
from wireproof.traffic.corpus.corpus_folder import (
    corpus_files,
    corpus_text,
    coverage_report_files,
    read_coverage_report,
    replace_changed_file,
)
from wireproof.traffic.corpus.formatting import LayoutsOf, formatted, minimize
from wireproof.traffic.corpus.manifest.corpus_manifest import (
    FIRST_VERSION,
    MANIFEST,
    ContentDifference,
    CorpusManifest,
)

_STREAM = "-"


@dataclass(slots=True)
class _Rewrites:
    """The files that were read and changed, and their problems."""

    files: int = 0
    changed: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def format_corpus(paths: Sequence[str], *, check: bool, fork: SchemaSource | None = None) -> ExitCode:
    """Format files and print the names of those that change; `-` is standard input and output.

    Args:
        check: print only; DIVERGENCE if there is anything to print.
    """
    layouts, rewrites = KnownLayouts(fork), _Rewrites()
    if _STREAM in paths:
        if len(paths) > 1 or check:
            raise click.UsageError(
                "- excludes other paths and --check: it reads standard input and writes standard output"
            )
        _format_stream(layouts, rewrites)
    for place, is_report in _places(path for path in paths if path != _STREAM):
        rewrites.files += 1
        try:
            text = corpus_text(place)
            if is_report:
                wanted = read_coverage_report(place.parent.parent, place.stem).text()
            else:
                wanted = _right(text, str(place), layouts)
        except CorpusError as error:
            rewrites.problems += error.problems
            continue
        if wanted != text:
            rewrites.changed.append(str(place))
            echo(str(place))
            if not check:
                _write(place, wanted)
    echo_lines(rewrites.problems, err=True)
    done = "to be formatted" if check else "formatted"
    problems = counted(len(rewrites.problems), "problem")
    echo(f"{counted(rewrites.files, 'file')}, {len(rewrites.changed)} {done}, {problems}", err=True)
    failed = rewrites.problems or (check and rewrites.changed)
    return ExitCode.DIVERGENCE if failed else ExitCode.PROVEN


def minimise_corpus(path: str, *, dry_run: bool, fork: SchemaSource | None = None) -> None:
    """Remove the entries that add nothing to the others of their cell and provenance; print each of them.

    Raises:
        FatalError: a file does not exist, or is damaged. Then no file is changed.
    """
    layouts = KnownLayouts(fork)
    with as_fatal(CorpusError, exit_code=ExitCode.DIVERGENCE, advice="Nothing was changed."):
        found = [_smaller(place, layouts) for place in _files(path)]
    for each in found:
        for entry in each.gone:
            echo("\t".join((id_of(entry), entry.cell, entry.provenance, entry.name)))
        if each.gone and not dry_run:
            _write(each.place, each.text)
    gone, entries = sum(len(each.gone) for each in found), sum(each.entries for each in found)
    changed, saved = sum(bool(each.gone) for each in found), sum(each.saved_bytes for each in found)
    done = "would go" if dry_run else "removed"
    echo(
        f"{gone:,} of {entries:,} entries {done}, in {changed} of {len(found)} files, {saved / 1e6:.2f} MB",
        err=True,
    )


@dataclass(frozen=True, slots=True)
class _Smaller:
    """A file without its unneeded entries.

    Attributes:
        entries: the number before.
    """

    place: Path
    text: str
    gone: tuple[Entry, ...]
    entries: int
    saved_bytes: int


def _smaller(place: Path, layouts: LayoutsOf) -> _Smaller:
    text = corpus_text(place)
    texts: list[str] = []
    removed: list[Entry] = []
    entries = 0
    for number, each in enumerate(split_corpus_files(text), 1):
        name = str(place) if number == 1 else f"{place}#{number}"
        part = read_corpus_file(each, name)
        try:
            smaller, gone = minimize(part, layouts)
        except (CodecError, LookupError) as error:
            words = f"{error}; `wireproof corpus lint` says more"
            raise CorpusError(Problem(name, 0, words)) from error
        texts.append(corpus_file_text(smaller) if gone else each)
        removed += gone
        entries += len(part.entries)
    wanted = "".join(texts)
    return _Smaller(place, wanted, tuple(removed), entries, len(text.encode()) - len(wanted.encode()))


def _places(paths: Iterable[str]) -> Iterator[tuple[Path, bool]]:
    """The files, each with true if it is a coverage report."""
    for word in paths:
        yield from ((place, False) for place in _files(word))
        yield from ((place, True) for place in coverage_report_files(Path(word)))


def _files(word: str) -> list[Path]:
    with as_fatal(CorpusError, advice="`wireproof corpus make RELEASE --output PATH` writes one."):
        if not Path(word).exists():
            raise CorpusError(Problem(word, 0, "does not exist"))
        return corpus_files(Path(word))


def _format_stream(layouts: LayoutsOf, rewrites: _Rewrites) -> None:
    rewrites.files += 1
    try:
        text = text_of(sys.stdin.buffer)
        wanted = _right(text, _STREAM, layouts)
    except CorpusError as error:
        rewrites.problems += error.problems
        return
    except ValueError as error:
        rewrites.problems.append(Problem(_STREAM, 0, str(error)))
        return
    rewrites.changed += [_STREAM] if wanted != text else []
    document(wanted)


def _right(text: str, place: str, layouts: LayoutsOf) -> str:
    parts, notes = formatted(text, place, layouts)
    echo_lines(notes, err=True)
    return "".join(map(corpus_file_text, parts))


def _write(place: Path, text: str) -> None:
    with as_fatal(OSError, what=f"cannot write {place}: "):
        replace_changed_file(place, text)


_LISTED: Final = 10
_MORE: Final = ", and {} more"


@documented_command(
    "version",
    {
        ExitCode.PROVEN: "The content is that of the version, or --bump wrote the next version.",
        ExitCode.DIVERGENCE: "The content is not that of the version.",
        ExitCode.NOTHING_RAN: "The folder has no entry.",
    },
)
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--bump", is_flag=True, help="Write the next version, if the content changed.")
def version_command(folder: Path, bump: bool) -> int:
    """Print the version of a corpus, and check that its content is that of the version.

    The file manifest.json has the version and the ids of its entries. An entry that changed or is gone
    raises the first number, a new entry the second one, and new metadata (heads, coverage, documents) the
    third.

    \b
    wireproof corpus version corpus
    """
    return int(_check(folder, bump=bump))


def _check(folder: Path, *, bump: bool) -> ExitCode:
    """Print the version of a corpus and how its content differs from the manifest.

    Returns:
        DIVERGENCE if the content differs from that of the version, and got no new version.
    """
    with as_fatal(CorpusError, advice="`wireproof corpus lint` lists the problems of a corpus."):
        recorded = CorpusManifest.read(folder)
        now = CorpusManifest.of_folder(folder, FIRST_VERSION if recorded is None else recorded.version)
    entries = sum(len(words) - 1 for words in now.files.values())
    if not entries:
        raise FatalError(f"{folder} has no entry of a corpus", "Name its folder.", ExitCode.NOTHING_RAN)
    if recorded is None:
        return _first(folder, now, bump=bump)
    difference = recorded.compare(now)
    if not difference:
        echo(f"{recorded.version}: {counted(entries, 'entry', 'entries')}, unchanged")
        return ExitCode.PROVEN
    _print_difference(difference, recorded.version)
    version = difference.next_version(recorded.version)
    if not bump:
        echo(
            f"The next version is {version}: `wireproof corpus version --bump {folder}` writes it.", err=True
        )
        return ExitCode.DIVERGENCE
    _write_version(folder, CorpusManifest(version, now.files))
    return ExitCode.PROVEN


def _first(folder: Path, now: CorpusManifest, *, bump: bool) -> ExitCode:
    if not bump:
        advice = f"`wireproof corpus version --bump {folder}` writes one, with version {FIRST_VERSION}."
        raise FatalError(f"{folder} has no {MANIFEST}", advice)
    _write_version(folder, now)
    return ExitCode.PROVEN


def _write_version(folder: Path, manifest: CorpusManifest) -> None:
    with as_fatal(
        OSError,
        exit_code=ExitCode.MISSING,
        what=f"cannot write {folder / MANIFEST}: ",
        advice="Name a folder that can be written.",
    ):
        replace_changed_file(folder / MANIFEST, manifest.text())
    echo(f"{manifest.version}: written to {folder / MANIFEST}")


def _print_difference(difference: ContentDifference, version: str) -> None:
    echo(f"The content is not that of {version}:")
    if difference.another_format:
        echo("  another format")
    _print_entries("changed or removed", difference.removed)
    _print_entries("added", difference.added)
    if difference.described:
        files = counted(len(difference.described), "file")
        echo(f"  metadata of {files}: {first_names(difference.described, _LISTED, _MORE)}")


def _print_entries(what: str, counts: Mapping[str, int]) -> None:
    if counts:
        names = first_names(tuple(counts), _LISTED, _MORE)
        echo(f"  {counted(sum(counts.values()), 'entry', 'entries')} {what}: {names}")
