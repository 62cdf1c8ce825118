"""`check_message` and `check_set`: all problems of definitions, as a list."""

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from kafkawire.schema.model import ArrayType, MessageKind, MessageSpec, ScalarType, SchemaSet, VersionRange
from kafkawire.schema.rule_table import SchemaProblem, SchemaRule
from kafkawire.schema.rules._field_rules import EMITTING_RULES, READING_RULES
from kafkawire.schema.rules._paths import FieldPlace, StructPlace, walk_structs
from kafkawire.schema.rules._struct_rules import (
    inline_struct_findings,
    message_findings,
    registry_findings,
    struct_findings,
)

_NO_LINES: Final[Mapping[str, int]] = MappingProxyType({})


def check_message(
    spec: MessageSpec, key_lines: Mapping[str, int] = _NO_LINES, skip: frozenset[str] = frozenset()
) -> list[SchemaProblem]:
    """The rules of Kafka's generator that one message breaks, and warnings about oddities.

    Args:
        key_lines: the line of each top-level key if the message was read from text. The rules of
            `headerVersions` apply if that key is among them.
        skip: paths of fields that could not be read as written; no rule is applied to them.
    """
    problems = []

    def add(path: str, line: int, rule: SchemaRule, text: str) -> None:
        known = line if path or line else key_lines.get("fields", 0)
        problems.append(SchemaProblem(spec.source, known, path, rule.severity, text, rule.value))

    for key, rule, text in message_findings(spec):
        if key == "headerVersions" and key not in key_lines:
            continue  # the table is from a release's classes, not from an author
        add("", key_lines.get(key, key_lines.get("name", 0)), rule, text)
    structs = list(walk_structs(spec))
    if not spec.retired:
        for located in registry_findings(spec, structs):
            if located[0] not in skip:
                add(*located)
    for struct in structs:
        _check_struct(spec, struct, skip, add)
    return problems


def _check_struct(
    spec: MessageSpec,
    struct: StructPlace,
    skip: frozenset[str],
    add: Callable[[str, int, SchemaRule, str], None],
) -> None:
    rules = READING_RULES if spec.retired else READING_RULES + EMITTING_RULES
    inline = () if spec.retired else inline_struct_findings(struct)
    for located in (*inline, *struct_findings(struct)):
        if located[0] not in skip:
            add(*located)
    for place in struct.places():
        if place.path not in skip:
            for findings in rules:
                for rule, text in findings(place, spec):
                    add(place.path, place.field.line, rule, text)
        if isinstance(place.field.type, ArrayType) and isinstance(place.field.type.element, ScalarType):
            _check_ignored(spec, place, skip, add)


def _check_ignored(
    spec: MessageSpec,
    place: FieldPlace,
    skip: frozenset[str],
    add: Callable[[str, int, SchemaRule, str], None],
) -> None:
    """Check the fields of an array of scalars: the generator reads them, and then ignores them."""
    field = place.field
    inside = StructPlace(field.name, place.path, VersionRange.NONE, field.fields, field, field.line)
    for inner in inside.places():
        if inner.path in skip:
            continue
        for findings in READING_RULES:
            for rule, text in findings(inner, spec):
                add(inner.path, inner.field.line, rule, text)
        _check_ignored(spec, inner, skip, add)


def check_set(schemas: SchemaSet) -> list[SchemaProblem]:
    """Return the problems among the messages of each module: duplicate api keys, missing counterparts."""
    problems: list[SchemaProblem] = []
    for messages in schemas.modules.values():
        specs = [spec for _, spec in sorted(messages.items())]
        problems.extend(_keyed(specs))
        problems.extend(_suffixes(specs))
        problems.extend(_pair_names(specs))
        problems.extend(_pairs(specs, MessageKind.REQUEST, MessageKind.RESPONSE))
        problems.extend(_pairs(specs, MessageKind.COORDINATOR_KEY, MessageKind.COORDINATOR_VALUE))
    return problems


_FRAMED: Final = frozenset({MessageKind.REQUEST, MessageKind.RESPONSE})
_KEYED: Final = frozenset(MessageKind) - {MessageKind.HEADER, MessageKind.DATA}
_COORDINATOR: Final = frozenset({MessageKind.COORDINATOR_KEY, MessageKind.COORDINATOR_VALUE})


def _keyed(specs: list[MessageSpec]) -> Iterator[SchemaProblem]:
    """Check the messages that Kafka finds by api key: each has a key, which is unique within its kind."""
    owners: dict[tuple[MessageKind, int], str] = {}
    for spec in specs:
        if spec.kind not in _KEYED or (spec.kind in _COORDINATOR and spec.api_key is None):
            continue
        if spec.api_key is None:
            text = f"a {spec.kind} message needs an apiKey: give it the next free one"
            yield _problem(spec, SchemaRule.API_KEY_MISSING, text)
        elif (owner := owners.setdefault((spec.kind, spec.api_key), spec.name)) != spec.name:
            text = f"the apiKey {spec.api_key} is {owner}'s already: give it the next free one"
            yield _problem(spec, SchemaRule.API_KEY_TAKEN, text)


def _suffixes(specs: list[MessageSpec]) -> Iterator[SchemaProblem]:
    suffixes = {MessageKind.REQUEST: "Request", MessageKind.RESPONSE: "Response"}
    for spec in specs:
        suffix = suffixes.get(spec.kind, "")
        if not spec.name.endswith(suffix):
            text = f"the name of a {spec.kind} ends in {suffix}: call it {spec.name}{suffix}"
            yield _problem(spec, SchemaRule.NAME_SUFFIX, text)


def _pair_names(specs: list[MessageSpec]) -> Iterator[SchemaProblem]:
    """Check the names of pairs: `ApiMessageType` derives a response's class from the request's name."""
    for key in sorted({spec.api_key for spec in specs if spec.api_key is not None}):
        pair = {spec.kind: spec for spec in specs if spec.api_key == key and spec.kind in _FRAMED}
        names = [spec.name for spec in specs if spec.api_key == key and spec.kind in _FRAMED]
        if len(pair) == len(names) == 2 and all(name.endswith(("Request", "Response")) for name in names):
            request, response = pair[MessageKind.REQUEST], pair[MessageKind.RESPONSE]
            if response.name.removesuffix("Response") != request.name.removesuffix("Request"):
                text = f"the request of apiKey {key} is {request.name}: give both one name"
                yield _problem(response, SchemaRule.COUNTERPART_NAME, text)


def _pairs(specs: list[MessageSpec], first: MessageKind, second: MessageKind) -> Iterator[SchemaProblem]:
    """Check two kinds of messages that form pairs by api key."""
    keys = {kind: {spec.api_key for spec in specs if spec.kind is kind} for kind in (first, second)}
    for spec in specs:
        if spec.kind in keys and spec.api_key is not None:
            other = second if spec.kind is first else first
            if spec.api_key not in keys[other]:
                text = f"there is no {other} with apiKey {spec.api_key}: add it"
                yield _problem(spec, SchemaRule.COUNTERPART_MISSING, text)


def _problem(spec: MessageSpec, rule: SchemaRule, text: str) -> SchemaProblem:
    return SchemaProblem(spec.source, 0, "", rule.severity, f"{spec.name}: {text}", rule.value)
