"""The decoder of bytes in the browser: layouts as data, and pages with its scripts.

The scripts are in `assets`; both the site and `wireproof decode --html` use them.
"""

from wireproof.verdict.report.decoder.decoder_page import DecodedMessage, decoder_page

__all__ = ["DecodedMessage", "decoder_page"]
