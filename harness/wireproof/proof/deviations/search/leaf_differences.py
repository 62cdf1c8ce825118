"""The fields in which the reply of a codec differs from a prediction."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, TypeAlias

from kafkawire.compiler.defaults import is_default
from kafkawire.errors import CodecError
from kafkawire.headers import FrameCodec
from kafkawire.primitives import codec_of
from kafkawire.schema.layout import FieldLayout, MessageLayout, StructLayout
from wireproof.model.adapter import (
    Decode,
    Decoded,
    DecodedFrame,
    Encode,
    Encoded,
    EncodeFrame,
    Reencoded,
    Refused,
    Reply,
)
from wireproof.model.repertoire import CodecDirection
from wireproof.proof.deviations.catalogue.trigger import CONSTANT, OTHER_DEFAULT, SIZE
from wireproof.proof.deviations.deviation import Deviation
from wireproof.proof.deviations.field_values import constant_text, same
from wireproof.proof.deviations.prediction import HEADER, CodecExchange
from wireproof.proof.deviations.rules import family_of, type_name
from wireproof.proof.deviations.siblings import conditions_of
from wireproof.proof.deviations.value_changes import VALUE_CHANGES
from wireproof.proof.deviations.whole_values import read_whole

_SHORT: Final = 8
"""No codec limits text, bytes and arrays to so few bytes or elements."""


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field whose value differs.

    Attributes:
        path: the path without indices.
        constant, right: the codec's value and the right one, as `constant_text`; empty without such a text.
        actions: the actions of `VALUE_ACTIONS` that turn the right value into the codec's.
        conditions: true conditions about other fields of the struct in which it differs.
    """

    direction: CodecDirection
    path: str
    kind: str
    constant: str
    right: str
    actions: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()


_Part: TypeAlias = tuple[StructLayout, str, dict[str, Any], dict[str, Any]]
"""A struct, the beginning of its fields' paths, the codec's value of it and the right one."""


def differing_fields(exchange: CodecExchange, predicted: Reply) -> list[FieldDifference]:
    """Return the outermost fields that differ, each once; those of a frame's header, too."""
    encoded = isinstance(exchange.reply, Encoded)
    direction = CodecDirection.ENCODE if encoded else CodecDirection.DECODE
    found: dict[str, FieldDifference] = {}
    for part in _parts(exchange, predicted):
        for struct, field, path, value, holder in _differing(*part):
            if path not in found:
                kind, constant = type_name(field), constant_text(value)
                actions = tuple(_actions(field, holder.get(field.name), value, constant))
                conditions = tuple(conditions_of(struct, holder, field))
                found[path] = FieldDifference(
                    direction,
                    path,
                    kind,
                    constant,
                    constant_text(holder.get(field.name)),
                    actions,
                    conditions,
                )
    return list(found.values())


def differing_leaves(exchange: CodecExchange, predicted: Reply) -> frozenset[str] | None:
    """Return the paths of the fields that differ and contain no others; None if a reply has no value."""
    if next(_parts(exchange, predicted), None) is None:
        return None
    found = differing_fields(exchange, predicted)
    return frozenset(each.path for each in found if each.constant or each.actions)


def _parts(exchange: CodecExchange, predicted: Reply) -> Iterator[_Part]:
    """Yield the message, and the header of a frame, if both replies have them."""
    layout, header = exchange.layout, exchange.header
    both = [_values(exchange, reply) for reply in (exchange.reply, predicted)]
    (actual, head), (right, other_head) = both
    if actual is not None and right is not None:
        yield layout.root, "", actual, right
        if header is not None and head is not None and other_head is not None:
            yield header.root, HEADER, head, other_head


