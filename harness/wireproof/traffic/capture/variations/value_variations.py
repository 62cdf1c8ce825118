"""Values that a client has to accept: orders of sets, null and empty, throttle times, messages, epochs."""

from collections.abc import Callable
from random import Random
from typing import Any, Final, TypeAlias

from kafkawire.schema import FieldLayout, ScalarType, StructLayout
from kafkawire.values import StructValue
from wireproof.traffic.capture.variations.answer import FETCH, BrokerAnswer, Change, Family, Variation

_ORDERED: Final = frozenset(
    {
        "CreateAclsResponse.results",
        "DeleteAclsResponse.filterResults",
        "DescribeConfigsResponse.results.configs.synonyms",
        "DescribeTopicPartitionsResponse.topics",
        "DescribeTopicPartitionsResponse.topics.partitions",
        "FetchResponse.responses.partitions.abortedTransactions",
        "ShareFetchResponse.responses.partitions.acquiredRecords",
    }
)
"""Arrays whose order has a meaning: the order of the request, of precedence, or of a log."""
_SETS_OF_NUMBERS: Final = frozenset({"isrNodes", "offlineReplicas"})
_LONG_TEXT: Final = "wireproof \u00e9\u4e16 " * 20
_NEW_OPERATION: Final = 1 << 20
_NOT_ASKED: Final = -(1 << 31)
_OPERATIONS: Final = ("clusterAuthorizedOperations", "topicAuthorizedOperations", "authorizedOperations")
_EPOCHS: Final = ("leaderEpoch", "committedLeaderEpoch")
_NULL_RECORDS_SINCE: Final = 13
"""The first Fetch version of clients that accept null. Clients of 2.8 do not; their newest Fetch is 12."""


_Rule: TypeAlias = Callable[[StructValue, FieldLayout, Random], Any]
"""Struct, field and random numbers to the new value of the field."""


def _fields(**rules: _Rule) -> Change:
    """Return a change of the fields with these names, in every struct."""

    def vary(answer: BrokerAnswer, random: Random) -> BrokerAnswer:
        def one(struct: StructLayout, value: StructValue, path: str) -> StructValue:
            names = {field.name: field for field in struct.all_fields}
            found = [name for name in rules if name in names and name in value]
            return {**value, **{name: rules[name](value, names[name], random) for name in found}}

        return answer.with_structs(one)

    return vary


def _orders(answer: BrokerAnswer, random: Random) -> BrokerAnswer:
    if answer.layout.name.startswith("Streams"):
        return answer

    def one(struct: StructLayout, value: StructValue, path: str) -> StructValue:
        changed = dict(value)
        for field in struct.all_fields:
            held = value.get(field.name)
            place = ".".join(filter(None, [answer.layout.name, path, field.name])).replace("~", "")
            is_set = field.struct is not None or field.name in _SETS_OF_NUMBERS
            if field.is_array and held and is_set and place not in _ORDERED:
                changed[field.name] = _shuffled(held, random)
        return changed

    return answer.with_structs(one)


def _shuffled(held: list[Any], random: Random) -> list[Any]:
    other = random.sample(held, len(held))
    return other if other != held else held[::-1]


def _no_message(value: StructValue, field: FieldLayout, random: Random) -> Any:
    return None if field.nullable and value.get("errorCode") else value[field.name]


def _empty_message(value: StructValue, field: FieldLayout, random: Random) -> Any:
    return "" if value[field.name] is None and not value.get("errorCode") else value[field.name]


def _long_message(value: StructValue, field: FieldLayout, random: Random) -> Any:
    return _LONG_TEXT if value.get("errorCode") else value[field.name]


def _null_if_empty(value: StructValue, field: FieldLayout, random: Random) -> Any:
    return value[field.name] or None if field.nullable else value[field.name]


def _null_records(answer: BrokerAnswer, random: Random) -> BrokerAnswer | None:
    if answer.api_key == FETCH and answer.version < _NULL_RECORDS_SINCE:
        return None
    return _fields(records=_null_if_empty)(answer, random)


