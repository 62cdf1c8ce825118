"""Hypothesis strategies: layouts of every shape, their values, and values and bytes that are wrong."""

from typing import Any
from uuid import UUID

from hypothesis import strategies as st

from kafkawire.schema import (
    EMPTY,
    AbsentField,
    ArrayType,
    FieldLayout,
    MessageKind,
    MessageLayout,
    ScalarType,
    StructLayout,
    StructType,
    VersionRange,
)
from kafkawire.schema.layout import Default

VERSIONS = VersionRange(0, 3)
ZERO = UUID(int=0)

INTEGERS = {
    ScalarType.INT8: (-(2**7), 2**7 - 1),
    ScalarType.INT16: (-(2**15), 2**15 - 1),
    ScalarType.UINT16: (0, 2**16 - 1),
    ScalarType.INT32: (-(2**31), 2**31 - 1),
    ScalarType.UINT32: (0, 2**32 - 1),
    ScalarType.INT64: (-(2**63), 2**63 - 1),
}
NULLABLE = (ScalarType.STRING, ScalarType.BYTES, ScalarType.RECORDS)
NAMES = ("name", "id", "errorCode", "type", "data", "pos", "class", "value", "tag", "end", "out", "host-1")
"""Names of fields; among them those that generated code could trip over."""


@st.composite
def layouts(draw: st.DrawFn) -> MessageLayout:
    """Messages with every type, nullable, tagged, nested and absent fields, flexible or not."""
    root = draw(structs(flexible=draw(st.booleans()), depth=3))
    return MessageLayout("RandomRequest", MessageKind.REQUEST, 7, 1, root, None, VERSIONS)


@st.composite
def structs(draw: st.DrawFn, *, flexible: bool, depth: int) -> StructLayout:
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=5))
    kinds = [draw(st.sampled_from(["here", "here", "here", "tagged", "absent"])) for _ in names]
    fields, tagged, absent, tag = [], [], [], 0
    for name, kind in zip(names, kinds, strict=True):
        if kind == "tagged" and flexible:
            tagged.append(draw(fields_of(name, flexible=True, depth=depth, tag=tag)))
            tag += draw(st.sampled_from([1, 1, 2, 127]))
        elif kind == "absent":
            number = tag if flexible and draw(st.booleans()) else None
            tag += number is not None
            absent.append(draw(absent_fields(name, number)))
        else:
            fields.append(draw(fields_of(name, flexible=flexible, depth=depth, tag=None)))
    title = draw(st.sampled_from(["Topic", "Partition", "Value"]))
    return StructLayout(title, flexible, tuple(fields), tuple(tagged), tuple(absent))


@st.composite
def fields_of(draw: st.DrawFn, name: str, *, flexible: bool, depth: int, tag: int | None) -> FieldLayout:
    nested = depth > 0 and draw(st.booleans())
    array = draw(st.booleans())
    inner: ScalarType | StructType
    struct = None
    if nested:
        struct = draw(structs(flexible=flexible, depth=depth - 1))
        inner = StructType(struct.name)
    else:
        kinds = [kind for kind in ScalarType if tag is None or kind is not ScalarType.RECORDS]
        inner = draw(st.sampled_from(kinds))
    nullable = (array or nested or inner in NULLABLE) and draw(st.booleans())
    default: Default
    if array or nested:
        default = draw(st.sampled_from([EMPTY, None])) if nullable else EMPTY
    else:
        assert isinstance(inner, ScalarType)
        default = draw(defaults(inner, nullable))
    compact = flexible and (tag is not None or inner is not ScalarType.STRING or draw(st.integers(0, 4)) > 0)
    return FieldLayout(
        name, ArrayType(inner) if array else inner, struct, nullable, default, tag, compact, VERSIONS
    )


@st.composite
def absent_fields(draw: st.DrawFn, name: str, tag: int | None) -> AbsentField:
    kind = draw(st.sampled_from([ScalarType.INT32, ScalarType.STRING, ScalarType.BYTES, ScalarType.FLOAT64]))
    array = draw(st.booleans())
    default = EMPTY if array else draw(defaults(kind, nullable=kind in NULLABLE))
    return AbsentField(
        name, ArrayType(kind) if array else kind, None, default, draw(st.booleans()), tag, VERSIONS
    )


def defaults(kind: ScalarType, nullable: bool) -> st.SearchStrategy[Default]:
    """Defaults of a scalar field."""
    match kind:
        case ScalarType.BOOL:
            return st.booleans()
        case ScalarType.FLOAT64:
            return st.sampled_from([0.0, 12.34, -0.0, 1e300])
        case ScalarType.UUID:
            return st.sampled_from([ZERO, UUID(int=5)])
        case ScalarType.STRING:
            return st.sampled_from(["", "x", "é'\"", *([None] if nullable else [])])
        case ScalarType.BYTES:
            return st.sampled_from([b"", *([None] if nullable else [])])
        case ScalarType.RECORDS:
            return st.none()
        case _:
            return st.sampled_from([0, 1, INTEGERS[kind][0], INTEGERS[kind][1]])


def values(layout: MessageLayout) -> st.SearchStrategy[dict[str, Any]]:
    """Values that encode takes: sparse ones too, with unknown tags where they may stand."""
    return struct_values(layout.root)


