"""Install lines work from a checkout: wireproof is on no index before its first release."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

from wireproof.base.extras import install

ROOT = Path(__file__).parents[4]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]


def test_no_page_installs_wireproof_from_an_index() -> None:
    """It names the folder, with extras that exist; README's own line is among them."""
    named: set[str] = set()
    for page in PAGES:
        text = page.read_text("utf-8")
        assert not re.search(r"install [^\n`]*'?wireproof\b", text), page
        for extras in re.findall(r"install (?:-e )?'\.\[([\w,]+)\]'", text):
            named.update(extras.split(","))
    assert {"oracle", "java"} <= named <= set(EXTRAS)


def test_no_hint_names_wireproof() -> None:
    """Neither those that are made of the metadata nor those in the sources."""
    for extra in EXTRAS:
        assert "wireproof" not in install(extra).partition(" install ")[2]
    for folder in ("harness", "codecs"):
        for path in (ROOT / folder).rglob("*.py"):
            assert not re.search(r"pip install [^\n]*wireproof\[", path.read_text("utf-8")), path


@pytest.mark.parametrize(
    ("pip", "start"),
    [
        (object(), "'/my work/env/bin/python' -m pip install "),
        (None, "uv pip install --python '/my work/env/bin/python' "),
    ],
)
def test_a_hint_quotes_the_path_of_the_interpreter(
    monkeypatch: pytest.MonkeyPatch, pip: object, start: str
) -> None:
    """The environment may be in a folder with spaces, and have no pip."""
    monkeypatch.setattr(sys, "executable", "/my work/env/bin/python")
    monkeypatch.setattr(sys, "prefix", "/my work/env")
    monkeypatch.setattr("wireproof.base.extras.find_spec", {"pip": pip}.get)
    assert install("oracle").startswith(start)
