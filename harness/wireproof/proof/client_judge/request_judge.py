"""Judgement of requests: Kafka's classes read each one and write it back."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from kafkawire.errors import CodecError
from kafkawire.schema import VersionRange
from kafkawire.schema.layout import MessageLayout
from wireproof.base.text.stated_rule import StatedRule
from wireproof.model.cell import Cell
from wireproof.model.divergence import Divergence
from wireproof.model.kafka.releases import error_name
from wireproof.model.oracle import Oracle
from wireproof.proof.client_judge.frame_judge import FrameJudge, ReadFrame
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
        faults = RequestFault.REFUSED, RequestFault.DIFFERS, RequestFault.RECORDS
        frames = FrameJudge(self.oracle, self.naming, self.headers, "the client", "it", "its", *faults)
        verdicts = {
            index: RequestVerdict(sent, tuple(self._unknown(sent, sent.named)))
            for index, sent in enumerate(requests)
            if isinstance(sent.named, UnknownFrameType)
        }
        for cell, indices in frames.by_cell(each.named for each in requests).items():
            some = [requests[index] for index in indices]
            verdicts |= zip(indices, self._cell(frames, cell, some), strict=True)
        return [verdicts[index] for index in range(len(requests))]

    def _unknown(self, sent: SentRequest, named: UnknownFrameType) -> Iterator[RequestFinding]:
        if named.message == _API_VERSIONS:
            return
        what = f"version {named.version} of {named.message}" if named.message else f"api {named.api_key}"
        yield _finding(sent, RequestFault.UNKNOWN_API, f"Kafka {self.naming.release} has no {what}")

    def _cell(
        self, frames: FrameJudge, cell: Cell, requests: Sequence[SentRequest]
    ) -> Iterator[RequestVerdict]:
        named = requests[0].named
        assert isinstance(named, FrameType)
        judged = frames.judge(cell, named, [each.frame.data for each in requests])
        for sent, (ours, faults) in zip(requests, judged, strict=True):
            client, software = _client(ours)
            findings = [
                *self._offered(sent, named.layout),
                *(_finding(sent, each.rule, each.words, each.divergence) for each in faults),
                *_dropped(sent),
            ]
            of_client = tuple(replace(each, client=client) for each in findings)
            yield RequestVerdict(sent, of_client, self._errors(sent), client, software)

    def _offered(self, sent: SentRequest, layout: MessageLayout) -> Iterator[RequestFinding]:
        assert layout.api_key is not None
        offers = self.advertised.get(sent.place)
        if offers is None or layout.name == _API_VERSIONS:
            return
        versions = offers.get(layout.api_key)
        if versions is None:
            yield _finding(sent, RequestFault.NOT_ADVERTISED, "the broker does not offer this api")
        elif layout.version not in versions:
            yield _finding(sent, RequestFault.NOT_ADVERTISED, f"the broker offers versions {versions}")

    def _errors(self, sent: SentRequest) -> tuple[str, ...]:
        """Return the names of the response's error codes."""
        if not isinstance(sent.answer, ReceivedResponse) or not isinstance(sent.answer.named, FrameType):
            return ()
        try:
            _, body = self.naming.codec(sent.answer.named).decode(sent.answer.frame.data)
        except CodecError:
            return ()
        return tuple(dict.fromkeys(error_name(code) for _, code in iter_error_codes(body) if code))


def _finding(
    sent: SentRequest, fault: StatedRule, summary: str, divergence: Divergence | None = None
) -> RequestFinding:
    place = sent.place, sent.connection, sent.frame.offset
    return RequestFinding(fault, *place, summary, sent.frame.data, sent.message, sent.version, divergence)


def _client(ours: ReadFrame) -> tuple[str, str]:
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