def _empty_if_null(value: StructValue, field: FieldLayout, random: Random) -> Any:
    empty: Any = [] if field.is_array else b"" if field.scalar is ScalarType.RECORDS else ""
    return empty if value[field.name] is None else value[field.name]


def _more_operations(value: StructValue, field: FieldLayout, random: Random) -> int:
    held: int = value[field.name]
    return held if held == _NOT_ASKED else held | _NEW_OPERATION


def _no_session(answer: BrokerAnswer, random: Random) -> BrokerAnswer | None:
    if answer.api_key != FETCH or not answer.body.get("sessionId") or answer.request.get("sessionEpoch"):
        return None
    return answer.with_body(sessionId=0)


_ROWS: Final[tuple[tuple[str, str, str, Change, str], ...]] = (
    (
        "values-order",
        "Sets come in another order: brokers, topics, partitions, groups, configs.",
        "schema: the elements have keys; arrays that answer by place keep their order",
        _orders,
        "",
    ),
    (
        "values-throttle",
        "Each answer says that the client was throttled, for 3 to 8 ms.",
        "KIP-219",
        _fields(throttleTimeMs=lambda value, field, random: 3 + random.randrange(6)),
        "",
    ),
    (
        "values-message-null",
        "Errors come without a message.",
        "schema: errorMessage is nullable",
        _fields(errorMessage=_no_message),
        "message",
    ),
    (
        "values-message-empty",
        "An answer without an error has an empty message in place of null.",
        "schema: errorMessage is nullable; Kafka: ApiError.message",
        _fields(errorMessage=_empty_message),
        "",
    ),
    (
        "values-message-long",
        "The message of an error is long, and not ASCII.",
        "schema: errorMessage is any string",
        _fields(errorMessage=_long_message),
        "message",
    ),
    (
        "values-aborted-null",
        "An empty list of aborted transactions is null.",
        "schema: FetchResponse.abortedTransactions is nullable",
        _fields(abortedTransactions=_null_if_empty),
        "aborted",
    ),
    (
        "values-aborted-empty",
        "A list of aborted transactions that is null is empty.",
        "schema: FetchResponse.abortedTransactions",
        _fields(abortedTransactions=_empty_if_null),
        "aborted",
    ),
    (
        "values-records-null",
        "A partition without records has null in place of an empty record set, in Fetch since version 13.",
        "schema: FetchResponse.records is nullable; Kafka: FetchResponse.recordsOrFail",
        _null_records,
        "",
    ),
    (
        "values-rack-empty",
        "The rack of a broker is empty in place of null.",
        "schema: MetadataResponse.rack is nullable",
        _fields(rack=_empty_if_null),
        "rack",
    ),
    (
        "values-rack-long",
        "The rack of a broker is long, and not ASCII.",
        "schema: MetadataResponse.rack is any string",
        _fields(rack=lambda *_: _LONG_TEXT),
        "rack",
    ),
    (
        "values-operations",
        "Authorized operations have the bit of an operation that no release has.",
        "KIP-430; Kafka: AclOperation.UNKNOWN",
        _fields(**dict.fromkeys(_OPERATIONS, _more_operations)),
        "",
    ),
    (
        "values-no-epoch",
        "Leader epochs are unknown (-1), as from brokers without them.",
        "KIP-320; schema: the default is -1",
        _fields(**dict.fromkeys(_EPOCHS, lambda *_: -1)),
        "",
    ),
    (
        "values-log-start",
        "Produce does not know the first offset of the log (-1).",
        "KIP-207; Kafka: ProduceResponse.INVALID_OFFSET",
        _fields(logStartOffset=lambda *_: -1),
        "",
    ),
    (
        "values-no-session",
        "The broker does not open a fetch session.",
        "KIP-227: the cache of sessions may be full",
        _no_session,
        "",
    ),
)

VALUE_VARIATIONS: Final = tuple(
    Variation(name, Family.VALUES, sentence, source, change, slot=slot)
    for name, sentence, source, change, slot in _ROWS
)
