"""The page of the matrix, clicked in Chromium: from a message to the bytes of a deviation."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.watched_page import THEMES, WIDTHS, assert_accessible
from wireproof.verdict.report.comparison.matrix_document import MatrixDocument
from wireproof.verdict.report.comparison.matrix_html import as_html

_MOST_OF_A_CODEC: Final = 2
SAVED: Final = Path(__file__).parents[2] / "docs/reference/generated/codecs-matrix.json"

_HOSTILE: Final = (
    "<img src=x onerror=hit()>\x1b[31m::error::x\n</script><script>hit()</script>"
    "\"'><a href=javascript:hit()>[x](javascript:hit())|`\u202e"
)


def _few() -> dict[str, Any]:
    """The saved matrix with a few messages, and with the first deviations of each codec in them."""
    saved: dict[str, Any] = json.loads(SAVED.read_text("utf-8"))
    names = {"FetchRequest", "ShareFetchRequest", "MetadataRequest"}
    saved["messages"] = [each for each in saved["messages"] if each["message"] in names]
    for each in saved["deviations"]:
        each["places"] = [place for place in each["places"] if place["message"] in names]
    shown: Counter[str] = Counter()
    kept = []
    for each in saved["deviations"]:
        shown[each["codec"]] += bool(each["places"])
        if each["places"] and shown[each["codec"]] <= _MOST_OF_A_CODEC:
            kept.append(each)
    saved["deviations"] = kept
    return saved


def _written(path: Path, saved: dict[str, Any]) -> Path:
    path.write_text(as_html(MatrixDocument.parse(json.dumps(saved))), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def matrix_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of three messages, with a planted error: franz-go writes MetadataRequest 3 wrongly."""
    saved = _few()
    planted = next(each for each in saved["deviations"] if each["codec"] == "franz-go kmsg")
    new = {**planted, "entry": "", "ledger": None, "kind": "planted"}
    new["places"] = [{"release": "4.4.0", "message": "MetadataRequest", "versions": "3", "case": "a/b/3/c/d"}]
    saved["deviations"].insert(0, new)
    (message,) = (each for each in saved["messages"] if each["message"] == "MetadataRequest")
    message["codecs"]["franz-go kmsg"]["encode"] = {"failed": "3", "proven": "0-2, 4-13"}
    return _written(tmp_path_factory.mktemp("matrix") / "page.html", saved)


def _shown(page: Page) -> int:
    return page.locator("details.finding:visible").count()


def test_a_bug_of_a_codec_is_a_red_cell_that_leads_to_its_bytes(
    matrix_page: Path, open_page: Callable[..., Page]
) -> None:
    """The cell has the colour of findings; its link shows the version, and the bytes with the difference."""
    page = open_page(matrix_page)
    cell = page.get_by_role("link", name="MetadataRequest, franz-go kmsg: encode finding")
    red = "getComputedStyle(document.querySelector('.s.finding')).color"
    assert cell.locator("i").first.evaluate("each => getComputedStyle(each).color") == page.evaluate(red)
    cell.click()

    row = page.locator(".versions tr:visible", has_text="franz-go kmsg")
    expect(row.locator("td").nth(1)).to_contain_text("finding 3")
    expect(row.locator("td").nth(1)).to_contain_text("proven 0-2, 4-13")
    first = page.locator("details.finding:visible").first
    expect(first).to_have_class("finding finding")
    first.locator("> summary").click()
    expect(first.locator("tr.first")).to_have_count(1)
    assert first.locator("tr.first mark").count() >= 1
    expect(first.locator(".copied code").first).to_contain_text(
        "wireproof replay --testee go-franz-go-kmsg 4.4.0/"
    )
    assert page.url.endswith("#message=MetadataRequest&codec=franz-go+kmsg")


