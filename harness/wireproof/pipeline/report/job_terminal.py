"""The report for a terminal: the sums, and of each question the first lines."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from wireproof.base.text.foreign_text import printable
from wireproof.pipeline.report.report_data import CellReach, ReportData, short, size_text

_MOST: Final = 12
_FIGURE: Final = re.compile(r"[0-9][0-9,]*([.][0-9]+)?( [KMGT]?i?B|[kMGT%])?$")
_NO_NAME: Final = "(no name)"


def report_lines(data: ReportData) -> Iterator[RenderableType]:
    """Tables, one below the other."""
    sections = (
        ("Stages", ("table", "what its rows are", "rows"), _stages(data)),
        ("Coverage", ("release", "kind", "cells", "met", "classes", "met"), _coverage(data)),
        ("Messages", ("message", "frames", "bytes", "KIP-625 saves", "share"), _messages(data)),
        ("Saved by KIP-625", ("message", "field", "type", "bytes", "saved", "as"), _savings(data)),
        ("Clients", ("client", "APIs", "requests", "errors", "versions of the most used"), _clients(data)),
        (
            "Disagreements",
            ("message", "versions", "verdict", "field", "frames"),
            _disagreements(data),
        ),
        ("Quarantine", ("stage", "reason", "rows", "bytes"), _quarantine(data)),
    )
    for title, heads, rows in sections:
        found = list(rows)
        if found:
            yield _table(title, heads, found)


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Table:
    table = Table(title=f"\n{title}", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for place, head in enumerate(heads):
        figures = all(_FIGURE.match(row[place]) for row in rows)
        table.add_column(head, justify="right" if figures else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(printable(text)) for text in row))
    return table


def _stages(data: ReportData) -> Iterator[Sequence[str]]:
    for name, about, rows in data.stages():
        yield name, about, f"{rows:,}"


def _coverage(data: ReportData) -> Iterator[Sequence[str]]:
    groups: dict[tuple[str, str], list[CellReach]] = {}
    for each in data.cells:
        groups.setdefault((each.release, each.kind), []).append(each)
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


def _quarantine(data: ReportData) -> Iterator[Sequence[str]]:
    for each in data.quarantine[:_MOST]:
        yield each["stage"], each["reason"], short(each["rows"]), size_text(each["bytes"])
