"""Pages of the site, as a reader sees them first."""

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect


def test_the_home_page_begins_with_a_finding(site: Path, open_page: Callable[..., Page]) -> None:
    """The finding, the line that installs wireproof, and the three doors follow each other."""
    page = open_page(site / "index.html")
    picture = page.locator("article img[src$='finding.svg']")
    install = page.locator("article code", has_text="pip install").first
    doors = page.locator("article table").first.locator("tbody tr td:first-child")

    tops = [each.bounding_box()["y"] for each in (picture, install, doors.first)]
    assert tops == sorted(tops)
    assert tops[0] < 350
    expect(doors).to_contain_text(["a codec", "a client", "bytes"])


def test_a_level_is_not_broken(site: Path, open_page: Callable[..., Page]) -> None:
    """MUST and SHOULD stay in one line, also in a narrow window."""
    page = open_page(site / "reference" / "checks.html")
    page.set_viewport_size({"width": 400, "height": 800})
    lines = page.evaluate("""() => [...document.querySelectorAll("td:nth-child(3)")]
        .filter(cell => /^(MUST|SHOULD)$/.test(cell.textContent))
        .map(cell => {
          const range = document.createRange();
          range.selectNodeContents(cell);
          return new Set([...range.getClientRects()].map(each => Math.round(each.top))).size;
        })""")
    assert len(lines) > 20
    assert set(lines) == {1}


def test_the_search_lists_guides_before_decisions(site: Path) -> None:
    """By the factor of each page in the index."""
    index = json.loads((site / "search" / "search_index.json").read_text())
    boosts = {each["location"].partition("/")[0]: each.get("boost", 1) for each in index["docs"]}
    assert boosts["guides"] == boosts["start"] > boosts["reference"] > boosts["decisions"]
