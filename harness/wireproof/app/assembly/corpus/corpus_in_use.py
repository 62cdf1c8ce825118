"""The corpus of a run without Java, and ``wireproof corpus stats``: its entries by provenance."""

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema import MessageKind
from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.inputs.bundled_schemas import snapshots
from wireproof.app.assembly.inputs.run_inputs import find_release, wanted_releases
from wireproof.base.exit_codes import ExitCode, FatalError, as_fatal
from wireproof.base.grouping import grouped
from wireproof.base.text.parsing import text_of
from wireproof.base.text.wording import counted, echo, echo_lines, first_lines, ranges_text
from wireproof.kafka.releases.release_table import Release, ReleaseError, table
from wireproof.model.cell import Cell, CellId, release_in
from wireproof.model.kafka.releases import base_of, fork_name_of
from wireproof.proof.config.option_table import INSTALLED_CORPUS
from wireproof.proof.config.selection import SchemaSource
from wireproof.proof.run.core.environment import Layouts, all_cells
from wireproof.proof.run.core.run_events import RunHeader
from wireproof.traffic.corpus.corpus_entry import CorpusError, GoldenEntry, Provenance
from wireproof.traffic.corpus.corpus_file import CorpusKind
from wireproof.traffic.corpus.corpus_folder import CorpusSet, open_set, read_coverage_report
from wireproof.traffic.corpus.coverage_report import NOT_ASKED, CoverageReport
from wireproof.traffic.fingerprint.fingerprinter import response_classifier

UNSAID: Final = (
    "the layouts themselves, and the codec's registry, against Kafka's classes (phase shape)",
    "values that are not in the set: its files name the classes of values that no entry meets (uncovered); "
    "random and seeded ones (random, bulk, oracle)",
    "what Kafka reads in bytes of the codec's that are not its own: our own codec reads them in its place",
    "values and versions that must be refused, fields of other versions (evolution), and the codec's state: "
    "cuts, tails, buffers, threads",
    "record sets in messages, and framings (records, embedded)",
)
"""The properties that a run without Java does not check."""
_NO_WRONG: Final = "wrong bytes at all: --phase mutations tries the malformed entries"
_FEW_WRONG: Final = "wrong bytes that are not in the set (mutations)"

_LISTED: Final = 10
_PACKAGE: Final = "wireproof_corpus"
REWRITE_CORPUS: Final = "Only wireproof writes a corpus: make it again, or take the file out of its history."
"""The advice about a damaged corpus."""


@dataclass(frozen=True, slots=True)
class CorpusInUse:
    """A corpus that was read and is undamaged.

    Attributes:
        cells: the ids of the cells that it has entries of.
        entries: the number of entries by provenance; malformed ones count as ``malformed, oracle-made``.
        jars: the jars of Kafka's classes that made or checked the entries, with their SHA-256.
        malformed: whether a run uses the malformed entries, too.
    """

    source: CorpusSet
    cells: frozenset[str]
    entries: Mapping[str, int]
    jars: Mapping[str, str]
    malformed: bool

    def describe(self, started: RunHeader) -> RunHeader:
        """Return the header of a run without Java."""
        wrong = _FEW_WRONG if self.malformed else _NO_WRONG
        return replace(started, jars=self.jars, corpus=self.entries, unsaid=(*UNSAID, wrong))

    def releases(self, words: Sequence[str], source: SchemaSource | None = None) -> list[Release]:
        """Return the releases of its entries; only those that the words name, if there are words."""
        theirs = sorted({release_in(cell) for cell in self.cells})
        known = {release.version: release for release in table()}
        if source is not None:
            known = {each.version: each for each in map(partial(_fork, source), theirs)}
        odd = [name for name in theirs if name not in known]
        if odd:
            raise FatalError(
                f"the set has entries of {', '.join(odd)}, of which this wireproof knows nothing",
                "Name the definitions of a fork with --schemas DIR. `wireproof releases` lists the releases.",
            )
        with as_fatal(ReleaseError):
            wanted = {release.version for word in words for release in table().choose(base_of(word))}
        found = [known[name] for name in theirs if not words or base_of(name) in wanted]
        for release in found:
            self._check_definitions(release)
        if not found:
            advice = f"It has {', '.join(theirs)}."
            raise FatalError("the set has no entry of that release", advice, ExitCode.NOTHING_RAN)
        return found

    def _check_definitions(self, release: Release) -> None:
        """Check that the entries of a fork were made with its definitions."""
        fork = release.fork
        if fork is not None and self.jars.get(fork.digest_name) != fork.sha256:
            raise FatalError(
                f"the corpus was made with other definitions of {fork.name} than {fork.folder} has",
                f"Make it again: `wireproof corpus make {release.original} --schemas {fork.folder}`.",
            )


