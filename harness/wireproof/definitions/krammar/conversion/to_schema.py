"""krammar to Kafka's language: one struct with a head becomes one message definition."""

from collections.abc import Iterator
from typing import Final

from kafkawire.schema.model import (
    MAX_VERSION,
    ArrayType,
    FieldSpec,
    FieldType,
    MessageKind,
    MessageSpec,
    ScalarType,
    StructSpec,
    StructType,
    VersionRange,
)
from kafkawire.schema.rule_table import Severity
from kafkawire.schema.rules.validation import check_message
from wireproof.definitions.krammar.conversion.field_conversion import ConversionNote, NoteLevel
from wireproof.definitions.krammar.definition_model import (
    EnumReference,
    InlineStruct,
    KrammarArray,
    KrammarDefinitions,
    KrammarField,
    KrammarScalar,
    KrammarStruct,
    KrammarType,
    LengthMinus,
    NamedStruct,
    NullableString,
    StructRole,
    default_value,
    inline_name,
    nullable_since,
)
from wireproof.definitions.krammar.parsing.field_lines import innermost

_SCALARS: Final = {each.value: each for each in ScalarType} | {
    "nullable-string": ScalarType.STRING,
    "nullable-bytes": ScalarType.BYTES,
}
_KINDS: Final = {
    StructRole.REQUEST: MessageKind.REQUEST,
    StructRole.RESPONSE: MessageKind.RESPONSE,
    StructRole.VERSIONED: MessageKind.DATA,
    StructRole.PLAIN: MessageKind.DATA,
}


def to_message(
    struct: KrammarStruct, definitions: KrammarDefinitions
) -> tuple[MessageSpec | None, list[ConversionNote]]:
    """The message that a struct defines.

    The field ``Version`` of a struct with version field is left out: Kafka's definitions begin after it. A
    struct that is not top level does not state its newest version: the highest one that it mentions is used.

    Returns:
        The definition, and a note for each construct that Kafka's language lacks. The definition is None
        if a note is of the level `NoteLevel.REFUSED`.
    """
    spec, notes = described_message(struct, definitions)
    for problem in check_message(spec) if spec is not None else ():
        if problem.severity is Severity.ERROR:
            text = f"Kafka's generator refuses it: {problem.text}"
            place = struct.source, problem.line, struct.name, problem.path
            notes.append(ConversionNote(*place, NoteLevel.REFUSED, text))
            spec = None
    return spec, sorted(notes, key=lambda each: each.line)


def described_message(
    struct: KrammarStruct, definitions: KrammarDefinitions
) -> tuple[MessageSpec | None, list[ConversionNote]]:
    """The message that a struct defines, as `to_message`, also if Kafka's generator refuses it."""
    converter = _Converter(struct, definitions)
    spec = converter.message()
    refused = any(each.level is NoteLevel.REFUSED for each in converter.notes)
    return None if refused else spec, sorted(converter.notes, key=lambda each: each.line)


