"""The report as one page of HTML: plots, tables and the schemas, nothing of it loaded from elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from math import log1p
from typing import Any, Final

from markupsafe import Markup

from wireproof.pipeline.report.report_data import CellReach, ReportData, short, size_text
from wireproof.pipeline.report.report_plots import coverage_plot, savings_plots, traffic_plot
from wireproof.pipeline.tables import TABLES
from wireproof.verdict.report.html import render

_TEMPLATE: Final = "job.html"
_MOST_ROWS: Final = 100


def report_page(data: ReportData) -> str:
    """Return the page of a job, as HTML."""
    by_message, by_field = savings_plots(data)
    return render(
        _TEMPLATE,
        data=data,
        short=short,
        size_text=size_text,
        tiles=list(_tiles(data)),
        heat=[(release, Markup(coverage_plot(data, release))) for release in data.releases],
        missing=list(_missing(data.cells)),
        traffic=Markup(traffic_plot(data)),
        clients=_clients(data),
        saved_messages=Markup(by_message),
        saved_fields=Markup(by_field),
        savings=data.savings()[:_MOST_ROWS],
        disagreements=data.disagreements[:_MOST_ROWS],
        quarantine=data.quarantine[:_MOST_ROWS],
        tables=TABLES,
    )


def _tiles(data: ReportData) -> Iterator[tuple[str, str, bool]]:
    """The first numbers that one wants to know: figure, words, and whether it calls for attention."""
    counts, framed = data.counts, data.framed
    size = sum(each.bytes for each in data.messages())
    saved = sum(each.saved_bytes for each in data.messages())
    yield f"{counts['frames']:,}", "frames with a name", False
    yield size_text(size), "on the wire", False
    yield f"{counts['divergences']:,}", "divergences", counts["divergences"] > 0
    met = sum(each.frames > 0 for each in framed)
    yield f"{met:,} of {len(framed):,}", "requests and responses met, version by version", False
    yield f"{counts['entries']:,}", "entries of the corpus", False
    yield f"{saved / size if size else 0:.1%}", "of all bytes KIP-625 would save", False
    yield f"{sum(each['rows'] for each in data.quarantine):,}", "held up, each with its reason", False


def _missing(cells: Sequence[CellReach]) -> Iterator[tuple[str, str, int, int]]:
    """Yield, by release and kind of message, how many versions of messages exist, and how many the job
    read.
    """
    for release, kind in sorted({(each.release, each.kind) for each in cells}):
        of_kind = [each for each in cells if (each.release, each.kind) == (release, kind)]
        yield release, kind, len(of_kind), sum(each.frames > 0 for each in of_kind)


def _clients(data: ReportData) -> Mapping[str, Any]:
    """A row an API, a column a client: versions, and how many requests, the darker the more."""
    uses = data.uses()
    sums: dict[str, int] = {}
    for each in uses:
        sums[each.client] = sums.get(each.client, 0) + each.requests
    most = log1p(max((each.requests for each in uses), default=1) or 1)
    found = {(each.api, each.client): (each, 0.06 + 0.5 * log1p(each.requests) / most) for each in uses}
    return {
        "names": sorted(sums, key=lambda name: (-sums[name], name)),
        "sums": sums,
        "apis": sorted({each.api for each in uses}),
        "uses": found,
    }
