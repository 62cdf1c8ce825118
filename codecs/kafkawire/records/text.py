"""Record sets as JSON text, for people, event files and failures: nothing is lost.

The keys are those of the dataclasses, fields at their default are left out, bytes are lower-case hex, null
is null. ``kind`` tells a batch of magic 2 (``batch``), a compressed legacy set (``set``) and a legacy message
(``message``) apart.
"""

import json
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final

from kafkawire.errors import DecodeError, Fault
from kafkawire.records.model import Compression, Header, Message, MessageSet, Record, RecordBatch, RecordSet

__all__ = ["records_from_json", "records_to_json"]

_KINDS: Final[dict[str, type]] = {"batch": RecordBatch, "set": MessageSet, "message": Message}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}
_NESTED: Final[dict[tuple[type, str], type]] = {
    (RecordBatch, "records"): Record,
    (MessageSet, "messages"): Message,
    (Record, "headers"): Header,
}
_BYTES: Final = frozenset(
    {
        (Record, "key"),
        (Record, "value"),
        (Message, "key"),
        (Message, "value"),
        (MessageSet, "key"),
        (Header, "value"),
    }
)


def records_to_json(records: RecordSet) -> str:
    """One line, no white space."""
    batches = [{"kind": _NAMES[type(batch)], **_plain(batch)} for batch in records.batches]
    held: dict[str, Any] = {"batches": batches}
    if records.tail:
        held["tail"] = records.tail.hex()
    return json.dumps(held, separators=(",", ":"))


def records_from_json(text: str) -> RecordSet:
    """The set that `records_to_json` wrote.

    Raises:
        DecodeError: TYPE: it is no such text.
    """
    try:
        held = json.loads(text)
        batches = tuple(_made(_KINDS[each.pop("kind")], each) for each in held["batches"])
        return RecordSet(batches, bytes.fromhex(held.get("tail", "")))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DecodeError(Fault.TYPE, "", f"no record set in JSON: {error!r}", 0) from error


def _plain(held: Any) -> dict[str, Any]:
    kind = type(held)
    plain: dict[str, Any] = {}
    for name, default in _fields(kind).items():
        value = getattr(held, name)
        if value == default and name != "compression":
            continue
        if (kind, name) in _NESTED:
            plain[name] = [_plain(each) for each in value]
        elif isinstance(value, Compression):
            plain[name] = value.name.lower()
        else:
            plain[name] = value.hex() if isinstance(value, bytes) else value
    return plain


def _made(kind: type, plain: dict[str, Any]) -> Any:
    held: dict[str, Any] = {}
    for name, value in plain.items():
        if (kind, name) in _NESTED:
            held[name] = tuple(_made(_NESTED[kind, name], each) for each in value)
        elif name == "compression":
            held[name] = Compression[value.upper()]
        elif (kind, name) in _BYTES and value is not None:
            held[name] = bytes.fromhex(value)
        else:
            held[name] = value
    return kind(**held)


def _fields(kind: type) -> dict[str, Any]:
    """The names of the fields with their defaults."""
    if is_dataclass(kind):
        return {field.name: field.default for field in fields(kind)}
    defaults: dict[str, Any] = kind._field_defaults  # type: ignore[attr-defined]  # of every NamedTuple
    return {name: defaults.get(name, MISSING) for name in kind._fields}  # type: ignore[attr-defined]
