"""``wireproof corpus stats``: the entries of each release by provenance, the gaps, and their reasons."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from kafkawire.canonical import canonical
from kafkawire.errors import CodecError
from kafkawire.schema import MessageKind
from wireproof.app.assembly.corpus.corpus_in_use import open_corpus
from wireproof.app.assembly.inputs.run_inputs import find_release
from wireproof.app.assembly.inputs.schema_snapshots import snapshots
from wireproof.base.fatal import FatalError
from wireproof.base.text.output import echo
from wireproof.base.text.wording import counted, ranges_text
from wireproof.kafka.releases import ReleaseError, table
from wireproof.model import Cell, CellId, fork_name_of
from wireproof.proof.config import SchemaSource
from wireproof.proof.run import ExitCode, Layouts, all_cells
from wireproof.traffic.corpus import (
    NOT_ASKED,
    CorpusError,
    CoverageReport,
    GoldenEntry,
    Provenance,
    read_coverage_report,
)
from wireproof.traffic.fingerprint import response_classifier

_FRAMED: Final = (MessageKind.REQUEST, MessageKind.RESPONSE)
_NOT_SENT: Final = "it is not sent as a frame: it lies on disk, in internal topics or inside other data"
_NOT_ADVERTISED: Final = "no listener that was captured advertises it"
_UNSEEN: Final = "no frame of it was captured, though its request was answered elsewhere in the capture"


class _Release:
    """The counts of a release.

    Attributes:
        cells: by provenance, the cells that have an entry of it.
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
        """Count one entry."""
        self.entries[str(entry.provenance)] += 1
        self.cells[entry.provenance].add(entry.cell)
        layout = self._layouts.of(CellId.parse(entry.cell).in_module(module))
        captured = entry.provenance is Provenance.CAPTURED and layout.kind is MessageKind.RESPONSE
        if not captured or entry.cell in self.with_content:
            return
        if response_classifier(layout).has_content(canonical(layout).from_tree(entry.value)):
            self.with_content.add(entry.cell)

    def lines(self) -> Iterator[str]:
        """The lines about the release."""
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
    """Print the statistics of a corpus; with `missing` each cell without an entry from a broker.

    Args:
        fork: the definitions of the fork that entries are of.

    Raises:
        FatalError: the corpus is damaged, or has entries of an unknown release.
    """
    source = open_corpus(path)
    releases: dict[str, _Release] = {}
    size = 0
    try:
        for place, part in source.parts():
            size += Path(place).stat().st_size if source.in_folder else 0
            release = part.head.release
            if release not in releases:
                releases[release] = _Release(release, Path(path), fork)
            for entry in part.entries:
                if isinstance(entry, GoldenEntry):
                    releases[release].count(entry, part.head.module)
    except (CorpusError, ReleaseError, CodecError) as error:
        raise FatalError(str(error), "", ExitCode.DIVERGENCE) from error
    for each in releases.values():
        if missing:
            for cell, reason in each.missing():
                echo(f"{cell}\t{reason}")
        else:
            for line in each.lines():
                echo(line)
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
        for request, reason, versions in _grouped(explained):
            yield f"    {request} {ranges_text(versions)}: {reason}"
        if len(explained) < len(each.missing):
            yield f"    {len(each.missing) - len(explained)} pairs: {NOT_ASKED}"


def _grouped(missing: Mapping[tuple[str, int], str]) -> Sequence[tuple[str, str, list[int]]]:
    groups: dict[tuple[str, str], list[int]] = {}
    for (request, version), reason in missing.items():
        groups.setdefault((request, reason), []).append(version)
    return [(request, reason, versions) for (request, reason), versions in groups.items()]
