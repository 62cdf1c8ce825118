"""The errors of reading JSON with Jackson, and exceptions that the generator throws by accident."""

from typing import Any, Final

from kafkawire.schema.rule_table import SchemaRule as Rule
from kafkawire.schema.rules.refusals.refused_schema import RefusedSchema, coordinator, field, message, struct

__all__ = ["OTHER_ERRORS"]


def _row(number: str, pattern: str, rule: Rule, refused: str, accepted: str, **span: Any) -> RefusedSchema:
    return RefusedSchema(number, pattern, rule, (refused,), (accepted,), **span)


_USER: Final = field("Shared")


def _value(kind: str) -> str:
    failing = "(?:deserialize value of type|coerce .* to)"
    return f"(?:InvalidFormat|MismatchedInput)Exception: Cannot {failing} `.*{kind}`.*"


_NUMBER: Final = "|InputCoercionException: Numeric value .* out of range of .*"


OTHER_ERRORS: Final = (
    _row("42a", "Json\\w*Exception: .*", Rule.JSON_SYNTAX, message()[:-1], message()),
    _row("42b", "JsonParseException: .*", Rule.TRAILING_TEXT, f"{message()}]}}", message()),
    _row("43", "MismatchedInputException: .*", Rule.NOT_AN_OBJECT, f"[{message()}]", message()),
    _row(
        "44",
        'UnrecognizedPropertyException: Unrecognized field ".*" .*',
        Rule.UNKNOWN_KEY,
        message(field(colour="red")),
        message(field(about="red")),
    ),
    _row(
        "45",
        _value("(?:String|Short|Integer|boolean)") + _NUMBER,
        Rule.WRONG_VALUE,
        message(apiKey="five"),
        message(apiKey="5"),
    ),
    _row(
        "46a",
        _value("MessageSpecType"),
        Rule.MESSAGE_TYPE_UNKNOWN,
        message(type="query"),
        message(type="data"),
    ),
    _row(
        "46b",
        _value("MessageSpecType"),
        Rule.MESSAGE_TYPE_UNKNOWN,
        coordinator("value"),
        message(),
        until=(4, 0),
    ),
    _row(
        "46c",
        _value("RequestListenerType"),
        Rule.LISTENER_UNKNOWN,
        message(listeners=["client"]),
        message(listeners="broker"),
    ),
    _row(
        "46d",
        _value("RequestListenerType"),
        Rule.LISTENER_UNKNOWN,
        message(listeners=["zkBroker"]),
        message(listeners="broker"),
        since=(4, 0),
    ),
    _row(
        "46e",
        _value("EntityType"),
        Rule.ENTITY_TYPE_UNKNOWN,
        message(field("string", entityType="topic")),
        message(field("string", entityType="topicName")),
    ),
    _row(
        "47",
        "NumberFormatException: .*",
        Rule.VERSIONS_SYNTAX,
        message(field(versions="1,2")),
        message(field(versions="1-2")),
    ),
    _row(
        "48",
        "NullPointerException",
        Rule.FLEXIBLE_OVERRIDE_BLANK,
        message(field("string", flexibleVersions=" ")),
        message(field("string", flexibleVersions="none")),
    ),
    _row(
        "49",
        "Unsupported field type records",
        Rule.ARRAY_OF_RECORDS,
        message(field("[]records")),
        message(field("records")),
    ),
    _row(
        "50",
        "NullPointerException(?:: .*TreeMap\\.floorKey.*)?",
        Rule.STRUCT_CYCLE,
        message(_USER, common=[struct(field("[]Shared"))]),
        message(_USER, common=[struct(field("[]Other")), struct(name="Other")]),
    ),
    _row(
        "51",
        "NullPointerException(?:: .*TreeMap\\.floorKey.*)?",
        Rule.COMMON_STRUCT_TOO_LATE,
        message(_USER, common=[struct(versions="1+")]),
        message(field("Shared", versions="1+"), common=[struct(versions="1+")]),
    ),
    _row(
        "52",
        "NullPointerException(?:: .*TreeMap\\.floorKey.*)?",
        Rule.JAVA_CLASS_TAKEN,
        message(field("ProbeRequestData", fields=[field(name="B")])),
        message(field("ProbeRequest", fields=[field(name="B")])),
    ),
)
"""Errors of reading JSON by Jackson, and exceptions without a text of their own."""
