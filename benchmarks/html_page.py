"""The page of a run with 10 MB of events: seconds to make it, and seconds until Chromium has drawn it.

    python benchmarks/html_page.py [--megabytes N] [--runs N]

Needs Chromium, and playwright, as `tox run -e browser` does. The events are those of
a real run of a small release with a planted error, repeated under other message names, with a field and a
sentence of their own each, so that no two findings are one group: the worst for the page. Exits 1 where the
page is not drawn within 2 s (median).
"""

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.browser.watched_page import start_chromium
from tests.support.reports.planted_run import events
from wireproof.proof.run import CellResult, FailedCase, RunEvent, RunFooter, RunHeader
from wireproof.verdict.report import EventFile
from wireproof.verdict.report.events.merged_runs import RunFiles
from wireproof.verdict.report.run.html_report import render_html
from wireproof.verdict.report.run_summary import RunSummary

PROMISED_S: Final = 2.0
_DRAWN: Final = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def main() -> int:
    """Read the options, make the events, and measure."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--megabytes", type=float, default=10, help="of events")
    parser.add_argument("--runs", type=int, default=5, help="of the browser")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wireproof-benchmark-") as folder:
        file, page = Path(folder) / "events.ndjson", Path(folder) / "page.html"
        write_events(file, round(options.megabytes * 1e6))
        started = time.monotonic()
        summary = RunSummary()
        for event in RunFiles([file]).events():
            summary(event)
        page.write_text(render_html(summary), encoding="utf-8")
        made_s = time.monotonic() - started
        print(f"{file.stat().st_size / 1e6:.1f} MB of events, {len(summary.findings):,} findings")
        print(f"made in {made_s:.2f} s: {page.stat().st_size / 1e6:.2f} MB of HTML")
        with sync_playwright() as playwright:
            browser = start_chromium(playwright)
            drawn_s = statistics.median(drawn(browser, page) for _ in range(options.runs))
            browser.close()
    print(f"drawn in {drawn_s:.2f} s, median of {options.runs}; promised: {PROMISED_S:.0f} s")
    return int(drawn_s > PROMISED_S)


def write_events(file: Path, least_bytes: int) -> None:
    """Write an event file of at least this size."""
    found = events()
    with file.open("w", encoding="utf-8") as stream:
        write = EventFile(stream)
        write(next(each for each in found if isinstance(each, RunHeader)))
        number = 0
        while file.stat().st_size < least_bytes:
            for event in repeated(found, number):
                write(event)
            number += 1
        write(next(each for each in found if isinstance(each, RunFooter)))


def repeated(found: tuple[RunEvent, ...], number: int) -> Iterator[RunEvent]:
    """Yield the results and failures of the run under other names of messages."""
    for event in found:
        if isinstance(event, CellResult | FailedCase):
            cell = replace(event.cell, message=f"{event.cell.message}{number}")
            if isinstance(event, FailedCase):
                first = replace(event.divergences[0], summary=f"{event.divergences[0].summary} ({number})")
                case_id = event.case_id.replace(event.cell.message, cell.message)
                yield replace(event, cell=cell, case_id=case_id, divergences=(first,))
            else:
                yield replace(event, cell=cell)


def drawn(browser: Browser, page: Path) -> float:
    """Seconds from the request to the second frame after the page is loaded."""
    opened = browser.new_page()
    started = time.monotonic()
    opened.goto(page.as_uri(), wait_until="load")
    opened.evaluate(_DRAWN)
    spent_s = time.monotonic() - started
    opened.close()
    return spent_s


if __name__ == "__main__":
    sys.exit(main())
