"""Judgement of requests: Kafka's classes read each one and write it back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from kafkawire.canonical import canonical
from kafkawire.compiler import fastest_codec
from kafkawire.errors import CodecError
from kafkawire.schema import ScalarType, VersionRange
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from kafkawire.values import StructValue
from kafkawire.wire import PREFIX_BYTES
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.model.kafka.releases import error_name
from wireproof.model.oracle import Oracle, OracleFrame, Refusal
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.comparing.divergences import value_difference
from wireproof.proof.checks.evidence_text import refusal_words
from wireproof.proof.checks.values.whole_frame import differing_frames
from wireproof.proof.client_judge.sent_requests import (
    MissingResponse,
    ReceivedResponse,
    RequestFault,
    RequestFinding,
    RequestVerdict,
    SentRequest,
)
from wireproof.traffic.fingerprint.fingerprinter import iter_error_codes
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType

_API_VERSIONS: Final = "ApiVersionsRequest"
_CLIENT: Final = "the client"

_Read: TypeAlias = tuple[StructValue, StructValue] | CodecError
"""Header and body as read by our own codec, or its error."""


@dataclass(frozen=True, slots=True)
class RequestJudge:
    """Judges requests of one release.

    Attributes:
        headers: the layouts of all versions of RequestHeader.
        advertised: the versions that each listener offers, by api key; an absent listener offers all.
    """

    oracle: Oracle
    naming: FrameIdentifier
    headers: Mapping[int, MessageLayout]
    advertised: Mapping[str, Mapping[int, VersionRange]]

    def judge(self, requests: Sequence[SentRequest]) -> list[RequestVerdict]:
        """Return a verdict for each request, in order. Requests of one cell are one batch for the oracle.

        Raises:
            OracleError: Kafka's classes fail.
        """
        verdicts: dict[int, RequestVerdict] = {}
        together: dict[Cell, list[int]] = {}
        for index, sent in enumerate(requests):
            if isinstance(sent.named, UnknownFrameType):
                verdicts[index] = RequestVerdict(sent, tuple(self._unknown(sent, sent.named)))
            else:
                named = sent.named
                cell = Cell(self.naming.release, named.module, named.message, named.version)
                together.setdefault(cell, []).append(index)
        for cell, indices in together.items():
            some = [requests[index] for index in indices]
            verdicts |= zip(indices, self._cell(cell, some), strict=True)
        return [verdicts[index] for index in range(len(requests))]

    def _unknown(self, sent: SentRequest, named: UnknownFrameType) -> Iterator[RequestFinding]:
        if named.message == _API_VERSIONS:
            return
        what = f"version {named.version} of {named.message}" if named.message else f"api {named.api_key}"
        yield _finding(sent, RequestFault.UNKNOWN_API, f"Kafka {self.naming.release} has no {what}")

    def _cell(self, cell: Cell, requests: Sequence[SentRequest]) -> Iterator[RequestVerdict]:
        layout = _layout(requests[0])
        replies = self.oracle.reframe(cell, layout, self.headers, [each.frame.data for each in requests])
        read = [self._read(each) for each in requests]
        records = self._records(layout, requests, read)
        for sent, reply, ours, sets in zip(requests, replies, read, records, strict=True):
            client, software = _client(ours)
            findings = [
                *self._offered(sent, layout),
                *self._frame(sent, layout, reply, ours),
                *sets,
                *_dropped(sent),
            ]
            named = tuple(replace(each, client=client) for each in findings)
            yield RequestVerdict(sent, named, self._errors(sent), client, software)

    def _offered(self, sent: SentRequest, layout: MessageLayout) -> Iterator[RequestFinding]:
        assert layout.api_key is not None
        offers = self.advertised.get(sent.place)
        if offers is None or layout.name == _API_VERSIONS:
            return
        versions = offers.get(layout.api_key)
        if versions is None:
            yield _finding(sent, RequestFault.NOT_ADVERTISED, "the broker does not offer this api")
        elif layout.version not in versions:
            words = f"the broker offers versions {versions}"
            yield _finding(sent, RequestFault.NOT_ADVERTISED, words)

    def _frame(
        self, sent: SentRequest, layout: MessageLayout, reply: OracleFrame | Refusal, ours: _Read
    ) -> Iterator[RequestFinding]:
        if isinstance(reply, Refusal):
            yield _refused(sent, f"Kafka does not read it: {refusal_words(reply)}", f"refused:{reply.error}")
            return
        frame = sent.frame.data
        if reply.consumed_bytes != len(frame):
            words = f"Kafka reads {reply.consumed_bytes} of its {len(frame)} bytes"
            yield _refused(sent, words, "tail")
        elif reply.written != frame:
            yield self._differs(sent, layout, reply)
        yield from _ours(sent, layout, reply, ours)

    def _differs(self, sent: SentRequest, layout: MessageLayout, reply: OracleFrame) -> RequestFinding:
        """Locate the difference in the header, or at a field of the body."""
        header = self.headers[reply.header_version]
        head_bytes = PREFIX_BYTES + len(encode_canonical(header, reply.header))
        summary = "Kafka writes other bytes for what it reads in it"
        divergence = differing_frames(
            header, layout, _CLIENT, summary, sent.frame.data, reply.written, head_bytes
        )
        return _finding(sent, RequestFault.DIFFERS, summary, divergence)

    def _read(self, sent: SentRequest) -> _Read:
        """Read a request with our own codec."""
        assert isinstance(sent.named, FrameType)
        try:
            return self.naming.codec(sent.named).decode(sent.frame.data)
        except CodecError as error:
            return error

    def _records(
        self, layout: MessageLayout, requests: Sequence[SentRequest], read: Sequence[_Read]
    ) -> list[list[RequestFinding]]:
        """Return a finding for each record set that Kafka does not read, by request."""
        found: list[list[RequestFinding]] = [[] for _ in requests]
        if not any(field.scalar is ScalarType.RECORDS for _, _, field in layout.walk() if not field.struct):
            return found
        places: list[tuple[int, str]] = []
        sets: list[bytes] = []
        for index, ours in enumerate(read):
            for path, data in (
                () if isinstance(ours, CodecError) else iter_record_sets(layout.root, ours[1], "")
            ):
                places.append((index, path))
                sets.append(data)
        for (index, path), reply in zip(places, self.oracle.read_records(sets), strict=True):
            if isinstance(reply, Refusal):
                words = f"Kafka does not read the record set: {refusal_words(reply)}"
                divergence = Divergence(
                    Check.DECODE, _CLIENT, words, path, kind=f"refused:{reply.error}", oracle=words
                )
                found[index].append(_finding(requests[index], RequestFault.RECORDS, words, divergence))
        return found

    def _errors(self, sent: SentRequest) -> tuple[str, ...]:
        """Return the names of the response's error codes."""
        if not isinstance(sent.answer, ReceivedResponse) or not isinstance(sent.answer.named, FrameType):
            return ()
        try:
            _, body = self.naming.codec(sent.answer.named).decode(sent.answer.frame.data)
        except CodecError:
            return ()
        return tuple(dict.fromkeys(error_name(code) for _, code in iter_error_codes(body) if code))


