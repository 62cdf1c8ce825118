"""``wireproof corpus fmt`` and ``corpus min``: rewrite the files of a corpus, each in one step."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import click

from kafkawire.errors import CodecError
from wireproof.app.assembly.corpus.corpus_in_use import KnownLayouts
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import document, echo
from wireproof.base.text.parsing import text_of
from wireproof.base.text.wording import counted
from wireproof.proof.config import SchemaSource
from wireproof.proof.run import ExitCode
from wireproof.traffic.corpus import (
    CorpusError,
    Entry,
    LayoutsOf,
    Problem,
    corpus_file_text,
    corpus_files,
    corpus_text,
    coverage_report_files,
    formatted,
    id_of,
    minimize,
    read_corpus_file,
    read_coverage_report,
    replace_changed_file,
    split_corpus_files,
)

__all__ = ["format_corpus", "minimise_corpus"]

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
        fork: the definitions of the fork that entries are of.

    Raises:
        FatalError: a file does not exist or cannot be written.
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
            wanted = _coverage_report_text(place) if is_report else _right(text, str(place), layouts)
        except CorpusError as error:
            rewrites.problems += error.problems
            continue
        if wanted != text:
            rewrites.changed.append(str(place))
            echo(str(place))
            if not check:
                _write(place, wanted)
    for problem in rewrites.problems:
        echo(str(problem), err=True)
    done = "to be formatted" if check else "formatted"
    problems = counted(len(rewrites.problems), "problem")
    echo(f"{counted(rewrites.files, 'file')}, {len(rewrites.changed)} {done}, {problems}", err=True)
    failed = rewrites.problems or (check and rewrites.changed)
    return ExitCode.DIVERGENCE if failed else ExitCode.PROVEN


def minimise_corpus(path: str, *, dry_run: bool, fork: SchemaSource | None = None) -> None:
    """Remove the entries that add nothing to the others of their cell and provenance; print each of them.

    Args:
        dry_run: print only.
        fork: the definitions of the fork that entries are of.

    Raises:
        FatalError: a file does not exist, or is damaged. Then no file is changed.
    """
    layouts = KnownLayouts(fork)
    try:
        found = [_smaller(place, layouts) for place in _files(path)]
    except CorpusError as error:
        raise FatalError(str(error), "Nothing was changed.", ExitCode.DIVERGENCE) from error
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


def _coverage_report_text(place: Path) -> str:
    """The formatted text of a coverage report."""
    return read_coverage_report(place.parent.parent, place.stem).text()


def _places(paths: Iterable[str]) -> Iterator[tuple[Path, bool]]:
    """The files, each with true if it is a coverage report."""
    for word in paths:
        yield from ((place, False) for place in _files(word))
        yield from ((place, True) for place in coverage_report_files(Path(word)))


def _files(word: str) -> list[Path]:
    """The files with entries at a path."""
    try:
        if not Path(word).exists():
            raise CorpusError(Problem(word, 0, "does not exist"))
        return corpus_files(Path(word))
    except CorpusError as error:
        advice = "`wireproof corpus make RELEASE --output PATH` writes one."
        raise FatalError(str(error), advice, ExitCode.USAGE) from error


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
    found = formatted(text, place, layouts)
    for note in found.notes:
        echo(note, err=True)
    return "".join(map(corpus_file_text, found.parts))


def _write(place: Path, text: str) -> None:
    try:
        replace_changed_file(place, text)
    except OSError as error:
        raise FatalError(f"cannot write {place}: {error.strerror}", "", ExitCode.USAGE) from error
