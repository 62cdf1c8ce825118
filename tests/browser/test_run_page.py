"""The page of a run, clicked in Chromium: what a reader filters, opens, copies and prints."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.watched_page import THEMES, WIDTHS, assert_accessible
from tests.support.reports.planted_run import HEADER, events, summary_of
from tests.support.reports.sample_events import DIAGNOSIS, DONE, FAILED, FINISHED, STARTED
from wireproof.model.divergence import ByteEvidence, Divergence, NamedBytes
from wireproof.proof.run.core.cell_events import CellResult, FailedCase
from wireproof.proof.run.core.run_events import RunEvent, RunFooter
from wireproof.verdict.report.run.html_report import render_html

_HOSTILE: Final = (
    "<img src=x onerror=hit()>\x1b[31m::error::x\n</script><script>hit()</script>"
    "\"'><a href=javascript:hit()>[x](javascript:hit())|`\u202e"
)


@pytest.fixture(scope="session")
def run_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a run with a planted error, a ledger and unclaimed versions."""
    return written(tmp_path_factory.mktemp("run") / "page.html", *events())


def written(path: Path, *found: RunEvent) -> Path:
    path.write_text(render_html(summary_of(*found)), encoding="utf-8")
    return path


def shown_findings(page: Page) -> int:
    return page.locator("details.finding:visible").count()


