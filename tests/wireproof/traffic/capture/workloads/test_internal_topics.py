"""Topics of Kafka's own are read to their end; the broker here answers by our codec."""

import socket
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from kafkawire.records import Record, RecordBatch, RecordSet, encode_records
from tests.support.capture.tcp_servers import tcp_server
from tests.support.schemas import real_layouts
from wireproof.traffic.capture import CaptureError
from wireproof.traffic.capture.brokers import Cluster, Listener, ListenerPlace
from wireproof.traffic.capture.capture_session import CaptureStage
from wireproof.traffic.capture.raw_client.broker_access import OPEN_ACCESS
from wireproof.traffic.capture.raw_client.raw_client import ApiCatalog
from wireproof.traffic.capture.workloads.internal_topics import InternalTopics
from wireproof.traffic.wire import FrameSplitter, FrameType

APIS = ApiCatalog(real_layouts.schemas())
METADATA = 3
UNKNOWN_TOPIC = 3


def batch(base: int, count: int) -> bytes:
    """Records from an offset on; compaction has removed the offset after the last one."""
    records = tuple(Record(n, n, b"key", b"value") for n in range(count))
    return encode_records(
        RecordSet((RecordBatch(base_offset=base, last_offset_delta=count, records=records),))
    )


class Broker:
    """Has one of the topics, with what it is given by offset; counts what it is asked."""

    def __init__(self, log: dict[int, bytes], topic: str = "__transaction_state", error: int = 0) -> None:
        self._log = log
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
        asked = request["topics"][0]["partitions"][0]["fetchOffset"]
        self.asked.append(asked)
        found = {"partitionIndex": 0, "errorCode": self._error, "records": self._log.get(asked)}
        return {"responses": [{"topic": self._topic, "partitions": [found]}]}


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
