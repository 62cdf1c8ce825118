"""Judgement of real clients' requests, frame by frame, by an oracle."""

from wireproof.proof.client_judge.request_extractor import RequestExtractor
from wireproof.proof.client_judge.request_judge import RequestJudge
from wireproof.proof.client_judge.request_statistics import FindingGroup, MessageStatistics, RequestStatistics
from wireproof.proof.client_judge.sent_requests import (
    RequestFault,
    RequestFinding,
    RequestVerdict,
    SentRequest,
)

__all__ = [
    "FindingGroup",
    "RequestFault",
    "RequestFinding",
    "RequestJudge",
    "MessageStatistics",
    "SentRequest",
    "RequestStatistics",
    "RequestVerdict",
    "RequestExtractor",
]