def _values(exchange: CodecExchange, reply: Reply) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return the message in a reply, and the header of its frame; None for a missing one."""
    match reply:
        case Encoded(data) if isinstance(exchange.request, EncodeFrame) and exchange.header is not None:
            with suppress(CodecError):
                head, value = FrameCodec(codec_of(exchange.header), codec_of(exchange.layout)).decode(data)
                return value, head
        case Encoded(data) | Reencoded(data):
            return _read(exchange.layout, data), None
        case Decoded(value):
            return value, None
        case DecodedFrame(head, value):
            return value, head
        case Refused(read=read) if read is not None:
            return _values(exchange, read)
    return None, None


def _actions(field: FieldLayout, right: Any, value: Any, constant: str) -> Iterator[str]:
    """Yield the actions that turn one value into another. Equal elements do not show which one is kept."""
    alike = isinstance(right, list) and len(right) > 1 and right[0] == right[-1]
    for name, change in VALUE_CHANGES.items():
        if alike and name in ("first-alone", "last-alone"):
            continue
        with suppress(ArithmeticError, AttributeError, TypeError):  # of null, or of a value out of range
            if change.fits(field) and same(change.change(right, field), value):
                yield name
    if constant:
        yield from (OTHER_DEFAULT, CONSTANT) if is_default(field, right) else (CONSTANT,)


def _read(layout: MessageLayout, data: bytes) -> dict[str, Any] | None:
    try:
        return read_whole(layout, data)
    except CodecError:
        return None


def _differing(
    struct: StructLayout, prefix: str, actual: dict[str, Any], right: dict[str, Any]
) -> Iterator[tuple[StructLayout, FieldLayout, str, Any, dict[str, Any]]]:
    """Yield each field that differs, with its struct, its path, the codec's value, and the right struct."""
    for field in struct.all_fields:
        one, other = actual.get(field.name), right.get(field.name)
        path = f"{prefix}{field.name}"
        if same(one, other):
            continue
        inner = field.struct
        if inner is not None and isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            within = [
                each
                for pair in zip(one, other, strict=True)
                for each in _differing(inner, f"{path}[].", *pair)
            ]
            yield from within
        elif inner is not None and isinstance(one, dict) and isinstance(other, dict):
            yield from _differing(inner, f"{path}.", one, other)
        yield struct, field, path, one, right


def refused_values(exchange: CodecExchange) -> Iterator[tuple[CodecDirection, str, str, str]]:
    """Yield the numbers of a right value that a codec may refuse: direction, path, type, value as JSON."""
    right = _right(exchange)
    if right is None:
        return
    direction, value = right
    seen: set[tuple[str, str]] = set()
    for path, field, item in _leaves(exchange.layout.root, "", value):
        if isinstance(item, int) and (path, str(item)) not in seen:
            seen.add((path, str(item)))
            yield direction, path, type_name(field), json.dumps(item)


def of_sizes(exchange: CodecExchange, endings: Iterable[tuple[str, str]]) -> Iterator[Deviation]:
    """Yield the deviations of a codec that refuses the longest text, bytes or array of a type, and longer
    ones."""
    right = _right(exchange) if endings else None
    longest = Counter[str]()
    for _, field, item in _leaves(exchange.layout.root, "", right[1]) if right else ():
        size = len(item.encode(errors="replace") if isinstance(item, str) else item) if _is_sized(item) else 0
        longest[type_name(field)] = max(size, longest[type_name(field)])
    for (kind, size), (action, error) in product(longest.items(), endings):
        if right and size > _SHORT:
            yield Deviation(right[0], SIZE, action, error, str(size), family_of({kind}))


def _is_sized(item: Any) -> bool:
    return isinstance(item, str | bytes | list)


def _right(exchange: CodecExchange) -> tuple[CodecDirection, dict[str, Any]] | None:
    request = exchange.request
    if isinstance(request, Encode):
        return CodecDirection.ENCODE, request.value
    if isinstance(request, Decode):
        value = _read(exchange.layout, request.data)
        return None if value is None else (CodecDirection.DECODE, value)
    return None


def _leaves(
    struct: StructLayout, prefix: str, value: dict[str, Any]
) -> Iterator[tuple[str, FieldLayout, Any]]:
    for field in struct.all_fields:
        item, path = value.get(field.name), f"{prefix}{field.name}"
        if field.struct is None or field.is_array:
            yield path, field, item
        if field.struct is None:
            continue
        if isinstance(item, list):
            for each in item:
                if isinstance(each, dict):
                    yield from _leaves(field.struct, f"{path}[].", each)
        elif isinstance(item, dict):
            yield from _leaves(field.struct, f"{path}.", item)
