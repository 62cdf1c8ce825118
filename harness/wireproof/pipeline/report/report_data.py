"""The data of a job's report, and the report for a terminal: sums, and the first lines of each table."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.dataset as ds  # type: ignore[import-untyped]
from rich.console import RenderableType
from rich.table import Table as RichTable
from rich.text import Text

from wireproof.base.grouping import grouped
from wireproof.base.text.wording import printable, ranges_text
from wireproof.pipeline.job.output_folder import read_job
from wireproof.pipeline.job.spark_job import table_folder
from wireproof.pipeline.job_plan import OutputError
from wireproof.pipeline.tables import columns as c
from wireproof.pipeline.tables.definition import Table
from wireproof.pipeline.tables.report.classes_table import CLASSES
from wireproof.pipeline.tables.report.clients_table import CLIENTS
from wireproof.pipeline.tables.report.coverage_table import COVERAGE
from wireproof.pipeline.tables.report.disagreements_table import DISAGREEMENTS
from wireproof.pipeline.tables.report.sizes_table import SIZES
from wireproof.pipeline.tables.stages.quarantine_table import QUARANTINE

Record: TypeAlias = Mapping[str, Any]
"""A row of a table, by column."""

_CELL: Final = ("release", "module", "message", "version")
_STAGES: Final = (
    ("chunks", "entries of the segment files", "chunks"),
    ("frames", "frames with a name", "frames"),
    ("readings", "read by Kafka's classes and by our codec", "readings"),
    ("readings", "on which both agree", "agreed"),
    ("divergences", "on which they do not", "divergences"),
    ("fingerprints", "different fingerprints of the agreed frames", "fingerprints"),
    ("candidates", "redacted messages that may become entries", "candidates"),
    ("chosen", "chosen of them", "chosen"),
    ("entries", "entries of the corpus", "entries"),
)


@dataclass(frozen=True, slots=True)
class CellReach:
    """One message at one version, of all provenances together."""

    release: str
    module: str
    message: str
    version: int
    kind: str
    frames: int
    bytes: int
    classes_met: int
    classes: int
    entries: int

    @property
    def share(self) -> float:
        """The share of the reachable classes that are covered."""
        return self.classes_met / self.classes if self.classes else 0.0


@dataclass(frozen=True, slots=True)
class ClientUse:
    """The requests of one client for one API."""

    client: str
    api: str
    versions: str
    listeners: tuple[str, ...]
    requests: int
    answers: int
    error_answers: int


@dataclass(frozen=True, slots=True)
class MessageSize:
    """The bytes of a message in all versions, and the bytes that KIP-625 would save."""

    message: str
    frames: int
    bytes: int
    saved_bytes: int


@dataclass(frozen=True, slots=True)
class ReportData:
    """The data of a job's report.

    Attributes:
        about, counts: the members of `job.json` with these names.
        quarantine: stage, reason, rows and bytes, by descending number of rows.
    """

    about: Record
    counts: Mapping[str, int]
    coverage: Sequence[Record]
    cells: Sequence[CellReach]
    clients: Sequence[Record]
    sizes: Sequence[Record]
    disagreements: Sequence[Record]
    quarantine: Sequence[Record]

    @property
    def releases(self) -> list[str]:
        return sorted({each.release for each in self.cells})

    @property
    def framed(self) -> list[CellReach]:
        """The cells that are frames: requests and responses."""
        return [each for each in self.cells if each.kind in c.FRAMED]

    def stages(self) -> Iterator[tuple[str, str, int]]:
        """Yield each table, with a description of a row and the number of rows."""
        for name, about, key in _STAGES:
            yield name, about, self.counts[key]
        held = sum(each["rows"] for each in self.quarantine)
        yield "quarantine", "held up on the way, each with its reason", held

    def uses(self) -> list[ClientUse]:
        """Return the sums by client and API, over all versions, listeners and releases."""
        groups = grouped(((row["client"], row["api"]), row) for row in self.clients)
        return [_use(client, api, rows) for (client, api), rows in sorted(groups.items())]

    def messages(self) -> list[MessageSize]:
        """Return the sums by message, the largest first."""
        frames: dict[str, int] = Counter()
        for each in self.framed:
            frames[each.message] += each.frames
        size, saved = self._sums("bytes"), self._sums("saved_bytes")
        found = [MessageSize(name, frames[name], size[name], saved[name]) for name in size]
        return sorted(found, key=lambda each: (-each.bytes, each.message))

    def savings(self) -> list[Record]:
        """Return what KIP-625 would save by message and field, over all versions, the most first."""
        groups: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        encodings: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        for row in self.sizes:
            if row["encoding"] is not None:
                key = row["message"], row["field"], row["type"]
                for name in ("values", "fixed_bytes", "saved_bytes"):
                    groups[key][name] += row[name]
                encodings[key][row["encoding"]] += row["values"]
        found = [
            {"message": key[0], "field": key[1], "type": key[2], **sums, "encoding": _most(encodings[key])}
            for key, sums in groups.items()
        ]
        return sorted(found, key=lambda each: (-each["saved_bytes"], each["message"], each["field"]))

    def _sums(self, column: str) -> Counter[str]:
        found: Counter[str] = Counter()
        for row in self.sizes:
            found[row["message"]] += row[column] or 0
        return found

    def as_json(self) -> Mapping[str, Any]:
        """Return the tables and the sums for programs."""
        return {
            "job": self.about,
            "counts": self.counts,
            "coverage": self.coverage,
            "clients": self.clients,
            "sizes": self.sizes,
            "disagreements": self.disagreements,
            "quarantine": self.quarantine,
        }


def read_report_data(folder: Path) -> ReportData:
    """Read the report data of a job's output folder."""
    job = read_job(folder)
    if "counts" not in job:
        advice = "Type `wireproof pipeline run` as it was typed: it goes on where it was."
        raise OutputError(f"{folder} holds a job that is not whole yet", advice)
    if "chunks" not in job["counts"]:
        advice = f"Its blocks are the Parquet files of {folder / 'results'}."
        raise OutputError(f"{folder} is the output of a campaign, which has no report tables", advice)
    try:
        coverage = _rows(folder, COVERAGE)
        return ReportData(
            job["about"],
            job["counts"],
            coverage,
            list(_cells(coverage, _met(folder))),
            _rows(folder, CLIENTS),
            _rows(folder, SIZES),
            _rows(folder, DISAGREEMENTS),
            _quarantine(folder),
        )
    except (OSError, pa.ArrowException) as error:  # the file is damaged, or has other columns
        advice = "Run the job again, in a new folder."
        raise OutputError(f"a table of {folder} cannot be read: {error}", advice) from error