def test_the_verdict_comes_first(run_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(run_page)

    assert page.title().startswith("Not proven. kafkawire[compiled] against Kafka 1.0.0")
    expect(page.locator(".verdict .words")).to_contain_text("Not proven. The codec and Kafka differ")
    assert page.locator(".verdict").bounding_box()["y"] < 100
    assert shown_findings(page) >= 2


def test_causes_come_before_findings_and_their_places_are_one_click_away(
    tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    """No script is needed."""
    path = written(tmp_path / "page.html", STARTED, FAILED, replace(DONE, diagnosis=DIAGNOSIS), FINISHED)
    page = open_page(path)
    cause = page.locator("#cause-1")

    expect(cause.locator("h3")).to_have_text(
        "A field that the caller leaves out is written as zero, empty or false"
    )
    assert cause.bounding_box()["y"] < page.locator("details.finding").first.bounding_box()["y"]
    expect(cause.locator(".places")).to_be_hidden()
    cause.locator("summary").click()
    expect(cause.locator(".places")).to_have_text("FetchRequest 12")
    assert_accessible(page)


def test_a_finding_shows_bytes_by_field_and_its_cause(run_page: Path, open_page: Callable[..., Page]) -> None:
    """The first difference is marked once, in the row of its field, on both sides."""
    page = open_page(run_page)
    finding = page.locator("details.finding[data-check=bytes]").first
    if finding.get_attribute("open") is None:
        finding.locator("> summary").click()

    expect(finding.locator(".diagnosis")).to_contain_text("null is taken for empty")
    row = finding.locator("tr.first")
    expect(row).to_have_count(1)
    expect(row.locator("th")).to_contain_text("name")
    assert row.locator("mark").all_inner_texts() == ["00", "01"] or row.locator("mark").count() == 2
    expect(finding.locator(".copied code")).to_contain_text("wireproof replay 1.0.0/PingRequest/")
    finding.get_by_role("link", name="bytes").click()
    expect(page.locator("#check-bytes")).to_be_in_viewport()


def test_filters_are_kept_in_the_url(run_page: Path, open_page: Callable[..., Page]) -> None:
    """A link opens the page with the same filters; clearing them shows everything again."""
    page = open_page(run_page)
    everything = shown_findings(page)
    page.get_by_label("Message").fill("PingRequest")
    page.get_by_label("Check").select_option("bytes")
    few = shown_findings(page)

    assert 0 < few < everything
    expect(page.locator("#shown")).to_have_text(f"{few} of {everything} findings")
    assert page.url.endswith("#message=PingRequest&check=bytes")
    again = open_page(page.url)
    assert shown_findings(again) == few
    expect(again.get_by_label("Message")).to_have_value("PingRequest")
    again.get_by_role("button", name="Clear").click()
    expect(again.locator("#shown")).to_have_text("")
    assert shown_findings(again) == everything


def test_a_cell_of_the_map_filters_the_findings(run_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(run_page)
    cell = page.get_by_role("link", name="PingRequest 2: encode finding", exact=False)
    cell.click()

    expect(page.get_by_role("textbox", name="Version")).to_have_value("2")
    assert shown_findings(page) > 0
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("link", name="PingResponse 3: encode proven, decode proven, malformed proven").click()
    expect(page.get_by_label("Message")).to_have_value("PingResponse")
    assert shown_findings(page) == 0


def test_messages_that_are_not_claimed_are_hidden(run_page: Path, open_page: Callable[..., Page]) -> None:
    """Until the link that counts them, their state or their name is asked for; clearing hides them again."""
    page = open_page(run_page)
    row = page.locator("tr[data-name=PongRequest]")
    expect(row).to_be_hidden()
    page.get_by_role("link", name="1 message", exact=True).click()
    expect(row).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    expect(row).to_be_hidden()
    page.get_by_label("Message").fill("Pong")
    expect(row).to_be_visible()


def test_the_state_filter_leaves_rows_with_the_state(run_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(run_page)
    page.get_by_label("State").select_option("not-claimed")

    assert page.locator("tr[data-name]:visible").all_inner_texts()[0].startswith("PongRequest")
    expect(page.locator("tr[data-name]:visible")).to_have_count(1)


def test_the_page_works_with_the_keyboard(run_page: Path, open_page: Callable[..., Page]) -> None:
    """j and k walk, o opens, / goes to the filter, arrows move within the map."""
    page = open_page(run_page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    second = page.locator("details.finding").nth(1)
    expect(second.locator("> summary")).to_be_focused()
    opened = second.get_attribute("open")
    page.keyboard.press("o")
    assert second.get_attribute("open") != opened
    page.keyboard.press("k")
    expect(page.locator("details.finding").first.locator("> summary")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_label("Message")).to_be_focused()
    page.keyboard.type("jo")
    expect(page.get_by_label("Message")).to_have_value("jo")
    page.get_by_role("button", name="Clear").click()
    page.locator("a.c").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.title").startswith("PingResponse 1:")


def test_the_replay_is_copied(run_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(run_page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("details.finding[open] .copy").first.click()

    expect(page.locator("#said")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()").startswith("wireproof replay 1.0.0/")


def test_the_theme_can_be_chosen(run_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(run_page, theme="light")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("#theme").click()

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != light
    expect(page.locator("#theme")).to_have_text("Light")


def test_the_ledger_shows_dates(run_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(run_page)
    row = page.locator("#ledger tbody tr")

    expect(row).to_contain_text("null-of-note")
    expect(row.locator(".date.due")).to_have_text("2026-03-04")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_accessible_and_fits(
    run_page: Path, open_page: Callable[..., Page], width: int, theme: str
) -> None:
    """With everything open, axe finds nothing, and nothing is wider than the window."""
    page = open_page(run_page, width=width, theme=theme)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")

    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_on_paper_every_finding_is_open(run_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(run_page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0
    page.emulate_media(media="print")
    expect(page.locator("#filters")).to_be_hidden()


def filled_page(path: Path, text: str) -> Path:
    """The page of a run with this text in every field of an event that a testee can fill."""
    failed = next(each for each in events() if isinstance(each, FailedCase))
    named = ((0, 1, text),)
    bad = Divergence(
        "bytes", text, text, text, text, 1, text, text, opinions=text,
        kind="refused:x", near=text,
        bytes=ByteEvidence(NamedBytes("00", 0, 1, named), NamedBytes("01", 0, 1, named)),
    )  # fmt: skip
    cell = replace(failed.cell, message=text)
    case = replace(
        failed, cell=cell, divergences=(bad,), value=json.dumps(text), header=text, after=(text,),
        case_id=f"1.0.0/{text}/1/enumerated/x",
    )  # fmt: skip
    header = replace(
        HEADER, subjects=(text,), command=(text,), where=text, limits={text: text},
        ledger={text: text}, jars={text: text}, testee=text,
    )  # fmt: skip
    done = next(each for each in events() if isinstance(each, CellResult))
    footer = next(each for each in events() if isinstance(each, RunFooter))
    return written(path, header, case, replace(done, cell=cell), footer)


def test_hostile_text_is_shown_as_text(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    """In every field of an event that a testee can fill; nothing of it is executed or becomes a link."""
    page = open_page(filled_page(tmp_path / "hostile.html", _HOSTILE), width=320)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")

    assert page.evaluate("'hit' in window") is False
    assert page.locator("img, a[href^=javascript]").count() == 0
    assert page.locator("script").count() == 1
    expect(page.locator("details.finding")).to_contain_text("<img src=x onerror=hit()>")
    assert "\u202e" not in page.content()
    assert "\x1b" not in page.content()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("text", ["W" * 300, "W" * 1_000_000, "$x^$", "\ud800 \udfff"], ids=len)
@pytest.mark.parametrize("width", [320, 1280])
def test_long_and_odd_text_fits(
    width: int, text: str, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    """A word of 300 letters, 1 MB, formulas and halves of surrogate pairs in every field."""
    page = open_page(filled_page(tmp_path / "odd.html", text), width=width)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    wide = """Array.from(document.querySelectorAll("main *:not(.unseen)"))
        .filter((each) => each.scrollWidth > 4000).map((each) => `${each.tagName} ${each.className}`)"""
    assert page.evaluate(wide) == []
    assert len(page.content()) < 5_000_000  # the two commands to copy are whole


def test_keys_work_after_a_fragment_that_is_not_escaped(
    run_page: Path, open_page: Callable[..., Page]
) -> None:
    """`#%` names no part of the page."""
    page = open_page(f"{run_page.resolve().as_uri()}#%")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
