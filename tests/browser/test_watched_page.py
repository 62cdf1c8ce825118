"""The checks that every test of a page relies on find what they are for."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.watched_page import WatchedPage, accessibility_problems, assert_accessible, start_chromium

_SOUND = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sound</title></head>
<body><main><h1>Sound</h1><p>{body}</p></main></body></html>"""


def _page(folder: Path, body: str = "Nothing is wrong here.") -> Path:
    path = folder / "page.html"
    path.write_text(_SOUND.format(body=body), "utf-8")
    return path


def test_a_sound_page_has_no_problems(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    """A page without faults is accessible, in each theme."""
    for theme in ("light", "dark"):
        page = open_page(_page(tmp_path), theme=theme, width=320)
        assert page.evaluate("() => innerWidth") == 320
        assert page.evaluate("() => matchMedia('(prefers-color-scheme: dark)').matches") == (theme == "dark")
        assert_accessible(page)


@pytest.mark.parametrize(
    ("body", "rule"),
    [
        ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
        ('<span style="color:#aaa;background:#fff">pale</span>', "color-contrast"),
        ("<button></button>", "button-name"),
        ('<a href="#" style="font-size:2px;display:inline-block"></a>', "link-name"),
    ],
)
def test_a_violation_of_wcag_is_found(
    body: str, rule: str, tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    """Each planted violation is named by the rule of axe that it breaks."""
    page = open_page(_page(tmp_path, body))
    assert [line.partition(":")[0] for line in accessibility_problems(page)] == [rule]
    with pytest.raises(AssertionError, match=rule):
        assert_accessible(page)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("<script>console.error('it broke')</script>", "console: it broke"),
        ("<script>missing.member</script>", "exception: missing is not defined"),
        ("<script src='https://example.org/x.js'></script>", "request: https://example.org/x.js"),
        ("<script>fetch('http://127.0.0.1:9/x').catch(() => 0)</script>", "request: http://127.0.0.1:9/x"),
    ],
)
def test_errors_and_requests_are_kept(body: str, problem: str, tmp_path: Path, browser: Browser) -> None:
    """An error on the console, an exception and a request to a host are problems of the page."""
    watched = WatchedPage.open(browser, _page(tmp_path, body).as_uri(), width=1280, theme="light")
    watched.page.wait_for_load_state()
    watched.context.close()
    assert problem in watched.problems


def test_a_theme_that_is_none_is_refused(browser: Browser) -> None:
    """A misspelt theme would test the light one twice."""
    with pytest.raises(ValueError, match="'night' is not a theme"):
        WatchedPage.open(browser, "about:blank", width=320, theme="night")


def test_a_missing_chromium_is_an_error_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests do not pass over a browser that is not there."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FileNotFoundError, match="apt-get install chromium"):
        start_chromium(None)