def _fork(source: SchemaSource, name: str) -> Release:
    """The fork of a release, for the entries of that fork."""
    (found,) = wanted_releases(table(), [name], (), source)
    return found


def open_corpus(path: str) -> CorpusSet:
    """The corpus in a folder, in a file, on standard input, or in the package wireproof-corpus."""
    place = _installed_folder() if path == INSTALLED_CORPUS else Path(path)
    try:
        return open_set(place, text_of(sys.stdin.buffer) if path == "-" else None)
    except (CorpusError, ValueError) as error:
        words = str(error) if isinstance(error, CorpusError) else f"standard input: {error}"
        advice = "`wireproof corpus make RELEASE --output PATH` writes one."
        raise FatalError(words, advice) from error


def _installed_folder() -> Path:
    found = find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise FatalError(
            f"the package {_PACKAGE.replace('_', '-')} is not installed",
            "Install it, or name a corpus: --no-java PATH. In a checkout: --no-java corpus.",
            ExitCode.MISSING,
        )
    return Path(found.submodule_search_locations[0])


def use_corpus(path: str, *, malformed: bool = True, damaged: ExitCode = ExitCode.BROKEN) -> CorpusInUse:
    """Read the corpus that codecs are compared with.

    Args:
        malformed: whether to read the malformed entries, too.
        damaged: the exit code if the corpus is damaged.
    """
    source = open_corpus(path)
    cells: set[str] = set()
    entries: Counter[str] = Counter()
    jars: dict[str, str] = {}
    try:
        for _, part in source.index(tuple(CorpusKind) if malformed else (CorpusKind.GOLDEN,)):
            jars.update(part.head.jars)
            prefix = "" if part.head.kind == "golden" else f"{part.head.kind}, "
            cells.update(entry.cell for entry in part.entries)
            entries.update(f"{prefix}{entry.provenance}" for entry in part.entries)
    except CorpusError as error:
        if not entries and all("not an entry" in each.message for each in error.problems[:_LISTED]):
            raise FatalError(f"{path} is not a corpus: {error.problems[0]}") from error
        lines = "\n".join(first_lines([*map(str, error.problems)], _LISTED))
        raise FatalError(f"the corpus is not whole:\n{lines}", REWRITE_CORPUS, damaged) from error
    if not cells:
        raise FatalError(f"{path} holds no entry", "", ExitCode.NOTHING_RAN)
    return CorpusInUse(source, frozenset(cells), dict(entries), jars, malformed)


class KnownLayouts:
    """The layouts of all releases, by cell and module."""

    def __init__(self, source: SchemaSource | None = None) -> None:
        self._source = source
        self._layouts: dict[str, Layouts] = {}

    def __call__(self, module: str, cell_id: str) -> tuple[MessageLayout, MessageLayout | None]:
        wanted = CellId.parse(cell_id)
        release = wanted.release
        if release not in self._layouts:
            fork = self._source if fork_name_of(release) else None
            if fork is None and release not in {each.version for each in table()}:
                raise LookupError(release)
            try:
                self._layouts[release] = Layouts(snapshots([find_release(release, fork)]))
            except FatalError as error:
                raise LookupError(release) from error
        cell = wanted.in_module(module)
        layouts = self._layouts[release]
        try:
            return layouts.of(cell), layouts.header(cell)
        except (KeyError, ValueError) as error:
            raise LookupError(cell_id) from error


_FRAMED: Final = (MessageKind.REQUEST, MessageKind.RESPONSE)
_NOT_SENT: Final = "it is not sent as a frame: it lies on disk, in internal topics or inside other data"
_NOT_ADVERTISED: Final = "no listener that was captured advertises it"
_UNSEEN: Final = "no frame of it was captured, though its request was answered elsewhere in the capture"


