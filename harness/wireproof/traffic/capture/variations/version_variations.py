"""Offers of ApiVersions: other ranges, unknown APIs and features, and a version that is too new."""

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from kafkawire.values import StructValue
from wireproof.traffic.capture.variations.answer import (
    API_VERSIONS,
    OFFER_SLOT,
    BrokerAnswer,
    Family,
    Variation,
)

_KIP_35: Final = "KIP-35: a client uses what ApiVersions offers"
_UNKNOWN_APIS: Final = {900: (0, 3), 1_234: (2, 2), 32_767: (0, 32_767)}
_UNSUPPORTED_VERSION: Final = 35
_OLDER_VERSION: Final = 2


def _of_apis(change: Callable[[list[StructValue]], list[StructValue]]) -> Callable[..., BrokerAnswer | None]:
    """Return a change of the list of APIs."""

    def vary(answer: BrokerAnswer, random: Random) -> BrokerAnswer | None:
        if answer.api_key != API_VERSIONS or answer.body["errorCode"]:
            return None
        return answer.with_body(apiKeys=change(answer.body["apiKeys"]))

    return vary


def _range(key: int, low: int, high: int) -> StructValue:
    return {"apiKey": key, "minVersion": low, "maxVersion": high}


def _unknown(rows: list[StructValue]) -> list[StructValue]:
    return [*rows, *(_range(key, *versions) for key, versions in _UNKNOWN_APIS.items())]


def _features(answer: BrokerAnswer, random: Random) -> BrokerAnswer | None:
    if answer.api_key != API_VERSIONS or "supportedFeatures" not in answer.body:
        return None
    supported: Mapping[str, Any] = {"name": "unknown.feature", "minVersion": 0, "maxVersion": 7}
    finalized: Mapping[str, Any] = {"name": "unknown.feature", "maxVersionLevel": 7, "minVersionLevel": 1}
    return answer.with_body(
        supportedFeatures=[*answer.body["supportedFeatures"], supported],
        finalizedFeatures=[*answer.body["finalizedFeatures"], finalized],
    )


def _older(answer: BrokerAnswer, newest: int, *, named: bool) -> BrokerAnswer | None:
    """Answer as a broker that has ApiVersions up to a version."""
    if answer.api_key != API_VERSIONS or answer.body["errorCode"]:
        return None
    if answer.version <= newest:
        rows = [
            {**row, "maxVersion": newest} if row["apiKey"] == API_VERSIONS else row
            for row in answer.body["apiKeys"]
        ]
        return answer.with_body(apiKeys=rows)
    rows = [_range(API_VERSIONS, 0, newest)] if named else []
    return answer.in_version(0, {"errorCode": _UNSUPPORTED_VERSION, "apiKeys": rows})


def pinned_version(message: str, api_key: int, version: int) -> Variation:
    """Return the variation that offers one version of an API.

    Args:
        message: the name of the request, such as ``FetchRequest``.
    """

    def pin(rows: list[StructValue]) -> list[StructValue]:
        return [_range(api_key, version, version) if row["apiKey"] == api_key else row for row in rows]

    return Variation(
        f"version:{message}:{version}",
        Family.VERSIONS,
        f"The broker offers {message} in version {version} alone.",
        _KIP_35,
        _of_apis(pin),
    )


VERSION_VARIATIONS: Final = (
    Variation(
        "version-unknown-apis",
        Family.VERSIONS,
        "The broker offers APIs that no release has.",
        "KIP-35: keys of newer brokers are in the list",
        _of_apis(_unknown),
    ),
    Variation(
        "version-features",
        Family.VERSIONS,
        "The broker has a feature that no release has.",
        "KIP-584: features of newer brokers are in the list",
        _features,
        slot=OFFER_SLOT,
    ),
    Variation(
        "version-refused",
        Family.VERSIONS,
        "ApiVersions above version 2 is answered in version 0, with error 35 and the range of ApiVersions.",
        "KIP-511; Kafka: ApiVersionsRequest.getErrorResponse",
        lambda answer, random: _older(answer, _OLDER_VERSION, named=True),
        slot=OFFER_SLOT,
    ),
    Variation(
        "version-refused-empty",
        Family.VERSIONS,
        "ApiVersions above version 0 is answered in version 0, with error 35 and no list.",
        "KIP-35; KIP-511: older brokers answer without a list",
        lambda answer, random: _older(answer, 0, named=False),
        slot=OFFER_SLOT,
    ),
)
