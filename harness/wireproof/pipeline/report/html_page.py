"""The report as one page of HTML: plots, tables and schemas. The page loads nothing from elsewhere."""

import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import log1p
from typing import Any, Final

from markupsafe import Markup
from matplotlib import colormaps, rc_context
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MultipleLocator

from wireproof.base.text.wording import one_line
from wireproof.pipeline.report.report_data import CellReach, ReportData, short, size_text
from wireproof.pipeline.tables import TABLES
from wireproof.verdict.report.html.page import render

_INK: Final = "#1f2933"
_FAINT: Final = "#9aa5b1"
_BLANK: Final = "#eceff2"
_BLUE: Final = "#2f6db3"
_TEAL: Final = "#1b8a7a"
_AMBER: Final = "#d9822b"
_MAP: Final = colormaps["YlGnBu"]
_WIDTH_IN: Final = 11.0
_ROW_IN: Final = 0.175
_SMALL_PT: Final = 6.2
_MOST_MESSAGES: Final = 30
_MOST_FIELDS: Final = 30
_MOST_LETTERS: Final = 60
_STYLE: Final = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 8.5,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": _INK,
    "text.parse_math": False,
    "xtick.color": _INK,
    "ytick.color": _INK,
}
_ABOUT: Final = ("Creator", "Date", "Format", "Type")
"""Metadata that matplotlib would write into the file."""
_GROUP_ID: Final = re.compile(r'<g id="[^"]*"')
"""The ids of groups: nothing refers to them, and every figure of a page has the same ids."""
_KINDS: Final = ("request", "response")


def coverage_plot(data: ReportData, release: str) -> str:
    """The heat map of a release: a row for each API, a column for each version; requests beside responses."""
    cells = [each for each in data.framed if each.release == release]
    apis = sorted({_api(each) for each in cells})
    most = max((each.version for each in cells), default=0)
    top = max((each.share for each in cells), default=0.0) or 1.0
    scale = Normalize(0, top)

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        for kind, axes in zip(_KINDS, (left, right), strict=True):
            _heat(axes, [each for each in cells if each.kind == kind], apis, scale)
            axes.set_title(f"{kind.capitalize()}s", loc="left", fontsize=10, fontweight="bold", pad=26)
            axes.set_xlim(-0.5, most + 0.5)
            axes.set_ylim(len(apis) - 0.5, -0.5)
            axes.set_xticks(range(most + 1))
            axes.set_xlabel("version")
            axes.xaxis.set_label_position("top")
            axes.xaxis.tick_top()
            axes.tick_params(length=0, labelsize=7.5)
            axes.spines[:].set_visible(False)
        left.set_yticks(range(len(apis)), map(_label, apis))
        left.set_ylabel("API")
        bar = figure.colorbar(
            _mappable(scale), ax=[left, right], orientation="horizontal", shrink=0.4, aspect=40, pad=0.01
        )
        bar.set_label("value classes met, of those that frames of the cell can meet")
        bar.ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))
        bar.outline.set_visible(False)

    return _svg(f"coverage-{release}", 1.5 + _ROW_IN * len(apis), draw)


def _heat(axes: Axes, cells: Iterable[CellReach], apis: Sequence[str], scale: Normalize) -> None:
    """Draw a rectangle for each cell, with the number of its frames; grey for a cell without frames."""
    place = {name: number for number, name in enumerate(apis)}
    for each in cells:
        x, y = each.version, place[_api(each)]
        colour = _MAP(scale(each.share)) if each.frames else _BLANK
        axes.add_patch(Rectangle((x - 0.47, y - 0.45), 0.94, 0.9, facecolor=colour, linewidth=0))
        dark = bool(each.frames) and scale(each.share) > 0.55
        ink = "white" if dark else _INK if each.frames else _FAINT
        words = short(each.frames) if each.frames else "-"
        axes.text(x, y, words, ha="center", va="center", fontsize=_SMALL_PT, color=ink)


def traffic_plot(data: ReportData) -> str:
    """The plot of the frames and bytes of the messages with most traffic."""
    rows = data.messages()[:_MOST_MESSAGES]
    names = [each.message for each in rows]

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        _bars(left, names, [each.frames for each in rows], _BLUE, short)
        _bars(right, names, [each.bytes for each in rows], _TEAL, size_text)
        left.set_xlabel("frames")
        right.set_xlabel("bytes on the wire")
        left.set_title("Frames by message", loc="left", fontsize=10, fontweight="bold")
        right.set_title("Bytes by message", loc="left", fontsize=10, fontweight="bold")
        left.set_ylabel(f"message, the {len(rows)} with most bytes")

    return _svg("traffic", 1.0 + _ROW_IN * 1.25 * len(rows), draw)


