"""Judgement of the layout itself, against Kafka's class.

Strategies, codec and canonical form all use one layout: a version range that is misread there would be wrong
in all three, and pass. So Kafka's class is asked first, in three ways that do not use our schema reader: its
own `SCHEMAS[v]`, a fresh instance, and its reaction when a field is set.
"""

import struct
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final
from uuid import UUID

from kafkawire.schema.layout import AbsentField, Default, Empty, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ArrayType, ScalarType
from wireproof.model.divergence import Divergence
from wireproof.model.oracle import FieldProbe, SchemaField
from wireproof.proof.checks.check_table import Check
from wireproof.proof.checks.evidence_text import field_words

_SUBJECT: Final = "layout"

_FORMATS: Final = {
    ScalarType.BOOL: ">?",
    ScalarType.INT8: ">b",
    ScalarType.INT16: ">h",
    ScalarType.UINT16: ">H",
    ScalarType.INT32: ">i",
    ScalarType.UINT32: ">I",
    ScalarType.INT64: ">q",
    ScalarType.FLOAT64: ">d",
}
"""The formats of the types that Java holds in a primitive, which cannot be null."""

_PLAIN_NAMES: Final = {scalar: scalar.name for scalar in ScalarType} | {ScalarType.BOOL: "BOOLEAN"}

_PLAIN_FORMS: Final = {
    "NULLABLE_STRUCT": "STRUCT",
    "NULLABLE_RECORDS": "RECORDS",
    "COMPACT_NULLABLE_RECORDS": "COMPACT_RECORDS",
}
"""The names of a nullable struct and of nullable records in older releases."""


def judge_header(layout: MessageLayout, oracle: int | None) -> Iterator[Divergence]:
    """Compare the header version of the layout with that of `ApiMessageType`."""
    if layout.header_version != oracle:
        yield Divergence(
            Check.HEADER,
            _SUBJECT,
            "another header version than Kafka's",
            codec=f"header version {layout.header_version}",
            oracle=f"header version {oracle}",
        )


def judge_schema(
    layout: MessageLayout, fields: Sequence[SchemaField], *, nullability_shown: bool = True
) -> Iterator[Divergence]:
    """Compare the layout with the class's `SCHEMAS[v]`: names, order, types, tags.

    Args:
        nullability_shown: False for releases whose schemas show nullable structs and records as plain ones
            (KAFKA-19634); then only `judge_probes` judges whether null is accepted.
    """
    yield from _judge_struct("", layout.root, fields, nullability_shown)


def _judge_struct(
    prefix: str, layout: StructLayout, fields: Sequence[SchemaField], nullability_shown: bool
) -> Iterator[Divergence]:
    names = {field.name for field in fields}
    ours = [_expected(field, names) for field in layout.all_fields]
    theirs = [(field.name, field.type, field.element, field.tag) for field in fields]
    if not nullability_shown:
        ours = [(name, _PLAIN_FORMS.get(kind, kind), element, tag) for name, kind, element, tag in ours]
    for index, field in enumerate(layout.all_fields):
        if index >= len(theirs) or ours[index] != theirs[index]:
            kafka = _shown(theirs[index]) if index < len(theirs) else "no further field"
            summary = "Kafka's schema has another field here"
            yield _found(Check.SCHEMA, prefix + field.name, field, summary, _shown(ours[index]), kafka)
            return
    if len(theirs) > len(ours):
        summary = "Kafka's schema has a field that the layout lacks"
        yield _found(
            Check.SCHEMA, prefix + theirs[len(ours)][0], None, summary, "no field", _shown(theirs[len(ours)])
        )
        return
    for field, schema in zip(layout.all_fields, fields, strict=True):
        if field.struct is None:
            continue
        path = f"{prefix}{field.name}{'[]' if field.is_array else ''}."
        if field.struct.flexible != schema.flexible:
            summary = "only one side has a tag section here"
            yield _found(
                Check.SCHEMA, path, field, summary, f"flexible {field.struct.flexible}", str(schema.flexible)
            )
        yield from _judge_struct(path, field.struct, schema.fields, nullability_shown)


def _expected(field: FieldLayout, names: AbstractSet[str]) -> tuple[str, str, str, int | None]:
    """The field as Kafka's SchemaGenerator would declare it."""
    upper, lower = _snake_case(field.name[:1].upper() + field.name[1:]), _snake_case(field.name)
    # The layout does not say if the definition has ``AB`` or ``aB``, which Kafka spells ab and a_b.
    name = lower if lower in names and upper not in names else upper
    if not field.is_array:
        kind = _type_name(field.scalar, compact=field.compact, nullable=field.nullable)
        return name, kind, "", field.tag
    kind = ("COMPACT_" if field.compact else "") + ("NULLABLE_" if field.nullable else "") + "ARRAY"
    return name, kind, _type_name(field.scalar, compact=field.compact, nullable=False), field.tag


def _type_name(scalar: ScalarType | None, *, compact: bool, nullable: bool) -> str:
    if scalar is None:
        return "NULLABLE_STRUCT" if nullable else "STRUCT"
    name = _PLAIN_NAMES[scalar]
    if scalar not in (ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS):
        return name
    return ("COMPACT_" if compact else "") + ("NULLABLE_" if nullable else "") + name


def _shown(row: tuple[str, str, str, int | None]) -> str:
    name, kind, element, tag = row
    return f"{name}: {kind}{f' of {element}' if element else ''}{'' if tag is None else f', tag {tag}'}"


def _snake_case(name: str) -> str:
    """Convert a name as Kafka's `toSnakeCase` does: a run of capitals is one word (``ISRNodeId``:
    ``isrnode_id``).
    """
    out: list[str] = []
    after_capital = True
    for letter in name:
        if letter.isupper() and not after_capital:
            out.append("_")
        out.append(letter.lower())
        after_capital = letter.isupper()
    return "".join(out)


