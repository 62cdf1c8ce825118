"""The animated pictures of README and of the site, in a browser."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page

_PICTURES = sorted((Path(__file__).parents[2] / "docs" / "assets" / "pictures").glob("*.svg"))

_VISIBLE = """() => [...document.querySelectorAll("g")]
  .filter(row => getComputedStyle(row).visibility === "visible").map(row => row.textContent)"""
_SEEK = """share => {
  const all = document.getAnimations();
  for (const each of all) {
    const timing = each.effect.getTiming();
    each.pause();
    each.currentTime = share < 0 ? 0 : timing.delay + share * timing.duration;
  }
  return all.length;
}"""
_LAST = """() => [...document.querySelectorAll("g:not(.gone)")].map(row => row.textContent)"""


def _id(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("picture", _PICTURES, ids=_id)
def test_a_cast_plays_from_the_first_keys_to_the_last_screen(
    open_page: Callable[..., Page], picture: Path
) -> None:
    """First the last screen is shown: a reader sees it at once. Then each row appears at its time; after the
    last repetition the last screen stays."""
    page = open_page(picture)
    page.emulate_media(reduced_motion="no-preference")
    page.evaluate(_SEEK, -1)
    assert page.evaluate(_VISIBLE) == page.evaluate(_LAST)
    assert page.evaluate(_SEEK, 0) > 10
    first = page.evaluate(_VISIBLE)
    assert len(first) == 1
    assert first[0].startswith("$ ")
    counts = []
    for share in (0.3, 0.6, 0.999):
        page.evaluate(_SEEK, share)
        counts.append(len(page.evaluate(_VISIBLE)))
    assert counts == sorted(counts)
    assert page.evaluate(_VISIBLE) == page.evaluate(_LAST)
    page.evaluate("() => document.getAnimations().forEach(each => each.finish())")
    assert page.evaluate(_VISIBLE) == page.evaluate(_LAST)


@pytest.mark.parametrize("picture", _PICTURES, ids=_id)
def test_a_cast_without_motion_shows_the_last_screen(open_page: Callable[..., Page], picture: Path) -> None:
    """A reader who asks for less motion gets no animation, and no row lies on another one or outside."""
    page = open_page(picture)
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate("() => document.getAnimations().length") == 0
    assert page.evaluate(_VISIBLE) == page.evaluate(_LAST)
    boxes = page.evaluate("""() => [...document.querySelectorAll("g:not(.gone) text")].map(text => {
        const box = text.getBBox();
        return [box.y, box.x, box.x + box.width];
    })""")
    width = page.evaluate("() => document.documentElement.viewBox.baseVal.width")
    tops: dict[float, float] = {}
    for top, left, right in boxes:
        assert tops.get(top, 0) <= left + 0.5
        assert right <= width
        tops[top] = right
    assert len(tops) > 5


def test_a_cast_follows_the_theme(open_page: Callable[..., Page]) -> None:
    """Its background is light or dark, as the page around it."""
    colour = "() => getComputedStyle(document.querySelector('.back')).fill"
    light, dark = (open_page(_PICTURES[0], theme=theme).evaluate(colour) for theme in ("light", "dark"))
    assert (light, dark) == ("rgb(251, 252, 252)", "rgb(17, 25, 26)")
