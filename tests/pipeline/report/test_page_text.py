"""Foreign text on the page of the pipeline."""

from markupsafe import Markup

from tests.support.hostile.hostile_texts import HOSTILE
from wireproof.pipeline.report.html_page import _printable


def test_the_page_escapes_each_expression() -> None:
    """Jinja asks one function for the text of every expression; our own plots pass."""
    markup = Markup("<svg>\x0c</svg>")
    assert _printable(HOSTILE["colour"]) == "\\x1b[31mred"
    assert _printable(markup) is markup
    assert _printable(3) == 3
