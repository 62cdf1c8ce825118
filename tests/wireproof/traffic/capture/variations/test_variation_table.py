"""The catalogue of variations: its texts, and what each does to answers of real brokers."""

import re
from collections import Counter
from random import Random

import pytest

from tests.support.capture.broker_answers import answers
from wireproof.traffic.capture.variations.answer import API_VERSIONS, BrokerAnswer, Family, Variation
from wireproof.traffic.capture.variations.variation_table import CATALOGUE, find_variation
from wireproof.traffic.capture.variations.version_variations import pinned_version

CHANGES = [each for each in CATALOGUE if each.change is not None]
PACES = [each for each in CATALOGUE if each.pace is not None]
ANSWERS = list(answers())
FRAME = bytes(range(200))


def one(message: str) -> BrokerAnswer:
    """Return the last answer of a message without an error: that of the newest version."""
    return [each for each, _ in answers(message) if not each.body.get("errorCode")][-1]


def test_each_row_has_its_own_name_and_its_source() -> None:
    """An id is used once and begins with its family; the sentence is one; the source is named."""
    assert len({each.id for each in CATALOGUE}) == len(CATALOGUE)
    for each in CATALOGUE:
        assert each.id.startswith({"versions": "version", "errors": "error"}.get(each.family, each.family))
        assert re.fullmatch(r"[A-Z].*\.", each.sentence)
        assert re.search(r"KIP-\d+|Kafka|protocol guide|RFC|schema", each.source)
        assert [each.change, each.pace].count(None) == 1
        assert find_variation(each.id) is each
    assert find_variation("no-such-variation") is None


@pytest.mark.parametrize("variation", CHANGES, ids=lambda each: each.id)
def test_a_variation_changes_answers(variation: Variation) -> None:
    """Some answer of a real broker can be varied; the result can be read, and depends on the seed alone."""
    changed = 0
    for answer, frame in ANSWERS:
        assert variation.change is not None
        varied = variation.change(answer, Random(1))
        again = variation.change(answer, Random(1))
        assert varied == again
        if varied is None or varied.encode() == frame:
            continue
        changed += 1
        header, _ = varied.naming.codec_of(varied.layout).decode(varied.encode())
        assert header["correlationId"] == answer.header["correlationId"]
    assert changed


@pytest.mark.parametrize("variation", PACES, ids=lambda each: each.id)
def test_a_stream_has_the_same_bytes(variation: Variation) -> None:
    """The pieces of an answer are the answer, for frames of any size."""
    assert variation.pace is not None
    met = 0
    for size in (8, 9, 60, 200):
        for seed in range(20):
            pieces = variation.pace(FRAME[:size], Random(seed), True)
            met += pieces is not None
            assert pieces is None or b"".join(each.data for each in pieces) == FRAME[:size]
    assert met
    assert variation.slot


def test_a_connection_with_waiting_requests_is_not_closed() -> None:
    """A close would lose an answer."""
    close = find_variation("stream-close")
    assert close is not None
    assert close.pace is not None
    ends = [close.pace(FRAME, Random(seed), False) for seed in range(50)]
    assert ends == [None] * 50
    assert any(close.pace(FRAME, Random(seed), True) for seed in range(50))


def test_unknown_tags_are_in_each_struct() -> None:
    """Structs inside known tagged fields are another variation: their readers often have other code."""
    answer = one("ApiVersionsResponse")
    outer, nested = (find_variation(name) for name in ("tags-unknown", "tags-nested"))
    assert outer is not None
    assert nested is not None
    assert outer.change is not None
    assert nested.change is not None
    first, second = outer.change(answer, Random(0)), nested.change(answer, Random(0))
    assert first is not None
    assert second is not None
    tagged = [["_tags" in each for each in body["apiKeys"]] for body in (first.body, second.body)]
    inner = [["_tags" in each for each in body["supportedFeatures"]] for body in (first.body, second.body)]
    assert all(tagged[0])
    assert not any(tagged[1])
    assert not any(inner[0])
    assert all(inner[1])


@pytest.mark.parametrize(("version", "is_null"), [(12, False), (13, True)])
def test_null_records_are_not_for_clients_of_kafka_2_8(version: int, is_null: bool) -> None:
    """Their Fetch 12 is the newest, and their consumer dereferences the null; that of 3.0 takes it."""
    answer = next(
        each
        for each, _ in answers("FetchResponse")
        if each.version == version and each.body["responses"] and not each.body["errorCode"]
    )
    topic = answer.body["responses"][0]
    partition = {**topic["partitions"][0], "records": b""}
    empty = answer.with_body(responses=[{**topic, "partitions": [partition]}])
    change = find_variation("values-records-null")
    assert change is not None
    assert change.change is not None
    varied = change.change(empty, Random(0)) or empty
    assert (varied.body["responses"][0]["partitions"][0]["records"] is None) is is_null


def test_one_version_is_offered() -> None:
    """The other APIs keep their ranges."""
    answer = one("ApiVersionsResponse")
    pinned = pinned_version("FetchRequest", 1, 11)
    assert (pinned.id, pinned.family) == ("version:FetchRequest:11", Family.VERSIONS)
    assert pinned.change is not None
    varied = pinned.change(answer, Random(0))
    assert varied is not None
    before, after = (
        {row["apiKey"]: (row["minVersion"], row["maxVersion"]) for row in each.body["apiKeys"]}
        for each in (answer, varied)
    )
    assert after == {**before, 1: (11, 11)}
    assert pinned.change(one("FetchResponse"), Random(0)) is None


def test_a_new_version_of_api_versions_is_refused() -> None:
    """The error is in version 0 whatever the client asked for; an old request gets the list."""
    refused = find_variation("version-refused")
    assert refused is not None
    assert refused.change is not None
    got = Counter[tuple[int, int, int]]()
    for answer, _ in answers("ApiVersionsResponse"):
        if answer.body["errorCode"]:
            continue
        varied = refused.change(answer, Random(0))
        assert varied is not None
        row = next(each for each in varied.body["apiKeys"] if each["apiKey"] == API_VERSIONS)
        got[answer.version, varied.layout.version, varied.body["errorCode"]] += 1
        assert row["maxVersion"] == 2
    assert {key for key in got if key[0] > 2} >= {(3, 0, 35)}
    assert all((version, error) == ((0, 35) if asked > 2 else (asked, 0)) for asked, version, error in got)