def savings_plots(data: ReportData) -> tuple[str, str]:
    """Plots of the bytes that KIP-625 would save, by message and by field."""
    messages = sorted(data.messages(), key=lambda each: -each.saved_bytes)[:_MOST_MESSAGES]
    messages = [each for each in messages if each.saved_bytes]
    names = [each.message for each in messages]

    def by_message(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        _bars(left, names, [each.saved_bytes for each in messages], _AMBER, size_text)
        shares = [each.saved_bytes / each.bytes for each in messages]
        _bars(right, names, shares, _AMBER, lambda value: f"{value:.1%}")
        left.set_xlabel("bytes saved")
        right.set_xlabel("of the message's bytes")
        left.set_title("Saved, by message", loc="left", fontsize=10, fontweight="bold")
        right.set_title("Share of the message", loc="left", fontsize=10, fontweight="bold")
        left.set_ylabel("message, all versions")

    fields = [each for each in data.savings()[:_MOST_FIELDS] if each["saved_bytes"]]
    labels = [f"{each['message']}  {each['field']}" for each in fields]

    def by_field(figure: Figure) -> None:
        axes = figure.subplots()
        now = [each["fixed_bytes"] for each in fields]
        words = [
            f"{size_text(each['saved_bytes'])} of {size_text(each['fixed_bytes'])}: "
            f"{each['type']} as {each['encoding']}"
            for each in fields
        ]
        _bars(axes, labels, now, _BLANK, size_text, words)
        axes.barh(range(len(fields)), [each["saved_bytes"] for each in fields], color=_AMBER, height=0.72)
        axes.margins(x=0.42)
        axes.set_xlabel("bytes: what the numbers take now (grey), and what is saved of it")
        axes.set_ylabel("message and field, all versions")
        axes.set_title("Saved, by field", loc="left", fontsize=10, fontweight="bold")

    height = 1.0 + _ROW_IN * 1.25 * max(1, len(messages))
    return (
        _svg("saved-messages", height, by_message),
        _svg("saved-fields", 1.0 + _ROW_IN * 1.25 * max(1, len(fields)), by_field),
    )


def _bars(
    axes: Axes,
    names: Sequence[str],
    values: Sequence[float],
    colour: str,
    to_text: Callable[[float], str],
    words: Sequence[str] | None = None,
) -> None:
    """Draw horizontal bars, the first one on top, each followed by its number or by other words."""
    places = range(len(names))
    axes.barh(places, values, color=colour, height=0.72)
    label: Any = {"xytext": (3, 0), "textcoords": "offset points", "va": "center"}
    for place, value in zip(places, values, strict=True):
        said = to_text(value) if words is None else words[place]
        axes.annotate(said, (value, place), fontsize=_SMALL_PT + 0.6, **label)
    axes.set_yticks(places, map(_label, names))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.margins(x=0.12)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: to_text(value)))
    if to_text is size_text:
        axes.xaxis.set_major_locator(MultipleLocator(1 << int(max(values, default=0) / 5).bit_length()))
    axes.tick_params(length=0)
    axes.grid(axis="x", color=_BLANK)
    axes.set_axisbelow(True)


def _api(cell: CellReach) -> str:
    return cell.message.removesuffix("Request").removesuffix("Response")


def _label(name: str) -> str:
    """Return a name, cut so that it leaves room for the plot: names in forked schemas may have any length."""
    text = one_line(name)
    return text if len(text) <= _MOST_LETTERS else f"{text[:_MOST_LETTERS]}..."


def _mappable(scale: Normalize) -> Any:
    from matplotlib.cm import ScalarMappable

    return ScalarMappable(scale, _MAP)


def _svg(name: str, height_in: float, draw: Callable[[Figure], None]) -> str:
    """Return the figure as SVG. Its ids are unique in the page, and the same each time."""
    style: Any = {**_STYLE, "svg.hashsalt": name}
    with rc_context(style):
        figure = Figure(figsize=(_WIDTH_IN, height_in), layout="constrained")
        draw(figure)
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata=dict.fromkeys(_ABOUT), transparent=True)
    text = out.getvalue()
    return _GROUP_ID.sub("<g", text[text.index("<svg") :])


_TEMPLATE: Final = "job.html"
_MOST_ROWS: Final = 100


def report_page(data: ReportData) -> str:
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
    """Yield the most important numbers: figure, words, and whether the number calls for attention."""
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
    """Yield, by release and kind of message, the number of message versions, and the number of those that the
    job read.
    """
    for release, kind in sorted({(each.release, each.kind) for each in cells}):
        of_kind = [each for each in cells if (each.release, each.kind) == (release, kind)]
        yield release, kind, len(of_kind), sum(each.frames > 0 for each in of_kind)


def _clients(data: ReportData) -> Mapping[str, Any]:
    """Return a row for each API, a column for each client: versions, requests, and a shade for the latter."""
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
