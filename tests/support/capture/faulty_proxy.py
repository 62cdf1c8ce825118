"""A proxy that plants faults in a broker's answers: each in those to one request, all in one run."""

import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from kafkawire.records import RecordBatch, decode_records, encode_records
from kafkawire.values import TAGS, StructValue
from tests.support.capture import real_cluster
from tests.support.capture.tcp_servers import Address, receive, tcp_server
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.traffic.wire.frame_identifier import FrameType

RULES = BrokerRule
_APIS = real_cluster.apis("4.3.1")
Change = Callable[[bytes, bytes], bytes | None]
"""Returns the changed answer, given the contents of request and answer; None closes the connection."""


@dataclass(frozen=True)
class Fault:
    """A fault in the answers to one request.

    Attributes:
        request: its name without ``Request``.
        rules: the finding has one of these.
        since: the first version that has the fault.
        raw: the answer is sent as it is, without its size.
    """

    name: str
    request: str
    change: Change
    rules: tuple[BrokerRule, ...]
    since: int = 0
    raw: bool = False

    @property
    def api_key(self) -> int:
        return _APIS.key(f"{self.request}Request")


def in_body(change: Callable[[StructValue], object]) -> Change:
    """Return a change of the value of an answer's body; where it cannot be made the answer stays."""

    def changed(request: bytes, answer: bytes) -> bytes:
        key, version = struct.unpack(">hh", request[:4])
        named = _APIS.naming.response(key, version)
        if not isinstance(named, FrameType):
            return answer
        codec = _APIS.naming.codec(named)
        with suppress(Exception):  # an answer without what is changed
            header, body = codec.decode(len(answer).to_bytes(4) + answer)
            change(body)
            return codec.encode(header, body)[4:]
        return answer

    return changed


def _set(*path: str | int, to: object) -> Change:
    def change(body: StructValue) -> None:
        inner: Any = body
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = to

    return in_body(change)


def _drop_last(name: str) -> Change:
    return in_body(lambda body: body[name].pop())


def _flip_records(_: bytes, answer: bytes) -> bytes:
    """Flip a bit near the end of an answer with records, which is inside the last of them."""
    cut = len(answer) - 12
    return answer[:cut] + bytes((answer[cut] ^ 1,)) + answer[cut + 1 :] if cut > 80 else answer


def _replaced(old: bytes, new: bytes) -> Change:
    return lambda _, answer: answer.replace(old, new, 1)


def _without_errors(body: StructValue) -> None:
    for row in body["responses"]:
        row["errorCode"] = 0


def _each_number(name: str, *, to: int) -> Change:
    """Return a change of all fields of this name, at any depth."""

    def change(value: Any) -> None:
        for each in value if isinstance(value, list) else value.values() if isinstance(value, dict) else ():
            change(each)
        if isinstance(value, dict) and name in value:
            value[name] = to

    return in_body(change)


def _record_fields(body: StructValue) -> Iterator[StructValue]:
    """The partitions of an answer that have records."""
    for topic in body["responses"]:
        yield from (each for each in topic["partitions"] if each.get("records"))


def _change_record(body: StructValue) -> None:
    for part in _record_fields(body):
        records = decode_records(part["records"])
        first = records.batches[0]
        assert isinstance(first, RecordBatch)
        changed = replace(first, records=tuple(each._replace(value=b"other") for each in first.records))
        part["records"] = encode_records(replace(records, batches=(changed, *records.batches[1:])))


def _exchange_names(body: StructValue) -> None:
    first, second, *_ = body["topics"]
    first["name"], second["name"] = second["name"], first["name"]


def _for_unknown_tags(change: Change) -> Change:
    return lambda request, answer: change(request, answer) if b"\xff unknown" in request else answer


def once(change: Change) -> Change:
    """Return a change of the first answer to every second request; its bytes again have the right answer."""
    seen: set[bytes] = set()

    def changed(request: bytes, answer: bytes) -> bytes | None:
        if request in seen:
            return answer
        seen.add(request)
        return change(request, answer) if len(seen) % 2 else answer

    return changed


MOMENTARY = (
    Fault("no answer at first", "DescribeConfigs", once(lambda *_: None), ()),
    Fault("another error at first", "DescribeAcls", once(_set("errorCode", to=42)), ()),
    Fault(
        "a leader elsewhere at first",
        "WriteTxnMarkers",
        once(_set("markers", 0, "topics", 0, "partitions", 0, "errorCode", to=6)),
        (),
    ),
)
"""What a busy node does for a moment."""