def _dataset(folder: Path, table: Table) -> ds.Dataset:
    return ds.dataset(table_folder(folder, table), format="parquet")


def _rows(folder: Path, table: Table) -> list[Record]:
    """The rows of a small table, in the order of the table's first columns."""
    found: list[Record] = _dataset(folder, table).to_table(columns=table.schema.names).to_pylist()
    return found


def _met(folder: Path) -> Mapping[tuple[Any, ...], int]:
    """Return how many classes each cell covers, of any provenance."""
    columns = [*_CELL, "field", "class"]
    met = _dataset(folder, CLASSES).to_table(columns, filter=ds.field("reachable") & (ds.field("frames") > 0))
    once = met.group_by(columns).aggregate([])
    counted = once.group_by(list(_CELL)).aggregate([([], "count_all")]).to_pylist()
    return {tuple(row[name] for name in _CELL): row["count_all"] for row in counted}


def _cells(coverage: Sequence[Record], met: Mapping[tuple[Any, ...], int]) -> Iterator[CellReach]:
    groups = grouped((tuple(row[name] for name in _CELL), row) for row in coverage)
    for cell, rows in sorted(groups.items()):
        yield CellReach(
            **dict(zip(_CELL, cell, strict=True)),
            kind=rows[0]["kind"],
            frames=sum(row["frames"] for row in rows),
            bytes=sum(row["bytes"] for row in rows),
            classes_met=met.get(cell, 0),
            classes=rows[0]["classes"],
            entries=sum(row["entries"] for row in rows),
        )


def _use(client: str, api: str, rows: Sequence[Record]) -> ClientUse:
    versions = ranges_text([row["version"] for row in rows])
    listeners = tuple(sorted({row["listener"] for row in rows}))
    sums = (sum(row[name] for row in rows) for name in ("requests", "answers", "error_answers"))
    return ClientUse(client, api, versions, listeners, *sums)


def _quarantine(folder: Path) -> list[Record]:
    """Return the rows and bytes by stage and reason, summed up while the table is read in batches."""
    rows: Counter[tuple[str, str]] = Counter()
    size: Counter[tuple[str, str]] = Counter()
    columns = ["stage", "reason", "size_bytes"]
    for batch in _dataset(folder, QUARANTINE).to_batches(columns=columns):
        for stage, reason, bytes_ in zip(*(batch.column(name).to_pylist() for name in columns), strict=True):
            rows[stage, reason] += 1
            size[stage, reason] += bytes_
    return [
        {"stage": stage, "reason": reason, "rows": number, "bytes": size[stage, reason]}
        for (stage, reason), number in sorted(rows.items(), key=lambda each: (-each[1], each[0]))
    ]


