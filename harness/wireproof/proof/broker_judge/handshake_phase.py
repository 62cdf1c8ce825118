"""The handshake: ApiVersions at all versions and newer ones, its list, client and correlation ids, logins."""

from collections import Counter
from typing import Final

from kafkawire.schema import VersionRange
from kafkawire.values import StructValue
from wireproof.proof.broker_judge.broker_connection import ConnectionEnd
from wireproof.proof.broker_judge.broker_rules import BrokerRule
from wireproof.proof.broker_judge.broker_under_test import API_VERSIONS_KEY, BrokerUnderTest

_QUIET_S: Final = 0.2
"""Seconds after an answer in which the broker must send nothing."""
_UNSUPPORTED_VERSION: Final = 35
_INVALID_REQUEST: Final = 42
_SASL_ERRORS: Final = (33, 34)
_SOFTWARE_SINCE: Final = 3
_SOFTWARE_NAMES: Final = ("", " ", "two words", "-begins", "ends.", "caf\u00e9", "semi;colon")
_LONGEST: Final = 32767
_CLIENT_IDS: Final = {
    "null": None,
    "empty": "",
    "long": "c" * _LONGEST,
    "non-ASCII": "Zo\u00eb \u043a\u043b\u0438\u0435\u043d\u0442 \U0001f980",
    "with control characters": "a\x00\n\x7f",
}
_CORRELATION_IDS: Final = (-(1 << 31), -(1 << 31) + 1, -1, 0, 1, 1 << 16, (1 << 31) - 2, (1 << 31) - 1)
_SASL_KEY: Final = 17


def first_exchange(broker: BrokerUnderTest) -> bool:
    """Send ApiVersions of version 0, and keep the versions that the broker offers.

    Returns:
        True if the broker can be judged further.

    Raises:
        BrokerDownError: the broker accepts no connection.
    """
    request = broker.api_versions(0)
    with broker.connect() as connection:
        connection.send([request.data])
        received = connection.receive(1)
        body = broker.accept(BrokerRule.FIRST_ANSWER, request, received, "ApiVersions of version 0")
        if body is None:
            if received.frames and not (broker.statistics.causes or broker.statistics.accepted):
                broker.find(
                    BrokerRule.READABLE, "the first answer cannot be read", request, received.frames[0]
                )
            return False
        more = connection.receive(1, _QUIET_S)
    if more.end is ConnectionEnd.OPEN or more.rest:
        unasked = b"".join(more.frames) + more.rest
        words = f"after the answer came {len(unasked):,} more bytes that nobody asked for"
        broker.find(BrokerRule.ONE_ANSWER, words, request, unasked)
    if body["errorCode"]:
        words = f"ApiVersions of version 0 is answered with error {body['errorCode']}"
        broker.find(BrokerRule.FIRST_ANSWER, words, request, received.frames[0], kind="error")
        return False
    broker.offered = _listed(body)
    _judge_list(broker, body, received.frames[0])
    if more.end is ConnectionEnd.CLOSED:
        words = f"it closes the connection within {_QUIET_S:g} s after its answer to ApiVersions of version 0"
        broker.find(BrokerRule.STAYS_OPEN, words, request, received.frames[0])
        return False
    return bool(broker.offered)


def judge_handshake(broker: BrokerUnderTest) -> None:
    """Judge everything about the first requests of a connection.

    Raises:
        BrokerDownError: the broker does not answer any more.
    """
    for judge in (_each_version, _newer_versions, _software_names, _client_ids, _correlation_ids, _sasl):
        judge(broker)
        broker.check_alive(f"the rules of the handshake ({judge.__name__.strip('_').replace('_', ' ')})")


def _listed(body: StructValue) -> dict[int, VersionRange]:
    return {each["apiKey"]: VersionRange(each["minVersion"], each["maxVersion"]) for each in body["apiKeys"]}


def _judge_list(broker: BrokerUnderTest, body: StructValue, answer: bytes) -> None:
    request = broker.api_versions(0)
    for key, count in Counter(each["apiKey"] for each in body["apiKeys"]).items():
        if count > 1:
            broker.find(
                BrokerRule.LIST_RANGES, f"api key {key} is listed {count} times", request, answer, "twice"
            )
    for key, versions in broker.offered.items():
        if not 0 <= versions.lowest <= versions.highest:
            words = f"api key {key} has versions {versions.lowest} to {versions.highest}"
            broker.find(BrokerRule.LIST_RANGES, words, request, answer, "range")
    own = broker.offered.get(API_VERSIONS_KEY)
    if own is None:
        words = f"ApiVersions is not among the {len(broker.offered)} APIs that it lists"
        broker.find(BrokerRule.LISTS_ITSELF, words, request, answer)
    elif own.lowest:
        words = f"it lists ApiVersions from version {own.lowest} on, and answers version 0"
        broker.find(BrokerRule.LISTS_ITSELF, words, request, answer)