FAULTS = (
    Fault("a byte too many", "Metadata", lambda _, a: a + b"\0", (RULES.READABLE,)),
    Fault("a byte too few", "FindCoordinator", lambda _, a: a[:-1], (RULES.READABLE,)),
    Fault(
        "another correlation id",
        "DescribeGroups",
        lambda _, a: a[:3] + bytes((a[3] ^ 1,)) + a[4:],
        (RULES.CORRELATION_ID,),
    ),
    Fault(
        "a correlation id in the other byte order",
        "TxnOffsetCommit",
        lambda _, a: a[3::-1] + a[4:],
        (RULES.CORRELATION_ID,),
    ),
    Fault("a header without tags", "ListGroups", lambda _, a: a[:4] + a[5:], (RULES.READABLE,), since=3),
    Fault(
        "a header with tags", "ApiVersions", lambda _, a: a[:4] + b"\0" + a[4:], (RULES.READABLE,), since=3
    ),
    Fault(
        "a header with a tag that is not there",
        "AlterPartitionReassignments",
        lambda _, a: a[:4] + b"\1" + a[5:],
        (RULES.READABLE,),
    ),
    Fault(
        "a number of tags in two bytes",
        "InitProducerId",
        lambda _, a: a[:-1] + b"\x80\0",
        (RULES.SAME_AGAIN,),
        since=2,
    ),
    Fault(
        "unknown tags in no order",
        "DescribeUserScramCredentials",
        lambda _, a: a[:-1] + b"\2\x64\0\x63\0",
        (RULES.READABLE, RULES.SAME_AGAIN),
    ),
    Fault(
        "an unknown error code", "CreateTopics", _set("topics", 0, "errorCode", to=999), (RULES.ERROR_CODES,)
    ),
    Fault("an error code below -1", "ElectLeaders", _set("errorCode", to=-2), (RULES.ERROR_CODES,), since=1),
    Fault("a changed record", "Fetch", _flip_records, (RULES.RECORD_SETS,)),
    Fault("a null array", "ListOffsets", lambda _, a: a[:9] + b"\0\0", (RULES.READABLE,), since=6),
    Fault(
        "a negative length",
        "SyncGroup",
        lambda _, a: a[:11] + b"\xff\xff\xff\xff\x0f" + a[12:],
        (RULES.READABLE,),
        since=4,
    ),
    Fault(
        "a count above what is there",
        "OffsetCommit",
        lambda _, a: a[:9] + b"\x7f" + a[10:],
        (RULES.READABLE,),
        since=8,
    ),
    Fault(
        "a count below what is there",
        "ConsumerGroupDescribe",
        lambda _, a: a[:9] + b"\1" + a[10:],
        (RULES.READABLE,),
    ),
    Fault(
        "the answer of an old version",
        "DeleteRecords",
        lambda _, a: a[:4] + a[5:9] + bytes(4),
        (RULES.READABLE,),
        since=2,
    ),
    Fault("an empty body", "Heartbeat", lambda _, a: a[:4], (RULES.READABLE,)),
    Fault(
        "an empty frame",
        "LeaveGroup",
        lambda *_: b"",
        (RULES.CORRELATION_ID, RULES.READABLE, RULES.OFFERED_ANSWERED),
    ),
    Fault(
        "a size of 2 GiB",
        "CreatePartitions",
        lambda _, a: b"\x7f\xff\xff\xff" + a,
        (RULES.OFFERED_ANSWERED,),
        raw=True,
    ),
    Fault("a closed connection", "IncrementalAlterConfigs", lambda *_: None, (RULES.OFFERED_ANSWERED,)),
    Fault(
        "half an answer",
        "OffsetDelete",
        lambda _, a: len(a).to_bytes(4) + a[:5],
        (RULES.OFFERED_ANSWERED,),
        raw=True,
    ),
    Fault(
        "two answers",
        "AlterConfigs",
        lambda _, a: (len(a).to_bytes(4) + a) * 2,
        (RULES.ONE_ANSWER, RULES.CORRELATION_ID),
        raw=True,
    ),
    Fault(
        "a text that is no UTF-8",
        "DescribeCluster",
        _replaced(b"127.0.0.1", b"127.\xff.0.1"),
        (RULES.SAME_AGAIN,),
    ),
    Fault(
        "unknown tags are refused",
        "DescribeTransactions",
        _for_unknown_tags(lambda *_: None),
        (RULES.UNKNOWN_TAGS,),
    ),
    Fault(
        "unknown tags change the answer",
        "DescribeProducers",
        _for_unknown_tags(_set("topics", to=[])),
        (RULES.UNKNOWN_TAGS,),
    ),
    Fault("a login that is not offered", "SaslHandshake", _set("errorCode", to=0), (RULES.SASL_HANDSHAKE,)),
    Fault(
        "an error where Kafka has none",
        "DescribeConfigs",
        _set("results", 0, "errorCode", to=42),
        (RULES.BESIDE_KAFKA,),
    ),
    Fault("no error where Kafka has one", "DeleteTopics", in_body(_without_errors), (RULES.BESIDE_KAFKA,)),
    Fault("an element too few", "DescribeLogDirs", _drop_last("results"), (RULES.BESIDE_KAFKA,)),
    Fault("an empty text", "JoinGroup", _set("memberId", to=""), (RULES.BESIDE_KAFKA,)),
    Fault("an array that is empty", "DescribeQuorum", _set("topics", to=[]), (RULES.BESIDE_KAFKA,)),
    Fault("a null text", "DescribeAcls", _set("errorMessage", to=None), (RULES.BESIDE_KAFKA,)),
    Fault("another error", "EndTxn", _set("errorCode", to=3), (RULES.BESIDE_KAFKA,)),
    Fault("an offset of zero", "OffsetFetch", _each_number("committedOffset", to=0), (RULES.BESIDE_KAFKA,)),
    Fault("a negative time", "Produce", _set("throttleTimeMs", to=-1), (RULES.BESIDE_KAFKA,)),
)

