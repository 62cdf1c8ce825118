"""The coverage report of captures: the pairs that a listener advertises, and those that were answered.

A corpus keeps the report of each release in ``coverage/RELEASE.json``, because its entries are a selection:
they do not show every request to every listener.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from wireproof.base.grouping import grouped
from wireproof.base.text.parsing import parse_json
from wireproof.base.text.wording import numbers_in, ranges_text
from wireproof.traffic.fingerprint.fingerprinter import response_classifier
from wireproof.traffic.wire.frame_identifier import FrameIdentifier, FrameType, UnknownFrameType

FORMAT: Final = 1
NOT_ASKED: Final = "not asked for"
"""The reason if a capture has no request of a pair."""
_NO_MESSAGE: Final = "advertised, and the release has no such message"
_API_VERSIONS: Final = "ApiVersionsResponse"

Pair: TypeAlias = tuple[str, int]
"""Name of a request and version; ``api key 0`` if the release has no message of the key and version."""

Reasons: TypeAlias = Mapping[tuple[str, str, int], str]
"""The reason why a request was not answered, by listener, request and version."""


@dataclass(slots=True)
class ListenerCoverage:
    """The pairs of one kind of listener, over all nodes and captures.

    Attributes:
        advertised: the pairs in its ApiVersions responses.
        answered: the pairs with a response.
        with_content: the pairs with a response that is neither an error nor empty (``telling`` in the file).
        reasons: the reasons why other pairs were not answered.
    """

    advertised: set[Pair] = field(default_factory=set)
    answered: set[Pair] = field(default_factory=set)
    with_content: set[Pair] = field(default_factory=set)
    reasons: dict[Pair, str] = field(default_factory=dict)

    @property
    def missing(self) -> Mapping[Pair, str]:
        """The advertised pairs without an answer, each with its reason."""
        return {pair: self.reasons.get(pair, NOT_ASKED) for pair in sorted(self.advertised - self.answered)}

    def add(self, other: "ListenerCoverage") -> None:
        self.advertised |= other.advertised
        self.answered |= other.answered
        self.with_content |= other.with_content
        self.reasons |= other.reasons


class CoverageReport:
    """The coverage report of one release: the coverage of each kind of listener, by name."""

    def __init__(self, release: str) -> None:
        self.release = release
        self.listeners: dict[str, ListenerCoverage] = {}

    def add(self, other: "CoverageReport") -> None:
        for name, each in other.listeners.items():
            self.listener(name).add(each)

    def listener(self, name: str) -> ListenerCoverage:
        """Return the coverage of a listener; add it if it is new."""
        return self.listeners.setdefault(name, ListenerCoverage())

    def explain(self, reasons: Reasons) -> None:
        """Add reasons for pairs that were not answered."""
        for (name, request, version), reason in reasons.items():
            self.listener(name).reasons[request, version] = reason

    def text(self) -> str:
        """Return the text of the file: JSON, equal for equal reports."""
        listeners = {name: _members(each) for name, each in sorted(self.listeners.items())}
        members = {"coverage": FORMAT, "release": self.release, "listeners": listeners}
        return json.dumps(members, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, text: str) -> "CoverageReport":
        """Read the text of a file. Raises ValueError if it is not a coverage report."""
        members = parse_json(text)
        if not isinstance(members, dict) or members.get("coverage") != FORMAT:
            raise ValueError(f"expected a coverage report of format {FORMAT}")
        report = cls(str(members["release"]))
        for name, each in members["listeners"].items():
            report.listeners[name] = ListenerCoverage(
                set(_pairs(each["advertised"])),
                set(_pairs(each["answered"])),
                set(_pairs(each["telling"])),
                {pair: reason for reason, spans in each["missing"].items() for pair in _pairs(spans)},
            )
        return report


class CoverageReportBuilder:
    """A builder that counts the pairs of a capture's frames."""

    def __init__(self, naming: FrameIdentifier) -> None:
        self._naming = naming
        self.report = CoverageReport(naming.release)

    def add_answer(self, listener: str, api_key: int, version: int) -> None:
        """Count a request that got a response."""
        self.report.listener(listener).answered.add(self._pair(api_key, version))

    def add_response(self, listener: str, response: FrameType, body: Mapping[str, Any]) -> None:
        """Count a response, and the pairs that it advertises."""
        if response_classifier(response.layout).has_content(body):
            self.add_content(listener, response)
        if response.message == _API_VERSIONS:
            for api in body["apiKeys"]:
                self.add_advertised(listener, api["apiKey"], api["minVersion"], api["maxVersion"])

    def add_content(self, listener: str, response: FrameType) -> None:
        """Count a response that is neither an error nor empty."""
        if (api_key := response.layout.api_key) is not None:
            self.report.listener(listener).with_content.add(self._pair(api_key, response.version))

    def add_advertised(self, listener: str, api_key: int, lowest: int, highest: int) -> None:
        """Count the versions of an API in an ApiVersions response, from `lowest` to `highest`."""
        coverage = self.report.listener(listener)
        for version in range(lowest, highest + 1):
            pair = self._pair(api_key, version)
            coverage.advertised.add(pair)
            if isinstance(self._naming.request(api_key, version), UnknownFrameType):
                coverage.reasons[pair] = _NO_MESSAGE

    def _pair(self, api_key: int, version: int) -> Pair:
        named = self._naming.request(api_key, version)
        return (f"api key {api_key}" if isinstance(named, UnknownFrameType) else named.message), version


def _members(coverage: ListenerCoverage) -> Mapping[str, Any]:
    missing = grouped((reason, pair) for pair, reason in coverage.missing.items())
    return {
        "advertised": _spans(coverage.advertised),
        "answered": _spans(coverage.answered),
        "telling": _spans(coverage.with_content),
        "missing": {reason: _spans(pairs) for reason, pairs in sorted(missing.items())},
    }


def _spans(pairs: Iterable[Pair]) -> Mapping[str, str]:
    """Return the versions of each request, such as ``0-3, 7``."""
    return {name: ranges_text(versions) for name, versions in grouped(sorted(pairs)).items()}


def _pairs(spans: Mapping[str, str]) -> Iterator[Pair]:
    for name, text in spans.items():
        for version in numbers_in(text):
            yield name, version
