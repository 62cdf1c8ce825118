"""Answers that real brokers gave, from the golden corpus."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from kafkawire.errors import CodecError
from kafkawire.records import Record, RecordBatch, encode_records
from wireproof.kafka.releases.release_table import table
from wireproof.kafka.releases.snapshots import load_snapshot
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.variations.answer import BrokerAnswer
from wireproof.traffic.corpus.corpus_entry import GoldenEntry
from wireproof.traffic.corpus.corpus_folder import open_set
from wireproof.traffic.wire.frame_identifier import FrameType

RELEASE: Final = "4.3.1"
GOLDEN: Final = Path(__file__).parents[3] / "corpus" / "golden" / RELEASE

RECORDS: Final = encode_records(
    [RecordBatch.of((Record(0, 0, b"k", b"v"),), producer_id=7, producer_epoch=0, base_sequence=0)]
)
REQUESTS: Final = {
    "ProduceResponse": {"topicData": [{"name": "topic", "partitionData": [{"index": 0, "records": RECORDS}]}]}
}
"""Requests on which a variation depends: that of an idempotent producer."""


@cache
def apis() -> ApiCatalog:
    """Return the APIs of the release of the answers."""
    return ApiCatalog(load_snapshot(table().find(RELEASE)))


def answers(*messages: str) -> Iterator[tuple[BrokerAnswer, bytes]]:
    """Yield the answers of brokers to clients, with their frames; of all messages if none is given."""
    for entry in _responses():
        name, version = entry.cell.split("/")[1:]
        if messages and name not in messages:
            continue
        answer = _answer(name, int(version), entry.frame)
        if answer is not None:
            yield answer, entry.frame


@cache
def _responses() -> list[GoldenEntry]:
    """Return the entries of answers to clients; the corpus is read once."""
    entries = (each for _, part in open_set(GOLDEN).parts() for each in part.entries)
    golden = (each for each in entries if isinstance(each, GoldenEntry))
    return [
        each
        for each in golden
        if each.about.get("listener") == "CLIENT" and each.cell.split("/")[1].endswith("Response")
    ]


def _answer(name: str, version: int, frame: bytes) -> BrokerAnswer | None:
    key = apis().key(name.replace("Response", "Request"))
    named = apis().naming.response(key, version)
    assert isinstance(named, FrameType)
    codec = apis().naming.codec(named)
    try:
        header, body = codec.decode(frame)
    except CodecError:
        return None
    return BrokerAnswer(apis().naming, key, version, named.layout, header, body, REQUESTS.get(name, {}))
