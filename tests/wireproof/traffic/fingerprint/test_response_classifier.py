"""Responses of brokers: errors at any place, and the presence of other content."""

from typing import Any

import pytest

from tests.support.capture.small_capture import NAMING, brokers
from wireproof.traffic.fingerprint.fingerprinter import iter_error_codes, response_classifier
from wireproof.traffic.wire.frame_identifier import FrameType


def test_errors_are_found_at_any_depth() -> None:
    """Errors of topics and partitions are found with their path; code 0 means no error."""
    body = {
        "errorCode": 0,
        "topics": [{"errorCode": 3}, {"partitions": [{"errorCode": 6}, {"errorCode": 0}]}],
        "_tags": {7: b"\x00"},
    }
    assert list(iter_error_codes(body)) == [
        ("errorCode", 0),
        ("topics[].errorCode", 3),
        ("topics[].partitions[].errorCode", 6),
        ("topics[].partitions[].errorCode", 0),
    ]


METADATA, HEARTBEAT, LIST_GROUPS, INIT_PRODUCER_ID = 3, 12, 16, 22


@pytest.mark.parametrize(
    ("api_key", "version", "body", "has_content"),
    [
        (LIST_GROUPS, 4, {"throttleTimeMs": 7, "groups": []}, False),
        (LIST_GROUPS, 4, {"groups": [{"groupId": "g"}]}, True),
        (HEARTBEAT, 4, {"throttleTimeMs": 0, "errorCode": 0}, True),
        (HEARTBEAT, 4, {"throttleTimeMs": 0, "errorCode": 25}, False),
        (INIT_PRODUCER_ID, 4, {"producerId": -1, "producerEpoch": 0}, False),
        (INIT_PRODUCER_ID, 4, {"producerId": 0, "producerEpoch": 0}, True),
        (METADATA, 8, brokers("host", "t"), True),
        (METADATA, 8, brokers("host", "t", error=3), False),
        (METADATA, 8, {"brokers": [], "topics": []}, False),
        (METADATA, 8, {"topics": [{"errorCode": 0, "partitions": [{"errorCode": 9}]}]}, False),
    ],
)
def test_a_response_has_content_if_it_is_neither_an_error_nor_empty(
    api_key: int, version: int, body: dict[str, Any], has_content: bool
) -> None:
    """A response with a field off its default, or without any field, has content; an error at any depth is
    not content."""
    named = NAMING.response(api_key, version)
    assert isinstance(named, FrameType)
    assert response_classifier(named.layout).has_content(body) is has_content


@pytest.mark.parametrize("error", [0, 3])
def test_the_classifier_of_a_layout_finds_every_error(error: int) -> None:
    """A walk over all fields finds the same errors."""
    named = NAMING.response(METADATA, 8)
    assert isinstance(named, FrameType)
    body = brokers("host", "t", "u", error=error)
    assert response_classifier(named.layout).errors(body) == set(iter_error_codes(body)) != set()
