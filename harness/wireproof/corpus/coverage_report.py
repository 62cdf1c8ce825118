"""The coverage report of captures: of the pairs that a listener advertises, those that were answered.

A corpus keeps the account of each release beside its entries, in ``coverage/RELEASE.json``: entries are the
few that show everything, and cannot tell what was asked where.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from wireproof.fingerprint import response_classifier
from wireproof.parsing import parse_json
from wireproof.wire import FrameIdentifier, FrameType, UnknownFrameType
from wireproof.wording import ranges_text

__all__ = ["NOT_ASKED", "ListenerCoverage", "Pair", "CoverageReport", "CoverageReportBuilder", "Reasons"]

FORMAT: Final = 1
NOT_ASKED: Final = "not asked for"
"""The reason where a capture has no request of a pair."""
_NO_MESSAGE: Final = "advertised, and the release has no such message"
_API_VERSIONS: Final = "ApiVersionsResponse"

Pair: TypeAlias = tuple[str, int]
"""Name of a request and version; ``api key 0`` where the release has no message of the key and version."""

Reasons: TypeAlias = Mapping[tuple[str, str, int], str]
"""The reason why a request was not answered, by listener, request and version."""


@dataclass(slots=True)
class ListenerCoverage:
    """One listener, all nodes and captures together.

    Attributes:
        advertised: in its ApiVersions responses.
        answered: a request of the pair got a response.
        telling: a response of the pair is neither an error nor empty.
        reasons: why others were not answered.
    """

    advertised: set[Pair] = field(default_factory=set)
    answered: set[Pair] = field(default_factory=set)
    telling: set[Pair] = field(default_factory=set)
    reasons: dict[Pair, str] = field(default_factory=dict)

    @property
    def missing(self) -> Mapping[Pair, str]:
        """The pairs that are advertised and were not answered, each with its reason."""
        return {pair: self.reasons.get(pair, NOT_ASKED) for pair in sorted(self.advertised - self.answered)}

    def add(self, other: "ListenerCoverage") -> None:
        """Add the pairs of another capture."""
        self.advertised |= other.advertised
        self.answered |= other.answered
        self.telling |= other.telling
        self.reasons |= other.reasons


class CoverageReport:
    """The account of one release.

    Attributes:
        listeners: by name.
    """

    def __init__(self, release: str) -> None:
        self.release = release
        self.listeners: dict[str, ListenerCoverage] = {}

    def add(self, other: "CoverageReport") -> None:
        """Add another capture of the release."""
        for name, each in other.listeners.items():
            self.listener(name).add(each)

    def listener(self, name: str) -> ListenerCoverage:
        """The account of a listener; a new one where there is none yet."""
        return self.listeners.setdefault(name, ListenerCoverage())

    def explain(self, reasons: Reasons) -> None:
        """Take reasons for what was not answered."""
        for (name, request, version), reason in reasons.items():
            self.listener(name).reasons[request, version] = reason

    def text(self) -> str:
        """The file: JSON, the same for the same account."""
        listeners = {name: _members(each) for name, each in sorted(self.listeners.items())}
        members = {"coverage": FORMAT, "release": self.release, "listeners": listeners}
        return json.dumps(members, indent=1, ensure_ascii=False) + "\n"

    @classmethod
    def read(cls, text: str) -> "CoverageReport":
        """The account in a file.

        Raises:
            ValueError: it is none.
        """
        members = parse_json(text)
        if not isinstance(members, dict) or members.get("coverage") != FORMAT:
            raise ValueError(f"no account of captures of format {FORMAT}")
        reach = cls(str(members["release"]))
        for name, each in members["listeners"].items():
            reach.listeners[name] = ListenerCoverage(
                set(_pairs(each["advertised"])),
                set(_pairs(each["answered"])),
                set(_pairs(each["telling"])),
                {pair: reason for reason, said in each["missing"].items() for pair in _pairs(said)},
            )
        return reach


class CoverageReportBuilder:
    """Counts pairs while the frames of a capture are read."""

    def __init__(self, naming: FrameIdentifier) -> None:
        self._naming = naming
        self.reach = CoverageReport(naming.release)

    def answered(self, listener: str, api_key: int, version: int) -> None:
        """A request got a response."""
        self.reach.listener(listener).answered.add(self._pair(api_key, version))

    def told(self, listener: str, response: FrameType, body: Mapping[str, Any]) -> None:
        """A response was read."""
        if response_classifier(response.layout).has_content(body):
            self.telling(listener, response)
        if response.message == _API_VERSIONS:
            for api in body["apiKeys"]:
                self.advertised(listener, api["apiKey"], api["minVersion"], api["maxVersion"])

    def telling(self, listener: str, response: FrameType) -> None:
        """A response was neither an error nor empty."""
        if (api_key := response.layout.api_key) is not None:
            self.reach.listener(listener).telling.add(self._pair(api_key, response.version))

    def advertised(self, listener: str, api_key: int, lowest: int, highest: int) -> None:
        """An ApiVersions response named an API, with its versions from `lowest` to `highest`."""
        account = self.reach.listener(listener)
        for version in range(lowest, highest + 1):
            pair = self._pair(api_key, version)
            account.advertised.add(pair)
            if isinstance(self._naming.request(api_key, version), UnknownFrameType):
                account.reasons[pair] = _NO_MESSAGE

    def _pair(self, api_key: int, version: int) -> Pair:
        named = self._naming.request(api_key, version)
        return (f"api key {api_key}" if isinstance(named, UnknownFrameType) else named.message), version


def _members(reach: ListenerCoverage) -> Mapping[str, Any]:
    missing: dict[str, set[Pair]] = {}
    for pair, reason in reach.missing.items():
        missing.setdefault(reason, set()).add(pair)
    return {
        "advertised": _spans(reach.advertised),
        "answered": _spans(reach.answered),
        "telling": _spans(reach.telling),
        "missing": {reason: _spans(pairs) for reason, pairs in sorted(missing.items())},
    }


def _spans(pairs: set[Pair]) -> Mapping[str, str]:
    """Request to versions, such as ``0-3, 7``."""
    versions: dict[str, list[int]] = {}
    for name, version in sorted(pairs):
        versions.setdefault(name, []).append(version)
    return {name: ranges_text(each) for name, each in versions.items()}


def _pairs(spans: Mapping[str, str]) -> Iterator[Pair]:
    for name, text in spans.items():
        for part in text.split(", "):
            first, _, last = part.partition("-")
            for version in range(int(first), int(last or first) + 1):
                yield name, version