class _Converter:
    def __init__(self, struct: KrammarStruct, definitions: KrammarDefinitions) -> None:
        self._struct = struct
        self._definitions = definitions
        self._common: dict[str, StructSpec] = {}
        self._in_common = False
        since = struct.flexible_since
        self._flexible = VersionRange.NONE if since is None else VersionRange(since, MAX_VERSION)
        self.notes: list[ConversionNote] = []

    def message(self) -> MessageSpec:
        struct = self._struct
        fields = struct.fields
        if struct.role is StructRole.VERSIONED:
            fields = fields[1:]
            self._note(struct.line, "", NoteLevel.OUTSIDE, "the field Version, which is left out")
        if struct.router:
            self._note(struct.line, "", NoteLevel.DROPPED, f"the modifier {struct.router!r}")
        converted = self._fields(fields, struct.name, "")
        highest = (
            max(_mentioned(struct, self._definitions)) if struct.max_version is None else struct.max_version
        )
        return MessageSpec(
            name=struct.name,
            kind=_KINDS[struct.role],
            valid_versions=VersionRange(0, highest),
            flexible_versions=self._flexible,
            fields=converted,
            common_structs=tuple(self._common.values()),
            api_key=struct.key,
            source=struct.source,
        )

    def _note(self, line: int, path: str, level: NoteLevel, text: str) -> None:
        self.notes.append(ConversionNote(self._struct.source, line, self._struct.name, path, level, text))

    def _fields(self, fields: tuple[KrammarField, ...], owner: str, prefix: str) -> tuple[FieldSpec, ...]:
        return tuple(self._field(field, owner, prefix) for field in fields)

    def _field(self, field: KrammarField, owner: str, prefix: str) -> FieldSpec:
        path = f"{prefix}{field.name[:1].lower()}{field.name[1:]}"
        for text in _refusals(field):
            self._note(field.line, path, NoteLevel.REFUSED, text)
        if field.post_reply_since is not None:
            words = f"throttling after the reply since version {field.post_reply_since}"
            self._note(field.line, path, NoteLevel.DROPPED, words)
        tagged = self._flexible if field.tag is not None else VersionRange.NONE
        versions = field.versions or (VersionRange.ALL if field.tag is None else tagged)
        is_array = isinstance(field.type, KrammarArray)
        name = inline_name(owner, field)
        inner = innermost(field.type)
        fields: tuple[FieldSpec, ...] = ()
        if isinstance(inner, InlineStruct):
            fields = self._fields(inner.fields, name, f"{path}[]." if is_array else f"{path}.")
        since = nullable_since(field.type)
        null = VersionRange.NONE if since is None else versions.intersect(VersionRange(since, MAX_VERSION))
        if not null.empty and null != versions:
            words = f"null, which Kafka's generator refuses where versions before {since} are not nullable"
            self._note(field.line, path, NoteLevel.DEFAULT, words)
        if fields and self._in_common:  # Kafka's common structs have no inline structs
            self._common[name] = StructSpec(name, VersionRange.ALL, fields, field.line)
            fields = ()
        return FieldSpec(
            name=field.name,
            type=self._type(field, name, path),
            versions=versions,
            fields=fields,
            nullable_versions=null,
            default="null" if not null.empty and null == versions else self._default(field, inner),
            tagged_versions=tagged,
            tag=field.tag,
            line=field.line,
        )

    def _type(self, field: KrammarField, name: str, path: str) -> FieldType:
        inner = innermost(field.type)
        element = self._inner_type(field, inner, name, path)
        return ArrayType(element) if isinstance(field.type, KrammarArray) else element

    def _inner_type(
        self, field: KrammarField, inner: KrammarType, name: str, path: str
    ) -> ScalarType | StructType:
        match inner:
            case NamedStruct(name=common):
                self._add_common(common, field, path)
                return StructType(common)
            case InlineStruct():
                return StructType(name)
            case EnumReference(name=enum):
                self._note(field.line, path, NoteLevel.DROPPED, f"the names of the enum {enum}")
                return _SCALARS.get(self._definitions.enum(enum).type.value, ScalarType.INT64)
            case KrammarScalar(value=word):
                return _SCALARS.get(word, ScalarType.BYTES)
            case NullableString():
                return ScalarType.STRING
            case _:
                return ScalarType.BYTES

    def _add_common(self, name: str, field: KrammarField, path: str) -> None:
        if name in self._common:
            return
        struct = self._definitions.struct(name)
        if (struct.flexible_since is None) != (self._struct.flexible_since is None):
            words = f"{name} is flexible where {self._struct.name} is not, or the other way round"
            self._note(field.line, path, NoteLevel.REFUSED, words)
        if struct.role is StructRole.VERSIONED:
            self._note(field.line, path, NoteLevel.REFUSED, f"{name} begins with a version of its own")
        self._common[name] = StructSpec(name, VersionRange.ALL, ())  # before its fields: they may name others
        around, self._in_common = self._in_common, True
        fields = self._fields(struct.fields, name, f"{name}.")
        self._in_common = around
        self._common[name] = StructSpec(name, VersionRange.ALL, fields, struct.line)

    def _default(self, field: KrammarField, inner: KrammarType) -> str:
        if field.default is None or isinstance(field.type, KrammarArray):
            return ""
        if isinstance(inner, EnumReference):
            inner = self._definitions.enum(inner.name).type
        value = default_value(inner, field.default)
        if value is None:
            return ""
        return str(value).lower() if isinstance(value, bool) else repr(value) if value else ""


def _refusals(field: KrammarField) -> Iterator[str]:
    """The constructs of a field that Kafka's language has no form for."""
    if field.tag is not None and field.versions is not None:
        yield "versions and a tag: the field is written in place, and again under its tag"
    match field.type:
        case InlineStruct(nullable=True) if field.tag is not None:
            yield "a tagged nullable struct: krammar marks null by an int8, Kafka by a varint"
        case KrammarArray(varint=True):
            yield "an array whose count is a signed varint"
        case KrammarArray(element=KrammarArray()):
            yield "an array of arrays"
        case KrammarArray(element=element) if nullable_since(element) is not None:
            yield "an array whose elements may be null"
        case _:
            pass
    inner = innermost(field.type)
    if isinstance(inner, LengthMinus):
        yield "bytes whose length is in another field"
    elif isinstance(inner, KrammarScalar) and inner.value not in _SCALARS:
        yield f"the type {inner}"


def _mentioned(struct: KrammarStruct, definitions: KrammarDefinitions) -> Iterator[int]:
    """Every version that the struct names, and those that the structs inside it name."""
    yield struct.flexible_since or 0
    pending = list(struct.fields)
    seen: set[str] = set()
    while pending:
        field = pending.pop()
        if field.versions is not None:
            yield field.versions.lowest
            if field.versions.highest < MAX_VERSION:
                yield field.versions.highest
        yield nullable_since(field.type) or 0
        match innermost(field.type):
            case InlineStruct(fields=fields):
                pending += fields
            case NamedStruct(name=name) if name not in seen:
                seen.add(name)
                pending += definitions.struct(name).fields
            case _:
                pass
