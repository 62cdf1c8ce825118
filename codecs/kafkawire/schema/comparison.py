"""`compare_layouts`: the differences between two layouts on the wire, or in the meaning of a value.

It compares everything that determines bytes: the header before the message, the presence of a tag section,
the order of the fields, their types, tags, encodings, nullability and defaults, and their names, which are
the keys of values. It ignores everything without effect on bytes: names of structs, `mapKey`, `entityType`,
`zeroCopy`, and the other versions of a field.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from kafkawire.schema.layout import EMPTY, Default, FieldLayout, MessageLayout, StructLayout


class Effect(StrEnum):
    """The effect of a change on two programs, one with the old layout and one with the new."""

    BYTES = "bytes"
    """They misread each other, or refuse what the other sends."""

    TAGGED = "tagged"
    """A tagged field came or went: the one that lacks it keeps it as an unknown tag (KIP-482)."""

    TAG_TAKEN = "tag taken"
    """The tag of the field belongs to another field of the other layout, which reads its bytes."""

    TAG_RESERVED = "tag reserved"
    """The other layout lacks the tagged field, and its message has the tag in other versions: Kafka's class
    throws ("Tag 0 is not valid for version 1")."""

    WORDS = "words"
    """The bytes stay; a value has another key for it, or a key left out means something else."""

    @property
    def misread(self) -> bool:
        """Return if a program with one of the layouts can misread or refuse bytes of the other."""
        return self not in (Effect.TAGGED, Effect.WORDS)


@dataclass(frozen=True, slots=True)
class LayoutChange:
    """One difference between two layouts, with its path.

    Attributes:
        path: the field, such as ``topics[].partitions[].index``; empty for the message as a whole.
        what: the part that differs: ``field``, ``name``, ``type``, ``tag``, ``order``, ...
        before: the old state; ``absent`` if the field was added.
        after: the new state; ``absent`` if the field was removed.
    """

    path: str
    what: str
    before: str
    after: str
    effect: Effect = Effect.BYTES

    def __str__(self) -> str:
        return f"{self.path or 'message'}: {self.what}: {self.before} -> {self.after}"


def compare_layouts(before: MessageLayout, after: MessageLayout) -> tuple[LayoutChange, ...]:
    """Every difference, outer before inner; empty if every value has the same bytes in both layouts."""
    changes = [
        LayoutChange("", what, str(old), str(new))
        for what, old, new in (
            ("apiKey", before.api_key, after.api_key),
            ("header version", before.header_version, after.header_version),
        )
        if old != new and None not in (old, new)  # stating it for the first time is not a change
    ]
    return (*changes, *_structs("", before.root, after.root))


def _structs(
    prefix: str, before: StructLayout, after: StructLayout, in_tag: bool = False
) -> Iterator[LayoutChange]:
    """Yield the differences of two structs; `in_tag` if they are the default of a tagged field."""
    if before.flexible != after.flexible:
        yield LayoutChange(prefix.rstrip("."), "flexible", _word(before.flexible), _word(after.flexible))
    pairs = paired_fields(before, after)
    for old, new in pairs:
        if old is None and new is not None:
            yield LayoutChange(prefix + new.name, "field", "absent", _shown(new), _presence(new, before))
        elif new is None and old is not None:
            yield LayoutChange(prefix + old.name, "field", _shown(old), "absent", _presence(old, after))
        elif old is not None and new is not None:
            yield from _fields(prefix, old, new, in_tag)
    yield from _orders(prefix, pairs, after)


FieldPair: TypeAlias = tuple[FieldLayout | None, FieldLayout | None]
"""A field before and after; None for a side without it."""


def paired_fields(before: StructLayout, after: StructLayout) -> list[FieldPair]:
    """Pair the fields of two structs, in the order of the first.

    A pair has one name. A removed field and an added one of the same kind at its place are a renamed field.
    """
    old, new = ({field.name: field for field in side.all_fields} for side in (before, after))
    came = {place: field for place, field in _places(after).items() if field.name not in old}
    pairs: list[FieldPair] = [
        (field, new[field.name] if field.name in new else came.pop(place, None))
        for place, field in _places(before).items()
    ]
    return [*pairs, *((None, field) for field in came.values())]


def other_owner(old: FieldLayout, new: FieldLayout) -> bool:
    """Return whether two fields with one tag are different fields, by their names.

    Other capitals are a correction: Kafka 3.8 renamed ``lastKnownELR`` to ``lastKnownElr`` (PartitionRecord).
    """
    return new.tag is not None and old.name.casefold() != new.name.casefold()


def _places(struct: StructLayout) -> dict[tuple[object, ...], FieldLayout]:
    """The fields by the properties that a renamed field keeps: its tag or position, and its kind."""
    tagged = ((True, field.tag, field) for field in struct.tagged)
    in_place = ((False, position, field) for position, field in enumerate(struct.fields))
    return {
        (*place, _kind(field), field.compact, field.nullable): field for *place, field in (*in_place, *tagged)
    }


def _fields(prefix: str, old: FieldLayout, new: FieldLayout, in_tag: bool) -> Iterator[LayoutChange]:
    path = prefix + new.name
    # A tagged field at its default is not written: with another default, the same bytes mean another value.
    # The default of a struct has the defaults of its fields.
    in_tag = in_tag or new.tag is not None
    of_default = Effect.BYTES if in_tag else Effect.WORDS
    of_name = Effect.TAG_TAKEN if other_owner(old, new) else Effect.WORDS
    for what, before, after, effect in (
        ("name", old.name, new.name, of_name),
        ("type", _kind(old), _kind(new), Effect.BYTES),
        ("range", *_ranges(old, new), Effect.WORDS),
        ("tag", _tag(old), _tag(new), Effect.BYTES),
        ("compact", _word(old.compact), _word(new.compact), Effect.BYTES),
        ("nullable", _word(old.nullable), _word(new.nullable), Effect.BYTES),
        ("default", default_words(old.default), default_words(new.default), of_default),
    ):
        if before != after:
            yield LayoutChange(path, what, before, after, effect)
    if old.struct is not None and new.struct is not None:
        whole = in_tag and not new.is_array and new.default is EMPTY
        yield from _structs(f"{path}[]." if new.is_array else f"{path}.", old.struct, new.struct, whole)


def _orders(prefix: str, pairs: list[FieldPair], after: StructLayout) -> Iterator[LayoutChange]:
    """Compare the order of the fields that both have. Tagged fields are ordered by their tags."""
    both = [new for old, new in pairs if old and new and old.tag is None and new.tag is None]
    names = {field.name for field in both}
    now = [field for field in after.fields if field.name in names]
    if both != now:
        yield LayoutChange(prefix.rstrip("."), "order", _names(both), _names(now))


def _presence(field: FieldLayout, other: StructLayout) -> Effect:
    """Return the effect of a field that the other side lacks."""
    if field.tag is None:
        return Effect.BYTES
    if field.tag in (each.tag for each in other.tagged):
        return Effect.TAG_TAKEN
    return Effect.TAG_RESERVED if field.tag in other.reserved_tags else Effect.TAGGED


def _names(fields: list[FieldLayout]) -> str:
    return ", ".join(field.name for field in fields)


def _kind(field: FieldLayout) -> str:
    """The type as the bytes show it: structs without names, integers by their encoding (KIP-625)."""
    inner = "struct" if field.struct is not None else str(field.scalar)
    if field.encoding is not None:
        inner = str(field.encoding.integer_type if field.encoding.is_fixed else field.encoding)
    return f"[]{inner}" if field.is_array else inner


def _ranges(old: FieldLayout, new: FieldLayout) -> tuple[str, str]:
    """The types of two fields with the same bytes: they differ for integers with an encoding (KIP-625)."""
    same_bytes = _kind(old) == _kind(new) and old.struct is None and new.struct is None
    return (str(old.type), str(new.type)) if same_bytes else ("", "")


def _tag(field: FieldLayout) -> str:
    return "none" if field.tag is None else str(field.tag)


def default_words(default: Default) -> str:
    """The default with its kind of number: 0.0 and -0.0 differ."""
    if default is None:
        return "null"
    return default.value if default is EMPTY else repr(default)


def _word(holds: bool) -> str:
    return "yes" if holds else "no"


def _shown(field: FieldLayout) -> str:
    words = [_kind(field)]
    if field.tag is not None:
        words.append(f"tag {field.tag}")
    if field.nullable:
        words.append("nullable")
    return " ".join(words)
