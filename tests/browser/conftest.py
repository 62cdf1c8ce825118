"""The browser of these tests, and the pages that they open."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.built_site import build_site
from tests.browser.watched_page import WatchedPage, start_chromium


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium; a missing one is a failure with the line that installs it."""
    with sync_playwright() as playwright:
        try:
            started = start_chromium(playwright)
        except FileNotFoundError as error:
            pytest.fail(str(error), pytrace=False)
        yield started
        started.close()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation site."""
    return build_site(tmp_path_factory)


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """A function that opens a file, or a URL, at a width and in a theme.

    The test fails at its end if a page wrote an error to the console or asked for anything beyond its own
    files.
    """
    opened: list[WatchedPage] = []

    def open_(target: Path | str, *, width: int = 1280, theme: str = "light", **options: Any) -> Page:
        url = target.resolve().as_uri() if isinstance(target, Path) else target
        opened.append(WatchedPage.open(browser, url, width=width, theme=theme, **options))
        return opened[-1].page

    yield open_
    problems = [problem for each in opened for problem in each.problems]
    for each in opened:
        each.context.close()
    assert not problems, "\n".join(problems)