def test_a_known_deviation_has_its_reason_and_dates(
    matrix_page: Path, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{matrix_page.as_uri()}#message=FetchRequest&codec=kio")
    found = page.locator("details.finding:visible").first
    found.locator("> summary").click()

    expect(found).to_have_class("finding known")
    expect(found).to_contain_text("The native decoder raises KeyError at an unknown tagged field")
    assert len(found.locator(".date").all_inner_texts()) == 2


def test_a_whole_name_means_one_message(matrix_page: Path, open_page: Callable[..., Page]) -> None:
    """FetchRequest is not ShareFetchRequest; a part of the name means both."""
    page = open_page(matrix_page)
    rows = page.locator(".states tr[data-name]:visible")
    page.locator("#filters [name=message]").fill("FetchRequest")
    expect(rows).to_have_count(1)
    page.locator("#filters [name=message]").fill("fetchreq")
    expect(rows).to_have_count(2)


def test_filters_are_kept_in_the_url(matrix_page: Path, open_page: Callable[..., Page]) -> None:
    """A link opens the page with the same filters; the long table is folded without a filter."""
    page = open_page(matrix_page)
    everything = _shown(page)
    expect(page.locator(".versions")).not_to_be_visible()
    page.locator("#filters [name=codec]").select_option("@platformatic/kafka")
    page.locator("#filters [name=state]").select_option("known")
    few = _shown(page)

    assert 0 < few < everything
    expect(page.locator("#shown")).to_have_text(f"{few} of {everything} deviations")
    again = open_page(page.url)
    assert _shown(again) == few
    codecs = set(again.locator(".versions tbody tr:visible td:nth-child(2)").all_inner_texts())
    assert codecs == {"@platformatic/kafka"}
    again.get_by_role("button", name="Clear").click()
    expect(again.locator(".versions")).not_to_be_visible()
    assert _shown(again) == everything


def test_the_state_filter_finds_the_finding(matrix_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(matrix_page)
    page.locator("#filters [name=state]").select_option("finding")
    assert page.locator(".states tr[data-name]:visible th").all_inner_texts() == ["MetadataRequest"]
    assert _shown(page) == 1


def test_the_page_works_with_the_keyboard(matrix_page: Path, open_page: Callable[..., Page]) -> None:
    """j walks, o opens, / goes to the filter, arrows move within the map."""
    page = open_page(matrix_page)
    page.keyboard.press("j")
    page.keyboard.press("o")
    assert page.locator("details.finding").first.get_attribute("open") is not None
    page.keyboard.press("/")
    expect(page.locator("#filters [name=message]")).to_be_focused()
    page.keyboard.press("Escape")
    page.locator("a.c").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.title").startswith("MetadataRequest, franz-go kmsg:")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_the_page_is_accessible_and_fits(
    width: int, theme: str, matrix_page: Path, open_page: Callable[..., Page]
) -> None:
    """At each width and in each theme, with every part of it open: nothing scrolls sideways but tables."""
    page = open_page(matrix_page, width=width, theme=theme)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)


def test_paper_has_every_deviation_open(matrix_page: Path, open_page: Callable[..., Page]) -> None:
    page = open_page(matrix_page)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("#filters")).not_to_be_visible()
    assert page.locator("details.finding:not([open])").count() == 0


def test_hostile_names_are_shown_as_text(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    """Names, answers and reasons run nothing, write no element and still filter."""
    text = json.dumps(_few()).replace("franz-go kmsg", json.dumps(_HOSTILE)[1:-1])
    text = text.replace("The native decoder", json.dumps(_HOSTILE)[1:-1])
    page = open_page(_written(tmp_path / "page.html", json.loads(text)))
    assert page.locator("img, main script, a[href^='javascript']").count() == 0
    page.locator("a.c[title*='<img']").nth(1).click()
    assert 0 < _shown(page) <= _MOST_OF_A_CODEC
    assert "\x1b" not in page.content()
    assert "\u202e" not in page.content()


def test_the_public_table_opens(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    """All messages of the newest release: the page of the site, of its whole size."""
    path = _written(tmp_path / "page.html", json.loads(SAVED.read_text("utf-8")))
    page = open_page(f"{path.as_uri()}#message=FetchResponse&codec=aiokafka")
    expect(page.locator(".versions tbody tr:visible")).to_have_count(1)
    assert page.locator(".states tr[data-name]").count() > 250
    assert path.stat().st_size < 8_000_000
