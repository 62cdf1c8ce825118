"""Our codec beside kafka-python and kio, in one process on one thread.

    pip install kafka-python==3.0.12 kio==0.6.5
    PYTHONPATH=codecs python benchmarks/codec.py [--rounds N] [--only PART-OF-A-TITLE]

Ours is the native codec where kafkawire-native is installed; WIREPROOF_NATIVE=0 measures the compiled one.
All three encode and decode the same messages; that the bytes are equal is checked first. The codecs
take turns in each round, and a ratio is the median over the rounds of theirs / ours, in CPU time, so that
what else runs on the machine weighs on all alike. Ends with 1 where a stated ratio is missed: decode 1.5
times kafka-python's speed on MetadataResponse and not slower elsewhere; encode 3 times kafka-python's
and 5 times kio's.
"""

import argparse
import gc
import io
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from kafka.protocol.consumer import FetchRequest, JoinGroupResponse
from kafka.protocol.metadata import ApiVersionsRequest, MetadataResponse
from kafka.protocol.producer import ProduceRequest
from kio.index import load_request_schema, load_response_schema
from kio.serial import entity_reader, entity_writer

from kafkawire.bundled import implementation
from kafkawire.compiler.native import fastest_codec
from kafkawire.schema import MessageLayout, from_snapshot, resolve


@dataclass(frozen=True, slots=True)
class Payload:
    """One message, and the least ratios it must reach: theirs / ours."""

    title: str
    message: str
    version: int
    value: dict[str, Any]
    kafka_python: Any
    decode_ratio: float = 1.0
    encode_ratio: float = 3.0
    encode_ratio_kio: float = 5.0


def metadata(replicas: int) -> dict[str, Any]:
    """100 topics of 12 partitions."""
    nodes = list(range(1, replicas + 1))
    partition = {"errorCode": 0, "leaderId": 1, "leaderEpoch": 7, "offlineReplicas": []}
    return {
        "throttleTimeMs": 0,
        "brokers": [
            {"nodeId": n, "host": f"b{n}.example.org", "port": 9092, "rack": None} for n in (1, 2, 3)
        ],
        "clusterId": "I1xYAwzuSt2kZuMHMEOzWw",
        "controllerId": 1,
        "topics": [
            {
                "errorCode": 0,
                "name": f"topic-{topic:03}",
                "topicId": UUID(int=0x1234_5678_9ABC << 64 | topic),
                "isInternal": False,
                "partitions": [
                    {**partition, "partitionIndex": index, "replicaNodes": [*nodes], "isrNodes": [*nodes]}
                    for index in range(12)
                ],
                "topicAuthorizedOperations": -(2**31),
            }
            for topic in range(100)
        ],
    }


def fetch() -> dict[str, Any]:
    """20 topics of 5 partitions."""
    partition = {"currentLeaderEpoch": 7, "fetchOffset": 123456, "lastFetchedEpoch": -1, "logStartOffset": -1}
    return {
        "replicaId": -1,
        "maxWaitMs": 500,
        "minBytes": 1,
        "maxBytes": 52428800,
        "isolationLevel": 1,
        "sessionId": 99,
        "sessionEpoch": 3,
        "topics": [
            {
                "topic": f"topic-{topic:03}",
                "partitions": [
                    {**partition, "partition": index, "partitionMaxBytes": 1048576} for index in range(5)
                ],
            }
            for topic in range(20)
        ],
        "forgottenTopicsData": [],
        "rackId": "rack-1",
        "clusterId": None,
    }


def join_group() -> dict[str, Any]:
    """10 members with 120 bytes of metadata each."""
    return {
        "throttleTimeMs": 0,
        "errorCode": 0,
        "generationId": 42,
        "protocolType": "consumer",
        "protocolName": "range",
        "leader": "consumer-1-5f0c5c8e",
        "skipAssignment": False,
        "memberId": "consumer-1-5f0c5c8e",
        "members": [
            {"memberId": f"consumer-{n}-5f0c5c8e", "groupInstanceId": None, "metadata": bytes(range(120))}
            for n in range(10)
        ],
    }


def produce() -> dict[str, Any]:
    """1 kB of records for one partition."""
    return {
        "transactionalId": None,
        "acks": -1,
        "timeoutMs": 30000,
        "topicData": [
            {"name": "topic-000", "partitionData": [{"index": 3, "records": bytes(range(256)) * 4}]}
        ],
    }


