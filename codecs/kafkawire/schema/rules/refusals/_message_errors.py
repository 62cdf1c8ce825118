"""The errors of messages and modules: `MessageSpec` and the generators of types."""

from typing import Any, Final

from kafkawire.schema.rule_table import SchemaRule as Rule
from kafkawire.schema.rules.refusals.refused_schema import RefusedSchema, coordinator, message

__all__ = ["MESSAGE_ERRORS", "MODULE_ERRORS"]


def _row(number: str, pattern: str, rule: Rule, refused: str, accepted: str, **span: Any) -> RefusedSchema:
    return RefusedSchema(number, pattern, rule, (refused,), (accepted,), **span)


_RESPONSE: Final[dict[str, Any]] = {"name": "ProbeResponse", "type": "response"}

MESSAGE_ERRORS: Final = (
    _row(
        "15",
        "You must specify a value for flexibleVersions\\. Please use 0\\+ for all new messages\\.",
        Rule.FLEXIBLE_VERSIONS_MISSING,
        message(flexibleVersions=None),
        message(),
    ),
    _row(
        "16",
        "Field .* specifies flexibleVersions \\S+, which is not open-ended\\.  flexibleVersions must be "
        "either none, or an open-ended range \\(that ends with a plus sign\\)\\.",
        Rule.FLEXIBLE_VERSIONS_END,
        message(flexibleVersions="2-5"),
        message(),
    ),
    _row(
        "17",
        "The `requestScope` property is only valid for messages with type `request`",
        Rule.LISTENERS_NOT_REQUEST,
        message(**_RESPONSE, listeners=["broker"]),
        message(listeners=["broker"]),
    ),
    _row(
        "18",
        "The `latestVersionUnstable` property is only valid for messages with type `request`",
        Rule.UNSTABLE_NOT_REQUEST,
        message(**_RESPONSE, latestVersionUnstable=True),
        message(latestVersionUnstable=True),
    ),
    _row(
        "19a",
        "The ApiKey must be set for messages .* with type `coordinator-key`",
        Rule.COORDINATOR_API_KEY,
        coordinator("key", apiKey=None),
        coordinator("key"),
        since=(4, 0),
    ),
    _row(
        "19b",
        "The Versions must be set to `0` for messages .* with type `coordinator-key`",
        Rule.COORDINATOR_KEY_VERSIONS,
        coordinator("key", validVersions="0-1"),
        coordinator("key"),
        since=(4, 0),
    ),
    _row(
        "19c",
        "The FlexibleVersions are not supported for messages .*  with type `coordinator-key`",
        Rule.COORDINATOR_KEY_FLEXIBLE,
        coordinator("key", flexibleVersions="0+"),
        coordinator("key"),
        since=(4, 0),
    ),
    _row(
        "19d",
        "The ApiKey must be set for messages with type `coordinator-value`",
        Rule.COORDINATOR_API_KEY,
        coordinator("value", apiKey=None),
        coordinator("value"),
        since=(4, 0),
    ),
    _row(
        "25",
        "Message .* does not specify a maximum version\\.",
        Rule.VALID_VERSIONS_OPEN,
        message(validVersions="0+"),
        message(),
    ),
)
"""Errors 15 to 19, and 25 of `MessageDataGenerator`."""


def _module(number: str, pattern: str, rule: Rule, *fault: str, good: str, **span: Any) -> RefusedSchema:
    """Three files: the last of the refused ones is at fault, and `good` replaces it."""
    return RefusedSchema(number, pattern, rule, fault, (*fault[:-1], good), **span)


_PAIR: Final = (message(), message(**_RESPONSE))
_KEY: Final = coordinator("key", name="ProbeKey")
_VALUE: Final = coordinator("value", name="ProbeValue")
_DATA: Final = message(name="Probe", type="data", apiKey=None)


def _metadata(name: str, key: int | None) -> str:
    return message(name=name, type="metadata", apiKey=key)


MODULE_ERRORS: Final = (
    _module(
        "39a",
        "Found more than one request with API key -?\\d+",
        Rule.API_KEY_TAKEN,
        *_PAIR,
        message(name="OtherRequest"),
        good=_DATA,
    ),
    _module(
        "39b",
        "Found more than one response with API key -?\\d+",
        Rule.API_KEY_TAKEN,
        *_PAIR,
        message(name="OtherResponse", type="response"),
        good=_DATA,
    ),
    _module(
        "39c",
        "failed to find response for API key -?\\d+",
        Rule.COUNTERPART_MISSING,
        _PAIR[0],
        _DATA,
        good=_PAIR[1],
    ),
    _module(
        "39d",
        'NullPointerException: .*"apiData.requestSpec" is null',
        Rule.COUNTERPART_MISSING,
        _PAIR[1],
        _DATA,
        good=_PAIR[0],
    ),
    RefusedSchema(
        "39e",
        "NoSuchElementException: No value present",
        Rule.API_KEY_MISSING,
        (message(apiKey=None), message(**{**_RESPONSE, "apiKey": None})),
        _PAIR,
    ),
    _module(
        "40a",
        "Duplicate metadata record entry for type -?\\d+\\. Original claimant: .*",
        Rule.API_KEY_TAKEN,
        _metadata("A", 1),
        _metadata("B", 1),
        good=_metadata("B", 2),
    ),
    _module(
        "40b",
        "Duplicate coordinator record key for type -?\\d+\\. Original claimant: .*",
        Rule.API_KEY_TAKEN,
        _KEY,
        _VALUE,
        coordinator("key", name="OtherKey"),
        good=_DATA,
        since=(4, 0),
    ),
    _module(
        "40c",
        "Duplicate coordinator record value for type -?\\d+\\. Original claimant: .*",
        Rule.API_KEY_TAKEN,
        _KEY,
        _VALUE,
        coordinator("value", name="OtherValue"),
        good=_DATA,
        since=(4, 0),
    ),
    _module(
        "40d",
        "Coordinator record -?\\d+ has no value\\.",
        Rule.COUNTERPART_MISSING,
        _KEY,
        _DATA,
        good=_VALUE,
        since=(4, 0),
    ),
    _module(
        "40e",
        "Coordinator record -?\\d+ has no key\\.",
        Rule.COUNTERPART_MISSING,
        _VALUE,
        _DATA,
        good=_KEY,
        since=(4, 0),
    ),
    _module(
        "40f",
        "NoSuchElementException: No value present",
        Rule.API_KEY_MISSING,
        _DATA,
        _metadata("A", None),
        good=_metadata("A", 1),
    ),
    _module(
        "41",
        "String .* does not end with the expected suffix Request",
        Rule.NAME_SUFFIX,
        _PAIR[1],
        message(name="Probe"),
        good=_PAIR[0],
    ),
)
"""Errors 39 to 41: the generators of `ApiMessageType`, `MetadataRecordType` and `CoordinatorRecordType`."""
