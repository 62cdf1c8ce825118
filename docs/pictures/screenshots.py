"""Take pictures of pages with the system's Chromium, headless, in the light and the dark theme."""

import io
import shutil
from pathlib import Path
from typing import Any, Final

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from docs.pictures.recipes import Screenshot
from docs.pictures.terminal import run_quietly

_PROGRAMS: Final = ("chromium", "chromium-browser", "google-chrome")
_SEEN_TEXT: Final = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), seen = [];
  for (let node; (node = walker.nextNode()); ) {
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width > 0 && box.bottom > 0 && box.top < innerHeight) seen.push(node.data.trim());
  }
  return seen.filter(Boolean).join("\\n");
}"""
"""A function that returns the text in the window, without the rest of the page."""

_COLOURS: Final = 128
"""Colours of the palette to which a picture is reduced."""


def take(recipe: Screenshot, folder: Path) -> tuple[dict[str, bytes], str]:
    """Return the PNG files of a page, light and dark, and the text in the window.

    Raises:
        FileNotFoundError: no Chromium is installed.
    """
    for command in recipe.setup:
        run_quietly(command, folder)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_program())
        files = {}
        shown = ""
        for name, theme in zip(recipe.files, ("light", "dark"), strict=True):
            options: dict[str, Any] = {"color_scheme": theme, "reduced_motion": "reduce", "locale": "en-GB"}
            context = browser.new_context(
                viewport={"width": recipe.width, "height": recipe.height}, device_scale_factor=1.5, **options
            )
            page = context.new_page()
            page.goto((folder / recipe.page).as_uri())
            _use(page, recipe)
            files[name] = _smaller(page.screenshot(animations="disabled", caret="hide"))
            shown = page.evaluate(_SEEN_TEXT)
            context.close()
        browser.close()
    return files, shown


def _use(page: Page, recipe: Screenshot) -> None:
    """Type, click and scroll."""
    for selector, text in recipe.typed:
        page.fill(selector, text)
    for selector in recipe.clicks:
        page.click(selector)
    if recipe.focus:
        page.locator(recipe.focus).first.evaluate("element => element.scrollIntoView({block: 'start'})")
        page.evaluate("document.activeElement.blur()")


def _smaller(png: bytes) -> bytes:
    """Reduce a picture to a palette, which a page of text does not show, and compress it."""
    image = Image.open(io.BytesIO(png)).convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def _program() -> str:
    for name in _PROGRAMS:
        if found := shutil.which(name):
            return found
    raise FileNotFoundError("no Chromium: expected chromium on PATH: apt-get install chromium")
