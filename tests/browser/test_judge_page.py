"""The page of a judged program, opened in Chromium."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.watched_page import assert_accessible
from tests.wireproof.verdict.report.test_client_judge_reports import reported
from wireproof.verdict.report.client_judge.client_html import render_client_html


@pytest.fixture
def judge_page(tmp_path: Path) -> Path:
    """The page of a program with three findings in five requests."""
    path = tmp_path / "judge.html"
    path.write_text(render_client_html(reported()[0]), encoding="utf-8")
    return path


@pytest.mark.parametrize(("width", "theme"), [(320, "dark"), (1280, "light"), (3840, "dark")])
def test_the_page_is_accessible_and_fits(
    width: int, theme: str, judge_page: Path, open_page: Callable[..., Page]
) -> None:
    """With every part of it open."""
    page = open_page(judge_page, width=width, theme=theme)
    page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert_accessible(page)


def test_a_finding_opens_to_the_bytes_of_its_frame(judge_page: Path, open_page: Callable[..., Page]) -> None:
    """The first finding is open; another one opens by a click."""
    page = open_page(judge_page)
    expect(page.locator("details.finding")).to_have_count(3)
    expect(page.locator("details.finding[open]")).to_have_count(1)
    last = page.locator("details.finding").last
    expect(last.locator(".bytes")).not_to_be_visible()
    last.locator("> summary").click()
    expect(last.locator(".bytes")).to_contain_text("00 00 00 01 78")
    wrong = page.locator("#requests tbody tr", has_text="api key 999")
    expect(wrong).to_contain_text("wrong")
