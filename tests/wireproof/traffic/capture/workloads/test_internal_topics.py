"""Topics of Kafka's own are read to their end; the broker here answers by our codec."""

import socket
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkawire.records import Record, RecordBatch, RecordSet, encode_records
from tests.support.capture.tcp_servers import tcp_server
from tests.support.schemas import real_layouts
from wireproof.traffic.capture.brokers.existing_cluster import Cluster
from wireproof.traffic.capture.brokers.server_properties import Listener, ListenerPlace
from wireproof.traffic.capture.capture_error import CaptureError
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.broker_access import OPEN_ACCESS
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.workloads.internal_topics import InternalTopics
from wireproof.traffic.wire.frame_identifier import FrameType
from wireproof.traffic.wire.request_matcher import FrameSplitter

APIS = ApiCatalog(real_layouts.schemas())
METADATA = 3
LIST_OFFSETS = 2
EARLIEST = -2
OUT_OF_RANGE = 1
UNKNOWN_TOPIC = 3


def batch(base: int, count: int) -> bytes:
    """Records from an offset on; compaction has removed the offset after the last one."""
    records = tuple(Record(n, n, b"key", b"value") for n in range(count))
    return encode_records(
        RecordSet((RecordBatch(base_offset=base, last_offset_delta=count, records=records),))
    )


class Broker:
    """Has one of the topics, with what it is given by offset; counts what it is asked.

    Args:
        pruned: once the first answer is given, there is nothing below this offset.
    """

    def __init__(
        self, log: dict[int, bytes], topic: str = "__transaction_state", error: int = 0, pruned: int = 0
    ) -> None:
        self._log = log
        self._pruned = pruned
        self._topic = topic
        self._error = error
        self.asked: list[int] = []

    def answer(self, key: int, request: dict[str, Any]) -> dict[str, Any]:
        if key == METADATA:
            name = request["topics"][0]["name"]
            there = name == self._topic
            partition = {"errorCode": 0, "partitionIndex": 0, "leaderId": 1}
            code = 0 if there else UNKNOWN_TOPIC
            return {"topics": [{"name": name, "errorCode": code, "partitions": [partition] if there else []}]}
        if key == LIST_OFFSETS:
            asked = request["topics"][0]["partitions"][0]
            assert asked["timestamp"] == EARLIEST
            found = {"partitionIndex": 0, "offset": self._pruned}
            return {"topics": [{"name": self._topic, "partitions": [found]}]}
        asked = request["topics"][0]["partitions"][0]["fetchOffset"]
        gone = bool(self.asked) and asked < self._pruned
        self.asked.append(asked)
        error = OUT_OF_RANGE if gone else self._error
        records = None if gone else self._log.get(asked)
        return {"responses": [{"topic": self._topic, "partitions": [_fetched(error, records)]}]}


def _fetched(error: int, records: bytes | None) -> dict[str, Any]:
    return {"partitionIndex": 0, "errorCode": error, "records": records}


def serve(broker: Broker, connection: socket.socket) -> None:
    """One connection."""
    splitter = FrameSplitter()
    while data := connection.recv(65536):
        for frame in splitter.feed(data):
            connection.sendall(_answer(broker, frame.data))


def _answer(broker: Broker, frame: bytes) -> bytes:
    key, version = int.from_bytes(frame[4:6], "big"), int.from_bytes(frame[6:8], "big")
    request, response = APIS.naming.request(key, version), APIS.naming.response(key, version)
    assert isinstance(request, FrameType)
    assert isinstance(response, FrameType)
    header, body = APIS.naming.codec(request).decode(frame)
    value = broker.answer(key, dict(body))
    return APIS.naming.codec(response).encode({"correlationId": header["correlationId"]}, value)


def read(broker: Broker) -> tuple[dict[str, int], list[str]]:
    """The counted records, and the messages."""
    reported: list[str] = []
    with tcp_server(partial(serve, broker)) as address:
        stage = CaptureStage(
            cast(Cluster, SimpleNamespace(access=OPEN_ACCESS)),
            {ListenerPlace(1, Listener.CLIENT): address},
            reported.append,
        )
        topics = InternalTopics(APIS)
        topics.run(stage)
    return dict(topics.facts()["records"]), reported


def test_a_topic_is_read_to_its_end() -> None:
    """Answer by answer, from where the last batch ends, which need not be its last record."""
    broker = Broker({0: batch(0, 3), 4: batch(4, 2), 7: b""})
    assert read(broker) == (
        {"__transaction_state": 5},
        ["records of internal topics: 5 of __transaction_state"],
    )
    assert broker.asked == [0, 4, 7]


def test_records_that_are_deleted_meanwhile_are_passed_over() -> None:
    """The coordinator of share groups prunes its topic: reading goes on at the first offset that is left."""
    broker = Broker({0: batch(0, 3), 8: batch(8, 2), 11: b""}, pruned=8)
    assert read(broker)[0] == {"__transaction_state": 5}
    assert broker.asked == [0, 4, 8, 11]


def test_an_offset_out_of_range_that_the_log_should_have_is_an_error() -> None:
    """A leader whose log begins there, but that refuses to read it, is no reason to ask for ever."""
    with pytest.raises(CaptureError, match="__transaction_state-0 from 0: error 1"):
        read(Broker({}, error=OUT_OF_RANGE))


def test_a_cluster_without_such_topics() -> None:
    """The workload reads nothing, and reports that."""
    assert read(Broker({}, topic="mine")) == ({}, ["records of internal topics: none"])


def test_an_error_of_the_leader_is_reported() -> None:
    """The message names topic, partition and offset."""
    with pytest.raises(CaptureError, match="__transaction_state-0 from 0: error 6"):
        read(Broker({}, error=6))


def test_records_that_cannot_be_read_are_reported() -> None:
    """Our codec finds the checksum wrong."""
    with pytest.raises(CaptureError, match="cannot be read"):
        read(Broker({0: batch(0, 3)[:-1] + b"!"}))
