"""The decoder of bytes in the browser: layouts as data, and pages with its scripts.

The scripts are in `assets`; both the site and `wireproof decode --html` use them.
"""

from wireproof.verdict.report.decoder.decoder_page import (
    FORM_SCRIPTS,
    DecodedMessage,
    asset,
    decoder_page,
    layout_tables,
    script_data,
)

__all__ = ["FORM_SCRIPTS", "DecodedMessage", "asset", "decoder_page", "layout_tables", "script_data"]