def judge_probes(layout: MessageLayout, probes: Sequence[FieldProbe]) -> Iterator[Divergence]:
    """Compare the layout with the class's behaviour: nullability, presence, ignorable, defaults."""
    found = {probe.path: probe for probe in probes}
    entered = frozenset(probe.path for probe in probes if probe.other == "written")
    for path, field in _present("", layout.root, entered):
        probe = found.pop(path, None)
        if probe is None:
            yield _found(
                Check.PRESENCE, path, field, "Kafka's class has no such field", "present", "no such field"
            )
        else:
            yield from _judge_present(path, field, probe)
    inside: list[str] = []
    for path, absent, in_default in _absent("", layout.root, entered):
        inside += [f"{path}.", f"{path}[]."] if in_default else []
        probe = found.pop(path, None)
        if probe is None:
            yield _found(
                Check.PRESENCE, path, None, "Kafka's class has no such field", "absent", "no such field"
            )
        elif _has_other_value(absent) and probe.other not in _fates(absent, in_default):
            wants = _fates(absent, in_default)[0]
            summary = "a value for a field outside its versions meets another fate"
            yield _found(Check.PRESENCE, path, None, summary, wants, probe.other)
    for path, probe in found.items():
        if path.startswith(tuple(inside)):
            continue  # the layout has no fields of a struct that the version lacks
        yield _found(
            Check.PRESENCE,
            path,
            None,
            "the layout lacks a field of Kafka's class",
            "no field",
            probe.java_type,
        )


def _judge_present(path: str, field: FieldLayout, probe: FieldProbe) -> Iterator[Divergence]:
    if probe.other != "written" and not _is_constant(field):
        summary = "Kafka does not write this field at this version"
        yield _found(Check.PRESENCE, path, field, summary, "written", probe.other)
    primitive = not field.is_array and field.scalar in _FORMATS
    wants = "primitive" if primitive else "accepted" if field.nullable else "refused"
    if probe.null != wants:
        yield _found(Check.NULLABLE, path, field, "null meets another fate in Kafka", wants, probe.null)
    default = default_binary(field)
    if default != probe.default:
        summary = "Kafka's class has another default"
        yield _found(
            Check.DEFAULT, path, field, summary, default.hex() or "nothing", probe.default.hex() or "nothing"
        )


def _is_constant(field: FieldLayout) -> bool:
    """Test if the field has no other values than its default and null, as a struct without fields has."""
    if field.struct is None or field.is_array:
        return False
    return all(map(_is_constant, field.struct.all_fields))


def _fates(field: AbsentField, in_default: bool) -> tuple[str, ...]:
    """The ways in which Kafka may treat a value of a field that the version lacks."""
    if not field.ignorable:
        return ("refused",)
    return ("dropped", "written") if in_default else ("dropped",)


def _has_other_value(field: AbsentField) -> bool:
    """Test if the field has a value besides its default and null."""
    if field.struct is None or isinstance(field.type, ArrayType):
        return True
    return any(map(_has_other_value, field.struct.absent))


def _present(
    prefix: str, layout: StructLayout, entered: AbstractSet[str]
) -> Iterator[tuple[str, FieldLayout]]:
    """The fields of the version, within containers that Kafka writes."""
    for field in layout.all_fields:
        path = prefix + field.name
        yield path, field
        if field.struct is not None and (path in entered or not _is_constant(field)):
            yield from _present(f"{path}{'[].' if field.is_array else '.'}", field.struct, entered)


def _absent(
    prefix: str, layout: StructLayout, entered: AbstractSet[str], in_default: bool = False
) -> Iterator[tuple[str, AbsentField, bool]]:
    """The absent fields within containers that Kafka writes: fields inside other containers are not probed.

    The last item is True inside a tagged struct, which may have its default. A value that Kafka drops still
    makes the struct differ from the default, so Kafka writes its tag.
    """
    for absent in layout.absent:
        yield prefix + absent.name, absent, in_default
    for field in layout.all_fields:
        path = prefix + field.name
        if field.struct is not None and (path in entered or not _is_constant(field)):
            tagged = in_default or (field.tag is not None and not field.is_array)
            yield from _absent(f"{path}{'[].' if field.is_array else '.'}", field.struct, entered, tagged)


def default_binary(field: FieldLayout) -> bytes:
    """The canonical binary of a field's default, implemented independently of `kafkawire.canonical`."""
    if field.is_array:
        return struct.pack(">i", -1 if field.default is None else 0)
    if field.struct is not None:
        if field.default is None:
            return b"\x00"
        marker = b"\x01" if field.nullable else b""
        return marker + _struct_binary(field.struct)
    return _scalar_binary(field.scalar, field.default)


def _struct_binary(layout: StructLayout) -> bytes:
    fields = b"".join(default_binary(field) for field in layout.all_fields)
    return fields + (struct.pack(">i", 0) if layout.flexible else b"")


def _scalar_binary(scalar: ScalarType | None, default: Default) -> bytes:
    if scalar in _FORMATS and not isinstance(default, (str, bytes, UUID, Empty)):
        return struct.pack(_FORMATS[scalar], default)
    if isinstance(default, UUID):
        return default.bytes
    if default is None:
        return struct.pack(">i", -1)
    data = default.encode() if isinstance(default, str) else default if isinstance(default, bytes) else b""
    return struct.pack(">i", len(data)) + data


def _found(
    check: Check, path: str, field: FieldLayout | None, summary: str, codec: str, oracle: str
) -> Divergence:
    words = "" if field is None else field_words(field)
    return Divergence(check, _SUBJECT, summary, path, words, codec=codec, oracle=oracle)
