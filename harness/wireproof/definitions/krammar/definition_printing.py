"""The structs of krammar as text, which `read_definitions` reads back as the same structs."""

from collections.abc import Iterable, Iterator

from kafkawire.schema.model import MAX_VERSION, VersionRange
from wireproof.definitions.krammar.definition_model import (
    EnumReference,
    InlineStruct,
    KrammarArray,
    KrammarField,
    KrammarScalar,
    KrammarStruct,
    KrammarType,
    LengthMinus,
    NamedStruct,
    NullableString,
    SpecialField,
    StructRole,
)
from wireproof.definitions.krammar.parsing.field_lines import innermost


def struct_text(structs: Iterable[KrammarStruct]) -> str:
    """The text of a definition file; ends with a line feed."""
    return "\n".join("".join(f"{line}\n" for line in _struct_lines(struct)) for struct in structs)


def _struct_lines(struct: KrammarStruct) -> Iterator[str]:
    yield f"{struct.name} => {', '.join(_modifiers(struct))}".rstrip()
    yield from _field_lines(struct.fields, "  ")


def _modifiers(struct: KrammarStruct) -> Iterator[str]:
    if struct.role is StructRole.RESPONSE:
        return
    if struct.role is StructRole.REQUEST:
        yield f"key {struct.key}"
        yield f"max version {struct.max_version}"
    else:
        yield "not top level"
    if not struct.encoded:
        yield "no encoding"
    if struct.role is StructRole.VERSIONED:
        yield "with version field"
    if struct.flexible_since is not None:
        yield f"flexible v{struct.flexible_since}+"
    if struct.router:
        yield struct.router


def _field_lines(fields: tuple[KrammarField, ...], indent: str) -> Iterator[str]:
    for field in fields:
        comment = _comment(field.versions, field.tag)
        yield f"{indent}{_head(field)}{f' // {comment}' if comment else ''}"
        inner = innermost(field.type)
        if isinstance(inner, InlineStruct):
            yield from _field_lines(inner.fields, f"{indent}  ")


def _head(field: KrammarField) -> str:
    match field.special:
        case SpecialField.TIMEOUT:
            return f"{field.name}({field.default})"
        case SpecialField.THROTTLE:
            return field.name if field.post_reply_since is None else f"{field.name}({field.post_reply_since})"
        case None:
            return f"{field.name}: {_type(field.type, field.default)}"


def _type(type_: KrammarType, default: str | None) -> str:
    after = "" if default is None else f"({default})"
    match type_:
        case KrammarArray(element=element, varint=varint, nullable_since=since):
            prefix = "varint" if varint else ""
            if since is not None:
                prefix = f"nullable-v{since}+" if since else "nullable"
            return f"{prefix}[{_type(element, default)}]"
        case InlineStruct(nullable=nullable, hint=hint):
            return f"{'nullable' if nullable else ''}=>{hint}"
        case NullableString(since=since):
            return f"nullable-string-v{since}+{after}"
        case EnumReference(name=name):
            return f"enum-{name}{after}"
        case NamedStruct(name=name):
            return name
        case LengthMinus(field=length, minus=minus):
            return f"length-field-minus => {length} - {minus}"
        case KrammarScalar():
            return f"{type_}{after}"


def _comment(versions: VersionRange | None, tag: int | None) -> str:
    words = []
    if versions is not None:
        end = "+" if versions.highest == MAX_VERSION else f"-v{versions.highest}"
        words.append(f"v{versions.lowest}{end}")
    if tag is not None:
        words.append(f"tag {tag}")
    return ", ".join(words)
