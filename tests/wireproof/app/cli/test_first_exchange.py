"""docs/explanations/first-exchange.md shows the corpus, and the practical guide's exchange."""

from tests.support.documents import first_page
from wireproof.traffic.capture.workloads.first_exchange import FIRST_REQUEST
from wireproof.traffic.corpus.corpus_entry import GoldenEntry
from wireproof.traffic.corpus.corpus_folder import open_set


def test_the_page_shows_the_corpus() -> None:
    """Our blocks, written again, are equal. After a change: python tests/support/documents/first_page.py"""
    blocks = first_page.blocks()
    assert blocks["request"] == first_page.ours("ApiVersionsRequest")
    assert blocks["response"] == first_page.ours("ApiVersionsResponse")


def test_the_request_is_the_guides_byte_by_byte() -> None:
    """As a client sent it and a broker of 4.3.1 took it."""
    path = first_page.ROOT / "corpus" / "golden" / "4.3.1" / "clients" / "ApiVersionsRequest.ndjson"
    entries = [entry for _, part in open_set(path).parts() for entry in part.entries]
    frames = [each.frame for each in entries if isinstance(each, GoldenEntry) and each.frame == FIRST_REQUEST]
    assert frames
