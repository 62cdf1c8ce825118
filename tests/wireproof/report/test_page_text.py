"""Foreign text on every page: one function has the text of each expression."""

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from tests.support.hostile.hostile_texts import HOSTILE
from wireproof.report.html import render
from wireproof.report.html.page import _finalized


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
