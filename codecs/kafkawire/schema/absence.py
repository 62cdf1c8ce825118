"""Fields that a version lacks: their paths, and whether a value in such a field is dropped or refused.

Source: Kafka's `MessageDataGenerator`, whose `write` refuses a field of other versions that is not at its
default ("Attempted to write a non-default ..."), unless it is `ignorable`. Of nested structs that the version
lacks, it checks only the outermost.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kafkawire.schema.layout import AbsentField, FieldLayout, MessageLayout, StructLayout
from kafkawire.schema.model import ArrayType


@dataclass(frozen=True, slots=True)
class Absence:
    """One field that a layout lacks.

    Attributes:
        path: the field, ``topics[].partitions[].offset``.
        chain: the absent fields from the outermost to the field itself; only the field if the version has
            the struct that it belongs to.
    """

    path: str
    chain: tuple[AbsentField, ...]

    @property
    def field(self) -> AbsentField:
        return self.chain[-1]

    @property
    def refused(self) -> bool:
        """Test if a value off its default is refused; otherwise it is dropped.

        For a field inside an absent struct the outermost absent struct decides, because with the field that
        struct is off its default, too.
        """
        return not self.chain[0].ignorable


def absences(layout: MessageLayout) -> Iterator[Absence]:
    """Every field that the layout lacks, outer before inner, those inside absent structs too."""
    yield from _in_struct("", layout.root)


def _in_struct(prefix: str, struct: StructLayout) -> Iterator[Absence]:
    for absent in struct.absent:
        yield from absences_inside(f"{prefix}{absent.name}", (absent,))
    for field in struct.all_fields:
        if field.struct is not None:
            yield from _in_struct(f"{prefix}{field.name}{'[].' if field.is_array else '.'}", field.struct)


def absences_inside(path: str, chain: tuple[AbsentField, ...]) -> Iterator[Absence]:
    """The last field of a chain, which has this path, and those inside it."""
    field = chain[-1]
    yield Absence(path, chain)
    if field.struct is not None:
        inner = f"{path}[]." if isinstance(field.type, ArrayType) else f"{path}."
        for absent in field.struct.absent:
            yield from absences_inside(f"{inner}{absent.name}", (*chain, absent))


def with_absent_fields(layout: MessageLayout) -> MessageLayout:
    """Return the layout with the fields of other versions after its own, as in Kafka's generated class.

    No codec has such a layout. Its canonical form describes a whole instance of Kafka's class, which also has
    the fields that the version lacks; structs that the version lacks may be null.
    """
    return replace(layout, root=_whole(layout.root))


def _whole(struct: StructLayout) -> StructLayout:
    own = tuple(_with_inner(field) for field in struct.fields)
    tagged = tuple(_with_inner(field) for field in struct.tagged)
    others = tuple(_as_present(absent) for absent in struct.absent)
    return replace(struct, fields=own + tagged + others, tagged=(), absent=())


def _with_inner(field: FieldLayout) -> FieldLayout:
    inner = None if field.struct is None else _whole(field.struct)
    return replace(field, struct=inner, tag=None)


def _as_present(absent: AbsentField) -> FieldLayout:
    return FieldLayout(
        name=absent.name,
        type=absent.type,
        struct=None if absent.struct is None else _whole(absent.struct),
        nullable=absent.nullable or absent.default is None,
        default=absent.default,
        tag=None,
        compact=False,
        versions=absent.versions,
        ignorable=absent.ignorable,
    )