class _Release:
    """The counts of a release.

    Attributes:
        cells: by provenance, the cells that have an entry of this provenance.
        with_content: response cells with a captured entry that is neither an error nor empty.
    """

    def __init__(self, release: str, folder: Path, fork: SchemaSource | None) -> None:
        own = fork is not None and fork_name_of(release)
        schemas = snapshots([find_release(release, fork) if own else table().find(release)])
        self.release = release
        self.entries: Counter[str] = Counter()
        self.cells: dict[Provenance, set[str]] = {each: set() for each in Provenance}
        self.with_content: set[str] = set()
        self.reach = read_coverage_report(folder, release)
        self._layouts = Layouts(schemas)
        self.every = list(all_cells(schemas[release]))

    def count(self, entry: GoldenEntry, module: str) -> None:
        self.entries[str(entry.provenance)] += 1
        self.cells[entry.provenance].add(entry.cell)
        layout = self._layouts.of(CellId.parse(entry.cell).in_module(module))
        captured = entry.provenance is Provenance.CAPTURED and layout.kind is MessageKind.RESPONSE
        if not captured or entry.cell in self.with_content:
            return
        if response_classifier(layout).has_content(canonical(layout).from_tree(entry.value)):
            self.with_content.add(entry.cell)

    def lines(self) -> Iterator[str]:
        entries = ", ".join(f"{count:,} {name}" for name, count in sorted(self.entries.items()))
        yield f"{self.release}: {counted(sum(self.entries.values()), 'entry', 'entries')}: {entries}"
        found: set[str] = set()
        parts = []
        for provenance, cells in self.cells.items():
            parts.append(f"{len(cells - found)} {'only ' if found else ''}{provenance}")
            found |= cells
        missing = len(self.every) - len(found)
        yield f"  {counted(len(self.every), 'cell')}: {', '.join(parts)}, {missing} without an entry"
        responses = {cell.id for cell in self.every if self._kind(cell) is MessageKind.RESPONSE}
        captured = len(responses & self.cells[Provenance.CAPTURED])
        share = f"{100 * len(self.with_content) / len(responses):.0f} %" if responses else "none"
        yield (
            f"  {counted(len(responses), 'cell')} of responses: {captured} captured, "
            f"{len(self.with_content)} ({share}) with "
            "neither an error nor nothing in it"
        )
        yield from reach_lines(self.reach)

    def missing(self) -> Iterator[tuple[str, str]]:
        """The cells without an entry from a broker, each with the reason."""
        real = self.cells[Provenance.CAPTURED] | self.cells[Provenance.BROKER_ACCEPTED]
        for cell in self.every:
            if cell.id not in real:
                yield cell.id, self._why(cell)

    def _why(self, cell: Cell) -> str:
        if self._kind(cell) not in _FRAMED:
            return _NOT_SENT
        name = cell.message.removesuffix("Response").removesuffix("Request") + "Request"
        pair = name, cell.version
        advertising = [each for each in self.reach.listeners.values() if pair in each.advertised]
        if not advertising:
            return _NOT_ADVERTISED
        reasons = {each.missing[pair] for each in advertising if pair in each.missing}
        ordered = sorted(reasons - {NOT_ASKED}) or sorted(reasons)
        return ordered[0] if ordered else _UNSEEN

    def _kind(self, cell: Cell) -> MessageKind:
        return self._layouts.of(cell).kind


def print_stats(path: str, *, missing: bool, fork: SchemaSource | None = None) -> None:
    """Print the statistics of a corpus; with `missing` each cell without an entry from a broker."""
    source = open_corpus(path)
    releases: dict[str, _Release] = {}
    size = 0
    with as_fatal(CorpusError, ReleaseError, CodecError, exit_code=ExitCode.DIVERGENCE):
        for place, part in source.parts():
            size += Path(place).stat().st_size if source.in_folder else 0
            release = part.head.release
            if release not in releases:
                releases[release] = _Release(release, Path(path), fork)
            for entry in part.entries:
                if isinstance(entry, GoldenEntry):
                    releases[release].count(entry, part.head.module)
    for each in releases.values():
        if missing:
            for cell, reason in each.missing():
                echo(f"{cell}\t{reason}")
        else:
            echo_lines(each.lines())
    if size:
        echo(f"{counted(len(source.places), 'file')}, {size / 1e6:.1f} MB", err=True)


def reach_lines(reach: CoverageReport) -> Iterator[str]:
    """The pairs that the captures of a release reached, per listener, and the reasons for the others."""
    for name, each in sorted(reach.listeners.items()):
        answered = len(each.advertised & each.answered)
        with_content = len(each.advertised & each.with_content)
        yield (
            f"  {name}: {answered} of {len(each.advertised)} advertised pairs answered, {with_content} with "
            "neither an error nor nothing in it"
        )
        explained = {pair: reason for pair, reason in each.missing.items() if reason != NOT_ASKED}
        pairs = (((request, reason), version) for (request, version), reason in explained.items())
        for (request, reason), versions in grouped(pairs).items():
            yield f"    {request} {ranges_text(versions)}: {reason}"
        if len(explained) < len(each.missing):
            yield f"    {len(each.missing) - len(explained)} pairs: {NOT_ASKED}"