PAYLOADS = (
    Payload("Metadata 100x12, 35 kB", "MetadataResponse", 12, metadata(1), MetadataResponse, 1.5),
    Payload("Metadata 100x12, 3 replicas", "MetadataResponse", 12, metadata(3), MetadataResponse, 1.5),
    Payload("Fetch 20x5", "FetchRequest", 12, fetch(), FetchRequest),
    Payload("JoinGroup, 10 members", "JoinGroupResponse", 9, join_group(), JoinGroupResponse),
    Payload("Produce, 1 kB", "ProduceRequest", 9, produce(), ProduceRequest),
    Payload(
        "ApiVersions",
        "ApiVersionsRequest",
        3,
        {"clientSoftwareName": "wireproof", "clientSoftwareVersion": "1.0.0"},
        ApiVersionsRequest,
    ),
)


SNAPSHOT = Path(__file__).parents[1] / "corpus" / "schemas" / "4.4.0.json"


def read_layout(message: str, version: int) -> MessageLayout:
    """The layout of one message version out of the schema snapshot."""
    schemas = from_snapshot(json.loads(SNAPSHOT.read_text(encoding="utf-8")))
    return resolve(schemas.find(message)[1], version)


def kio_pair(payload: Payload, layout: MessageLayout) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """kio's reader and writer of the message."""
    load = load_request_schema if payload.message.endswith("Request") else load_response_schema
    entity = load(layout.api_key, payload.version)  # type: ignore[arg-type]
    return entity_reader(entity), entity_writer(entity)


Calls = dict[str, Callable[[], Any]]


def prepare(payload: Payload) -> tuple[Calls, Calls, int]:
    """The calls that decode and those that encode, by codec, and the bytes of the message."""
    layout = read_layout(payload.message, payload.version)
    ours = fastest_codec(layout)
    data = ours.encode(payload.value)
    value = ours.decode(data)
    theirs = payload.kafka_python.decode(data, version=payload.version)
    read, write = kio_pair(payload, layout)
    entity, _ = read(data, 0)

    def kio_encode() -> bytes:
        buffer = io.BytesIO()
        write(buffer, entity)
        return buffer.getvalue()

    decoders: Calls = {
        "ours": lambda: ours.decode(data),
        "kafka-python": lambda: payload.kafka_python.decode(data, version=payload.version),
        "kio": lambda: read(data, 0),
    }
    encoders: Calls = {"ours": lambda: ours.encode(value), "kafka-python": theirs.encode, "kio": kio_encode}
    for name, call in encoders.items():
        if bytes(call()) != data:
            raise SystemExit(f"{payload.title}: {name} writes other bytes")
    return decoders, encoders, len(data)


def measure(calls: Calls, rounds: int) -> dict[str, list[float]]:
    """CPU seconds a call, for each codec in each round. The collector does not visit the imports."""
    gc.freeze()
    repeats = {name: max(1, int(0.01 / once(call, 1))) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(once(call, repeats[name]))
    return times


def once(call: Callable[[], Any], repeats: int) -> float:
    start = time.process_time()
    for _ in range(repeats):
        call()
    return max(time.process_time() - start, 1e-7) / repeats


def ratio(times: dict[str, list[float]], other: str) -> float:
    """Return the ratio of the other codec's time to ours."""
    return statistics.median(theirs / ours for theirs, ours in zip(times[other], times["ours"], strict=True))


def judge(payload: Payload, rounds: int) -> Iterator[tuple[str, bool]]:
    """A line for each direction, and whether it reaches what is stated."""
    decoders, encoders, size = prepare(payload)
    for direction, calls in (("decode", decoders), ("encode", encoders)):
        times = measure(calls, rounds)
        python, kio = ratio(times, "kafka-python"), ratio(times, "kio")
        if direction == "decode":
            good, wanted = python >= payload.decode_ratio, f"want {payload.decode_ratio}"
        else:
            good = python >= payload.encode_ratio and kio >= payload.encode_ratio_kio
            wanted = f"want {payload.encode_ratio} and {payload.encode_ratio_kio}"
        ours_us = statistics.median(times["ours"]) * 1e6
        yield (
            (
                f"{payload.title:28} {size:6} B  {direction}  ours {ours_us:8.1f} us   "
                f"kafka-python {python:5.2f}x   kio {kio:5.2f}x   {wanted}{'' if good else '   MISSED'}"
            ),
            good,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="a part of the title")
    options = parser.parse_args()
    sys.stdout.write(f"our codec: {implementation()}\n")
    missed = 0
    for payload in PAYLOADS:
        if options.only not in payload.title:
            continue
        for text, good in judge(payload, options.rounds):
            sys.stdout.write(text + "\n")
            sys.stdout.flush()
            missed += not good
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
