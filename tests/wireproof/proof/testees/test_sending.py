"""Encoding of values for a testee: exactly the keys and values that are present."""

import json
import math
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kafkawire.canonical import canonical
from kafkawire.schema import with_absent_fields
from tests.support.schemas.real_layouts import real
from wireproof.proof.adapters.testee.protocol_values import NoJsonError, sparse_json
from wireproof.proof.strategies.drawing.hypothesis_instances import from_layout

FETCH = real("FetchRequest", 12)


def sent(value: dict[str, Any]) -> Any:
    return json.loads(sparse_json(FETCH, value))


def test_only_present_keys_are_sent() -> None:
    """The testee must know the defaults."""
    assert sent({}) == {}
    assert sent({"topics": [{"partitions": [{"fetchOffset": 1 << 40}]}]}) == {
        "topics": [{"partitions": [{"fetchOffset": "1099511627776"}]}]
    }


def test_a_codec_without_defaults_gets_every_key() -> None:
    """This holds for all fields without a tag, at every depth; present values stay as they are."""

    def whole(value: dict[str, Any]) -> Any:
        return json.loads(sparse_json(FETCH, value, whole=True))

    assert whole({}) == {
        "replicaId": -1,
        "maxWaitMs": 0,
        "minBytes": 0,
        "maxBytes": 0x7FFFFFFF,
        "isolationLevel": 0,
        "sessionId": 0,
        "sessionEpoch": -1,
        "topics": [],
        "forgottenTopicsData": [],
        "rackId": "",
    }
    sent_value = whole(
        {"clusterId": "x", "topics": [{"topic": "t", "partitions": [{"_tags": {9: b"u"}}]}], "weather": 1}
    )
    assert (sent_value["clusterId"], sent_value["weather"], sent_value["rackId"]) == ("x", 1, "")
    (topic,) = sent_value["topics"]
    assert topic["topic"] == "t"
    (partition,) = topic["partitions"]
    assert partition == {
        "partition": 0,
        "currentLeaderEpoch": -1,
        "fetchOffset": "0",
        "lastFetchedEpoch": -1,
        "logStartOffset": "-1",
        "partitionMaxBytes": 0,
        "_tags": {"9": "75"},
    }


def test_one_key_can_be_left_out() -> None:
    """The key is missing in each element at its depth; the same field elsewhere is present."""
    value: dict[str, Any] = {"topics": [{"partitions": [{}, {}]}]}
    path = "topics[].partitions[].logStartOffset"
    sent_value = json.loads(sparse_json(FETCH, value, whole=True, omitted=path))
    ((one, other),) = (topic["partitions"] for topic in sent_value["topics"])
    assert one == other
    assert set(one) == {
        "partition",
        "currentLeaderEpoch",
        "fetchOffset",
        "lastFetchedEpoch",
        "partitionMaxBytes",
    }
    less = json.loads(sparse_json(FETCH, {}, whole=True, omitted="rackId"))
    assert json.loads(sparse_json(FETCH, {}, whole=True)) == {**less, "rackId": ""}


def test_invalid_values_are_sent_unchanged() -> None:
    """Numbers beyond their type, nulls, and fields of other versions or of no version are sent."""
    value = {"maxWaitMs": 1 << 40, "topics": None, "replicaState": {"replicaEpoch": 5}, "weather": b"\x00"}
    assert sent(value) == {
        "maxWaitMs": 1 << 40,
        "topics": None,
        "replicaState": {"replicaEpoch": "5"},
        "weather": "00",
    }


def test_tags_uuids_and_doubles_are_encoded() -> None:
    """They are encoded as in canonical JSON."""
    number = UUID(int=5)
    assert sent({"_tags": {7: b"\xff"}}) == {"_tags": {"7": "ff"}}
    assert sent({"a": number, "b": -0.0, "c": math.inf, "d": 0.5}) == {
        "a": str(number),
        "b": "0x8000000000000000",
        "c": "0x7ff0000000000000",
        "d": 0.5,
    }


def test_a_value_without_json_is_an_error() -> None:
    """The error says that it cannot be sent."""
    with pytest.raises(NoJsonError, match="object has no JSON"):
        sent({"maxWaitMs": object()})


@given(st.data())
def test_canonical_json_reads_a_sent_value(data: st.DataObject) -> None:
    """A valid value is read back unchanged: the testee's reader only needs canonical JSON."""
    layout = data.draw(st.sampled_from([FETCH, real("FetchResponse", 17), real("ProduceRequest", 9)]))
    value = data.draw(from_layout(layout))
    form = canonical(layout)
    assert form.to_binary(form.from_json(sparse_json(layout, value))) == form.to_binary(value)


def test_a_field_of_other_versions_is_read_back() -> None:
    """A layout that has the field reads it back."""
    whole = with_absent_fields(real("FetchRequest", 4))
    text = sparse_json(real("FetchRequest", 4), {"sessionEpoch": 3, "rackId": "r"})
    value = canonical(whole).from_json(text)
    assert (value["sessionEpoch"], value["rackId"]) == (3, "r")
