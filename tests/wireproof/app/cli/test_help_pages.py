"""The pages that helps name: by title, and by the URL of the project's metadata."""

import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from wireproof.app.cli.app import command_line

ROOT = Path(__file__).parents[4]
DOCUMENTATION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Documentation"]


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("", "The documentation"),
        ("testee", "The testee protocol"),
        ("pipeline", "Jobs on Spark"),
        ("capture", "The first exchange, byte by byte"),
    ],
)
def test_a_help_names_a_page_by_title_and_url(name: str, title: str) -> None:
    """The page is there, has that title, and its URL is in one line."""
    text = CliRunner().invoke(command_line, [*name.split(), "--help"], terminal_width=1000).output
    found = re.search(rf"{title}:? \(?{re.escape(DOCUMENTATION)}/(?P<page>[\w/-]+\.md)", text)

    assert found, text
    page = ROOT / "docs" / found["page"]
    assert name == "" or f"# {title}" in page.read_text("utf-8").splitlines()[:20], page


def test_no_help_names_a_path_of_the_repository() -> None:
    """Who installed the wheel has no docs folder."""
    for path in (ROOT / "harness" / "wireproof" / "app" / "cli").rglob("*.py"):
        assert "docs/" not in path.read_text("utf-8"), path
