"""Kafka's language to krammar: message definitions become structs with heads.

In krammar a response takes its key, versions and flexible versions from its request, so both are converted
in pairs. Header, data and record messages become structs with version field. Kafka's definitions lack this
field: the code around the message writes it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from kafkawire.schema.model import (
    ArrayType,
    FieldSpec,
    MessageKind,
    MessageSpec,
    ScalarType,
    StructSpec,
    VersionRange,
)
from kafkawire.schema.rule_table import Severity
from kafkawire.schema.rules.validation import check_message
from wireproof.definitions.krammar.conversion.field_conversion import (
    ConversionNote,
    FieldContext,
    FieldRefusedError,
    NoteLevel,
    converted_field,
    default_change,
    dropped_properties,
)
from wireproof.definitions.krammar.definition_model import (
    InlineStruct,
    KrammarDefinitions,
    KrammarField,
    KrammarScalar,
    KrammarStruct,
    KrammarType,
    NamedStruct,
    StructRole,
    singular,
)
from wireproof.definitions.krammar.definition_problems import ProblemList
from wireproof.definitions.krammar.parsing.definition_rules import MOST_FIELDS, check_definitions

VERSION_FIELD: Final = KrammarField("Version", KrammarScalar.INT16)
"""The first field of a struct with version field."""

_ROLES: Final = {MessageKind.REQUEST: StructRole.REQUEST, MessageKind.RESPONSE: StructRole.RESPONSE}


def head_of(spec: MessageSpec) -> KrammarStruct:
    """The struct of a message, without fields."""
    role = _ROLES.get(spec.kind, StructRole.VERSIONED)
    message = role is not StructRole.VERSIONED
    return KrammarStruct(
        spec.name,
        role,
        (),
        key=spec.api_key if message else None,
        max_version=spec.valid_versions.highest if message else None,
        flexible_since=None if _flexible(spec).empty else spec.flexible_versions.lowest,
        source=spec.source,
    )


def _flexible(spec: MessageSpec) -> VersionRange:
    return spec.flexible_versions.intersect(spec.valid_versions)


def head_notes(spec: MessageSpec, request: MessageSpec | None) -> Iterator[tuple[NoteLevel, str]]:
    """Yield a note for each fact that the head cannot express; `request` is the request of a response."""
    if spec.retired:
        yield NoteLevel.REFUSED, "a message without valid versions"
        return
    if spec.kind is MessageKind.RESPONSE:
        yield from _response_notes(spec, request)
    valid = spec.valid_versions
    if valid.lowest:
        yield NoteLevel.DROPPED, f"the lowest version {valid.lowest}: krammar begins at 0"
    if spec.kind not in _ROLES:
        yield NoteLevel.DROPPED, f"the newest version {valid.highest}, which only requests have"
        yield NoteLevel.DROPPED, f"the type {spec.kind}"
        if spec.api_key is not None:
            yield NoteLevel.DROPPED, f"the apiKey {spec.api_key}, which only requests have"
    for present, name in (
        (bool(spec.listeners), "listeners"),
        (not spec.deprecated_versions.empty, "deprecatedVersions"),
        (spec.latest_version_unstable, "latestVersionUnstable"),
    ):
        if present:
            yield NoteLevel.DROPPED, name


def _response_notes(spec: MessageSpec, request: MessageSpec | None) -> Iterator[tuple[NoteLevel, str]]:
    if request is None:
        yield NoteLevel.REFUSED, "a response without its request: name the release, or a folder with both"
        return
    if spec.name.removesuffix("Response") != request.name.removesuffix("Request"):
        yield NoteLevel.REFUSED, f"a response whose name is not that of its request, {request.name}"
    if spec.valid_versions.highest != request.valid_versions.highest:
        both = f"{spec.valid_versions}, and {request.name}'s {request.valid_versions}"
        yield NoteLevel.REFUSED, f"a newest version of its own: the versions are {both}"
    elif _flexible(spec) != request.flexible_versions.intersect(spec.valid_versions):
        both = f"{spec.flexible_versions}, and {request.name}'s {request.flexible_versions}"
        yield NoteLevel.REFUSED, f"flexible versions of its own: {both}"


def from_messages(specs: Iterable[MessageSpec]) -> tuple[KrammarDefinitions, list[ConversionNote]]:
    """The definitions of messages in krammar, requests before their responses, in order of api key.

    Returns:
        The definitions of all messages that krammar can express, and a note for each construct that it
        lacks. A message with a note of the level `NoteLevel.REFUSED` is left out.
    """
    structs: list[KrammarStruct] = []
    notes: list[ConversionNote] = []
    ordered = sorted(specs, key=_order)
    requests = {each.api_key: each for each in ordered if each.kind is MessageKind.REQUEST}
    converted: set[str] = set()
    for spec in ordered:
        request = requests.get(spec.api_key) if spec.kind is MessageKind.RESPONSE else None
        if request is not None and request.name not in converted:
            text = f"its request {request.name} cannot be expressed, and a response follows its request"
            notes.append(ConversionNote(spec.source, 0, spec.name, "", NoteLevel.REFUSED, text))
            continue
        made, found = _MessageConverter(spec, request).convert()
        notes += found
        if made:
            converted.add(spec.name)
            at = len(structs)
            if request is not None:  # a response's own named structs go before its request
                at = next(i for i, each in enumerate(structs) if each.name == request.name)
            structs[at:at] = made[:-1]
            structs.append(made[-1])
    return KrammarDefinitions(tuple(structs), ()), notes


def _order(spec: MessageSpec) -> tuple[bool, int, bool, str]:
    message = spec.kind in (MessageKind.REQUEST, MessageKind.RESPONSE)
    key = spec.api_key if message and spec.api_key is not None else 0
    return not message, key, spec.kind is MessageKind.RESPONSE, spec.name


class _TooLargeError(Exception):
    """A definition with all inner structs expanded has more fields than it may have."""


class _MessageConverter:
    """Converts one message; `request` is the request of a response."""

    def __init__(self, spec: MessageSpec, request: MessageSpec | None) -> None:
        self._spec = spec
        self._request = request
        self._flexible = _flexible(spec)
        self._common = {each.name: each for each in spec.common_structs}
        self._named: dict[str, KrammarStruct] = {}
        self._notes: list[ConversionNote] = []
        self._dropped: dict[str, list[int]] = defaultdict(list)
        self._outer_inline: dict[str, FieldSpec] = {}
        self._converted = 0

    def convert(self) -> tuple[list[KrammarStruct], list[ConversionNote]]:
        """The named structs of the message, then the message's own; none if it cannot be expressed."""
        spec = self._spec
        errors = [each for each in check_message(spec) if each.severity is Severity.ERROR]
        for problem in errors:
            self._note(problem.line, problem.path, NoteLevel.REFUSED, problem.text)
        for level, text in head_notes(spec, self._request):
            self._note(0, "", level, text)
        if self._refused():
            return [], self._notes
        self._outer_inline = {
            name: field for field in _walk(spec.fields) if (name := field.struct_name) and field.fields
        }
        try:
            fields = self._fields(spec.fields, spec.valid_versions, spec.valid_versions, "")
        except _TooLargeError:
            text = f"more than {MOST_FIELDS:,} fields with those of the structs inside"
            self._note(0, "", NoteLevel.REFUSED, text)
            return [], self._notes
        head = head_of(spec)
        own_version = bool(fields) and fields[0] == VERSION_FIELD
        if head.role is StructRole.VERSIONED and own_version:
            words = (
                "the own field Version becomes krammar's version field, which a conversion back leaves out"
            )
            self._note(0, "", NoteLevel.ONE_WAY, words)
        elif head.role is StructRole.VERSIONED:
            self._note(0, "", NoteLevel.OUTSIDE, "the field Version, which is added")
            fields = (VERSION_FIELD, *fields)
        structs = [*self._named.values(), replace(head, fields=fields)]
        for name, lines in self._dropped.items():
            words = f"{name}, {len(lines)} times" if len(lines) > 1 else name
            self._note(lines[0], "", NoteLevel.DROPPED, words)
        self._check(structs)
        return [] if self._refused() else structs, self._notes

    def _refused(self) -> bool:
        return any(each.level is NoteLevel.REFUSED for each in self._notes)

    def _note(self, line: int, path: str, level: NoteLevel, text: str) -> None:
        self._notes.append(ConversionNote(self._spec.source, line, self._spec.name, path, level, text))

    def _check(self, structs: list[KrammarStruct]) -> None:
        """Check the result by krammar's own rules."""
        alone = [
            replace(each, role=StructRole.REQUEST, name=f"{each.name}Request")
            if each.role is StructRole.RESPONSE
            else each
            for each in structs
        ]
        problems = ProblemList()
        check_definitions(KrammarDefinitions(tuple(alone), ()), problems)
        for problem in problems.found:
            if problem.severity is Severity.ERROR:
                self._note(0, "", NoteLevel.REFUSED, problem.text)

    def _fields(
        self, fields: tuple[FieldSpec, ...], around: VersionRange, alive: VersionRange, prefix: str
    ) -> tuple[KrammarField, ...]:
        converted = (
            self._field(each, FieldContext(around, alive, self._flexible), prefix) for each in fields
        )
        return tuple(each for each in converted if each is not None)

    def _field(self, field: FieldSpec, context: FieldContext, prefix: str) -> KrammarField | None:
        self._converted += 1
        if self._converted > MOST_FIELDS:
            raise _TooLargeError
        path = f"{prefix}{field.json_name}"
        versions = field.versions.intersect(context.alive)
        if versions.empty:
            self._note(field.line, path, NoteLevel.DROPPED, "the field, which no version has")
            return None
        for name in dropped_properties(field):
            self._dropped[name].append(field.line)
        try:
            converted = converted_field(field, context, self._element(field, versions, path))
        except FieldRefusedError as error:
            self._note(field.line, path, NoteLevel.REFUSED, str(error))
            return None
        change = default_change(field, converted)
        if change is not None:
            self._note(field.line, path, *change)
        return converted

    def _element(self, field: FieldSpec, versions: VersionRange, path: str) -> KrammarType:
        """The type of the field, or of its elements, without null."""
        inner = field.element
        if isinstance(inner, ScalarType):
            return KrammarScalar.BYTES if inner is ScalarType.RECORDS else KrammarScalar(inner.value)
        null = not field.nullable_versions.intersect(versions).empty
        is_array = isinstance(field.type, ArrayType)
        common = self._common.get(inner.name)
        if common is not None and not (null and not is_array):
            return self._named_struct(common)
        owner = common or (field if field.fields else self._outer_inline.get(inner.name, field))
        alive = versions.intersect(owner.versions)
        fields = self._fields(owner.fields, versions, alive, f"{path}[]." if is_array else f"{path}.")
        plain = singular(field.name[:1].upper() + field.name[1:])
        hint = inner.name if is_array and inner.name != plain else ""
        return InlineStruct(fields, null and not is_array, hint)

    def _named_struct(self, common: StructSpec) -> KrammarType:
        name = f"{self._spec.name}{common.name}"
        if name not in self._named:
            valid = self._spec.valid_versions
            used = [each.versions for each in self._uses(common.name)]
            hull = VersionRange(min(each.lowest for each in used), max(each.highest for each in used))
            alive = common.versions.intersect(hull).intersect(valid)
            fields = self._fields(common.fields, hull.intersect(valid), alive, f"{common.name}.")
            since = head_of(self._spec).flexible_since
            self._named[name] = KrammarStruct(
                name, StructRole.PLAIN, fields, flexible_since=since, encoded=False, line=len(self._named)
            )
        return NamedStruct(name)

    def _uses(self, name: str) -> Iterator[FieldSpec]:
        """The fields, anywhere in the message, that have this struct as their type."""
        everywhere = (self._spec.fields, *(each.fields for each in self._spec.common_structs))
        return (field for fields in everywhere for field in _walk(fields) if field.struct_name == name)


def _walk(fields: tuple[FieldSpec, ...]) -> Iterator[FieldSpec]:
    for field in fields:
        yield field
        yield from _walk(field.fields)
