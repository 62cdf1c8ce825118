"""The report as one page of HTML: plots, tables and the schemas, nothing of it loaded from elsewhere."""

from collections.abc import Iterator, Mapping, Sequence
from math import log1p
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wireproof.foreign_text import printable
from wireproof.pipeline.report.number_text import short, size_text
from wireproof.pipeline.report.report_data import CellReach, ReportData
from wireproof.pipeline.report.report_plots import coverage_plot, savings_plots, traffic_plot
from wireproof.pipeline.tables import TABLES

__all__ = ["report_page"]

_TEMPLATE: Final = "report.html"
_MOST_ROWS: Final = 100


def report_page(data: ReportData) -> str:
    """The page."""
    loader = PackageLoader("wireproof.pipeline.report", "pages")
    environment = Environment(
        loader=loader,
        autoescape=True,
        finalize=_printable,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"short": short, "size": size_text, "number": lambda each: f"{each:,}"}
    by_message, by_field = savings_plots(data)
    return environment.get_template(_TEMPLATE).render(
        data=data,
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


def _printable(value: Any) -> Any:
    """Make foreign text of an expression printable; leave our own markup as it is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _tiles(data: ReportData) -> Iterator[tuple[str, str]]:
    """The first numbers that one wants to know."""
    counts, framed = data.counts, data.framed
    size = sum(each.bytes for each in data.messages())
    saved = sum(each.saved_bytes for each in data.messages())
    yield f"{counts['frames']:,}", "frames with a name"
    yield size_text(size), "on the wire"
    yield f"{counts['divergences']:,}", "divergences"
    met = sum(each.frames > 0 for each in framed)
    yield f"{met:,} of {len(framed):,}", "requests and responses met, version by version"
    yield f"{counts['entries']:,}", "entries of the corpus"
    yield f"{saved / size if size else 0:.1%}", "of all bytes KIP-625 would save"
    yield f"{sum(each['rows'] for each in data.quarantine):,}", "held up, each with its reason"


def _missing(cells: Sequence[CellReach]) -> Iterator[tuple[str, str, int, int]]:
    """By release and kind of message: how many versions of messages there are, and how many were met."""
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
