"""The page of one message: its fields and its bytes, which the scripts in `assets` read and show."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from markupsafe import Markup

from kafkawire.schema.layout import MessageLayout
from wireproof.verdict.report.decoder.layout_tables import message_tables
from wireproof.verdict.report.html import render

__all__ = ["FORM_SCRIPTS", "PAGE_SCRIPTS", "DecodedMessage", "asset", "decoder_page", "script_data"]

PAGE_SCRIPTS: Final = ("frame_decoder.js", "decoder_view.js")
"""The scripts of a page with one message, in the order in which they run."""

_LAST_SCRIPT: Final = "one_message.js"

FORM_SCRIPTS: Final = (*PAGE_SCRIPTS, "pasted_bytes.js", "decoder_form.js")
"""The scripts of the page with the form, in the order in which they run."""


@dataclass(frozen=True, slots=True)
class DecodedMessage:
    """A message to show.

    Attributes:
        release, module: where the layout is from.
        header: the layout of what goes before the message; None if nothing does.
        framed: true if the bytes begin with a size and a header.
        dump: the same as text, for browsers without JavaScript.
        values: canonical JSON by the name of the message; empty if the bytes are not valid.
    """

    release: str
    module: str
    layout: MessageLayout
    header: MessageLayout | None
    data: bytes
    framed: bool
    dump: Sequence[str]
    values: Sequence[tuple[str, str]]


def decoder_page(shown: DecodedMessage) -> str:
    """Return the page, which loads nothing from elsewhere."""
    layout = shown.layout
    question = {
        "tables": message_tables(shown.release, shown.module, layout, shown.header),
        "release": shown.release,
        "message": layout.name,
        "version": layout.version,
        "begins": "size" if shown.framed else "body",
        "title": f"{layout.name} {layout.version}:",
        "hex": shown.data.hex(),
    }
    return render(
        "decode.html",
        release=shown.release,
        message=layout.name,
        version=layout.version,
        dump="\n".join(shown.dump),
        values=shown.values,
        data=Markup(script_data(question)),
        decoder_css=Markup(asset("decoder.css")),
        page_scripts=[Markup(asset(name)) for name in (*PAGE_SCRIPTS, _LAST_SCRIPT)],
    )


@cache
def asset(name: str) -> str:
    """Return the text of a file in `assets`."""
    return (files("wireproof.verdict.report.decoder") / "assets" / name).read_text("utf-8")


def script_data(value: Any) -> str:
    """Return a value as JSON that cannot end the script element that it is in."""
    return json.dumps(value, separators=(",", ":")).replace("<", "\\u003c")
