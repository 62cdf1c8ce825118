"""A corpus as a run is handed it: read once, held to be whole, its cells and provenance counted."""

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kafkawire.schema.layout import MessageLayout
from wireproof.app.assembly.inputs.run_inputs import find_release, wanted_releases
from wireproof.app.assembly.inputs.schema_snapshots import snapshots
from wireproof.base.fatal import FatalError, as_fatal
from wireproof.base.text.parsing import text_of
from wireproof.kafka.releases import Release, ReleaseError, table
from wireproof.model import CellId, base_of, fork_name_of, release_in
from wireproof.proof.config import INSTALLED_CORPUS, SchemaSource
from wireproof.proof.run import ExitCode, Layouts, RunHeader
from wireproof.traffic.corpus import CorpusError, CorpusKind, CorpusSet, open_set

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
"""The advice about a corpus that is not whole."""


@dataclass(frozen=True, slots=True)
class CorpusInUse:
    """A corpus that is whole.

    Attributes:
        cells: the ids of the cells that it has entries of.
        entries: how many, by provenance; malformed ones are counted as ``malformed, oracle-made``.
        jars: of Kafka's classes that the entries were made or checked with, with their SHA-256.
        malformed: whether malformed entries are wanted as well.
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
        """The releases of its entries; of these the ones that the words name, where there are any.

        Args:
            source: the definitions of the fork that the entries are of.

        Raises:
            FatalError: one is not known, or none is left.
        """
        theirs = sorted({release_in(cell) for cell in self.cells})
        known = {release.version: release for release in table()}
        if source is not None:
            known = {each.version: each for each in map(partial(_fork, source), theirs)}
        odd = [name for name in theirs if name not in known]
        if odd:
            raise FatalError(
                f"the set has entries of {', '.join(odd)}, of which this wireproof knows nothing",
                "Name the definitions of a fork with --schemas DIR. `wireproof releases` lists the releases.",
                ExitCode.USAGE,
            )
        with as_fatal(ReleaseError, exit_code=ExitCode.USAGE):
            wanted = {release.version for word in words for release in table().choose(base_of(word))}
        found = [known[name] for name in theirs if not words or base_of(name) in wanted]
        for release in found:
            self._check_definitions(release)
        if not found:
            advice = f"It has {', '.join(theirs)}."
            raise FatalError("the set has no entry of that release", advice, ExitCode.NOTHING_RAN)
        return found

    def _check_definitions(self, release: Release) -> None:
        """Check that the entries of a fork were made with its definitions.

        Raises:
            FatalError: they were made with others.
        """
        fork = release.fork
        if fork is not None and self.jars.get(fork.digest_name) != fork.sha256:
            raise FatalError(
                f"the corpus was made with other definitions of {fork.name} than {fork.folder} has",
                f"Make it again: `wireproof corpus make {release.original} --schemas {fork.folder}`.",
                ExitCode.USAGE,
            )


def _fork(source: SchemaSource, name: str) -> Release:
    """The fork of the release that entries are of."""
    (found,) = wanted_releases(table(), [name], (), source)
    return found


def open_corpus(path: str) -> CorpusSet:
    """The corpus in a folder, in a file, on standard input, or in the package wireproof-corpus.

    Raises:
        FatalError: there is none.
    """
    place = _installed_folder() if path == INSTALLED_CORPUS else Path(path)
    try:
        return open_set(place, text_of(sys.stdin.buffer) if path == "-" else None)
    except (CorpusError, ValueError) as error:
        words = str(error) if isinstance(error, CorpusError) else f"standard input: {error}"
        advice = "`wireproof corpus make RELEASE --output PATH` writes one."
        raise FatalError(words, advice, ExitCode.USAGE) from error


def _installed_folder() -> Path:
    """The folder of the package wireproof-corpus.

    Raises:
        FatalError: it is not installed.
    """
    found = find_spec(_PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise FatalError(
            f"the package {_PACKAGE.replace('_', '-')} is not installed",
            "Install it, or name a corpus: --no-java PATH. In a checkout: --no-java corpus.",
            ExitCode.MISSING,
        )
    return Path(found.submodule_search_locations[0])


def use_corpus(path: str, *, malformed: bool = True, damaged: ExitCode = ExitCode.BROKEN) -> CorpusInUse:
    """A corpus to hold codecs against.

    Args:
        malformed: whether its malformed entries are wanted as well.
        damaged: the exit code where it is not whole.

    Raises:
        FatalError: there is none, or it is not whole: then it says nothing about any codec.
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
            raise FatalError(f"{path} is not a corpus: {error.problems[0]}", "", ExitCode.USAGE) from error
        shown = [*map(str, error.problems[:_LISTED])]
        more = len(error.problems) - len(shown)
        lines = "\n".join([*shown, *([f"and {more} more"] if more else [])])
        raise FatalError(f"the corpus is not whole:\n{lines}", REWRITE_CORPUS, damaged) from error
    if not cells:
        raise FatalError(f"{path} holds no entry", "", ExitCode.NOTHING_RAN)
    return CorpusInUse(source, frozenset(cells), dict(entries), jars, malformed)


class KnownLayouts:
    """The layouts of all releases, by cell and module.

    Args:
        source: the definitions of a fork; cells of its name are known then, too.
    """

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