def _most(counted: Counter[str]) -> str:
    return max(sorted(counted), key=lambda name: counted[name])


def short(number: float) -> str:
    """``999``, ``1.2k``, ``35M``."""
    return _scaled(number, 1000, ("", "k", "M", "G", "T"))


def size_text(size: float) -> str:
    """``999 B``, ``1.2 KiB``."""
    return _scaled(size, 1024, (" B", " KiB", " MiB", " GiB", " TiB"))


def _scaled(number: float, step: int, units: Sequence[str]) -> str:
    place = 0
    while number >= step and place + 1 < len(units):
        number, place = number / step, place + 1
    digits = 1 if place and number < 10 else 0
    return f"{number:.{digits}f}{units[place]}"


_MOST: Final = 12
_FIGURE: Final = re.compile(r"[0-9][0-9,]*([.][0-9]+)?( [KMGT]?i?B|[kMGT%])?$")
_NO_NAME: Final = "(no name)"


def report_lines(data: ReportData) -> Iterator[RenderableType]:
    """Tables, one below the other."""
    stages = ((name, about, f"{rows:,}") for name, about, rows in data.stages())
    sections = (
        ("Stages", ("table", "what its rows are", "rows"), stages),
        ("Coverage", ("release", "kind", "cells", "met", "classes", "met"), _coverage(data)),
        ("Messages", ("message", "frames", "bytes", "KIP-625 saves", "share"), _messages(data)),
        ("Saved by KIP-625", ("message", "field", "type", "bytes", "saved", "as"), _savings(data)),
        ("Clients", ("client", "APIs", "requests", "errors", "versions of the most used"), _clients(data)),
        ("Disagreements", ("message", "versions", "verdict", "field", "frames"), _disagreements(data)),
        ("Quarantine", ("stage", "reason", "rows", "bytes"), _quarantine_rows(data)),
    )
    for title, heads, rows in sections:
        found = list(rows)
        if found:
            yield _table(title, heads, found)


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> RichTable:
    table = RichTable(title=f"\n{title}", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for place, head in enumerate(heads):
        figures = all(_FIGURE.match(row[place]) for row in rows)
        table.add_column(head, justify="right" if figures else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(text)) for text in row))
    return table


def _coverage(data: ReportData) -> Iterator[Sequence[str]]:
    groups = grouped(((each.release, each.kind), each) for each in data.cells)
    for (release, kind), cells in sorted(groups.items()):
        met = [each for each in cells if each.frames]
        classes = sum(each.classes_met for each in met), sum(each.classes for each in cells)
        yield release, kind, f"{len(cells):,}", f"{len(met):,}", f"{classes[1]:,}", f"{classes[0]:,}"


def _messages(data: ReportData) -> Iterator[Sequence[str]]:
    for each in data.messages()[:_MOST]:
        share = each.saved_bytes / each.bytes if each.bytes else 0.0
        saved = size_text(each.saved_bytes)
        yield each.message, f"{each.frames:,}", size_text(each.bytes), saved, f"{share:.1%}"


def _savings(data: ReportData) -> Iterator[Sequence[str]]:
    for each in data.savings()[:_MOST]:
        saved, now = size_text(each["saved_bytes"]), size_text(each["fixed_bytes"])
        yield each["message"], each["field"], each["type"], now, saved, each["encoding"]


def _clients(data: ReportData) -> Iterator[Sequence[str]]:
    uses = data.uses()
    for name in sorted({each.client for each in uses}):
        own = sorted((each for each in uses if each.client == name), key=lambda each: -each.requests)
        requests, errors = (sum(getattr(each, of) for each in own) for of in ("requests", "error_answers"))
        most = "; ".join(f"{each.api} {each.versions}" for each in own[:4])
        yield name or _NO_NAME, f"{len(own)}", f"{requests:,}", f"{errors:,}", most


def _disagreements(data: ReportData) -> Iterator[Sequence[str]]:
    for each in data.disagreements[:_MOST]:
        versions = ", ".join(map(str, each["versions"]))
        yield each["message"], versions, each["verdict"], each["path"], f"{each['frames']:,}"


def _quarantine_rows(data: ReportData) -> Iterator[Sequence[str]]:
    for each in data.quarantine[:_MOST]:
        yield each["stage"], each["reason"], short(each["rows"]), size_text(each["bytes"])