def _each_version(broker: BrokerUnderTest) -> None:
    for version in broker.own_versions:
        request = broker.api_versions(version)
        received = broker.ask(request)
        body = broker.accept(BrokerRule.EACH_VERSION, request, received, f"version {version}")
        if body is None:
            continue
        if body["errorCode"]:
            words = f"version {version} is answered with error {body['errorCode']}"
            broker.find(BrokerRule.EACH_VERSION, words, request, received.frames[0], "error")
        elif (listed := _listed(body)) != broker.offered:
            keys = sorted(
                key for key in listed | broker.offered if listed.get(key) != broker.offered.get(key)
            )
            words = f"version {version} lists other versions than version 0 of api keys {keys}"
            broker.find(BrokerRule.SAME_LIST, words, request, received.frames[0])


def _newer_versions(broker: BrokerUnderTest) -> None:
    highest = broker.offered.get(API_VERSIONS_KEY, broker.own_versions).highest
    newer = range(max(highest, 0) + 1, VersionRange.ALL.highest + 1)
    for version in dict.fromkeys((*newer[:2], *newer[-1:])):
        request = broker.api_versions(version)
        received = broker.ask(request)
        what = f"version {version}"
        body = broker.accept(BrokerRule.NEWER_VERSION, request, received, what)
        if body is None:
            continue
        if body["errorCode"] != _UNSUPPORTED_VERSION:
            words = f"{what} is answered with error {body['errorCode']}, expected {_UNSUPPORTED_VERSION}"
            broker.find(BrokerRule.NEWER_VERSION, words, request, received.frames[0], "error")
        elif API_VERSIONS_KEY not in _listed(body):
            words = f"the answer to {what} does not list ApiVersions, so a client cannot choose a version"
            broker.find(BrokerRule.NEWER_VERSION, words, request, received.frames[0], "list")


def _software_names(broker: BrokerUnderTest) -> None:
    version = broker.own_versions.highest
    if version < _SOFTWARE_SINCE:
        return
    for field in ("clientSoftwareName", "clientSoftwareVersion"):
        for name in _SOFTWARE_NAMES:
            request = broker.api_versions(version, software={field: name})
            received = broker.ask(request)
            what = f"{field} {name!r}"
            body = broker.accept(BrokerRule.SOFTWARE_NAME, request, received, what)
            if body is not None and body["errorCode"] != _INVALID_REQUEST:
                words = f"{what} is answered with error {body['errorCode']}, expected {_INVALID_REQUEST}"
                broker.find(BrokerRule.SOFTWARE_NAME, words, request, received.frames[0], "error")


def _client_ids(broker: BrokerUnderTest) -> None:
    for version in {0, broker.own_versions.highest}:
        for name, client_id in _CLIENT_IDS.items():
            request = broker.api_versions(version, client_id=client_id)
            received = broker.ask(request)
            what = f"a client id that is {name}, in version {version}"
            body = broker.accept(BrokerRule.CLIENT_ID, request, received, what)
            if body is not None and body["errorCode"]:
                words = f"{what}, is answered with error {body['errorCode']}"
                broker.find(BrokerRule.CLIENT_ID, words, request, received.frames[0], "error")


def _correlation_ids(broker: BrokerUnderTest) -> None:
    version = broker.own_versions.highest
    with broker.connect() as connection:
        for correlation_id in _CORRELATION_IDS:
            request = broker.api_versions(version, correlation_id)
            connection.send([request.data])
            received = connection.receive(1)
            what = f"correlation id {correlation_id:,}"
            if broker.accept(BrokerRule.CORRELATION_ID, request, received, what) is None:
                return


def _sasl(broker: BrokerUnderTest) -> None:
    offered = broker.offered.get(_SASL_KEY)
    if offered is None:
        return
    for version in offered.intersect(broker.apis.valid_versions("SaslHandshakeRequest")):
        request = broker.request("SaslHandshakeRequest", version, {"mechanism": "WIREPROOF"})
        received = broker.ask(request)
        what = f"SaslHandshake of version {version} with the mechanism WIREPROOF"
        body = broker.accept(BrokerRule.SASL_HANDSHAKE, request, received, what)
        if body is not None and body["errorCode"] not in _SASL_ERRORS:
            words = f"{what} is answered with error {body['errorCode']}"
            broker.find(BrokerRule.SASL_HANDSHAKE, words, request, received.frames[0], "error")