@st.composite
def struct_values(draw: st.DrawFn, struct: StructLayout) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for field in struct.all_fields:
        if needed(field) or draw(st.integers(0, 5)):
            value[field.name] = draw(field_values(field))
    for absent in struct.absent:
        if draw(st.integers(0, 5)) == 0:
            value[absent.name] = [] if absent.default is EMPTY else absent.default
            if absent.ignorable and draw(st.booleans()):
                value[absent.name] = "anything"
    if struct.flexible and draw(st.integers(0, 3)) == 0:
        taken = {*(field.tag for field in struct.tagged), *(field.tag for field in struct.absent)}
        tags = draw(
            st.lists(st.sampled_from([0, 1, 2, 3, 9, 127, 128, 300, 2**31 - 2]), unique=True, max_size=3)
        )
        value["_tags"] = {tag: draw(st.binary(max_size=3)) for tag in tags if tag not in taken}
    return value


def needed(field: FieldLayout) -> bool:
    """Return whether the default cannot be encoded: `records` that are null where null is not allowed."""
    if field.default is EMPTY and field.struct is not None and not field.is_array:
        return any(needed(inner) for inner in field.struct.all_fields)
    return field.default is None and not field.nullable


@st.composite
def field_values(draw: st.DrawFn, field: FieldLayout) -> Any:
    if field.nullable and draw(st.integers(0, 3)) == 0:
        return None
    if field.default is not EMPTY and field.default is not None and draw(st.integers(0, 3)) == 0:
        return field.default
    if not field.is_array:
        return draw(item_values(field))
    count = draw(st.sampled_from([0, 1, 1, 2, 3]))
    if field.scalar is not None and draw(st.integers(0, 9)) == 0:
        return [draw(item_values(field))] * draw(st.sampled_from([126, 127, 128, 200]))
    return [draw(item_values(field)) for _ in range(count)]


def item_values(field: FieldLayout) -> st.SearchStrategy[Any]:
    """Draw values of a field that is not an array, or of an array's elements."""
    if field.struct is not None:
        return struct_values(field.struct)
    assert field.scalar is not None
    if field.encoding is not None:  # often numbers of one byte and of two, of either sign
        return st.one_of(st.integers(-66, 66), st.integers(-130, 130), SCALARS[field.encoding.integer_type])
    return SCALARS[field.scalar]


def _long(unit: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from([126, 127, 128, 16383, 16384, 32767]).map(lambda count: unit * count)


FLOATS = st.one_of(st.floats(), st.sampled_from([0.0, -0.0, 12.34, float("nan"), 1e300]), st.integers(-5, 5))

SCALARS: dict[ScalarType, st.SearchStrategy[Any]] = {
    ScalarType.BOOL: st.booleans(),
    ScalarType.FLOAT64: FLOATS,
    ScalarType.UUID: st.one_of(st.just(ZERO), st.uuids()),
    ScalarType.STRING: st.one_of(
        st.sampled_from(["", "x", "é", "\U0001f600"]),
        st.text(st.characters(codec="utf-8"), max_size=4),
        _long("a"),
    ),
    ScalarType.BYTES: st.one_of(st.binary(max_size=4), _long(b"a"), st.just(bytearray(b"z"))),
    ScalarType.RECORDS: st.one_of(st.binary(max_size=4), _long(b"a"), st.just(memoryview(b"y"))),
    **{
        kind: st.one_of(st.sampled_from([low, 0, 1, high]), st.integers(low, high))
        for kind, (low, high) in INTEGERS.items()
    },
}


class Odd:
    """An object that is nothing a codec takes; its repr must not be needed."""

    __slots__ = ()

    def __repr__(self) -> str:
        raise AssertionError("the repr of a value ran")


ODDITIES: tuple[Any, ...] = (
    *(None, True, 0, -1, 2**70, -(2**31) - 1, 1.5, float("nan"), 10**400, "x", "\ud800", "é" * 20000),
    *(b"x", bytearray(b"y"), [], [None], [[]], {}, {"zz": 1}, {"_tags": {}}, {"_tags": {True: b""}}, ()),
    *({"_tags": {0: b"x"}}, {"_tags": {-1: b""}}, {"_tags": {2**31 - 1: b""}}, {"_tags": {9: "x"}}, {3: 4}),
    *(ZERO, Odd(), object, {"_tags": None}, {"name": 1}, {"name": None}, "", set(), 1 + 2j, range(3)),
)


@st.composite
def spoiled(draw: st.DrawFn, layout: MessageLayout) -> Any:
    """Values with something wrong, or just unusual, in one place."""
    value = draw(values(layout))
    spots = list(_spots(value))
    if not spots or draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from(ODDITIES))
    holder, key = draw(st.sampled_from(spots))
    match draw(st.integers(0, 4)):
        case 0 if isinstance(holder, dict):
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[draw(st.sampled_from([*NAMES, "zz", 3, "_tags"]))] = draw(st.sampled_from(ODDITIES))
        case _:
            holder[key] = draw(st.sampled_from(ODDITIES))
    return value


def _spots(value: Any) -> Any:
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value[:3])
    for key, item in entries:
        yield value, key
        yield from _spots(item)


@st.composite
def mutated(draw: st.DrawFn, data: bytes) -> bytes:
    """Bytes with one to three changes: cut, replaced, put in, taken out."""
    changed = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(changed)))
        insert = draw(
            st.sampled_from([b"\0", b"\1", b"\x7f", b"\x80\x00", b"\xff\xff\xff\xff\x0f", b"\xff" * 4])
        )
        match draw(st.integers(0, 3)):
            case 0:
                changed[at : at + 1] = bytes([draw(st.sampled_from([0, 1, 2, 127, 128, 254, 255]))])
            case 1:
                changed[at:at] = insert
            case 2:
                del changed[at : at + draw(st.integers(1, 4))]
            case _:
                del changed[at:]
    return bytes(changed)