_THROUGH = (RULES.THROUGH_PROXY,)
PROXY_FAULTS = (
    Fault("another epoch", "Metadata", _each_number("leaderEpoch", to=7), _THROUGH),
    Fault("another port", "FindCoordinator", _each_number("port", to=9), _THROUGH),
    Fault("another value", "DescribeConfigs", _set("results", 0, "configs", 0, "value", to="x"), _THROUGH),
    Fault("values in other rows", "DescribeTopicPartitions", in_body(_exchange_names), _THROUGH),
    Fault("another record", "Fetch", in_body(_change_record), _THROUGH),
    Fault("another offset", "Produce", _each_number("baseOffset", to=77), _THROUGH),
    Fault("another count", "CreateTopics", _each_number("numPartitions", to=4), _THROUGH),
    Fault("an empty id in place of a new one", "JoinGroup", _set("memberId", to=""), _THROUGH),
    Fault("an API too few", "ApiVersions", _drop_last("apiKeys"), _THROUGH),
    Fault("an unknown tag", "DescribeCluster", _set(TAGS, to={99: b"x"}), _THROUGH),
    Fault("no answer", "DescribeAcls", lambda *_: None, _THROUGH),
    Fault("another text", "CreatePartitions", _set("results", 0, "errorMessage", to="no"), _THROUGH),
    Fault("a throttle time", "Heartbeat", _set("throttleTimeMs", to=3), _THROUGH),
)
"""Changes in answers that Kafka's classes still read to the end."""


@contextmanager
def faulty_proxy(broker: Address, faults: Mapping[int, Fault]) -> Iterator[Address]:
    """Serve a broker with faults, by api key."""

    def serve(client: socket.socket) -> None:
        with socket.create_connection(broker) as node:
            asked: list[bytes] = []
            answering = threading.Thread(target=_answer, args=(client, node, asked, faults), daemon=True)
            answering.start()
            with suppress(OSError, EOFError):
                _forward(client, node, asked)
            with suppress(OSError):
                node.shutdown(socket.SHUT_WR)
            answering.join()

    with tcp_server(serve) as address:
        yield address


def _forward(client: socket.socket, node: socket.socket, asked: list[bytes]) -> None:
    """Pass requests on, and keep those that get an answer. Bytes that are no frame are passed on alone."""
    while True:
        size = receive(client, 4)
        length = int.from_bytes(size, signed=True)
        if not 0 < length < 1 << 20:
            node.sendall(size)
            while data := client.recv(1 << 16):
                node.sendall(data)
            return
        content = receive(client, length)
        if content[:2] != b"\0\0" or _acks(content) != b"\0\0":
            asked.append(content)
        node.sendall(size + content)


def _acks(content: bytes) -> bytes:
    """The acks of a Produce request; one with acks 0 gets no answer."""
    key, version = struct.unpack(">hh", content[:4])
    named = _APIS.naming.request(key, version)
    with suppress(Exception):  # a version that is unknown
        assert isinstance(named, FrameType)
        _, body = _APIS.naming.codec(named).decode(len(content).to_bytes(4) + content)
        return struct.pack(">h", body["acks"])
    return b""


def _answer(
    client: socket.socket, node: socket.socket, asked: list[bytes], faults: Mapping[int, Fault]
) -> None:
    with suppress(OSError, EOFError):
        while True:
            size = receive(node, 4)
            answer = receive(node, int.from_bytes(size))
            request = asked.pop(0)
            key, version = struct.unpack(">hh", request[:4])
            fault = faults.get(key)
            if fault is None or version < fault.since:
                client.sendall(size + answer)
                continue
            changed = fault.change(request, answer)
            if changed is None:
                break
            client.sendall(changed if fault.raw else len(changed).to_bytes(4) + changed)
            if fault.raw and not fault.name.startswith("two"):
                break
    with suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
