"""The page of the matrix: which codec handles which message, down to the bytes of each deviation."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from wireproof.base.text.wording import counted, numbers_in
from wireproof.model.agreement import CodecTask
from wireproof.proof.checks.check_table import ROWS
from wireproof.verdict.report.comparison.codec_deviations import SavedDeviation
from wireproof.verdict.report.comparison.matrix_document import MatrixCodec, MatrixDocument, MatrixMessage
from wireproof.verdict.report.comparison.scoreboard import CellStatus
from wireproof.verdict.report.findings import replay_command
from wireproof.verdict.report.html.page import render
from wireproof.verdict.report.html.run_findings import ByteTable, evidence_table
from wireproof.verdict.report.html.state_map import LEGEND, MapCell, MapPart, MapRow, MapState, StateMap

_STATES: Final[Mapping[CellStatus, MapState]] = {
    CellStatus.FAILED: MapState.FINDING,
    CellStatus.KNOWN: MapState.KNOWN,
    CellStatus.UNREACHED: MapState.UNASKED,
    CellStatus.PROVEN: MapState.PROVEN,
}
"""The states of the page, the one that needs most attention first."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """The answers of one codec to one message: for each task, the states with their versions as ranges."""

    message: str
    release: str
    codec: str
    tasks: tuple[tuple[tuple[MapState, str], ...], ...]

    @property
    def states(self) -> str:
        """The states, each once, separated by spaces."""
        found = {state for task in self.tasks for state, _ in task} or {MapState.UNCLAIMED}
        return " ".join(state for state in MapState if state in found)

    @property
    def filter(self) -> str:
        """The filter that shows only this row, and its deviations."""
        return urlencode({"message": self.message, "codec": self.codec})


@dataclass(frozen=True, slots=True)
class CodecRow:
    """A codec over all messages: for each task, the number of versions in each state."""

    codec: MatrixCodec
    counts: tuple[tuple[tuple[MapState, int], ...], ...]
    deviations: int
    findings: int

    @property
    def filter(self) -> str:
        """The filter that shows the codec alone."""
        return urlencode({"codec": self.codec.name})


@dataclass(frozen=True, slots=True)
class DeviationView:
    """A deviation as the page shows it.

    Attributes:
        bytes: None where no bytes are known.
        replay, beside: the commands that try the case again with this codec, and with all codecs.
    """

    anchor: str
    found: SavedDeviation
    verifies: str
    bytes: ByteTable | None
    replay: str
    beside: str

    @property
    def state(self) -> MapState:
        """The state of the versions that show it."""
        return MapState.KNOWN if self.found.entry else MapState.FINDING

    @property
    def messages(self) -> str:
        """The messages, separated by spaces, for the filter."""
        return " ".join(sorted({place.message for place in self.found.places}))

    @property
    def versions(self) -> str:
        """The versions, separated by spaces, for the filter."""
        numbers = {number for place in self.found.places for number in numbers_in(place.versions)}
        return " ".join(map(str, sorted(numbers)))


def as_html(document: MatrixDocument) -> str:
    rows = [row for message in document.messages for row in _rows(document, message)]
    views = list(_views(document))
    state_map = _map(document, rows)
    found = [view for view in views if view.state is MapState.FINDING]
    return render(
        "matrix.html",
        document=document,
        releases=", ".join(document.releases),
        tone="bad" if found else "wary" if views or not document.complete else "good",
        words=_words(document, views),
        tiles=list(_tiles(document, views)),
        codecs=codec_rows(document),
        map=state_map,
        counts=_counts(document, rows),
        legend_signs=LEGEND,
        states=list(MapState),
        tasks=[task.value for task in CodecTask],
        rows=rows,
        views=views,
        checks=sorted({view.found.check for view in views}),
        command=shlex.join(document.command),
    )


def codec_rows(document: MatrixDocument) -> list[CodecRow]:
    """Return each codec over all messages."""
    rows = [row for message in document.messages for row in _rows(document, message)]
    return [_codec_row(codec, rows, document.deviations) for codec in document.codecs]


def _codec_row(
    codec: MatrixCodec, rows: Sequence[VersionRow], deviations: Sequence[SavedDeviation]
) -> CodecRow:
    tasks: list[Counter[MapState]] = [Counter() for _ in CodecTask]
    for row in rows:
        if row.codec == codec.name:
            for count, found in zip(tasks, row.tasks, strict=True):
                count.update({state: len(numbers_in(versions)) for state, versions in found})
    counts = tuple(tuple((state, task[state]) for state in MapState if task[state]) for task in tasks)
    own = [each for each in deviations if each.codec == codec.name]
    findings = sum(not each.entry for each in own)
    return CodecRow(codec, counts, len(own) - findings, findings)


def _rows(document: MatrixDocument, message: MatrixMessage) -> Iterator[VersionRow]:
    for codec in document.codecs:
        scores = message.codecs[codec.name]
        tasks = tuple(
            tuple(
                (state, scores[task][status]) for status, state in _STATES.items() if status in scores[task]
            )
            for task in CodecTask
        )
        yield VersionRow(message.message, message.release, codec.name, tasks)


def _map(document: MatrixDocument, rows: Sequence[VersionRow]) -> StateMap:
    several = len(document.releases) > 1
    cells: dict[tuple[str, str], dict[str, MapCell]] = {}
    for row in rows:
        parts = tuple(
            MapPart(task, found[0][0] if found else MapState.UNCLAIMED)
            for task, found in zip(CodecTask, row.tasks, strict=True)
        )
        cell = MapCell(f"{row.message}, {row.codec}", row.codec, parts, row.filter)
        cells.setdefault((row.release, row.message), {})[row.codec] = cell
    made = tuple(
        MapRow(f"{release} {message}" if several else message, found, urlencode({"message": message}))
        for (release, message), found in cells.items()
    )
    columns = tuple(codec.name for codec in document.codecs)
    return StateMap(f"Kafka {', '.join(document.releases)}", "message", "codec", columns, made)


def _counts(document: MatrixDocument, rows: Sequence[VersionRow]) -> dict[MapState, int]:
    """The number of versions in each state, over all codecs and tasks."""
    counts = dict.fromkeys(MapState, 0)
    for row in rows:
        for task in row.tasks:
            for state, versions in task:
                counts[state] += len(numbers_in(versions))
    every = sum(len(numbers_in(each.versions)) for each in document.messages)
    counts[MapState.UNCLAIMED] = every * len(document.codecs) * len(CodecTask) - sum(counts.values())
    return counts


def _views(document: MatrixDocument) -> Iterator[DeviationView]:
    testees = {codec.name: codec.testee for codec in document.codecs}
    for number, each in enumerate(document.deviations, 1):
        row = ROWS.get(each.check)
        case = each.smallest.case
        yield DeviationView(
            anchor=f"deviation-{number}",
            found=each,
            verifies="" if row is None else row.verifies,
            bytes=evidence_table(each.smallest.bytes),
            replay=replay_command(case, testees.get(each.codec, "")),
            beside=shlex.join(["wireproof", "matrix", "--case", case]),
        )


def _words(document: MatrixDocument, views: Sequence[DeviationView]) -> str:
    found = sum(view.state is MapState.FINDING for view in views)
    known = len(views) - found
    parts = [f"{counted(found, 'finding')} that no ledger explains"] if found else []
    parts += [f"{counted(known, 'known deviation')}"] if known else []
    rest = "" if document.complete else " Not every cell was reached."
    return f"{', '.join(parts) or 'No codec deviates from Kafka'}.{rest}"


def _tiles(document: MatrixDocument, views: Sequence[DeviationView]) -> Iterator[tuple[str, str, bool]]:
    """Yield a figure, its words, and whether it calls for attention."""
    found = sum(view.state is MapState.FINDING for view in views)
    yield f"{len(document.codecs):,}", "codecs", False
    yield f"{len(document.messages):,}", "messages", False
    yield f"{document.cells:,}", "message versions", not document.complete
    yield f"{max(document.cases.values(), default=0):,}", "cases", False
    yield f"{found:,}", "finding" if found == 1 else "findings", found > 0
    yield f"{len(views) - found:,}", "known deviations", False
