"""How far a capture reaches: of the pairs that a listener advertises, those that were answered."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from wireproof.frames import Named, Naming, Unnamed, is_telling

__all__ = ["ListenerReach", "Reach"]

_API_VERSIONS: Final = "ApiVersionsResponse"


@dataclass(frozen=True, slots=True)
class ListenerReach:
    """One listener, all nodes together.

    Attributes:
        advertised: pairs of api key and version.
        answered: those of them that got a response.
        telling: those of them with a response that is neither an error nor empty.
        missing: the others with the reason, one for each.
    """

    listener: str
    advertised: int
    answered: int
    telling: int
    missing: Mapping[str, str]


class Reach:
    """Counts pairs while frames are read."""

    def __init__(self, naming: Naming) -> None:
        self._naming = naming
        self._advertised: dict[str, set[tuple[int, int]]] = {}
        self._answered: dict[str, set[tuple[int, int]]] = {}
        self._telling: dict[str, set[tuple[int, int]]] = {}

    def answered(self, listener: str, api_key: int, version: int) -> None:
        """A request of this pair got a response."""
        self._answered.setdefault(listener, set()).add((api_key, version))

    def told(self, listener: str, response: Named, body: Mapping[str, Any]) -> None:
        """A response was read."""
        if is_telling(response.layout, body) and response.layout.api_key is not None:
            self._telling.setdefault(listener, set()).add((response.layout.api_key, response.version))
        if response.message == _API_VERSIONS:
            pairs = self._advertised.setdefault(listener, set())
            for api in body["apiKeys"]:
                pairs.update(
                    (api["apiKey"], version) for version in range(api["minVersion"], api["maxVersion"] + 1)
                )

    def listeners(self, reasons: Mapping[tuple[str, str, int], str]) -> Iterator[ListenerReach]:
        """The sum for each listener.

        Args:
            reasons: why a request was not answered, by listener, message and version, as far as it is known.
        """
        for listener, advertised in sorted(self._advertised.items()):
            answered = advertised & self._answered.get(listener, set())
            missing: dict[str, str] = {}
            for api_key, version in sorted(advertised - answered):
                name, reason = self._missing(listener, api_key, version, reasons)
                missing[name] = reason
            telling = len(advertised & self._telling.get(listener, set()))
            yield ListenerReach(listener, len(advertised), len(answered), telling, missing)

    def _missing(
        self, listener: str, api_key: int, version: int, reasons: Mapping[tuple[str, str, int], str]
    ) -> tuple[str, str]:
        named = self._naming.request(api_key, version)
        if isinstance(named, Unnamed):
            return f"api key {api_key} {version}", "the release advertises it, and has no such message"
        name = f"{named.message} {version}"
        return name, reasons.get((listener, named.message, version), "not asked for in this capture")