def _layout(sent: SentRequest) -> MessageLayout:
    assert isinstance(sent.named, FrameType)
    return sent.named.layout


def _finding(
    sent: SentRequest, fault: RequestFault, summary: str, divergence: Divergence | None = None
) -> RequestFinding:
    return RequestFinding(
        fault,
        sent.place,
        sent.connection,
        sent.frame.offset,
        summary,
        sent.frame.data,
        sent.message,
        sent.version,
        divergence,
    )


def _refused(sent: SentRequest, words: str, kind: str) -> RequestFinding:
    return _finding(sent, RequestFault.REFUSED, words, Divergence(Check.DECODE, _CLIENT, words, kind=kind))


def _ours(
    sent: SentRequest, layout: MessageLayout, reply: OracleFrame, ours: _Read
) -> Iterator[RequestFinding]:
    """Report differences between our codec and Kafka, because the summary relies on our codec."""
    if isinstance(ours, CodecError):
        if reply.written == sent.frame.data:
            yield _finding(sent, RequestFault.OURS, f"wireproof does not read it: {ours}")
        return
    value = canonical(layout).to_binary(ours[1])
    if value != reply.body:
        summary = "wireproof reads another value than Kafka"
        divergence = value_difference(layout, Check.DECODE, "wireproof", summary, value, reply.body)
        yield _finding(sent, RequestFault.OURS, summary, divergence)


def _client(ours: _Read) -> tuple[str, str]:
    """Return the client id, and the software name of an ApiVersions request."""
    if isinstance(ours, CodecError):
        return "", ""
    header, body = ours
    software = ""
    if "clientSoftwareName" in body:
        software = f"{body['clientSoftwareName']} {body['clientSoftwareVersion']}"
    return str(header.get("clientId") or ""), software


def _dropped(sent: SentRequest) -> Iterator[RequestFinding]:
    if sent.answer is MissingResponse.DROPPED:
        yield _finding(sent, RequestFault.DROPPED, "the broker closed the connection in place of an answer")


def encode_canonical(layout: MessageLayout, value: bytes) -> bytes:
    """Encode a canonical binary."""
    return fastest_codec(layout).encode(canonical(layout).from_binary(value))


def iter_record_sets(struct: StructLayout, value: StructValue, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the content of all records fields with their paths."""
    for field in struct.fields:
        here = f"{path}.{field.name}" if path else field.name
        yield from _field_sets(field, value.get(field.name), here)


def _field_sets(field: FieldLayout, value: Any, path: str) -> Iterator[tuple[str, bytes]]:
    if value is None:
        return
    if field.struct is not None:
        elements = value if isinstance(value, list) else [value]
        for index, element in enumerate(elements):
            place = f"{path}[{index}]" if isinstance(value, list) else path
            yield from iter_record_sets(field.struct, element, place)
    elif field.scalar is ScalarType.RECORDS and value:
        yield path, bytes(value)
