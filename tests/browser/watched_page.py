"""A page in headless Chromium whose errors and requests are kept, and its audit by axe."""

import json
import shutil
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Final

from playwright.sync_api import Browser, BrowserContext, Page, Playwright

WIDTHS: Final = (320, 1280, 3840)
"""Widths in CSS pixels that every page of a report is looked at in: a phone, a laptop, a wall."""

THEMES: Final = ("light", "dark")

_HEIGHT: Final = 900
_LOCAL: Final = ("file:", "data:", "blob:", "about:")
_WCAG: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa")
"""The tags of axe's rules for levels A and AA of WCAG 2.0, 2.1 and 2.2."""


def start_chromium(playwright: Playwright) -> Browser:
    """Start the system's Chromium without a window.

    Raises:
        FileNotFoundError: Chromium is not on the PATH.
    """
    program = shutil.which("chromium")
    if program is None:
        raise FileNotFoundError("chromium is not on the PATH. Type: sudo apt-get install chromium")
    return playwright.chromium.launch(executable_path=program)


@dataclass(slots=True)
class WatchedPage:
    """One page in a browser context of its own, without a network.

    Attributes:
        page: the page of playwright.
        problems: a line for each error on the console, each exception that no script caught, and each
            request to anything but the page's own files.
    """

    context: BrowserContext
    page: Page
    problems: list[str] = field(default_factory=list)

    @classmethod
    def open(
        cls, browser: Browser, url: str, *, width: int, theme: str, height: int = _HEIGHT
    ) -> "WatchedPage":
        """Open a page and wait until it is loaded.

        Args:
            width, height: the viewport in CSS pixels.
            theme: ``light`` or ``dark``, as the reader's system asks for it.
        """
        if theme not in THEMES:
            raise ValueError(f"{theme!r} is not a theme: expected one of {THEMES}")
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=theme,
            offline=True,
            reduced_motion="reduce",
        )
        watched = cls(context, context.new_page())
        watched.page.on("console", lambda message: watched._console(message))
        watched.page.on("pageerror", lambda error: watched.problems.append(f"exception: {error}"))
        watched.page.on("request", lambda request: watched._request(request))
        watched.page.goto(url)
        return watched

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text}")

    def _request(self, request: Any) -> None:
        if not request.url.startswith(_LOCAL):
            self.problems.append(f"request: {request.url}")


def accessibility_problems(page: Page) -> list[str]:
    """Return a line for each rule of WCAG 2.x A and AA that the page breaks, with its elements."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8"))
    # Without preloading: axe would fetch style sheets again, which a page from a folder may not.
    options = {"runOnly": _WCAG, "resultTypes": ["violations"], "preload": False}
    found = page.evaluate(f"() => axe.run(document, {json.dumps(options)})")
    return [
        f"{each['id']}: {each['help']}: " + "; ".join(str(node["target"]) for node in each["nodes"])
        for each in found["violations"]
    ]


def assert_accessible(page: Page) -> None:
    """Fail with every rule of WCAG 2.x A and AA that the page breaks, as it is now."""
    problems = accessibility_problems(page)
    assert not problems, "\n".join(problems)
