"""Foreign text on every page: one function has the text of each expression."""

import re
from base64 import b64encode
from hashlib import sha256

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from tests.support.hostile.hostile_texts import HOSTILE
from tests.wireproof.verdict.report.test_client_judge_reports import reported
from wireproof.verdict.report.client_judge.client_html import render_client_html
from wireproof.verdict.report.html.page import _finalized, render


def test_foreign_text_is_made_printable() -> None:
    """Jinja asks one function for the text of every expression; our own plots pass."""
    markup = Markup("<svg>\x0c</svg>")
    assert _finalized(HOSTILE["colour"]) == "\\x1b[31mred"
    assert _finalized(markup) is markup
    assert _finalized(3) == 3


def test_a_name_that_the_template_lacks_is_an_error() -> None:
    """A page with a hole in it is never written."""
    with pytest.raises(UndefinedError, match="'data' is undefined"):
        render("job.html")


def test_a_long_text_is_cut_with_its_size() -> None:
    """A page stays small that has 1 MB of foreign text."""
    cut = _finalized("x" * 1_000_000)
    assert len(cut) < 60_000
    assert cut.endswith("... (cut: 1,000,000 characters in all)")


def test_the_policy_allows_the_scripts_of_the_page_alone() -> None:
    """A script is allowed by its digest; neither a base nor a form leads elsewhere."""
    page = render_client_html(reported()[0])
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy[1].split(";"))
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [b64encode(sha256(each.encode()).digest()).decode() for each in scripts]
    assert rules["script-src"].split() == [f"'sha256-{each}'" for each in digests]
    assert rules["base-uri"] == rules["form-action"] == rules["default-src"] == "'none'"
